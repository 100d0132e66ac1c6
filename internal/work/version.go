// SPDX-License-Identifier: Apache-2.0

package work

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/fiftyarms/platform/gen/dash"
)

// Seen is the version that the caller of an edit has read, from the body, from If-Match, or the same from both.
func Seen(inBody *dash.Version, ifMatch *string) (dash.Version, error) {
	if ifMatch == nil {
		if inBody == nil {
			return 0, invalid(dash.FaultInBody, "/version", "is missing: send the version that was read")
		}
		return *inBody, nil
	}
	v, err := strconv.ParseInt(strings.Trim(*ifMatch, `"`), 10, 64)
	if err != nil {
		return 0, invalid(dash.FaultInHeader, "If-Match", "is no version: send the ETag that was read")
	}
	if inBody != nil && *inBody != v {
		return 0, invalid(dash.FaultInHeader, "If-Match", "is another version than the body's: send one of them")
	}
	return v, nil
}

// ETag is a version for If-Match.
func ETag(v dash.Version) *string { return new(fmt.Sprintf(`"%d"`, v)) }

// FreshIssue refuses to change a card that is not as the caller has seen it.
func FreshIssue(i dash.Issue, seen dash.Version) error {
	if i.Version == seen {
		return nil
	}
	return stale(i.ID, seen, dash.Current{Version: i.Version, UpdatedAt: &i.UpdatedAt, Issue: &i})
}

// FreshBoard refuses to change a board that is not as the caller has seen it.
func FreshBoard(b dash.Board, seen dash.Version) error {
	if b.Version == seen {
		return nil
	}
	return stale(fmt.Sprintf("board %d", b.Ref), seen, dash.Current{Version: b.Version, UpdatedAt: &b.UpdatedAt, Board: &b})
}

// FreshItem refuses to change an acceptance item of a card that is not as the caller has seen it.
func FreshItem(of dash.Issue, item dash.AcceptanceItem, seen dash.Version) error {
	if item.Version == seen {
		return nil
	}
	return stale(fmt.Sprintf("item %d of %s", item.ID, of.ID), seen, dash.Current{Version: item.Version, Item: &item})
}

func stale(what string, seen dash.Version, current dash.Current) error {
	return dash.VersionConflictRefusal{
		Message: fmt.Sprintf("%s is at version %d, and version %d was read: look at what it is now, then send the change with version %d if it still makes sense",
			what, current.Version, seen, current.Version),
		Current: current,
	}
}
