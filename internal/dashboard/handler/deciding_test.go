// SPDX-License-Identifier: Apache-2.0

package handler_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/fiftyarms/platform/gen/dash"
	"github.com/fiftyarms/platform/internal/access"
	"github.com/fiftyarms/platform/internal/approval"
	"github.com/fiftyarms/platform/internal/store"
	"github.com/fiftyarms/platform/internal/testkit"
)

// An agent's key decides nothing, whatever it holds. Whatever it calls, with bodies that a person's decision would have:
// what is for people refuses it, no request is decided, no key holds more or less, and the audit log stays as it is.
func TestKeysDecideNothing(t *testing.T) {
	testkit.EachEngine(t, func(t *testing.T, e testkit.Engine) {
		w := newWorld(t, testkit.On(e))
		k := &desk{Running: w.Running, T: t, ada: w.ada, agent: w.agent}
		almighty := k.almighty()
		asked, more := w.Ask(asked("acme")), askMore(t, w.agent, "boards.edit")
		own := askMore(t, almighty, "traces.view") // it lacks that alone
		digest, moreDigest := w.ada.See(asked).Digest, seeMore(t, w.ada, more.PublicID).Digest
		body := func(op dash.Operation, digest string) any {
			switch op.ID {
			case "approveAccessRequest", "approvePermissionRequest":
				return dash.PermissionApproval{Digest: digest}
			case "denyAccessRequest", "denyPermissionRequest":
				return dash.RequestDenial{Digest: digest}
			case "requestAccessChanges", "requestPermissionChanges":
				return dash.RequestRevision{Digest: digest, Note: "I am an agent."}
			case "claimAccessRequest":
				return dash.AccessRequestClaim{Secret: asked.Secret}
			case "logIn":
				return dash.Login{Email: "ada@example.com", Password: testkit.Password}
			}
			return w.body(op)
		}
		withCookie := *almighty
		withCookie.Cookie, withCookie.CSRF = w.ada.Cookie, w.ada.CSRF // a key beside a person's cookie is still a key
		before := k.decisions()
		for _, op := range dash.Operations {
			if op.Stream {
				continue // it would not end
			}
			w.Clock.Advance(time.Second) // for the rates
			for _, target := range []struct{ id, digest string }{
				{asked.PublicID, digest}, {more.PublicID, moreDigest}, {own.PublicID, seeMore(t, w.ada, own.PublicID).Digest}, {w.agent.Me.Key.ID, digest}, {almighty.Me.Key.ID, digest},
			} {
				path := strings.Replace(path(op), nobody, target.id, 1)
				for _, c := range []*testkit.Caller{almighty, &withCookie} {
					a := w.send(c, op, path, body(op, target.digest))
					if op.Audience == dash.AudiencePerson && (a.Status != http.StatusForbidden || a.Code() != "person_required") {
						t.Errorf("%s: answered %d %s", op.ID, a.Status, a.Body)
					}
				}
			}
		}
		if diff := cmp.Diff(before, k.decisions()); diff != "" {
			t.Errorf("(-before +after):\n%s", diff)
		}
	})
}

// decided is all that people have decided in the team acme: the requests, the keys, and what the log says of them.
type decided struct {
	Access []dash.AccessRequest
	More   []dash.PermissionRequest
	Keys   []dash.Key
	Audit  []dash.AuditEntry
}

func (k *desk) decisions() decided {
	k.Helper()
	d := decided{
		Access: testkit.Decode[dash.AccessRequestPage](k.T, k.ada.Call("GET", "/api/access-requests?limit=200", nil), 200).Requests,
		More:   testkit.Decode[dash.PermissionRequestPage](k.T, k.ada.Call("GET", "/api/permission-requests?limit=200", nil), 200).Requests,
		Keys:   testkit.Decode[dash.KeyPage](k.T, k.ada.Call("GET", "/api/keys?limit=200", nil), 200).Keys,
		Audit:  k.audit(""),
	}
	// A key that is used lapses later, and an agent may ask.
	for i := range d.Keys {
		d.Keys[i].LastUsedAt, d.Keys[i].LapsesAt = dash.Time{}, dash.Time{}
	}
	d.Access = slices.DeleteFunc(d.Access, func(r dash.AccessRequest) bool { return r.Status == dash.RequestStatusPending })
	d.More = slices.DeleteFunc(d.More, func(r dash.PermissionRequest) bool { return r.Status == dash.RequestStatusPending })
	return d
}

