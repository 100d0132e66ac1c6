// SPDX-License-Identifier: Apache-2.0

package redact

import (
	"bytes"
	"cmp"
	"slices"

	"github.com/fiftyarms/platform/internal/redact/char"
	"github.com/fiftyarms/platform/internal/redact/credential"
	"github.com/fiftyarms/platform/internal/redact/learned"
	"github.com/fiftyarms/platform/internal/redact/trigger"
	"github.com/fiftyarms/platform/internal/redact/view"
)

// A span is a part of a text that is to go, and the rule that says so.
type span struct {
	From, To int
	Rule     int // its place in the order of rules: an earlier one names what several find
}

// A finder finds what is to go. It is not for several goroutines at once.
type finder struct {
	p     *pack
	spans []span
	rooms [][]trigger.Hit // by depth

	raw     []trigger.Hit
	places  []int
	edits   []span
	decoded view.View

	scans int    // how many texts were looked at
	walks []walk // by what walks: shapes, and others

	learns *learned.Set // where values go that are found; nil for nowhere
	knows  *learned.Set // values that are looked for; nil for none
	known  []learned.Hit
	hidden bool // a line has text that nothing is found in as it is written

	report func(Match) // nil if nobody asks
	told   []Match     // what it is to be told of a line, once it is known how that is read
	number int         // of the line
}

// A walk is how far a rule has gone in a text: what begins before that is of what it has seen. So a text that is nothing but
// beginnings takes no longer than another.
type walk struct{ scan, from, to int }

// walked tells whether a rule has gone over a place of the text that is looked at.
func (f *finder) walked(rule, at int) bool {
	return rule < len(f.walks) && f.walks[rule].scan == f.scans && f.walks[rule].from <= at && at < f.walks[rule].to
}

func (f *finder) walk(rule, from, to int) {
	for len(f.walks) <= rule {
		f.walks = append(f.walks, walk{})
	}
	f.walks[rule] = walk{f.scans, from, to}
}

// A place is a text that is looked at, as one of the views of the text that is asked about.
type place struct {
	text   []byte
	source func(from, to int) (int, int) // where in that text; nil if this is that text
	depth  int
}

// maxDepth is how often a view is taken of a view: of JSON in a string in a string.
const maxDepth = 5

// find is what is to go of a text, in order and apart from each other. They hold until the next call. name is what the text
// is called where it stands: a field, a variable; nil if it is called nothing.
func (f *finder) find(text, name []byte) []span {
	f.spans = f.spans[:0]
	if f.field(text, name) {
		return f.spans
	}
	f.look(place{text: text})
	return f.resolve(text)
}

// field takes all of a text whose name is a credential's.
func (f *finder) field(text, name []byte) bool {
	switch credential.Name(name) {
	case credential.None:
		return false
	case credential.Weak:
		if !credential.Random(text) {
			return false
		}
	}
	if len(text) == 0 || credential.Placeholder(text) {
		return false
	}
	f.add(place{text: text}, 0, len(text), f.p.field)
	return true
}

// learn keeps a value to look for it elsewhere: each line of it, if it has several, and what pieces make.
func (f *finder) learn(value []byte, rule int) {
	if bytes.IndexByte(value, '\n') < 0 && bytes.IndexByte(value, '"') < 0 {
		f.learnPiece(value, rule)
		return
	}
	var whole []byte
	for at := 0; at < len(value); {
		end := tokenEnd(value, at)
		if piece := value[at:end]; len(piece) > 0 {
			whole = append(whole, piece...)
			if len(piece) >= 2*learned.MinValue {
				f.learnPiece(piece, rule)
			}
		}
		at = max(end, at+1)
		if next, _, ok := pieceAfter(value, end); ok {
			at = next
		}
	}
	if rule != f.p.privateKey {
		f.learnPiece(whole, rule)
	}
}

