// SPDX-License-Identifier: Apache-2.0

// Package view shows text as people or programs read it: without the codes that colour it, with its escapes undone, its
// wrapped lines joined. A view knows for each of its bytes where in the text they stand, so that what is found in it can be
// cut out of the text as it is.
package view

import "sort"

// A View is text that is read from other text.
type View struct {
	Text  []byte
	of    []byte
	marks []mark
}

// A mark begins a part of a view: bytes that stand in the other text as they are, or bytes that are read from others.
type mark struct {
	at       int // in the view
	from, to int // in the other text; to is 0 of a part that stands there as it is
}

// Of begins a view of a text, which Keep adds parts of.
func Of(text []byte) *View { return &View{Text: make([]byte, 0, len(text)), of: text} }

// Reset begins a view anew, of another text.
func (v *View) Reset(text []byte) {
	v.Text, v.of, v.marks = v.Text[:0], text, v.marks[:0]
}

// Keep shows a part as it is.
func (v *View) Keep(from, to int) {
	if from >= to {
		return
	}
	if n := len(v.marks); n == 0 || v.marks[n-1].to != 0 || v.marks[n-1].from+len(v.Text)-v.marks[n-1].at != from {
		v.marks = append(v.marks, mark{at: len(v.Text), from: from})
	}
	v.Text = append(v.Text, v.of[from:to]...)
}

// read shows a part as something else.
func (v *View) read(as []byte, from, to int) {
	v.marks = append(v.marks, mark{at: len(v.Text), from: from, to: to})
	v.Text = append(v.Text, as...)
}

// Source is what a part of the view is read from.
func (v *View) Source(from, to int) (int, int) {
	if from >= to {
		return 0, 0
	}
	first, last := v.mark(from), v.mark(to-1)
	if first.to == 0 {
		first.from += from - first.at
	}
	if last.to == 0 {
		last.to = last.from + to - last.at
	}
	return first.from, last.to
}

// mark is the part that a byte of the view is in.
func (v *View) mark(at int) mark {
	return v.marks[sort.Search(len(v.marks), func(i int) bool { return v.marks[i].at > at })-1]
}

// rewritten is a view of a text in which something is read otherwise; nil if nothing is. next is where in the rest that may
// begin, negative for nowhere; read is what stands there instead, and how much it is read from: 0 for nothing.
func rewritten(text []byte, next func(rest []byte) int, read func(rest []byte) (as []byte, n int)) *View {
	var v *View
	kept := 0
	for at := 0; ; {
		skip := next(text[at:])
		if skip < 0 {
			break
		}
		at += skip
		as, n := read(text[at:])
		if n == 0 {
			at++
			continue
		}
		if v == nil {
			v = Of(text)
		}
		if v.Keep(kept, at); len(as) > 0 {
			v.read(as, at, at+n)
		}
		at += n
		kept = at
	}
	if v != nil {
		v.Keep(kept, len(text))
	}
	return v
}
