// SPDX-License-Identifier: Apache-2.0

package asked

import (
	"slices"

	"github.com/fiftyarms/platform/gen/dash"
)

// means says in a few words what each permission lets an agent do. A test holds it against the contract.
var means = map[dash.Permission]string{
	"cards.view":         "Read boards and cards",
	"cards.edit":         "Write and move cards",
	"plans.view":         "Read plans and their events",
	"plans.edit":         "Write and run plans",
	"docs.view":          "Read the docs",
	"docs.edit":          "Change the docs",
	"plugins.publish":    "Publish plugins, which wait for approval",
	"plugins.approve":    "Approve plugins",
	"slack.threads.post": "Post into Slack threads",
	"traces.view":        "Read the traces of sessions",
	"traces.publish":     "Publish traces of sessions",
	"sessions.view":      "See running sessions",
	"sessions.control":   "Start, prompt and stop sessions",
	"gateway.report":     "Report what happens in chats",
	"boards.edit":        "Create and change boards",
	"team.admin":         "Run the team",
}

// Means says in a few words what a permission lets an agent do.
func Means(p dash.Permission) string { return means[p] }

// Grant is a permission as a page offers or lists it.
type Grant struct {
	Permission string
	Means      string
	Ticked     bool
	Empty      bool // it opens nothing that this server has
}

// Grants are permissions as a page offers or lists them.
func Grants(permissions []dash.Permission, ticked func(dash.Permission) bool) []Grant {
	list := make([]Grant, 0, len(permissions))
	for _, p := range permissions {
		list = append(list, Grant{Permission: string(p), Means: means[p], Ticked: ticked(p), Empty: empty(p)})
	}
	return list
}

// Listed are permissions that nobody ticks.
func Listed(permissions []dash.Permission) []Grant {
	return Grants(permissions, func(dash.Permission) bool { return true })
}

// empty says whether no operation needs a permission: what it is for comes with a later release.
func empty(p dash.Permission) bool {
	return !slices.ContainsFunc(dash.Operations, func(op dash.Operation) bool { return op.Permission == string(p) })
}
