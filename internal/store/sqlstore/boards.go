// SPDX-License-Identifier: Apache-2.0

package sqlstore

import (
	"context"

	"github.com/fiftyarms/platform/gen/dash"
	"github.com/fiftyarms/platform/gen/sqldb"
)

// Board reads a board with its counts.
func (w work) Board(ctx context.Context, ref int64) (dash.Board, error) {
	const doing = "find a board"
	row, err := w.q.BoardByRef(ctx, sqldb.BoardByRefParams{TeamID: w.teamID, Ref: ref})
	if err != nil {
		return dash.Board{}, w.fail(ctx, doing, err)
	}
	boards, err := w.counted(ctx, []sqldb.Board{row})
	if err != nil {
		return dash.Board{}, w.fail(ctx, doing, err)
	}
	return boards[0], nil
}

// Boards answers a page of boards in the order of their refs.
func (w work) Boards(ctx context.Context, after int64, limit int) ([]dash.Board, error) {
	if limit <= 0 {
		return nil, nil // SQLite takes a negative limit for none
	}
	rows, err := w.q.ListBoards(ctx, sqldb.ListBoardsParams{TeamID: w.teamID, AfterRef: after, PageSize: int64(limit)})
	if err != nil {
		return nil, w.fail(ctx, "list the boards", err)
	}
	boards, err := w.counted(ctx, rows)
	return boards, w.fail(ctx, "count the cards of the boards", err)
}

// counted are boards that stand in the order of their refs, with their counts.
func (w work) counted(ctx context.Context, rows []sqldb.Board) ([]dash.Board, error) {
	boards := make([]dash.Board, len(rows))
	if len(rows) == 0 {
		return boards, nil
	}
	counts, err := w.q.CountIssues(ctx, sqldb.CountIssuesParams{
		TeamID: w.teamID, FirstBoard: rows[0].Ref, LastBoard: rows[len(rows)-1].Ref,
	})
	if err != nil {
		return nil, err
	}
	type column struct {
		board  int64
		status dash.IssueStatus
	}
	cards := map[column]int64{}
	for _, c := range counts {
		cards[column{c.Board, dash.IssueStatus(c.Status)}] = c.Cards
	}
	for i, b := range rows {
		boards[i] = dash.Board{
			Ref: b.Ref, Name: b.Name, Prefix: b.Prefix, Description: b.Description, Repo: b.Repo,
			Version: b.Version, CreatedAt: wireTime(b.CreatedAt), UpdatedAt: wireTime(b.UpdatedAt),
		}
		for _, status := range dash.AllIssueStatuses {
			boards[i].Counts = append(boards[i].Counts, dash.StatusCount{Status: status, Cards: cards[column{b.Ref, status}]})
		}
	}
	return boards, nil
}

// AddBoard keeps a board under the team's next ref.
func (w workTx) AddBoard(ctx context.Context, b dash.Board) (int64, error) {
	const doing = "keep a board"
	ref, err := w.q.NextBoardRef(ctx, sqldb.NextBoardRefParams{TeamID: w.teamID})
	if err != nil {
		return 0, w.fail(ctx, doing, err)
	}
	return ref, w.fail(ctx, doing, w.q.CreateBoard(ctx, sqldb.CreateBoardParams{
		TeamID: w.teamID, Ref: ref, Prefix: b.Prefix, Name: b.Name, Description: b.Description, Repo: b.Repo,
		CreatedAt: ms(b.CreatedAt.Time), UpdatedAt: ms(b.UpdatedAt.Time),
	}))
}

// SaveBoard writes what of a board may change.
func (w workTx) SaveBoard(ctx context.Context, b dash.Board) error {
	return w.fail(ctx, "save a board", found(w.q.SaveBoard(ctx, sqldb.SaveBoardParams{
		TeamID: w.teamID, Ref: b.Ref, Name: b.Name, Description: b.Description, Repo: b.Repo,
		Version: b.Version, UpdatedAt: ms(b.UpdatedAt.Time),
	})))
}
