// SPDX-License-Identifier: Apache-2.0

package handler

import (
	"context"
	"errors"

	"github.com/fiftyarms/platform/gen/dash"
	"github.com/fiftyarms/platform/internal/store"
	"github.com/fiftyarms/platform/internal/work"
)

// GetDependencies says what a card waits for and what waits for it.
func (h *Handler) GetDependencies(ctx context.Context, request dash.GetDependenciesRequestObject) (dash.GetDependenciesResponseObject, error) {
	r := h.team(ctx)
	i, err := issue(ctx, r, request.Params.Board, request.ID)
	if err != nil {
		return nil, err
	}
	var out dash.GetDependencies200JSONResponse
	if out.WaitingOn, err = r.WaitingOn(ctx, i.ID); err != nil {
		return nil, during("read what a card waits for", err)
	}
	blocks, err := r.Blocks(ctx, i.ID)
	out.Blocks = some(blocks)
	return out, during("read what waits for a card", err)
}

// SetDependencies says what a card waits for.
func (h *Handler) SetDependencies(ctx context.Context, request dash.SetDependenciesRequestObject) (dash.SetDependenciesResponseObject, error) {
	body := request.Body
	seen, err := work.Seen(body.Version, request.Params.IfMatch)
	if err != nil {
		return nil, err
	}
	var out dash.Issue
	err = h.change(ctx, func(c *change) error {
		i, err := c.fresh(ctx, request.Params.Board, request.ID, seen)
		if err != nil {
			return err
		}
		if err := c.known(ctx, body.By); err != nil {
			return err
		}
		err = work.Acyclic(i.ID, func(id dash.IssueID) ([]dash.IssueID, error) {
			if id == i.ID {
				return body.By, nil
			}
			return c.Needs(ctx, id)
		})
		if err != nil {
			return err
		}
		if err := c.setWaitingOn(ctx, i, body.Reason, body.By); err != nil {
			return err
		}
		out, err = issue(ctx, c, i.Board, i.ID)
		return err
	})
	return dash.SetDependencies200JSONResponse{Body: out, Headers: dash.SetDependencies200ResponseHeaders{ETag: work.ETag(out.Version)}}, err
}

// ClearDependencies lets a card wait for no other.
func (h *Handler) ClearDependencies(ctx context.Context, request dash.ClearDependenciesRequestObject) (dash.ClearDependenciesResponseObject, error) {
	err := h.change(ctx, func(c *change) error {
		i, err := issue(ctx, c, request.Params.Board, request.ID)
		if err != nil {
			return err
		}
		return c.setWaitingOn(ctx, i, "", nil)
	})
	return dash.ClearDependencies204Response{}, err
}

// setWaitingOn makes a card wait for others, or for none. Where that is so already, nothing changes.
func (c *change) setWaitingOn(ctx context.Context, i dash.Issue, reason string, by []dash.IssueID) error {
	before, err := c.WaitingOn(ctx, i.ID)
	if err != nil {
		return err
	}
	if err := c.SetWaitingOn(ctx, i.ID, reason, by); err != nil {
		return err
	}
	after, err := c.WaitingOn(ctx, i.ID)
	if err != nil || work.SameWait(before, after) {
		return err
	}
	i = work.Touched(i, c.at)
	if err := c.SaveIssue(ctx, i); err != nil {
		return err
	}
	return c.tell(dash.EventKindIssueDependenciesChanged, i.Board, i.ID, i.Version, work.WaitingChange(before, after))
}

// known refuses cards that the team does not have, and names them all.
func (c *change) known(ctx context.Context, ids []dash.IssueID) error {
	var unknown []dash.IssueID
	for _, id := range ids {
		if _, err := c.Link(ctx, id); errors.Is(err, store.ErrNotFound) {
			unknown = append(unknown, id)
		} else if err != nil {
			return err
		}
	}
	if len(unknown) > 0 {
		return unknownIssues(unknown...)
	}
	return nil
}
