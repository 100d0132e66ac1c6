// SPDX-License-Identifier: Apache-2.0

package transcript

import (
	"fmt"
	"math"
	"strings"
	"testing"
)

// TestCosts: what no answer can have cost counts as nothing, and no sum goes below nothing.
func TestCosts(t *testing.T) {
	const huge = math.MaxInt64
	for _, c := range []struct {
		name  string
		spent []Tokens
		want  Tokens
	}{
		{"as it is", []Tokens{{Input: 1, Output: 2, CacheRead: 3, CacheCreation: 4}}, Tokens{Input: 1, Output: 2, CacheRead: 3, CacheCreation: 4}},
		{"written to the cache by its parts", []Tokens{{CacheCreation: 1, CacheCreation5m: 2, CacheCreation1h: 3}}, Tokens{CacheCreation: 5, CacheCreation5m: 2, CacheCreation1h: 3}},
		{"below nothing", []Tokens{{Input: -4, Output: 2, CacheRead: math.MinInt64, CacheCreation: -1, CacheCreation5m: -1, CacheCreation1h: 1}}, Tokens{Output: 2, CacheCreation: 1, CacheCreation1h: 1}},
		{"more than there is", []Tokens{{Input: huge, Output: 2}, {Input: huge, Output: 2}, {Input: 1, CacheCreation5m: huge, CacheCreation1h: huge}}, Tokens{Input: 1, Output: 4}},
	} {
		b := NewBuilder("test", "x")
		for _, spent := range c.spent {
			b.Cost(nil, "m", Main, spent)
		}
		b.Session().Billed = map[string]Tokens{"m": c.spent[0]}
		s, err := b.Finish(nil)
		if err != nil {
			t.Fatal(err)
		}
		if s.Usage != c.want || s.ByModel["m"] != c.want {
			t.Errorf("%s: %+v, want %+v", c.name, s.Usage, c.want)
		}
		if billed := s.Billed["m"]; min(billed.Input, billed.Output, billed.CacheRead, billed.CacheCreation, billed.CacheCreation5m, billed.CacheCreation1h) < 0 || billed.Input == huge {
			t.Errorf("%s: billed %+v", c.name, billed)
		}
	}
	var sum Tokens
	for range 3 {
		sum.Add(Tokens{Input: math.MaxInt64 / 2})
	}
	if sum.Input != math.MaxInt64 {
		t.Errorf("%d", sum.Input)
	}
}

// TestTitle: a title is the first prompt on one line, as far as it has room; words are never joined.
func TestTitle(t *testing.T) {
	for prompt, want := range map[string]string{
		"  a\n\tb  ":                         "a b",
		strings.Repeat("a", 119) + " bcd":    strings.Repeat("a", 119),
		strings.Repeat("a", 118) + " bcd":    strings.Repeat("a", 118) + " b",
		strings.Repeat("a", 120) + " bcd":    strings.Repeat("a", 120),
		strings.Repeat("a", 121):             strings.Repeat("a", 120),
		strings.Repeat("ä", 119) + "\u00a0b": strings.Repeat("ä", 119),
		" \n ":                               "Untitled session",
	} {
		b := NewBuilder("test", "x")
		b.Step(UserPrompt, NoTime, Main, None, []Span{b.Words(prompt)}, 0)
		if s, err := b.Finish(nil); err != nil || s.Title != want {
			t.Errorf("%q is %q, want %q (%v)", prompt, s.Title, want, err)
		}
	}
}

// TestBounds: a file that is no log could have a damaged line and a type of its own for each line. All are counted, the
// first are told.
func TestBounds(t *testing.T) {
	b := NewBuilder("test", "x")
	for i := range 250 {
		b.Damaged(Damage{Line: int64(i + 1), Recovered: 2})
		b.Unknown(fmt.Sprint("type ", i))
	}
	b.Unknown("type 0")
	b.Unknown(strings.Repeat("x", 81))
	k := b.Session().Skipped
	if k.Malformed != 250 || k.Recovered != 500 || k.Unknown != 252 {
		t.Errorf("%+v", k)
	}
	if len(k.UnknownTypes) != 100 || k.UnknownTypes["type 0"] != 2 || k.UnknownTypes["type 99"] != 1 {
		t.Errorf("%d types", len(k.UnknownTypes))
	}
	if d := b.Session().Damage; len(d) != 100 || d[99].Line != 100 {
		t.Errorf("%d are told", len(d))
	}
}

// TestAnswers: answers are told apart by their names, however many, and each is there with what it cost at last.
func TestAnswers(t *testing.T) {
	b := NewBuilder("test", "x")
	const many = 20_000
	long := strings.Repeat("x", maxID+1)
	name := func(i int) string { return fmt.Sprint(strings.Repeat("n", i%7), i) }
	for _, output := range []int64{3, 5, 4} {
		for i := range many {
			b.Cost([]byte(name(i)), fmt.Sprint("m", i%3), int32(i%2)-1, Tokens{Input: int64(i), Output: output << (i % 38)})
		}
	}
	b.Agent("a")
	b.Cost([]byte(long), "m0", Main, Tokens{Output: 1})
	b.Cost(nil, "m0", Main, Tokens{Output: 1})
	i := 0
	for a := range b.Session().Answers() {
		want := Answer{ID: name(i), Model: fmt.Sprint("m", i%3), Agent: int32(i%2) - 1, Tokens: Tokens{Input: int64(i), Output: 5 << (i % 38)}}
		if i >= many {
			want = Answer{Model: "m0", Agent: Main, Tokens: Tokens{Output: 1}}
		}
		if a != want {
			t.Fatalf("%d: %+v, want %+v", i, a, want)
		}
		i++
	}
	if i != many+2 {
		t.Errorf("%d answers", i)
	}
}
