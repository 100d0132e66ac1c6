// SPDX-License-Identifier: Apache-2.0

package visibility_test

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fiftyarms/platform/gen/dash"
	"github.com/fiftyarms/platform/gen/mcptools"
	"github.com/fiftyarms/platform/internal/platform/visibility"
)

var made = []mcptools.Tool{
	{Name: "always", Access: mcptools.Access{Always: true}},
	{Name: "edit", Access: mcptools.Access{Permissions: []string{"cards.edit"}, OptIn: true}},
	{Name: "both", Access: mcptools.Access{Permissions: []string{"cards.edit", "docs.view"}}},
	{Name: "reply", Access: mcptools.Access{Permissions: []string{"slack.threads.post"}, Callback: "URL", Audience: "dispatch"}},
	{Name: "people", Access: mcptools.Access{Audience: "person"}},
}

func TestTools(t *testing.T) {
	all := dash.AllPermissions
	for _, tt := range []struct {
		name string
		h    visibility.Holding
		want []string
	}{
		{"signed out", visibility.Holding{}, []string{"always"}},
		{"signed out, whatever it held", visibility.Holding{Permissions: all, Callbacks: []string{"URL"}}, []string{"always"}},
		{"a key that holds nothing", visibility.Holding{SignedIn: true}, []string{"always", "people"}},
		{"a person's key", visibility.Holding{SignedIn: true, Permissions: []dash.Permission{"cards.edit"}}, []string{"always", "edit", "people"}},
		{"a person's key that holds all", visibility.Holding{SignedIn: true, Permissions: all, Callbacks: []string{"URL"}}, []string{"always", "edit", "both", "people"}},
		{"opting in is for dispatches", visibility.Holding{SignedIn: true, OptIns: []string{"both"}}, []string{"always", "people"}},
		{"a dispatch", visibility.Holding{SignedIn: true, Dispatch: true, Permissions: all}, []string{"always", "both"}},
		{"a dispatch that names one", visibility.Holding{SignedIn: true, Dispatch: true, Permissions: all, OptIns: []string{"edit"}}, []string{"always", "edit", "both"}},
		{"naming is not holding", visibility.Holding{SignedIn: true, Dispatch: true, OptIns: []string{"edit"}}, []string{"always"}},
		{"a dispatch with a callback", visibility.Holding{SignedIn: true, Dispatch: true, Permissions: all, Callbacks: []string{"URL"}}, []string{"always", "both", "reply"}},
		{"with another callback", visibility.Holding{SignedIn: true, Dispatch: true, Permissions: all, Callbacks: []string{"OTHER"}}, []string{"always", "both"}},
	} {
		if diff := cmp.Diff(tt.want, visibility.Tools(made, tt.h)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, diff)
		}
	}
}

// The catalogue's own tools, as they are declared: a change of who sees what is seen here.
func TestTheCatalogue(t *testing.T) {
	tools := mcptools.PlatformTools(struct{ mcptools.PlatformHandlers }{})
	always := []string{"50arms_api", "50arms_api_list", "50arms_api_spec", "plan_connect", "request_permission"}
	for _, tt := range []struct {
		name string
		h    visibility.Holding
		also []string
	}{
		{"signed out", visibility.Holding{}, nil},
		{"without cards.edit", visibility.Holding{SignedIn: true, Permissions: []dash.Permission{"cards.view"}}, nil},
		{"with cards.edit", visibility.Holding{SignedIn: true, Permissions: []dash.Permission{"cards.edit"}}, []string{"attach_file"}},
		{"a dispatch with cards.edit", visibility.Holding{SignedIn: true, Dispatch: true, Permissions: []dash.Permission{"cards.edit"}}, nil},
		{"a dispatch that names it", visibility.Holding{SignedIn: true, Dispatch: true, Permissions: []dash.Permission{"cards.edit"}, OptIns: []string{"attach_file"}}, []string{"attach_file"}},
	} {
		want := slices.Sorted(slices.Values(append(slices.Clone(always), tt.also...)))
		if diff := cmp.Diff(want, slices.Sorted(slices.Values(visibility.Tools(tools, tt.h)))); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, diff)
		}
	}
}

// Whatever a session comes to hold besides hides nothing that it saw.
func TestMoreHidesNothing(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	some := func(names []string) (out []string) {
		for _, n := range names {
			if random.IntN(2) == 0 {
				out = append(out, n)
			}
		}
		return out
	}
	var names, tools []string
	for _, p := range dash.AllPermissions {
		names = append(names, string(p))
	}
	for _, tool := range made {
		tools = append(tools, tool.Name)
	}
	for range 500 {
		h := visibility.Holding{SignedIn: random.IntN(4) > 0, Dispatch: random.IntN(2) == 0, Callbacks: some([]string{"URL"}), OptIns: some(tools)}
		for _, n := range some(names) {
			h.Permissions = append(h.Permissions, dash.Permission(n))
		}
		before := visibility.Tools(made, h)
		h.Permissions = append(slices.Clone(h.Permissions), dash.AllPermissions[random.IntN(len(names))])
		for _, name := range before {
			if !slices.Contains(visibility.Tools(made, h), name) {
				t.Fatalf("%s was hidden by a grant: %+v", name, h)
			}
		}
	}
}

// Whoever calls what is not shown is told what it takes.
func TestMissingSaysWhatItTakes(t *testing.T) {
	for name, says := range map[string]string{"edit": "plan_connect", "reply": "dispatch", "people": "plan_connect"} {
		i := slices.IndexFunc(made, func(tool mcptools.Tool) bool { return tool.Name == name })
		if err := visibility.Missing(made[i], visibility.Holding{}); err == nil || !strings.Contains(err.Error(), says) || !strings.HasPrefix(err.Error(), name) {
			t.Errorf("%s: %v", name, err)
		}
	}
	err := visibility.Missing(made[2], visibility.Holding{SignedIn: true, Permissions: []dash.Permission{"docs.view"}})
	if err == nil || !strings.Contains(err.Error(), "cards.edit") || strings.Contains(err.Error(), "docs.view") || !strings.Contains(err.Error(), "request_permission") {
		t.Error(err)
	}
}
