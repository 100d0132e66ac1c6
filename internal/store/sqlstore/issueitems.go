// SPDX-License-Identifier: Apache-2.0

package sqlstore

import (
	"context"

	"github.com/fiftyarms/platform/gen/dash"
	"github.com/fiftyarms/platform/gen/sqldb"
)

// Acceptance lists what has to hold before a card is done.
func (w work) Acceptance(ctx context.Context, id dash.IssueID) ([]dash.AcceptanceItem, error) {
	rows, err := w.q.ListAcceptance(ctx, sqldb.ListAcceptanceParams{TeamID: w.teamID, IssueID: id})
	if err != nil {
		return nil, w.fail(ctx, "list the acceptance items of a card", err)
	}
	items := make([]dash.AcceptanceItem, len(rows))
	for i, row := range rows {
		items[i] = dash.AcceptanceItem{ID: row.Number, Title: row.Title, Checked: row.Checked > 0, Version: row.Version}
	}
	return items, nil
}

// AddAcceptanceItem keeps an item under its card's next number.
func (w workTx) AddAcceptanceItem(ctx context.Context, id dash.IssueID, title string) (dash.AcceptanceItem, error) {
	const doing = "keep an acceptance item"
	number, err := w.q.NumberAcceptanceItem(ctx, sqldb.NumberAcceptanceItemParams{TeamID: w.teamID, ID: id})
	if err == nil {
		err = w.q.CreateAcceptanceItem(ctx, sqldb.CreateAcceptanceItemParams{TeamID: w.teamID, IssueID: id, Number: number, Title: title})
	}
	if err != nil {
		return dash.AcceptanceItem{}, w.fail(ctx, doing, err)
	}
	return dash.AcceptanceItem{ID: number, Title: title, Version: 1}, nil
}

// SaveAcceptanceItem writes an item.
func (w workTx) SaveAcceptanceItem(ctx context.Context, id dash.IssueID, item dash.AcceptanceItem) error {
	return w.fail(ctx, "save an acceptance item", found(w.q.SaveAcceptanceItem(ctx, sqldb.SaveAcceptanceItemParams{
		TeamID: w.teamID, IssueID: id, Number: item.ID, Title: item.Title, Checked: bit(item.Checked), Version: item.Version,
	})))
}

// RemoveAcceptanceItem removes an item.
func (w workTx) RemoveAcceptanceItem(ctx context.Context, id dash.IssueID, item int64) error {
	return w.fail(ctx, "remove an acceptance item", found(w.q.RemoveAcceptanceItem(ctx, sqldb.RemoveAcceptanceItemParams{
		TeamID: w.teamID, IssueID: id, Number: item,
	})))
}

// Comments answers a page of comments, oldest first.
func (w work) Comments(ctx context.Context, id dash.IssueID, after int64, limit int) ([]dash.Comment, error) {
	if limit <= 0 {
		return nil, nil // SQLite takes a negative limit for none
	}
	rows, err := w.q.ListComments(ctx, sqldb.ListCommentsParams{TeamID: w.teamID, IssueID: id, AfterNumber: after, PageSize: int64(limit)})
	if err != nil {
		return nil, w.fail(ctx, "list the comments of a card", err)
	}
	comments := make([]dash.Comment, len(rows))
	for i, row := range rows {
		if comments[i], err = comment(sqldb.CommentByNumberRow(row)); err != nil {
			return nil, w.fail(ctx, "read a comment", err)
		}
	}
	return comments, nil
}

// Comment reads a comment.
func (w work) Comment(ctx context.Context, id dash.IssueID, number int64) (dash.Comment, error) {
	row, err := w.q.CommentByNumber(ctx, sqldb.CommentByNumberParams{TeamID: w.teamID, IssueID: id, Number: number})
	if err != nil {
		return dash.Comment{}, w.fail(ctx, "find a comment", err)
	}
	c, err := comment(row)
	return c, w.fail(ctx, "read a comment", err)
}

// AddComment keeps a comment under its card's next number.
func (w workTx) AddComment(ctx context.Context, id dash.IssueID, c dash.Comment) (int64, error) {
	const doing = "keep a comment"
	actor, err := toJSON(c.By)
	if err != nil {
		return 0, w.fail(ctx, doing, err)
	}
	number, err := w.q.NextCommentNumber(ctx, sqldb.NextCommentNumberParams{TeamID: w.teamID, IssueID: id})
	if err != nil {
		return 0, w.fail(ctx, doing, err)
	}
	return number, w.fail(ctx, doing, w.q.CreateComment(ctx, sqldb.CreateCommentParams{
		TeamID: w.teamID, IssueID: id, Number: number, Body: c.Body, Actor: actor, At: ms(c.At.Time),
	}))
}

func comment(row sqldb.CommentByNumberRow) (dash.Comment, error) {
	by, err := fromJSON[dash.Actor](row.Actor)
	return dash.Comment{ID: row.Number, Body: row.Body, By: by, At: wireTime(row.At)}, err
}
