// SPDX-License-Identifier: Apache-2.0

package work

import (
	"fmt"
	"time"

	"github.com/fiftyarms/platform/gen/dash"
)

// MaxItems is how many acceptance items a card has at most.
const MaxItems = 100

// New is the card that a caller describes, on a board, with what they left out filled in. Its acceptance items are
// apart: see [NewItems].
func New(board int64, c dash.IssueCreate, at time.Time) (dash.Issue, error) {
	i := dash.Issue{
		Board: board, Type: dash.IssueTypeFeature, Status: dash.IssueStatusReview, Priority: 3,
		Gates: []dash.Gate{}, Version: 1, CreatedAt: dash.At(at), UpdatedAt: dash.At(at),
	}
	i, err := merge(i, c, "board", "acceptance")
	if err != nil {
		return i, err
	}
	return i, priority(i.Priority)
}

// priority refuses one that the contract takes as it is written, and that is out of its bounds as it is kept.
func priority(p dash.Priority) error {
	if 0 < p && p < 6 {
		return nil
	}
	return invalid(dash.FaultInBody, "/priority", fmt.Sprintf("must be above 0 and below 6, and is %g as a double", p))
}

// NewItems are the acceptance items of a new card.
func NewItems(titles []dash.IssueTitle) []dash.AcceptanceItem {
	items := make([]dash.AcceptanceItem, len(titles))
	for n, title := range titles {
		items[n] = dash.AcceptanceItem{ID: int64(n + 1), Title: title, Version: 1}
	}
	return items
}

// NewBoard is the board that a caller describes. Its number is for the store to give.
func NewBoard(c dash.BoardCreate, at time.Time) (dash.Board, error) {
	b, err := merge(dash.Board{Counts: []dash.StatusCount{}, Version: 1, CreatedAt: dash.At(at), UpdatedAt: dash.At(at)}, c)
	return described(b), err
}

// described is a board without a description that says nothing.
func described(b dash.Board) dash.Board {
	if b.Description != nil && *b.Description == "" {
		b.Description = nil
	}
	return b
}
