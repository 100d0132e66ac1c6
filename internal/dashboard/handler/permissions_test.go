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
	"github.com/fiftyarms/platform/internal/approval"
	"github.com/fiftyarms/platform/internal/testkit"
)

// askMore asks with a key for more.
func askMore(t *testing.T, agent *testkit.Caller, names ...string) dash.PermissionRequestCreated {
	t.Helper()
	a := agent.Call("POST", "/api/permission-requests", dash.PermissionRequestCreate{Permissions: names, Reason: "For the checkout."})
	return testkit.Decode[dash.PermissionRequestCreated](t, a, 201)
}

func morePath(id, rest string) string { return "/api/permission-requests/" + id + rest }

// seeMore is a permission request as its key's owner sees it.
func seeMore(t *testing.T, owner *testkit.Caller, id string) dash.PermissionRequest {
	t.Helper()
	return testkit.Decode[dash.PermissionRequest](t, owner.Call("GET", morePath(id, ""), nil), 200)
}

func claimMore(t *testing.T, agent *testkit.Caller, id string) dash.PermissionRequestClaimed {
	t.Helper()
	return testkit.Decode[dash.PermissionRequestClaimed](t, agent.Call("POST", morePath(id, "/claim"), nil), 200)
}

// grant has a person approve what they see.
func grant(t *testing.T, owner *testkit.Caller, id string) testkit.Answer {
	t.Helper()
	return owner.Call("POST", morePath(id, "/approve"), dash.PermissionApproval{Digest: seeMore(t, owner, id).Digest})
}

func holds(t *testing.T, agent *testkit.Caller) []dash.Permission {
	t.Helper()
	return testkit.Decode[dash.Permissions](t, agent.Call("GET", "/api/auth/permissions", nil), 200).Permissions
}

// The main job: a key asks for more, its owner sees the same code and grants it, and the same key holds it at once.
func TestGrant(t *testing.T) {
	eachDesk(t, func(k *desk) {
		k.Clock.Advance(time.Minute)
		held := k.agent.Me.Key.Permissions
		created := askMore(k.T, k.agent, "docs.edit", "cards.view", "boards.edit")
		if created.ApprovalURL != k.URL+"/permissions/"+created.PublicID || created.PollMs != 2000 {
			k.Errorf("got %+v", created)
		}
		if got := claimMore(k.T, k.agent, created.PublicID); got.Status != dash.RequestStatusPending {
			k.Errorf("while pending: %+v", got)
		}
		shown := seeMore(k.T, k.ada, created.PublicID)
		want := dash.PermissionRequest{
			PublicID: created.PublicID, Status: dash.RequestStatusPending, Key: shown.Key,
			Permissions: []dash.Permission{"docs.edit", "boards.edit"}, Reason: "For the checkout.", Address: "127.0.0.1",
			ConfirmCode: created.ConfirmCode, Digest: shown.Digest,
			CreatedAt: dash.At(k.Clock.Now()), ExpiresAt: dash.At(k.Clock.Now().Add(approval.DecideWithin)),
		}
		if diff := cmp.Diff(want, shown); diff != "" {
			k.Errorf("shown (-want +got):\n%s", diff)
		}
		if shown.Key.ID != k.agent.Me.Key.ID || !slices.Equal(shown.Key.Permissions, held) {
			k.Errorf("the key is shown as %+v", shown.Key)
		}
		if digest, err := approval.PermissionDigest(shown); err != nil || digest != shown.Digest {
			k.Errorf("the digest is not of what is shown: %s, %s, %v", digest, shown.Digest, err)
		}
		if a := k.agent.Call("POST", "/api/boards", dash.BoardCreate{Name: "x", Prefix: "NEW"}); a.Code() != "forbidden" {
			k.Errorf("before the grant: %d %s", a.Status, a.Body)
		}
		k.Clock.Advance(time.Minute)
		decided := testkit.Decode[dash.PermissionRequest](k.T, grant(k.T, k.ada, created.PublicID), 200)
		want.Status, want.Key = dash.RequestStatusApproved, decided.Key
		want.Decision = &dash.RequestDecision{
			Verdict: dash.RequestDecisionVerdictApproved, By: k.ada.Me.Person, At: dash.At(k.Clock.Now()), Permissions: want.Permissions,
		}
		if diff := cmp.Diff(want, decided); diff != "" {
			k.Errorf("decided (-want +got):\n%s", diff)
		}
		all := holds(k.T, k.agent)
		if !slices.Equal(all, decided.Key.Permissions) || !slices.Contains(all, "boards.edit") || !slices.Contains(all, "docs.edit") || len(all) != len(held)+2 {
			k.Errorf("the key holds %v", all)
		}
		k.ok(k.agent.Call("POST", "/api/boards", dash.BoardCreate{Name: "x", Prefix: "NEW"}))
		k.Clock.Advance(time.Hour)
		if got := claimMore(k.T, k.agent, created.PublicID); got.Status != dash.RequestStatusApproved || got.Note != nil {
			k.Errorf("an hour later: %+v", got)
		}
	})
}

