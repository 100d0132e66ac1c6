// SPDX-License-Identifier: Apache-2.0

package routes

import (
	"cmp"
	"slices"
	"strings"
)

// The costs of turning one path into another, in no unit.
const (
	costMethod  = 6  // another method
	costValue   = 1  // a parameter takes what looks like a value: 5, a-1, {id}
	costWord    = 6  // a parameter takes a plain word
	costTypo    = 3  // at least, plus up to costSegment by how much of the segment differs
	costName    = 9  // a literal stands where {id} was asked
	costSegment = 12 // a segment is missing, extra or another one
)

// nearestLongest bounds what is compared, in bytes: the work grows with its segments.
const nearestLongest = 1000

// Nearest lists the n of routes that are nearest to want, best first. want
// is a wrong route name or a wrong call ("POST /api/key/5"), with or without
// its method. The same path under another method comes first; then the edit
// distance over segments decides, where a parameter takes anything cheaply, a
// typo costs by its size and a missing or extra segment costs most. Equal
// distances keep the order of routes.
// Nothing is near to what is longer than any route.
func Nearest(routes []string, want string, n int) []string {
	if len(want) > nearestLongest {
		return nil
	}
	method, path := cutRoute(want)
	path, _, _ = strings.Cut(path, "?")
	d := distance{want: strings.Split(strings.ToLower(strings.Trim(path, "/")), "/")}
	for range d.want {
		d.memo = append(d.memo, map[string]int{})
	}
	type scored struct {
		route string
		cost  int
	}
	all := make([]scored, len(routes))
	for i, r := range routes {
		m, p := cutRoute(r)
		cost, same := d.to(strings.Split(strings.ToLower(strings.Trim(p, "/")), "/"))
		if same {
			cost -= 1000 // the path is right, only the method is not
		}
		if method != "" && m != method {
			cost += costMethod
		}
		all[i] = scored{r, cost}
	}
	slices.SortStableFunc(all, func(a, b scored) int { return cmp.Compare(a.cost, b.cost) })
	out := make([]string, 0, max(0, min(n, len(all))))
	for _, s := range all[:cap(out)] {
		out = append(out, s.route)
	}
	return out
}

// cutRoute is lenient where Parse is not: the method may be missing.
func cutRoute(s string) (method, path string) {
	s = strings.TrimSpace(s)
	if before, after, ok := strings.Cut(s, " "); ok && IsToken(before) {
		return strings.ToUpper(before), strings.TrimSpace(after)
	}
	return "", s
}

// distance compares many paths with one; most of their segments repeat.
type distance struct {
	want []string
	memo []map[string]int // for each segment of want, the costs so far
}

// to is the edit distance to a path; same says that the path takes want as it
// is.
func (d *distance) to(have []string) (cost int, same bool) {
	row := make([]int, len(have)+1)
	for j := range row {
		row[j] = j * costSegment
	}
	for i := range d.want {
		diagonal := row[0]
		row[0] = (i + 1) * costSegment
		for j, h := range have {
			replaced := diagonal + d.segment(i, h)
			diagonal = row[j+1]
			row[j+1] = min(replaced, diagonal+costSegment, row[j]+costSegment)
		}
	}
	same = len(have) == len(d.want)
	for i := 0; same && i < len(have); i++ {
		same = d.segment(i, have[i]) <= costWord && (have[i] == d.want[i] || strings.Contains(have[i], "{"))
	}
	return row[len(have)], same
}

// segment is the cost of another segment in the place of want's i-th.
func (d *distance) segment(i int, have string) int {
	if d.want[i] == have {
		return 0
	}
	cost, ok := d.memo[i][have]
	if !ok {
		cost = segmentCost(d.want[i], have)
		d.memo[i][have] = cost
	}
	return cost
}

func segmentCost(want, have string) int {
	parts := ParseTemplate(have)
	_, colon := colonName(want)
	asked := colon || strings.HasPrefix(want, "{")
	switch {
	case len(parts) == 1 && parts[0].Param && asked:
		return 0
	case len(parts) == 1 && parts[0].Param:
		if strings.ContainsAny(want, "0123456789%") {
			return costValue
		}
		return costWord
	case len(parts) > 1:
		if _, ok := cutMixed(parts, want, nil); ok {
			return costValue
		}
	case asked:
		return costName
	}
	longer := max(len(want), len(have))
	if longer > 200 { // no word, and the product of the lengths would cost
		return costSegment * 2
	}
	edits := Levenshtein(want, have)
	if edits*2 > longer {
		return costSegment + costSegment*edits/longer // unlike: dearer than a missing segment
	}
	return costTypo + costSegment*edits/longer
}

// Levenshtein counts the edits, in bytes, that turn one text into another.
func Levenshtein(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := diagonal
			if a[i] != b[j] {
				cost++
			}
			diagonal = row[j+1]
			row[j+1] = min(cost, diagonal+1, row[j]+1)
		}
	}
	return row[len(b)]
}
