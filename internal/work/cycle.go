// SPDX-License-Identifier: Apache-2.0

package work

import (
	"fmt"
	"slices"
	"strings"

	"github.com/fiftyarms/platform/gen/dash"
)

// Acyclic refuses a card that would wait for itself. needs lists what each card waits for as it is to be; it is asked
// once of each card that can be reached, and its errors end the search. The refusal names a shortest way round, the same
// for the same cards.
func Acyclic(card dash.IssueID, needs func(dash.IssueID) ([]dash.IssueID, error)) error {
	cameFrom := map[dash.IssueID]dash.IssueID{}
	for queue := []dash.IssueID{card}; len(queue) > 0; queue = queue[1:] {
		at := queue[0]
		next, err := needs(at)
		if err != nil {
			return err
		}
		for _, id := range slices.Sorted(slices.Values(next)) {
			if id == card {
				return round(card, at, cameFrom)
			}
			if _, seen := cameFrom[id]; !seen {
				cameFrom[id] = at
				queue = append(queue, id)
			}
		}
	}
	return nil
}

// round is the way from a card to the last one before it comes back to itself.
func round(card, last dash.IssueID, cameFrom map[dash.IssueID]dash.IssueID) error {
	path := []dash.IssueID{card}
	for at := last; at != card; at = cameFrom[at] {
		path = append(path, at)
	}
	path = append(path, card)
	slices.Reverse(path)
	const named = 6 // of them: a refusal lists them all beside its message
	told := slices.Clone(path[1:])
	if len(told) > named {
		told = append(told[:named-1], fmt.Sprintf("%d more cards, the last of them for %s", len(told)-named, card))
	}
	return dash.DependencyCycleRefusal{
		Message: fmt.Sprintf("%s would wait for itself: it waits for %s; leave out one of these steps", card, strings.Join(told, ", which waits for ")),
		Path:    path,
	}
}
