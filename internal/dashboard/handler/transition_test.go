// SPDX-License-Identifier: Apache-2.0

package handler_test

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/fiftyarms/platform/gen/dash"
	"github.com/fiftyarms/platform/internal/testkit"
)

func TestTransition(t *testing.T) {
	eachDesk(t, func(k *desk) {
		i := k.card("Mend it", "")
		k.events()
		k.Clock.Advance(time.Minute)
		moved := k.move(i, "ToDo")
		want := i
		want.Status, want.Version, want.UpdatedAt = "ToDo", 2, dash.At(k.Clock.Now())
		if diff := cmp.Diff(want, testkit.Decode[dash.Issue](k.T, moved, 200)); diff != "" || moved.Header.Get("ETag") != `"2"` {
			k.Errorf("moved, ETag %s (-want +got): %s", moved.Header.Get("ETag"), diff)
		}
		k.told("issue.transitioned SHOP-1 v2 status:Review>ToDo")
		k.ok(k.move(i, "ToDo")) // it stays
		k.told()
		for _, to := range dash.AllIssueStatuses {
			k.ok(k.move(i, to))
		}
		k.told("issue.transitioned SHOP-1 v3 status:ToDo>Review", "issue.transitioned SHOP-1 v4 status:Review>ToDo",
			"issue.transitioned SHOP-1 v5 status:ToDo>In Progress", "issue.transitioned SHOP-1 v6 status:In Progress>Backlog",
			"issue.transitioned SHOP-1 v7 status:Backlog>Done", "issue.transitioned SHOP-1 v8 status:Done>Cancelled")
		for _, tt := range []struct{ name, path, body, code string }{
			{"stale", at(i, "/transition"), `{"version":7,"status":"ToDo"}`, "version_conflict"},
			{"no version", at(i, "/transition"), `{"status":"ToDo"}`, "invalid_request"},
			{"another board", "/api/issues/SHOP-1/transition?board=2", `{"version":8,"status":"ToDo"}`, "not_found"},
		} {
			if a := k.agent.Call("POST", tt.path, tt.body); a.Code() != tt.code {
				k.Errorf("%s: %d %s", tt.name, a.Status, a.Body)
			}
		}
	})
}

// A card goes where it is put, and others stay as they stand.
func TestPlaces(t *testing.T) {
	eachDesk(t, func(k *desk) {
		cards := map[string]dash.Issue{}
		for n := range 4 {
			i := k.card(fmt.Sprint("Card ", n+1), `"status":"ToDo"`)
			cards[i.ID] = i
		}
		elsewhere := k.card("Elsewhere", "")
		other := testkit.Decode[dash.Issue](k.T, k.agent.Call("POST", "/api/issues", `{"board":2,"title":"Other","status":"ToDo"}`), 201)
		k.events()
		place := func(i dash.Issue, after string) testkit.Answer {
			return k.agent.Call("POST", at(i, "/transition"), k.withVersion(i, `"status":"ToDo","after":`+after))
		}
		for _, step := range []struct{ id, after, want string }{
			{"SHOP-3", "null", "SHOP-3 SHOP-1 SHOP-2 SHOP-4"},
			{"SHOP-3", `"SHOP-2"`, "SHOP-1 SHOP-2 SHOP-3 SHOP-4"},
			{"SHOP-1", `"SHOP-4"`, "SHOP-2 SHOP-3 SHOP-4 SHOP-1"},
			{"SHOP-1", `"SHOP-4"`, "SHOP-2 SHOP-3 SHOP-4 SHOP-1"},
			{"SHOP-4", `"SHOP-2"`, "SHOP-2 SHOP-4 SHOP-3 SHOP-1"},
		} {
			k.ok(place(cards[step.id], step.after))
			if got := idsOf(k.list("board=1&status=ToDo").Issues); got != step.want {
				k.Errorf("%s after %s: %s, want %s", step.id, step.after, got, step.want)
			}
		}
		if got := k.events(); len(got) != 4 || got[0] != "issue.transitioned SHOP-3 v2 position:>" {
			k.Errorf("told %q", got)
		}
		for _, after := range []string{"SHOP-1", "SHOP-9", elsewhere.ID, other.ID} { // itself, none, of another column or board
			r := refused[dash.UnknownIssuesRefusal](k, place(cards["SHOP-1"], `"`+after+`"`))
			if strings.Join(r.Unknown, " ") != after {
				k.Errorf("after %s: %+v", after, r)
			}
		}
		// Whatever already stands where it is to go stays as it is.
		for id, after := range map[string]string{"SHOP-2": "null", "SHOP-4": `"SHOP-2"`, "SHOP-1": `"SHOP-3"`, other.ID: "null"} {
			i, ok := cards[id]
			if !ok {
				i = other
			}
			before := k.get(i, "")
			k.Clock.Advance(time.Second)
			got := testkit.Decode[dash.Issue](k.T, place(i, after), 200)
			if diff := cmp.Diff(before, got); diff != "" {
				k.Errorf("%s after %s (-want +got): %s", id, after, diff)
			}
		}
		k.told()
		k.ok(place(elsewhere, `"SHOP-2"`))
		if got := idsOf(k.list("board=1&status=ToDo").Issues); got != "SHOP-2 SHOP-5 SHOP-4 SHOP-3 SHOP-1" {
			k.Errorf("from another column: %s", got)
		}
	})
}

