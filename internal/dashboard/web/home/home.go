// SPDX-License-Identifier: Apache-2.0

// Package home is the first page. An install that no agent has reached yet explains itself there; afterwards it shows
// what waits for a person.
package home

import (
	_ "embed"
	"net/http"

	"github.com/fiftyarms/platform/gen/dash"
	"github.com/fiftyarms/platform/internal/cli"
	"github.com/fiftyarms/platform/internal/dashboard/web/apiclient"
	"github.com/fiftyarms/platform/internal/dashboard/web/approvals"
	"github.com/fiftyarms/platform/internal/dashboard/web/assets"
	"github.com/fiftyarms/platform/internal/dashboard/web/layout"
	"github.com/fiftyarms/platform/internal/dashboard/web/visit"
)

//go:embed home.css
var css []byte

// Sheet is the page's own style.
var Sheet = assets.New("home.css", css)

// Connection is how an agent reaches this server.
type Connection struct {
	PublicURL string // what an agent dials
	Team      string // whose people its request is shown to, by its slug
	Command   string // what starts the agent's side, quoted for a shell
}

// ClaudeCode is the line that connects Claude Code.
func (c Connection) ClaudeCode() string {
	dashboard, team := c.Settings()
	return "claude mcp add platform --env " + dashboard + " --env " + team + " -- " + c.Command
}

// Settings are the variables that the agent's side reads.
func (c Connection) Settings() (dashboard, team string) {
	return cli.ShellWord("DANXBOT_DASHBOARD_URL=" + c.PublicURL), cli.ShellWord("DANXBOT_TEAM=" + c.Team)
}

// Page is what the page shows.
type Page struct {
	Connection Connection
	New        bool // no agent has a key yet
	Waiting    approvals.List
}

// Get makes the page's handler.
func Get(c Connection) func(*visit.Visit) error {
	return func(v *visit.Visit) error {
		me, err := v.Me()
		if err != nil {
			return err
		}
		c := c
		c.Team = me.Team.Slug
		one := dash.Limit(1)
		keys, err := apiclient.Check(v.API.ListKeysWithResponse(v.R.Context(), &dash.ListKeysParams{Limit: &one}))
		if err != nil {
			return err
		}
		page := Page{Connection: c, New: keys.JSON200 != nil && len(keys.JSON200.Keys) == 0}
		if page.Waiting, err = approvals.Waiting(v, ""); err != nil {
			return err
		}
		return v.Show(http.StatusOK, v.Frame("Start", layout.Home, approvals.Sheet, Sheet), body(page))
	}
}
