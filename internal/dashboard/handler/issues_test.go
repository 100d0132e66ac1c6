// SPDX-License-Identifier: Apache-2.0

package handler_test

import (
	"fmt"
	"net/url"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fiftyarms/platform/gen/dash"
	"github.com/fiftyarms/platform/internal/testkit"
)

func TestCreateIssue(t *testing.T) {
	eachDesk(t, func(k *desk) {
		connect(k.T, k.agent, nil)
		k.events()
		epic := k.card("The checkout", `"type":"Epic"`)
		want := dash.Issue{
			ID: "SHOP-1", Board: 1, Type: "Epic", Status: "Review", Title: "The checkout", Priority: 3, Gates: []dash.Gate{}, Version: 1,
			CreatedAt: dash.At(testkit.Start), UpdatedAt: dash.At(testkit.Start),
		}
		if diff := cmp.Diff(want, epic); diff != "" {
			k.Errorf("by default (-want +got): %s", diff)
		}
		k.told("issue.created SHOP-1 v1 status:>Review")

		created := k.create("Mend it", `"type":"Bug","status":"ToDo","description":"It is torn.","priority":5.5,"parent_id":"SHOP-1",
			"effort":"low","assigned_agent":1,"acceptance":["It holds.","It shines."]`)
		got := testkit.Decode[dash.Issue](k.T, created, 201)
		want = dash.Issue{
			ID: "SHOP-2", Board: 1, Type: "Bug", Status: "ToDo", Title: "Mend it", Priority: 5.5, ParentID: new("SHOP-1"), Effort: new(dash.EffortLow),
			AssignedAgent: new(int64(1)), Gates: []dash.Gate{}, DescriptionHash: got.DescriptionHash, Version: 1,
			CreatedAt: dash.At(testkit.Start), UpdatedAt: dash.At(testkit.Start),
		}
		if diff := cmp.Diff(want, got); diff != "" || got.DescriptionHash == "" || created.Header.Get("ETag") != `"1"` {
			k.Errorf("with everything, ETag %s (-want +got): %s", created.Header.Get("ETag"), diff)
		}
		k.told("issue.created SHOP-2 v1 status:>ToDo", "issue.gates_changed SHOP-1")
		want.Description = new("It is torn.")
		want.Acceptance = []dash.AcceptanceItem{{ID: 1, Title: "It holds.", Version: 1}, {ID: 2, Title: "It shines.", Version: 1}}
		if diff := cmp.Diff(want, k.get(got, `{"description":true,"acceptance":true}`)); diff != "" {
			k.Errorf("read whole (-want +got): %s", diff)
		}

		inBody := k.agent.Call("POST", "/api/issues", `{"board":2,"title":"Say so"}`)
		if got := testkit.Decode[dash.Issue](k.T, inBody, 201); got.ID != "DOCS-1" {
			k.Errorf("with the board in the body: %s", got.ID)
		}
		k.ok(k.agent.Call("POST", "/api/issues?board=2", `{"board":2,"title":"Say so twice"}`))
		k.events()
	})
}

func TestCreateIssueRefusals(t *testing.T) {
	eachDesk(t, func(k *desk) {
		k.card("An Epic", `"type":"Epic"`)
		k.card("A Feature", "")
		k.card("An Epic that is Done", `"type":"Epic","status":"Done"`) // it has no children yet, nor items
		k.events()
		for _, tt := range []struct{ name, path, body, code, at string }{
			{"no board", "/api/issues", `{"title":"x"}`, "invalid_request", "body /board"},
			{"two boards", "/api/issues?board=1", `{"board":2,"title":"x"}`, "invalid_request", "query board"},
			{"no such board", "/api/issues?board=9", `{"title":"x"}`, "not_found", ""},
			{"a blank title", "/api/issues?board=1", `{"title":"  "}`, "invalid_request", "body /title"},
			{"no such parent", "/api/issues?board=1", `{"title":"x","parent_id":"SHOP-9"}`, "unknown_issues", ""},
			{"a parent that is no Epic", "/api/issues?board=1", `{"title":"x","parent_id":"SHOP-2"}`, "invalid_parent", ""},
			{"a parent of an Epic", "/api/issues?board=1", `{"title":"x","type":"Epic","parent_id":"SHOP-1"}`, "invalid_parent", ""},
			{"no such agent", "/api/issues?board=1", `{"title":"x","assigned_agent":7}`, "unknown_agent", ""},
			{"Done with open items", "/api/issues?board=1", `{"title":"x","status":"Done","acceptance":["y"]}`, "gate_failed", "acceptance"},
			{"open under an Epic that is Done", "/api/issues?board=1", `{"title":"x","parent_id":"SHOP-3"}`, "gate_failed", "parent_done"},
		} {
			a := k.agent.Call("POST", tt.path, tt.body)
			if a.Code() != tt.code {
				k.Errorf("%s: %d %s", tt.name, a.Status, a.Body)
				continue
			}
			switch r, _ := dash.DecodeRefusal(a.Body); r := r.(type) {
			case dash.InvalidRequestRefusal:
				if got := string(r.Issues[0].In) + " " + r.Issues[0].Path; got != tt.at {
					k.Errorf("%s: the fault is at %s", tt.name, got)
				}
			case dash.GateFailedRefusal:
				if string(r.FailedGate) != tt.at {
					k.Errorf("%s: the gate is %s", tt.name, r.FailedGate)
				}
			}
		}
		k.told()
		if got := k.card("The next", ""); got.ID != "SHOP-4" {
			k.Errorf("what was refused used up ids: %s", got.ID)
		}
	})
}

