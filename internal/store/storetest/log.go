// SPDX-License-Identifier: Apache-2.0

package storetest

import (
	"fmt"
	"slices"
	"sync/atomic"
	"time"

	"github.com/fiftyarms/platform/gen/dash"
	"github.com/fiftyarms/platform/internal/store"
)

var log = []test{
	{"events are numbered from 1 in each team and kept as they are", func(w *world) {
		d, other := w.desk("acme", "SHOP"), w.desk("bolt", "SHOP")
		w.same("the head of an empty log", d.head(), int64(0))
		id := d.add(d.card(toDo)).ID
		first := d.happened(dash.EventKindIssueTransitioned, id)
		first.Number, first.Cursor = 77, "77"
		bare := store.Event{Event: dash.Event{Kind: dash.EventKindBoardEdited, At: dash.At(start), By: d.by()}}
		want := d.appended(first, bare)
		want = append(want, d.appended(d.happened(dash.EventKindIssueEdited, id))...)
		w.same("the numbers", []int64{want[0].Number, want[1].Number, want[2].Number}, []int64{1, 2, 3})
		w.same("the log", d.log(0), want)
		w.same("its head", d.head(), int64(3))
		w.same("the other team's head", other.head(), int64(0))
		d.change(func(tx store.WorkTx) error {
			last, err := tx.Append(d.ctx())
			w.same("the last number of no events", last, int64(3))
			return err
		})
	}},

	{"the log is read by cursor, page by page", func(w *world) {
		d := w.desk("acme", "SHOP")
		id := d.add(d.card(toDo)).ID
		want := d.appended(slices.Repeat([]store.Event{d.happened(dash.EventKindIssueEdited, id)}, 7)...)
		for size := 1; size < 9; size++ {
			var got []store.Event
			for after := int64(0); ; {
				page, err := d.Events(d.ctx(), after, size)
				w.must(err)
				if len(page) == 0 {
					break
				}
				got = append(got, page...)
				after = page[len(page)-1].Number
			}
			w.same("the log", got, want)
		}
		for _, limit := range []int{0, -1} {
			none, err := d.Events(d.ctx(), 0, limit)
			w.must(err)
			w.same("a page of none", len(none), 0)
		}
	}},

	{"the history of a card runs from new to old", func(w *world) {
		d := w.desk("acme", "SHOP")
		ids := d.adds(2, toDo)
		var want []store.Event
		for n := range 6 {
			events := d.appended(d.happened(dash.EventKindIssueEdited, ids[n%2]))
			if n%2 == 0 {
				want = slices.Insert(want, 0, events[0])
			}
		}
		for size := 1; size < 5; size++ {
			var got []store.Event
			for before := int64(0); ; {
				page, err := d.History(d.ctx(), ids[0], before, size)
				w.must(err)
				if len(page) == 0 {
					break
				}
				got = append(got, page...)
				before = page[len(page)-1].Number
			}
			w.same("the history", got, want)
		}
		none, err := d.History(d.ctx(), "SHOP-9", 0, 10)
		w.must(err)
		w.same("the history of no card", len(none), 0)
	}},

	{"an event is about what is there", func(w *world) {
		d := w.desk("acme", "SHOP")
		id := d.add(d.card(toDo)).ID
		board := int64(9)
		for what, edit := range map[string]func(*store.Event){
			"board": func(e *store.Event) { e.Board = &board },
			"card":  func(e *store.Event) { none := "SHOP-9"; e.Issue = &none },
			"key":   func(e *store.Event) { e.KeyID = "no key" },
		} {
			e := d.happened(dash.EventKindIssueEdited, id)
			edit(&e)
			err := d.Change(d.ctx(), d.Team.ID, func(tx store.WorkTx) error { _, err := tx.Append(d.ctx(), e); return err })
			if err == nil {
				w.Errorf("an event about a %s that is not there", what)
				continue
			}
			w.refused(err, store.ErrNotFound)
		}
		w.same("the log", len(d.log(0)), 0)
	}},

	{"revoking a key is an event, the first time", func(w *world) {
		d := w.desk("acme", "SHOP")
		k := w.key(d.Person)
		r := store.Revocation{KeyID: k.ID, TeamID: d.Team.ID, By: dash.PersonRef{ID: d.Person.ID, Name: "Ada then"}, At: after(time.Hour)}
		for range 2 {
			w.must(w.RevokeKey(w.ctx(), r))
			r.At = after(2 * time.Hour)
		}
		r.KeyID = "no key"
		w.refused(w.RevokeKey(w.ctx(), r), store.ErrNotFound)
		w.same("the log", d.log(0), []store.Event{{Number: 1, KeyID: k.ID, Event: dash.Event{
			Cursor: "1", Kind: dash.EventKindKeyRevoked, At: dash.At(after(time.Hour)), Changes: []dash.Change{},
			By: dash.Actor{Kind: dash.ActorKindPerson, Name: "Ada then", Person: dash.PersonRef{ID: d.Person.ID, Name: "Ada then"}},
		}}})
	}},

	{"a key that many revoke is one event", func(w *world) {
		d := w.desk("acme", "SHOP")
		k := w.key(d.Person)
		for _, err := range race(racers, func(int) error {
			return w.RevokeKey(w.ctx(), store.Revocation{KeyID: k.ID, TeamID: d.Team.ID, By: d.by().Person, At: after(time.Hour)})
		}) {
			w.must(err)
		}
		w.same("the log", len(d.log(0)), 1)
	}},

	{"who reads by cursor sees each event once, in order, while many write", func(w *world) {
		d := w.desk("acme", "SHOP")
		ids := d.adds(4, toDo)
		const writers, each = 16, 12
		var writing atomic.Int64
		writing.Store(writers)
		var seen []store.Event
		ended := race(writers+1, func(who int) error {
			if who == writers {
				for {
					last := writing.Load() == 0 // before the read: what is committed by then is seen by it
					page, err := d.Events(d.ctx(), int64(len(seen)), 7)
					if err != nil {
						return err
					}
					seen = append(seen, page...)
					if last && len(page) == 0 {
						return nil
					}
				}
			}
			defer writing.Add(-1)
			for n := range each {
				err := d.Change(d.ctx(), d.Team.ID, func(tx store.WorkTx) error {
					if err := tx.PlaceIssue(d.ctx(), ids[who%4], toDo, store.Place{Top: true}); err != nil {
						return err
					}
					var about [2]store.Event
					for i := range about {
						about[i] = d.happened(dash.EventKindIssueEdited, ids[who%4])
						about[i].By.Name = fmt.Sprint(who, " ", n, " ", i)
					}
					if _, err := tx.Append(d.ctx(), about[:]...); err != nil {
						return err
					}
					if n%3 == 2 {
						return errRefused // leaves a gap nowhere
					}
					return nil
				})
				if err != nil && err != errRefused {
					return err
				}
			}
			return nil
		})
		for _, err := range ended {
			w.must(err)
		}
		names := map[string]bool{}
		for i, e := range seen {
			if e.Number != int64(i+1) {
				w.Fatalf("event %d came as number %d", e.Number, i+1)
			}
			names[e.By.Name] = true
		}
		w.same("events", len(seen), writers*(each-each/3)*2)
		w.same("different events", len(names), len(seen))
		w.same("the head", d.head(), int64(len(seen)))
		for i := 0; i < len(seen); i += 2 {
			one, two := seen[i].By.Name, seen[i+1].By.Name
			if one[:len(one)-1] != two[:len(two)-1] {
				w.Fatalf("the events of one change are apart: %q, %q", one, two)
			}
		}
	}},
}

func (d *desk) head() int64 {
	d.Helper()
	head, err := d.EventHead(d.ctx())
	d.must(err)
	return head
}
