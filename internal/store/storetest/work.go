// SPDX-License-Identifier: Apache-2.0

package storetest

import (
	"fmt"
	"slices"
	"time"

	"github.com/fiftyarms/platform/gen/dash"
	"github.com/fiftyarms/platform/internal/store"
)

// A desk is what a test works at: a team with a board.
type desk struct {
	*world
	store.Founding
	store.WorkReader
	board   int64
	cards   []dash.IssueID // what furnish made
	picture string
	file    string
}

// desk makes a team with a board of a prefix.
func (w *world) desk(slug, prefix string) *desk {
	w.Helper()
	return w.deskOf(w.team(slug), prefix)
}

func (w *world) deskOf(f store.Founding, prefix string) *desk {
	w.Helper()
	d := &desk{world: w, Founding: f, WorkReader: w.Of(f.Team.ID)}
	d.board = d.newBoard(prefix).Ref
	return d
}

// change makes a change that has to succeed.
func (d *desk) change(f func(tx store.WorkTx) error) {
	d.Helper()
	d.must(d.Change(d.ctx(), d.Team.ID, f))
}

// fails makes a change that has to fail in a way.
func (d *desk) fails(kind error, f func(tx store.WorkTx) error) {
	d.Helper()
	d.refused(d.Change(d.ctx(), d.Team.ID, f), kind)
}

func (d *desk) by() dash.Actor {
	return dash.Actor{
		Kind: dash.ActorKindPerson, Name: d.Person.Name, Person: dash.PersonRef{ID: d.Person.ID, Name: d.Person.Name},
	}
}

func (d *desk) newBoard(prefix string) dash.Board {
	d.Helper()
	description, repo := "What customers see.", "acme/shop"
	b := dash.Board{
		Name: "Board " + prefix, Prefix: prefix, Description: &description, Repo: &repo,
		Version: 1, CreatedAt: dash.At(start), UpdatedAt: dash.At(start),
	}
	d.change(func(tx store.WorkTx) (err error) {
		b.Ref, err = tx.AddBoard(d.ctx(), b)
		return err
	})
	for _, status := range dash.AllIssueStatuses {
		b.Counts = append(b.Counts, dash.StatusCount{Status: status})
	}
	return b
}

// card is a card of the desk's board that says little.
func (d *desk) card(status dash.IssueStatus) dash.Issue {
	return dash.Issue{
		Board: d.board, Type: dash.IssueTypeFeature, Status: status, Title: "Mend the checkout", Priority: 3,
		CreatedAt: dash.At(start), UpdatedAt: dash.At(start),
	}
}

// add adds a card and reads it back.
func (d *desk) add(i dash.Issue) store.Issue {
	d.Helper()
	var id dash.IssueID
	d.change(func(tx store.WorkTx) (err error) {
		id, err = tx.AddIssue(d.ctx(), i)
		return err
	})
	return d.issue(id)
}

// adds adds cards to a column and returns their ids, in their order there.
func (d *desk) adds(n int, status dash.IssueStatus) []dash.IssueID {
	d.Helper()
	ids := make([]dash.IssueID, n)
	d.change(func(tx store.WorkTx) (err error) {
		for i := range ids {
			if ids[i], err = tx.AddIssue(d.ctx(), d.card(status)); err != nil {
				return err
			}
		}
		return nil
	})
	return ids
}

func (d *desk) issue(id dash.IssueID) store.Issue {
	d.Helper()
	i, err := d.Issue(d.ctx(), 0, id)
	d.must(err)
	return i
}

func (d *desk) place(id dash.IssueID, status dash.IssueStatus, to store.Place) {
	d.Helper()
	d.change(func(tx store.WorkTx) error { return tx.PlaceIssue(d.ctx(), id, status, to) })
}

// column is a column of the desk's board, from its top.
func (d *desk) column(status dash.IssueStatus) []dash.IssueID {
	d.Helper()
	return d.listed(store.IssueQuery{Board: d.board, Status: status, Limit: 10_000})
}

// listed are the ids of a page of cards.
func (d *desk) listed(q store.IssueQuery) []dash.IssueID {
	d.Helper()
	page, err := d.Issues(d.ctx(), q)
	d.must(err)
	return issueIDs(page)
}

func issueIDs(issues []store.Issue) []dash.IssueID {
	ids := make([]dash.IssueID, len(issues))
	for i, card := range issues {
		ids[i] = card.ID
	}
	return ids
}

// link is a card as others name it.
func (d *desk) link(id dash.IssueID) dash.IssueLink {
	d.Helper()
	i := d.issue(id)
	return dash.IssueLink{ID: id, Board: i.Board, Title: i.Title, Status: i.Status}
}

// happened is an event about a card.
func (d *desk) happened(kind dash.EventKind, id dash.IssueID) store.Event {
	from, to := "ToDo", "In Progress"
	version := int64(2)
	return store.Event{Event: dash.Event{
		Kind: kind, At: dash.At(after(time.Minute)), By: d.by(), Board: &d.board, Issue: &id, Version: &version,
		Changes: []dash.Change{{Field: "status", From: &from, To: &to}, {Field: "title"}},
	}}
}

// appended writes events and says how they are read back.
func (d *desk) appended(events ...store.Event) []store.Event {
	d.Helper()
	var last int64
	d.change(func(tx store.WorkTx) (err error) {
		last, err = tx.Append(d.ctx(), events...)
		return err
	})
	events = slices.Clone(events)
	for i := range events {
		events[i].Number = last - int64(len(events)-1-i)
		events[i].Cursor = fmt.Sprint(events[i].Number)
		if events[i].Changes == nil {
			events[i].Changes = []dash.Change{}
		}
	}
	return events
}

// log are the events after one.
func (d *desk) log(after int64) []store.Event {
	d.Helper()
	events, err := d.Events(d.ctx(), after, 10_000)
	d.must(err)
	return events
}
