// SPDX-License-Identifier: Apache-2.0

package work_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/fiftyarms/platform/gen/dash"
	"github.com/fiftyarms/platform/internal/work"
)

var (
	start = time.Date(2026, time.January, 2, 3, 4, 5, 0, time.UTC)
	later = start.Add(time.Hour)
	ada   = dash.Actor{Kind: "person", Name: "Ada", Person: dash.PersonRef{ID: "a", Name: "Ada"}}
	agent = dash.Actor{Kind: "agent", Name: "Agent 1", Person: ada.Person}
)

// card is one that was just made.
func card(change ...func(*dash.Issue)) dash.Issue {
	i := dash.Issue{
		ID: "SHOP-1", Board: 1, Type: "Feature", Status: "ToDo", Title: "Mend the checkout", Priority: 3, Gates: []dash.Gate{},
		Version: 2, CreatedAt: dash.At(start), UpdatedAt: dash.At(start),
	}
	for _, c := range change {
		c(&i)
	}
	return i
}

func link(id string, status dash.IssueStatus) dash.IssueLink {
	return dash.IssueLink{ID: id, Board: 1, Title: "Card " + id, Status: status}
}

// edit is an edit as a caller sends it.
func edit(t *testing.T, body string) (e dash.IssueEdit) {
	t.Helper()
	if err := json.Unmarshal([]byte(body), &e); err != nil {
		t.Fatal(err)
	}
	return e
}

// code is that of a refusal; "" of nil. Each speaks of what to do.
func code(t *testing.T, err error) string {
	t.Helper()
	if err == nil {
		return ""
	}
	var r dash.Refusal
	if !errors.As(err, &r) {
		t.Fatalf("no refusal: %v", err)
	}
	if r.Error() == "" {
		t.Errorf("%s says nothing", r.RefusalCode())
	}
	return r.RefusalCode()
}

func gate(t *testing.T, err error) (g dash.GateFailedRefusal) {
	t.Helper()
	if err != nil && !errors.As(err, &g) {
		t.Fatalf("another refusal: %v", err)
	}
	if err != nil && (g.Message == "" || g.Next == "") {
		t.Errorf("the refusal of %s does not say what to do: %+v", g.FailedGate, g)
	}
	return g
}

func TestNew(t *testing.T) {
	got, err := work.New(1, dash.IssueCreate{Title: "Mend"}, start)
	want := card(func(i *dash.Issue) { i.ID, i.Status, i.Title, i.Version = "", "Review", "Mend", 1 })
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("by default (-want +got): %v %s", err, diff)
	}
	all := dash.IssueCreate{
		Board: new(int64(1)), Title: "Mend", Type: new(dash.IssueTypeBug), Status: new(dash.IssueStatusToDo), Description: new("It is torn."),
		Priority: new(1.5), ParentID: new("SHOP-9"), Effort: new(dash.EffortLow), AssignedAgent: new(int64(9007199254740991)),
		Acceptance: []string{"It holds."},
	}
	want = card(func(i *dash.Issue) {
		i.ID, i.Type, i.Title, i.Description, i.Priority, i.Version = "", "Bug", "Mend", all.Description, 1.5, 1
		i.ParentID, i.Effort, i.AssignedAgent = all.ParentID, all.Effort, all.AssignedAgent
	})
	got, err = work.New(1, all, start)
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("with everything (-want +got): %v %s", err, diff)
	}
	items := []dash.AcceptanceItem{{ID: 1, Title: "It holds.", Version: 1}, {ID: 2, Title: "It shines.", Version: 1}}
	if diff := cmp.Diff(items, work.NewItems([]string{"It holds.", "It shines."})); diff != "" {
		t.Errorf("items (-want +got): %s", diff)
	}
}

