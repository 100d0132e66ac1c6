// SPDX-License-Identifier: Apache-2.0

package work

import (
	"fmt"

	"github.com/fiftyarms/platform/gen/dash"
)

// Facts are what decides whether a card may have a status.
type Facts struct {
	Card       dash.Issue
	WaitingOn  *dash.WaitingOn
	Conflicts  []dash.Conflict
	Acceptance []dash.AcceptanceItem
	Children   []dash.IssueLink // of an Epic
	Parent     *dash.IssueLink
}

// Gated says whether a status has gates of the card's own before it, for which [Enter] needs all facts. Of the others it
// needs the parent alone.
func Gated(to dash.IssueStatus) bool {
	return to == dash.IssueStatusInProgress || to == dash.IssueStatusDone
}

// Enter says what keeps a card from a status that it does not have, as the first gate that is shut; nil where nothing
// does. A card that is not made yet has no id and enters its first status.
func Enter(f Facts, to dash.IssueStatus) error {
	gates := []func(Facts, dash.IssueStatus) *dash.GateFailedRefusal{
		waitingOn, blocked, requiresHuman, conflictOn, acceptance, openChildren, parentDone,
	}
	for _, shut := range gates {
		if refusal := shut(f, to); refusal != nil {
			return *refusal
		}
	}
	return nil
}

func waitingOn(f Facts, to dash.IssueStatus) *dash.GateFailedRefusal {
	if !Gated(to) || f.WaitingOn == nil {
		return nil
	}
	open := openOf(f.WaitingOn.By)
	if len(open) == 0 {
		return nil
	}
	return &dash.GateFailedRefusal{
		FailedGate: dash.GateFailedRefusalFailedGateWaitingOn,
		Message:    fmt.Sprintf("%s cannot be %s while it waits for %s", name(f.Card), to, ids(open)),
		Next:       fmt.Sprintf("wait until they have ended (Done or Cancelled), or change what %s waits for", name(f.Card)),
		Reason:     &f.WaitingOn.Reason,
		WaitsFor:   open,
	}
}

func blocked(f Facts, to dash.IssueStatus) *dash.GateFailedRefusal {
	if !Gated(to) || f.Card.Blocked == nil {
		return nil
	}
	return &dash.GateFailedRefusal{
		FailedGate: dash.GateFailedRefusalFailedGateBlocked,
		Message:    fmt.Sprintf("%s cannot be %s while it is blocked", name(f.Card), to),
		Next:       fmt.Sprintf("put right what blocks it, then edit %s with blocked: null", name(f.Card)),
		Reason:     &f.Card.Blocked.Reason,
	}
}

func requiresHuman(f Facts, to dash.IssueStatus) *dash.GateFailedRefusal {
	if !Gated(to) || f.Card.RequiresHuman == nil {
		return nil
	}
	return &dash.GateFailedRefusal{
		FailedGate: dash.GateFailedRefusalFailedGateRequiresHuman,
		Message:    fmt.Sprintf("%s cannot be %s while it requires a human", name(f.Card), to),
		Next:       fmt.Sprintf("ask a human to do the steps, then edit %s with requires_human: null", name(f.Card)),
		Reason:     &f.Card.RequiresHuman.Reason,
		Steps:      f.Card.RequiresHuman.Steps,
	}
}

func conflictOn(f Facts, to dash.IssueStatus) *dash.GateFailedRefusal {
	if to != dash.IssueStatusInProgress {
		return nil
	}
	var running []dash.Conflict
	for _, c := range f.Conflicts {
		if c.Issue.Status == dash.IssueStatusInProgress {
			running = append(running, c)
		}
	}
	if len(running) == 0 {
		return nil
	}
	return together(name(f.Card), running)
}

func together(card string, running []dash.Conflict) *dash.GateFailedRefusal {
	links := make([]dash.IssueLink, len(running))
	for n, c := range running {
		links[n] = c.Issue
	}
	return &dash.GateFailedRefusal{
		FailedGate:    dash.GateFailedRefusalFailedGateConflictOn,
		Message:       fmt.Sprintf("%s cannot be In Progress together with %s", card, ids(links)),
		Next:          fmt.Sprintf("wait until %s is in progress no longer, and work on another card meanwhile", ids(links)),
		Reason:        &running[0].Reason,
		ConflictsWith: links,
	}
}

func acceptance(f Facts, to dash.IssueStatus) *dash.GateFailedRefusal {
	if to != dash.IssueStatusDone {
		return nil
	}
	var open []dash.AcceptanceItem
	for _, item := range f.Acceptance {
		if !item.Checked {
			open = append(open, item)
		}
	}
	if len(open) == 0 {
		return nil
	}
	return &dash.GateFailedRefusal{
		FailedGate: dash.GateFailedRefusalFailedGateAcceptance,
		Message:    fmt.Sprintf("%s cannot be Done with open acceptance items, and %d of %d are", name(f.Card), len(open), len(f.Acceptance)),
		Next:       "check each open item when it holds, or remove those that need not hold any more",
		OpenItems:  open,
	}
}

func openChildren(f Facts, to dash.IssueStatus) *dash.GateFailedRefusal {
	if to != dash.IssueStatusDone {
		return nil
	}
	open := openOf(f.Children)
	if len(open) == 0 {
		return nil
	}
	return &dash.GateFailedRefusal{
		FailedGate:        dash.GateFailedRefusalFailedGateOpenChildren,
		Message:           fmt.Sprintf("%s cannot be Done while it has open children: %s", name(f.Card), ids(open)),
		Next:              "bring each open child to Done or Cancelled first, or take it out of the Epic",
		NonTerminalPhases: open,
	}
}

func parentDone(f Facts, to dash.IssueStatus) *dash.GateFailedRefusal {
	if Ended(to) || f.Parent == nil || f.Parent.Status != dash.IssueStatusDone {
		return nil
	}
	return &dash.GateFailedRefusal{
		FailedGate: dash.GateFailedRefusalFailedGateParentDone,
		Message:    fmt.Sprintf("%s cannot be %s under %s, which is Done", name(f.Card), to, f.Parent.ID),
		Next:       fmt.Sprintf("move %s out of Done first, or choose another parent", f.Parent.ID),
		Parent:     f.Parent,
	}
}

func openOf(links []dash.IssueLink) []dash.IssueLink {
	var open []dash.IssueLink
	for _, l := range links {
		if !Ended(l.Status) {
			open = append(open, l)
		}
	}
	return open
}
