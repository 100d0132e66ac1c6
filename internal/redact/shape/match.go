// SPDX-License-Identifier: Apache-2.0

package shape

import (
	"slices"
	"strings"

	"github.com/fiftyarms/platform/internal/redact/char"
)

// Match matches the shape whose trigger stands at a place of the text. If it does not, To of what it gives back is how far it
// does.
func (s *Shape) Match(text []byte, at int) (Match, bool) {
	m := Match{SecretFrom: -1}
	to, ok := walk(s.nodes, text, at, &m)
	m.To = to
	if !ok || to == at {
		return m, false
	}
	from := at
	for i := range s.before {
		if from, ok = s.before[i].back(text, from); !ok {
			return m, false
		}
	}
	m.From = from
	if m.SecretFrom < 0 {
		m.SecretFrom, m.SecretTo = from, to
	}
	return m, true
}

func walk(nodes []node, text []byte, at int, m *Match) (int, bool) {
	for i := range nodes {
		var ok bool
		if at, ok = nodes[i].match(text, at, m); !ok {
			return at, false
		}
	}
	return at, true
}

// match matches a node as often as it may stand.
func (n *node) match(text []byte, at int, m *Match) (int, bool) {
	if n.kind == class {
		return n.run(text, at)
	}
	if n.min == 1 && n.max == 1 {
		return n.once(text, at, m)
	}
	for times := 0; n.max < 0 || times < n.max; times++ {
		next, ok := n.once(text, at, m)
		if !ok || next == at || next-at > MaxLen {
			return at, times >= n.min
		}
		at = next
	}
	return at, true
}

// run matches a class.
func (n *node) run(text []byte, at int) (int, bool) {
	most := n.max
	if most < 0 || most > MaxLen {
		most = MaxLen
	}
	end := min(len(text), at+most)
	i := at
	for i < end && n.set[text[i]] {
		i++
	}
	if i-at < n.min || n.exact && i-at == n.max && i < len(text) && n.set[text[i]] {
		return at, false
	}
	return i, true
}

func (n *node) back(text []byte, at int) (int, bool) {
	if n.kind == literal {
		from := at - len(n.text)
		return from, from >= 0 && n.literalAt(text, from)
	}
	most := n.max
	if most < 0 || most > MaxLen {
		most = MaxLen
	}
	i := at
	for i > 0 && at-i < most && n.set[text[i-1]] {
		i--
	}
	return i, at-i >= n.min && !(n.exact && at-i == n.max && i > 0 && n.set[text[i-1]])
}

func (n *node) once(text []byte, at int, m *Match) (int, bool) {
	switch n.kind {
	case class:
		if at < len(text) && n.set[text[at]] {
			return at + 1, true
		}
	case literal:
		return at + len(n.text), n.literalAt(text, at)
	case sequence:
		return walk(n.nodes, text, at, m)
	case choice:
		for i := range n.nodes {
			if to, ok := n.nodes[i].match(text, at, m); ok {
				return to, true
			}
		}
	case capture:
		to, ok := walk(n.nodes, text, at, m)
		if ok {
			m.SecretFrom, m.SecretTo = at, to
		}
		return to, ok
	case wordEdge:
		return at, at == 0 || at >= len(text) || char.Alnum(text[at-1]) != char.Alnum(text[at])
	}
	return at, false
}

func (n *node) literalAt(text []byte, at int) bool {
	if at+len(n.text) > len(text) {
		return false
	}
	if part := text[at : at+len(n.text)]; n.fold {
		return equalFold(part, n.text)
	} else {
		return string(part) == n.text
	}
}

func equalFold(part []byte, folded string) bool {
	for i := range part {
		if lower(part[i]) != folded[i] {
			return false
		}
	}
	return true
}

func lower(b byte) byte {
	if 'A' <= b && b <= 'Z' {
		return b | 0x20
	}
	return b
}