// almighty is an agent whose key holds every permission but one, those too that no person can grant a key.
func (k *desk) almighty() *testkit.Caller {
	k.Helper()
	return k.withKey(slices.DeleteFunc(slices.Clone(dash.AllPermissions), func(p dash.Permission) bool { return p == dash.PermissionTracesView })...)
}

// withKey is an agent of Ada's with a key that no rule has looked at.
func (k *desk) withKey(permissions ...dash.Permission) *testkit.Caller {
	k.Helper()
	created := k.Ask(asking)
	now, trail := k.Clock.Now(), func(n string) store.Trail { return store.Trail{ID: strings.Repeat(n, 32), Address: "192.0.2.1"} }
	err := k.Store.DecideAccessRequest(k.Context(), created.PublicID, k.ada.See(created).Digest, store.RequestDecision{
		Verdict: dash.RequestDecisionVerdictApproved, By: k.ada.Me.Person, TeamID: k.teamID(), At: now, Permissions: permissions, Trail: trail("a"),
	}, now.Add(approval.CollectWithin))
	if err != nil {
		k.Fatal(err)
	}
	apiKey, prefix, err := access.NewKey(&testkit.Random{})
	if err != nil {
		k.Fatal(err)
	}
	err = k.Store.CollectKey(k.Context(), access.Hash(created.Secret), store.Key{
		ID: strings.Repeat("e", 32), TeamID: k.teamID(), Hash: access.Hash(apiKey), Prefix: prefix, Title: "Almighty", OwnerID: k.ada.Me.Person.ID,
		Permissions: permissions, CreatedAt: now, LastUsedAt: now, Trail: trail("b"),
	})
	if err != nil {
		k.Fatal(err)
	}
	agent := k.Nobody()
	agent.Key = apiKey
	agent.Me = testkit.Decode[dash.Me](k.T, agent.Call("GET", "/api/auth/me", nil), 200)
	return agent
}

// Nothing that a key can be granted lets it decide.
func TestNoGrantDecides(t *testing.T) {
	w := newWorld(t)
	grantable := slices.DeleteFunc(slices.Clone(dash.AllPermissions), func(p dash.Permission) bool {
		return p == dash.PermissionTeamAdmin || strings.HasSuffix(string(p), ".approve")
	})
	all := w.Agent(w.ada, grantable...)
	if got := all.Me.Key.Permissions; !slices.Equal(got, grantable) {
		t.Fatalf("the key holds %v", got)
	}
	routes := testkit.Decode[dash.RouteList](t, all.Call("GET", "/api/openapi/routes", nil), 200).Routes
	for _, op := range dash.Operations {
		if op.Audience == dash.AudiencePerson && slices.Contains(routes, op.Route()) {
			t.Errorf("a key that holds everything reaches %s", op.Route())
		}
	}
}

// Every operation that anybody may call holds each address to a rate, and says when to come back.
func TestPublicOperationsAreLimited(t *testing.T) {
	w := newWorld(t)
	k := &desk{Running: w.Running, T: t}
	public := 0
	for _, op := range dash.Operations {
		if op.Permission != dash.Public {
			continue
		}
		public++
		limit := op.RateLimit
		if limit.Burst <= 0 || limit.PerMinute <= 0 {
			t.Errorf("%s has no rate", op.ID)
			continue
		}
		call := func() testkit.Answer { return k.direct(w.Nobody().Request(op.Method, path(op), w.body(op))) }
		w.Clock.Advance(time.Hour)
		for n := range limit.Burst {
			if a := call(); a.Status == http.StatusTooManyRequests {
				t.Errorf("%s: call %d of %d is refused", op.ID, n+1, limit.Burst)
			}
		}
		a := call()
		if a.Status != http.StatusTooManyRequests || a.Code() != "rate_limited" || strings.Trim(a.Header.Get("Retry-After"), "0123456789") != "" || a.Header.Get("Retry-After") == "" {
			t.Errorf("%s: answered %d %v %s", op.ID, a.Status, a.Header, a.Body)
		}
		if wait := testkit.Decode[dash.RateLimitedRefusal](t, a, 429).RetryAfter; wait < 1 {
			t.Errorf("%s: come back after %d s", op.ID, wait)
		} else if w.Clock.Advance(time.Duration(wait) * time.Second); call().Status == http.StatusTooManyRequests {
			t.Errorf("%s: refused after the %d s that it said", op.ID, wait)
		}
	}
	if public < 5 {
		t.Errorf("%d public operations", public)
	}
}
