// SPDX-License-Identifier: Apache-2.0

package storetest

import (
	"time"

	"github.com/fiftyarms/platform/gen/dash"
	"github.com/fiftyarms/platform/internal/store"
)

var boards = []test{
	{"a board is kept as it is, under the team's next ref", func(w *world) {
		d := w.desk("acme", "SHOP")
		second := d.newBoard("SITE")
		w.same("its ref", second.Ref, d.board+1)
		got, err := d.Board(d.ctx(), second.Ref)
		w.must(err)
		w.same("the board", got, second)
		other := w.desk("bolt", "SHOP")
		w.same("the first ref of another team", other.board, int64(1))
	}},

	{"a board needs no more than a name and a prefix", func(w *world) {
		d := w.desk("acme", "SHOP")
		d.change(func(tx store.WorkTx) error {
			_, err := tx.AddBoard(d.ctx(), dash.Board{Ref: 9, Name: "Bare", Prefix: "BARE", Version: 7, CreatedAt: dash.At(start), UpdatedAt: dash.At(start)})
			return err
		})
		got, err := d.Board(d.ctx(), 2)
		w.must(err)
		if got.Description != nil || got.Repo != nil || got.Version != 1 {
			w.Errorf("the board became %+v", got)
		}
	}},

	{"a prefix is taken once in a team", func(w *world) {
		d := w.desk("acme", "SHOP")
		d.fails(store.ErrDuplicate, func(tx store.WorkTx) error {
			_, err := tx.AddBoard(d.ctx(), dash.Board{Name: "Other", Prefix: "SHOP"})
			return err
		})
		w.same("the next board's ref", d.newBoard("SITE").Ref, d.board+1)
	}},

	{"saving writes what of a board may change", func(w *world) {
		d := w.desk("acme", "SHOP")
		b, err := d.Board(d.ctx(), d.board)
		w.must(err)
		repo := "acme/other"
		b.Name, b.Description, b.Repo, b.Version, b.UpdatedAt = "Renamed", nil, &repo, 5, dash.At(after(time.Hour))
		saved := b
		saved.Prefix, saved.CreatedAt, saved.Counts = "OTHER", dash.At(after(time.Minute)), nil
		d.change(func(tx store.WorkTx) error { return tx.SaveBoard(d.ctx(), saved) })
		got, err := d.Board(d.ctx(), d.board)
		w.must(err)
		w.same("the board", got, b)
		saved.Ref = 7
		d.fails(store.ErrNotFound, func(tx store.WorkTx) error { return tx.SaveBoard(d.ctx(), saved) })
		_, err = d.Board(d.ctx(), 7)
		w.refused(err, store.ErrNotFound)
	}},

	{"a board counts its cards by status", func(w *world) {
		d := w.desk("acme", "SHOP")
		site := d.newBoard("SITE")
		for n, status := range dash.AllIssueStatuses {
			d.adds(n, status)
		}
		shop, err := d.Board(d.ctx(), d.board)
		w.must(err)
		for n, status := range dash.AllIssueStatuses {
			w.same("a count", shop.Counts[n], dash.StatusCount{Status: status, Cards: int64(n)})
		}
		page, err := d.Boards(d.ctx(), 0, 10)
		w.must(err)
		w.same("the boards", page, []dash.Board{shop, site})
	}},

	{"boards are listed by ref, page by page", func(w *world) {
		d := w.desk("acme", "B1")
		for _, prefix := range []string{"B3", "B2", "B5", "B4"} {
			d.newBoard(prefix)
		}
		for size := range 7 {
			var refs []int64
			for after := int64(0); ; {
				page, err := d.Boards(d.ctx(), after, size)
				w.must(err)
				if len(page) == 0 {
					break
				}
				for _, b := range page {
					refs = append(refs, b.Ref)
				}
				after = refs[len(refs)-1]
			}
			if size == 0 {
				w.same("pages of none", len(refs), 0)
				continue
			}
			w.same("the refs", refs, []int64{1, 2, 3, 4, 5})
		}
		page, err := d.Boards(d.ctx(), 0, -1)
		w.must(err)
		w.same("a page below none", len(page), 0)
	}},
}
