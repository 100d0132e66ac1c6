// SPDX-License-Identifier: Apache-2.0

package storetest

import (
	"reflect"

	"github.com/fiftyarms/platform/gen/dash"
	"github.com/fiftyarms/platform/internal/store"
)

// workStory keeps a board with cards that hold a text wherever text can stand, and reads it back.
func (w *world) workStory(f store.Founding, text string, name func(word string) string) {
	w.Helper()
	d := &desk{world: w, Founding: f, WorkReader: w.Of(f.Team.ID)}
	b := dash.Board{Name: text, Prefix: name("P"), Description: &text, Repo: &text, Version: 1, CreatedAt: dash.At(start), UpdatedAt: dash.At(start)}
	d.change(func(tx store.WorkTx) (err error) {
		d.board, err = tx.AddBoard(d.ctx(), b)
		return err
	})
	got, err := d.Board(d.ctx(), d.board)
	w.must(err)
	b.Ref, b.Counts = d.board, got.Counts
	w.same("the board", got, b)

	var i dash.Issue
	fill(reflect.ValueOf(&i).Elem(), text)
	i.Board, i.Status, i.ParentID, i.AssignedAgent, i.Version = d.board, toDo, nil, nil, 1
	ids := []dash.IssueID{d.add(i).ID, d.add(i).ID}
	want := always(i)
	card := d.issue(ids[0])
	want.ID, want.DescriptionHash = ids[0], card.DescriptionHash
	w.same("the card", card.Issue, want)
	d.describes(ids[0], text)
	w.same("what the text finds", len(d.listed(store.IssueQuery{Board: d.board, Text: text, Limit: 10})), 2)

	by := dash.Actor{Kind: dash.ActorKind(text), Name: text, Person: dash.PersonRef{ID: text, Name: text}}
	comment := dash.Comment{Body: text, By: by, At: dash.At(start)}
	file := store.Attachment{Blob: name("blob"), Attachment: dash.Attachment{
		ID: name("file"), Filename: text, ContentType: text, Sha256: text, URL: text, ThumbnailURL: &text, By: by, At: dash.At(start),
	}}
	image := store.Image{ID: name("image"), ContentType: text, Sha256: text, By: by, At: start}
	event := store.Event{Event: dash.Event{
		Kind: dash.EventKind(text), At: dash.At(start), By: by, Issue: &ids[0], Changes: []dash.Change{{Field: text, From: &text, To: &text}},
	}}
	note := store.Once{Caller: name("caller"), Operation: name("operation"), Key: name("key"), Digest: text, At: start, Since: start}
	d.waits(ids[0], text, ids[1])
	item := d.item(ids[0], text)
	d.change(func(tx store.WorkTx) error {
		w.must(tx.SetConflict(d.ctx(), ids[0], ids[1], text))
		comment.ID, err = tx.AddComment(d.ctx(), ids[0], comment)
		w.must(err)
		w.must(tx.AddAttachment(d.ctx(), ids[0], file))
		w.must(tx.AddImage(d.ctx(), image))
		return tx.Remember(d.ctx(), note, text)
	})
	d.knows(note, text)
	w.same("what it waits for", d.waiting(ids[0]), &dash.WaitingOn{Reason: text, By: []dash.IssueLink{d.link(ids[1])}})
	d.conflicts(ids[0], dash.Conflict{Issue: d.link(ids[1]), Reason: text})
	w.same("the item's title", item.Title, text)
	comments, err := d.Comments(d.ctx(), ids[0], 0, 10)
	w.must(err)
	w.same("the comments", comments, []dash.Comment{comment})
	files, err := d.Attachments(d.ctx(), ids[0])
	w.must(err)
	w.same("the attachments", files, []store.Attachment{file})
	kept, err := d.Image(d.ctx(), image.ID)
	w.must(err)
	w.same("the image", kept, image)
	events := d.appended(event)
	history, err := d.History(d.ctx(), ids[0], 0, 10)
	w.must(err)
	w.same("the history", history, events)
}

