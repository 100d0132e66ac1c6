// SPDX-License-Identifier: Apache-2.0

package handler_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/fiftyarms/platform/gen/dash"
	"github.com/fiftyarms/platform/internal/testkit"
)

func (k *desk) dependencies(i dash.Issue) dash.Dependencies {
	k.Helper()
	return testkit.Decode[dash.Dependencies](k.T, k.agent.Call("GET", at(i, "/dependencies"), nil), 200)
}

func TestDependencies(t *testing.T) {
	eachDesk(t, func(k *desk) {
		i, first := k.card("Card", ""), k.card("First", "")
		other := testkit.Decode[dash.Issue](k.T, k.agent.Call("POST", "/api/issues", `{"board":2,"title":"Other","status":"Done"}`), 201)
		k.events()
		if diff := cmp.Diff(dash.Dependencies{Blocks: []dash.IssueLink{}}, k.dependencies(i)); diff != "" {
			k.Errorf("none (-want +got): %s", diff)
		}
		k.Clock.Advance(time.Minute)
		set := testkit.Decode[dash.Issue](k.T, k.wait(i, first, other), 200)
		if set.Version != 2 || set.UpdatedAt != dash.At(k.Clock.Now()) || len(set.Gates) != 1 || set.Gates[0] != "waiting_on" {
			k.Errorf("set: %+v", set)
		}
		k.told("issue.dependencies_changed SHOP-1 v2 waiting_on:>DOCS-1, SHOP-2")
		want := dash.Dependencies{Blocks: []dash.IssueLink{}, WaitingOn: &dash.WaitingOn{Reason: "It has to be.", By: []dash.IssueLink{
			{ID: "DOCS-1", Board: 2, Title: "Other", Status: "Done"}, {ID: "SHOP-2", Board: 1, Title: "First", Status: "Review"},
		}}}
		if diff := cmp.Diff(want, k.dependencies(i)); diff != "" {
			k.Errorf("what it waits for (-want +got): %s", diff)
		}
		waiting := []dash.IssueLink{{ID: "SHOP-1", Board: 1, Title: "Card", Status: "Review"}}
		if diff := cmp.Diff(dash.Dependencies{Blocks: waiting}, k.dependencies(first)); diff != "" {
			k.Errorf("what waits for it (-want +got): %s", diff)
		}
		k.ok(k.wait(i, first, other))
		k.told() // nothing new
		k.ok(k.wait(i, other))
		k.told("issue.dependencies_changed SHOP-1 v3 waiting_on:DOCS-1, SHOP-2>DOCS-1")
		k.ok(k.agent.Call("PUT", at(i, "/dependencies"), `{"version":3,"reason":"Because.","by":["DOCS-1"]}`))
		k.told("issue.dependencies_changed SHOP-1 v4 waiting_on:It has to be.>Because.")

		r := refused[dash.UnknownIssuesRefusal](k, k.agent.Call("PUT", at(i, "/dependencies"), `{"version":4,"reason":"x","by":["SHOP-8","SHOP-2","SHOP-9"]}`))
		if strings.Join(r.Unknown, " ") != "SHOP-8 SHOP-9" {
			k.Errorf("unknown: %v", r.Unknown)
		}
		for _, tt := range []struct{ name, body, code string }{
			{"stale", `{"version":3,"reason":"x","by":["SHOP-2"]}`, "version_conflict"},
			{"no version", `{"reason":"x","by":["SHOP-2"]}`, "invalid_request"},
			{"no reason", `{"version":4,"reason":" ","by":["SHOP-2"]}`, "invalid_request"},
			{"no cards", `{"version":4,"reason":"x","by":[]}`, "invalid_request"},
		} {
			if a := k.agent.Call("PUT", at(i, "/dependencies"), tt.body); a.Code() != tt.code {
				k.Errorf("%s: %d %s", tt.name, a.Status, a.Body)
			}
		}
		k.told()
		if a := k.agent.Call("DELETE", at(i, "/dependencies"), nil); a.Status != 204 {
			k.Errorf("cleared: %d %s", a.Status, a.Body)
		}
		k.told("issue.dependencies_changed SHOP-1 v5 waiting_on:DOCS-1>")
		if a := k.agent.Call("DELETE", at(i, "/dependencies"), nil); a.Status != 204 {
			k.Errorf("cleared again: %d %s", a.Status, a.Body)
		}
		k.told()
		if got := k.get(i, ""); got.Version != 5 || len(got.Gates) > 0 {
			k.Errorf("after all: %+v", got)
		}
	})
}

