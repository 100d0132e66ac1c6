// SPDX-License-Identifier: Apache-2.0

package redact

import (
	"bytes"
	"slices"
	"strings"

	"github.com/fiftyarms/platform/internal/jsonscan"
	"github.com/fiftyarms/platform/internal/redact/credential"
)

// line is a line of JSON without what is to go of it, appended to dst, and whether something was. A line that is no JSON is
// taken for text. What stays is byte for byte what it was.
func (f *finder) line(dst, line []byte) ([]byte, bool) {
	f.places = f.dirty(f.places[:0], line)
	if len(f.places) == 0 {
		return append(dst, line...), false
	}
	slices.Sort(f.places)
	return f.cut(dst, line, f.places)
}

// cut is line where it is known at which places something may be.
func (f *finder) cut(dst, line []byte, places []int) ([]byte, bool) {
	w := walker{f: f, line: line, places: places}
	f.edits, f.told = f.edits[:0], f.told[:0]
	w.scan.Reset(line)
	w.value(nil)
	if !w.scan.End() {
		f.edits, f.told = append(f.edits[:0], f.find(line, nil)...), f.told[:0]
		f.tell(nil, f.edits)
	}
	if len(f.edits) == 0 {
		return append(dst, line...), false
	}
	for _, m := range f.told {
		f.report(m)
	}
	return f.without(dst, line, 0, f.edits), true
}

// without appends what is left of a text from a place on.
func (f *finder) without(dst, text []byte, at int, edits []span) []byte {
	for _, e := range edits {
		dst = append(dst, text[at:e.From]...)
		dst = f.p.marker(dst, e.Rule)
		at = e.To
	}
	return append(dst, text[at:]...)
}

// marker appends what stands where something was.
func (p *pack) marker(dst []byte, rule int) []byte {
	dst = append(dst, markerBegins...)
	dst = append(dst, p.ids[rule]...)
	return append(dst, markerEnds...)
}

// A walker goes through a line of JSON, and looks at the strings in which something may be.
type walker struct {
	f      *finder
	line   []byte
	places []int
	scan   jsonscan.Scanner
	path   []step
}

// A step is how a value is found in the one that holds it.
type step struct {
	key   []byte // nil for an element of an array
	index int
}

// value walks a value that is called name.
func (w *walker) value(name []byte) {
	switch w.scan.Kind() {
	case '"':
		w.text(w.scan.String(), name)
	case '{':
		w.path = append(w.path, step{})
		w.scan.Object(func(key []byte) {
			w.path[len(w.path)-1] = step{key: key}
			w.key(w.scan.KeyRange())
			w.value(key)
		})
		w.path = w.path[:len(w.path)-1]
	case '[':
		w.path = append(w.path, step{})
		i := 0
		w.scan.Array(func() {
			w.path[len(w.path)-1] = step{index: i}
			i++
			w.value(name)
		})
		w.path = w.path[:len(w.path)-1]
	default:
		w.scan.Skip()
	}
}

// key looks at a key. What the report says of it, and of what is below it, has it without what is to go.
func (w *walker) key(r jsonscan.Range) {
	if !w.in(r.From, r.To) {
		return
	}
	n := len(w.f.edits)
	found := w.look(r, nil)
	if len(found) == 0 {
		return
	}
	if w.f.report != nil {
		w.path[len(w.path)-1].key = w.f.without(nil, w.line[:r.To], r.From, w.f.edits[n:])
	}
	w.f.tell(w.path, found)
}

// in tells whether one of the places is in a part of the line.
func (w *walker) in(from, to int) bool {
	i, _ := slices.BinarySearch(w.places, from)
	return i < len(w.places) && w.places[i] < to
}

// text looks at a string if one of the places is in it, or if its name is a credential's.
func (w *walker) text(r jsonscan.Range, name []byte) {
	if w.scan.Err() != nil || r.Len() == 0 || structural(w.path) {
		return
	}
	if !w.in(r.From, r.To) && credential.Name(name) == credential.None {
		return
	}
	w.f.tell(w.path, w.look(r, name))
}

// look cuts what is to go out of a string, and is where in its text that stands.
func (w *walker) look(r jsonscan.Range, name []byte) []span {
	text := w.line[r.From:r.To]
	source := func(from, to int) (int, int) { return from, to }
	if bytes.IndexByte(text, '\\') >= 0 {
		v := &w.f.decoded
		v.Decode(text)
		text, source = v.Text, v.Source
	}
	found := w.f.find(text, name)
	for _, s := range found {
		from, to := source(s.From, s.To)
		w.f.edits = append(w.f.edits, span{r.From + from, r.From + to, s.Rule})
	}
	return found
}

// structural tells whether a string is of the log, and of nobody's making: it is left as it is by where it stands, whatever it
// looks like.
func structural(path []step) bool {
	var keys [3]string
	n := 0
	for _, s := range path {
		if s.key == nil {
			continue
		}
		if n == len(keys) {
			return false
		}
		keys[n] = string(s.key)
		n++
	}
	switch n {
	case 1:
		return ofRecord[keys[0]]
	case 2:
		return keys[0] == "message" && ofMessage[keys[1]]
	case 3:
		return keys[0] == "message" && keys[1] == "content" && ofBlock[keys[2]]
	}
	return false
}

var (
	ofRecord  = set("uuid parentUuid logicalParentUuid leafUuid sessionId requestId messageId promptId toolUseID parentToolUseID timestamp type id parentId encrypted_content")
	ofMessage = set("id role model type stop_reason")
	ofBlock   = set("id tool_use_id type signature thinkingSignature encrypted_content")
)

func set(words string) map[string]bool {
	m := map[string]bool{}
	for _, word := range strings.Fields(words) {
		m[word] = true
	}
	return m
}
