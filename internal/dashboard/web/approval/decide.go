// SPDX-License-Identifier: Apache-2.0

package approval

import (
	"errors"
	"net/http"
	"slices"
	"strings"

	"github.com/fiftyarms/platform/gen/dash"
	"github.com/fiftyarms/platform/internal/dashboard/web/apiclient"
	"github.com/fiftyarms/platform/internal/dashboard/web/asked"
	"github.com/fiftyarms/platform/internal/dashboard/web/layout"
	"github.com/fiftyarms/platform/internal/dashboard/web/visit"
)

// firstGrant is the id of the first permission's box, where problems with permissions lead.
const firstGrant = "grant-0"

// Approve grants what is ticked.
func Approve(v *visit.Visit) error {
	v.Here = path(v)
	body := dash.AccessRequestApproval{Digest: v.Field("digest")}
	for _, p := range v.R.PostForm["permissions"] {
		body.Permissions = append(body.Permissions, dash.Permission(p))
	}
	page := Page{Draft: Draft{Untick: unticked(v.R.PostForm["offered"], body.Permissions)}}
	if len(body.Permissions) == 0 {
		// An approval that names no permissions grants the usual ones: the opposite of what the person asked for.
		page.Problems = []layout.Problem{{Field: firstGrant, Text: "Tick at least one permission, or deny the request."}}
		return show(v, http.StatusBadRequest, page)
	}
	_, err := apiclient.Check(v.API.ApproveAccessRequestWithResponse(v.R.Context(), v.R.PathValue("publicId"), body))
	return decided(v, err, page, map[string]visit.Field{"/permissions": {ID: firstGrant, Label: "A permission"}})
}

// unticked are the permissions that were offered and not chosen.
func unticked(offered []string, chosen []dash.Permission) map[dash.Permission]bool {
	off := map[dash.Permission]bool{}
	for _, p := range offered {
		if !slices.Contains(chosen, dash.Permission(p)) {
			off[dash.Permission(p)] = true
		}
	}
	return off
}

// RequestChanges sends the request back with a note.
func RequestChanges(v *visit.Visit) error {
	v.Here = path(v)
	note := strings.TrimSpace(v.Field(asked.ChangesField))
	page := Page{Draft: Draft{Changes: note}}
	if note == "" {
		page.Problems = []layout.Problem{asked.SayWhat}
		return show(v, http.StatusBadRequest, page)
	}
	_, err := apiclient.Check(v.API.RequestAccessChangesWithResponse(v.R.Context(), v.R.PathValue("publicId"),
		dash.RequestRevision{Digest: v.Field("digest"), Note: note}))
	return decided(v, err, page, map[string]visit.Field{"/note": {ID: asked.ChangesField, Label: "The note"}})
}

// Deny refuses the request, with a reason or without.
func Deny(v *visit.Visit) error {
	v.Here = path(v)
	note := strings.TrimSpace(v.Field(asked.DenialField))
	body := dash.RequestDenial{Digest: v.Field("digest")}
	if note != "" {
		body.Note = &note
	}
	_, err := apiclient.Check(v.API.DenyAccessRequestWithResponse(v.R.Context(), v.R.PathValue("publicId"), body))
	return decided(v, err, Page{Draft: Draft{Denial: note}}, map[string]visit.Field{"/note": {ID: asked.DenialField, Label: "The reason"}})
}

// decided leads to the request after a decision. Where the API took none, it shows the request as it stands, with the
// reason and with what the person had filled in.
func decided(v *visit.Visit, err error, page Page, fields map[string]visit.Field) error {
	if why, status, ok := asked.Overtaken(err); ok {
		page.Overtaken = why
		return show(v, status, page)
	}
	switch refusal, _ := errors.AsType[dash.Refusal](err); r := refusal.(type) {
	case dash.OwnerLacksPermissionRefusal:
		names := make([]string, len(r.Permissions))
		for i, p := range r.Permissions {
			names[i] = string(p)
		}
		page.Problems = []layout.Problem{{Field: firstGrant, Text: "You cannot grant what you do not hold: " + strings.Join(names, ", ") + ". Untick it, or let a person who holds it answer."}}
		return show(v, r.RefusalStatus(), page)
	case dash.InvalidRequestRefusal:
		page.Problems = visit.Problems(r, fields)
		return show(v, r.RefusalStatus(), page)
	}
	if err != nil {
		return err
	}
	return v.Go(path(v))
}
