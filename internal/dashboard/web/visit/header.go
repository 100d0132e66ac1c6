// SPDX-License-Identifier: Apache-2.0

package visit

import (
	"errors"
	"strconv"

	"github.com/fiftyarms/platform/gen/dash"
	"github.com/fiftyarms/platform/internal/dashboard/web/apiclient"
	"github.com/fiftyarms/platform/internal/dashboard/web/layout"
)

// headerMost is how many requests of a kind the header counts.
const headerMost = 99

// greet tells the header how many requests wait for the person, and whether the audit log is theirs to read. A header
// that cannot tell takes no page with it: what fails is logged, where the API has not logged it, and left off.
func (v *Visit) greet(viewer *layout.Viewer) {
	if viewer == nil {
		return
	}
	if err := v.readHeader(viewer); err != nil {
		if _, told := errors.AsType[dash.Refusal](err); !told {
			v.log.WarnContext(v.R.Context(), "header", "path", v.R.URL.Path, "request_id", v.requestID(), "error", err)
		}
	}
}

func (v *Visit) readHeader(viewer *layout.Viewer) error {
	admin, err := v.May(dash.PermissionTeamAdmin)
	if err != nil {
		return err
	}
	viewer.Audits = admin
	waiting, limit, more := true, dash.Limit(headerMost), ""
	asked, err := apiclient.Check(v.API.ListPermissionRequestsWithResponse(v.R.Context(), &dash.ListPermissionRequestsParams{Waiting: &waiting, Limit: &limit}))
	if err != nil {
		return err
	}
	if asked.JSON200 == nil {
		return errors.New("the API answered no list of permission requests")
	}
	n := len(asked.JSON200.Requests)
	if next, _ := asked.JSON200.NextCursor.Get(); next != "" {
		more = "+"
	}
	if admin {
		access, err := apiclient.Check(v.API.ListAccessRequestsWithResponse(v.R.Context(), &dash.ListAccessRequestsParams{Waiting: &waiting, Limit: &limit}))
		if err != nil {
			return err
		}
		if access.JSON200 == nil {
			return errors.New("the API answered no list of requests")
		}
		n += len(access.JSON200.Requests)
		if next, _ := access.JSON200.NextCursor.Get(); next != "" {
			more = "+"
		}
	}
	if n > 0 {
		viewer.Waiting = strconv.Itoa(n) + more
	}
	return nil
}
