// SPDX-License-Identifier: Apache-2.0

package handler

import (
	"context"
	"errors"
	"fmt"

	"github.com/fiftyarms/platform/gen/dash"
	"github.com/fiftyarms/platform/internal/store"
	"github.com/fiftyarms/platform/internal/work"
)

// TransitionIssue moves a card to a status, or within its column.
func (h *Handler) TransitionIssue(ctx context.Context, request dash.TransitionIssueRequestObject) (dash.TransitionIssueResponseObject, error) {
	seen, err := work.Seen(request.Body.Version, request.Params.IfMatch)
	if err != nil {
		return nil, err
	}
	var out dash.Issue
	err = h.change(ctx, func(c *change) error {
		before, err := c.fresh(ctx, request.Params.Board, request.ID, seen)
		if err != nil {
			return err
		}
		if err := c.transition(ctx, before, *request.Body); err != nil {
			return err
		}
		out, err = issue(ctx, c, before.Board, before.ID)
		return err
	})
	return dash.TransitionIssue200JSONResponse{Body: out, Headers: dash.TransitionIssue200ResponseHeaders{ETag: work.ETag(out.Version)}}, err
}

func (c *change) transition(ctx context.Context, i dash.Issue, to dash.IssueTransition) error {
	if stays, err := c.stays(ctx, i, to); err != nil || stays {
		return err
	}
	change := dash.Change{Field: "position"}
	if to.Status != i.Status {
		facts, err := c.facts(ctx, i, to.Status)
		if err != nil {
			return err
		}
		if err := work.Enter(facts, to.Status); err != nil {
			return err
		}
		change = work.Changed("status", string(i.Status), string(to.Status))
	}
	if err := c.place(ctx, i, to); err != nil {
		return err
	}
	after := work.Touched(i, c.at)
	if err := c.SaveIssue(ctx, after); err != nil {
		return err
	}
	if err := c.tell(dash.EventKindIssueTransitioned, i.Board, i.ID, after.Version, change); err != nil {
		return err
	}
	return c.tellAround(ctx, i, to.Status)
}

// stays says whether a card is to go where it stands.
func (c *change) stays(ctx context.Context, i dash.Issue, to dash.IssueTransition) (bool, error) {
	if to.Status != i.Status || !to.After.IsSpecified() {
		return to.Status == i.Status, nil
	}
	q := store.IssueQuery{Board: i.Board, Status: i.Status, Limit: 1}
	if before, _ := to.After.Get(); before != "" {
		row, err := c.Issue(ctx, i.Board, before)
		switch {
		case errors.Is(err, store.ErrNotFound) || err == nil && row.Status != i.Status:
			return false, nil // which place refuses
		case err != nil:
			return false, err
		}
		q.After = placeOf(row)
	}
	next, err := c.Issues(ctx, q)
	return len(next) == 1 && next[0].ID == i.ID, err
}

func (c *change) place(ctx context.Context, i dash.Issue, to dash.IssueTransition) error {
	place := store.Place{Top: to.After.IsNull()}
	if !place.Top {
		place.After, _ = to.After.Get() // "" where it was left out
	}
	err := c.PlaceIssue(ctx, i.ID, to.Status, place)
	if errors.Is(err, store.ErrNotFound) && place.After != "" {
		return dash.UnknownIssuesRefusal{
			Message: fmt.Sprintf("%s cannot stand after %s, which is no other card in %s of board %d: name one that is, or null for the top",
				i.ID, place.After, to.Status, i.Board),
			Unknown: []dash.IssueID{place.After},
		}
	}
	return err
}

// facts reads what decides whether a card may have a status.
func (c *change) facts(ctx context.Context, i dash.Issue, to dash.IssueStatus) (f work.Facts, err error) {
	f.Card = i
	if i.ParentID != nil {
		parent, err := c.Link(ctx, *i.ParentID)
		if err != nil {
			return f, err
		}
		f.Parent = &parent
	}
	if !work.Gated(to) {
		return f, nil
	}
	if f.WaitingOn, err = c.WaitingOn(ctx, i.ID); err != nil {
		return f, err
	}
	if f.Conflicts, err = c.Conflicts(ctx, i.ID); err != nil {
		return f, err
	}
	if f.Acceptance, err = c.Acceptance(ctx, i.ID); err != nil {
		return f, err
	}
	f.Children, err = c.children(ctx, i)
	return f, err
}

// children are the cards of an Epic.
func (c *change) children(ctx context.Context, i dash.Issue) ([]dash.IssueLink, error) {
	if i.Type != dash.IssueTypeEpic {
		return nil, nil
	}
	rows, err := c.Children(ctx, i.ID)
	links := make([]dash.IssueLink, len(rows))
	for n, row := range rows {
		links[n] = work.Link(row.Issue)
	}
	return links, err
}
