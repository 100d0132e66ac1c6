// SPDX-License-Identifier: Apache-2.0

package work_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fiftyarms/platform/gen/dash"
	"github.com/fiftyarms/platform/internal/work"
)

// Each gate is shut for the statuses that it stands before, and says what opens it.
func TestGates(t *testing.T) {
	waits := &dash.WaitingOn{Reason: "No prices.", By: []dash.IssueLink{link("A-1", "Done"), link("A-2", "ToDo"), link("A-3", "Cancelled"), link("A-4", "Backlog")}}
	ended := &dash.WaitingOn{Reason: "No prices.", By: []dash.IssueLink{link("A-1", "Done"), link("A-3", "Cancelled")}}
	conflicts := []dash.Conflict{{Issue: link("A-5", "ToDo"), Reason: "x"}, {Issue: link("A-6", "In Progress"), Reason: "Both rewrite it."}}
	items := []dash.AcceptanceItem{{ID: 1, Title: "a", Checked: true, Version: 2}, {ID: 2, Title: "b", Version: 1}}
	children := []dash.IssueLink{link("A-7", "Done"), link("A-8", "Review"), link("A-9", "Cancelled")}
	epic := link("A-10", "Done")
	human := card(func(i *dash.Issue) {
		i.RequiresHuman = &dash.RequiresHuman{Reason: "It is yours.", Steps: []string{"Sign."}}
	})
	blocked := card(func(i *dash.Issue) { i.Blocked = &dash.Blocked{Reason: "No thread."} })
	started, done := "In Progress, Done", "Done"
	tests := []struct {
		name   string
		facts  work.Facts
		shut   string // the statuses
		failed dash.GateFailedRefusal
	}{
		{"nothing", work.Facts{Card: card()}, "", dash.GateFailedRefusal{}},
		{"waiting", work.Facts{Card: card(), WaitingOn: waits}, started, dash.GateFailedRefusal{
			FailedGate: "waiting_on", Reason: &waits.Reason, WaitsFor: []dash.IssueLink{waits.By[1], waits.By[3]},
			Message: "SHOP-1 cannot be %s while it waits for A-2 and A-4",
		}},
		{"waited for", work.Facts{Card: card(), WaitingOn: ended}, "", dash.GateFailedRefusal{}},
		{"blocked", work.Facts{Card: blocked}, started, dash.GateFailedRefusal{
			FailedGate: "blocked", Reason: &blocked.Blocked.Reason, Message: "SHOP-1 cannot be %s while it is blocked",
		}},
		{"a human", work.Facts{Card: human}, started, dash.GateFailedRefusal{
			FailedGate: "requires_human", Reason: &human.RequiresHuman.Reason, Steps: []string{"Sign."},
			Message: "SHOP-1 cannot be %s while it requires a human",
		}},
		{"a conflict", work.Facts{Card: card(), Conflicts: conflicts}, "In Progress", dash.GateFailedRefusal{
			FailedGate: "conflict_on", Reason: &conflicts[1].Reason, ConflictsWith: []dash.IssueLink{conflicts[1].Issue},
			Message: "SHOP-1 cannot be %s together with A-6",
		}},
		{"no conflict now", work.Facts{Card: card(), Conflicts: conflicts[:1]}, "", dash.GateFailedRefusal{}},
		{"an open item", work.Facts{Card: card(), Acceptance: items}, done, dash.GateFailedRefusal{
			FailedGate: "acceptance", OpenItems: items[1:], Message: "SHOP-1 cannot be %s with open acceptance items, and 1 of 2 are",
		}},
		{"all items hold", work.Facts{Card: card(), Acceptance: items[:1]}, "", dash.GateFailedRefusal{}},
		{"an open child", work.Facts{Card: card(), Children: children}, done, dash.GateFailedRefusal{
			FailedGate: "open_children", NonTerminalPhases: children[1:2], Message: "SHOP-1 cannot be %s while it has open children: A-8",
		}},
		{"no open child", work.Facts{Card: card(), Children: children[:1]}, "", dash.GateFailedRefusal{}},
		{"an Epic that is Done", work.Facts{Card: card(), Parent: &epic}, "Review, ToDo, In Progress, Backlog", dash.GateFailedRefusal{
			FailedGate: "parent_done", Parent: &epic, Message: "SHOP-1 cannot be %s under A-10, which is Done",
		}},
		{"an Epic that is Cancelled", work.Facts{Card: card(), Parent: new(link("A-10", "Cancelled"))}, "", dash.GateFailedRefusal{}},
		{"a card to be made", work.Facts{Card: card(func(i *dash.Issue) { i.ID = "" }), Acceptance: items}, done, dash.GateFailedRefusal{
			FailedGate: "acceptance", OpenItems: items[1:], Message: "a new card cannot be %s with open acceptance items, and 1 of 2 are",
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var shut []string
			for _, to := range dash.AllIssueStatuses {
				err := work.Enter(tt.facts, to)
				if err == nil {
					continue
				}
				shut = append(shut, string(to))
				got, want := gate(t, err), tt.failed
				want.Message, want.Next = strings.Replace(want.Message, "%s", string(to), 1), got.Next
				if diff := cmp.Diff(want, got); diff != "" {
					t.Errorf("%s (-want +got): %s", to, diff)
				}
			}
			if got := strings.Join(shut, ", "); got != tt.shut {
				t.Errorf("shut for %q, want %q", got, tt.shut)
			}
		})
	}
}

