// SPDX-License-Identifier: Apache-2.0

package handler

import (
	"context"
	"errors"
	"slices"

	"github.com/fiftyarms/platform/gen/dash"
	"github.com/fiftyarms/platform/internal/store"
	"github.com/fiftyarms/platform/internal/work"
)

// ListConflicts lists what a card conflicts with.
func (h *Handler) ListConflicts(ctx context.Context, request dash.ListConflictsRequestObject) (dash.ListConflictsResponseObject, error) {
	r := h.team(ctx)
	i, err := issue(ctx, r, request.Params.Board, request.ID)
	if err != nil {
		return nil, err
	}
	conflicts, err := r.Conflicts(ctx, i.ID)
	return dash.ListConflicts200JSONResponse{Conflicts: some(conflicts)}, during("list conflicts", err)
}

// SetConflict says that two cards may not be in progress together.
func (h *Handler) SetConflict(ctx context.Context, request dash.SetConflictRequestObject) (dash.SetConflictResponseObject, error) {
	out := dash.SetConflict200JSONResponse{}
	err := h.change(ctx, func(c *change) error {
		i, err := issue(ctx, c, request.Params.Board, request.ID)
		if err != nil {
			return err
		}
		other, err := c.Link(ctx, request.Other)
		if errors.Is(err, store.ErrNotFound) {
			return unknownIssues(request.Other)
		}
		if err != nil {
			return err
		}
		if err := work.Conflict(work.Link(i), other, request.Body.Reason); err != nil {
			return err
		}
		if err := c.setConflict(ctx, work.Link(i), other, request.Body.Reason); err != nil {
			return err
		}
		out.Conflicts, err = c.Conflicts(ctx, i.ID)
		return err
	})
	return out, err
}

// setConflict makes two cards conflict. Where they do, for this reason, nothing changes.
func (c *change) setConflict(ctx context.Context, one, other dash.IssueLink, reason string) error {
	before, err := c.Conflicts(ctx, one.ID)
	if err != nil {
		return err
	}
	n := slices.IndexFunc(before, func(have dash.Conflict) bool { return have.Issue.ID == other.ID })
	was := dash.Conflict{}
	if n >= 0 {
		was = before[n]
	}
	if was.Reason == reason {
		return nil
	}
	if err := c.SetConflict(ctx, one.ID, other.ID, reason); err != nil {
		return err
	}
	return c.tellConflict(one, other, n >= 0, true)
}

// ClearConflict lets two cards be in progress together.
func (h *Handler) ClearConflict(ctx context.Context, request dash.ClearConflictRequestObject) (dash.ClearConflictResponseObject, error) {
	err := h.change(ctx, func(c *change) error {
		i, err := issue(ctx, c, request.Params.Board, request.ID)
		if err != nil {
			return err
		}
		other, err := c.Link(ctx, request.Other)
		if err == nil {
			err = c.ClearConflict(ctx, i.ID, other.ID)
		}
		if err != nil {
			return orMissing(err, "%s does not conflict with %s", i.ID, request.Other)
		}
		return c.tellConflict(work.Link(i), other, true, false)
	})
	return dash.ClearConflict204Response{}, err
}

// tellConflict tells of both cards that they conflict or do no longer. It is no change of what the cards say: their
// versions stay.
func (c *change) tellConflict(one, other dash.IssueLink, before, after bool) error {
	about := func(id dash.IssueID, holds bool) string {
		if holds {
			return id
		}
		return ""
	}
	for _, pair := range [][2]dash.IssueLink{{one, other}, {other, one}} {
		of, with := pair[0], pair[1]
		change := work.Changed("conflict_on", about(with.ID, before), about(with.ID, after))
		if err := c.tell(dash.EventKindIssueConflictsChanged, of.Board, of.ID, 0, change); err != nil {
			return err
		}
	}
	return nil
}
