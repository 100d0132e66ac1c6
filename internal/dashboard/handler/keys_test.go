// SPDX-License-Identifier: Apache-2.0

package handler_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/fiftyarms/platform/gen/dash"
	"github.com/fiftyarms/platform/internal/testkit"
)

func keys(t *testing.T, c *testkit.Caller, query string) dash.KeyPage {
	t.Helper()
	return testkit.Decode[dash.KeyPage](t, c.Call("GET", "/api/keys"+query, nil), 200)
}

func TestListKeys(t *testing.T) {
	testkit.EachEngine(t, func(t *testing.T, e testkit.Engine) {
		d := testkit.Dashboard(t, testkit.On(e))
		ada := d.SetUp()
		bob := d.Join("Bob", "cards.view")
		of := []*testkit.Caller{ada, bob, ada, bob, bob}
		var made []dash.Key // newest first
		for _, owner := range of {
			d.Clock.Advance(time.Second)
			made = append([]dash.Key{*d.Agent(owner).Me.Key}, made...)
		}
		if diff := cmp.Diff(made, keys(t, ada, "").Keys); diff != "" {
			t.Errorf("an admin sees the team's (-want +got): %s", diff)
		}
		if diff := cmp.Diff([]dash.Key{made[0], made[1], made[3]}, keys(t, bob, "").Keys); diff != "" {
			t.Errorf("others see their own (-want +got): %s", diff)
		}
		first := keys(t, ada, "?limit=3")
		second := keys(t, ada, "?limit=3&cursor="+first.NextCursor.MustGet())
		if diff := cmp.Diff(made, append(first.Keys, second.Keys...)); diff != "" || !second.NextCursor.IsNull() {
			t.Errorf("in pages of three (-want +got): %s", diff)
		}
		if exact := keys(t, ada, "?limit=5"); !exact.NextCursor.IsNull() {
			t.Error("a page that holds all has another behind it")
		}
	})
}

func TestRevokeKey(t *testing.T) {
	testkit.EachEngine(t, func(t *testing.T, e testkit.Engine) {
		d := testkit.Dashboard(t, testkit.On(e))
		ada := d.SetUp()
		bob := d.Join("Bob", "cards.view")
		his, hers := d.Agent(bob), d.Agent(ada)
		revoke := func(as, agent *testkit.Caller) testkit.Answer {
			return as.Call("DELETE", "/api/keys/"+agent.Me.Key.ID, nil)
		}
		if a := revoke(bob, hers); a.Status != http.StatusNotFound {
			t.Errorf("another's key: %d %s", a.Status, a.Body)
		}
		if a := hers.Call("GET", "/api/auth/me", nil); a.Status != 200 {
			t.Errorf("it should still hold: %d", a.Status)
		}
		d.Clock.Advance(time.Minute)
		revokedAt := dash.At(d.Clock.Now())
		if a := revoke(ada, his); a.Status != http.StatusNoContent || len(a.Body) != 0 {
			t.Errorf("an admin revokes any: %d %s", a.Status, a.Body)
		}
		d.Clock.Advance(time.Minute)
		if a := revoke(bob, his); a.Status != http.StatusNoContent { // changes nothing
			t.Errorf("again: %d %s", a.Status, a.Body)
		}
		got := testkit.Decode[dash.KeyRevokedRefusal](t, his.Call("GET", "/api/auth/me", nil), http.StatusUnauthorized)
		if got.Code != "key_revoked" || got.RevokedBy != "Ada" || got.RevokedAt != revokedAt {
			t.Errorf("got %+v", got)
		}
		listed := keys(t, bob, "").Keys[0]
		if listed.RevokedBy == nil || *listed.RevokedBy != ada.Me.Person || *listed.RevokedAt != revokedAt {
			t.Errorf("listed as %+v", listed)
		}
	})
}
