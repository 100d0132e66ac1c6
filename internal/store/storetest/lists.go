// SPDX-License-Identifier: Apache-2.0

package storetest

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/fiftyarms/platform/gen/dash"
	"github.com/fiftyarms/platform/internal/store"
)

var lists = []test{
	{"cards are listed by board, status, position and id, page by page", func(w *world) {
		d := w.desk("acme", "SHOP")
		first := d.board
		second := d.newBoard("APP").Ref // its ids come first, it comes second
		for n, status := range slices.Concat(dash.AllIssueStatuses, dash.AllIssueStatuses) {
			d.board = second
			ids := d.adds(2, status)
			d.board = first
			d.adds(n%3, status)
			d.board = second
			d.place(ids[1], status, store.Place{Top: true}) // below 0 in the end
		}
		for _, q := range []store.IssueQuery{
			{}, {Board: first}, {Board: second}, {Status: dash.IssueStatusToDo},
			{Board: second, Status: dash.IssueStatusDone}, {Board: second, Status: dash.IssueStatusBacklog}, {Board: 99},
		} {
			q.Limit = 1000
			all, err := d.Issues(d.ctx(), q)
			w.must(err)
			if !slices.IsSortedFunc(all, inOrder) {
				w.Errorf("%+v is not in order: %v", q, issueIDs(all))
			}
			for size := 1; size < len(all)+2; size += 1 + size/2 {
				var paged []store.Issue
				for q.After, q.Limit = (store.IssuePlace{}), size; ; {
					page, err := d.Issues(d.ctx(), q)
					w.must(err)
					if len(page) == 0 {
						break
					}
					paged = append(paged, page...)
					last := page[len(page)-1]
					q.After = store.IssuePlace{Board: last.Board, Status: last.Status, Position: last.Position, ID: last.ID}
				}
				w.same(fmt.Sprintf("%+v in pages of %d", q, size), issueIDs(paged), issueIDs(all))
			}
		}
		w.same("all cards", len(d.listed(store.IssueQuery{Limit: 1000})), 24+12)
		w.same("a page of none", len(d.listed(store.IssueQuery{})), 0)
		w.same("a page below none", len(d.listed(store.IssueQuery{Limit: -1})), 0)
		ahead := store.IssueQuery{Board: first, After: store.IssuePlace{Board: second}, Limit: 1000}
		w.same("a board that the place is beyond", len(d.listed(ahead)), 0)
	}},

	{"cards are listed by what they are", func(w *world) {
		d := w.desk("acme", "SHOP")
		w.connected(w.key(d.Person), alive, 1)
		w.connected(w.key(d.Person), alive, 2)
		epic := d.card(dash.IssueStatusInProgress)
		epic.Type = dash.IssueTypeEpic
		parent := d.add(epic).ID
		add := func(edit func(*dash.Issue)) dash.IssueID {
			i := d.card(dash.IssueStatusToDo)
			edit(&i)
			return d.add(i).ID
		}
		one, two := int64(1), int64(2)
		plain := add(func(*dash.Issue) {})
		child := add(func(i *dash.Issue) { i.ParentID = &parent })
		bug := add(func(i *dash.Issue) { i.Type = dash.IssueTypeBug; i.AssignedAgent = &one })
		busy := add(func(i *dash.Issue) {
			i.Status = dash.IssueStatusInProgress
			i.AssignedAgent = &two
			i.ParentID = &parent
		})
		blocked := add(func(i *dash.Issue) { i.Blocked = &dash.Blocked{Reason: "Stuck.", At: dash.At(start)} })
		human := add(func(i *dash.Issue) {
			i.RequiresHuman = &dash.RequiresHuman{Reason: "Yours.", Steps: []string{}, SetBy: d.by(), SetAt: dash.At(start)}
		})
		waiting, excluded := add(func(*dash.Issue) {}), add(func(*dash.Issue) {})
		d.change(func(tx store.WorkTx) error {
			if err := tx.SetWaitingOn(d.ctx(), waiting, "In turn.", []dash.IssueID{plain}); err != nil {
				return err
			}
			return tx.SetConflict(d.ctx(), excluded, busy, "Both rewrite basket.go.")
		})
		yes, no := true, false
		for what, tt := range map[string]struct {
			q    store.IssueQuery
			want []dash.IssueID
		}{
			"Bugs":             {store.IssueQuery{Type: dash.IssueTypeBug}, []dash.IssueID{bug}},
			"children":         {store.IssueQuery{Parent: parent}, []dash.IssueID{busy, child}},
			"agent 1":          {store.IssueQuery{Agent: 1}, []dash.IssueID{bug}},
			"agent 2":          {store.IssueQuery{Agent: 2}, []dash.IssueID{busy}},
			"agent 3":          {store.IssueQuery{Agent: 3}, []dash.IssueID{}},
			"ready":            {store.IssueQuery{Ready: &yes}, []dash.IssueID{plain, child, bug}},
			"not ready":        {store.IssueQuery{Ready: &no}, []dash.IssueID{parent, busy, blocked, human, waiting, excluded}},
			"ready bugs":       {store.IssueQuery{Ready: &yes, Type: dash.IssueTypeBug}, []dash.IssueID{bug}},
			"busy children":    {store.IssueQuery{Parent: parent, Status: dash.IssueStatusInProgress}, []dash.IssueID{busy}},
			"children elsewhe": {store.IssueQuery{Parent: plain}, []dash.IssueID{}},
		} {
			for _, board := range []int64{0, d.board} {
				tt.q.Board, tt.q.Limit = board, 100
				w.same(fmt.Sprint(what, " of board ", board), d.listed(tt.q), tt.want)
			}
		}
		children, err := d.Children(d.ctx(), parent)
		w.must(err)
		w.same("the children", children, []store.Issue{d.issue(busy), d.issue(child)})
		children, err = d.Children(d.ctx(), plain)
		w.must(err)
		w.same("no children", len(children), 0)
	}},

	{"a text is found in ids and titles, whatever its case", func(w *world) {
		d := w.desk("acme", "SHOP")
		for _, title := range []string{"Mend the Checkout", "100% of_it ÄRGER", `a\b ! "quoted"`, "Stra\u00dfe e\u0301t\u00e9"} {
			i := d.card(dash.IssueStatusToDo)
			i.Title = title
			d.add(i)
		}
		for text, want := range map[string][]dash.IssueID{
			"":                {"SHOP-1", "SHOP-2", "SHOP-3", "SHOP-4"},
			"checkout":        {"SHOP-1"},
			"THE CHECK":       {"SHOP-1"},
			"shop-2":          {"SHOP-2"},
			"op-":             {"SHOP-1", "SHOP-2", "SHOP-3", "SHOP-4"},
			"100%":            {"SHOP-2"},
			"%":               {"SHOP-2"},
			"_":               {"SHOP-2"},
			"0%o":             {},
			"\\":              {"SHOP-3"},
			"!":               {"SHOP-3"},
			`"QUOTED`:         {"SHOP-3"},
			"ärger":           {"SHOP-2"},
			"A\u0308RGER":     {"SHOP-2"}, // the letter put together in another way
			"\u00c9T":         {"SHOP-4"},
			"STRA\u1e9eE":     {"SHOP-4"},
			"'; DROP":         {},
			"SHOP-1 Mend":     {},
			"Mend the Chekou": {},
		} {
			for _, board := range []int64{0, d.board} {
				w.same(fmt.Sprintf("what %q finds", text), d.listed(store.IssueQuery{Board: board, Text: text, Limit: 10}), want)
			}
		}
	}},
}

func inOrder(a, b store.Issue) int {
	return cmp.Or(cmp.Compare(a.Board, b.Board), cmp.Compare(a.Status, b.Status), cmp.Compare(a.Position, b.Position), cmp.Compare(a.ID, b.ID))
}