// No card comes to wait for itself: neither over cards that it waits for, nor over an Epic and its children.
func TestCycles(t *testing.T) {
	eachDesk(t, func(k *desk) {
		epic := k.card("Epic", `"type":"Epic"`)
		one, two, three := k.card("One", `"parent_id":"SHOP-1"`), k.card("Two", ""), k.card("Three", "")
		k.ok(k.wait(two, one))
		k.ok(k.wait(three, two))
		k.events()
		for _, tt := range []struct {
			name string
			a    testkit.Answer
			path string
		}{
			{"itself", k.wait(one, one), "SHOP-2 SHOP-2"},
			{"over others", k.wait(one, three), "SHOP-2 SHOP-4 SHOP-3 SHOP-2"},
			{"among others", k.wait(one, epic, three), "SHOP-2 SHOP-1 SHOP-2"},
			{"a child for its Epic", k.wait(one, epic), "SHOP-2 SHOP-1 SHOP-2"},
			{"an Epic for what waits for its child", k.wait(epic, three), ""},
			{"a new child that the Epic waits for", k.edit(three, `"parent_id":"SHOP-1"`), ""}, // twice the same way is no way round
			{"a card for the Epic that it is a child of", k.wait(two, epic), "SHOP-3 SHOP-1 SHOP-4 SHOP-3"},
		} {
			if tt.path == "" {
				k.ok(tt.a)
				continue
			}
			if r := refused[dash.DependencyCycleRefusal](k, tt.a); strings.Join(r.Path, " ") != tt.path {
				k.Errorf("%s: %v, want %s", tt.name, r.Path, tt.path)
			}
		}
		four := k.card("Four", "")
		k.ok(k.wait(four, epic))
		r := refused[dash.DependencyCycleRefusal](k, k.edit(four, `"parent_id":"SHOP-1"`))
		if got := strings.Join(r.Path, " "); got != "SHOP-5 SHOP-1 SHOP-5" {
			k.Errorf("a child of the Epic that it waits for: %s", got)
		}
		k.ok(k.move(four, "Cancelled")) // a card that has ended can be reopened: its ways count
		if a := k.edit(four, `"parent_id":"SHOP-1"`); a.Code() != "dependency_cycle" {
			k.Errorf("of a card that has ended: %d %s", a.Status, a.Body)
		}
	})
}

func TestConflicts(t *testing.T) {
	eachDesk(t, func(k *desk) {
		i := k.card("Card", "")
		other := testkit.Decode[dash.Issue](k.T, k.agent.Call("POST", "/api/issues", `{"board":2,"title":"Other"}`), 201)
		k.events()
		list := func(i dash.Issue) dash.ConflictList {
			return testkit.Decode[dash.ConflictList](k.T, k.agent.Call("GET", at(i, "/conflicts"), nil), 200)
		}
		if diff := cmp.Diff(dash.ConflictList{Conflicts: []dash.Conflict{}}, list(i)); diff != "" {
			k.Errorf("none (-want +got): %s", diff)
		}
		want := dash.ConflictList{Conflicts: []dash.Conflict{{Reason: "Both rewrite it.", Issue: dash.IssueLink{ID: "DOCS-1", Board: 2, Title: "Other", Status: "Review"}}}}
		if diff := cmp.Diff(want, testkit.Decode[dash.ConflictList](k.T, k.conflict(i, other), 200)); diff != "" {
			k.Errorf("set (-want +got): %s", diff)
		}
		k.told("issue.conflicts_changed SHOP-1 conflict_on:>DOCS-1", "issue.conflicts_changed DOCS-1 conflict_on:>SHOP-1")
		want.Conflicts[0].Issue = dash.IssueLink{ID: "SHOP-1", Board: 1, Title: "Card", Status: "Review"}
		if diff := cmp.Diff(want, list(other)); diff != "" {
			k.Errorf("the other has it too (-want +got): %s", diff)
		}
		k.ok(k.conflict(other, i))
		k.told() // the same, from the other side
		k.ok(k.agent.Call("PUT", at(other, "/conflicts/SHOP-1"), `{"reason":"Both drop it."}`))
		k.told("issue.conflicts_changed DOCS-1 conflict_on:SHOP-1>SHOP-1", "issue.conflicts_changed SHOP-1 conflict_on:DOCS-1>DOCS-1")
		if got := list(i).Conflicts[0].Reason; got != "Both drop it." {
			k.Errorf("the reason is %q", got)
		}
		if got := k.get(i, ""); got.Version != 1 {
			k.Errorf("a conflict makes version %d of the card", got.Version)
		}

		if a := k.agent.Call("PUT", at(i, "/conflicts/SHOP-1"), `{"reason":"x"}`); a.Code() != "invalid_request" {
			k.Errorf("with itself: %d %s", a.Status, a.Body)
		}
		if r := refused[dash.UnknownIssuesRefusal](k, k.agent.Call("PUT", at(i, "/conflicts/SHOP-9"), `{"reason":"x"}`)); r.Unknown[0] != "SHOP-9" {
			k.Errorf("with no card: %+v", r)
		}
		if a := k.agent.Call("DELETE", at(i, "/conflicts/DOCS-1"), nil); a.Status != 204 {
			k.Errorf("cleared: %d %s", a.Status, a.Body)
		}
		k.told("issue.conflicts_changed SHOP-1 conflict_on:DOCS-1>", "issue.conflicts_changed DOCS-1 conflict_on:SHOP-1>")
		for _, id := range []string{"DOCS-1", "SHOP-9"} {
			if a := k.agent.Call("DELETE", at(i, "/conflicts/"+id), nil); a.Code() != "not_found" {
				k.Errorf("%s cleared again: %d %s", id, a.Status, a.Body)
			}
		}
		k.ok(k.move(i, "In Progress"))
		k.ok(k.move(other, "In Progress"))
		if got := k.gate(k.conflict(i, other)); got != "conflict_on" {
			k.Errorf("between two that are in progress: %q", got)
		}
	})
}