// Every other outcome reaches the asker with what the person said, and grants nothing.
func TestMoreIsRefused(t *testing.T) {
	eachDesk(t, func(k *desk) {
		held := holds(k.T, k.agent)
		for _, tt := range []struct {
			verdict string
			body    func(digest string) any
			want    dash.PermissionRequestClaimed
		}{
			{"deny", func(d string) any { return dash.RequestDenial{Digest: d} }, dash.PermissionRequestClaimed{Status: dash.RequestStatusDenied}},
			{"deny", func(d string) any { return dash.RequestDenial{Digest: d, Note: new("Not here.")} },
				dash.PermissionRequestClaimed{Status: dash.RequestStatusDenied, Note: new("Not here.")}},
			{"request-changes", func(d string) any { return dash.RequestRevision{Digest: d, Note: "Less."} },
				dash.PermissionRequestClaimed{Status: dash.RequestStatusRevisionRequested, Note: new("Less.")}},
		} {
			id := askMore(k.T, k.agent, "boards.edit").PublicID
			a := k.ada.Call("POST", morePath(id, "/"+tt.verdict), tt.body(seeMore(k.T, k.ada, id).Digest))
			decided := testkit.Decode[dash.PermissionRequest](k.T, a, 200)
			if decided.Status != tt.want.Status || decided.Decision == nil || decided.Decision.Permissions != nil {
				k.Errorf("%s: decided %+v", tt.verdict, decided)
			}
			for range 2 { // the asker may miss the first answer
				if diff := cmp.Diff(tt.want, claimMore(k.T, k.agent, id)); diff != "" {
					k.Errorf("%s (-want +got):\n%s", tt.verdict, diff)
				}
			}
			second := testkit.Decode[dash.NotPendingRefusal](k.T, grant(k.T, k.ada, id), http.StatusConflict)
			if second.Status != tt.want.Status || second.Next == "" {
				k.Errorf("%s, then approved: %+v", tt.verdict, second)
			}
		}
		if got := holds(k.T, k.agent); !slices.Equal(got, held) {
			k.Errorf("the key holds %v", got)
		}
	})
}

func TestMoreExpires(t *testing.T) {
	k := newDesk(t)
	id := askMore(t, k.agent, "boards.edit").PublicID
	k.Clock.Advance(approval.DecideWithin)
	if got := claimMore(t, k.agent, id); got.Status != dash.RequestStatusExpired {
		t.Errorf("claimed %+v", got)
	}
	late := testkit.Decode[dash.NotPendingRefusal](t, grant(t, k.ada, id), http.StatusConflict)
	if late.Status != dash.RequestStatusExpired || late.Next == "" {
		t.Errorf("a late approval: %+v", late)
	}
	for range 25 { // the key stays in use
		k.Clock.Advance(time.Hour)
		holds(t, k.agent)
	}
	askMore(t, k.agent, "boards.edit") // clears away what ended a day ago
	if a := k.agent.Call("POST", morePath(id, "/claim"), nil); a.Code() != "not_found" {
		t.Errorf("a day later: %d %s", a.Status, a.Body)
	}
}

