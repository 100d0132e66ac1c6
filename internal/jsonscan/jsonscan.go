// SPDX-License-Identifier: Apache-2.0

// Package jsonscan walks JSON where it stands: it checks each byte once, decodes nothing and says where values are, so
// that a session of gigabytes can be indexed at the speed of reading it. Text is taken as it is: invalid UTF-8 inside a
// string is no error here, since whoever wrote it meant something, and is mended where text is handed on.
package jsonscan

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math/bits"
)

// MaxDepth is how deep values may nest.
const MaxDepth = 512

// ErrInvalid says that the bytes are no JSON.
var ErrInvalid = errors.New("not valid JSON")

// A Scanner walks one text. Once it has failed, every call does nothing; Err tells where and why.
type Scanner struct {
	data  []byte
	pos   int
	depth int
	err   error

	escaped bool // the last string has escapes
	key     Range
}

// Reset begins with another text.
func (s *Scanner) Reset(data []byte) { *s = Scanner{data: data} }

// Err is the first failure.
func (s *Scanner) Err() error { return s.err }

// Pos is where the scanner stands: behind the last value, or where it failed.
func (s *Scanner) Pos() int { return s.pos }

// A Range is where a value stands: of a string what is between its quotes, as it is written there.
type Range struct{ From, To int }

// Len is how many bytes the value takes.
func (r Range) Len() int { return r.To - r.From }

func (s *Scanner) fail(what string) {
	if s.err == nil {
		s.err = fmt.Errorf("%w: %s at byte %d", ErrInvalid, what, s.pos)
	}
}

func (s *Scanner) space() {
	for s.pos < len(s.data) {
		switch s.data[s.pos] {
		case ' ', '\t', '\r', '\n':
			s.pos++
		default:
			return
		}
	}
}

// Kind tells what comes next by its first byte: one of {["tfn0, where 0 stands for a number, or 0 for none.
func (s *Scanner) Kind() byte {
	if s.err != nil {
		return 0
	}
	s.space()
	if s.pos >= len(s.data) {
		s.fail("it ends too early")
		return 0
	}
	switch c := s.data[s.pos]; c {
	case '{', '[', '"', 't', 'f', 'n':
		return c
	case '-', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9':
		return '0'
	}
	s.fail("no value begins like this")
	return 0
}

// End tells whether nothing but space is left, and fails if something is.
func (s *Scanner) End() bool {
	if s.err != nil {
		return false
	}
	if s.space(); s.pos < len(s.data) {
		s.fail("something follows the value")
	}
	return s.err == nil
}

// Object walks an object: each is called with the scanner before each member's value, and may walk it; what it leaves
// is skipped. The key holds until each returns.
func (s *Scanner) Object(each func(key []byte)) {
	if !s.enter('{') {
		return
	}
	for first := true; ; first = false {
		s.space()
		switch {
		case s.pos >= len(s.data):
			s.fail("an object does not end")
			return
		case s.data[s.pos] == '}':
			if !first && s.data[s.pos] == '}' && s.afterComma() {
				s.fail("a comma ends an object")
				return
			}
			s.leave()
			return
		case s.data[s.pos] != '"':
			s.fail("a key is missing")
			return
		}
		key := s.Key()
		if s.space(); s.err != nil || s.pos >= len(s.data) || s.data[s.pos] != ':' {
			s.fail("a colon is missing")
			return
		}
		s.pos++
		s.space()
		before := s.pos
		each(key)
		if s.pos == before {
			s.Skip()
		}
		if !s.separator('}') {
			return
		}
	}
}

// Array walks an array: each is called before each element, and may walk it; what it leaves is skipped.
func (s *Scanner) Array(each func()) {
	if !s.enter('[') {
		return
	}
	for first := true; ; first = false {
		s.space()
		if s.pos < len(s.data) && s.data[s.pos] == ']' {
			if !first && s.afterComma() {
				s.fail("a comma ends an array")
				return
			}
			s.leave()
			return
		}
		before := s.pos
		each()
		if s.pos == before {
			s.Skip()
		}
		if !s.separator(']') {
			return
		}
	}
}

func (s *Scanner) enter(open byte) bool {
	if s.Kind() != open {
		if s.err == nil {
			s.fail("another kind of value was expected")
		}
		return false
	}
	if s.depth++; s.depth > MaxDepth {
		s.fail("it nests too deep")
		return false
	}
	s.pos++
	return true
}

func (s *Scanner) leave() {
	s.pos++
	s.depth--
}