// What is above 0 and below 6 as it is written may be out of these bounds as it is kept.
func TestPriority(t *testing.T) {
	for _, tt := range []struct {
		text string
		ok   bool
	}{
		{"3", true}, {"0.5", true}, {"5.999999999999999", true}, {"5e-324", true},
		{"5.9999999999999999999999", false}, {"1e-400", false}, {"6", false}, {"0", false}, {"-1", false},
	} {
		var body dash.IssueCreate
		if err := json.Unmarshal([]byte(`{"title":"Mend","priority":`+tt.text+`}`), &body); err != nil {
			t.Fatal(err)
		}
		_, created := work.New(1, body, start)
		_, _, edited := work.Edit(card(), edit(t, `{"priority":`+tt.text+`}`), ada, later)
		for _, err := range []error{created, edited} {
			r, refused := errors.AsType[dash.InvalidRequestRefusal](err)
			if refused == tt.ok || refused && (len(r.Issues) != 1 || r.Issues[0].In != "body" || r.Issues[0].Path != "/priority") {
				t.Errorf("%s: %v %+v", tt.text, err, r.Issues)
			}
		}
	}
}

// Each member of an edit reaches the card without code of its own, and an edit that says nothing new changes nothing.
func TestEdit(t *testing.T) {
	full := card(func(i *dash.Issue) {
		i.ParentID, i.Effort, i.AssignedAgent, i.Description = new("SHOP-9"), new(dash.EffortLow), new(int64(1)), new("It is torn.")
		i.Blocked = &dash.Blocked{Reason: "No thread.", At: dash.At(start)}
		i.RequiresHuman = &dash.RequiresHuman{Reason: "It is yours.", Steps: []string{"Sign."}, SetBy: ada, SetAt: dash.At(start)}
	})
	tests := []struct {
		name, body string
		of         dash.Issue
		want       func(*dash.Issue) // nil: nothing changes
		changes    string
	}{
		{"a title", `{"title":"Mend it"}`, card(), func(i *dash.Issue) { i.Title = "Mend it" }, "title: Mend the checkout → Mend it"},
		{"the same title", `{"title":"Mend the checkout"}`, card(), nil, ""},
		{"the version is no change", `{"version":2}`, card(), nil, ""},
		{"a priority", `{"priority":0.5}`, card(), func(i *dash.Issue) { i.Priority = 0.5 }, "priority: 3 → 0.5"},
		{"a type", `{"type":"Bug"}`, card(), func(i *dash.Issue) { i.Type = "Bug" }, "type: Feature → Bug"},
		{"an effort", `{"effort":"max"}`, card(), func(i *dash.Issue) { i.Effort = new(dash.EffortMax) }, "effort:  → max"},
		{"an agent", `{"assigned_agent":7}`, card(), func(i *dash.Issue) { i.AssignedAgent = new(int64(7)) }, "assigned_agent:  → 7"},
		{"a parent", `{"parent_id":"SHOP-9"}`, card(), func(i *dash.Issue) { i.ParentID = new("SHOP-9") }, "parent_id:  → SHOP-9"},
		{"a description", `{"description":"It is torn."}`, card(), func(i *dash.Issue) { i.Description = new("It is torn.") }, "description:  → It is torn."},
		{"no description where there was none", `{"description":""}`, card(), nil, ""},
		{"no description", `{"description":""}`, full, func(i *dash.Issue) { i.Description = new("") }, "description: It is torn. → "},
		{"blocked", `{"blocked":{"reason":"No thread."}}`, card(), func(i *dash.Issue) { i.Blocked = &dash.Blocked{Reason: "No thread.", At: dash.At(later)} }, "blocked:  → No thread."},
		{"blocked as before", `{"blocked":{"reason":"No thread."}}`, full, nil, ""},
		{"blocked anew", `{"blocked":{"reason":"No needle."}}`, full, func(i *dash.Issue) { i.Blocked = &dash.Blocked{Reason: "No needle.", At: dash.At(later)} }, "blocked: No thread. → No needle."},
		{"requires a human", `{"requires_human":{"reason":"It is yours.","steps":["Sign."]}}`, card(), func(i *dash.Issue) {
			i.RequiresHuman = &dash.RequiresHuman{Reason: "It is yours.", Steps: []string{"Sign."}, SetBy: agent, SetAt: dash.At(later)}
		}, "requires_human:  → It is yours."},
		{"requires a human as before", `{"requires_human":{"reason":"It is yours.","steps":["Sign."]}}`, full, nil, ""},
		{"requires a human for other steps", `{"requires_human":{"reason":"It is yours.","steps":["Sign.","Send."]}}`, full, func(i *dash.Issue) {
			i.RequiresHuman = &dash.RequiresHuman{Reason: "It is yours.", Steps: []string{"Sign.", "Send."}, SetBy: agent, SetAt: dash.At(later)}
		}, "requires_human: It is yours. → It is yours."},
		{"null clears", `{"parent_id":null,"effort":null,"assigned_agent":null,"blocked":null,"requires_human":null}`, full, func(i *dash.Issue) {
			i.ParentID, i.Effort, i.AssignedAgent, i.Blocked, i.RequiresHuman = nil, nil, nil, nil, nil
		}, "parent_id: SHOP-9 → , effort: low → , assigned_agent: 1 → , blocked: No thread. → , requires_human: It is yours. → "},
		{"null where there is nothing", `{"parent_id":null,"effort":null,"assigned_agent":null,"blocked":null,"requires_human":null}`, card(), nil, ""},
		{"a long title is not told", `{"title":"` + strings.Repeat("x", 201) + `"}`, card(), func(i *dash.Issue) { i.Title = strings.Repeat("x", 201) }, "title: Mend the checkout → "},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			want := tt.of
			if tt.want != nil {
				tt.want(&want)
				want.Version, want.UpdatedAt = want.Version+1, dash.At(later)
			}
			got, changes, err := work.Edit(tt.of, edit(t, tt.body), agent, later)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("the card (-want +got): %s", diff)
			}
			if got := told(changes); got != tt.changes {
				t.Errorf("told %q, want %q", got, tt.changes)
			}
		})
	}
}