// Of eight approvals at once one takes, and each other says what became of the request and what to do now. One that names
// what the request does not say is refused with what it does say.
func TestGrantOnce(t *testing.T) {
	testkit.NoLeaks(t)
	eachDesk(t, func(k *desk) {
		id := askMore(k.T, k.agent, "boards.edit").PublicID
		shown := seeMore(k.T, k.ada, id)
		other := shown
		other.Permissions = []dash.Permission{"docs.edit"}
		digest, err := approval.PermissionDigest(other)
		if err != nil {
			k.Fatal(err)
		}
		a := k.ada.Call("POST", morePath(id, "/approve"), dash.PermissionApproval{Digest: digest})
		if got := testkit.Decode[dash.DigestMismatchRefusal](k.T, a, http.StatusConflict); got.Digest != shown.Digest || got.Next == "" {
			k.Errorf("an approval of another body: %+v", got)
		}
		if got := seeMore(k.T, k.ada, id); got.Status != dash.RequestStatusPending {
			k.Errorf("the request is %s", got.Status)
		}
		people := []*testkit.Caller{k.ada, k.SignIn("ada@example.com")}
		took := 0
		for _, a := range together(8, func(n int) testkit.Answer {
			return people[n%2].Call("POST", morePath(id, "/approve"), dash.PermissionApproval{Digest: shown.Digest})
		}) {
			if a.Status == http.StatusOK {
				took++
				continue
			}
			if got := testkit.Decode[dash.NotPendingRefusal](k.T, a, http.StatusConflict); got.Status != dash.RequestStatusApproved || got.Next == "" {
				k.Errorf("not the first: %+v", got)
			}
		}
		granted := k.audit("permission.approved")
		if took != 1 || len(granted) != 1 {
			k.Errorf("%d approvals took, %d are in the log", took, len(granted))
		}
	})
}

// Nobody but the owner of a key sees what it asks for, and no other key what became of it.
func TestMoreIsTheOwners(t *testing.T) {
	eachDesk(t, func(k *desk) {
		bob := k.Join("Bob", dash.AllPermissions...)
		id := askMore(k.T, k.agent, "boards.edit").PublicID
		digest := seeMore(k.T, k.ada, id).Digest
		for what, a := range map[string]testkit.Answer{
			"read":                  bob.Call("GET", morePath(id, ""), nil),
			"approve":               bob.Call("POST", morePath(id, "/approve"), dash.PermissionApproval{Digest: digest}),
			"deny":                  bob.Call("POST", morePath(id, "/deny"), dash.RequestDenial{Digest: digest}),
			"send back":             bob.Call("POST", morePath(id, "/request-changes"), dash.RequestRevision{Digest: digest, Note: "No."}),
			"claim, Bob's key":      k.Agent(bob).Call("POST", morePath(id, "/claim"), nil),
			"claim, Ada's next key": k.Agent(k.ada).Call("POST", morePath(id, "/claim"), nil),
		} {
			if a.Code() != "not_found" {
				k.Errorf("%s: %d %s", what, a.Status, a.Body)
			}
		}
		list := func(c *testkit.Caller, query string) []dash.PermissionRequest {
			return testkit.Decode[dash.PermissionRequestPage](k.T, c.Call("GET", "/api/permission-requests"+query, nil), 200).Requests
		}
		if got := list(bob, ""); len(got) != 0 {
			k.Errorf("Bob's list holds %+v", got)
		}
		askMore(k.T, k.agent, "docs.edit")
		k.ok(grant(k.T, k.ada, id))
		for query, want := range map[string]int{"": 2, "?waiting=true": 1, "?waiting=false": 1, "?status=approved": 1, "?status=denied": 0} {
			if got := list(k.ada, query); len(got) != want {
				k.Errorf("%q: %+v", query, got)
			}
		}
		first := testkit.Decode[dash.PermissionRequestPage](k.T, k.ada.Call("GET", "/api/permission-requests?limit=1", nil), 200)
		rest := list(k.ada, "?limit=1&cursor="+first.NextCursor.MustGet())
		if len(rest) != 1 || rest[0].PublicID == first.Requests[0].PublicID {
			k.Errorf("the second page holds %+v", rest)
		}
	})
}

