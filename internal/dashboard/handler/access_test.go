// SPDX-License-Identifier: Apache-2.0

package handler_test

import (
	"fmt"
	"net/http"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/fiftyarms/platform/gen/dash"
	"github.com/fiftyarms/platform/internal/access"
	"github.com/fiftyarms/platform/internal/approval"
	"github.com/fiftyarms/platform/internal/testkit"
)

var asking = dash.AccessRequestCreate{
	Title:  new("Mend the checkout"),
	Client: dash.AskingClient{Name: "claude-code", Version: new("2.1.0"), Host: new("ada-laptop"), Project: new("shop")},
}

func asked(team string) dash.AccessRequestCreate {
	body := asking
	body.Team = &team
	return body
}

func decide(as *testkit.Caller, publicID, verdict string, body any) testkit.Answer {
	return as.Call("POST", "/api/access-requests/"+publicID+"/"+verdict, body)
}

// The main job: an agent asks, a person sees the same code and approves, the agent collects its key once.
func TestApproval(t *testing.T) {
	testkit.EachEngine(t, func(t *testing.T, e testkit.Engine) {
		d := testkit.Dashboard(t, testkit.On(e))
		ada := d.SetUp()
		created := d.Ask(asking)
		if created.ApprovalURL != d.URL+"/approvals/"+created.PublicID || created.PollMs != 2000 {
			t.Errorf("got %+v", created)
		}
		if got := d.Claim(created); got.Status != dash.RequestStatusPending || got.APIKey != nil {
			t.Errorf("while pending: %+v", got)
		}
		shown := ada.See(created)
		want := dash.AccessRequest{
			PublicID: created.PublicID, Status: dash.RequestStatusPending, Title: asking.Title, Client: asking.Client,
			Address: "127.0.0.1", ConfirmCode: created.ConfirmCode, Digest: shown.Digest,
			Grants:    access.FirstGrant(access.Founding()),
			CreatedAt: dash.At(testkit.Start), ExpiresAt: dash.At(testkit.Start.Add(approval.DecideWithin)),
		}
		if diff := cmp.Diff(want, shown); diff != "" {
			t.Errorf("shown (-want +got):\n%s", diff)
		}
		if digest, err := approval.Digest(shown); err != nil || digest != shown.Digest {
			t.Errorf("the digest is not of what is shown: %s, %s, %v", digest, shown.Digest, err)
		}

		d.Clock.Advance(time.Minute)
		decided := testkit.Decode[dash.AccessRequest](t, decide(ada, created.PublicID, "approve", dash.AccessRequestApproval{Digest: shown.Digest}), 200)
		want.Status = dash.RequestStatusApproved
		want.ExpiresAt = dash.At(d.Clock.Now().Add(approval.CollectWithin))
		want.Decision = &dash.RequestDecision{
			Verdict: dash.RequestDecisionVerdictApproved, By: ada.Me.Person, At: dash.At(d.Clock.Now()), Permissions: want.Grants,
		}
		if diff := cmp.Diff(want, decided); diff != "" {
			t.Errorf("decided (-want +got):\n%s", diff)
		}

		claimed := d.Claim(created)
		if claimed.Status != dash.RequestStatusApproved || claimed.APIKey == nil {
			t.Fatalf("claimed %+v", claimed)
		}
		if again := d.Claim(created); again.Status != dash.RequestStatusClaimed || again.APIKey != nil {
			t.Errorf("claimed again: %+v", again)
		}
		agent := d.Nobody()
		agent.Key = *claimed.APIKey
		me := testkit.Decode[dash.Me](t, agent.Call("GET", "/api/auth/me", nil), 200)
		if me.Kind != dash.MeKindKey || me.Key == nil || me.Key.Prefix != agent.Key[:8] || me.Key.Title != *asking.Title || me.CsrfToken != nil {
			t.Errorf("the key is %+v", me)
		}
		if me.Person != ada.Me.Person || me.Team != ada.Me.Team {
			t.Errorf("the key belongs to %+v of %+v", me.Person, me.Team)
		}
	})
}

