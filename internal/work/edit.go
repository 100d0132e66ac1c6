// SPDX-License-Identifier: Apache-2.0

package work

import (
	"slices"
	"time"

	"github.com/fiftyarms/platform/gen/dash"
)

// Edit is a card after an edit of it, and what that changes; nothing changed where it says what stood there already.
// If the edit has a description, i must hold the one that is there. The version that the edit saw is for [Seen].
func Edit(i dash.Issue, e dash.IssueEdit, by dash.Actor, at time.Time) (dash.Issue, []dash.Change, error) {
	after, err := merge(i, e, "version")
	if err != nil {
		return i, nil, err
	}
	if e.Priority != nil {
		if err := priority(after.Priority); err != nil {
			return i, nil, err
		}
	}
	// Who said it and when stands with a reason for as long as the reason does.
	if was, is := i.Blocked, after.Blocked; is != nil {
		is.At = dash.At(at)
		if was != nil && was.Reason == is.Reason {
			is.At = was.At
		}
	}
	if was, is := i.RequiresHuman, after.RequiresHuman; is != nil {
		is.SetBy, is.SetAt = by, dash.At(at)
		if was != nil && was.Reason == is.Reason && slices.Equal(was.Steps, is.Steps) {
			is.SetBy, is.SetAt = was.SetBy, was.SetAt
		}
	}
	changes := Changes(i, after)
	if len(changes) == 0 {
		return i, nil, nil
	}
	return Touched(after, at), changes, nil
}

// Touched is a card that has changed once more.
func Touched(i dash.Issue, at time.Time) dash.Issue {
	i.Version, i.UpdatedAt = i.Version+1, dash.At(at)
	return i
}

// EditBoard is a board after an edit of it, and what that changes.
func EditBoard(b dash.Board, e dash.BoardEdit, at time.Time) (dash.Board, []dash.Change, error) {
	after, err := merge(b, e, "version")
	if err != nil {
		return b, nil, err
	}
	after = described(after)
	changes := Changes(b, after)
	if len(changes) == 0 {
		return b, nil, nil
	}
	after.Version, after.UpdatedAt = b.Version+1, dash.At(at)
	return after, changes, nil
}