func (k *desk) list(query string) dash.IssuePage {
	k.Helper()
	return testkit.Decode[dash.IssuePage](k.T, k.agent.Call("GET", "/api/issues?"+query, nil), 200)
}

func idsOf(issues []dash.Issue) string {
	var out []string
	for _, i := range issues {
		out = append(out, i.ID)
	}
	return strings.Join(out, " ")
}

func TestListIssues(t *testing.T) {
	eachDesk(t, func(k *desk) {
		connect(k.T, k.agent, nil)
		k.card("The Epic", `"type":"Epic"`)                                                       // SHOP-1
		k.card("Mend the ÄRMEL", `"type":"Bug","status":"ToDo","parent_id":"SHOP-1"`)             // SHOP-2
		k.card("50% off_now", `"status":"ToDo","assigned_agent":1`)                               // SHOP-3
		blocked := k.card("Blocked", `"status":"ToDo"`)                                           // SHOP-4
		k.card("Running", `"status":"In Progress"`)                                               // SHOP-5
		k.ok(k.agent.Call("POST", "/api/issues", `{"board":2,"title":"Say so","status":"ToDo"}`)) // DOCS-1
		k.ok(k.edit(blocked, `"blocked":{"reason":"No thread."}`))
		for _, tt := range []struct{ query, want string }{
			{"", "SHOP-5 SHOP-1 SHOP-2 SHOP-3 SHOP-4 DOCS-1"},
			{"board=1", "SHOP-5 SHOP-1 SHOP-2 SHOP-3 SHOP-4"},
			{"board=2", "DOCS-1"},
			{"status=ToDo", "SHOP-2 SHOP-3 SHOP-4 DOCS-1"},
			{"status=In+Progress", "SHOP-5"},
			{"status=Done", ""},
			{"type=Epic", "SHOP-1"},
			{"parent=SHOP-1", "SHOP-2"},
			{"parent=SHOP-99", ""},
			{"agent=1", "SHOP-3"},
			{"agent=9", ""},
			{"ready=true", "SHOP-2 SHOP-3 DOCS-1"},
			{"ready=false", "SHOP-5 SHOP-1 SHOP-4"},
			{"board=1&ready=true&type=Bug", "SHOP-2"},
			{"q=epic", "SHOP-1"},
			{"q=%20%C3%A4rmel%20", "SHOP-2"},
			{"q=shop-3", "SHOP-3"},
			{"q=" + url.QueryEscape("%"), "SHOP-3"},
			{"q=" + url.QueryEscape("f_n"), "SHOP-3"},
			{"q=" + url.QueryEscape("e_E"), ""},
		} {
			if got := idsOf(k.list(tt.query).Issues); got != tt.want {
				k.Errorf("%s: %s, want %s", tt.query, got, tt.want)
			}
		}
		for _, tt := range []struct{ query, code string }{
			{"board=9", "not_found"},
			{"q=%20%20", "invalid_request"},
			{"cursor=nonsense", "invalid_request"},
			{"fields=nonsense", "invalid_request"},
			{"limit=0", "invalid_request"},
			{"agent=0", "invalid_request"},
		} {
			if a := k.agent.Call("GET", "/api/issues?"+tt.query, nil); a.Code() != tt.code {
				k.Errorf("%s: %d %s", tt.query, a.Status, a.Body)
			}
		}
		if a := k.agent.Call("GET", "/api/issues?q=a%00b", nil); a.Status >= 500 {
			k.Errorf("a NUL in q: %d %s", a.Status, a.Body)
		}

		// In pages of each size, every card comes once, in the order of the whole list.
		for limit := 1; limit <= 7; limit++ {
			var got []dash.Issue
			for query := fmt.Sprintf("limit=%d", limit); ; {
				page := k.list(query)
				got = append(got, page.Issues...)
				if page.NextCursor.IsNull() {
					break
				}
				query = fmt.Sprintf("limit=%d&cursor=%s", limit, page.NextCursor.MustGet())
			}
			if want := "SHOP-5 SHOP-1 SHOP-2 SHOP-3 SHOP-4 DOCS-1"; idsOf(got) != want {
				k.Errorf("in pages of %d: %s", limit, idsOf(got))
			}
		}
	})
}

