// SPDX-License-Identifier: Apache-2.0

package view

import (
	"bytes"
	"unicode/utf8"

	"github.com/fiftyarms/platform/internal/jsonscan"
)

// Decode shows the text of a JSON string, which has to be valid.
func (v *View) Decode(raw []byte) {
	v.Reset(raw)
	var char [utf8.UTFMax]byte
	for at := 0; at < len(raw); {
		next := bytes.IndexByte(raw[at:], '\\')
		if next < 0 {
			v.Keep(at, len(raw))
			break
		}
		v.Keep(at, at+next)
		at += next
		r, n := jsonscan.Next(raw[at:])
		v.read(utf8.AppendRune(char[:0], r), at, at+n)
		at += n
	}
}

// Unescaped undoes one level of the escapes that JSON, and most languages, write in strings. What is no escape stays. It is
// nil if there is none.
func Unescaped(text []byte) *View {
	var char [utf8.UTFMax]byte
	return rewritten(text, first('\\'), func(rest []byte) ([]byte, int) {
		r, n := escape(rest)
		return utf8.AppendRune(char[:0], r), n
	})
}

// first is where a byte stands first.
func first(c byte) func([]byte) int { return func(rest []byte) int { return bytes.IndexByte(rest, c) } }

// escape reads the escape that text begins with, and how long it is: 0 if it is none.
func escape(text []byte) (rune, int) {
	if len(text) < 2 {
		return 0, 0
	}
	switch text[1] {
	case '"', '\\', '/', '\'', '`':
		return rune(text[1]), 2
	case 'n':
		return '\n', 2
	case 'r':
		return '\r', 2
	case 't':
		return '\t', 2
	case 'e':
		return 0x1b, 2
	case 'u':
		if len(text) >= 6 {
			if r, ok := hex(text[2:6]); ok {
				return r, 6
			}
		}
	case 'x':
		if len(text) >= 4 {
			if r, ok := hex(text[2:4]); ok {
				return r, 4
			}
		}
	case '0':
		if len(text) >= 4 && text[2] == '3' && text[3] == '3' {
			return 0x1b, 4
		}
	}
	return 0, 0
}

func hex(digits []byte) (r rune, ok bool) {
	for _, c := range digits {
		switch {
		case '0' <= c && c <= '9':
			r = r<<4 | rune(c-'0')
		case 'a' <= c|0x20 && c|0x20 <= 'f':
			r = r<<4 | rune(c|0x20-'a'+10)
		default:
			return 0, false
		}
	}
	return r, true
}

// Percent undoes the encoding of URLs. It is nil if there is none.
func Percent(text []byte) *View {
	return rewritten(text, first('%'), func(rest []byte) ([]byte, int) {
		if len(rest) < 3 {
			return nil, 0
		}
		r, ok := hex(rest[1:3])
		if !ok {
			return nil, 0
		}
		return []byte{byte(r)}, 3
	})
}

var entities = []struct {
	name string
	char byte
}{{"quot;", '"'}, {"amp;", '&'}, {"lt;", '<'}, {"gt;", '>'}, {"apos;", '\''}, {"#34;", '"'}, {"#39;", '\''}, {"#x27;", '\''}, {"#x2F;", '/'}, {"#61;", '='}, {"#x3D;", '='}}

// Entities undoes the escapes of HTML. It is nil if there is none.
func Entities(text []byte) *View {
	return rewritten(text, first('&'), func(rest []byte) ([]byte, int) {
		for _, e := range entities {
			if bytes.HasPrefix(rest[1:], []byte(e.name)) {
				return []byte{e.char}, 1 + len(e.name)
			}
		}
		return nil, 0
	})
}
