// SPDX-License-Identifier: Apache-2.0

package routes

import (
	"fmt"
	"strings"
)

// DefaultListBudget is the size of a route list, in tokens, when no other is
// asked.
const DefaultListBudget = 20000

// maxGroups bounds the groups of a route list that is too long to say.
const maxGroups = 200

// List is the answer to "which routes are there": all of them, or, when
// they are too many to say, groups.
type List struct {
	Routes []string `json:"routes,omitzero"` // nil when Groups is set, else never nil
	Groups []Group  `json:"groups,omitempty"`
	Total  int      `json:"total"`          // routes that match the filter
	Hint   string   `json:"hint,omitempty"` // how to narrow, or why there is nothing
}

// Group counts the routes under a leading part of the path.
type Group struct {
	Prefix string `json:"prefix"`
	Count  int    `json:"count"`
}

// ListIn lists the routes that hold every word of filter (case does not
// matter; "" is all), in their order, while the list fits into budget tokens
// (0 is DefaultListBudget); else groups of them by leading path segments, with
// a hint how to narrow.
func ListIn(routes []string, filter string, budget int) List {
	if budget <= 0 {
		budget = DefaultListBudget
	}
	words := strings.Fields(strings.ToLower(filter))
	list := List{Routes: []string{}}
	tokens := 0
	for _, r := range routes {
		if holdsAll(strings.ToLower(r), words) {
			list.Routes = append(list.Routes, r)
			tokens += routeTokens(r)
		}
	}
	list.Total = len(list.Routes)
	if list.Total == 0 && len(routes) > 0 {
		list.Hint = fmt.Sprintf("no route of %d holds %.80q: ask without filter, or with one word of the path", len(routes), filter)
	}
	if tokens <= budget || list.Total < 2 {
		return list
	}
	list.Groups = groupRoutes(list.Routes, min(maxGroups, budget/40))
	largest := list.Groups[0]
	for _, g := range list.Groups {
		if g.Count > largest.Count {
			largest = g
		}
	}
	list.Routes = nil
	if largest.Prefix == "" {
		largest.Prefix = "/"
	}
	list.Hint = fmt.Sprintf("%d routes are too many to list (about %d tokens): ask again with a filter, such as one of these prefixes (%q), a method (\"GET %s\") or a word of the path",
		list.Total, tokens, largest.Prefix, largest.Prefix)
	return list
}

func holdsAll(route string, words []string) bool {
	for _, w := range words {
		if !strings.Contains(route, w) {
			return false
		}
	}
	return true
}

// groupRoutes begins with one group and splits the largest one along its next
// segment, as long as that leaves at most limit groups.
func groupRoutes(routes []string, limit int) []Group {
	type group struct {
		prefix string
		paths  []string
		whole  bool // cannot be split, or not without too many parts
	}
	paths := make([]string, len(routes))
	for i, r := range routes {
		_, paths[i] = cutRoute(r)
	}
	groups := []group{{paths: paths}}
	for {
		pick := -1
		for i, g := range groups {
			if !g.whole && len(g.paths) > 1 && (pick < 0 || len(g.paths) > len(groups[pick].paths)) {
				pick = i
			}
		}
		if pick < 0 {
			break
		}
		g := groups[pick]
		var parts []group
		at := map[string]int{}
		for _, p := range g.paths {
			prefix := p
			if next := strings.IndexByte(p[min(len(g.prefix)+1, len(p)):], '/'); next >= 0 {
				prefix = p[:len(g.prefix)+1+next]
			}
			i, ok := at[prefix]
			if !ok {
				i = len(parts)
				at[prefix] = i
				parts = append(parts, group{prefix: prefix, whole: prefix == g.prefix})
			}
			parts[i].paths = append(parts[i].paths, p)
		}
		if len(groups)-1+len(parts) > limit || (len(parts) == 1 && parts[0].whole) {
			groups[pick].whole = true
			continue
		}
		groups = append(groups[:pick:pick], append(parts, groups[pick+1:]...)...)
	}
	out := make([]Group, len(groups))
	for i, g := range groups {
		out[i] = Group{g.prefix, len(g.paths)}
	}
	return out
}

// routeTokens guesses how many tokens a language model sees in a route of a
// list, with its quotes and comma: one for each 3.25 bytes.
func routeTokens(route string) int { return (len(route) + 4) * 4 / 13 }
