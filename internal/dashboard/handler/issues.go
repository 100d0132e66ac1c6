// SPDX-License-Identifier: Apache-2.0

package handler

import (
	"context"
	"errors"
	"slices"
	"strings"

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
		Ready: p.Ready, Text: strings.TrimSpace(value(p.Q)), After: list.after, Limit: list.fetch(),
	}
	if p.Q != nil && q.Text == "" {
		return nil, invalid(dash.FaultInQuery, "q", "is blank: leave it out, or say what to look for")
	}
	if p.Board != nil {
		if _, err := board(ctx, r, *p.Board); err != nil {
			return nil, err
		}
	}
	rows, err := r.Issues(ctx, q)
	if err != nil {
		return nil, during("list cards", err)
	}
	rows, next := cut(list, rows, func(i store.Issue) store.IssuePlace {
		return store.IssuePlace{Board: i.Board, Status: i.Status, Position: i.Position, ID: i.ID}
	})
	page := dash.ListIssues200JSONResponse{Issues: make([]dash.Issue, len(rows)), NextCursor: next}
	for n, row := range rows {
		page.Issues[n] = row.Issue
	}
	return page, optIn(ctx, r, page.Issues, fields)
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
			out.Issues = append(out.Issues, row.Issue)
		}
	}
	return out, optIn(ctx, r, out.Issues, fields)
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
	rows := []dash.Issue{i}
	if err := optIn(ctx, r, rows, fields); err != nil {
		return nil, err
	}
	return dash.GetIssue200JSONResponse{Body: rows[0], Headers: dash.GetIssue200ResponseHeaders{ETag: work.ETag(i.Version)}}, nil
}

// issue reads a card that a call names by its path.
func issue(ctx context.Context, r store.WorkReader, board int64, id dash.IssueID) (dash.Issue, error) {
	i, err := r.Issue(ctx, board, id)
	return i.Issue, orMissing(err, "board %d has no card %s", board, id)
}