func TestAcceptance(t *testing.T) {
	eachDesk(t, func(k *desk) {
		i := k.card("Card", `"acceptance":["It holds."]`)
		k.events()
		items := func() []dash.AcceptanceItem { return k.get(i, `{"acceptance":true}`).Acceptance }
		added := testkit.Decode[dash.AcceptanceItem](k.T, k.agent.Call("POST", at(i, "/acceptance"), `{"title":"It shines."}`), 201)
		if want := (dash.AcceptanceItem{ID: 2, Title: "It shines.", Version: 1}); added != want {
			k.Errorf("added %+v", added)
		}
		checked := k.agent.Call("PATCH", at(i, "/acceptance/2"), `{"version":1,"checked":true}`)
		if got := testkit.Decode[dash.AcceptanceItem](k.T, checked, 200); !got.Checked || got.Version != 2 || checked.Header.Get("ETag") != `"2"` {
			k.Errorf("checked %+v, ETag %s", got, checked.Header.Get("ETag"))
		}
		byHeader := k.agent.Request("PATCH", at(i, "/acceptance/2"), `{"title":"It gleams."}`)
		byHeader.Header.Set("If-Match", `"2"`)
		k.ok(k.agent.Do(byHeader))
		k.ok(k.agent.Call("PATCH", at(i, "/acceptance/2"), `{"version":3,"checked":true}`)) // nothing new
		k.told("issue.acceptance_changed SHOP-1 acceptance:>[ ] It shines.", "issue.acceptance_changed SHOP-1 acceptance:[ ] It shines.>[x] It shines.",
			"issue.acceptance_changed SHOP-1 acceptance:[x] It shines.>[x] It gleams.")
		stale := refused[dash.VersionConflictRefusal](k, k.agent.Call("PATCH", at(i, "/acceptance/2"), `{"version":2,"checked":false}`))
		if diff := cmp.Diff(dash.Current{Version: 3, Item: &dash.AcceptanceItem{ID: 2, Title: "It gleams.", Checked: true, Version: 3}}, stale.Current); diff != "" {
			k.Errorf("current (-want +got): %s", diff)
		}
		if a := k.agent.Call("DELETE", at(i, "/acceptance/1"), nil); a.Status != 204 {
			k.Errorf("removed: %d %s", a.Status, a.Body)
		}
		k.told("issue.acceptance_changed SHOP-1 acceptance:[ ] It holds.>")
		for _, method := range []string{"DELETE", "PATCH"} {
			var body any
			if method == "PATCH" {
				body = `{"version":1,"checked":true}`
			}
			if a := k.agent.Call(method, at(i, "/acceptance/1"), body); a.Code() != "not_found" {
				k.Errorf("%s of one that is gone: %d %s", method, a.Status, a.Body)
			}
		}
		if got := k.get(i, ""); got.Version != 1 {
			k.Errorf("its items make version %d of the card", got.Version)
		}

		k.ok(k.move(i, "Done"))
		if got := k.gate(k.agent.Call("PATCH", at(i, "/acceptance/2"), `{"version":3,"checked":false}`)); got != "acceptance" {
			k.Errorf("unchecked on a card that is Done: %q", got)
		}
		if got := k.gate(k.agent.Call("POST", at(i, "/acceptance"), `{"title":"More."}`)); got != "acceptance" {
			k.Errorf("added to a card that is Done: %q", got)
		}
		k.ok(k.agent.Call("DELETE", at(i, "/acceptance/2"), nil))
		k.ok(k.move(i, "ToDo"))
		for n := range 100 {
			k.ok(k.agent.Call("POST", at(i, "/acceptance"), fmt.Sprintf(`{"title":"Item %d"}`, n)))
		}
		if r := refused[dash.LimitReachedRefusal](k, k.agent.Call("POST", at(i, "/acceptance"), `{"title":"More."}`)); r.Limit != 100 || len(items()) != 100 {
			k.Errorf("the limit is %d, and there are %d", r.Limit, len(items()))
		}
	})
}

