// SPDX-License-Identifier: Apache-2.0

package doctor

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/fiftyarms/platform/gen/dash"
	"github.com/fiftyarms/platform/internal/platform/client"
)

// call makes one call, with the key where keyed.
func (x *examination) call(ctx context.Context, req *http.Request, err error, keyed bool) (*client.Response, error) {
	if err != nil {
		return nil, err
	}
	c := client.Call{Request: req, Limit: callLimit}
	if keyed {
		c.Key = x.key
	}
	return x.client.Do(ctx, c)
}

// floorHeader names the oldest platform-mcp that a dashboard serves.
const floorHeader = "X-Mcp-Min-Version"

// connect looks whether a dashboard is there that serves this build. It reports whether it can be asked more.
func (x *examination) connect(ctx context.Context) bool {
	var err error
	x.client, err = client.New(client.Options{
		Dashboard: x.config.Dashboard, Version: x.o.Version, Transport: x.o.Transport, Known: x.known,
		Limits: client.Limits{Connect: callLimit, Header: callLimit, Total: callLimit},
	})
	if err != nil {
		x.fail("dashboard", err.Error(), "")
		return false
	}
	begun := x.o.Now()
	req, err := dash.NewGetHealthRequest(x.client.Base())
	resp, err := x.call(ctx, req, err, false)
	ms := x.o.Now().Sub(begun).Milliseconds()
	if outdated := (*client.Outdated)(nil); errors.As(err, &outdated) {
		x.report.Dashboard = &dash.DoctorDashboard{URL: x.config.Dashboard, Ms: ms, Serves: &outdated.Want}
		x.ok("dashboard", fmt.Sprintf("%s answered in %d ms", x.config.Dashboard, ms))
		x.fail("version", fmt.Sprintf("this build is %s, and the dashboard serves %s and newer", x.o.Version, outdated.Want), "update platform-mcp, and start the session again")
		x.client.Close()
		return false
	}
	const fix = "start the dashboard, or mend DANXBOT_DASHBOARD_URL"
	var health dash.Health
	switch {
	case err != nil:
		x.fail("dashboard", err.Error(), fix)
		x.client.Close()
		return false
	case resp.Status != http.StatusOK || json.Unmarshal(resp.Body, &health) != nil || health.Status == "":
		x.fail("dashboard", fmt.Sprintf("%s answered %d to GET /healthz, but not as a dashboard does", x.config.Dashboard, resp.Status), fix)
		x.client.Close()
		return false
	}
	found := &dash.DoctorDashboard{URL: x.config.Dashboard, Ms: ms}
	x.report.Dashboard = found
	detail := fmt.Sprintf("%s answered in %d ms", x.config.Dashboard, ms)
	if version := client.Excerpt(health.Version); version != "" {
		found.Version = &version
		detail += ", version " + version
	}
	x.ok("dashboard", detail)
	if floor := client.Excerpt(strings.Join(resp.Header.Values(floorHeader), ", ")); floor != "" {
		found.Serves = &floor
		x.ok("version", fmt.Sprintf("this build is %s, and the dashboard serves %s and newer", x.o.Version, floor))
	} else {
		x.warn("version", "the dashboard does not say which builds it serves", "")
	}
	x.ready(ctx)
	return true
}

func (x *examination) ready(ctx context.Context) {
	req, err := dash.NewGetReadinessRequest(x.client.Base())
	resp, err := x.call(ctx, req, err, false)
	switch {
	case err != nil:
		x.fail("ready", err.Error(), "look at the dashboard's log: it runs, and cannot serve")
	case resp.Status != http.StatusOK:
		x.fail("ready", resp.Refusal().Error(), "look at the dashboard's log: it runs, and cannot serve")
	default:
		x.ok("ready", "it can serve")
	}
}

// contract compares the dashboard's contract with this build's. Only who is signed in may read it.
func (x *examination) contract(ctx context.Context) {
	if x.report.Key.State != dash.DoctorKeyStateLive {
		return
	}
	endpoints := "GET /healthz" // the shortest that there is: the document's head is what is wanted
	req, err := dash.NewGetContractRequest(x.client.Base(), &dash.GetContractParams{Endpoints: &endpoints})
	resp, err := x.call(ctx, req, err, true)
	var said struct {
		Info struct {
			Version string `json:"version"`
		} `json:"info"`
	}
	switch {
	case err != nil:
		x.fail("contract", err.Error(), "")
	case resp.Status != http.StatusOK:
		x.fail("contract", resp.Refusal().Error(), "")
	case json.Unmarshal(resp.Body, &said) != nil || said.Info.Version == "":
		x.warn("contract", "the dashboard's has no version", "")
	default:
		version := client.Excerpt(said.Info.Version)
		x.report.Dashboard.Contract = &version
		if version != dash.ContractVersion {
			x.warn("contract", fmt.Sprintf("the dashboard's is %s, and this build knows %s: routes may differ", version, dash.ContractVersion), "update whichever of the two is older")
			return
		}
		x.ok("contract", "the dashboard's is "+version+", as this build knows it")
	}
}

// board looks whether the default board exists for the key.
func (x *examination) board(ctx context.Context) {
	if x.config.Board == 0 || x.report.Key.State != dash.DoctorKeyStateLive {
		return
	}
	req, err := dash.NewGetBoardRequest(x.client.Base(), x.config.Board)
	resp, err := x.call(ctx, req, err, true)
	var board dash.Board
	switch {
	case err != nil:
		x.fail("board", err.Error(), "")
	case resp.Status == http.StatusForbidden:
		x.warn("board", resp.Refusal().Error(), "ask for the permission with request_permission")
	case resp.Status != http.StatusOK:
		x.fail("board", resp.Refusal().Error(), "set DANXBOT_BOARD_ID to the number of a board of the team, or take it out")
	case json.Unmarshal(resp.Body, &board) != nil:
		x.warn("board", fmt.Sprintf("%s %s: answered with something else than a board", resp.Method, resp.Path), "")
	default:
		x.ok("board", fmt.Sprintf("%d is %s (%s)", x.config.Board, client.Excerpt(board.Name), client.Excerpt(board.Prefix)))
	}
}
