// SPDX-License-Identifier: Apache-2.0

package storetest

import (
	"math/rand/v2"
	"slices"

	"github.com/fiftyarms/platform/gen/dash"
	"github.com/fiftyarms/platform/internal/store"
)

const (
	toDo       = dash.IssueStatusToDo
	inProgress = dash.IssueStatusInProgress
)

var places = []test{
	{"a card goes to the top, the end, or after another", func(w *world) {
		d := w.desk("acme", "SHOP")
		ids := d.adds(4, toDo)
		a, b, c, e := ids[0], ids[1], ids[2], ids[3]
		for _, tt := range []struct {
			card   dash.IssueID
			status dash.IssueStatus
			to     store.Place
			toDo   []dash.IssueID
			busy   []dash.IssueID
		}{
			{a, toDo, store.Place{}, []dash.IssueID{b, c, e, a}, []dash.IssueID{}},
			{a, toDo, store.Place{}, []dash.IssueID{b, c, e, a}, []dash.IssueID{}}, // where it is
			{a, toDo, store.Place{Top: true}, []dash.IssueID{a, b, c, e}, []dash.IssueID{}},
			{a, toDo, store.Place{Top: true}, []dash.IssueID{a, b, c, e}, []dash.IssueID{}},
			{a, toDo, store.Place{After: c}, []dash.IssueID{b, c, a, e}, []dash.IssueID{}},
			{e, toDo, store.Place{After: b}, []dash.IssueID{b, e, c, a}, []dash.IssueID{}},
			{e, toDo, store.Place{After: b}, []dash.IssueID{b, e, c, a}, []dash.IssueID{}},
			{b, toDo, store.Place{After: a, Top: true}, []dash.IssueID{e, c, a, b}, []dash.IssueID{}},
			{c, inProgress, store.Place{}, []dash.IssueID{e, a, b}, []dash.IssueID{c}},
			{e, inProgress, store.Place{After: c}, []dash.IssueID{a, b}, []dash.IssueID{c, e}},
			{a, inProgress, store.Place{After: c}, []dash.IssueID{b}, []dash.IssueID{c, a, e}},
			{b, inProgress, store.Place{Top: true}, []dash.IssueID{}, []dash.IssueID{b, c, a, e}},
			{a, toDo, store.Place{Top: true}, []dash.IssueID{a}, []dash.IssueID{b, c, e}},
		} {
			d.place(tt.card, tt.status, tt.to)
			w.same("ToDo", d.column(toDo), tt.toDo)
			w.same("In Progress", d.column(inProgress), tt.busy)
		}
	}},

	{"only the place of a card changes", func(w *world) {
		d := w.desk("acme", "SHOP")
		id := d.adds(3, toDo)[1]
		want := d.issue(id)
		d.place(id, inProgress, store.Place{})
		got := d.issue(id)
		want.Status, want.Position = inProgress, got.Position
		w.same("the card", got, want)
	}},

	{"a card goes after none that is not in the column", func(w *world) {
		d := w.desk("acme", "SHOP")
		ids := d.adds(2, toDo)
		busy := d.adds(1, inProgress)[0]
		shop := d.board
		d.board = d.newBoard("SITE").Ref
		elsewhere := d.adds(1, toDo)[0]
		d.board = shop
		for _, after := range []dash.IssueID{busy, elsewhere, ids[0], "SHOP-99"} {
			d.fails(store.ErrNotFound, func(tx store.WorkTx) error {
				return tx.PlaceIssue(d.ctx(), ids[0], toDo, store.Place{After: after})
			})
		}
		w.same("the column", d.column(toDo), ids)
	}},

	{"there is room for any number of moves", func(w *world) {
		d := w.desk("acme", "SHOP")
		column := d.adds(6, toDo)
		other := d.issue(d.adds(1, inProgress)[0])
		moves := func(n int, move func() (dash.IssueID, store.Place)) {
			d.change(func(tx store.WorkTx) error {
				for range n {
					id, to := move()
					if err := tx.PlaceIssue(d.ctx(), id, toDo, to); err != nil {
						return err
					}
					column = moved(column, id, to)
				}
				return nil
			})
			w.same("the column", d.column(toDo), column)
		}
		// Each time the last goes right after the first: nothing halves a gap faster.
		moves(200, func() (dash.IssueID, store.Place) { return column[len(column)-1], store.Place{After: column[0]} })
		random := rand.New(rand.NewPCG(1, 2))
		for range 10 {
			moves(50, func() (dash.IssueID, store.Place) {
				id := column[random.IntN(len(column))]
				switch after := column[random.IntN(len(column))]; {
				case after != id:
					return id, store.Place{After: after}
				default:
					return id, store.Place{Top: random.IntN(2) == 0}
				}
			})
		}
		w.same("a card of another column", d.issue(other.ID), other)
		for _, id := range column {
			if i := d.issue(id); i.Version != 1 || !i.UpdatedAt.Equal(start) {
				w.Errorf("moving others changed %s: version %d, %s", id, i.Version, i.UpdatedAt)
			}
		}
	}},

	{"moves that race leave one order with every card once", func(w *world) {
		d := w.desk("acme", "SHOP")
		ids := d.adds(8, toDo)
		for _, err := range race(racers, func(i int) error {
			return d.Change(d.ctx(), d.Team.ID, func(tx store.WorkTx) error {
				for n := range 5 {
					id, after := ids[(i+n)%len(ids)], ids[(i*3+n*n+1)%len(ids)]
					to := store.Place{After: after}
					if id == after {
						to = store.Place{Top: n%2 == 0}
					}
					if err := tx.PlaceIssue(d.ctx(), id, toDo, to); err != nil {
						return err
					}
				}
				return nil
			})
		}) {
			w.must(err)
		}
		page, err := d.Issues(d.ctx(), store.IssueQuery{Board: d.board, Limit: 100})
		w.must(err)
		positions := map[int64]bool{}
		for _, i := range page {
			positions[i.Position] = true
		}
		w.same("different positions", len(positions), len(ids))
		w.same("the cards", slices.Sorted(slices.Values(issueIDs(page))), ids)
	}},

	{"cards that are added at once get numbers and places of their own", func(w *world) {
		d := w.desk("acme", "SHOP")
		for _, err := range race(racers, func(int) error {
			return d.Change(d.ctx(), d.Team.ID, func(tx store.WorkTx) error {
				_, err := tx.AddIssue(d.ctx(), d.card(toDo))
				return err
			})
		}) {
			w.must(err)
		}
		page, err := d.Issues(d.ctx(), store.IssueQuery{Limit: 100})
		w.must(err)
		w.same("the cards", len(page), racers)
		for i, card := range page {
			if i > 0 && card.Position <= page[i-1].Position {
				w.Errorf("%s and %s have one place", card.ID, page[i-1].ID)
			}
		}
	}},
}

// moved is a column after a move.
func moved(column []dash.IssueID, id dash.IssueID, to store.Place) []dash.IssueID {
	column = slices.DeleteFunc(slices.Clone(column), func(other dash.IssueID) bool { return other == id })
	at := len(column)
	switch {
	case to.After != "":
		at = slices.Index(column, to.After) + 1
	case to.Top:
		at = 0
	}
	return slices.Insert(column, at, id)
}
