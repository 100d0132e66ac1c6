// SPDX-License-Identifier: Apache-2.0

package storetest

import (
	"github.com/fiftyarms/platform/gen/dash"
	"github.com/fiftyarms/platform/internal/store"
)

var links = []test{
	{"a card waits for others until they end", func(w *world) {
		d := w.desk("acme", "SHOP")
		ids := d.adds(3, toDo)
		d.waits(ids[0], "In turn.", ids[2], ids[1])
		d.same("what it waits for", d.waiting(ids[0]), &dash.WaitingOn{Reason: "In turn.", By: []dash.IssueLink{d.link(ids[1]), d.link(ids[2])}})
		for _, tt := range []struct {
			one, two dash.IssueStatus
			shut     bool
		}{
			{toDo, toDo, true},
			{dash.IssueStatusDone, toDo, true},
			{dash.IssueStatusDone, inProgress, true},
			{dash.IssueStatusReview, dash.IssueStatusBacklog, true},
			{dash.IssueStatusDone, dash.IssueStatusCancelled, false},
			{dash.IssueStatusCancelled, dash.IssueStatusDone, false},
		} {
			d.place(ids[1], tt.one, store.Place{})
			d.place(ids[2], tt.two, store.Place{})
			want := []dash.Gate{}
			if tt.shut {
				want = append(want, dash.GateWaitingOn)
			}
			d.gates(ids[0], want...)
		}
		d.same("its reason stays", d.waiting(ids[0]).Reason, "In turn.")
	}},

	{"what a card waits for is set as a whole", func(w *world) {
		d := w.desk("acme", "SHOP")
		ids := d.adds(4, toDo)
		d.waits(ids[0], "First.", ids[1], ids[2])
		d.waits(ids[3], "Too.", ids[1])
		d.waits(ids[0], "Second.", ids[3])
		d.same("what it waits for", d.waiting(ids[0]), &dash.WaitingOn{Reason: "Second.", By: []dash.IssueLink{d.link(ids[3])}})
		d.blocks(ids[1], ids[3])
		d.blocks(ids[2])
		d.waits(ids[0], "Something else.")
		d.same("a reason alone", d.waiting(ids[0]), &dash.WaitingOn{Reason: "Something else.", By: []dash.IssueLink{}})
		d.gates(ids[0])
		d.waits(ids[0], "")
		d.same("no wait", d.waiting(ids[0]), (*dash.WaitingOn)(nil))
		d.gates(ids[3], dash.GateWaitingOn)
	}},

	{"a card blocks those that wait for it", func(w *world) {
		d := w.desk("acme", "SHOP")
		ids := d.adds(12, toDo)
		d.waits(ids[10], "Turn.", ids[0], ids[1])
		d.waits(ids[1], "Turn.", ids[0])
		d.waits(ids[4], "Turn.", ids[0])
		d.blocks(ids[0], "SHOP-11", "SHOP-2", "SHOP-5")
		d.blocks(ids[1], ids[10])
		d.blocks(ids[10])
	}},

	{"a card needs what it waits for and its children", func(w *world) {
		d := w.desk("acme", "SHOP")
		ids := d.adds(3, toDo)
		epic := d.card(toDo)
		epic.Type = dash.IssueTypeEpic
		parent := d.add(epic).ID
		child := d.card(toDo)
		child.ParentID = &parent
		one, two := d.add(child).ID, d.add(child).ID
		needs := func(id dash.IssueID, want ...dash.IssueID) {
			got, err := d.Needs(d.ctx(), id)
			w.must(err)
			w.same("what "+id+" needs", append([]dash.IssueID{}, got...), append([]dash.IssueID{}, want...))
		}
		needs(ids[0])
		needs(parent, one, two)
		d.waits(parent, "Turn.", ids[2], ids[0], one)
		needs(parent, ids[0], ids[2], one, two)
		d.waits(one, "Turn.", ids[1])
		needs(one, ids[1])
		needs("SHOP-99")
	}},

	{"two cards conflict for both alike", func(w *world) {
		d := w.desk("acme", "SHOP")
		ids := d.adds(3, toDo)
		set := func(one, other dash.IssueID, reason string) {
			d.change(func(tx store.WorkTx) error { return tx.SetConflict(d.ctx(), one, other, reason) })
		}
		end := func(one, other dash.IssueID) func(tx store.WorkTx) error {
			return func(tx store.WorkTx) error { return tx.ClearConflict(d.ctx(), one, other) }
		}
		set(ids[0], ids[1], "Both rewrite basket.go.")
		set(ids[2], ids[0], "Both rename it.")
		d.conflicts(ids[0], dash.Conflict{Issue: d.link(ids[1]), Reason: "Both rewrite basket.go."}, dash.Conflict{Issue: d.link(ids[2]), Reason: "Both rename it."})
		d.conflicts(ids[1], dash.Conflict{Issue: d.link(ids[0]), Reason: "Both rewrite basket.go."})
		d.gates(ids[0])
		d.place(ids[0], inProgress, store.Place{})
		d.gates(ids[0])
		d.gates(ids[1], dash.GateConflictOn)
		d.gates(ids[2], dash.GateConflictOn)
		set(ids[1], ids[0], "Another reason.")
		for i, other := range []int{1, 0} {
			got, err := d.Conflicts(d.ctx(), ids[i])
			w.must(err)
			w.same("a conflict", got[0], dash.Conflict{Issue: d.link(ids[other]), Reason: "Another reason."})
		}
		d.change(end(ids[1], ids[0]))
		d.conflicts(ids[1])
		d.gates(ids[1])
		d.gates(ids[2], dash.GateConflictOn)
		d.change(end(ids[2], ids[0]))
		d.conflicts(ids[0])
		d.fails(store.ErrNotFound, end(ids[2], ids[0]))
		d.fails(store.ErrNotFound, end("SHOP-99", ids[0]))
	}},

	{"gates stand in the order of the contract", func(w *world) {
		d := w.desk("acme", "SHOP")
		ids := d.adds(2, inProgress)
		i := d.card(toDo)
		i.RequiresHuman = &dash.RequiresHuman{Reason: "Yours.", Steps: []string{"Open it."}, SetBy: d.by(), SetAt: dash.At(start)}
		i.Blocked = &dash.Blocked{Reason: "Stuck.", At: dash.At(start)}
		id := d.add(i).ID
		d.change(func(tx store.WorkTx) error { return tx.SetConflict(d.ctx(), ids[0], id, "Both.") })
		d.waits(id, "Turn.", ids[1])
		d.gates(id, dash.GateWaitingOn, dash.GateBlocked, dash.GateRequiresHuman, dash.GateConflictOn)
	}},

	{"links lead to cards that are there, each once", func(w *world) {
		d := w.desk("acme", "SHOP")
		ids := d.adds(2, toDo)
		for what, f := range map[string]func(tx store.WorkTx) error{
			"a wait of none":     func(tx store.WorkTx) error { return tx.SetWaitingOn(d.ctx(), "SHOP-9", "Turn.", ids) },
			"a wait for none":    func(tx store.WorkTx) error { return tx.SetWaitingOn(d.ctx(), ids[0], "Turn.", []string{"SHOP-9"}) },
			"a conflict of none": func(tx store.WorkTx) error { return tx.SetConflict(d.ctx(), "SHOP-9", ids[0], "Both.") },
			"a conflict to none": func(tx store.WorkTx) error { return tx.SetConflict(d.ctx(), ids[0], "SHOP-9", "Both.") },
		} {
			if err := d.Change(d.ctx(), d.Team.ID, f); err == nil {
				w.Errorf("%s was set", what)
			} else {
				w.refused(err, store.ErrNotFound)
			}
		}
		d.fails(store.ErrDuplicate, func(tx store.WorkTx) error {
			return tx.SetWaitingOn(d.ctx(), ids[0], "Turn.", []string{ids[1], ids[1]})
		})
		d.same("no wait", d.waiting(ids[0]), (*dash.WaitingOn)(nil))
		d.conflicts(ids[0])
		got, err := d.Link(d.ctx(), ids[1])
		w.must(err)
		w.same("a link", got, dash.IssueLink{ID: ids[1], Board: d.board, Title: "Mend the checkout", Status: toDo})
	}},
}