// The gate that is told is the first in one order, whatever else is shut.
func TestFirstGate(t *testing.T) {
	f := work.Facts{
		Card: card(func(i *dash.Issue) {
			i.Blocked = &dash.Blocked{Reason: "x"}
			i.RequiresHuman = &dash.RequiresHuman{Reason: "x", Steps: []string{"x"}}
		}),
		WaitingOn:  &dash.WaitingOn{Reason: "x", By: []dash.IssueLink{link("A-1", "ToDo")}},
		Conflicts:  []dash.Conflict{{Issue: link("A-2", "In Progress"), Reason: "x"}},
		Acceptance: []dash.AcceptanceItem{{ID: 1}},
		Children:   []dash.IssueLink{link("A-3", "ToDo")},
		Parent:     new(link("A-4", "Done")),
	}
	open := []struct {
		gate dash.GateFailedRefusalFailedGate
		open func()
	}{
		{"waiting_on", func() { f.WaitingOn = nil }},
		{"blocked", func() { f.Card.Blocked = nil }},
		{"requires_human", func() { f.Card.RequiresHuman = nil }},
		{"conflict_on", func() { f.Conflicts = nil }},
		{"acceptance", func() { f.Acceptance = nil }},
		{"open_children", func() { f.Children = nil }},
		{"parent_done", func() { f.Parent = nil }},
	}
	for _, to := range []dash.IssueStatus{"In Progress", "Done"} {
		saved := f
		for _, step := range open {
			stands := to == "Done" && step.gate != "conflict_on" && step.gate != "parent_done" ||
				to == "In Progress" && step.gate != "acceptance" && step.gate != "open_children"
			if err := work.Enter(f, to); stands && gate(t, err).FailedGate != step.gate {
				t.Errorf("%s: %v, want %s", to, err, step.gate)
			}
			step.open()
		}
		if err := work.Enter(f, to); err != nil {
			t.Errorf("all open, and %v", err)
		}
		f = saved
	}
}

func TestManyAreCounted(t *testing.T) {
	var children []dash.IssueLink
	for n := range 40 {
		children = append(children, link(fmt.Sprintf("A-%d", n+1), "ToDo"))
	}
	got := gate(t, work.Enter(work.Facts{Card: card(), Children: children}, "Done"))
	if want := "SHOP-1 cannot be Done while it has open children: A-1, A-2, A-3, A-4, A-5 and 35 more"; got.Message != want || len(got.NonTerminalPhases) != 40 {
		t.Errorf("got %q and %d", got.Message, len(got.NonTerminalPhases))
	}
}

func TestParents(t *testing.T) {
	typed := func(id string, of dash.IssueType, status dash.IssueStatus) dash.Issue {
		return dash.Issue{ID: id, Type: of, Status: status}
	}
	epic := typed("A-9", "Epic", "ToDo")
	tests := []struct {
		name   string
		card   dash.Issue
		parent *dash.Issue
		want   string
	}{
		{"none", typed("A-1", "Bug", "ToDo"), nil, ""},
		{"of an Epic none", typed("A-1", "Epic", "ToDo"), nil, ""},
		{"an Epic", typed("A-1", "Bug", "ToDo"), &epic, ""},
		{"of a new card", typed("", "Bug", "ToDo"), &epic, ""},
		{"no Epic", typed("A-1", "Bug", "ToDo"), new(typed("A-2", "Feature", "ToDo")), "invalid_parent"},
		{"of an Epic", typed("A-1", "Epic", "ToDo"), &epic, "invalid_parent"},
		{"itself", epic, &epic, "invalid_parent"},
		{"an Epic that is Done", typed("A-1", "Bug", "ToDo"), new(typed("A-2", "Epic", "Done")), "gate_failed"},
		{"an Epic that is Done, of a card that is", typed("A-1", "Bug", "Done"), new(typed("A-2", "Epic", "Done")), ""},
		{"an Epic that is Done, of one that is Cancelled", typed("A-1", "Bug", "Cancelled"), new(typed("A-2", "Epic", "Done")), ""},
		{"an Epic that is Cancelled", typed("A-1", "Bug", "ToDo"), new(typed("A-2", "Epic", "Cancelled")), ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			err := work.Parent(tt.card, tt.parent)
			if got := code(t, err); got != tt.want {
				t.Errorf("got %v, want %q", err, tt.want)
			}
			if r, ok := errors.AsType[dash.InvalidParentRefusal](err); ok && *r.ParentID != tt.parent.ID {
				t.Errorf("it names %s", *r.ParentID)
			}
		})
	}
	children := []dash.IssueLink{link("A-2", "Done")}
	if got := code(t, work.KeepsChildren(epic, "Bug", children)); got != "invalid_parent" {
		t.Errorf("an Epic with children becomes a Bug: %q", got)
	}
	if err := work.KeepsChildren(epic, "Epic", children); err != nil {
		t.Error(err)
	}
	if err := work.KeepsChildren(epic, "Bug", nil); err != nil {
		t.Error(err)
	}
}