func TestBatchIssues(t *testing.T) {
	eachDesk(t, func(k *desk) {
		k.card("One", `"description":"It is one."`)
		k.card("Two", "")
		k.ok(k.agent.Call("POST", "/api/issues", `{"board":2,"title":"Elsewhere"}`))
		got := testkit.Decode[dash.IssueBatch](k.T, k.agent.Call("GET", "/api/issues/batch?board=1&ids=SHOP-2,SHOP-9,DOCS-1,SHOP-1,SHOP-2,SHOP-9&fields="+url.QueryEscape(`{"description":true}`), nil), 200)
		if ids := idsOf(got.Issues); ids != "SHOP-2 SHOP-1" || strings.Join(got.Missing, " ") != "SHOP-9 DOCS-1" {
			k.Errorf("got %s, missing %v", ids, got.Missing)
		}
		if d := got.Issues[1].Description; d == nil || *d != "It is one." {
			k.Error("fields are not heeded")
		}
		if a := k.agent.Call("GET", "/api/issues/batch?board=9&ids=SHOP-1", nil); a.Code() != "not_found" {
			k.Errorf("no such board: %d %s", a.Status, a.Body)
		}
	})
}

// A card is compact unless more is asked for, and then it has what was asked for and no more.
func TestFields(t *testing.T) {
	eachDesk(t, func(k *desk) {
		epic := k.card("Epic", `"type":"Epic","description":"All of it."`)
		other := k.card("Other", `"status":"In Progress"`)
		one := k.card("One", `"parent_id":"SHOP-1","description":"It is one.","acceptance":["It holds."]`)
		k.ok(k.wait(one, other))
		k.ok(k.conflict(one, other))

		plain := k.get(one, "")
		if plain.Description != nil || plain.Acceptance != nil || plain.WaitingOn != nil || plain.ConflictOn != nil || plain.Children != nil {
			k.Errorf("the compact card holds more: %+v", plain)
		}
		if diff := cmp.Diff([]dash.Gate{"waiting_on", "conflict_on"}, plain.Gates); diff != "" {
			k.Errorf("gates (-want +got): %s", diff)
		}
		linked := dash.IssueLink{ID: other.ID, Board: 1, Title: "Other", Status: "In Progress"}
		want := plain
		want.Description = new("It is one.")
		want.Acceptance = []dash.AcceptanceItem{{ID: 1, Title: "It holds.", Version: 1}}
		want.WaitingOn = &dash.WaitingOn{Reason: "It has to be.", By: []dash.IssueLink{linked}}
		want.ConflictOn = []dash.Conflict{{Issue: linked, Reason: "Both rewrite it."}}
		got := k.get(one, `{"description":true,"acceptance":true,"waiting_on":true,"conflict_on":true,"attachments":true,"children":true,"status":true}`)
		if diff := cmp.Diff(want, got); diff != "" {
			k.Errorf("with all (-want +got): %s", diff)
		}

		whole := k.get(epic, `{"children":true}`)
		if diff := cmp.Diff([]dash.Issue{plain}, whole.Children); diff != "" || whole.Description != nil {
			k.Errorf("children (-want +got): %s", diff)
		}
		plain.Acceptance = want.Acceptance
		whole = k.get(epic, `{"description":true,"children":{"acceptance":true}}`)
		if diff := cmp.Diff([]dash.Issue{plain}, whole.Children); diff != "" || whole.Description == nil {
			k.Errorf("children with their items (-want +got): %s", diff)
		}
		listed := k.list("board=1&type=Epic&fields=" + url.QueryEscape(`{"description":true,"children":{"acceptance":true}}`)).Issues
		if diff := cmp.Diff([]dash.Issue{whole}, listed); diff != "" {
			k.Errorf("listed (-want +got): %s", diff)
		}
		r := refused[dash.InvalidRequestRefusal](k, k.agent.Call("GET", at(epic, "?fields="+url.QueryEscape(`{"descripton":true}`)), nil))
		if want := "descripton: issue has no such field, the nearest is description"; r.Issues[0].Message != want {
			k.Errorf("told %q", r.Issues[0].Message)
		}
	})
}

// The contract says what may be opted into, and the route says the same.
func TestResourceFields(t *testing.T) {
	k := newDesk(t)
	got := testkit.Decode[dash.ResourceFields](t, k.agent.Call("GET", "/api/resources/issue/fields", nil), 200)
	if diff := cmp.Diff(dash.Resources[0], got); diff != "" {
		t.Errorf("issue (-want +got): %s", diff)
	}
	r := refused[dash.NotFoundRefusal](k, k.agent.Call("GET", "/api/resources/card/fields", nil))
	if diff := cmp.Diff([]string{"issue"}, r.Nearest); diff != "" {
		t.Errorf("nearest (-want +got): %s", diff)
	}
}
