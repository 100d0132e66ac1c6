// SPDX-License-Identifier: Apache-2.0

package openapi

import (
	"encoding/json"
	"iter"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// source is JSON text that is known to be well-formed. Its methods find their
// way by skipping and decode nothing they are not asked for. Should the text be
// damaged all the same, they stop early; they never read past its end.
type source []byte

// span is where one value lies in a source. The zero span is "no value".
type span struct{ start, end int }

func (sp span) ok() bool { return sp.end > sp.start }

func (s source) at(i int) byte {
	if i < len(s) {
		return s[i]
	}
	return 0
}

func (s source) kind(sp span) byte {
	if !sp.ok() {
		return 0
	}
	return s[sp.start]
}

func (s source) raw(sp span) json.RawMessage { return json.RawMessage(s[sp.start:sp.end:sp.end]) }

func (s source) space(i int) int {
	for i < len(s) && (s[i] == ' ' || s[i] == '\n' || s[i] == '\t' || s[i] == '\r') {
		i++
	}
	return i
}

// stringEnd is the index after the string that begins at i.
func (s source) stringEnd(i int) int {
	for i++; i < len(s); i++ {
		switch s[i] {
		case '"':
			return i + 1
		case '\\':
			i++
		}
	}
	return len(s)
}

// valueEnd is the index after the value that begins at i.
func (s source) valueEnd(i int) int {
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

// members walks an object in its order. The key is valid until the next step.
func (s source) members(obj span) iter.Seq2[[]byte, span] {
	return func(yield func([]byte, span) bool) {
		if s.kind(obj) != '{' {
			return
		}
		i := s.space(obj.start + 1)
		for s.at(i) == '"' {
			keyEnd := s.stringEnd(i)
			key := unquote(s[i:keyEnd])
			i = s.space(keyEnd)
			if s.at(i) != ':' {
				return
			}
			i = s.space(i + 1)
			v := span{i, s.valueEnd(i)}
			if !v.ok() || !yield(key, v) {
				return
			}
			if i = s.space(v.end); s.at(i) == ',' {
				i = s.space(i + 1)
			}
		}
	}
}

// elements walks an array.
func (s source) elements(arr span) iter.Seq[span] {
	return func(yield func(span) bool) {
		if s.kind(arr) != '[' {
			return
		}
		i := s.space(arr.start + 1)
		for i < arr.end && s.at(i) != ']' {
			v := span{i, s.valueEnd(i)}
			if !v.ok() || !yield(v) {
				return
			}
			if i = s.space(v.end); s.at(i) == ',' {
				i = s.space(i + 1)
			}
		}
	}
}

// get is an object's member, or the zero span.
func (s source) get(obj span, name string) span {
	for k, v := range s.members(obj) {
		if string(k) == name {
			return v
		}
	}
	return span{}
}

// str is a string's text, or "".
func (s source) str(sp span) string {
	if s.kind(sp) != '"' {
		return ""
	}
	return strings.ToValidUTF8(string(unquote(s[sp.start:sp.end])), "\uFFFD")
}

func (s source) isTrue(sp span) bool { return s.kind(sp) == 't' }

// strs is an array's strings; other elements are left out.
func (s source) strs(sp span) []string {
	var out []string
	for e := range s.elements(sp) {
		if s.kind(e) == '"' {
			out = append(out, s.str(e))
		}
	}
	return out
}

// any decodes a value. Numbers stay text (json.Number), so none is rounded.
func (s source) any(sp span) any {
	switch s.kind(sp) {
	case '{':
		m := map[string]any{}
		for k, v := range s.members(sp) {
			name := string(k)
			m[name] = s.any(v)
		}
		return m
	case '[':
		a := []any{}
		for v := range s.elements(sp) {
			a = append(a, s.any(v))
		}
		return a
	case '"':
		return s.str(sp)
	case 't', 'f':
		return s.isTrue(sp)
	case 'n', 0:
		return nil
	}
	return json.Number(s[sp.start:sp.end])
}

// compact appends a value without the space between its parts.
func (s source) compact(dst []byte, sp span) []byte {
	for i := sp.start; i < sp.end; {
		switch s[i] {
		case ' ', '\n', '\t', '\r':
			i++
		case '"':
			end := min(s.stringEnd(i), sp.end)
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

// quote appends text as a JSON string.
func quote(dst []byte, text string) []byte {
	if !utf8.ValidString(text) {
		text = strings.ToValidUTF8(text, "\uFFFD")
	}
	dst, _ = jsontext.AppendQuote(dst, text) // only invalid UTF-8 is reported, and there is none
	return dst
}