func TestCycles(t *testing.T) {
	tests := []struct {
		name, graph, want string
	}{
		{"none", "A: B C, B: D, C: D", ""},
		{"none that the card is on", "A: B, B: C, C: D, D: C", ""},
		{"itself", "A: A", "A A"},
		{"two", "A: B, B: A", "A B A"},
		{"the short way of two", "A: B E, B: C, C: A, E: A", "A E A"},
		{"the first of two as short", "A: C B, B: D, C: D, D: A", "A B D A"},
		{"over a diamond", "A: B C, B: D, C: D, D: E, E: A", "A B D E A"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			graph, asked := map[string][]string{}, map[string]int{}
			for part := range strings.SplitSeq(tt.graph, ", ") {
				from, to, _ := strings.Cut(part, ": ")
				graph[from] = strings.Fields(to)
			}
			err := work.Acyclic("A", func(id string) ([]string, error) {
				asked[id]++
				return graph[id], nil
			})
			var path []string
			if r, ok := errors.AsType[dash.DependencyCycleRefusal](err); ok {
				path = r.Path
			} else if err != nil {
				t.Fatal(err)
			}
			if got := strings.Join(path, " "); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
			for id, times := range asked {
				if times > 1 {
					t.Errorf("%s was asked %d times", id, times)
				}
			}
		})
	}
	broken := errors.New("broken")
	if err := work.Acyclic("A", func(string) ([]string, error) { return nil, broken }); !errors.Is(err, broken) {
		t.Errorf("got %v", err)
	}
}

// A long chain is walked without recursion, and one that closes is found.
func TestLongCycle(t *testing.T) {
	const length = 20_000
	number := func(id string) (n int) {
		fmt.Sscanf(id, "A-%d", &n)
		return n
	}
	needs := func(id string) ([]string, error) {
		return []string{fmt.Sprintf("A-%d", (number(id)+1)%length)}, nil
	}
	r, ok := errors.AsType[dash.DependencyCycleRefusal](work.Acyclic("A-0", needs))
	if !ok || len(r.Path) != length+1 {
		t.Fatalf("found %d", len(r.Path))
	}
	if len(r.Message) > 500 {
		t.Errorf("the message has %d bytes", len(r.Message))
	}
}

func TestConflicts(t *testing.T) {
	tests := []struct {
		one, other dash.IssueLink
		want       string
	}{
		{link("A-1", "ToDo"), link("A-2", "In Progress"), ""},
		{link("A-1", "In Progress"), link("A-2", "Done"), ""},
		{link("A-1", "In Progress"), link("A-2", "In Progress"), "gate_failed"},
		{link("A-1", "ToDo"), link("A-1", "ToDo"), "invalid_request"},
		{link("A-1", "In Progress"), link("A-1", "In Progress"), "invalid_request"},
	}
	for _, tt := range tests {
		err := work.Conflict(tt.one, tt.other, "Both rewrite it.")
		if got := code(t, err); got != tt.want {
			t.Errorf("%s and %s: %v", tt.one.ID, tt.other.ID, err)
		}
		if tt.want == "gate_failed" {
			if g := gate(t, err); g.FailedGate != "conflict_on" || *g.Reason != "Both rewrite it." || !slices.Equal(g.ConflictsWith, []dash.IssueLink{tt.other}) {
				t.Errorf("got %+v", g)
			}
		}
	}
}