func TestCommentsAndHistory(t *testing.T) {
	eachDesk(t, func(k *desk) {
		i := k.card("Card", "")
		k.events()
		person := dash.Actor{Kind: "person", Name: "Ada", Person: k.ada.Me.Person}
		agent := dash.Actor{Kind: "agent", Name: "claude-code", Person: k.ada.Me.Person} // the title of its key
		var want []dash.Comment
		for n, by := range []dash.Actor{person, agent, agent} {
			k.Clock.Advance(time.Second)
			who := map[dash.ActorKind]*testkit.Caller{"person": k.ada, "agent": k.agent}[by.Kind]
			if n == 2 {
				connect(k.T, k.agent, nil)
				by.Name = "Agent 1"
			}
			text := fmt.Sprintf("Comment **%d** <b>", n+1)
			c := dash.Comment{ID: int64(n + 1), Body: text, By: by, At: dash.At(k.Clock.Now())}
			if diff := cmp.Diff(c, testkit.Decode[dash.Comment](k.T, who.Call("POST", at(i, "/comments"), dash.CommentCreate{Body: text}), 201)); diff != "" {
				k.Errorf("comment %d (-want +got): %s", n+1, diff)
			}
			want = append(want, c)
		}
		k.told("issue.commented SHOP-1 comments:>1", "issue.commented SHOP-1 comments:>2", "issue.commented SHOP-1 comments:>3")
		page := func(query string) dash.CommentPage {
			return testkit.Decode[dash.CommentPage](k.T, k.agent.Call("GET", at(i, "/comments?"+query), nil), 200)
		}
		first := page("limit=2")
		second := page("limit=2&cursor=" + first.NextCursor.MustGet())
		if diff := cmp.Diff(want, append(first.Comments, second.Comments...)); diff != "" || !second.NextCursor.IsNull() {
			k.Errorf("in pages of two (-want +got): %s", diff)
		}

		k.ok(k.move(i, "ToDo"))
		other := k.card("Other", "")
		k.ok(k.conflict(other, i))
		var kinds []string
		for query := "limit=2"; ; {
			h := testkit.Decode[dash.EventPage](k.T, k.agent.Call("GET", at(i, "/history?"+query), nil), 200)
			for _, e := range h.Events {
				kinds = append(kinds, string(e.Kind))
				if *e.Issue != i.ID || *e.Board != 1 || e.Changes == nil {
					k.Errorf("its history holds %+v", e)
				}
			}
			if h.NextCursor.IsNull() {
				break
			}
			query = "limit=2&cursor=" + h.NextCursor.MustGet()
		}
		if diff := cmp.Diff([]string{"issue.conflicts_changed", "issue.transitioned", "issue.commented", "issue.commented", "issue.commented", "issue.created"}, kinds); diff != "" {
			k.Errorf("history (-want +got): %s", diff)
		}
		for _, path := range []string{"/comments", "/history", "/dependencies", "/conflicts"} {
			if a := k.agent.Call("GET", "/api/issues/SHOP-1"+path+"?board=2", nil); a.Code() != "not_found" {
				k.Errorf("%s on another board: %d %s", path, a.Status, a.Body)
			}
		}
	})
}

func TestTeam(t *testing.T) {
	testkit.EachEngine(t, func(t *testing.T, e testkit.Engine) {
		k := newDesk(t, testkit.On(e))
		bob := k.Join("Bob", "cards.view")
		got := testkit.Decode[dash.PersonList](t, k.agent.Call("GET", "/api/people", nil), 200)
		if diff := cmp.Diff(dash.PersonList{People: []dash.PersonRef{k.ada.Me.Person, bob.Me.Person}}, got); diff != "" {
			t.Errorf("people (-want +got): %s", diff)
		}
		agents := func() dash.AgentList {
			return testkit.Decode[dash.AgentList](t, bob.Call("GET", "/api/agents", nil), 200)
		}
		if diff := cmp.Diff(dash.AgentList{Agents: []dash.AgentRef{}}, agents()); diff != "" {
			t.Errorf("no agents (-want +got): %s", diff)
		}
		connect(t, k.agent, nil)
		connect(t, k.Agent(k.ada), nil)
		if diff := cmp.Diff(dash.AgentList{Agents: []dash.AgentRef{{ID: 1, Name: "Agent 1"}, {ID: 2, Name: "Agent 2"}}}, agents()); diff != "" {
			t.Errorf("agents (-want +got): %s", diff)
		}
	})
}