// What cannot be granted is not asked for, and a key that has ended is granted nothing.
func TestMoreThatCannotBe(t *testing.T) {
	eachDesk(t, func(k *desk) {
		bob := k.Join("Bob", "cards.view", "docs.view")
		his := k.Agent(bob)
		ask := func(c *testkit.Caller, names ...string) testkit.Answer {
			return c.Call("POST", "/api/permission-requests", dash.PermissionRequestCreate{Permissions: names, Reason: "x"})
		}
		if got := refused[dash.OwnerLacksPermissionRefusal](k, ask(his, "docs.view", "boards.edit")); !slices.Equal(got.Permissions, []dash.Permission{"boards.edit"}) {
			k.Errorf("got %+v", got)
		}
		if got := refused[dash.OwnerLacksPermissionRefusal](k, ask(k.agent, "team.admin", "plugins.approve", "boards.edit")); len(got.Permissions) != 2 {
			k.Errorf("got %+v", got)
		}
		if got := refused[dash.UnknownPermissionRefusal](k, ask(k.agent, "cards.eat", "team.admin")); !slices.Equal(got.Permissions, []string{"cards.eat"}) || len(got.Known) != len(dash.AllPermissions) {
			k.Errorf("got %+v", got)
		}
		refused[dash.AlreadyHeldRefusal](k, ask(his, "docs.view", "cards.view"))
		for _, body := range []string{`{"permissions":[],"reason":"x"}`, `{"permissions":["docs.edit"],"reason":" \n"}`, `{"permissions":["docs.edit"]}`,
			`{"permissions":["docs.edit"],"reason":"` + strings.Repeat("x", 1001) + `"}`, `{"permissions":["DROP TABLE"],"reason":"x"}`} {
			if a := k.agent.Call("POST", "/api/permission-requests", body); a.Code() != "invalid_request" {
				k.Errorf("%s: %d %s", body, a.Status, a.Body)
			}
		}
		id := askMore(k.T, k.agent, "boards.edit").PublicID
		k.ok(k.ada.Call("DELETE", "/api/keys/"+k.agent.Me.Key.ID, nil))
		if got := refused[dash.KeyNotLiveRefusal](k, grant(k.T, k.ada, id)); !strings.Contains(got.Message, "revoked") {
			k.Errorf("got %+v", got)
		}
		if got := seeMore(k.T, k.ada, id); got.Status != dash.RequestStatusPending || slices.Contains(got.Key.Permissions, "boards.edit") {
			k.Errorf("the request is %+v", got)
		}
		k.ok(k.ada.Call("POST", morePath(id, "/deny"), dash.RequestDenial{Digest: seeMore(k.T, k.ada, id).Digest}))
	})
}

// A grant ends the streams of its key at once, so that it comes back with what it may do now, and nobody else's. What
// comes after it the key gets then, and it is not ended again for the same grant.
func TestGrantEndsStreams(t *testing.T) {
	testkit.NoLeaks(t)
	eachDesk(t, func(k *desk) {
		other := k.Agent(k.ada).Follow("key:self,team", "")
		begin := cursor(k.T, k.agent)
		on, self := k.agent.Follow("board:1", ""), k.agent.Follow("key:self", "")
		k.ok(grant(k.T, k.ada, askMore(k.T, k.agent, "boards.edit").PublicID))
		ended(k.T, on, dash.EndReasonPermissionsChanged)
		e := told(k.T, self.Next())
		if e.Kind != dash.EventKindKeyGranted || !cmp.Equal(e.Changes, []dash.Change{{Field: "permissions", To: new("boards.edit")}}) {
			k.Errorf("got %+v", e)
		}
		ended(k.T, self, dash.EndReasonPermissionsChanged)
		again := k.agent.Follow("board:1", begin)
		both := k.agent.Follow("board:1,key:self", begin)
		k.card("One", "")
		if e := told(k.T, both.Next()); e.Kind != dash.EventKindKeyGranted {
			k.Errorf("got %+v", e)
		}
		for _, s := range []*testkit.Stream{again, both, other} {
			if e := told(k.T, s.Next()); e.Kind != dash.EventKindIssueCreated {
				k.Errorf("after the grant: %+v", e)
			}
		}
	})
}
