// SPDX-License-Identifier: Apache-2.0

package sqlstore

import (
	"context"
	"database/sql"
	"errors"
	"math"

	"github.com/fiftyarms/platform/gen/dash"
	"github.com/fiftyarms/platform/gen/sqldb"
	"github.com/fiftyarms/platform/internal/store"
)

// gap is what lies between two cards of a column at first: 31 times a card goes right after the first of them before
// there is no room. farthest keeps the difference of two positions within an int64.
const (
	gap      = 1 << 32
	farthest = 1 << 62
)

// spreadFirst is how many cards are moved at first to make room.
const spreadFirst = 32

// errNoRoom is for a column of a billion cards.
var errNoRoom = errors.New("the column has no room for another card")

// A spot is where a card is to go.
type spot struct {
	card   dash.IssueID // "" while it has none
	board  int64
	status dash.IssueStatus
	store.Place
}

// PlaceIssue moves a card to a status of its board.
func (w workTx) PlaceIssue(ctx context.Context, id dash.IssueID, status dash.IssueStatus, to store.Place) error {
	const doing = "place a card"
	board, err := w.q.BoardOfIssue(ctx, sqldb.BoardOfIssueParams{TeamID: w.teamID, ID: id})
	if err != nil {
		return w.fail(ctx, doing, err)
	}
	position, err := w.position(ctx, spot{id, board, status, to})
	if err != nil {
		return w.fail(ctx, doing, err)
	}
	return w.fail(ctx, doing, w.q.PlaceIssue(ctx, sqldb.PlaceIssueParams{
		TeamID: w.teamID, ID: id, Status: string(status), Position: position,
	}))
}

// position is the position of a spot. Where it has no room some is made.
func (w workTx) position(ctx context.Context, s spot) (int64, error) {
	for range 2 {
		low, high, err := w.between(ctx, s)
		if err != nil {
			return 0, err
		}
		if middle := low + (high-low)/2; low < middle && middle < high && -farthest < low && high < farthest {
			return middle, nil
		}
		if err := w.spread(ctx, s, low); err != nil {
			return 0, err
		}
	}
	return 0, errNoRoom
}

// between are the positions between which a spot lies. Beyond the first and the last card there are two gaps.
func (w workTx) between(ctx context.Context, s spot) (low, high int64, err error) {
	board, status := s.board, string(s.status)
	switch {
	case s.After != "" && s.After == s.card:
		return 0, 0, store.ErrNotFound
	case s.After != "":
		low, err = w.q.PositionInColumn(ctx, sqldb.PositionInColumnParams{TeamID: w.teamID, ID: s.After, Board: board, Status: status})
		if err != nil {
			return 0, 0, err
		}
		high, err = w.q.NextPosition(ctx, sqldb.NextPositionParams{TeamID: w.teamID, Board: board, Status: status, ID: s.card, Position: low})
		if errors.Is(err, sql.ErrNoRows) {
			return low, low + 2*w.gap, nil
		}
		return low, high, err
	case s.Top:
		high, err = w.q.FirstPosition(ctx, sqldb.FirstPositionParams{TeamID: w.teamID, Board: board, Status: status, ID: s.card})
		low = high - 2*w.gap
	default:
		low, err = w.q.LastPosition(ctx, sqldb.LastPositionParams{TeamID: w.teamID, Board: board, Status: status, ID: s.card})
		high = low + 2*w.gap
	}
	if errors.Is(err, sql.ErrNoRows) { // an empty column
		return 0, 2 * w.gap, nil
	}
	return low, high, err
}

// spread makes room at a spot: it moves as few of the cards behind it as it takes, in their order. At an edge, which no
// column comes to that is not made for it, all cards are numbered anew.
func (w workTx) spread(ctx context.Context, s spot, low int64) error {
	most := int64(spreadFirst)
	if s.After == "" {
		low, most = -farthest-1, math.MaxInt64-1
	}
	for ; ; most *= 4 {
		cards, err := w.q.ListColumnAfter(ctx, sqldb.ListColumnAfterParams{
			TeamID: w.teamID, Board: s.board, Status: string(s.status), After: low, Most: most + 1,
		})
		if err != nil {
			return err
		}
		start, step := low, w.gap
		if whole := int64(len(cards)) <= most; !whole {
			last := cards[most]
			if cards, step = cards[:most], (last.Position-low)/(most+1); step < max(2, w.gap/2) {
				continue
			}
		} else if s.After == "" {
			start = 0
		}
		for i, card := range cards {
			err := w.q.PlaceIssue(ctx, sqldb.PlaceIssueParams{
				TeamID: w.teamID, ID: card.ID, Status: string(s.status), Position: start + int64(i+1)*step,
			})
			if err != nil {
				return err
			}
		}
		return nil
	}
}
