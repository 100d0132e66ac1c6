// SPDX-License-Identifier: Apache-2.0

// Package redact takes credentials out of text: by their shape, by the name they are given, by where they stand. It is
// deterministic and local: the same text always comes out the same.
//
// A word that triggers a rule is looked for in text as it is (trigger). Where one stands, the string that it is in is read in
// each way that it can be read (view), rules look at the places (shape, credential), and what they find is cut out of the source,
// of which nothing else changes. What was found once is looked for everywhere (learned).
package redact

import (
	"strconv"
	"strings"
)

// Options say what is to go beside credentials.
type Options struct {
	HomePaths bool        // whose home a path is in
	Report    func(Match) // is told of all that is taken out; nil for nobody
}

// A Match is something that was taken out.
type Match struct {
	Rule     string
	Line     int    // from 1; 0 of text that has no lines of JSON
	Path     string // where in the line's JSON, as in .message.content[0].text; "" if the line is no JSON
	From, To int    // bytes of the string, or of all text
}

// A Redactor takes out what is to go. It is not for several goroutines at once.
type Redactor struct {
	f      finder
	report func(Match)
}

// New makes a redactor.
func New(o Options) (*Redactor, error) {
	p, err := newPack(o.HomePaths)
	if err != nil {
		return nil, err
	}
	return &Redactor{f: finder{p: p}, report: o.Report}, nil
}

// A Text is text that a Redactor has been through. Nothing else makes one.
type Text struct{ text string }

// String is the text.
func (t Text) String() string { return t.text }

// Redact is a text without what is to go. name is what it is called where it stands: a field, a variable; "" if it is called
// nothing.
func (r *Redactor) Redact(text, name string) Text {
	raw := []byte(text)
	return Text{string(r.f.without(nil, raw, 0, r.f.find(raw, []byte(name))))}
}

// tell keeps for the report what is taken out of a string.
func (f *finder) tell(path []step, spans []span) {
	if f.report == nil || len(spans) == 0 {
		return
	}
	var where strings.Builder
	for _, step := range path {
		if step.key != nil {
			where.WriteString("." + string(step.key))
		} else {
			where.WriteString("[" + strconv.Itoa(step.index) + "]")
		}
	}
	for _, s := range spans {
		f.told = append(f.told, Match{Rule: f.p.ids[s.Rule], Line: f.number, Path: where.String(), From: s.From, To: s.To})
	}
}