// prefixes are the strings of which one begins each match, as long as there are few, and at most as long as helps.
func prefixes(nodes []node) ([]string, bool) {
	const most, long = 128, 12
	anyCase := false
	list, _ := extend([]string{""}, nodes, most, long, &anyCase)
	if anyCase {
		for i := range list {
			list[i] = strings.ToLower(list[i])
		}
	}
	slices.Sort(list)
	list = slices.Compact(list)
	if len(list) == 1 && list[0] == "" {
		return nil, false
	}
	return list, anyCase
}

// following is the class that follows the triggers, which are the literal or the choice of literals that nodes begin with; nil
// if they are not, or something else follows.
func following(nodes []node, triggers []string) *Class {
	if len(nodes) < 2 || nodes[1].kind != class || nodes[1].min < 1 {
		return nil
	}
	var literals []string
	for _, branch := range append([]node{nodes[0]}, nodes[0].nodes...) {
		if branch.kind == literal && branch.min == 1 && branch.max == 1 {
			literals = append(literals, strings.ToLower(branch.text))
		}
	}
	for _, trigger := range triggers {
		if !slices.Contains(literals, strings.ToLower(trigger)) {
			return nil
		}
	}
	return nodes[1].set
}

// extend appends what nodes begin with to each of list, and tells whether more may follow. anyCase is set if the case of what
// it found does not matter somewhere.
func extend(list []string, nodes []node, most, long int, anyCase *bool) ([]string, bool) {
	for i := range nodes {
		n := &nodes[i]
		var tails []string
		open := true
		switch {
		case n.kind == wordEdge:
			continue
		case n.min == 0 && n.max == 1 && n.kind != class: // there or not
			var with []string
			with, open = extend(list, []node{{kind: sequence, min: 1, max: 1, nodes: []node{once(*n)}}}, most, long, anyCase)
			if len(with)+len(list) > most {
				return list, false
			}
			if !open { // what follows stands behind more than is known of it
				rest, _ := extend(list, nodes[i+1:], most, long, anyCase)
				return append(append([]string{}, with...), rest...), false
			}
			return extend(append(append([]string{}, with...), list...), nodes[i+1:], most, long, anyCase)
		case n.kind == class && n.min > 0 && n.max != 1 && len(list[0]) < 3: // its first only
			for _, b := range n.set.bytes(anyCase) {
				tails = append(tails, string([]byte{b}))
			}
			open = false
		case n.min != 1 || n.max != 1:
			return list, false
		case n.kind == literal:
			tails = []string{n.text}
			*anyCase = *anyCase || n.fold
		case n.kind == class:
			for _, b := range n.set.bytes(anyCase) {
				tails = append(tails, string([]byte{b}))
			}
		case n.kind == sequence, n.kind == capture:
			if list, open = extend(list, n.nodes, most, long, anyCase); !open {
				return list, false
			}
			continue
		case n.kind == choice:
			var all []string
			for j := range n.nodes {
				some, more := extend(list, n.nodes[j:j+1], most, long, anyCase)
				open = open && more
				all = append(all, some...)
			}
			if len(all) > most {
				return list, false
			}
			if list = all; !open {
				return list, false
			}
			continue
		}
		if len(list)*len(tails) > most || len(tails) > 40 {
			return list, false
		}
		var all []string
		for _, head := range list {
			for _, tail := range tails {
				all = append(all, head+tail)
			}
		}
		list = all
		if len(list[0]) >= long || !open {
			return list, false
		}
	}
	return list, true
}

// bytes are those of a class; of letters in both cases only the small ones.
func (c *Class) bytes(anyCase *bool) []byte {
	var out []byte
	for b := range 256 {
		if c[b] && 'A' <= b && b <= 'Z' && c[b|0x20] {
			*anyCase = true
		} else if c[b] {
			out = append(out, byte(b))
		}
	}
	return out
}

func once(n node) node {
	n.min, n.max = 1, 1
	return n
}