// refuseWorkText puts what no store may take into each text of a team's work in turn.
func (w *world) refuseWorkText(d *desk) {
	w.Helper()
	for _, bad := range unstorable {
		for method, read := range d.reads(w.ctx(), bad) {
			if _, err := read(d.WorkReader); err != nil {
				w.refused(err, store.ErrText)
			} else if _, err := read(w.Of(bad)); err == nil {
				w.Errorf("%s reads what a team called %q has", method, bad)
			} else {
				w.refused(err, store.ErrText)
			}
		}
		w.refused(w.Change(w.ctx(), bad, func(store.WorkTx) error { return nil }), store.ErrText)
	}
	q := store.IssueQuery{Type: "Bug", Parent: d.cards[0], Text: "x", After: store.IssuePlace{Status: "A", ID: "x"}, Limit: 1}
	w.plant(&q, nil, func() error { _, err := d.Issues(w.ctx(), q); return err })
	q.Board = d.board
	q.After.Board = d.board
	w.plant(&q, nil, func() error { _, err := d.Issues(w.ctx(), q); return err })

	change := func(f func(tx store.WorkTx) error) func() error {
		return func() error { return w.Change(w.ctx(), d.Team.ID, f) }
	}
	var b dash.Board
	b.Ref, b.Name, b.Prefix, b.Description, b.Repo = d.board, "n", "PREFIX", new(string), new(string)
	w.plant(&b, nil, change(func(tx store.WorkTx) error { _, err := tx.AddBoard(w.ctx(), b); return err }))
	w.plant(&b, []string{"Prefix"}, change(func(tx store.WorkTx) error { return tx.SaveBoard(w.ctx(), b) }))

	var i dash.Issue
	fill(reflect.ValueOf(&i).Elem(), "x")
	i.ID, i.Board, i.Status, i.ParentID, i.AssignedAgent = d.cards[0], d.board, toDo, &d.cards[1], nil
	optIn := i.Description
	i = always(i)
	i.Description, i.Gates = optIn, nil
	w.plant(&i, []string{"ID", "DescriptionHash"}, change(func(tx store.WorkTx) error { _, err := tx.AddIssue(w.ctx(), i); return err }))
	w.plant(&i, []string{"Status", "DescriptionHash"}, change(func(tx store.WorkTx) error { return tx.SaveIssue(w.ctx(), i) }))

	two := struct {
		One, Other, Reason string
		By                 []string
	}{d.cards[0], d.cards[1], "r", []string{d.cards[2]}}
	w.plant(&two, []string{"Other"}, change(func(tx store.WorkTx) error { return tx.SetWaitingOn(w.ctx(), two.One, two.Reason, two.By) }))
	two.By = nil
	w.plant(&two, nil, change(func(tx store.WorkTx) error { return tx.SetConflict(w.ctx(), two.One, two.Other, two.Reason) }))
	w.plant(&two, []string{"Reason"}, change(func(tx store.WorkTx) error { return tx.ClearConflict(w.ctx(), two.One, two.Other) }))
	place := struct {
		ID     string
		Status dash.IssueStatus
		To     store.Place
	}{d.cards[0], toDo, store.Place{After: d.cards[1]}}
	w.plant(&place, nil, change(func(tx store.WorkTx) error { return tx.PlaceIssue(w.ctx(), place.ID, place.Status, place.To) }))
	item := struct {
		ID   string
		Item dash.AcceptanceItem
	}{d.cards[0], dash.AcceptanceItem{ID: 1, Title: "t", Version: 2}}
	w.plant(&item, nil, change(func(tx store.WorkTx) error {
		_, err := tx.AddAcceptanceItem(w.ctx(), item.ID, item.Item.Title)
		return err
	}))
	w.plant(&item, nil, change(func(tx store.WorkTx) error { return tx.SaveAcceptanceItem(w.ctx(), item.ID, item.Item) }))
	w.plant(&item, []string{"Item.Title"}, change(func(tx store.WorkTx) error { return tx.RemoveAcceptanceItem(w.ctx(), item.ID, 1) }))
	comment := struct {
		ID string
		C  dash.Comment
	}{d.cards[0], dash.Comment{Body: "b", By: d.by(), At: dash.At(start)}}
	w.plant(&comment, nil, change(func(tx store.WorkTx) error { _, err := tx.AddComment(w.ctx(), comment.ID, comment.C); return err }))
	file := struct {
		ID string
		A  store.Attachment
	}{d.cards[0], store.Attachment{Attachment: dash.Attachment{ID: "file", By: d.by(), At: dash.At(start)}}}
	w.plant(&file, nil, change(func(tx store.WorkTx) error { return tx.AddAttachment(w.ctx(), file.ID, file.A) }))
	w.plant(&file, nil, change(func(tx store.WorkTx) error { return tx.SaveAttachment(w.ctx(), file.ID, file.A) }))
	image := store.Image{ID: "image", By: d.by(), At: start}
	w.plant(&image, nil, change(func(tx store.WorkTx) error { return tx.AddImage(w.ctx(), image) }))
	event := d.happened(dash.EventKindIssueEdited, d.cards[0])
	w.plant(&event, []string{"Event.Cursor"}, change(func(tx store.WorkTx) error { _, err := tx.Append(w.ctx(), event); return err }))
	note := struct {
		Once    store.Once
		Subject string
	}{store.Once{Caller: "c", Operation: "o", Key: "k", Digest: "d", At: start, Since: start}, "s"}
	w.plant(&note, []string{"Subject"}, change(func(tx store.WorkTx) error { _, err := tx.Once(w.ctx(), note.Once); return err }))
	w.plant(&note, nil, change(func(tx store.WorkTx) error { return tx.Remember(w.ctx(), note.Once, note.Subject) }))
}
