// SPDX-License-Identifier: Apache-2.0

package handler

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/fiftyarms/platform/gen/dash"
	"github.com/fiftyarms/platform/internal/store"
	"github.com/fiftyarms/platform/internal/work"
)

// fillers read what may be opted into, onto a card. Children are apart: they are cards with fields of their own.
var fillers = map[string]func(context.Context, store.WorkReader, *dash.Issue) error{
	"description": func(ctx context.Context, r store.WorkReader, i *dash.Issue) error {
		if i.DescriptionHash == "" {
			return nil
		}
		text, err := r.Description(ctx, i.ID)
		i.Description = optional(text)
		return err
	},
	"acceptance": func(ctx context.Context, r store.WorkReader, i *dash.Issue) (err error) {
		i.Acceptance, err = r.Acceptance(ctx, i.ID)
		return err
	},
	"waiting_on": func(ctx context.Context, r store.WorkReader, i *dash.Issue) (err error) {
		i.WaitingOn, err = r.WaitingOn(ctx, i.ID)
		return err
	},
	"conflict_on": func(ctx context.Context, r store.WorkReader, i *dash.Issue) (err error) {
		i.ConflictOn, err = r.Conflicts(ctx, i.ID)
		return err
	},
	"attachments": func(ctx context.Context, r store.WorkReader, i *dash.Issue) error {
		rows, err := r.Attachments(ctx, i.ID)
		if len(rows) > 0 {
			i.Attachments = attachments(rows, *i)
		}
		return err
	},
}

// cardsMost is how many bytes the cards of one answer may take, as JSON.
const cardsMost = 4 << 20

// rowsAtOnce is how many cards are read at once. A card may take 180 kB before anything is opted into.
const rowsAtOnce = 51

// errOver says that the cards of an answer take more than they may.
var errOver = errors.New("more than one answer holds")

// A filling reads what a caller opted into onto the cards of one answer, until they take more than they may.
type filling struct {
	r    store.WorkReader
	left int // bytes
}

func newFilling(r store.WorkReader) *filling { return &filling{r, cardsMost} }

// fill fills a card, and takes what it is long then off what is left: errOver where that is too little.
func (f *filling) fill(ctx context.Context, i *dash.Issue, fields work.Fields) error {
	for name := range fields {
		if filler := fillers[name]; filler != nil {
			if err := filler(ctx, f.r, i); err != nil {
				return during("read the "+name+" of "+i.ID, err)
			}
		}
	}
	if err := json.NewEncoder((*meter)(f)).Encode(i); err != nil {
		return during("measure "+i.ID, err)
	}
	if f.left < 0 {
		return errOver
	}
	if below, wanted := fields["children"]; wanted && i.Type == dash.IssueTypeEpic {
		return f.children(ctx, i, below)
	}
	return nil
}

// meter takes what is written to it off what is left.
type meter filling

func (m *meter) Write(p []byte) (int, error) {
	m.left -= len(p)
	return len(p), nil
}

// children fills an Epic's children. Few are read in one go, which finds them soonest; many in pages.
func (f *filling) children(ctx context.Context, i *dash.Issue, below work.Fields) error {
	needs, err := f.r.Needs(ctx, i.ID)
	if err != nil {
		return during("count the children of "+i.ID, err)
	}
	q := store.IssueQuery{Parent: i.ID, Limit: rowsAtOnce}
	for more := true; more; {
		var rows []store.Issue
		if len(needs) > rowsAtOnce {
			rows, err = f.r.Issues(ctx, q)
			more = len(rows) == q.Limit
		} else {
			rows, err = f.r.Children(ctx, i.ID)
			more = false
		}
		if err != nil {
			return during("read the children of "+i.ID, err)
		}
		for _, row := range rows {
			if err := f.fill(ctx, &row.Issue, below); err != nil {
				return err
			}
			i.Children = append(i.Children, row.Issue)
			q.After = placeOf(row)
		}
	}
	return nil
}

// placeOf is where a card stands.
func placeOf(i store.Issue) store.IssuePlace {
	return store.IssuePlace{Board: i.Board, Status: i.Status, Position: i.Position, ID: i.ID}
}

// tooMuch refuses an answer that would take more than one may. An error that is not errOver stays.
func tooMuch(err error, of, instead string) error {
	if !errors.Is(err, errOver) {
		return err
	}
	return invalid(dash.FaultInQuery, "fields", fmt.Sprintf("asks for more than 4 MiB of %s, which is more than one answer holds: %s", of, instead))
}

// tooMuchOf is tooMuch for one card.
func tooMuchOf(id dash.IssueID, err error) error {
	return tooMuch(err, id, "ask for fewer fields, or for the children of an Epic with GET /api/issues?parent="+id)
}