// Each gate is shut and opened again, on a card that is there.
func TestGates(t *testing.T) {
	eachDesk(t, func(k *desk) {
		i, first, rival := k.card("Card", `"status":"ToDo"`), k.card("First", ""), k.card("Rival", "")
		try := func(to dash.IssueStatus, want string) {
			k.Helper()
			if got := k.gate(k.move(i, to)); got != want {
				k.Errorf("%s: %q, want %q", to, got, want)
			}
		}
		k.ok(k.wait(i, first))
		try("In Progress", "waiting_on")
		try("Done", "waiting_on")
		try("Backlog", "")
		k.ok(k.move(first, "Done"))
		try("In Progress", "")
		k.ok(k.move(first, "ToDo")) // whoever has begun goes on
		try("Done", "waiting_on")
		k.ok(k.agent.Call("DELETE", at(i, "/dependencies"), nil))
		k.ok(k.edit(i, `"blocked":{"reason":"No thread."}`))
		try("Done", "blocked")
		k.ok(k.edit(i, `"blocked":null,"requires_human":{"reason":"It is yours.","steps":["Sign."]}`))
		try("Done", "requires_human")
		k.ok(k.edit(i, `"requires_human":null`))
		try("ToDo", "")

		k.ok(k.conflict(i, rival))
		k.ok(k.move(rival, "In Progress"))
		k.events()
		try("In Progress", "conflict_on")
		k.told()
		k.ok(k.move(rival, "Review"))
		k.told("issue.transitioned SHOP-3 v3 status:In Progress>Review", "issue.gates_changed SHOP-1")
		try("In Progress", "")
		if got := k.gate(k.move(rival, "In Progress")); got != "conflict_on" {
			k.Errorf("the rival starts too: %q", got)
		}
		k.ok(k.agent.Call("POST", at(i, "/acceptance"), `{"title":"It holds."}`))
		try("Done", "acceptance")
		k.ok(k.agent.Call("PATCH", at(i, "/acceptance/1"), `{"version":1,"checked":true}`))
		try("Done", "")
	})
}

// Whoever is told of a card whose gates change is each card that they change of, once.
func TestGatesChanged(t *testing.T) {
	eachDesk(t, func(k *desk) {
		epic := k.card("Epic", `"type":"Epic"`)
		i := k.card("Card", `"parent_id":"SHOP-1","status":"ToDo"`)
		waits, rival := k.card("Waits", ""), k.card("Rival", "")
		k.ok(k.wait(waits, i))
		k.ok(k.conflict(rival, i))
		k.ok(k.conflict(waits, i))
		k.ok(k.wait(epic, rival))
		k.events()
		steps := []struct {
			to   dash.IssueStatus
			told []string
		}{
			{"Backlog", []string{"SHOP-1"}},
			{"In Progress", []string{"SHOP-3", "SHOP-4", "SHOP-1"}},
			{"Done", []string{"SHOP-3", "SHOP-4", "SHOP-1"}}, // it ends and leaves In Progress: SHOP-3 has both
			{"Cancelled", []string{"SHOP-1"}},
			{"Review", []string{"SHOP-3", "SHOP-1"}},
		}
		for _, step := range steps {
			k.ok(k.move(i, step.to))
			want := append([]string(nil), step.told...)
			for n := range want {
				want[n] = "issue.gates_changed " + want[n]
			}
			if diff := cmp.Diff(want, k.events()[1:]); diff != "" {
				k.Errorf("to %s (-want +got): %s", step.to, diff)
			}
		}
	})
}

// Of callers that change the same card as they have both seen it, one wins and the others are told what it is now.
func TestRacingChanges(t *testing.T) {
	eachDesk(t, func(k *desk) {
		i := k.card("Card", "")
		calls := []func(version int64, n int) *http.Request{
			func(v int64, n int) *http.Request {
				return k.agent.Request("PATCH", at(i, "/edit"), fmt.Sprintf(`{"version":%d,"title":"Title %d of %d"}`, v, n, v))
			},
			func(v int64, n int) *http.Request {
				to := "ToDo"
				if k.get(i, "").Status == "ToDo" {
					to = "Backlog"
				}
				return k.ada.Request("POST", at(i, "/transition"), fmt.Sprintf(`{"version":%d,"status":%q,"after":null}`, v, to))
			},
		}
		for version := int64(1); version <= 10; version++ {
			var wg sync.WaitGroup
			codes := make([]string, 4)
			for n := range codes {
				r := calls[n%2](version, n)
				wg.Go(func() {
					a := k.agent.Do(r)
					if codes[n] = a.Code(); a.Status == 200 {
						codes[n] = "won"
					}
				})
			}
			wg.Wait()
			won := 0
			for _, c := range codes {
				switch c {
				case "won":
					won++
				case "version_conflict":
				default:
					k.Errorf("answered %q", c)
				}
			}
			if got := k.get(i, "").Version; won != 1 || got != version+1 {
				k.Fatalf("%d won, and the version went from %d to %d", won, version, got)
			}
		}
		k.events() // which checks their numbers
	})
}
