// SPDX-License-Identifier: Apache-2.0

package access_test

import (
	"bytes"
	"errors"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/fiftyarms/platform/gen/dash"
	"github.com/fiftyarms/platform/internal/access"
)

func person(held ...dash.Permission) *access.Principal {
	return &access.Principal{Kind: dash.MeKindPerson, Permissions: held}
}

func key(held ...dash.Permission) *access.Principal {
	return &access.Principal{Kind: dash.MeKindKey, Permissions: held}
}

func TestAllow(t *testing.T) {
	const admin = dash.PermissionTeamAdmin
	tests := []struct {
		name       string
		permission string
		audience   string
		caller     *access.Principal
		want       string // the refusal's code
	}{
		{"public, nobody", dash.Public, dash.AudienceAll, nil, ""},
		{"public, key", dash.Public, dash.AudienceAll, key(), ""},
		{"public for people, nobody", dash.Public, dash.AudiencePerson, nil, ""},
		{"public for people, key", dash.Public, dash.AudiencePerson, key(), "person_required"},
		{"public for people, person", dash.Public, dash.AudiencePerson, person(), ""},
		{"any key, nobody", dash.AnyKey, dash.AudienceAll, nil, "unauthenticated"},
		{"any key, key", dash.AnyKey, dash.AudienceAll, key(), ""},
		{"any key, person", dash.AnyKey, dash.AudienceAll, person(), ""},
		{"for people, key", dash.AnyKey, dash.AudiencePerson, key(), "person_required"},
		{"for agents, person", dash.AnyKey, dash.AudienceAgent, person(), "key_required"},
		{"for agents, key", dash.AnyKey, dash.AudienceAgent, key(), ""},
		{"permission, nobody", string(admin), dash.AudienceAll, nil, "unauthenticated"},
		{"permission, without", string(admin), dash.AudienceAll, person(dash.PermissionCardsView), "forbidden"},
		{"permission, with", string(admin), dash.AudienceAll, person(admin), ""},
		{"permission for people, key that holds it", string(admin), dash.AudiencePerson, key(admin), "person_required"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			err := access.Allow(dash.Operation{Permission: tt.permission, Audience: tt.audience}, tt.caller)
			var refusal dash.Refusal
			got := ""
			if errors.As(err, &refusal) {
				got = refusal.RefusalCode()
			}
			if got != tt.want {
				t.Errorf("got %q (%v), want %q", got, err, tt.want)
			}
			if f, ok := err.(dash.ForbiddenRefusal); ok && f.Permission != admin {
				t.Errorf("the refusal names %q", f.Permission)
			}
		})
	}
}

// Whatever is asked of a person stays with people: a key that held every permission could still decide nothing.
func TestNoKeyDecides(t *testing.T) {
	all := key(access.Founding()...)
	for _, op := range dash.Operations {
		if op.Audience == dash.AudiencePerson && access.Allow(op, all) == nil {
			t.Errorf("a key may call %s", op.ID)
		}
	}
	for _, p := range dash.AllPermissions {
		decides := p == dash.PermissionTeamAdmin || strings.HasSuffix(string(p), ".approve")
		if access.Grantable(p) == decides {
			t.Errorf("%s: grantable %v", p, !decides)
		}
	}
}

func TestReachable(t *testing.T) {
	tests := []struct {
		name         string
		caller       *access.Principal
		holds, lacks []string
	}{
		{"nobody", nil, []string{"POST /api/auth/login", "GET /healthz"}, []string{"GET /api/auth/me", "GET /api/keys"}},
		{"person", person(), []string{"POST /api/auth/login", "GET /api/keys"}, []string{"GET /api/access-requests", "POST /api/plan-sessions"}},
		{"admin", person(dash.PermissionTeamAdmin), []string{"GET /api/access-requests"}, []string{"POST /api/plan-sessions"}},
		{"key", key(), []string{"POST /api/plan-sessions", "GET /api/auth/me"}, []string{"POST /api/auth/login", "GET /api/keys"}},
	}
	for _, tt := range tests {
		routes := access.Routes(tt.caller)
		for _, want := range tt.holds {
			if !slices.Contains(routes, want) {
				t.Errorf("%s: %s is missing", tt.name, want)
			}
		}
		for _, lack := range tt.lacks {
			if slices.Contains(routes, lack) {
				t.Errorf("%s: %s is there", tt.name, lack)
			}
		}
		order := func(route string) int {
			return slices.IndexFunc(dash.Operations, func(op dash.Operation) bool { return op.Route() == route })
		}
		if !slices.IsSortedFunc(routes, func(a, b string) int { return order(a) - order(b) }) {
			t.Errorf("%s: not in the order of the contract: %v", tt.name, routes)
		}
	}
}

