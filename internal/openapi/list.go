// SPDX-License-Identifier: Apache-2.0

package openapi

// DefaultListBudget is the size of a route list, in tokens, when no other is
// asked.
const DefaultListBudget = 20000

// RouteList is the answer to "which routes are there": all of them, or, when
// they are too many to say, groups.
type RouteList struct {
	Routes []string     `json:"routes,omitzero"` // nil when Groups is set
	Groups []RouteGroup `json:"groups,omitempty"`
	Total  int          `json:"total"`          // routes that match the filter
	Hint   string       `json:"hint,omitempty"` // how to narrow, or why nothing matched
}

// RouteGroup counts the routes under a leading part of the path.
type RouteGroup struct {
	Prefix string `json:"prefix"`
	Count  int    `json:"count"`
}

// ListRoutes lists the routes that hold every word of filter (case does not
// matter; "" is all), in their order, while the list fits into budget tokens
// (0 is DefaultListBudget); else groups of them by leading path segments, with
// a hint how to narrow.
func ListRoutes(routes []string, filter string, budget int) RouteList { return RouteList{} }

// EstimateTokens guesses how many tokens a language model sees in JSON text:
// one for each 3.5 bytes, which is slightly too many for compact JSON.
func EstimateTokens(b []byte) int { return (2*len(b) + 6) / 7 }