// afterComma tells whether the last thing before the scanner is a comma.
func (s *Scanner) afterComma() bool {
	for i := s.pos - 1; i >= 0; i-- {
		switch s.data[i] {
		case ' ', '\t', '\r', '\n':
			continue
		}
		return s.data[i] == ','
	}
	return false
}

// separator passes a comma, or stands before the closing byte.
func (s *Scanner) separator(closing byte) bool {
	if s.err != nil {
		return false
	}
	s.space()
	if s.pos < len(s.data) {
		switch s.data[s.pos] {
		case ',':
			s.pos++
			return true
		case closing:
			return true
		}
	}
	s.fail("a comma is missing")
	return false
}

// KeyRange is where the text of the key stands that was walked last.
func (s *Scanner) KeyRange() Range { return s.key }

// Key walks a string and hands it out decoded. It holds until the text changes.
func (s *Scanner) Key() []byte {
	s.key = s.String()
	raw := s.data[s.key.From:s.key.To]
	if s.escaped {
		return Decode(nil, raw)
	}
	return raw
}

// String walks a string.
func (s *Scanner) String() Range {
	if s.Kind() != '"' {
		s.fail("a string was expected")
		return Range{}
	}
	from := s.pos + 1
	if !s.toQuote(from) {
		return Range{}
	}
	s.pos++
	return Range{from, s.pos - 1}
}

const (
	ones  = 0x0101010101010101
	highs = 0x8080808080808080
)

// toQuote goes to the quote that ends the string whose text begins at i. It looks at eight bytes at once: most of a
// session is text.
func (s *Scanner) toQuote(i int) bool {
	b := s.data
	s.escaped = false
	for {
		for i+8 <= len(b) {
			w := binary.LittleEndian.Uint64(b[i:])
			quote, escape := w^(ones*'"'), w^(ones*'\\')
			found := ((quote-ones)&^quote | (escape-ones)&^escape | (w-ones*0x20)&^w) & highs
			if found != 0 {
				i += bits.TrailingZeros64(found) >> 3
				break
			}
			i += 8
		}
		if i >= len(b) {
			s.pos = len(b)
			s.fail("a string does not end")
			return false
		}
		switch c := b[i]; {
		case c == '"':
			s.pos = i
			return true
		case c == '\\':
			s.escaped = true
			n := escapeLen(b[i:])
			if n == 0 {
				s.pos = i
				s.fail("an escape is wrong")
				return false
			}
			i += n
		case c < 0x20:
			s.pos = i
			s.fail("a control character stands in a string")
			return false
		default: // the last bytes, fewer than eight
			i++
		}
	}
}

// escapeLen is how many bytes the escape takes that b begins with, 0 if it is none.
func escapeLen(b []byte) int {
	if len(b) < 2 {
		return 0
	}
	switch b[1] {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		return 2
	case 'u':
		if len(b) < 6 {
			return 0
		}
		for _, c := range b[2:6] {
			if !('0' <= c && c <= '9' || 'a' <= c && c <= 'f' || 'A' <= c && c <= 'F') {
				return 0
			}
		}
		return 6
	}
	return 0
}

// Skip walks one value, whatever it is.
func (s *Scanner) Skip() {
	switch s.Kind() {
	case '"':
		if s.toQuote(s.pos + 1) {
			s.pos++
		}
	case '{':
		s.skipObject()
	case '[':
		s.Array(func() {})
	case '0':
		s.number()
	case 't':
		s.word("true")
	case 'f':
		s.word("false")
	case 'n':
		s.word("null")
	}
}

func (s *Scanner) skipObject() { s.Object(func([]byte) {}) }

func (s *Scanner) word(w string) {
	if len(s.data)-s.pos < len(w) || string(s.data[s.pos:s.pos+len(w)]) != w {
		s.fail("no value begins like this")
		return
	}
	s.pos += len(w)
}

// number walks a number by the grammar of RFC 8259.
func (s *Scanner) number() {
	b, i := s.data, s.pos
	digits := func() bool {
		from := i
		for i < len(b) && '0' <= b[i] && b[i] <= '9' {
			i++
		}
		return i > from
	}
	if b[i] == '-' {
		i++
	}
	whole := i
	ok := digits() && (b[whole] != '0' || i == whole+1)
	if ok && i < len(b) && b[i] == '.' {
		i++
		ok = digits()
	}
	if ok && i < len(b) && (b[i] == 'e' || b[i] == 'E') {
		if i++; i < len(b) && (b[i] == '+' || b[i] == '-') {
			i++
		}
		ok = digits()
	}
	s.pos = i
	if !ok {
		s.fail("a number is wrong")
	}
}
