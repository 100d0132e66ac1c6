// SPDX-License-Identifier: Apache-2.0

package storetest

import (
	"context"

	"github.com/fiftyarms/platform/gen/dash"
	"github.com/fiftyarms/platform/internal/store"
)

// furnish puts three cards on the desk, the first with everything that a card can have.
func (d *desk) furnish() {
	d.Helper()
	d.cards = d.adds(3, toDo)
	d.change(func(tx store.WorkTx) error {
		d.spree(tx)
		return nil
	})
}

// spree makes one of each change, but for a board and a removal.
func (d *desk) spree(tx store.WorkTx) {
	d.Helper()
	for _, method := range []string{
		"SaveBoard", "AddIssue", "SaveIssue", "PlaceIssue", "SetWaitingOn", "SetConflict", "AddAcceptanceItem",
		"SaveAcceptanceItem", "AddComment", "AddAttachment", "SaveAttachment", "AddImage", "Remember", "Append",
	} {
		if err := d.writes(d.ctx())[method](tx); err != nil {
			d.Fatalf("%s: %v", method, err)
		}
	}
}

// writes are a call of each method that changes something of a furnished desk.
func (d *desk) writes(ctx context.Context) map[string]func(store.WorkTx) error {
	first, second, third := d.cards[0], d.cards[1], d.cards[2]
	note := store.Once{Caller: "key", Operation: "createIssue", Key: first, Digest: "digest", At: start, Since: start}
	return map[string]func(store.WorkTx) error{
		"AddBoard": func(tx store.WorkTx) error {
			_, err := tx.AddBoard(ctx, dash.Board{Name: "Another", Prefix: d.id("PREFIX"), CreatedAt: dash.At(start), UpdatedAt: dash.At(start)})
			return err
		},
		"SaveBoard": func(tx store.WorkTx) error {
			return tx.SaveBoard(ctx, dash.Board{Ref: d.board, Name: "Renamed by " + d.Person.ID, Version: 2, UpdatedAt: dash.At(start)})
		},
		"AddIssue": func(tx store.WorkTx) error { _, err := tx.AddIssue(ctx, d.card(toDo)); return err },
		"SaveIssue": func(tx store.WorkTx) error {
			i, text := d.card(toDo), "The total ignores the voucher."
			i.ID, i.ParentID, i.Version, i.Description = first, &third, 2, &text
			return tx.SaveIssue(ctx, i)
		},
		"PlaceIssue":   func(tx store.WorkTx) error { return tx.PlaceIssue(ctx, first, inProgress, store.Place{}) },
		"SetWaitingOn": func(tx store.WorkTx) error { return tx.SetWaitingOn(ctx, first, "In turn.", d.cards[1:]) },
		"SetConflict":  func(tx store.WorkTx) error { return tx.SetConflict(ctx, first, second, "Both rewrite basket.go.") },
		"ClearConflict": func(tx store.WorkTx) error {
			return tx.ClearConflict(ctx, first, second)
		},
		"AddAcceptanceItem": func(tx store.WorkTx) error {
			_, err := tx.AddAcceptanceItem(ctx, first, "A voucher lowers the total.")
			return err
		},
		"SaveAcceptanceItem": func(tx store.WorkTx) error {
			return tx.SaveAcceptanceItem(ctx, first, dash.AcceptanceItem{ID: 1, Title: "It holds.", Checked: true, Version: 2})
		},
		"RemoveAcceptanceItem": func(tx store.WorkTx) error { return tx.RemoveAcceptanceItem(ctx, first, 1) },
		"AddComment": func(tx store.WorkTx) error {
			_, err := tx.AddComment(ctx, first, dash.Comment{Body: "It is read too late.", By: d.by(), At: dash.At(start)})
			return err
		},
		"AddAttachment": func(tx store.WorkTx) error {
			a := store.Attachment{Attachment: dash.Attachment{ID: d.id("file"), Filename: "notes.md", By: d.by(), At: dash.At(start)}, Blob: "blob"}
			d.file = a.ID
			return tx.AddAttachment(ctx, first, a)
		},
		"SaveAttachment": func(tx store.WorkTx) error {
			a := store.Attachment{Attachment: dash.Attachment{ID: d.file, Filename: "notes.md", By: d.by(), At: dash.At(start)}, Blob: "other"}
			return tx.SaveAttachment(ctx, first, a)
		},
		"RemoveAttachment": func(tx store.WorkTx) error { return tx.RemoveAttachment(ctx, first, d.file) },
		"AddImage": func(tx store.WorkTx) error {
			d.picture = d.id("image")
			return tx.AddImage(ctx, store.Image{ID: d.picture, ContentType: "image/png", Bytes: 1, By: d.by(), At: start})
		},
		"Append": func(tx store.WorkTx) error {
			_, err := tx.Append(ctx, d.happened(dash.EventKindIssueEdited, first))
			return err
		},
		"Once": func(tx store.WorkTx) error { _, err := tx.Once(ctx, note); return err },
		"Remember": func(tx store.WorkTx) error {
			return tx.Remember(ctx, note, first)
		},
	}
}

