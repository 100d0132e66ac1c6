// SPDX-License-Identifier: Apache-2.0

package work

import (
	"fmt"

	"github.com/fiftyarms/platform/gen/dash"
)

// Parent says why a card cannot stand under another; nil where it can, or has no parent. i is the card as it is to be,
// with its new type and parent.
func Parent(i dash.Issue, parent *dash.Issue) error {
	if parent == nil {
		return nil
	}
	refuse := func(message string) error { return dash.InvalidParentRefusal{Message: message, ParentID: &parent.ID} }
	switch {
	case i.ID == parent.ID:
		return refuse(i.ID + " cannot be its own parent: choose an Epic, or none")
	case i.Type == dash.IssueTypeEpic:
		return refuse(fmt.Sprintf("an Epic has no parent: leave the parent of %s out, or make it another type", name(i)))
	case parent.Type != dash.IssueTypeEpic:
		return refuse(fmt.Sprintf("only an Epic has children, and %s is a %s: choose an Epic, or none", parent.ID, parent.Type))
	}
	if refusal := parentDone(Facts{Card: i, Parent: new(Link(*parent))}, i.Status); refusal != nil {
		return *refusal
	}
	return nil
}

// KeepsChildren says why a card cannot take a type with the children that it has; nil where it can.
func KeepsChildren(i dash.Issue, to dash.IssueType, children []dash.IssueLink) error {
	if to == dash.IssueTypeEpic || len(children) == 0 {
		return nil
	}
	return dash.InvalidParentRefusal{
		Message:  fmt.Sprintf("only an Epic has children, and %s has %s: give them another parent first, or leave it an Epic", i.ID, ids(children)),
		ParentID: &i.ID,
	}
}
