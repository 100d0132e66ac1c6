// SPDX-License-Identifier: Apache-2.0

package mcphttp

import (
	"strings"
	"testing"
)

// TestBehind: a stream that nobody reads holds so much and no more. A call's ends; the other lets the oldest lines go.
func TestBehind(t *testing.T) {
	call, aside := newStream(10, false), newStream(10, true)
	reader, other := call.read(), aside.read()
	for i, line := range []string{"1234", "5678", "90ab", "cdef"} {
		fits := i < 2
		if room := aside.put([]byte(line)); room != fits {
			t.Errorf("aside %d: %v", i, room)
		}
		if room := call.put([]byte(line)); room != (fits || i == 3) { // what ended is told once
			t.Errorf("call %d: %v", i, room)
		}
	}
	if lines, news := call.take(reader); len(lines) != 0 || news != nil {
		t.Errorf("%q goes on", lines)
	}
	lines, news := aside.take(other)
	if len(lines) != 2 || string(lines[0]) != "90ab" || string(lines[1]) != "cdef" || news == nil {
		t.Errorf("%q", lines)
	}
	if room := aside.put([]byte(strings.Repeat("x", 11))); room {
		t.Error("a line over the bound has room")
	}
}

// TestOneReader: only the last reader takes, and the one before it is told at once.
func TestOneReader(t *testing.T) {
	s := newStream(100, true)
	first := s.read()
	_, news := s.take(first)
	second := s.read()
	<-news
	s.put([]byte("line"))
	if lines, news := s.take(first); lines != nil || news != nil {
		t.Errorf("%q", lines)
	}
	if lines, news := s.take(second); len(lines) != 1 || news == nil {
		t.Errorf("%q", lines)
	}
	s.put([]byte("last"))
	s.end()
	s.put([]byte("late"))
	if lines, news := s.take(second); len(lines) != 1 || news != nil {
		t.Errorf("%q", lines)
	}
}

// TestLast: whoever sees the last line knows that nothing follows, so that a lone answer is answered as one.
func TestLast(t *testing.T) {
	s := newStream(maxBehind, false)
	reader := s.read()
	if !s.putLast([]byte("answer")) {
		t.Error("no room")
	}
	if lines, news := s.take(reader); len(lines) != 1 || news != nil {
		t.Errorf("%q goes on", lines)
	}
}
