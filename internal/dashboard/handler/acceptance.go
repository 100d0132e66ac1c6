// SPDX-License-Identifier: Apache-2.0

package handler

import (
	"context"
	"fmt"
	"slices"
	"strconv"

	"github.com/fiftyarms/platform/gen/dash"
	"github.com/fiftyarms/platform/internal/work"
)

// AddAcceptanceItem adds what has to hold before a card is Done.
func (h *Handler) AddAcceptanceItem(ctx context.Context, request dash.AddAcceptanceItemRequestObject) (dash.AddAcceptanceItemResponseObject, error) {
	var out dash.AcceptanceItem
	err := h.change(ctx, func(c *change) error {
		i, err := issue(ctx, c, request.Params.Board, request.ID)
		if err != nil {
			return err
		}
		call := []any{i.ID, request.Body}
		created, err := c.once(ctx, request.Params.IdempotencyKey, call, func() (string, error) {
			return c.addItem(ctx, i, request.Body.Title)
		})
		if err != nil {
			return err
		}
		number, err := strconv.ParseInt(created, 10, 64)
		if err != nil {
			return fmt.Errorf("an acceptance item that was created: %w", err)
		}
		out, err = c.item(ctx, i, number)
		return err
	})
	return dash.AddAcceptanceItem201JSONResponse(out), err
}

func (c *change) addItem(ctx context.Context, i dash.Issue, title string) (string, error) {
	items, err := c.Acceptance(ctx, i.ID)
	if err != nil {
		return "", err
	}
	if err := work.AddItem(i, len(items)); err != nil {
		return "", err
	}
	item, err := c.WorkTx.AddAcceptanceItem(ctx, i.ID, title)
	if err != nil {
		return "", err
	}
	return strconv.FormatInt(item.ID, 10), c.tellItem(i, nil, &item)
}

// EditAcceptanceItem checks an item, or words it anew.
func (h *Handler) EditAcceptanceItem(ctx context.Context, request dash.EditAcceptanceItemRequestObject) (dash.EditAcceptanceItemResponseObject, error) {
	seen, err := work.Seen(request.Body.Version, request.Params.IfMatch)
	if err != nil {
		return nil, err
	}
	var out dash.AcceptanceItem
	err = h.change(ctx, func(c *change) error {
		i, err := issue(ctx, c, request.Params.Board, request.ID)
		if err != nil {
			return err
		}
		before, err := c.item(ctx, i, request.Item)
		if err != nil {
			return err
		}
		if err := work.FreshItem(i, before, seen); err != nil {
			return err
		}
		out, err = work.EditItem(i, before, *request.Body)
		if err != nil || out == before {
			return err
		}
		if err := c.SaveAcceptanceItem(ctx, i.ID, out); err != nil {
			return err
		}
		return c.tellItem(i, &before, &out)
	})
	return dash.EditAcceptanceItem200JSONResponse{Body: out, Headers: dash.EditAcceptanceItem200ResponseHeaders{ETag: work.ETag(out.Version)}}, err
}

// RemoveAcceptanceItem takes an item away.
func (h *Handler) RemoveAcceptanceItem(ctx context.Context, request dash.RemoveAcceptanceItemRequestObject) (dash.RemoveAcceptanceItemResponseObject, error) {
	err := h.change(ctx, func(c *change) error {
		i, err := issue(ctx, c, request.Params.Board, request.ID)
		if err != nil {
			return err
		}
		item, err := c.item(ctx, i, request.Item)
		if err != nil {
			return err
		}
		if err := c.WorkTx.RemoveAcceptanceItem(ctx, i.ID, item.ID); err != nil {
			return err
		}
		return c.tellItem(i, &item, nil)
	})
	return dash.RemoveAcceptanceItem204Response{}, err
}

// item is an acceptance item that a call names.
func (c *change) item(ctx context.Context, i dash.Issue, number int64) (dash.AcceptanceItem, error) {
	items, err := c.Acceptance(ctx, i.ID)
	if err != nil {
		return dash.AcceptanceItem{}, err
	}
	n := slices.IndexFunc(items, func(item dash.AcceptanceItem) bool { return item.ID == number })
	if n < 0 {
		return dash.AcceptanceItem{}, dash.NotFoundRefusal{Message: fmt.Sprintf("%s has no acceptance item %d", i.ID, number)}
	}
	return items[n], nil
}

// tellItem tells what became of an item. The card's own version stays: items have theirs.
func (c *change) tellItem(of dash.Issue, before, after *dash.AcceptanceItem) error {
	return c.tell(dash.EventKindIssueAcceptanceChanged, of.Board, of.ID, 0, work.ItemChange(before, after))
}
