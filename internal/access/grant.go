// SPDX-License-Identifier: Apache-2.0

package access

import (
	"slices"
	"strings"

	"github.com/fiftyarms/platform/gen/dash"
)

// usual is what a key gets when the person who approves it names nothing else.
var usual = []dash.Permission{
	dash.PermissionCardsView,
	dash.PermissionCardsEdit,
	dash.PermissionPlansView,
	dash.PermissionPlansEdit,
	dash.PermissionDocsView,
}

// personal is what no key may hold: with these, an agent could decide on itself.
var personal = []dash.Permission{
	dash.PermissionTeamAdmin,
	dash.PermissionPluginsApprove,
}

// Grantable says whether a key may hold a permission.
func Grantable(p dash.Permission) bool { return !slices.Contains(personal, p) }

// Founding is what the first person of a team holds: everything.
func Founding() []dash.Permission { return slices.Clone(dash.AllPermissions) }

// Usual is what a key gets from a person who holds it all.
func Usual() []dash.Permission { return slices.Clone(usual) }

// FirstGrant is what a person who holds held grants a key without naming permissions.
func FirstGrant(held []dash.Permission) []dash.Permission {
	return keep(usual, func(p dash.Permission) bool { return slices.Contains(held, p) })
}

// Excess lists which of the asked permissions a person who holds held cannot grant to a key, in the order of the
// contract.
func Excess(asked, held []dash.Permission) []dash.Permission {
	return keep(Sorted(asked), func(p dash.Permission) bool { return !Grantable(p) || !slices.Contains(held, p) })
}

// Asked judges what a key that holds held asks its owner for, who holds owned. It answers what is asked for beyond what
// the key holds, in the order of the contract, or the contract's refusal: a name that no permission has first, then what
// the owner cannot grant, then that there is nothing to grant.
func Asked(names []string, held, owned []dash.Permission) ([]dash.Permission, error) {
	var asked []dash.Permission
	var unknown []string
	for _, name := range names {
		if p := dash.Permission(name); p.Valid() {
			asked = append(asked, p)
		} else {
			unknown = append(unknown, name)
		}
	}
	if len(unknown) > 0 {
		return nil, dash.UnknownPermissionRefusal{
			Message: "there is no permission " + strings.Join(unknown, ", "), Permissions: unknown, Known: dash.AllPermissions,
		}
	}
	asked = Sorted(asked)
	missing := keep(asked, func(p dash.Permission) bool { return !slices.Contains(held, p) })
	switch excess := Excess(missing, owned); {
	case len(excess) > 0:
		return nil, LacksRefusal(excess)
	case len(missing) == 0:
		return nil, dash.AlreadyHeldRefusal{Message: "this key holds all of it already", Permissions: asked}
	}
	return missing, nil
}

// LacksRefusal refuses a grant of what its granter cannot grant.
func LacksRefusal(excess []dash.Permission) error {
	return dash.OwnerLacksPermissionRefusal{
		Message: "a person can grant a key only what they hold, and no right to decide", Permissions: excess,
	}
}

// Sorted is a set of permissions in the order of the contract, each once.
func Sorted(set []dash.Permission) []dash.Permission {
	return keep(dash.AllPermissions, func(p dash.Permission) bool { return slices.Contains(set, p) })
}

// keep never answers nil: an empty list of permissions stands as [] on the wire.
func keep(from []dash.Permission, ok func(dash.Permission) bool) []dash.Permission {
	out := []dash.Permission{}
	for _, p := range from {
		if ok(p) {
			out = append(out, p)
		}
	}
	return out
}
