// SPDX-License-Identifier: Apache-2.0

package handler_test

import (
	"bytes"
	"encoding/json"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fiftyarms/platform/gen/dash"
	"github.com/fiftyarms/platform/internal/testkit"
)

func slice(c *testkit.Caller, endpoints string) testkit.Answer {
	return c.Call("GET", "/api/openapi?endpoints="+url.QueryEscape(endpoints), nil)
}

func TestGetContract(t *testing.T) {
	d := testkit.Dashboard(t)
	ada := d.SetUp()
	agent := d.Agent(ada)
	if a := agent.Call("GET", "/api/openapi", nil); a.Status != 200 || !bytes.Equal(bytes.TrimSpace(a.Body), bytes.TrimSpace(dash.Document)) {
		t.Errorf("the whole contract: %d, %d bytes of %d", a.Status, len(a.Body), len(dash.Document))
	}
	tests := []struct {
		name      string
		as        *testkit.Caller
		endpoints string
		want      []string // routes
	}{
		{"one", agent, "GET /api/auth/me", []string{"GET /api/auth/me"}},
		{"two", agent, "GET /api/auth/me,POST /api/plan-sessions", []string{"GET /api/auth/me", "POST /api/plan-sessions"}},
		{"a person's", ada, "delete /api/keys/:id", []string{"DELETE /api/keys/{id}"}},
	}
	for _, tt := range tests {
		var doc struct {
			Paths map[string]map[string]json.RawMessage
		}
		a := slice(tt.as, tt.endpoints)
		if a.Status != 200 || json.Unmarshal(a.Body, &doc) != nil {
			t.Errorf("%s: %d %s", tt.name, a.Status, a.Body)
			continue
		}
		var got []string
		for path, item := range doc.Paths {
			for method := range item {
				got = append(got, strings.ToUpper(method)+" "+path)
			}
		}
		slices.Sort(got)
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%s (-want +got): %s", tt.name, diff)
		}
	}
}

// What a caller cannot reach is as unknown as what is not there.
func TestUnknownRoutes(t *testing.T) {
	d := testkit.Dashboard(t)
	agent := d.Agent(d.SetUp())
	for _, tt := range []struct{ endpoints, nearest string }{
		{"GET /api/auth/mee", "GET /api/auth/me"},
		{"GET /api/auth/me,GET /api/auth/permission", "GET /api/auth/permissions"},
		{"GET /api/keys", ""},
		{"DELETE /api/keys/{id}#Key", ""},
		{"nonsense", ""},
		{"GET /api/auth/me#Nothing", ""},
	} {
		got := testkit.Decode[dash.NotFoundRefusal](t, slice(agent, tt.endpoints), 404)
		if tt.nearest != "" && !slices.Contains(got.Nearest, tt.nearest) {
			t.Errorf("%s: nearest %v", tt.endpoints, got.Nearest)
		}
		for _, route := range got.Nearest {
			if strings.Contains(route, "/api/keys") {
				t.Errorf("%s: an agent is told of %s", tt.endpoints, route)
			}
		}
	}
	if a := slice(agent, ","); a.Code() != "invalid_request" {
		t.Errorf("no route at all: %d %s", a.Status, a.Body)
	}
}

func TestListRoutes(t *testing.T) {
	d := testkit.Dashboard(t)
	ada := d.SetUp()
	agent := d.Agent(ada)
	routes := func(c *testkit.Caller, query string) []string {
		return testkit.Decode[dash.RouteList](t, c.Call("GET", "/api/openapi/routes"+query, nil), 200).Routes
	}
	want := []string{
		"POST /api/access-requests", "POST /api/access-requests/claim", "GET /api/auth/me", "GET /api/auth/permissions",
		"GET /api/openapi", "GET /api/openapi/routes", "POST /api/plan-sessions", "DELETE /api/plan-sessions",
		"GET /healthz", "GET /readyz",
	}
	if diff := cmp.Diff(want, routes(agent, "")); diff != "" {
		t.Errorf("an agent's (-want +got): %s", diff)
	}
	if diff := cmp.Diff(want[6:8], routes(agent, "?tag=plan-sessions")); diff != "" {
		t.Errorf("by tag: %s", diff)
	}
	if got := routes(agent, "?tag=nothing"); got == nil || len(got) != 0 {
		t.Errorf("by a tag that is not there: %#v", got)
	}
	if person := routes(ada, ""); !slices.Contains(person, "GET /api/access-requests") || slices.Contains(person, "POST /api/plan-sessions") {
		t.Errorf("a person's: %v", person)
	}
}
