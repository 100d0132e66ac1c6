// SPDX-License-Identifier: Apache-2.0

package approval

import "github.com/fiftyarms/platform/gen/dash"

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

// Grant is a permission as the page offers or lists it.
type Grant struct {
	Permission string
	Means      string
	Ticked     bool
}

func grants(permissions []dash.Permission, ticked func(dash.Permission) bool) []Grant {
	list := make([]Grant, 0, len(permissions))
	for _, p := range permissions {
		list = append(list, Grant{Permission: string(p), Means: means[p], Ticked: ticked(p)})
	}
	return list
}