// Every outcome reaches the asker, with what the person said.
func TestOutcomes(t *testing.T) {
	tests := []struct {
		verdict string
		body    func(digest string) any
		want    dash.AccessRequestClaimed
	}{
		{"deny", func(d string) any { return dash.RequestDenial{Digest: d} },
			dash.AccessRequestClaimed{Status: dash.RequestStatusDenied}},
		{"deny", func(d string) any { return dash.RequestDenial{Digest: d, Note: new("Not here.")} },
			dash.AccessRequestClaimed{Status: dash.RequestStatusDenied, Note: new("Not here.")}},
		{"request-changes", func(d string) any { return dash.RequestRevision{Digest: d, Note: "Say for which card."} },
			dash.AccessRequestClaimed{Status: dash.RequestStatusRevisionRequested, Note: new("Say for which card.")}},
	}
	testkit.EachEngine(t, func(t *testing.T, e testkit.Engine) {
		d := testkit.Dashboard(t, testkit.On(e))
		ada := d.SetUp()
		for _, tt := range tests {
			created := d.Ask(asking)
			decided := testkit.Decode[dash.AccessRequest](t, decide(ada, created.PublicID, tt.verdict, tt.body(ada.See(created).Digest)), 200)
			if decided.Status != tt.want.Status || decided.Decision == nil || decided.Decision.Permissions != nil {
				t.Errorf("%s: decided %+v", tt.verdict, decided)
			}
			for range 2 { // the asker may miss the first answer
				if diff := cmp.Diff(tt.want, d.Claim(created)); diff != "" {
					t.Errorf("%s (-want +got):\n%s", tt.verdict, diff)
				}
			}
		}
	})
}

func TestExpiry(t *testing.T) {
	d := testkit.Dashboard(t)
	ada := d.SetUp()
	undecided, uncollected := d.Ask(asking), d.Ask(asking)
	digest := ada.See(undecided).Digest
	testkit.Decode[dash.AccessRequest](t, decide(ada, uncollected.PublicID, "approve", dash.AccessRequestApproval{Digest: ada.See(uncollected).Digest}), 200)

	d.Clock.Advance(10 * time.Minute)
	for name, created := range map[string]dash.AccessRequestCreated{"undecided": undecided, "uncollected": uncollected} {
		if got := d.Claim(created); got.Status != dash.RequestStatusExpired || got.APIKey != nil {
			t.Errorf("%s: claimed %+v", name, got)
		}
		if got := ada.See(created); got.Status != dash.RequestStatusExpired {
			t.Errorf("%s: seen as %s", name, got.Status)
		}
	}
	late := decide(ada, undecided.PublicID, "approve", dash.AccessRequestApproval{Digest: digest})
	if got := testkit.Decode[dash.NotPendingRefusal](t, late, http.StatusConflict); got.Status != dash.RequestStatusExpired || got.Next == "" {
		t.Errorf("a late decision: %+v", got)
	}

	d.Clock.Advance(24*time.Hour + time.Millisecond)
	d.Ask(asking) // clears away what ended a day ago
	for _, created := range []dash.AccessRequestCreated{undecided, uncollected} {
		a := d.Nobody().Call("POST", "/api/access-requests/claim", dash.AccessRequestClaim{Secret: created.Secret})
		if a.Status != http.StatusNotFound {
			t.Errorf("a day later: %d %s", a.Status, a.Body)
		}
	}
}

// A decision that comes second says what came first, and what to do now.
func TestDecidedTwice(t *testing.T) {
	d := testkit.Dashboard(t)
	ada := d.SetUp()
	created := d.Ask(asking)
	digest := ada.See(created).Digest
	decide(ada, created.PublicID, "deny", dash.RequestDenial{Digest: digest})
	for _, second := range []struct {
		verdict string
		body    any
	}{
		{"approve", dash.AccessRequestApproval{Digest: digest}},
		{"deny", dash.RequestDenial{Digest: digest}},
		{"request-changes", dash.RequestRevision{Digest: digest, Note: "Wait."}},
	} {
		got := testkit.Decode[dash.NotPendingRefusal](t, decide(ada, created.PublicID, second.verdict, second.body), http.StatusConflict)
		if got.Code != "not_pending" || got.Status != dash.RequestStatusDenied || got.Next == "" {
			t.Errorf("%s: %+v", second.verdict, got)
		}
	}
}

// A decision on something else than what stands there is refused with the digest that stands there.
func TestDigestMismatch(t *testing.T) {
	d := testkit.Dashboard(t)
	ada := d.SetUp()
	one, other := d.Ask(asking), d.Ask(asking)
	got := testkit.Decode[dash.DigestMismatchRefusal](t,
		decide(ada, one.PublicID, "approve", dash.AccessRequestApproval{Digest: ada.See(other).Digest}), http.StatusConflict)
	if got.Code != "digest_mismatch" || got.Digest != ada.See(one).Digest || got.Next == "" {
		t.Errorf("got %+v", got)
	}
	if status := ada.See(one).Status; status != dash.RequestStatusPending {
		t.Errorf("the request is %s", status)
	}
}

