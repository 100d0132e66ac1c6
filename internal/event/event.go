// SPDX-License-Identifier: Apache-2.0

// Package event holds the rules of a team's log: which topics an event belongs to and so who gets it, how far back a
// stream can begin, and which events end one. The log itself is the store's.
package event

import (
	"slices"
	"strconv"

	"github.com/fiftyarms/platform/gen/dash"
)

// ReplayMost is how many events a stream can be behind the newest one when it begins. Who has missed more reads afresh:
// that costs less than the events do.
const ReplayMost = 100_000

// Stale says whether a stream cannot go on after a cursor: it missed too much, or the log ends before it, since an older
// copy was put back.
func Stale(cursor, head int64) bool { return cursor > head || head-cursor > ReplayMost }

// Cursor is the number of an event as it stands on the wire.
func Cursor(number int64) dash.EventCursor { return strconv.FormatInt(number, 10) }

// ParseCursor reads the number in a cursor. Ok is false of what the contract's pattern does not allow.
func ParseCursor(c dash.EventCursor) (number int64, ok bool) {
	number, err := strconv.ParseInt(c, 10, 64)
	return number, err == nil && number >= 0 && Cursor(number) == c && len(c) <= 16
}

// Of lists the topics that an event belongs to. keyID names the key that it is about and whose streams alone get it; ""
// of an event that is the team's.
func Of(e dash.Event, keyID string) []Topic {
	if keyID != "" {
		return []Topic{{Kind: Key, Key: keyID}}
	}
	topics := make([]Topic, 1, 3)
	topics[0] = Topic{Kind: Team}
	if e.Board != nil {
		topics = append(topics, Topic{Kind: Board, Board: *e.Board})
	}
	if e.Issue != nil {
		topics = append(topics, Topic{Kind: Card, Card: *e.Issue})
	}
	return topics
}

// Matches says whether an event about a key, or "" of the team's, belongs to one of the topics.
func Matches(e dash.Event, keyID string, topics []Topic) bool {
	return slices.ContainsFunc(Of(e, keyID), func(t Topic) bool { return slices.Contains(topics, t) })
}

// Ends says why an event ends the streams that it concerns, if it does. A stream that began after it goes on: that its
// permissions have changed is said of those that were open then.
func Ends(kind dash.EventKind) (why dash.EndReason, ends bool) {
	switch kind {
	case dash.EventKindKeyRevoked:
		return dash.EndReasonKeyRevoked, true
	case dash.EventKindKeyGranted:
		return dash.EndReasonPermissionsChanged, true
	}
	return "", false
}
