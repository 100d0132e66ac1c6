// SPDX-License-Identifier: Apache-2.0

package learned_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/fiftyarms/platform/internal/redact/learned"
)

// nowhere joins nothing.
func nowhere([]byte, int) (int, bool) { return 0, false }

// lines joins what stands on two lines.
func lines(text []byte, at int) (int, bool) {
	if at < len(text) && text[at] == '\n' {
		return at + 1, true
	}
	return 0, false
}

// value is one that nobody has thought of, always the same for a seed.
func value(seed uint64, n int) string {
	r := rand.New(rand.NewPCG(seed, 1))
	b := make([]byte, n)
	for i := range b {
		b[i] = "abcdefghijkmnpqrstuvwxyz23456789"[r.IntN(32)]
	}
	return string(b)
}

func indexed(values ...string) *learned.Set {
	s := &learned.Set{}
	for i, v := range values {
		s.Add([]byte(v), i)
	}
	s.Index()
	return s
}

// TestAppend: at each place of a text, whatever the length, whole and nothing else. In tells of it too, and Places of a part.
func TestAppend(t *testing.T) {
	for n := learned.MinValue; n < 50; n++ {
		v := value(uint64(n), n)
		s := indexed(v, "another"+v[:4]+"value")
		for before := range 9 {
			for _, behind := range []string{"", "x", "  behind it more"} {
				text := []byte(strings.Repeat("-", before) + v + behind)
				hits := s.Append(nil, text, nowhere)
				if len(hits) == 0 || len(s.Places(nil, text)) == 0 || !s.In(text) {
					t.Fatalf("%d, %d before: not found", n, before)
				}
				for _, h := range hits {
					if h != (learned.Hit{From: before, To: before + n, Rule: 0}) {
						t.Fatalf("%d, %d before: %+v", n, before, h)
					}
				}
				text[before+n/2] = '!'
				if hits := s.Append(nil, text, nowhere); len(hits) > 0 {
					t.Fatalf("%d, %d before, another: %+v", n, before, hits)
				}
			}
		}
	}
}

// TestPieces: in two, wherever they part.
func TestPieces(t *testing.T) {
	v := value(1, 32)
	s := indexed(v)
	for at := 1; at < len(v); at++ {
		text := "x" + v[:at] + "\n" + v[at:] + "x"
		hits := s.Append(nil, []byte(text), lines)
		if len(hits) == 0 || hits[0].From != 1 || hits[0].To != len(text)-1 {
			t.Errorf("at %d: %+v", at, hits)
		}
		if hits := s.Append(nil, []byte(text), nowhere); len(hits) > 0 {
			t.Errorf("at %d, not joined: %+v", at, hits)
		}
	}
}

// TestTheEarlierRule: a value that two rules find is the earlier one's.
func TestTheEarlierRule(t *testing.T) {
	s := &learned.Set{}
	s.Add([]byte(value(2, 20)), 7)
	s.Add([]byte(value(2, 20)), 3)
	s.Add([]byte(value(2, 20)), 9)
	s.Index()
	if hits := s.Append(nil, []byte(value(2, 20)), nowhere); s.Len() != 1 || len(hits) == 0 || hits[0].Rule != 3 {
		t.Errorf("%d, %+v", s.Len(), hits)
	}
}

// TestManyThatBeginAlike: thousands with one beginning, as tokens of one kind have, are found without each being tried.
func TestManyThatBeginAlike(t *testing.T) {
	const n = 3000
	var values []string
	for i := range uint64(n) {
		values = append(values, "eyJhbGciOiJIUzI1NiJ9"+value(i, 60))
	}
	s := indexed(values...)
	tried := len(s.Places(nil, []byte(strings.Join(values, "\n"))))
	if tried < n || tried > 8*n {
		t.Errorf("%d tries for %d values", tried, n)
	}
}

func TestNothing(t *testing.T) {
	s := indexed()
	if s.Len() != 0 || s.In([]byte("any text")) || len(s.Append(nil, []byte("any text"), nowhere)) > 0 {
		t.Error("something")
	}
	for n := range 8 {
		if indexed(value(3, 20)).In([]byte(fmt.Sprint(value(3, 20)[:n]))) {
			t.Errorf("%d bytes of a value are one", n)
		}
	}
}
