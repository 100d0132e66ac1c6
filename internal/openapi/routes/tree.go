// SPDX-License-Identifier: Apache-2.0

package routes

import (
	"cmp"
	"net/url"
	"slices"
	"strings"
)

// Tree holds values by path template. Literal segments beat segments with a
// parameter in a part of them, which beat whole parameters. A parameter is never
// empty.
type Tree[T any] struct{ root node[T] }

// Leaf is a value in a tree.
type Leaf[T any] struct {
	Value T
	Names []string // of the template's parameters, in their order
}

// node is a place in the tree; its edges are segments.
type node[T any] struct {
	literal map[string]*node[T] // by decoded text
	mixed   []*mixedEdge[T]     // most literal text first
	param   *node[T]
	leaves  []Leaf[T] // in the order of Add
}

type mixedEdge[T any] struct {
	parts []Part
	next  *node[T]
}

// Add puts a value under a template, which begins with "/".
func (t *Tree[T]) Add(template string, value T) {
	n, names := &t.root, []string(nil)
	for seg := range strings.SplitSeq(template[1:], "/") {
		parts := ParseTemplate(seg)
		for _, p := range parts {
			if p.Param {
				names = append(names, p.Text)
			}
		}
		n = n.edge(seg, parts)
	}
	n.leaves = append(n.leaves, Leaf[T]{value, names})
}

// Walk visits what a concrete path leads to, most literal first, until visit
// returns false. The path is escaped; values are the parameters, decoded, in
// the order of Leaf.Names. Each place of the tree is met at most once.
func (t *Tree[T]) Walk(path string, visit func(leaves []Leaf[T], values []string) bool) {
	t.root.walk(path, nil, visit)
}

// edge finds or makes the way along one segment of a template.
func (n *node[T]) edge(seg string, parts []Part) *node[T] {
	switch {
	case len(parts) == 1 && parts[0].Param:
		if n.param == nil {
			n.param = &node[T]{}
		}
		return n.param
	case len(parts) <= 1:
		text := seg
		if decoded, err := url.PathUnescape(seg); err == nil {
			text = decoded
		}
		if n.literal == nil {
			n.literal = map[string]*node[T]{}
		}
		if n.literal[text] == nil {
			n.literal[text] = &node[T]{}
		}
		return n.literal[text]
	}
	for _, m := range n.mixed {
		if slices.EqualFunc(m.parts, parts, func(a, b Part) bool { return a.Param == b.Param && (a.Param || a.Text == b.Text) }) {
			return m.next
		}
	}
	m := &mixedEdge[T]{parts, &node[T]{}}
	n.mixed = append(n.mixed, m)
	slices.SortStableFunc(n.mixed, func(a, b *mixedEdge[T]) int { return cmp.Compare(literalLen(b.parts), literalLen(a.parts)) })
	return m.next
}

func literalLen(parts []Part) (n int) {
	for _, p := range parts {
		if !p.Param {
			n += len(p.Text)
		}
	}
	return n
}

// walk is Walk from a node on; it returns what visit did.
func (n *node[T]) walk(path string, values []string, visit func([]Leaf[T], []string) bool) bool {
	if path == "" {
		return visit(n.leaves, values)
	}
	if path[0] != '/' {
		return true
	}
	seg, rest := path[1:], ""
	if i := strings.IndexByte(seg, '/'); i >= 0 {
		seg, rest = seg[:i], seg[i:]
	}
	text := seg
	if strings.IndexByte(seg, '%') >= 0 {
		decoded, err := url.PathUnescape(seg)
		if err != nil {
			return true
		}
		text = decoded
	}
	if next := n.literal[text]; next != nil && !next.walk(rest, values, visit) {
		return false
	}
	for _, m := range n.mixed {
		found, ok := cutMixed(m.parts, seg, values)
		if !ok && text != seg {
			// Some clients escape the separator too: "a%3Ab" for "{x}:{y}".
			found, ok = cutMixed(m.parts, text, values)
		}
		if ok && !m.next.walk(rest, found, visit) {
			return false
		}
	}
	if n.param != nil && text != "" {
		return n.param.walk(rest, append(values, text), visit)
	}
	return true
}

// cutMixed matches one segment with a template such as "{base}...{head}" and
// appends the decoded values. Each value is as short as it can be, and never
// empty.
func cutMixed(parts []Part, seg string, values []string) ([]string, bool) {
	values = slices.Clip(values)
	for i := 0; i < len(parts); i++ {
		if !parts[i].Param {
			var ok bool
			if seg, ok = strings.CutPrefix(seg, parts[i].Text); !ok {
				return nil, false
			}
			continue
		}
		end := len(seg)
		switch {
		case i+1 == len(parts):
		case parts[i+1].Param:
			end = min(1, len(seg)) // "{a}{b}" has no separator: one byte for the first
		case i+2 == len(parts):
			end = len(seg) - len(parts[i+1].Text) // the last literal ends the segment
		default:
			if end = strings.Index(seg[min(1, len(seg)):], parts[i+1].Text); end >= 0 {
				end++
			}
		}
		if end <= 0 {
			return nil, false
		}
		value := seg[:end]
		if decoded, err := url.PathUnescape(value); err == nil {
			value = decoded
		}
		values, seg = append(values, value), seg[end:]
	}
	return values, seg == ""
}
