// SPDX-License-Identifier: Apache-2.0

// Package work holds the rules of what teams work on: boards and cards. It reads no request and no row.
//
// A card is as the contract says, and so is what may be done to it: the rules take the contract's types and refuse with
// its refusals. A refusal speaks to an agent: what is not possible, of which card, and what to do about it.
//
// What holds at all times, whichever call changes what:
//
//   - An Epic that is Done has no open child.
//   - Two cards that conflict are not In Progress together.
//   - No card waits for itself, be it over others. An Epic waits for its children.
//   - A card that is Done has no unchecked acceptance item.
//   - Only an Epic has children, and an Epic has no parent.
//
// A plain member that the contract gives a card needs no line here: [New], [Edit] and [Changes] go by the members.
package work

import (
	"fmt"
	"strings"

	"github.com/fiftyarms/platform/gen/dash"
)

// Ended says whether a status ends a card. A card that has not ended is open.
func Ended(s dash.IssueStatus) bool {
	return s == dash.IssueStatusDone || s == dash.IssueStatusCancelled
}

// Link is a card as others name it.
func Link(i dash.Issue) dash.IssueLink {
	return dash.IssueLink{ID: i.ID, Board: i.Board, Title: i.Title, Status: i.Status}
}

// name is how a refusal names a card. One that is not made yet has no id.
func name(i dash.Issue) string {
	if i.ID == "" {
		return "a new card"
	}
	return i.ID
}

// ids names cards in a sentence. Many are counted: a refusal lists them all beside its message.
func ids(links []dash.IssueLink) string {
	const named = 5
	var out []string
	for _, l := range links {
		out = append(out, l.ID)
	}
	switch {
	case len(out) == 1:
		return out[0]
	case len(out) <= named:
		return strings.Join(out[:len(out)-1], ", ") + " and " + out[len(out)-1]
	}
	return fmt.Sprintf("%s and %d more", strings.Join(out[:named], ", "), len(out)-named)
}

// invalid refuses a call for a fault that the contract's schema cannot tell.
func invalid(in dash.FaultIn, path, message string) dash.InvalidRequestRefusal {
	return dash.InvalidRequestRefusal{
		Message: "the request is not as the contract wants it",
		Issues:  []dash.Fault{{In: in, Path: path, Message: message}},
	}
}
