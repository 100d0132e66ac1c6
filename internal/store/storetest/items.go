// SPDX-License-Identifier: Apache-2.0

package storetest

import (
	"fmt"
	"time"

	"github.com/fiftyarms/platform/gen/dash"
	"github.com/fiftyarms/platform/internal/store"
)

var items = []test{
	{"an acceptance item has a number that no other had", func(w *world) {
		d := w.desk("acme", "SHOP")
		ids := d.adds(2, toDo)
		one, two := d.item(ids[0], "One"), d.item(ids[0], "Two")
		w.same("the first", one, dash.AcceptanceItem{ID: 1, Title: "One", Version: 1})
		w.same("the second", two, dash.AcceptanceItem{ID: 2, Title: "Two", Version: 1})
		w.same("another card's first", d.item(ids[1], "Other").ID, int64(1))
		d.change(func(tx store.WorkTx) error { return tx.RemoveAcceptanceItem(d.ctx(), ids[0], 2) })
		three := d.item(ids[0], "Three")
		w.same("the third", three.ID, int64(3))
		two = dash.AcceptanceItem{ID: 1, Title: "Won", Checked: true, Version: 4}
		d.change(func(tx store.WorkTx) error { return tx.SaveAcceptanceItem(d.ctx(), ids[0], two) })
		got, err := d.Acceptance(d.ctx(), ids[0])
		w.must(err)
		w.same("the items", got, []dash.AcceptanceItem{two, three})
	}},

	{"an acceptance item that is not there is not found", func(w *world) {
		d := w.desk("acme", "SHOP")
		ids := d.adds(2, toDo)
		d.item(ids[0], "One")
		for _, f := range []func(tx store.WorkTx) error{
			func(tx store.WorkTx) error { _, err := tx.AddAcceptanceItem(d.ctx(), "SHOP-9", "One"); return err },
			func(tx store.WorkTx) error {
				return tx.SaveAcceptanceItem(d.ctx(), ids[1], dash.AcceptanceItem{ID: 1, Title: "One", Version: 2})
			},
			func(tx store.WorkTx) error {
				return tx.SaveAcceptanceItem(d.ctx(), ids[0], dash.AcceptanceItem{ID: 2, Title: "One", Version: 2})
			},
			func(tx store.WorkTx) error { return tx.RemoveAcceptanceItem(d.ctx(), ids[1], 1) },
			func(tx store.WorkTx) error { return tx.RemoveAcceptanceItem(d.ctx(), ids[0], 2) },
		} {
			d.fails(store.ErrNotFound, f)
		}
		got, err := d.Acceptance(d.ctx(), "SHOP-9")
		w.must(err)
		w.same("the items of no card", len(got), 0)
	}},

	{"comments are numbered on their card and listed page by page", func(w *world) {
		d := w.desk("acme", "SHOP")
		ids := d.adds(2, toDo)
		var want []dash.Comment
		for n := range 5 {
			c := dash.Comment{ID: 77, Body: fmt.Sprint("Comment ", n), By: d.by(), At: dash.At(after(-time.Duration(n) * time.Hour))}
			if n%2 == 1 {
				c.By = dash.Actor{Kind: dash.ActorKindAgent, Name: "Agent 1", Person: d.by().Person}
			}
			d.change(func(tx store.WorkTx) (err error) {
				c.ID, err = tx.AddComment(d.ctx(), ids[0], c)
				return err
			})
			want = append(want, c)
			w.same("its number", c.ID, int64(n+1))
		}
		for size := 1; size < 7; size++ {
			var got []dash.Comment
			for after := int64(0); ; {
				page, err := d.Comments(d.ctx(), ids[0], after, size)
				w.must(err)
				if len(page) == 0 {
					break
				}
				got = append(got, page...)
				after = got[len(got)-1].ID
			}
			w.same("the comments", got, want)
		}
		one, err := d.Comment(d.ctx(), ids[0], 3)
		w.must(err)
		w.same("a comment", one, want[2])
		_, err = d.Comment(d.ctx(), ids[1], 3)
		w.refused(err, store.ErrNotFound)
		none, err := d.Comments(d.ctx(), ids[0], 0, -1)
		w.must(err)
		w.same("a page below none", len(none), 0)
		d.fails(store.ErrNotFound, func(tx store.WorkTx) error { _, err := tx.AddComment(d.ctx(), "SHOP-9", want[0]); return err })
	}},

	{"attachments are listed from the oldest", func(w *world) {
		d := w.desk("acme", "SHOP")
		ids := d.adds(2, toDo)
		file := func(n int, age time.Duration) store.Attachment {
			return store.Attachment{Blob: w.id("blob"), Attachment: dash.Attachment{
				ID: w.id("file"), Filename: fmt.Sprint("notes", n, ".md"), ContentType: "text/plain; charset=utf-8", Bytes: 12,
				Sha256: w.id("sum"), URL: "/api/issues/SHOP-1/attachments/x?board=1", By: d.by(), At: dash.At(after(-age)),
			}}
		}
		late, early, same := file(1, 0), file(2, time.Hour), file(3, 0)
		for _, a := range []store.Attachment{late, early, same} {
			d.change(func(tx store.WorkTx) error { return tx.AddAttachment(d.ctx(), ids[0], a) })
		}
		got, err := d.Attachments(d.ctx(), ids[0])
		w.must(err)
		w.same("the attachments", got, []store.Attachment{early, late, same})
		one, err := d.Attachment(d.ctx(), ids[0], early.ID)
		w.must(err)
		w.same("an attachment", one, early)
		_, err = d.Attachment(d.ctx(), ids[1], early.ID)
		w.refused(err, store.ErrNotFound)
		d.fails(store.ErrDuplicate, func(tx store.WorkTx) error { return tx.AddAttachment(d.ctx(), ids[1], early) })
		d.fails(store.ErrNotFound, func(tx store.WorkTx) error { return tx.AddAttachment(d.ctx(), "SHOP-9", file(4, 0)) })
	}},

	{"an attachment takes new bytes in its place, and is removed", func(w *world) {
		d := w.desk("acme", "SHOP")
		ids := d.adds(2, toDo)
		a := store.Attachment{Blob: "first", Attachment: dash.Attachment{ID: w.id("file"), Filename: "a.png", By: d.by(), At: dash.At(start)}}
		b := store.Attachment{Blob: "second", Attachment: dash.Attachment{ID: w.id("file"), Filename: "b.png", By: d.by(), At: dash.At(after(time.Hour))}}
		d.change(func(tx store.WorkTx) error {
			w.must(tx.AddAttachment(d.ctx(), ids[0], a))
			return tx.AddAttachment(d.ctx(), ids[0], b)
		})
		a.Blob, a.Bytes, a.Filename, a.At = "third", 7, "c.png", dash.At(after(2*time.Hour))
		primary := a
		primary.IsPrimary = true // is for the card to say
		d.change(func(tx store.WorkTx) error { return tx.SaveAttachment(d.ctx(), ids[0], primary) })
		got, err := d.Attachments(d.ctx(), ids[0])
		w.must(err)
		w.same("the attachments", got, []store.Attachment{a, b})
		d.fails(store.ErrNotFound, func(tx store.WorkTx) error { return tx.SaveAttachment(d.ctx(), ids[1], a) })
		d.fails(store.ErrNotFound, func(tx store.WorkTx) error { return tx.RemoveAttachment(d.ctx(), ids[1], a.ID) })
		d.change(func(tx store.WorkTx) error { return tx.RemoveAttachment(d.ctx(), ids[0], a.ID) })
		d.fails(store.ErrNotFound, func(tx store.WorkTx) error { return tx.RemoveAttachment(d.ctx(), ids[0], a.ID) })
		got, err = d.Attachments(d.ctx(), ids[0])
		w.must(err)
		w.same("what is left", got, []store.Attachment{b})
	}},

	{"a card has a cover, and has none again", func(w *world) {
		d := w.desk("acme", "SHOP")
		id := d.adds(1, toDo)[0]
		for _, cover := range []*dash.Cover{{AttachmentID: "a", ThumbnailURL: "/a"}, nil} {
			d.change(func(tx store.WorkTx) error {
				i, err := tx.Issue(d.ctx(), 0, id)
				w.must(err)
				i.Cover = cover
				return tx.SaveIssue(d.ctx(), i.Issue)
			})
			i, err := d.Issue(d.ctx(), 0, id)
			w.must(err)
			w.same("the cover", i.Cover, cover)
		}
	}},

	{"an image is kept, and is its team's", func(w *world) {
		d, other := w.desk("acme", "SHOP"), w.desk("bolt", "BOLT")
		i := store.Image{ID: w.id("image"), ContentType: "image/png", Bytes: 1 << 33, Sha256: w.id("sum"), By: d.by(), At: start}
		d.change(func(tx store.WorkTx) error { return tx.AddImage(d.ctx(), i) })
		got, err := d.Image(d.ctx(), i.ID)
		w.must(err)
		w.same("the image", got, i)
		_, err = other.Image(d.ctx(), i.ID)
		w.refused(err, store.ErrNotFound)
		d.fails(store.ErrDuplicate, func(tx store.WorkTx) error { return tx.AddImage(d.ctx(), i) })
	}},
}

func (d *desk) item(id dash.IssueID, title string) (item dash.AcceptanceItem) {
	d.Helper()
	d.change(func(tx store.WorkTx) (err error) {
		item, err = tx.AddAcceptanceItem(d.ctx(), id, title)
		return err
	})
	return item
}
