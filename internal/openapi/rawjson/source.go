// SPDX-License-Identifier: Apache-2.0

// Package rawjson reads JSON without decoding it: values are places in the text,
// and only what is asked for becomes a Go value. Keys keep their order, numbers
// their digits. [Decode] is the strict reader of the same values, for text that
// comes from strangers.
package rawjson

import (
	"bytes"
	"encoding/json"
	"iter"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// Source is JSON text that is known to be well-formed. Its methods find their
// way by skipping and decode nothing they are not asked for. Should the text be
// damaged all the same, they stop early; they never read past its end.
type Source []byte

// Span is where one value lies in a Source. The zero Span is "no value".
type Span struct{ Start, End int }

// OK tells a value from the zero Span.
func (sp Span) OK() bool { return sp.End > sp.Start }

func (s Source) at(i int) byte {
	if i < len(s) {
		return s[i]
	}
	return 0
}

// At is the value that begins at an offset, or after the space there.
func (s Source) At(start int) Span {
	start = s.space(start)
	return Span{start, s.valueEnd(start)}
}

// Kind is the first byte of a value, which tells its type; 0 is no value.
func (s Source) Kind(sp Span) byte {
	if !sp.OK() {
		return 0
	}
	return s[sp.Start]
}

// Raw is a value's text. It must not be changed.
func (s Source) Raw(sp Span) json.RawMessage { return json.RawMessage(s[sp.Start:sp.End:sp.End]) }

func (s Source) space(i int) int {
	for i < len(s) && (s[i] == ' ' || s[i] == '\n' || s[i] == '\t' || s[i] == '\r') {
		i++
	}
	return i
}

// stringEnd is the index after the string that begins at i.
func (s Source) stringEnd(i int) int {
	start := i + 1
	for i = start; i < len(s); i++ {
		quote := bytes.IndexByte(s[i:], '"')
		if quote < 0 {
			break
		}
		i += quote
		escapes := 0
		for k := i - 1; k >= start && s[k] == '\\'; k-- {
			escapes++
		}
		if escapes%2 == 0 {
			return i + 1
		}
	}
	return len(s)
}

// valueEnd is the index after the value that begins at i.
func (s Source) valueEnd(i int) int {
	depth := 0
	for i < len(s) {
		switch s[i] {
		case '"':
			i = s.stringEnd(i)
		case '{', '[':
			depth++
			i++
		case '}', ']':
			depth--
			i++
		case ',', ':', ' ', '\n', '\t', '\r':
			i++
			continue
		default: // a number or literal; at depth 0 it is the whole value
			for i < len(s) && !strings.ContainsRune(",:]} \n\t\r", rune(s[i])) {
				i++
			}
		}
		if depth <= 0 {
			return i
		}
	}
	return len(s)
}

// Members walks an object in its order. The key is valid until the next step.
func (s Source) Members(obj Span) iter.Seq2[[]byte, Span] {
	return func(yield func([]byte, Span) bool) {
		if s.Kind(obj) != '{' {
			return
		}
		i := s.space(obj.Start + 1)
		for s.at(i) == '"' {
			keyEnd := s.stringEnd(i)
			key := unquote(s[i:keyEnd])
			i = s.space(keyEnd)
			if s.at(i) != ':' {
				return
			}
			i = s.space(i + 1)
			v := Span{i, s.valueEnd(i)}
			if !v.OK() || !yield(key, v) {
				return
			}
			if i = s.space(v.End); s.at(i) == ',' {
				i = s.space(i + 1)
			}
		}
	}
}

// Elements walks an array.
func (s Source) Elements(arr Span) iter.Seq[Span] {
	return func(yield func(Span) bool) {
		if s.Kind(arr) != '[' {
			return
		}
		i := s.space(arr.Start + 1)
		for i < arr.End && s.at(i) != ']' {
			v := Span{i, s.valueEnd(i)}
			if !v.OK() || !yield(v) {
				return
			}
			if i = s.space(v.End); s.at(i) == ',' {
				i = s.space(i + 1)
			}
		}
	}
}

// Get is an object's member, or the zero Span.
func (s Source) Get(obj Span, name string) Span {
	for k, v := range s.Members(obj) {
		if string(k) == name {
			return v
		}
	}
	return Span{}
}

// Str is a string's text, or "".
func (s Source) Str(sp Span) string {
	if s.Kind(sp) != '"' {
		return ""
	}
	return strings.ToValidUTF8(string(unquote(s[sp.Start:sp.End])), "\uFFFD")
}

// IsTrue tells the value true.
func (s Source) IsTrue(sp Span) bool { return s.Kind(sp) == 't' }

// Strs is an array's strings; other elements are left out.
func (s Source) Strs(sp Span) []string {
	var out []string
	for e := range s.Elements(sp) {
		if s.Kind(e) == '"' {
			out = append(out, s.Str(e))
		}
	}
	return out
}

// Any decodes a value. Numbers stay text (json.Number), so none is rounded.
func (s Source) Any(sp Span) any {
	if !sp.OK() {
		return nil
	}
	v, _ := s.decode(sp.Start)
	return v
}

// decode is Any for the value at i; it walks the text once, however deep.
func (s Source) decode(i int) (v any, end int) {
	switch s.at(i) {
	case '{':
		m := map[string]any{}
		i = s.space(i + 1)
		for s.at(i) == '"' {
			keyEnd := s.stringEnd(i)
			key := string(unquote(s[i:keyEnd]))
			if i = s.space(keyEnd); s.at(i) != ':' {
				return m, i
			}
			m[key], i = s.decode(s.space(i + 1))
			if i = s.space(i); s.at(i) == ',' {
				i = s.space(i + 1)
			}
		}
		return m, i + 1
	case '[':
		a := []any{}
		i = s.space(i + 1)
		for i < len(s) && s[i] != ']' {
			v, i = s.decode(i)
			a = append(a, v)
			if i = s.space(i); s.at(i) == ',' {
				i = s.space(i + 1)
			}
		}
		return a, i + 1
	}
	sp := Span{i, s.valueEnd(i)}
	switch s.Kind(sp) {
	case '"':
		return s.Str(sp), sp.End
	case 't', 'f':
		return s.IsTrue(sp), sp.End
	case 'n', 0:
		return nil, sp.End
	}
	return json.Number(s[sp.Start:sp.End]), sp.End
}

// Compact appends a value without the space between its parts.
func (s Source) Compact(dst []byte, sp Span) []byte {
	for i := sp.Start; i < sp.End; {
		switch s[i] {
		case ' ', '\n', '\t', '\r':
			i++
		case '"':
			end := min(s.stringEnd(i), sp.End)
			dst = append(dst, s[i:end]...)
			i = end
		default:
			dst = append(dst, s[i])
			i++
		}
	}
	return dst
}

// unquote is the text of a quoted string; a view of it where nothing is
// escaped. Lone surrogates become U+FFFD.
func unquote(quoted []byte) []byte {
	if len(quoted) < 2 {
		return nil
	}
	text := quoted[1 : len(quoted)-1]
	for _, c := range text {
		if c == '\\' {
			out, _ := jsontext.AppendUnquote(nil, quoted) // text is well-formed: only surrogates are reported
			return out
		}
	}
	return text
}

// Quote appends text as a JSON string.
func Quote(dst []byte, text string) []byte {
	if !utf8.ValidString(text) {
		text = strings.ToValidUTF8(text, "\uFFFD")
	}
	dst, _ = jsontext.AppendQuote(dst, text) // only invalid UTF-8 is reported, and there is none
	return dst
}

// Position is the 1-based line and column (in bytes) of an offset.
func (s Source) Position(at int) (line, column int) {
	before := s[:min(max(at, 0), len(s))]
	return bytes.Count(before, []byte("\n")) + 1, len(before) - bytes.LastIndexByte(before, '\n')
}