func (d *desk) waits(id dash.IssueID, reason string, by ...dash.IssueID) {
	d.Helper()
	d.change(func(tx store.WorkTx) error { return tx.SetWaitingOn(d.ctx(), id, reason, by) })
}

func (d *desk) waiting(id dash.IssueID) *dash.WaitingOn {
	d.Helper()
	got, err := d.WaitingOn(d.ctx(), id)
	d.must(err)
	return got
}

func (d *desk) blocks(id dash.IssueID, want ...dash.IssueID) {
	d.Helper()
	got, err := d.Blocks(d.ctx(), id)
	d.must(err)
	links := make([]dash.IssueLink, len(want))
	for i, id := range want {
		links[i] = d.link(id)
	}
	d.same("what waits for "+id, got, links)
}

func (d *desk) conflicts(id dash.IssueID, want ...dash.Conflict) {
	d.Helper()
	got, err := d.Conflicts(d.ctx(), id)
	d.must(err)
	d.same("the conflicts of "+id, got, append([]dash.Conflict{}, want...))
}

// gates wants the gates of a card, as it is read and as it is listed.
func (d *desk) gates(id dash.IssueID, want ...dash.Gate) {
	d.Helper()
	d.same("the gates of "+id, d.issue(id).Gates, append([]dash.Gate{}, want...))
	page, err := d.Issues(d.ctx(), store.IssueQuery{Text: id, Limit: 100})
	d.must(err)
	for _, i := range page {
		if i.ID == id {
			d.same("the listed gates of "+id, i.Gates, append([]dash.Gate{}, want...))
			return
		}
	}
	d.Errorf("%s is not listed", id)
}
