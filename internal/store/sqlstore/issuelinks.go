// SPDX-License-Identifier: Apache-2.0

package sqlstore

import (
	"context"
	"slices"

	"github.com/fiftyarms/platform/gen/dash"
	"github.com/fiftyarms/platform/gen/sqldb"
	"github.com/fiftyarms/platform/internal/store"
)

// Link is a card as others name it.
func (w work) Link(ctx context.Context, id dash.IssueID) (dash.IssueLink, error) {
	row, err := w.q.IssueLink(ctx, sqldb.IssueLinkParams{TeamID: w.teamID, ID: id})
	if err != nil {
		return dash.IssueLink{}, w.fail(ctx, "find a card", err)
	}
	l, err := link(row)
	return l, w.fail(ctx, "read a card", err)
}

// Needs lists the cards that have to end before a card can.
func (w work) Needs(ctx context.Context, id dash.IssueID) ([]dash.IssueID, error) {
	ids, err := w.q.IssueNeeds(ctx, sqldb.IssueNeedsParams{TeamID: w.teamID, IssueID: id})
	slices.Sort(ids)
	return slices.Compact(ids), w.fail(ctx, "list what a card needs", err)
}

// WaitingOn is what a card waits for.
func (w work) WaitingOn(ctx context.Context, id dash.IssueID) (*dash.WaitingOn, error) {
	const doing = "read what a card waits for"
	rows, err := w.q.IssueWaiting(ctx, sqldb.IssueWaitingParams{TeamID: w.teamID, ID: id})
	if err == nil && len(rows) == 0 {
		err = store.ErrNotFound
	}
	if err != nil {
		return nil, w.fail(ctx, doing, err)
	}
	waits := dash.WaitingOn{Reason: rows[0].WaitingReason, By: []dash.IssueLink{}} // never null
	for _, row := range rows {
		if row.OtherID == "" {
			continue
		}
		l, err := link(sqldb.IssueLinkRow{ID: row.OtherID, Board: row.Board, Status: row.Status, Content: row.Content})
		if err != nil {
			return nil, w.fail(ctx, doing, err)
		}
		waits.By = append(waits.By, l)
	}
	if waits.Reason == "" && len(waits.By) == 0 {
		return nil, nil
	}
	return &waits, nil
}

// Blocks lists the cards that wait for a card.
func (w work) Blocks(ctx context.Context, id dash.IssueID) ([]dash.IssueLink, error) {
	rows, err := w.q.IssueBlocks(ctx, sqldb.IssueBlocksParams{TeamID: w.teamID, OnID: id})
	if err != nil {
		return nil, w.fail(ctx, "list what waits for a card", err)
	}
	links := make([]dash.IssueLink, len(rows))
	for i, row := range rows {
		if links[i], err = link(sqldb.IssueLinkRow(row)); err != nil {
			return nil, w.fail(ctx, "read a card", err)
		}
	}
	return links, nil
}

// Conflicts lists the cards that a card conflicts with.
func (w work) Conflicts(ctx context.Context, id dash.IssueID) ([]dash.Conflict, error) {
	rows, err := w.q.IssueConflicts(ctx, sqldb.IssueConflictsParams{TeamID: w.teamID, IssueID: id})
	if err != nil {
		return nil, w.fail(ctx, "list the conflicts of a card", err)
	}
	conflicts := make([]dash.Conflict, len(rows))
	for i, row := range rows {
		other, err := link(sqldb.IssueLinkRow{ID: row.ID, Board: row.Board, Status: row.Status, Content: row.Content})
		if err != nil {
			return nil, w.fail(ctx, "read a card", err)
		}
		conflicts[i] = dash.Conflict{Issue: other, Reason: row.Reason}
	}
	return conflicts, nil
}

// SetWaitingOn makes a card wait for others, in place of what it waited for.
func (w workTx) SetWaitingOn(ctx context.Context, id dash.IssueID, reason string, by []dash.IssueID) error {
	const doing = "set what a card waits for"
	err := found(w.q.SetWaitingReason(ctx, sqldb.SetWaitingReasonParams{TeamID: w.teamID, ID: id, WaitingReason: reason}))
	if err == nil {
		err = w.q.ForgetDependencies(ctx, sqldb.ForgetDependenciesParams{TeamID: w.teamID, IssueID: id})
	}
	for _, on := range by {
		if err == nil {
			err = w.q.CreateDependency(ctx, sqldb.CreateDependencyParams{TeamID: w.teamID, IssueID: id, OnID: on})
		}
	}
	return w.fail(ctx, doing, err)
}

// SetConflict makes two cards conflict: each has a row, to find the other by.
func (w workTx) SetConflict(ctx context.Context, one, other dash.IssueID, reason string) error {
	const doing = "set a conflict"
	for _, p := range []sqldb.SetConflictParams{{IssueID: one, OtherID: other}, {IssueID: other, OtherID: one}} {
		p.TeamID, p.Reason = w.teamID, reason
		if err := w.q.SetConflict(ctx, p); err != nil {
			return w.fail(ctx, doing, err)
		}
	}
	return nil
}

// ClearConflict ends a conflict for both cards.
func (w workTx) ClearConflict(ctx context.Context, one, other dash.IssueID) error {
	return w.fail(ctx, "clear a conflict", found(w.q.ClearConflict(ctx, sqldb.ClearConflictParams{TeamID: w.teamID, One: one, Other: other})))
}