func told(changes []dash.Change) string {
	var out []string
	for _, c := range changes {
		from, to := "", ""
		if c.From != nil {
			from = *c.From
		}
		if c.To != nil {
			to = *c.To
		}
		out = append(out, c.Field+": "+from+" → "+to)
	}
	return strings.Join(out, ", ")
}

// A member that the edit has and the card has not is a contract at odds with itself; it must not get lost.
func TestEditFitsTheCard(t *testing.T) {
	var contract struct {
		Components struct {
			Schemas map[string]struct{ Properties map[string]json.RawMessage }
		}
	}
	if err := json.Unmarshal(dash.Document, &contract); err != nil {
		t.Fatal(err)
	}
	card := contract.Components.Schemas["Issue"].Properties
	for _, from := range []string{"IssueEdit", "IssueCreate"} {
		for name := range contract.Components.Schemas[from].Properties {
			if card[name] == nil {
				t.Errorf("%s may have %s, and a card has no such member", from, name)
			}
		}
	}
}

func TestEditBoard(t *testing.T) {
	b, err := work.NewBoard(dash.BoardCreate{Name: "Shop", Prefix: "SHOP", Description: new(""), Repo: new("acme/shop")}, start)
	want := dash.Board{Name: "Shop", Prefix: "SHOP", Repo: new("acme/shop"), Counts: []dash.StatusCount{}, Version: 1, CreatedAt: dash.At(start), UpdatedAt: dash.At(start)}
	if diff := cmp.Diff(want, b); diff != "" || err != nil {
		t.Fatalf("new (-want +got): %v %s", err, diff)
	}
	var e dash.BoardEdit
	if err := json.Unmarshal([]byte(`{"version":1,"name":"The shop","repo":null,"description":"What customers see."}`), &e); err != nil {
		t.Fatal(err)
	}
	want.Name, want.Repo, want.Description, want.Version, want.UpdatedAt = "The shop", nil, new("What customers see."), 2, dash.At(later)
	got, changes, err := work.EditBoard(b, e, later)
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("edited (-want +got): %v %s", err, diff)
	}
	if got, want := told(changes), "name: Shop → The shop, description:  → What customers see., repo: acme/shop → "; got != want {
		t.Errorf("told %q, want %q", got, want)
	}
	if again, changes, err := work.EditBoard(got, e, later.Add(time.Hour)); err != nil || len(changes) > 0 || again.Version != 2 {
		t.Errorf("the same again: %+v, %v, %v", again, changes, err)
	}
}

