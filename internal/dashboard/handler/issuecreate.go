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

// CreateIssue makes a card.
func (h *Handler) CreateIssue(ctx context.Context, request dash.CreateIssueRequestObject) (dash.CreateIssueResponseObject, error) {
	body := *request.Body
	if body.Board == nil {
		body.Board = request.Params.Board
	}
	switch asked := request.Params.Board; {
	case body.Board == nil:
		return nil, invalid(dash.FaultInBody, "/board", "is missing: say which board the card is for, here or in the query")
	case asked != nil && *asked != *body.Board:
		return nil, invalid(dash.FaultInQuery, "board", "is another board than the body's: name it once")
	}
	var out dash.Issue
	err := h.change(ctx, func(c *change) error {
		id, err := c.once(ctx, request.Params.IdempotencyKey, body, func() (string, error) { return c.createIssue(ctx, body) })
		if err != nil {
			return err
		}
		out, err = issue(ctx, c, *body.Board, id)
		return err
	})
	return dash.CreateIssue201JSONResponse{Body: out, Headers: dash.CreateIssue201ResponseHeaders{ETag: work.ETag(out.Version)}}, err
}

func (c *change) createIssue(ctx context.Context, body dash.IssueCreate) (dash.IssueID, error) {
	if _, err := board(ctx, c, *body.Board); err != nil {
		return "", err
	}
	i, err := work.New(*body.Board, body, c.at)
	if err != nil {
		return "", err
	}
	if err := c.knowsAgent(ctx, i.AssignedAgent); err != nil {
		return "", err
	}
	parent, err := c.parent(ctx, i)
	if err != nil {
		return "", err
	}
	if err := work.Parent(i, parent); err != nil {
		return "", err
	}
	items := work.NewItems(body.Acceptance)
	if err := work.Enter(work.Facts{Card: i, Acceptance: items}, i.Status); err != nil {
		return "", err
	}
	id, err := c.AddIssue(ctx, i)
	if err != nil {
		return "", err
	}
	for _, item := range items {
		if _, err := c.AddAcceptanceItem(ctx, id, item.Title); err != nil {
			return "", err
		}
	}
	if err := c.tell(dash.EventKindIssueCreated, i.Board, id, i.Version, work.Changed("status", "", string(i.Status))); err != nil {
		return "", err
	}
	return id, c.tellParent(parent)
}

// parent is the card that one is to stand under; nil where there is none.
func (c *change) parent(ctx context.Context, i dash.Issue) (*dash.Issue, error) {
	if i.ParentID == nil {
		return nil, nil
	}
	parent, err := c.Issue(ctx, 0, *i.ParentID)
	if errors.Is(err, store.ErrNotFound) {
		return nil, unknownIssues(*i.ParentID)
	}
	return &parent.Issue, err
}

// knowsAgent refuses to assign a card to an agent that the team does not have.
func (c *change) knowsAgent(ctx context.Context, number *int64) error {
	if number == nil {
		return nil
	}
	agents, err := c.Agents(ctx)
	if err != nil {
		return err
	}
	for _, a := range agents {
		if a.ID == *number {
			return nil
		}
	}
	return dash.UnknownAgentRefusal{
		Message:       fmt.Sprintf("the team has no agent %d: GET /api/agents lists those that it has", *number),
		AssignedAgent: *number,
	}
}

func unknownIssues(ids ...dash.IssueID) error {
	refusal := dash.UnknownIssuesRefusal{Message: "the team has no card " + ids[0], Unknown: ids}
	if len(ids) > 1 {
		refusal.Message = fmt.Sprintf("the team has no card %s, nor %d others of those named", ids[0], len(ids)-1)
	}
	return refusal
}
