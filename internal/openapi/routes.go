// SPDX-License-Identifier: Apache-2.0

package openapi

import (
	"errors"
	"strings"

	"github.com/fiftyarms/platform/internal/openapi/routes"
)

// What works on routes as text lives in package routes; these are its names
// here.
type (
	// Route names an operation: a method in upper case and a path template with
	// parameters in braces.
	Route = routes.Route
	// PathError refuses a call's path.
	PathError = routes.PathError
	// PathErrorKind says which rule a call's path breaks.
	PathErrorKind = routes.PathErrorKind
	// RouteList is the answer to "which routes are there".
	RouteList = routes.List
	// RouteGroup counts the routes under a leading part of the path.
	RouteGroup = routes.Group
)

// The rules of [CheckPath].
const (
	PathEmpty        = routes.PathEmpty
	PathScheme       = routes.PathScheme
	PathRelative     = routes.PathRelative
	PathHost         = routes.PathHost
	PathQuery        = routes.PathQuery
	PathFragment     = routes.PathFragment
	PathBackslash    = routes.PathBackslash
	PathControl      = routes.PathControl
	PathEscape       = routes.PathEscape
	PathEncodedSlash = routes.PathEncodedSlash
	PathDotSegment   = routes.PathDotSegment
	PathEmptySegment = routes.PathEmptySegment
	PathUnfilled     = routes.PathUnfilled
)

// DefaultListBudget is the size of a route list, in tokens, when no other is
// asked.
const DefaultListBudget = routes.DefaultListBudget

// ParseRoute reads "METHOD /path"; see [routes.Parse].
func ParseRoute(s string) (Route, error) { return routes.Parse(s) }

// SplitEndpoints cuts a comma-joined list of routes apart; see [routes.Split].
func SplitEndpoints(s string) []string { return routes.Split(s) }

// NearestIn lists the n of list that are nearest to a wrong route or call, best
// first; see [routes.Nearest].
func NearestIn(list []string, want string, n int) []string { return routes.Nearest(list, want, n) }

// ListRoutes lists the routes that hold every word of filter, or groups of them
// when the list does not fit into budget tokens; see [routes.ListIn].
func ListRoutes(list []string, filter string, budget int) RouteList {
	return routes.ListIn(list, filter, budget)
}

// CheckPath refuses a call's path that could reach anything but the path it
// shows, or that holds a parameter which is not filled in. The error is a
// [*PathError]; see [routes.CheckPath].
func CheckPath(path string) error { return routes.CheckPath(path) }

// CheckPath is [CheckPath] for calls of this document: a segment ":name" that
// a template which takes the path holds literally is let through.
func (d *Document) CheckPath(path string) error {
	err := routes.CheckPath(path)
	if bad, ok := errors.AsType[*PathError](err); !ok || bad.Kind != PathUnfilled {
		return err
	}
	literal := map[string]bool{}
	d.tree().Walk(path, func(leaves []routes.Leaf[*Operation], _ []string) bool {
		for _, l := range leaves {
			for seg := range strings.SplitSeq(l.Value.Path, "/") {
				literal[seg] = true
			}
		}
		return true
	})
	return routes.CheckPathWith(path, literal)
}

// Nearest lists the n routes of the document that are nearest to want, best
// first; see [routes.Nearest].
func (d *Document) Nearest(want string, n int) []string { return routes.Nearest(d.Routes(), want, n) }

// Lookup finds an operation by its name, as [ParseRoute] reads it. The names
// of parameters do not matter: "/x/{a}" and "/x/:b" are one route. Where two
// templates of the document differ in those names only, the one that is spelt
// alike wins, else the first.
func (d *Document) Lookup(route string) (*Operation, bool) {
	r, err := routes.Parse(route)
	if err != nil {
		return nil, false
	}
	same := d.byRoute()[r.Nameless()]
	for _, op := range same {
		if op.Path == r.Path {
			return op, true
		}
	}
	if len(same) > 0 {
		return same[0], true
	}
	return nil, false
}

func (d *Document) indexRoutes() map[string][]*Operation {
	m := make(map[string][]*Operation, len(d.ops))
	for _, op := range d.ops {
		r := Route{Method: op.Method, Path: op.Path}
		if parsed, err := routes.Parse(op.Route()); err == nil {
			r = parsed // reads ":id" in a template as Lookup reads it in a route
		}
		m[r.Nameless()] = append(m[r.Nameless()], op)
	}
	return m
}
