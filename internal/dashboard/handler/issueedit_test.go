// SPDX-License-Identifier: Apache-2.0

package handler_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/fiftyarms/platform/gen/dash"
	"github.com/fiftyarms/platform/internal/testkit"
)

func TestEditIssue(t *testing.T) {
	eachDesk(t, func(k *desk) {
		connect(k.T, k.agent, nil)
		i := k.card("Mend it", `"description":"It is torn."`)
		k.events()
		k.Clock.Advance(time.Minute)
		edit := k.edit(i, `"title":"Mend it well","priority":1,"effort":"high","assigned_agent":1,"blocked":{"reason":"No thread."},
			"requires_human":{"reason":"It is yours.","steps":["Sign."]}`)
		now := dash.At(k.Clock.Now())
		want := i
		want.Title, want.Priority, want.Effort, want.AssignedAgent, want.Version, want.UpdatedAt = "Mend it well", 1, new(dash.EffortHigh), new(int64(1)), 2, now
		want.Blocked = &dash.Blocked{Reason: "No thread.", At: now}
		want.RequiresHuman = &dash.RequiresHuman{Reason: "It is yours.", Steps: []string{"Sign."}, SetAt: now, SetBy: dash.Actor{Kind: "agent", Name: "Agent 1", Person: k.ada.Me.Person}}
		want.Gates = []dash.Gate{"blocked", "requires_human"}
		if diff := cmp.Diff(want, testkit.Decode[dash.Issue](k.T, edit, 200)); diff != "" || edit.Header.Get("ETag") != `"2"` {
			k.Errorf("edited, ETag %s (-want +got): %s", edit.Header.Get("ETag"), diff)
		}
		k.told("issue.edited SHOP-1 v2 title:Mend it>Mend it well priority:3>1 effort:>high assigned_agent:>1 blocked:>No thread. requires_human:>It is yours.")

		k.ok(k.edit(i, `"title":"Mend it well"`)) // nothing new
		k.told()
		cleared := testkit.Decode[dash.Issue](k.T, k.edit(i, `"blocked":null,"requires_human":null,"effort":null,"assigned_agent":null,"description":""`), 200)
		if cleared.Blocked != nil || cleared.RequiresHuman != nil || cleared.Effort != nil || cleared.AssignedAgent != nil || cleared.DescriptionHash != "" || len(cleared.Gates) > 0 || cleared.Version != 3 {
			k.Errorf("cleared: %+v", cleared)
		}
		k.told("issue.edited SHOP-1 v3 effort:high> assigned_agent:1> blocked:No thread.> requires_human:It is yours.> description:It is torn.>")
		if again := testkit.Decode[dash.Issue](k.T, k.edit(i, `"description":""`), 200); again.Version != 3 {
			k.Errorf("no description twice: version %d", again.Version)
		}

		current := k.get(i, "")
		stale := refused[dash.VersionConflictRefusal](k, k.agent.Call("PATCH", at(i, "/edit"), `{"version":2,"title":"Mine"}`))
		if diff := cmp.Diff(dash.Current{Version: 3, UpdatedAt: &current.UpdatedAt, Issue: &current}, stale.Current); diff != "" {
			k.Errorf("current (-want +got): %s", diff)
		}
		for _, tt := range []struct{ name, path, ifMatch, body, code string }{
			{"no version", at(i, "/edit"), "", `{"title":"x"}`, "invalid_request"},
			{"two versions", at(i, "/edit"), `"2"`, `{"version":3,"title":"x"}`, "invalid_request"},
			{"If-Match alone", at(i, "/edit"), `"3"`, `{"title":"By header"}`, ""},
			{"a stale If-Match", at(i, "/edit"), `"3"`, `{"title":"By header"}`, "version_conflict"},
			{"another board", "/api/issues/SHOP-1/edit?board=2", "", `{"version":4,"title":"x"}`, "not_found"},
			{"no such card", "/api/issues/SHOP-9/edit?board=1", "", `{"version":1,"title":"x"}`, "not_found"},
			{"no such agent", at(i, "/edit"), "", `{"version":4,"assigned_agent":7}`, "unknown_agent"},
			{"the status", at(i, "/edit"), "", `{"version":4,"status":"Done"}`, "invalid_request"},
			{"a title of null", at(i, "/edit"), "", `{"version":4,"title":null}`, "invalid_request"},
		} {
			r := k.agent.Request("PATCH", tt.path, tt.body)
			if tt.ifMatch != "" {
				r.Header.Set("If-Match", tt.ifMatch)
			}
			if a := k.agent.Do(r); a.Code() != tt.code {
				k.Errorf("%s: %d %s", tt.name, a.Status, a.Body)
			}
		}
	})
}

