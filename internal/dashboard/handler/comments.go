// SPDX-License-Identifier: Apache-2.0

package handler

import (
	"context"
	"fmt"
	"strconv"

	"github.com/fiftyarms/platform/gen/dash"
	"github.com/fiftyarms/platform/internal/store"
	"github.com/fiftyarms/platform/internal/work"
)

// ListComments lists what was said about a card.
func (h *Handler) ListComments(ctx context.Context, request dash.ListCommentsRequestObject) (dash.ListCommentsResponseObject, error) {
	r := h.team(ctx)
	list, err := newListing(byNumber, request.Params.Limit, request.Params.Cursor)
	if err != nil {
		return nil, err
	}
	i, err := issue(ctx, r, request.Params.Board, request.ID)
	if err != nil {
		return nil, err
	}
	rows, err := r.Comments(ctx, i.ID, list.after, list.fetch())
	if err != nil {
		return nil, during("list comments", err)
	}
	rows, next := cut(list, rows, func(c dash.Comment) int64 { return c.ID })
	return dash.ListComments200JSONResponse{Comments: some(rows), NextCursor: next}, nil
}

// AddComment says something about a card.
func (h *Handler) AddComment(ctx context.Context, request dash.AddCommentRequestObject) (dash.AddCommentResponseObject, error) {
	var out dash.Comment
	err := h.change(ctx, func(c *change) error {
		i, err := issue(ctx, c, request.Params.Board, request.ID)
		if err != nil {
			return err
		}
		call := []any{i.ID, request.Body}
		created, err := c.once(ctx, request.Params.IdempotencyKey, call, func() (string, error) {
			return c.addComment(ctx, i, request.Body.Body)
		})
		if err != nil {
			return err
		}
		number, err := strconv.ParseInt(created, 10, 64)
		if err != nil {
			return fmt.Errorf("a comment that was created: %w", err)
		}
		out, err = c.Comment(ctx, i.ID, number)
		return err
	})
	return dash.AddComment201JSONResponse(out), err
}

func (c *change) addComment(ctx context.Context, i dash.Issue, text string) (string, error) {
	id, err := c.WorkTx.AddComment(ctx, i.ID, dash.Comment{Body: text, By: c.by, At: dash.At(c.at)})
	if err != nil {
		return "", err
	}
	number := strconv.FormatInt(id, 10)
	return number, c.tell(dash.EventKindIssueCommented, i.Board, i.ID, 0, work.Changed("comments", "", number))
}

// ListHistory lists what happened to a card, newest first.
func (h *Handler) ListHistory(ctx context.Context, request dash.ListHistoryRequestObject) (dash.ListHistoryResponseObject, error) {
	r := h.team(ctx)
	list, err := newListing(byNumber, request.Params.Limit, request.Params.Cursor)
	if err != nil {
		return nil, err
	}
	i, err := issue(ctx, r, request.Params.Board, request.ID)
	if err != nil {
		return nil, err
	}
	rows, err := r.History(ctx, i.ID, list.after, list.fetch())
	if err != nil {
		return nil, during("list a card's history", err)
	}
	rows, next := cut(list, rows, func(e store.Event) int64 { return e.Number })
	page := dash.ListHistory200JSONResponse{Events: make([]dash.Event, len(rows)), NextCursor: next}
	for n, row := range rows {
		page.Events[n] = row.Event
	}
	return page, nil
}
