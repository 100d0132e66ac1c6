// SPDX-License-Identifier: Apache-2.0

package sqlstore

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"

	"github.com/fiftyarms/platform/gen/dash"
	"github.com/fiftyarms/platform/gen/sqldb"
	"github.com/fiftyarms/platform/internal/store"
)

// Issue reads a card as it always is.
func (w work) Issue(ctx context.Context, board int64, id dash.IssueID) (store.Issue, error) {
	row, err := w.q.IssueByID(ctx, sqldb.IssueByIDParams{TeamID: w.teamID, ID: id, Board: numberOrNil(board)})
	if err != nil {
		return store.Issue{}, w.fail(ctx, "find a card", err)
	}
	i, err := issue(row)
	return i, w.fail(ctx, "read a card", err)
}

// Issues answers a page of cards.
func (w work) Issues(ctx context.Context, q store.IssueQuery) ([]store.Issue, error) {
	const doing = "list the cards"
	if q.Limit <= 0 {
		return nil, nil // SQLite takes a negative limit for none
	}
	if err := storable(q.Text); err != nil { // its key would be: folding mends what is not UTF-8
		return nil, w.fail(ctx, doing, err)
	}
	list := w.issuesOfBoard
	if q.Board == 0 {
		list = w.issuesOfTeam
	}
	rows, err := list(ctx, q)
	if err != nil {
		return nil, w.fail(ctx, doing, err)
	}
	return w.issues(ctx, rows)
}

func (w work) issuesOfTeam(ctx context.Context, q store.IssueQuery) (rows []sqldb.IssueByIDRow, err error) {
	listed, err := w.q.ListIssues(ctx, sqldb.ListIssuesParams{
		TeamID: w.teamID, Status: orNil(string(q.Status)), Type: orNil(string(q.Type)), Parent: orNil(q.Parent),
		Agent: numberOrNil(q.Agent), Ready: bitOrNil(q.Ready), TextKey: orNil(caseless(q.Text)), PageSize: int64(q.Limit),
		AfterBoard: q.After.Board, AfterStatus: string(q.After.Status), AfterPosition: q.After.Position, AfterID: q.After.ID,
	})
	for _, row := range listed {
		rows = append(rows, sqldb.IssueByIDRow(row))
	}
	return rows, err
}

func (w work) issuesOfBoard(ctx context.Context, q store.IssueQuery) (rows []sqldb.IssueByIDRow, err error) {
	switch {
	case q.After.Board < q.Board:
		q.After = store.IssuePlace{} // its start
	case q.After.Board > q.Board:
		return nil, nil
	}
	first, last := max(q.Status, q.After.Status), q.Status
	if last == "" {
		last = "\U0010ffff" // no status comes after it
	}
	listed, err := w.q.ListBoardIssues(ctx, sqldb.ListBoardIssuesParams{
		TeamID: w.teamID, Board: q.Board, FirstStatus: string(first), LastStatus: string(last), Type: orNil(string(q.Type)),
		Parent: orNil(q.Parent), Agent: numberOrNil(q.Agent), Ready: bitOrNil(q.Ready), TextKey: orNil(caseless(q.Text)),
		AfterStatus: string(q.After.Status), AfterPosition: q.After.Position, AfterID: q.After.ID, PageSize: int64(q.Limit),
	})
	for _, row := range listed {
		rows = append(rows, sqldb.IssueByIDRow(row))
	}
	return rows, err
}

func (w work) issues(ctx context.Context, rows []sqldb.IssueByIDRow) (_ []store.Issue, err error) {
	issues := make([]store.Issue, len(rows))
	for i, row := range rows {
		if issues[i], err = issue(row); err != nil {
			return nil, w.fail(ctx, "read a card", err)
		}
	}
	return issues, nil
}

// Children lists the cards of an Epic.
func (w work) Children(ctx context.Context, id dash.IssueID) ([]store.Issue, error) {
	rows, err := w.q.ListChildren(ctx, sqldb.ListChildrenParams{TeamID: w.teamID, ParentID: id})
	if err != nil {
		return nil, w.fail(ctx, "list the children of a card", err)
	}
	cards := make([]sqldb.IssueByIDRow, len(rows))
	for i, row := range rows {
		cards[i] = sqldb.IssueByIDRow(row)
	}
	return w.issues(ctx, cards)
}

// Description is what a card says at length.
func (w work) Description(ctx context.Context, id dash.IssueID) (string, error) {
	text, err := w.q.IssueDescription(ctx, sqldb.IssueDescriptionParams{TeamID: w.teamID, ID: id})
	return text, w.fail(ctx, "read the description of a card", err)
}

// AddIssue keeps a card under its board's next number, at the end of its column.
func (w workTx) AddIssue(ctx context.Context, i dash.Issue) (dash.IssueID, error) {
	const doing = "keep a card"
	content, err := issueContent(i)
	if err != nil {
		return "", w.fail(ctx, doing, err)
	}
	position, err := w.position(ctx, spot{board: i.Board, status: i.Status})
	if err != nil {
		return "", w.fail(ctx, doing, err)
	}
	numbered, err := w.q.NumberIssue(ctx, sqldb.NumberIssueParams{TeamID: w.teamID, Ref: i.Board})
	if err != nil {
		return "", w.fail(ctx, doing, err)
	}
	id := fmt.Sprintf("%s-%d", numbered.Prefix, numbered.LastIssue)
	description := orEmpty(i.Description)
	return id, w.fail(ctx, doing, w.q.CreateIssue(ctx, sqldb.CreateIssueParams{
		TeamID: w.teamID, ID: id, Board: i.Board, Number: numbered.LastIssue, Status: string(i.Status), Position: position,
		ParentID: i.ParentID, CreatedAt: ms(i.CreatedAt.Time), UpdatedAt: ms(i.UpdatedAt.Time),
		TitleKey: caseless(i.Title), Content: content, DescriptionHash: hash(description), Description: description,
	}))
}

// SaveIssue writes what a card says.
func (w workTx) SaveIssue(ctx context.Context, i dash.Issue) error {
	const doing = "save a card"
	content, err := issueContent(i)
	if err != nil {
		return w.fail(ctx, doing, err)
	}
	err = found(w.q.SaveIssue(ctx, sqldb.SaveIssueParams{
		TeamID: w.teamID, ID: i.ID, ParentID: i.ParentID, Version: i.Version, UpdatedAt: ms(i.UpdatedAt.Time),
		TitleKey: caseless(i.Title), Content: content,
	}))
	if err != nil || i.Description == nil {
		return w.fail(ctx, doing, err)
	}
	return w.fail(ctx, doing, found(w.q.SaveIssueDescription(ctx, sqldb.SaveIssueDescriptionParams{
		TeamID: w.teamID, ID: i.ID, Description: *i.Description, DescriptionHash: hash(*i.Description),
	})))
}

// hash changes when a description does; that of none is "".
func hash(description string) string {
	if description == "" {
		return ""
	}
	sum := sha256.Sum256([]byte(description))
	return hex.EncodeToString(sum[:6])
}