func TestParents(t *testing.T) {
	eachDesk(t, func(k *desk) {
		one, two := k.card("Epic 1", `"type":"Epic"`), k.card("Epic 2", `"type":"Epic"`)
		child, bug := k.card("Child", ""), k.card("Bug", `"type":"Bug"`)
		k.events()
		k.ok(k.edit(child, `"parent_id":"SHOP-1"`))
		k.told("issue.edited SHOP-3 v2 parent_id:>SHOP-1", "issue.gates_changed SHOP-1")
		k.ok(k.edit(child, `"parent_id":"SHOP-2"`))
		k.told("issue.edited SHOP-3 v3 parent_id:SHOP-1>SHOP-2", "issue.gates_changed SHOP-1", "issue.gates_changed SHOP-2")
		k.ok(k.edit(child, `"title":"The child","parent_id":"SHOP-2"`))
		k.told("issue.edited SHOP-3 v4 title:Child>The child")
		for _, tt := range []struct {
			name string
			a    testkit.Answer
			code string
		}{
			{"no such card", k.edit(child, `"parent_id":"SHOP-9"`), "unknown_issues"},
			{"no Epic", k.edit(child, `"parent_id":"SHOP-4"`), "invalid_parent"},
			{"itself", k.edit(one, `"parent_id":"SHOP-1"`), "invalid_parent"},
			{"an Epic below an Epic", k.edit(one, `"parent_id":"SHOP-2"`), "invalid_parent"},
			{"an Epic with children", k.edit(two, `"type":"Bug"`), "invalid_parent"},
			{"a child becomes an Epic", k.edit(child, `"type":"Epic"`), "invalid_parent"},
			{"both at once", k.edit(bug, `"type":"Epic","parent_id":"SHOP-1"`), "invalid_parent"},
		} {
			if tt.a.Code() != tt.code {
				k.Errorf("%s: %d %s", tt.name, tt.a.Status, tt.a.Body)
			}
		}
		k.told()
		k.ok(k.edit(child, `"type":"Epic","parent_id":null`))
		k.told("issue.edited SHOP-3 v5 type:Feature>Epic parent_id:SHOP-2>", "issue.gates_changed SHOP-2")
		k.ok(k.edit(two, `"type":"Bug"`))

		k.ok(k.move(one, "Done"))
		if got := k.gate(k.edit(bug, `"parent_id":"SHOP-1"`)); got != "parent_done" {
			k.Errorf("an open card under an Epic that is Done: %q", got)
		}
		k.ok(k.move(bug, "Cancelled"))
		k.ok(k.edit(bug, `"parent_id":"SHOP-1"`))
		if got := k.gate(k.move(bug, "ToDo")); got != "parent_done" {
			k.Errorf("a card is reopened under an Epic that is Done: %q", got)
		}
		k.ok(k.move(one, "Backlog"))
		k.ok(k.move(bug, "ToDo"))
		if got := k.gate(k.move(one, "Done")); got != "open_children" {
			k.Errorf("an Epic with an open child: %q", got)
		}
	})
}

// Text that not every database can hold is refused wherever it stands, and nothing of the call stays.
func TestTextThatCannotBeKept(t *testing.T) {
	eachDesk(t, func(k *desk) {
		i, other := k.card("Card", `"acceptance":["It holds."]`), k.card("Other", "")
		k.events()
		for _, tt := range []struct {
			who                *testkit.Caller
			method, path, body string
		}{
			{k.ada, "POST", "/api/boards", `{"name":"a\u0000","prefix":"NUL"}`},
			{k.ada, "PATCH", "/api/boards/1", `{"version":1,"description":"a\u0000"}`},
			{k.agent, "POST", "/api/issues?board=1", `{"title":"a\u0000"}`},
			{k.agent, "POST", "/api/issues?board=1", `{"title":"a","description":"a\u0000"}`},
			{k.agent, "POST", "/api/issues?board=1", `{"title":"a","acceptance":["a\u0000"]}`},
			{k.agent, "PATCH", at(i, "/edit"), `{"version":1,"title":"a\u0000"}`},
			{k.agent, "PATCH", at(i, "/edit"), `{"version":1,"description":"a\u0000"}`},
			{k.agent, "PATCH", at(i, "/edit"), `{"version":1,"blocked":{"reason":"a\u0000"}}`},
			{k.agent, "PATCH", at(i, "/edit"), `{"version":1,"requires_human":{"reason":"a","steps":["a\u0000"]}}`},
			{k.agent, "POST", at(i, "/comments"), `{"body":"a\u0000"}`},
			{k.agent, "POST", at(i, "/acceptance"), `{"title":"a\u0000"}`},
			{k.agent, "PATCH", at(i, "/acceptance/1"), `{"version":1,"title":"a\u0000"}`},
			{k.agent, "PUT", at(i, "/conflicts/"+other.ID), `{"reason":"a\u0000"}`},
			{k.agent, "PUT", at(i, "/dependencies"), `{"version":1,"reason":"a\u0000","by":["SHOP-2"]}`},
		} {
			if a := tt.who.Call(tt.method, tt.path, tt.body); a.Code() != "invalid_request" {
				k.Errorf("%s %s %s: %d %s", tt.method, tt.path, tt.body, a.Status, a.Body)
			}
		}
		k.told()
		if got := idsOf(k.list("").Issues); got != "SHOP-1 SHOP-2" {
			k.Errorf("there are %s", got)
		}
	})
}
