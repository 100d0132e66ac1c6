// SPDX-License-Identifier: Apache-2.0

// Package access says who may do what. It holds rules alone: nothing here reads a request or a row.
//
// A caller is a [Principal]: a person who signed in, an agent's key, or nobody (nil). The contract's table of operations
// names for each one its permission and whom it is for; [Allow] is the one place that compares the two, and
// [Reachable] lists what it lets through. A key carries out what a person has granted and never decides: [Grantable]
// says which permissions no key may hold.
package access

import (
	"fmt"
	"slices"

	"github.com/fiftyarms/platform/gen/dash"
)

// A Principal is who calls.
type Principal struct {
	Kind        dash.MeKind
	TeamID      string
	Team        dash.TeamRef
	Person      dash.PersonRef // who signed in, or the owner of the key
	Permissions []dash.Permission
	KeyID       string // of a key
	CSRFToken   string // of a person: what an unsafe call by cookie has to carry
}

// Holds says whether the principal has a permission.
func (p *Principal) Holds(want dash.Permission) bool { return slices.Contains(p.Permissions, want) }

// Allow says whether p, nil for nobody, may call an operation. A refusal is the contract's own.
func Allow(op dash.Operation, p *Principal) error {
	if p == nil {
		if op.Permission == dash.Public {
			return nil
		}
		return dash.UnauthenticatedRefusal{Message: "sign in first"}
	}
	switch {
	case op.Audience == dash.AudienceStranger:
		return dash.AlreadySignedInRefusal{Message: "only who has no key yet may do this"}
	case op.Audience == dash.AudiencePerson && p.Kind != dash.MeKindPerson:
		return dash.PersonRequiredRefusal{Message: "only a signed-in person may do this"}
	case op.Audience == dash.AudienceAgent && p.Kind != dash.MeKindKey:
		return dash.KeyRequiredRefusal{Message: "only an agent's key may do this"}
	case op.Permission == dash.Public || op.Permission == dash.AnyKey:
		return nil
	case !p.Holds(dash.Permission(op.Permission)):
		return dash.ForbiddenRefusal{
			Message:    fmt.Sprintf("this needs the permission %s", op.Permission),
			Permission: dash.Permission(op.Permission),
		}
	}
	return nil
}

// Reachable lists the operations that p, nil for nobody, may call, in the order of the contract.
func Reachable(p *Principal) []dash.Operation {
	var out []dash.Operation
	for _, op := range dash.Operations {
		if Allow(op, p) == nil {
			out = append(out, op)
		}
	}
	return out
}

// Routes lists the operations that p may call as routes are named.
func Routes(p *Principal) []string {
	reachable := Reachable(p)
	out := make([]string, len(reachable))
	for i, op := range reachable {
		out[i] = op.Route()
	}
	return out
}
