// SPDX-License-Identifier: Apache-2.0

package work

import (
	"fmt"

	"github.com/fiftyarms/platform/gen/dash"
)

// AddItem says why a card cannot get one more acceptance item; nil where it can.
func AddItem(i dash.Issue, has int) error {
	if i.Status == dash.IssueStatusDone {
		return doneAlready(i, "gets no open item")
	}
	if has >= MaxItems {
		return dash.LimitReachedRefusal{
			Message: fmt.Sprintf("%s has %d acceptance items, and no card may have more: remove one first", i.ID, has),
			Limit:   MaxItems,
		}
	}
	return nil
}

// EditItem is an acceptance item of a card after an edit of it, or why it stays as it is.
func EditItem(i dash.Issue, item dash.AcceptanceItem, e dash.AcceptanceItemEdit) (dash.AcceptanceItem, error) {
	after, err := merge(item, e, "version")
	if err != nil {
		return item, err
	}
	if i.Status == dash.IssueStatusDone && !after.Checked {
		return item, doneAlready(i, fmt.Sprintf("keeps its item %d checked", item.ID))
	}
	if after != item {
		after.Version = item.Version + 1
	}
	return after, nil
}

func doneAlready(i dash.Issue, so string) error {
	return dash.GateFailedRefusal{
		FailedGate: dash.GateFailedRefusalFailedGateAcceptance,
		Message:    fmt.Sprintf("%s is Done, so it %s", i.ID, so),
		Next:       fmt.Sprintf("move %s out of Done first", i.ID),
	}
}
