// SPDX-License-Identifier: Apache-2.0

package permission

import (
	"encoding/json"
	"fmt"
	"net/http"

	"github.com/fiftyarms/platform/gen/dash"
	"github.com/fiftyarms/platform/internal/platform/client"
)

// longestName bounds the name of a permission, in characters, as request_permission takes it.
const longestName = 60

// Hint is what an agent needs to know of an answer of the dashboard that refuses a call for want of a permission; of any
// other answer it is none.
func Hint(status int, body json.RawMessage) []string {
	var said struct {
		Error      string `json:"error"`
		Permission string `json:"permission"`
	}
	if status != http.StatusForbidden || json.Unmarshal(body, &said) != nil {
		return nil
	}
	if said.Error != (dash.ForbiddenRefusal{}).RefusalCode() || said.Permission == "" || len(said.Permission) > longestName {
		return nil
	}
	return []string{fmt.Sprintf("This session's key lacks the permission %s. If the work needs it, ask for it with request_permission, and go on with what needs no more. If you cannot go on without it, tell the user.", client.Visible(said.Permission))}
}
