// SPDX-License-Identifier: Apache-2.0

package openapi

// Route names an operation: a method in upper case and a path template with
// parameters in braces.
type Route struct {
	Method string
	Path   string
}

// String is "METHOD /path/{id}".
func (r Route) String() string { return r.Method + " " + r.Path }

// ParseRoute reads "METHOD /path". The method's case does not matter; a whole
// segment ":id" is read as "{id}". The error says what a route looks like.
func ParseRoute(s string) (Route, error) { return Route{}, nil }

// SplitEndpoints cuts a comma-joined list of routes apart. A comma inside a
// path stays: only one that is followed by "METHOD /" separates.
func SplitEndpoints(s string) []string { return nil }

// Lookup finds an operation by its name, as [ParseRoute] reads it. The names
// of parameters do not matter: "/x/{a}" and "/x/:b" are one route. Where two
// templates of the document differ in those names only, the one that is spelt
// alike wins, else the first.
func (d *Document) Lookup(route string) (*Operation, bool) { return nil, false }
