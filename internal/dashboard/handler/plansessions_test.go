// SPDX-License-Identifier: Apache-2.0

package handler_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/fiftyarms/platform/gen/dash"
	"github.com/fiftyarms/platform/internal/access"
	"github.com/fiftyarms/platform/internal/testkit"
)

func connect(t *testing.T, c *testkit.Caller, title *string) dash.SessionConnected {
	t.Helper()
	return testkit.Decode[dash.SessionConnected](t, c.Call("POST", "/api/plan-sessions", dash.SessionConnect{Title: title}), 200)
}

func TestPlanSessions(t *testing.T) {
	testkit.EachEngine(t, func(t *testing.T, e testkit.Engine) {
		d := testkit.Dashboard(t, testkit.On(e))
		ada := d.SetUp()
		one, two := d.Agent(ada), d.Agent(ada)

		first := connect(t, one, nil)
		want := dash.SessionConnected{
			Session: dash.PlanSession{ID: first.Session.ID, Title: "claude-code", ConnectedAt: dash.At(testkit.Start)},
			Agent:   dash.AgentRef{ID: 1, Name: "Agent 1"},
			Team:    ada.Me.Team,
		}
		if diff := cmp.Diff(want, first); diff != "" {
			t.Errorf("connected (-want +got): %s", diff)
		}
		if got := connect(t, two, new("Other work")); got.Agent.ID != 2 || got.Session.Title != "Other work" {
			t.Errorf("the second: %+v", got)
		}
		d.Clock.Advance(time.Minute)
		want.Session.Title = "Renamed"
		if diff := cmp.Diff(want, connect(t, one, new("Renamed"))); diff != "" {
			t.Errorf("connected again (-want +got): %s", diff)
		}

		if a := one.Call("DELETE", "/api/plan-sessions", nil); a.Status != http.StatusNoContent {
			t.Errorf("left with %d %s", a.Status, a.Body)
		}
		if a := one.Call("DELETE", "/api/plan-sessions", nil); a.Code() != "not_found" {
			t.Errorf("left again: %d %s", a.Status, a.Body)
		}
		three := d.Agent(ada)
		if got := connect(t, three, nil); got.Agent.ID != 1 {
			t.Errorf("the agent that was let go is not taken: %+v", got.Agent)
		}

		ada.Call("DELETE", "/api/keys/"+two.Me.Key.ID, nil)
		if got := connect(t, one, nil); got.Agent.ID != 2 {
			t.Errorf("the agent of a revoked key is not taken: %+v", got.Agent)
		}
		d.Clock.Advance(access.IdleLapse) // every key lapses, to the moment
		four := d.Agent(d.SignIn("ada@example.com"))
		if got := connect(t, four, nil); got.Agent.ID != 1 {
			t.Errorf("the agent of a lapsed key is not taken: %+v", got.Agent)
		}
	})
}
