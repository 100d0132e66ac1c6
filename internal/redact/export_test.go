// SPDX-License-Identifier: Apache-2.0

package redact

import (
	"bytes"

	"github.com/fiftyarms/platform/internal/redact/learned"
)

// LinesFully is Lines without the cheap look that comes first: each string of each line is looked at in full, twice.
func (r *Redactor) LinesFully(in []byte) []byte {
	f := &r.f
	defer f.forget()
	pass := func() (out []byte) {
		for line := range bytes.Lines(in) {
			places := make([]int, len(line)) // every place
			for i := range places {
				places[i] = i
			}
			out, _ = f.cut(out, line, places)
		}
		return out
	}
	f.learns, f.knows = &learned.Set{}, nil
	pass()
	f.learns, f.knows = nil, f.learns
	f.knows.Index()
	return pass()
}

// A Span is a part of a text that is to go.
type Span struct {
	From, To int
	Rule     string
}

// Find is what is to go of a text.
func (r *Redactor) Find(text, name string) (all []Span) {
	for _, s := range r.f.find([]byte(text), []byte(name)) {
		all = append(all, Span{s.From, s.To, r.f.p.ids[s.Rule]})
	}
	return all
}
