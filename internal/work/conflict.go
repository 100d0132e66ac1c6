// SPDX-License-Identifier: Apache-2.0

package work

import "github.com/fiftyarms/platform/gen/dash"

// Conflict says why two cards cannot come to conflict; nil where they can.
func Conflict(one, other dash.IssueLink, reason string) error {
	switch {
	case one.ID == other.ID:
		return invalid(dash.FaultInPath, "other", "is the card itself: name another card")
	case one.Status == dash.IssueStatusInProgress && other.Status == dash.IssueStatusInProgress:
		refusal := together(one.ID, []dash.Conflict{{Issue: other, Reason: reason}})
		refusal.Message = one.ID + " and " + other.ID + " are both In Progress, so they cannot come to conflict"
		refusal.Next = "move one of them out of In Progress first"
		return *refusal
	}
	return nil
}
