// SPDX-License-Identifier: Apache-2.0

package storetest

import (
	"time"

	"github.com/fiftyarms/platform/internal/store"
)

var once = []test{
	{"a call that came before is known by caller, operation and key", func(w *world) {
		d, other := w.desk("acme", "SHOP"), w.desk("bolt", "SHOP")
		o := store.Once{Caller: "key", Operation: "createIssue", Key: "k", Digest: "d", At: start, Since: after(-24 * time.Hour)}
		d.knows(o, "")
		d.remembers(o, "SHOP-1")
		d.knows(o, "SHOP-1")
		for _, edit := range []func(*store.Once){
			func(o *store.Once) { o.Caller = "another" },
			func(o *store.Once) { o.Operation = "createBoard" },
			func(o *store.Once) { o.Key = "K" },
		} {
			changed := o
			edit(&changed)
			d.knows(changed, "")
		}
		other.knows(o, "")
		o.Digest = "another call"
		d.fails(store.ErrConflict, func(tx store.WorkTx) error { _, err := tx.Once(d.ctx(), o); return err })
	}},

	{"a note counts until the millisecond before it is too old", func(w *world) {
		d := w.desk("acme", "SHOP")
		o := store.Once{Caller: "key", Operation: "createIssue", Key: "k", Digest: "d", At: start, Since: start}
		d.remembers(o, "SHOP-1")
		d.knows(o, "SHOP-1")
		o.Since = start.Add(time.Millisecond)
		d.knows(o, "")
		o.Digest = "another call"
		d.knows(o, "")
		o.At = after(time.Hour)
		d.remembers(o, "SHOP-2")
		d.knows(o, "SHOP-2")
	}},

	{"noting forgets what is too old, of its team alone", func(w *world) {
		d, other := w.desk("acme", "SHOP"), w.desk("bolt", "SHOP")
		old := store.Once{Caller: "key", Operation: "createIssue", Key: "old", Digest: "d", At: start, Since: start}
		d.remembers(old, "SHOP-1")
		other.remembers(old, "SHOP-1")
		next := old
		next.Key, next.At, next.Since = "next", after(time.Hour), after(time.Minute)
		d.remembers(next, "SHOP-2")
		d.knows(old, "")
		d.knows(next, "SHOP-2")
		other.knows(old, "SHOP-1")
	}},

	{"of calls that race with one key one creates", func(w *world) {
		d := w.desk("acme", "SHOP")
		o := store.Once{Caller: "key", Operation: "createIssue", Key: "k", Digest: "d", At: start, Since: start}
		created := make([]string, racers)
		for _, err := range race(racers, func(i int) error {
			return d.Change(d.ctx(), d.Team.ID, func(tx store.WorkTx) (err error) {
				if created[i], err = tx.Once(d.ctx(), o); err != nil || created[i] != "" {
					return err
				}
				if created[i], err = tx.AddIssue(d.ctx(), d.card(toDo)); err != nil {
					return err
				}
				return tx.Remember(d.ctx(), o, created[i])
			})
		}) {
			w.must(err)
		}
		for _, id := range created {
			w.same("what a call created", id, "SHOP-1")
		}
		w.same("the cards", d.column(toDo), []string{"SHOP-1"})
	}},
}

func (d *desk) remembers(o store.Once, subject string) {
	d.Helper()
	d.change(func(tx store.WorkTx) error { return tx.Remember(d.ctx(), o, subject) })
}

func (d *desk) knows(o store.Once, want string) {
	d.Helper()
	d.change(func(tx store.WorkTx) error {
		got, err := tx.Once(d.ctx(), o)
		d.same("what the call created before", got, want)
		return err
	})
}