// reads are a call of each method that reads something of a desk; of a card, where there is one to name.
func (d *desk) reads(ctx context.Context, id dash.IssueID) map[string]func(store.WorkReader) (any, error) {
	return map[string]func(store.WorkReader) (any, error){
		"Board":       func(r store.WorkReader) (any, error) { return r.Board(ctx, d.board) },
		"Boards":      func(r store.WorkReader) (any, error) { return r.Boards(ctx, 0, 100) },
		"Issue":       func(r store.WorkReader) (any, error) { return r.Issue(ctx, 0, id) },
		"Issues":      func(r store.WorkReader) (any, error) { return r.Issues(ctx, store.IssueQuery{Limit: 1000}) },
		"Link":        func(r store.WorkReader) (any, error) { return r.Link(ctx, id) },
		"Needs":       func(r store.WorkReader) (any, error) { return r.Needs(ctx, id) },
		"Description": func(r store.WorkReader) (any, error) { return r.Description(ctx, id) },
		"Acceptance":  func(r store.WorkReader) (any, error) { return r.Acceptance(ctx, id) },
		"WaitingOn":   func(r store.WorkReader) (any, error) { return r.WaitingOn(ctx, id) },
		"Blocks":      func(r store.WorkReader) (any, error) { return r.Blocks(ctx, id) },
		"Conflicts":   func(r store.WorkReader) (any, error) { return r.Conflicts(ctx, id) },
		"Children":    func(r store.WorkReader) (any, error) { return r.Children(ctx, id) },
		"Attachments": func(r store.WorkReader) (any, error) { return r.Attachments(ctx, id) },
		"Attachment":  func(r store.WorkReader) (any, error) { return r.Attachment(ctx, id, d.file) },
		"Image":       func(r store.WorkReader) (any, error) { return r.Image(ctx, d.picture) },
		"Comments":    func(r store.WorkReader) (any, error) { return r.Comments(ctx, id, 0, 100) },
		"Comment":     func(r store.WorkReader) (any, error) { return r.Comment(ctx, id, 1) },
		"History":     func(r store.WorkReader) (any, error) { return r.History(ctx, id, 0, 100) },
		"People":      func(r store.WorkReader) (any, error) { return r.People(ctx) },
		"Agents":      func(r store.WorkReader) (any, error) { return r.Agents(ctx) },
		"Events":      func(r store.WorkReader) (any, error) { return r.Events(ctx, 0, 1000) },
		"EventHead":   func(r store.WorkReader) (any, error) { return r.EventHead(ctx) },
	}
}

// ofOne are the methods that ask for one thing of a card.
var ofOne = []string{"Issue", "Link", "Description", "WaitingOn", "Attachment", "Image", "Comment"}

// everything is what can be read of a desk's team.
func (d *desk) everything() map[string]any {
	d.Helper()
	all := map[string]any{}
	page, err := d.Issues(d.ctx(), store.IssueQuery{Limit: 1000})
	d.must(err)
	for _, i := range page {
		for method, read := range d.reads(d.ctx(), i.ID) {
			if method == "Comment" || method == "Attachment" || method == "Image" { // they are listed
				continue
			}
			v, err := read(d.WorkReader)
			d.must(err)
			all[method+" "+i.ID] = v
		}
	}
	return all
}