func TestGrants(t *testing.T) {
	usual := []dash.Permission{"cards.view", "cards.edit", "plans.view", "plans.edit", "docs.view"}
	if diff := cmp.Diff(usual, access.FirstGrant(access.Founding())); diff != "" {
		t.Errorf("of a founder: %s", diff)
	}
	if diff := cmp.Diff([]dash.Permission{"cards.view", "docs.view"}, access.FirstGrant([]dash.Permission{"docs.view", "team.admin", "cards.view"})); diff != "" {
		t.Errorf("cut to what the approver holds: %s", diff)
	}
	if got := access.FirstGrant(nil); got == nil || len(got) != 0 {
		t.Errorf("of nothing: %#v", got)
	}
	tests := []struct {
		asked, held, want []dash.Permission
	}{
		{[]dash.Permission{"cards.view"}, []dash.Permission{"cards.view"}, []dash.Permission{}},
		{[]dash.Permission{"traces.view", "cards.view"}, []dash.Permission{"cards.view"}, []dash.Permission{"traces.view"}},
		{[]dash.Permission{"team.admin", "plugins.approve"}, access.Founding(), []dash.Permission{"plugins.approve", "team.admin"}},
		{nil, nil, []dash.Permission{}},
	}
	for _, tt := range tests {
		if diff := cmp.Diff(tt.want, access.Excess(tt.asked, tt.held)); diff != "" {
			t.Errorf("%v of %v: %s", tt.asked, tt.held, diff)
		}
	}
	if diff := cmp.Diff([]dash.Permission{"cards.view", "team.admin"}, access.Sorted([]dash.Permission{"team.admin", "cards.view", "team.admin"})); diff != "" {
		t.Error(diff)
	}
}

func TestAsked(t *testing.T) {
	held := []dash.Permission{"cards.view"}
	owned := []dash.Permission{"cards.view", "cards.edit", "docs.view", "team.admin"}
	tests := []struct {
		names []string
		want  []dash.Permission
		code  string
	}{
		{[]string{"docs.view", "cards.edit", "docs.view"}, []dash.Permission{"cards.edit", "docs.view"}, ""},
		{[]string{"cards.view", "cards.edit"}, []dash.Permission{"cards.edit"}, ""},
		{[]string{"cards.view"}, nil, "already_held"},
		{[]string{"cards.view", "cards.delete"}, nil, "unknown_permission"},
		{[]string{"cards.delete", "boards.edit"}, nil, "unknown_permission"},
		{[]string{"cards.view", "boards.edit"}, nil, "owner_lacks_permission"},
		{[]string{"team.admin"}, nil, "owner_lacks_permission"}, // whoever holds it, no key may
		{[]string{"Cards.View", ""}, nil, "unknown_permission"},
	}
	for _, tt := range tests {
		got, err := access.Asked(tt.names, held, owned)
		code := ""
		if r, ok := errors.AsType[dash.Refusal](err); ok {
			code = r.RefusalCode()
		}
		if diff := cmp.Diff(tt.want, got); diff != "" || code != tt.code {
			t.Errorf("%v: %v %s", tt.names, err, diff)
		}
	}
	// What the key holds already, its owner need not hold any more.
	if _, err := access.Asked([]string{"cards.view", "docs.view"}, held, []dash.Permission{"docs.view"}); err != nil {
		t.Error(err)
	}
	unknown, ok := errors.AsType[dash.UnknownPermissionRefusal](func() error { _, err := access.Asked([]string{"b.x", "cards.view", "a.x"}, nil, nil); return err }())
	if !ok || !slices.Equal(unknown.Permissions, []string{"b.x", "a.x"}) || len(unknown.Known) != len(dash.AllPermissions) {
		t.Errorf("%+v", unknown)
	}
}

func TestSecrets(t *testing.T) {
	k, prefix, err := access.NewKey(bytes.NewReader(bytes.Repeat([]byte{0xfb}, 32)))
	if err != nil || !regexp.MustCompile(`^50a_[A-Za-z0-9_-]{43}$`).MatchString(k) || prefix != k[:8] {
		t.Errorf("key %q, prefix %q, %v", k, prefix, err)
	}
	id, err := access.NewID(bytes.NewReader(make([]byte, 16)))
	if err != nil || !regexp.MustCompile(`^[0-9a-f]{32}$`).MatchString(id) {
		t.Errorf("id %q, %v", id, err)
	}
	if h := access.Hash("abc"); h != "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad" {
		t.Errorf("hash %q", h)
	}
	short := bytes.NewReader(make([]byte, 5))
	if _, _, err := access.NewKey(short); err == nil {
		t.Error("a key came out of five bytes")
	}
}

func TestLapsed(t *testing.T) {
	used := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	if access.Lapsed(used, used.Add(access.IdleLapse-time.Millisecond)) || !access.Lapsed(used, used.Add(access.IdleLapse)) {
		t.Error("a key lapses 24 hours after its last use, no sooner and no later")
	}
}
