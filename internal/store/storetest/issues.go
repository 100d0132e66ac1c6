// SPDX-License-Identifier: Apache-2.0

package storetest

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"time"

	"github.com/fiftyarms/platform/gen/dash"
	"github.com/fiftyarms/platform/internal/store"
)

var issues = []test{
	{"a card is numbered on its board and starts at version 1", func(w *world) {
		d := w.desk("acme", "SHOP")
		site := d.newBoard("SITE")
		i := d.card(dash.IssueStatusToDo)
		i.ID, i.Version, i.Gates, i.DescriptionHash = "SHOP-77", 9, []dash.Gate{dash.GateBlocked}, "smuggled"
		got := d.add(i)
		i.ID, i.Version, i.Gates, i.DescriptionHash = "SHOP-1", 1, []dash.Gate{}, ""
		w.same("the card", got.Issue, i)
		w.same("the next one", d.add(i).ID, "SHOP-2")
		i.Board = site.Ref
		w.same("another board's first", d.add(i).ID, "SITE-1")
	}},

	{"every member of a card survives being added and saved", func(w *world) {
		d := w.desk("acme", "SHOP")
		w.connected(w.key(d.Person), alive, 1) // agent 1, for the card to name
		epic := d.add(d.card(dash.IssueStatusToDo)).ID
		var i dash.Issue
		fill(reflect.ValueOf(&i).Elem(), "first")
		i.Board, i.Status, i.ParentID, i.Version = d.board, dash.IssueStatusToDo, &epic, 1
		got := d.add(i)
		want := always(i)
		want.ID, want.DescriptionHash = got.ID, got.DescriptionHash
		w.same("the card", got.Issue, want)

		fill(reflect.ValueOf(&i).Elem(), "second")
		i.ID, i.ParentID, i.Version = got.ID, nil, 2
		d.change(func(tx store.WorkTx) error { return tx.SaveIssue(d.ctx(), i) })
		got = d.issue(got.ID)
		want = always(i)
		want.Board, want.Status, want.CreatedAt, want.DescriptionHash = d.board, dash.IssueStatusToDo, got.CreatedAt, got.DescriptionHash
		w.same("the saved card", got.Issue, want)

		bare := d.card(dash.IssueStatusToDo)
		bare.ID, bare.Version, bare.DescriptionHash, bare.Gates, bare.CreatedAt = got.ID, 3, got.DescriptionHash, []dash.Gate{}, got.CreatedAt
		d.change(func(tx store.WorkTx) error { return tx.SaveIssue(d.ctx(), bare) })
		w.same("the card that says little again", d.issue(got.ID).Issue, bare)
	}},

	{"saving leaves the place and the description alone", func(w *world) {
		d := w.desk("acme", "SHOP")
		i := d.card(dash.IssueStatusToDo)
		text := "The total ignores the voucher."
		i.Description = &text
		before := d.add(i)
		w.same("the hash", before.DescriptionHash, "1073c1ef8684")
		changed := before.Issue
		changed.Title, changed.Status, changed.Version, changed.CreatedAt, changed.Board = "Renamed", dash.IssueStatusDone, 2, dash.At(after(time.Hour)), 9
		d.change(func(tx store.WorkTx) error { return tx.SaveIssue(d.ctx(), changed) })
		want := before
		want.Title, want.Version = "Renamed", 2
		w.same("the card", d.issue(before.ID), want)
		d.describes(before.ID, text)

		other, none := "Another", ""
		for _, next := range []string{other, none} {
			changed.Description = &next
			d.change(func(tx store.WorkTx) error { return tx.SaveIssue(d.ctx(), changed) })
			d.describes(before.ID, next)
			if hash := d.issue(before.ID).DescriptionHash; hash == before.DescriptionHash || (next == "") != (hash == "") {
				w.Errorf("the hash of %q is %q, that of another %q", next, hash, before.DescriptionHash)
			}
		}
	}},

	{"a card that is not there is not found", func(w *world) {
		d := w.desk("acme", "SHOP")
		site := d.newBoard("SITE")
		id := d.add(d.card(dash.IssueStatusToDo)).ID
		for board, there := range map[int64]bool{0: true, d.board: true, site.Ref: false, 99: false} {
			if _, err := d.Issue(d.ctx(), board, id); there {
				w.must(err)
			} else {
				w.refused(err, store.ErrNotFound)
			}
		}
		none := d.card(dash.IssueStatusToDo)
		none.ID = "SHOP-9"
		for method, read := range d.reads(d.ctx(), "SHOP-9") {
			v, err := read(d.WorkReader)
			if err == nil && slices.Contains(ofOne, method) {
				w.Errorf("%s of a card that is not there is %+v", method, v)
			} else if err != nil && !(slices.Contains(ofOne, method) && errors.Is(err, store.ErrNotFound)) {
				w.Errorf("%s of a card that is not there: %v", method, err)
			}
		}
		d.fails(store.ErrNotFound, func(tx store.WorkTx) error { return tx.SaveIssue(d.ctx(), none) })
		d.fails(store.ErrNotFound, func(tx store.WorkTx) error {
			return tx.PlaceIssue(d.ctx(), "SHOP-9", dash.IssueStatusDone, store.Place{})
		})
	}},

	{"a card points at nothing that is not there", func(w *world) {
		d := w.desk("acme", "SHOP")
		parent, agent := "SHOP-9", int64(9)
		for what, edit := range map[string]func(*dash.Issue){
			"board":  func(i *dash.Issue) { i.Board = 9 },
			"parent": func(i *dash.Issue) { i.ParentID = &parent },
			"agent":  func(i *dash.Issue) { i.AssignedAgent = &agent },
		} {
			i := d.card(dash.IssueStatusToDo)
			edit(&i)
			err := d.Change(d.ctx(), d.Team.ID, func(tx store.WorkTx) error {
				_, err := tx.AddIssue(d.ctx(), i)
				return err
			})
			if err == nil {
				w.Errorf("a card has a %s that is not there", what)
				continue
			}
			w.refused(err, store.ErrNotFound)
		}
		w.same("the first card that was kept", d.add(d.card(dash.IssueStatusToDo)).ID, "SHOP-1")
	}},

	{"a description may be long", func(w *world) {
		d := w.desk("acme", "SHOP")
		i := d.card(dash.IssueStatusToDo)
		text := fmt.Sprintf("%0100000d ü", 1)
		i.Description = &text
		d.describes(d.add(i).ID, text)
	}},

	{"people and agents are listed", func(w *world) {
		d := w.desk("acme", "SHOP")
		agents, err := d.Agents(d.ctx())
		w.must(err)
		w.same("no agents", len(agents), 0)
		for n := range int64(3) {
			w.connected(w.key(d.Person), alive, n+1)
		}
		var people []dash.PersonRef
		for _, name := range []string{"Zoë", "ada", "Ada", "Ada", "Äda"} {
			p := w.somebody(d.Team, w.id("mail"))
			p.Name = name
			w.must(w.AddPerson(w.ctx(), p))
			people = append(people, dash.PersonRef{ID: p.ID, Name: p.Name})
		}
		got, err := d.People(d.ctx())
		w.must(err)
		founder := dash.PersonRef{ID: d.Person.ID, Name: d.Person.Name} // Ada of acme
		w.same("the people, byte by byte", got, []dash.PersonRef{people[2], people[3], founder, people[0], people[1], people[4]})
		agents, err = d.Agents(d.ctx())
		w.must(err)
		w.same("the agents", agents, []dash.AgentRef{{ID: 1, Name: "Agent 1"}, {ID: 2, Name: "Agent 2"}, {ID: 3, Name: "Agent 3"}})
	}},
}

