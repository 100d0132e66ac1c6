// SPDX-License-Identifier: Apache-2.0

package storetest

import (
	"context"
	"errors"

	"github.com/fiftyarms/platform/gen/dash"
	"github.com/fiftyarms/platform/internal/store"
)

var errRefused = errors.New("refused")

var changes = []test{
	{"a change reads what it wrote, and others do not until it ends", func(w *world) {
		d := w.desk("acme", "SHOP")
		d.change(func(tx store.WorkTx) error {
			id, err := tx.AddIssue(d.ctx(), d.card(toDo))
			w.must(err)
			_, err = tx.Append(d.ctx(), d.happened(dash.EventKindIssueCreated, id))
			w.must(err)
			_, err = tx.Issue(d.ctx(), d.board, id)
			w.must(err)
			b, err := tx.Board(d.ctx(), d.board)
			w.must(err)
			w.same("the count within", b.Counts[1].Cards, int64(1))
			head, err := tx.EventHead(d.ctx())
			w.must(err)
			w.same("the head within", head, int64(1))

			_, err = d.Issue(d.ctx(), d.board, id)
			w.refused(err, store.ErrNotFound)
			w.same("the head outside", d.head(), int64(0))
			return nil
		})
		w.same("the head", d.head(), int64(1))
		w.same("the cards", d.column(toDo), []dash.IssueID{"SHOP-1"})
	}},

	{"an error of a change leaves nothing, and is handed on", func(w *world) {
		d := w.desk("acme", "SHOP")
		d.furnish()
		before := d.everything()
		err := d.Change(d.ctx(), d.Team.ID, func(tx store.WorkTx) error {
			d.spree(tx)
			return errRefused
		})
		if err != errRefused {
			w.Errorf("the error came as %v", err)
		}
		w.same("what the team has", d.everything(), before)
		w.same("the next card", d.add(d.card(toDo)).ID, "SHOP-5")
		w.same("the next event", d.appended(d.happened(dash.EventKindIssueCreated, "SHOP-5"))[0].Number, int64(2))
	}},

	{"a panic of a change leaves nothing, and goes on", func(w *world) {
		d := w.desk("acme", "SHOP")
		d.furnish()
		before := d.everything()
		func() {
			defer func() { w.same("what was recovered", recover(), any("oh")) }()
			_ = d.Change(d.ctx(), d.Team.ID, func(tx store.WorkTx) error {
				d.spree(tx)
				panic("oh")
			})
		}()
		w.same("what the team has", d.everything(), before)
		w.same("the next card", d.add(d.card(toDo)).ID, "SHOP-5") // and nothing is held
	}},

	{"a statement that fails ends the change, even if nobody minds", func(w *world) {
		d := w.desk("acme", "SHOP")
		d.furnish()
		before := d.everything()
		d.fails(store.ErrDuplicate, func(tx store.WorkTx) error {
			d.spree(tx)
			_, err := tx.AddBoard(d.ctx(), dash.Board{Name: "Other", Prefix: "SHOP"})
			w.refused(err, store.ErrDuplicate)
			return nil
		})
		w.same("what the team has", d.everything(), before)
	}},

	{"what is not found ends no change", func(w *world) {
		d := w.desk("acme", "SHOP")
		ids := d.adds(2, toDo)
		d.change(func(tx store.WorkTx) error {
			_, err := tx.Issue(d.ctx(), 0, "SHOP-9")
			w.refused(err, store.ErrNotFound)
			w.refused(tx.SaveIssue(d.ctx(), dash.Issue{ID: "SHOP-9"}), store.ErrNotFound)
			w.refused(tx.PlaceIssue(d.ctx(), ids[0], toDo, store.Place{After: "SHOP-9"}), store.ErrNotFound)
			w.refused(tx.ClearConflict(d.ctx(), ids[0], ids[1]), store.ErrNotFound)
			w.refused(tx.RemoveAcceptanceItem(d.ctx(), ids[0], 9), store.ErrNotFound)
			_, err = tx.AddAcceptanceItem(d.ctx(), "SHOP-9", "One")
			w.refused(err, store.ErrNotFound)
			_, err = tx.Append(d.ctx(), d.happened(dash.EventKindIssueEdited, ids[0]))
			return err
		})
		w.same("the head", d.head(), int64(1))
	}},

	{"a change that is over changes and reads nothing", func(w *world) {
		d := w.desk("acme", "SHOP")
		id := d.add(d.card(toDo)).ID
		var kept []store.WorkTx
		keep := func(tx store.WorkTx) error { kept = append(kept, tx); return nil }
		d.change(keep)
		d.fails(errRefused, func(tx store.WorkTx) error { return errors.Join(keep(tx), errRefused) })
		before := d.everything()
		for _, tx := range kept {
			_, reading := tx.Issue(d.ctx(), 0, id)
			_, appending := tx.Append(d.ctx(), d.happened(dash.EventKindIssueEdited, id))
			placing := tx.PlaceIssue(d.ctx(), id, dash.IssueStatusDone, store.Place{})
			if reading == nil || appending == nil || placing == nil {
				w.Errorf("a change that is over reads: %v, appends: %v, places: %v", reading, appending, placing)
			}
		}
		w.same("what the team has", d.everything(), before)
	}},

	{"no team has no changes and nothing to read", func(w *world) {
		d := w.desk("acme", "SHOP")
		d.add(d.card(toDo))
		for _, team := range []string{"", "no team"} {
			w.refused(w.Change(w.ctx(), team, func(store.WorkTx) error {
				w.Error("the change of no team ran")
				return nil
			}), store.ErrNotFound)
			_, err := w.Of(team).EventHead(w.ctx())
			w.refused(err, store.ErrNotFound)
			page, err := w.Of(team).Issues(w.ctx(), store.IssueQuery{Limit: 10})
			w.must(err)
			w.same("the cards of no team", len(page), 0)
		}
	}},

	{"changes of one team run one after the other", func(w *world) {
		d := w.desk("acme", "SHOP")
		id := d.add(d.card(toDo)).ID
		for _, err := range race(racers, func(int) error {
			return d.Change(d.ctx(), d.Team.ID, func(tx store.WorkTx) error {
				i, err := tx.Issue(d.ctx(), 0, id)
				if err != nil {
					return err
				}
				i.Version++ // of what was read: two that ran together would count once
				return tx.SaveIssue(d.ctx(), i.Issue)
			})
		}) {
			w.must(err)
		}
		w.same("the version", d.issue(id).Version, int64(1+racers))
	}},

	{"a change whose context ends on its way leaves nothing", func(w *world) {
		d := w.desk("acme", "SHOP")
		d.furnish()
		before := d.everything()
		ctx, cancel := context.WithCancel(w.ctx())
		defer cancel()
		err := d.Change(ctx, d.Team.ID, func(tx store.WorkTx) error {
			d.spree(tx)
			cancel()
			return nil
		})
		w.refused(err, context.Canceled)
		w.same("what the team has", d.everything(), before)
	}},
}
