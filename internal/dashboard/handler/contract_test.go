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

// The list is what the contract's table lets the caller reach, in the order of the contract.
func TestListRoutes(t *testing.T) {
	d := testkit.Dashboard(t)
	ada := d.SetUp()
	agent := d.Agent(ada)
	routes := func(c *testkit.Caller, query string) []string {
		return testkit.Decode[dash.RouteList](t, c.Call("GET", "/api/openapi/routes"+query, nil), 200).Routes
	}
	for _, tt := range []struct {
		name        string
		as          *testkit.Caller
		audience    string
		known, lack string
	}{
		{"an agent's", agent, dash.AudienceAgent, "POST /api/plan-sessions", "GET /api/keys"},
		{"a person's", ada, dash.AudiencePerson, "GET /api/access-requests", "POST /api/plan-sessions"},
	} {
		held := testkit.Decode[dash.Permissions](t, tt.as.Call("GET", "/api/auth/permissions", nil), 200).Permissions
		var want []string
		tagged := map[string][]string{"nothing": {}}
		for _, op := range dash.Operations {
			forThem := op.Audience == dash.AudienceAll || op.Audience == tt.audience
			open := op.Permission == dash.Public || op.Permission == dash.AnyKey
			if forThem && (open || slices.Contains(held, dash.Permission(op.Permission))) {
				want = append(want, op.Route())
				tagged[op.Tag] = append(tagged[op.Tag], op.Route())
			}
		}
		got := routes(tt.as, "")
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got): %s", tt.name, diff)
		}
		if !slices.Contains(got, tt.known) || slices.Contains(got, tt.lack) {
			t.Errorf("%s: want %s and not %s in %q", tt.name, tt.known, tt.lack, got)
		}
		for tag, want := range tagged {
			if diff := cmp.Diff(want, routes(tt.as, "?tag="+url.QueryEscape(tag))); diff != "" {
				t.Errorf("%s of the tag %s (-want +got): %s", tt.name, tag, diff)
			}
		}
	}
}