func (d *desk) describes(id dash.IssueID, want string) {
	d.Helper()
	got, err := d.Description(d.ctx(), id)
	d.must(err)
	d.same("the description", got, want)
}

// fill fills every member that can be set, with text that tells one filling from another. Numbers are 1, since some of
// them name a row.
func fill(v reflect.Value, text string) {
	switch v.Kind() {
	case reflect.String:
		v.SetString(text)
	case reflect.Int64:
		v.SetInt(1)
	case reflect.Float64:
		v.SetFloat(2.5 + float64(len(text))/8)
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Pointer:
		if v.Type().Elem() == reflect.TypeFor[dash.Issue]() {
			return
		}
		v.Set(reflect.New(v.Type().Elem()))
		fill(v.Elem(), text)
	case reflect.Slice:
		if v.Type().Elem() == reflect.TypeFor[dash.Issue]() {
			return
		}
		v.Set(reflect.MakeSlice(v.Type(), 2, 2))
		fill(v.Index(0), text)
		fill(v.Index(1), text+" again")
	case reflect.Struct:
		if t, ok := v.Addr().Interface().(*dash.Time); ok {
			*t = dash.At(after(time.Duration(len(text)) * time.Second))
			return
		}
		for i := range v.NumField() {
			fill(v.Field(i), text)
		}
	}
}

// always is a filled card without what is opted into, and with the gates that it shuts by itself.
func always(i dash.Issue) dash.Issue {
	i.Description, i.Acceptance, i.WaitingOn, i.ConflictOn, i.Attachments, i.Children = nil, nil, nil, nil, nil, nil
	i.Gates = []dash.Gate{dash.GateBlocked, dash.GateRequiresHuman}
	return i
}
