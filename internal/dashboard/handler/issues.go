// SPDX-License-Identifier: Apache-2.0

package handler

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/oapi-codegen/nullable"

	"github.com/fiftyarms/platform/gen/dash"
	"github.com/fiftyarms/platform/internal/store"
	"github.com/fiftyarms/platform/internal/work"
)

// ListIssues lists cards of one board, or of all.
func (h *Handler) ListIssues(ctx context.Context, request dash.ListIssuesRequestObject) (dash.ListIssuesResponseObject, error) {
	p, r := request.Params, h.team(ctx)
	list, err := newListing(byColumn, p.Limit, p.Cursor)
	if err != nil {
		return nil, err
	}
	fields, err := work.ParseFields("issue", p.Fields)
	if err != nil {
		return nil, err
	}
	q := store.IssueQuery{
		Board: value(p.Board), Status: value(p.Status), Type: value(p.Type), Parent: value(p.Parent), Agent: value(p.Agent),
		Ready: p.Ready, Text: strings.TrimSpace(value(p.Q)), After: list.after,
	}
	if p.Q != nil && q.Text == "" {
		return nil, invalid(dash.FaultInQuery, "q", "is blank: leave it out, or say what to look for")
	}
	if p.Board != nil {
		if _, err := board(ctx, r, *p.Board); err != nil {
			return nil, err
		}
	}
	cards, next, err := pageOf(ctx, r, q, list.limit, fields)
	if err != nil {
		return nil, err
	}
	page := dash.ListIssues200JSONResponse{Issues: cards, NextCursor: nullable.NewNullNullable[string]()}
	if next != nil {
		page.NextCursor.Set(list.places.cursor(*next))
	}
	return page, nil
}

// pageOf reads at most limit cards, and no more than one answer holds. next is the place of the last one if more follow.
func pageOf(ctx context.Context, r store.WorkReader, q store.IssueQuery, limit int, fields work.Fields) (cards []dash.Issue, next *store.IssuePlace, err error) {
	answer := newFilling(r)
	cards = []dash.Issue{}
	for {
		q.Limit = min(rowsAtOnce, limit+1-len(cards)) // one beyond the page tells whether another follows
		rows, err := r.Issues(ctx, q)
		if err != nil {
			return nil, nil, during("list cards", err)
		}
		for _, row := range rows {
			if len(cards) == limit {
				return cards, &q.After, nil
			}
			err := answer.fill(ctx, &row.Issue, fields)
			switch {
			case errors.Is(err, errOver) && len(cards) > 0:
				return cards, &q.After, nil
			case err != nil:
				return nil, nil, tooMuchOf(row.ID, err)
			}
			cards = append(cards, row.Issue)
			q.After = placeOf(row)
		}
		if len(rows) < q.Limit {
			return cards, nil, nil
		}
	}
}

// BatchIssues reads cards of a board in the order that they were asked for, each once.
func (h *Handler) BatchIssues(ctx context.Context, request dash.BatchIssuesRequestObject) (dash.BatchIssuesResponseObject, error) {
	p, r := request.Params, h.team(ctx)
	fields, err := work.ParseFields("issue", p.Fields)
	if err != nil {
		return nil, err
	}
	if _, err := board(ctx, r, p.Board); err != nil {
		return nil, err
	}
	out := dash.BatchIssues200JSONResponse{Issues: []dash.Issue{}, Missing: []dash.IssueID{}}
	answer := newFilling(r)
	var asked []dash.IssueID
	for id := range strings.SplitSeq(p.Ids, ",") {
		if slices.Contains(asked, id) {
			continue
		}
		asked = append(asked, id)
		row, err := r.Issue(ctx, p.Board, id)
		switch {
		case errors.Is(err, store.ErrNotFound):
			out.Missing = append(out.Missing, id)
		case err != nil:
			return nil, during("read a card", err)
		default:
			if err := answer.fill(ctx, &row.Issue, fields); err != nil {
				return nil, tooMuch(err, "these cards", "ask for fewer fields, or for fewer ids at once")
			}
			out.Issues = append(out.Issues, row.Issue)
		}
	}
	return out, nil
}

// GetIssue reads a card.
func (h *Handler) GetIssue(ctx context.Context, request dash.GetIssueRequestObject) (dash.GetIssueResponseObject, error) {
	fields, err := work.ParseFields("issue", request.Params.Fields)
	if err != nil {
		return nil, err
	}
	r := h.team(ctx)
	i, err := issue(ctx, r, request.Params.Board, request.ID)
	if err != nil {
		return nil, err
	}
	if err := newFilling(r).fill(ctx, &i, fields); err != nil {
		return nil, tooMuchOf(i.ID, err)
	}
	return dash.GetIssue200JSONResponse{Body: i, Headers: dash.GetIssue200ResponseHeaders{ETag: work.ETag(i.Version)}}, nil
}

// issue reads a card that a call names by its path.
func issue(ctx context.Context, r store.WorkReader, board int64, id dash.IssueID) (dash.Issue, error) {
	i, err := r.Issue(ctx, board, id)
	return i.Issue, orMissing(err, "board %d has no card %s: GET /api/issues?q=%[2]s looks on all boards", board, id)
}