func TestItemAndWaitingChanges(t *testing.T) {
	open, checked := dash.AcceptanceItem{ID: 1, Title: "It holds."}, dash.AcceptanceItem{ID: 1, Title: "It holds.", Checked: true}
	waits := func(reason string, ids ...string) *dash.WaitingOn {
		w := &dash.WaitingOn{Reason: reason}
		for _, id := range ids {
			w.By = append(w.By, link(id, "ToDo"))
		}
		return w
	}
	tests := []struct {
		change dash.Change
		want   string
	}{
		{work.ItemChange(nil, &open), "acceptance:  → [ ] It holds."},
		{work.ItemChange(&open, &checked), "acceptance: [ ] It holds. → [x] It holds."},
		{work.ItemChange(&checked, nil), "acceptance: [x] It holds. → "},
		{work.WaitingChange(nil, waits("So.", "A-1", "A-2")), "waiting_on:  → A-1, A-2"},
		{work.WaitingChange(waits("So.", "A-1"), waits("Thus.", "A-1")), "waiting_on: So. → Thus."},
		{work.WaitingChange(waits("So.", "A-1"), nil), "waiting_on: A-1 → "},
	}
	for _, tt := range tests {
		if got := told([]dash.Change{tt.change}); got != tt.want {
			t.Errorf("told %q, want %q", got, tt.want)
		}
	}
	if !work.SameWait(nil, nil) || work.SameWait(nil, waits("So.", "A-1")) || work.SameWait(waits("So.", "A-1"), waits("So.", "A-2")) ||
		work.SameWait(waits("So.", "A-1"), waits("Thus.", "A-1")) || !work.SameWait(waits("So.", "A-1"), waits("So.", "A-1")) {
		t.Error("two waits are the same if they are for the same cards and reason")
	}
}

func TestVersions(t *testing.T) {
	two, three := new(int64(2)), new(int64(3))
	seen := []struct {
		name    string
		body    *int64
		ifMatch *string
		want    int64
		at      string
	}{
		{"in the body", two, nil, 2, ""},
		{"in If-Match", nil, new(`"2"`), 2, ""},
		{"in both", two, new(`"2"`), 2, ""},
		{"in neither", nil, nil, 0, "body /version"},
		{"not the same", three, new(`"2"`), 0, "header If-Match"},
		{"no version", nil, new(`"99999999999999999999"`), 0, "header If-Match"},
	}
	for _, tt := range seen {
		t.Run(tt.name, func(t *testing.T) {
			got, err := work.Seen(tt.body, tt.ifMatch)
			at := ""
			if r, ok := errors.AsType[dash.InvalidRequestRefusal](err); ok {
				at = string(r.Issues[0].In) + " " + r.Issues[0].Path
			}
			if got != tt.want || at != tt.at {
				t.Errorf("got %d, %v", got, err)
			}
		})
	}
	i, b, item := card(), dash.Board{Ref: 1, Version: 2, UpdatedAt: dash.At(start)}, dash.AcceptanceItem{ID: 4, Version: 2}
	for seen, want := range map[int64]string{1: "version_conflict", 2: "", 3: "version_conflict"} {
		errs := []error{work.FreshIssue(i, seen), work.FreshBoard(b, seen), work.FreshItem(i, item, seen)}
		current := []dash.Current{{Version: 2, UpdatedAt: &i.UpdatedAt, Issue: &i}, {Version: 2, UpdatedAt: &b.UpdatedAt, Board: &b}, {Version: 2, Item: &item}}
		for n, err := range errs {
			if got := code(t, err); got != want {
				t.Errorf("seen %d: %q, want %q", seen, got, want)
			}
			if r, ok := errors.AsType[dash.VersionConflictRefusal](err); ok {
				if diff := cmp.Diff(current[n], r.Current); diff != "" {
					t.Errorf("current (-want +got): %s", diff)
				}
			}
		}
	}
	if got := *work.ETag(7); got != `"7"` {
		t.Errorf("ETag %s", got)
	}
}