func TestAcceptance(t *testing.T) {
	done := card(func(i *dash.Issue) { i.Status = "Done" })
	if err := work.AddItem(card(), work.MaxItems-1); err != nil {
		t.Error(err)
	}
	if got := code(t, work.AddItem(card(), work.MaxItems)); got != "limit_reached" {
		t.Errorf("one too many: %q", got)
	}
	if got := gate(t, work.AddItem(done, 0)); got.FailedGate != "acceptance" {
		t.Errorf("on a card that is Done: %+v", got)
	}
	open, checked := dash.AcceptanceItem{ID: 1, Title: "a", Version: 3}, dash.AcceptanceItem{ID: 1, Title: "a", Checked: true, Version: 3}
	tests := []struct {
		name string
		card dash.Issue
		item dash.AcceptanceItem
		edit dash.AcceptanceItemEdit
		want dash.AcceptanceItem
		code string
	}{
		{"check", card(), open, dash.AcceptanceItemEdit{Checked: new(true)}, dash.AcceptanceItem{ID: 1, Title: "a", Checked: true, Version: 4}, ""},
		{"uncheck", card(), checked, dash.AcceptanceItemEdit{Checked: new(false)}, dash.AcceptanceItem{ID: 1, Title: "a", Version: 4}, ""},
		{"word", card(), open, dash.AcceptanceItemEdit{Title: new("b")}, dash.AcceptanceItem{ID: 1, Title: "b", Version: 4}, ""},
		{"nothing new", card(), checked, dash.AcceptanceItemEdit{Version: new(int64(3)), Checked: new(true), Title: new("a")}, checked, ""},
		{"uncheck on a card that is Done", done, checked, dash.AcceptanceItemEdit{Checked: new(false)}, checked, "gate_failed"},
		{"word on a card that is Done", done, checked, dash.AcceptanceItemEdit{Title: new("b")}, dash.AcceptanceItem{ID: 1, Title: "b", Checked: true, Version: 4}, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := work.EditItem(tt.card, tt.item, tt.edit)
			if code(t, err) != tt.code || got != tt.want {
				t.Errorf("got %+v, %v", got, err)
			}
		})
	}
}

func TestFields(t *testing.T) {
	tests := []struct {
		text  string
		want  work.Fields
		fault string
	}{
		{`{}`, work.Fields{}, ""},
		{`{"description":true,"acceptance":false}`, work.Fields{"description": nil}, ""},
		{`{"status":true,"id":false,"gates":true}`, work.Fields{"status": nil, "gates": nil}, ""},
		{`{"children":true}`, work.Fields{"children": nil}, ""},
		{`{"children":{}}`, work.Fields{"children": {}}, ""},
		{`{"children":false}`, work.Fields{}, ""},
		{` {"children":{"acceptance": true , "title":true}} `, work.Fields{"children": {"acceptance": nil, "title": nil}}, ""},
		{`{"children":{"children":true}}`, nil, "children.children: the rows below children hold no children of their own"},
		{`{"children":{"children":{}}}`, nil, "children.children: the rows below children hold no children of their own"},
		{`{"children":{"descripton":true}}`, nil, "children.descripton: issue has no such field, the nearest is description"},
		{`{"child":true,"waiting":true}`, nil, "child: issue has no such field, the nearest is children; waiting: issue has no such field, the nearest is waiting_on"},
		{`{"children":3}`, nil, "children wants true, false or an object"},
		{`{"children":null}`, nil, "children wants true, false or an object"},
		{`{"description":{}}`, nil, "description wants true or false"},
		{`{"description":null}`, nil, "description wants true or false"},
		{`{"description":1}`, nil, "description wants true or false"},
		{`[]`, nil, `is no JSON object such as {"description":true}`},
		{`null`, nil, `is no JSON object such as {"description":true}`},
		{`{"description":true`, nil, `is no JSON object such as {"description":true}`},
		{`{"description":true,"description":false}`, nil, "description is given twice"},
		{`{"description":true,"\u0064escription":true}`, nil, "description is given twice"},
		{`{"children":{"acceptance":true,"title":true,"acceptance":true}}`, nil, "children.acceptance is given twice"},
		{`{"children":{},"children":{}}`, nil, "children is given twice"},
		{`{} {}`, nil, `is no JSON object such as {"description":true}`},
		{`{"` + strings.Repeat("é", 50) + `":true}`, nil, strings.Repeat("é", 20) + "…: issue has no such field, the nearest is description"},
	}
	for _, tt := range tests {
		t.Run(tt.text, func(t *testing.T) {
			got, err := work.ParseFields("issue", &tt.text)
			var faults []string
			if r, ok := errors.AsType[dash.InvalidRequestRefusal](err); ok {
				for _, f := range r.Issues {
					faults = append(faults, f.Message)
					if f.In != "query" || f.Path != "fields" {
						t.Errorf("the fault is in %s %s", f.In, f.Path)
					}
				}
			} else if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" || strings.Join(faults, "; ") != tt.fault {
				t.Errorf("got %v, %q", got, faults)
			}
		})
	}
	if got, err := work.ParseFields("issue", nil); got != nil || err != nil {
		t.Errorf("without: %v, %v", got, err)
	}
}
