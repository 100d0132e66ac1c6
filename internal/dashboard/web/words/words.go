// SPDX-License-Identifier: Apache-2.0

// Package words says what people read for the names that the contract gives to types, gates and efforts. Statuses keep
// their names: people and agents speak of the same columns.
package words

import (
	"strconv"
	"strings"
	"unicode"

	"github.com/fiftyarms/platform/gen/dash"
)

// Slug is a status as it stands in ids and class names.
func Slug(s dash.IssueStatus) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) {
			return '-'
		}
		return unicode.ToLower(r)
	}, string(s))
}

// Types are the types of a card in the order in which they are offered.
var Types = []dash.IssueType{dash.IssueTypeFeature, dash.IssueTypeBug, dash.IssueTypeChore, dash.IssueTypeEpic}

// Efforts are the levels of effort, least first.
var Efforts = []dash.Effort{
	dash.EffortMin, dash.EffortLow, dash.EffortMediumLow, dash.EffortMedium, dash.EffortMediumHigh, dash.EffortHigh, dash.EffortMax,
}

// Effort is a level of effort.
func Effort(e dash.Effort) string {
	switch e {
	case dash.EffortMin:
		return "minimal"
	case dash.EffortMax:
		return "maximal"
	}
	return strings.ReplaceAll(string(e), "_", " ")
}

// Gate is a gate that is shut, as a badge says it.
func Gate(g dash.Gate) string {
	switch g {
	case dash.GateWaitingOn:
		return "Waits"
	case dash.GateBlocked:
		return "Blocked"
	case dash.GateRequiresHuman:
		return "Needs a human"
	case dash.GateConflictOn:
		return "Conflict"
	}
	return string(g)
}

// Priority is a priority in as few characters as say it exactly, 23 at most.
func Priority(p dash.Priority) string { return strconv.FormatFloat(float64(p), 'g', -1, 64) }

// Count is a number of things: "1 card", "3 cards".
func Count(n int, one string) string {
	if n == 1 {
		return "1 " + one
	}
	return strconv.Itoa(n) + " " + one + "s"
}

// Bytes is a size for people.
func Bytes(n int64) string {
	const k = 1024
	switch {
	case n < k:
		return Count(int(n), "byte")
	case n < k*k:
		return strconv.FormatFloat(float64(n)/k, 'f', 1, 64) + " KiB"
	case n < k*k*k:
		return strconv.FormatFloat(float64(n)/(k*k), 'f', 1, 64) + " MiB"
	}
	return strconv.FormatFloat(float64(n)/(k*k*k), 'f', 1, 64) + " GiB"
}

// Actor is who did something.
func Actor(a dash.Actor) string {
	if a.Kind == dash.ActorKindAgent {
		return a.Name + " (for " + a.Person.Name + ")"
	}
	return a.Name
}