func (f *finder) learnPiece(value []byte, rule int) {
	if len(value) >= learned.MinValue && len(value) <= maxValue && (credential.Random(value) || credential.Mixed(value) && len(value) >= 10) && !credential.Program(value) && !credential.Placeholder(value) && !repeats(value) {
		f.learns.Add(value, rule)
	}
}

// repeats tells whether a value is the same again and again. It would stand at each of its places in itself.
func repeats(value []byte) bool {
	period := bytes.Index(value[1:], value[:min(len(value)/3, learned.MinValue)]) + 1
	return period > 0 && period <= len(value)/3 && bytes.HasPrefix(value[period:], value[:len(value)-period])
}

// nextPiece is where the next piece of a value begins.
func nextPiece(text []byte, at int) (int, bool) {
	next, _, ok := pieceAfter(text, at)
	return next, ok
}

// look looks at a text and at all views of it.
func (f *finder) look(p place) {
	f.scan(p)
	if p.depth == maxDepth {
		return
	}
	if v := view.Plain(p.text); v != nil {
		f.look(p.as(v)) // escapes are looked for in what is left
		return
	}
	for _, of := range []func([]byte) *view.View{view.Unescaped, view.Percent, view.Entities} {
		if v := of(p.text); v != nil {
			f.look(p.as(v))
		}
	}
}

func (p place) as(v *view.View) place {
	return place{text: v.Text, depth: p.depth + 1, source: func(from, to int) (int, int) {
		from, to = v.Source(from, to)
		if p.source != nil {
			return p.source(from, to)
		}
		return from, to
	}}
}

// scan looks at a text as it is.
func (f *finder) scan(p place) {
	for len(f.rooms) <= p.depth {
		f.rooms = append(f.rooms, nil)
	}
	hits := f.p.words.Append(f.rooms[p.depth][:0], p.text)
	f.rooms[p.depth] = hits
	f.scans++
	for _, hit := range hits {
		for _, r := range f.p.rules[hit.Word] {
			r(f, p, hit.At)
		}
	}
	f.runs(p)
	if f.knows != nil {
		f.known = f.knows.Append(f.known[:0], p.text, nextPiece)
		for _, hit := range f.known {
			f.mark(p, hit.From, hit.To, hit.Rule)
		}
	}
}

// add marks a part of a view, and learns it.
func (f *finder) add(p place, from, to, rule int) {
	if from >= to {
		return
	}
	if f.learns != nil && rule != f.p.home {
		f.learn(p.text[from:to], rule)
	}
	f.mark(p, from, to, rule)
}

// mark marks a part of a view.
func (f *finder) mark(p place, from, to, rule int) {
	if p.source != nil {
		from, to = p.source(from, to)
	}
	f.spans = append(f.spans, span{from, to, rule})
}

// resolve makes one span of those that overlap, and leaves alone what is redacted already.
func (f *finder) resolve(text []byte) []span {
	if len(f.spans) == 0 {
		return nil
	}
	slices.SortFunc(f.spans, func(a, b span) int {
		return cmp.Or(cmp.Compare(a.From, b.From), cmp.Compare(b.To, a.To), cmp.Compare(a.Rule, b.Rule))
	})
	out := f.spans[:1]
	for _, s := range f.spans[1:] {
		last := &out[len(out)-1]
		if s.From < last.To {
			last.To, last.Rule = max(last.To, s.To), min(last.Rule, s.Rule)
			continue
		}
		out = append(out, s)
	}
	f.spans = withoutMarkers(text, out)
	return f.spans
}

// leftEdge tells whether nothing before a place is of the same word. An escape before it is not.
func leftEdge(text []byte, at int) bool {
	if at == 0 || !char.Alnum(text[at-1]) {
		return true
	}
	switch {
	case at >= 2 && text[at-2] == '\\' && (text[at-1] == 'n' || text[at-1] == 'r' || text[at-1] == 't'):
		return true
	case at >= 3 && text[at-3] == '%' && char.Hex(text[at-2]) && char.Hex(text[at-1]):
		return true
	case at >= 6 && text[at-6] == '\\' && text[at-5] == 'u':
		return true
	}
	return false
}