// Of many decisions at once one wins, and of many claims at once one gets the key.
func TestRaces(t *testing.T) {
	testkit.NoLeaks(t)
	testkit.EachEngine(t, func(t *testing.T, e testkit.Engine) {
		d := testkit.Dashboard(t, testkit.On(e))
		ada := d.SetUp()
		created := d.Ask(asking)
		digest := ada.See(created).Digest

		answers := together(12, func(i int) testkit.Answer {
			if i%2 == 0 {
				return decide(ada, created.PublicID, "approve", dash.AccessRequestApproval{Digest: digest})
			}
			return decide(ada, created.PublicID, "deny", dash.RequestDenial{Digest: digest, Note: new(fmt.Sprint(i))})
		})
		won := slices.IndexFunc(answers, func(a testkit.Answer) bool { return a.Status == http.StatusOK })
		for i, a := range answers {
			if i != won && a.Code() != "not_pending" {
				t.Errorf("decision %d, not the winner: %d %s", i, a.Status, a.Body)
			}
		}
		if stands := ada.See(created); won < 0 || (stands.Status == dash.RequestStatusApproved) != (won%2 == 0) {
			t.Fatalf("decision %d won, and the request is %s", won, stands.Status)
		}

		created = d.Ask(asking)
		decide(ada, created.PublicID, "approve", dash.AccessRequestApproval{Digest: ada.See(created).Digest})
		keys := 0
		for _, a := range together(12, func(int) testkit.Answer {
			return d.Nobody().Call("POST", "/api/access-requests/claim", dash.AccessRequestClaim{Secret: created.Secret})
		}) {
			claimed := testkit.Decode[dash.AccessRequestClaimed](t, a, 200)
			if claimed.APIKey != nil {
				keys++
			} else if claimed.Status != dash.RequestStatusClaimed {
				t.Errorf("claimed %+v", claimed)
			}
		}
		if keys != 1 {
			t.Errorf("%d keys were handed out", keys)
		}
	})
}

// together makes n calls at once.
func together(n int, call func(i int) testkit.Answer) []testkit.Answer {
	answers := make([]testkit.Answer, n)
	start := make(chan struct{})
	var wg sync.WaitGroup
	for i := range n {
		wg.Go(func() {
			<-start
			answers[i] = call(i)
		})
	}
	close(start)
	wg.Wait()
	return answers
}

func TestGrants(t *testing.T) {
	d := testkit.Dashboard(t)
	ada := d.SetUp()
	bob := d.Join("Bob", "cards.view", "docs.view", "traces.view")

	if agent := d.Agent(bob); !slices.Equal(agent.Me.Key.Permissions, []dash.Permission{"cards.view", "docs.view"}) {
		t.Errorf("the usual set, cut to what Bob holds: %v", agent.Me.Key.Permissions)
	}
	if agent := d.Agent(bob, "traces.view"); !slices.Equal(agent.Me.Key.Permissions, []dash.Permission{"traces.view"}) {
		t.Errorf("what Bob named: %v", agent.Me.Key.Permissions)
	}
	for _, tt := range []struct {
		by          *testkit.Caller
		asked, lack []dash.Permission
	}{
		{bob, []dash.Permission{"cards.view", "cards.edit", "boards.edit"}, []dash.Permission{"cards.edit", "boards.edit"}},
		{ada, []dash.Permission{"team.admin", "cards.view", "plugins.approve"}, []dash.Permission{"plugins.approve", "team.admin"}},
	} {
		created := d.Ask(asking)
		a := decide(tt.by, created.PublicID, "approve", dash.AccessRequestApproval{Digest: tt.by.See(created).Digest, Permissions: tt.asked})
		if got := testkit.Decode[dash.OwnerLacksPermissionRefusal](t, a, http.StatusUnprocessableEntity); !slices.Equal(got.Permissions, tt.lack) {
			t.Errorf("asked for %v: refused for %v, want %v", tt.asked, got.Permissions, tt.lack)
		}
		if status := tt.by.See(created).Status; status != dash.RequestStatusPending {
			t.Errorf("the request is %s", status)
		}
	}
	none := d.Ask(asking)
	if a := decide(ada, none.PublicID, "approve", `{"digest":"`+ada.See(none).Digest+`","permissions":[]}`); a.Code() != "invalid_request" {
		t.Errorf("a key for nothing: %d %s", a.Status, a.Body)
	}
}

