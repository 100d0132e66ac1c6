// SPDX-License-Identifier: Apache-2.0

package doctor

import (
	"slices"

	"github.com/fiftyarms/platform/gen/dash"
	"github.com/fiftyarms/platform/gen/mcptools"
	"github.com/fiftyarms/platform/internal/platform/env"
	"github.com/fiftyarms/platform/internal/platform/visibility"
)

// tools says which tools the session is shown, as its server would decide, and what the others need.
func (x *examination) tools() {
	held := x.holding()
	for _, tool := range mcptools.PlatformTools(struct{ mcptools.PlatformHandlers }{}) { // which nobody calls
		if visibility.Missing(tool, held) == nil {
			x.report.Tools.Shown = append(x.report.Tools.Shown, tool.Name)
			continue
		}
		x.report.Tools.Hidden = append(x.report.Tools.Hidden, dash.DoctorHiddenTool{Name: tool.Name, Needs: needs(tool, held)})
	}
}

// holding is what the session holds.
func (x *examination) holding() visibility.Holding {
	held := visibility.Holding{
		SignedIn: x.report.Key.State == dash.DoctorKeyStateLive, Dispatch: !x.config.Credential.IsZero(), OptIns: x.config.ExtraTools,
	}
	for _, p := range x.report.Permissions {
		held.Permissions = append(held.Permissions, dash.Permission(p))
	}
	if x.config.SlackReplyURL != "" {
		held.Callbacks = append(held.Callbacks, env.SlackReplyURL)
	}
	return held
}

// needs is all that a hidden tool is hidden for want of.
func needs(tool mcptools.Tool, held visibility.Holding) (lacking []string) {
	a := tool.Access
	if a.Audience == "person" && held.Dispatch || a.Audience == "dispatch" && !held.Dispatch {
		lacking = append(lacking, "a session of a "+a.Audience)
	}
	if a.OptIn && held.Dispatch && !slices.Contains(held.OptIns, tool.Name) {
		lacking = append(lacking, "its name in "+env.ExtraTools)
	}
	if a.Callback != "" && !slices.Contains(held.Callbacks, a.Callback) {
		lacking = append(lacking, "a URL in "+a.Callback)
	}
	if !held.SignedIn {
		lacking = append(lacking, "a session that is signed in")
	}
	for _, p := range a.Permissions {
		if !slices.Contains(held.Permissions, dash.Permission(p)) {
			lacking = append(lacking, "permission "+p)
		}
	}
	return lacking
}
