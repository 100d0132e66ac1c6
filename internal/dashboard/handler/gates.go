// SPDX-License-Identifier: Apache-2.0

package handler

import (
	"context"

	"github.com/fiftyarms/platform/gen/dash"
	"github.com/fiftyarms/platform/internal/work"
)

// tellAround tells of the cards whose gates or children change because a card goes from its status to another: those
// that wait for it when it ends or opens, those that conflict with it when it enters or leaves In Progress, its Epic at
// any move between statuses.
func (c *change) tellAround(ctx context.Context, before dash.Issue, to dash.IssueStatus) error {
	if before.Status == to {
		return nil
	}
	var around []dash.IssueLink
	if work.Ended(before.Status) != work.Ended(to) {
		waiting, err := c.Blocks(ctx, before.ID)
		if err != nil {
			return err
		}
		around = append(around, waiting...)
	}
	if before.Status == dash.IssueStatusInProgress || to == dash.IssueStatusInProgress {
		conflicts, err := c.Conflicts(ctx, before.ID)
		if err != nil {
			return err
		}
		for _, other := range conflicts {
			around = append(around, other.Issue)
		}
	}
	if before.ParentID != nil {
		parent, err := c.Link(ctx, *before.ParentID)
		if err != nil {
			return err
		}
		around = append(around, parent)
	}
	told := map[dash.IssueID]bool{}
	for _, other := range around {
		if told[other.ID] {
			continue
		}
		told[other.ID] = true
		if err := c.tellGates(other); err != nil {
			return err
		}
	}
	return nil
}

// tellParent tells of an Epic whose children change; nil is none.
func (c *change) tellParent(parent *dash.Issue) error {
	if parent == nil {
		return nil
	}
	return c.tellGates(work.Link(*parent))
}

// tellGates tells of a card that other cards changed. Its version is left out: it says the same as before, so who goes
// by versions would not read it again.
func (c *change) tellGates(i dash.IssueLink) error {
	return c.tell(dash.EventKindIssueGatesChanged, i.Board, i.ID, 0)
}
