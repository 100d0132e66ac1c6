// SPDX-License-Identifier: Apache-2.0

package jsonscan

import "strconv"

// Value walks one value and tells where it stands; a string with its quotes.
func (s *Scanner) Value() Range {
	if s.Kind() == 0 {
		return Range{}
	}
	from := s.pos
	s.Skip()
	if s.err != nil {
		return Range{}
	}
	return Range{from, s.pos}
}

// Int walks a value that should be a whole number, and is 0 for anything else.
func (s *Scanner) Int() int64 {
	if s.Kind() != '0' {
		s.Skip()
		return 0
	}
	r := s.Value()
	if s.err != nil {
		return 0
	}
	n, err := strconv.ParseInt(string(s.data[r.From:r.To]), 10, 64)
	if err == nil {
		return n
	}
	f, err := strconv.ParseFloat(string(s.data[r.From:r.To]), 64)
	if err != nil || f != float64(int64(f)) {
		return 0
	}
	return int64(f)
}

// True walks a value and tells whether it is true.
func (s *Scanner) True() bool {
	is := s.Kind() == 't'
	s.Skip()
	return is
}

// Text walks a value that should be a string; anything else is skipped and no text.
func (s *Scanner) Text() (Range, bool) {
	if s.Kind() != '"' {
		s.Skip()
		return Range{}, false
	}
	r := s.String()
	return r, s.err == nil
}

// Word is the text of a value that others are compared with, Plain for that; nil where it is none.
func (s *Scanner) Word() []byte {
	at, ok := s.Text()
	if !ok {
		return nil
	}
	if s.escaped {
		return Plain(s.Bytes(at))
	}
	return s.Bytes(at)
}

// Members walks a value that should be an object; anything else is skipped.
func (s *Scanner) Members(each func(key []byte)) {
	if s.Kind() != '{' {
		s.Skip()
		return
	}
	s.Object(each)
}

// Elements walks a value that should be an array; anything else is skipped.
func (s *Scanner) Elements(each func()) {
	if s.Kind() != '[' {
		s.Skip()
		return
	}
	s.Array(each)
}

// Bytes is a range of the text.
func (s *Scanner) Bytes(r Range) []byte { return s.data[r.From:r.To] }