// A request that names a team is that team's; one that names none is whoever's who has the link, until it is decided.
func TestVisibility(t *testing.T) {
	testkit.EachEngine(t, func(t *testing.T, e testkit.Engine) {
		d := testkit.Dashboard(t, testkit.On(e), testkit.With(elsewhere("Eve")))
		ada := d.SetUp()
		eve := d.Join("Eve", "team.admin")
		named, byLink := d.Ask(asked("acme")), d.Ask(asking)

		if shown := ada.See(named); shown.Team == nil || shown.Team.Slug != "acme" {
			t.Errorf("the team it names: %+v", shown.Team)
		}
		path := "/api/access-requests/" + named.PublicID
		digest := ada.See(named).Digest
		for _, a := range []testkit.Answer{
			eve.Call("GET", path, nil),
			eve.Call("POST", path+"/approve", dash.AccessRequestApproval{Digest: digest}),
			eve.Call("POST", path+"/deny", dash.RequestDenial{Digest: digest}),
			eve.Call("POST", path+"/request-changes", dash.RequestRevision{Digest: digest, Note: "No."}),
		} {
			if a.Status != http.StatusNotFound {
				t.Errorf("a foreign request: %d %s", a.Status, a.Body)
			}
		}
		if got := eve.See(byLink).Status; got != dash.RequestStatusPending {
			t.Errorf("by its link: %s", got)
		}
		if list := testkit.Decode[dash.AccessRequestPage](t, eve.Call("GET", "/api/access-requests", nil), 200); len(list.Requests) != 0 {
			t.Errorf("Eve's list holds %+v", list.Requests)
		}
		decide(ada, byLink.PublicID, "deny", dash.RequestDenial{Digest: ada.See(byLink).Digest})
		if a := eve.Call("GET", "/api/access-requests/"+byLink.PublicID, nil); a.Status != http.StatusNotFound {
			t.Errorf("once another team has decided it: %d %s", a.Status, a.Body)
		}
		list := testkit.Decode[dash.AccessRequestPage](t, ada.Call("GET", "/api/access-requests", nil), 200)
		if len(list.Requests) != 2 {
			t.Errorf("Ada's list holds %+v", list.Requests)
		}
	})
}

func TestUnknownTeam(t *testing.T) {
	d := testkit.Dashboard(t)
	d.SetUp()
	a := d.Nobody().Call("POST", "/api/access-requests", asked("other"))
	if got := testkit.Decode[dash.UnknownTeamRefusal](t, a, http.StatusBadRequest); got.Code != "unknown_team" || got.Team != "other" {
		t.Errorf("got %+v", got)
	}
}

func TestListAccessRequests(t *testing.T) {
	testkit.EachEngine(t, func(t *testing.T, e testkit.Engine) {
		d := testkit.Dashboard(t, testkit.On(e))
		ada := d.SetUp()
		var want []string
		for i := range 5 {
			created := d.Ask(asked("acme"))
			want = append(want, created.PublicID)
			if i == 0 {
				decide(ada, created.PublicID, "deny", dash.RequestDenial{Digest: ada.See(created).Digest})
			}
			if i%2 == 1 { // some are made at the same moment
				d.Clock.Advance(time.Second)
			}
		}
		var got []string
		for cursor, pages := "", 0; ; pages++ {
			page := testkit.Decode[dash.AccessRequestPage](t, ada.Call("GET", "/api/access-requests?limit=2"+cursor, nil), 200)
			for _, r := range page.Requests {
				got = append(got, r.PublicID)
			}
			if page.NextCursor.IsNull() || pages > 5 {
				break
			}
			cursor = "&cursor=" + page.NextCursor.MustGet()
		}
		slices.Sort(want)
		if sorted := slices.Sorted(slices.Values(got)); !slices.Equal(sorted, want) {
			t.Errorf("five requests in pages of two: %v, want %v", sorted, want)
		}
		pending := testkit.Decode[dash.AccessRequestPage](t, ada.Call("GET", "/api/access-requests?status=pending", nil), 200)
		denied := testkit.Decode[dash.AccessRequestPage](t, ada.Call("GET", "/api/access-requests?status=denied", nil), 200)
		if len(pending.Requests) != 4 || len(denied.Requests) != 1 {
			t.Errorf("%d pending, %d denied", len(pending.Requests), len(denied.Requests))
		}
		d.Clock.Advance(time.Hour)
		expired := testkit.Decode[dash.AccessRequestPage](t, ada.Call("GET", "/api/access-requests?status=expired", nil), 200)
		if len(expired.Requests) != 4 {
			t.Errorf("%d expired", len(expired.Requests))
		}
	})
}
