// SPDX-License-Identifier: Apache-2.0

package handler

import (
	"context"

	"github.com/fiftyarms/platform/gen/dash"
	"github.com/fiftyarms/platform/internal/work"
)

// EditIssue changes what a card says.
func (h *Handler) EditIssue(ctx context.Context, request dash.EditIssueRequestObject) (dash.EditIssueResponseObject, error) {
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
		if err := c.editIssue(ctx, before, *request.Body); err != nil {
			return err
		}
		out, err = issue(ctx, c, before.Board, before.ID)
		return err
	})
	return dash.EditIssue200JSONResponse{Body: out, Headers: dash.EditIssue200ResponseHeaders{ETag: work.ETag(out.Version)}}, err
}

func (c *change) editIssue(ctx context.Context, before dash.Issue, edit dash.IssueEdit) error {
	if edit.Description != nil {
		if err := fillers["description"](ctx, c, &before); err != nil {
			return err
		}
	}
	after, changes, err := work.Edit(before, edit, c.by, c.at)
	if err != nil || len(changes) == 0 {
		return err
	}
	if err := c.knowsAgent(ctx, after.AssignedAgent); err != nil {
		return err
	}
	moved := value(before.ParentID) != value(after.ParentID)
	parent, err := c.parent(ctx, after)
	if err != nil {
		return err
	}
	if moved || before.Type != after.Type {
		if err := c.fitsParent(ctx, before, after, parent); err != nil {
			return err
		}
	}
	if err := c.SaveIssue(ctx, after); err != nil {
		return err
	}
	if err := c.tell(dash.EventKindIssueEdited, after.Board, after.ID, after.Version, changes...); err != nil {
		return err
	}
	if !moved {
		return nil
	}
	left, err := c.parent(ctx, before)
	if err != nil {
		return err
	}
	if err := c.tellParent(left); err != nil {
		return err
	}
	return c.tellParent(parent)
}

// fitsParent refuses a type or parent that the cards around would not allow.
func (c *change) fitsParent(ctx context.Context, before, after dash.Issue, parent *dash.Issue) error {
	if before.Type == dash.IssueTypeEpic {
		children, err := c.children(ctx, before)
		if err != nil {
			return err
		}
		if err := work.KeepsChildren(before, after.Type, children); err != nil {
			return err
		}
	}
	if err := work.Parent(after, parent); err != nil || parent == nil {
		return err
	}
	return work.Acyclic(after.ID, func(id dash.IssueID) ([]dash.IssueID, error) {
		needs, err := c.Needs(ctx, id)
		if id == parent.ID {
			needs = append(needs, after.ID)
		}
		return needs, err
	})
}

// fresh is a card as the caller of an edit has seen it.
func (c *change) fresh(ctx context.Context, board int64, id dash.IssueID, seen dash.Version) (dash.Issue, error) {
	i, err := issue(ctx, c, board, id)
	if err != nil {
		return i, err
	}
	return i, work.FreshIssue(i, seen)
}
