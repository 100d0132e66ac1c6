// SPDX-License-Identifier: Apache-2.0

package trigger_test

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/fiftyarms/platform/internal/redact/trigger"
)

// words have what is hard: three bytes, signs that folding would change, beginnings of each other, more than eight bytes.
var words = []trigger.Word{
	{Text: "key", AnyCase: true}, {Text: "://"}, {Text: "abc", Next: "0123456789"}, {Text: "pat=", AnyCase: true}, {Text: `\users\`, AnyCase: true}, {Text: "recovery_code", AnyCase: true}, {Text: "a@b[", AnyCase: true},
	{Text: "AKIA"}, {Text: "AKIAKIA"}, {Text: "-----begin", AnyCase: true}, {Text: "secretaccesskeyofsomebody", AnyCase: true}, {Text: "kind: Secret"}, {Text: "\u200b"}, {Text: ".azconfig.io;Id="}, {Text: "aaa"}, {Text: "Bearer"},
}

// naive looks for each word at each place.
func naive(text string) (hits []trigger.Hit) {
	for at := range len(text) {
		for i, w := range words {
			if at+len(w.Text) > len(text) {
				continue
			}
			part := text[at : at+len(w.Text)]
			if part == w.Text || w.AnyCase && strings.ToLower(part) == w.Text {
				hits = append(hits, trigger.Hit{At: at, Word: i})
			}
		}
	}
	return hits
}

// check compares what is found with what is there. A word of three bytes that has to be followed may be found without.
func check(t *testing.T, s *trigger.Set, text string) {
	t.Helper()
	got, want := s.Append(nil, []byte(text)), naive(text)
	order := func(a, b trigger.Hit) int { return cmp.Or(cmp.Compare(a.At, b.At), cmp.Compare(a.Word, b.Word)) }
	slices.SortFunc(got, order)
	if len(got)-len(slices.Compact(slices.Clone(got))) > 1 { // the last of a text may be told of twice
		t.Fatalf("%q: twice: %v", text, got)
	}
	for _, h := range got {
		if !slices.Contains(want, h) {
			t.Fatalf("%q: %v is not there", text, h)
		}
	}
	for _, h := range want {
		next := words[h.Word].Next
		if end := h.At + len(words[h.Word].Text); next != "" && (end == len(text) || strings.IndexByte(next, text[end]) < 0) {
			continue
		}
		if !slices.Contains(got, h) {
			t.Fatalf("%q: %v (%q) is not found", text, h, words[h.Word].Text)
		}
	}
}

// TestEverywhere: a word is found at each place of a text, at its ends too, whatever is around it, in each case that it may have.
func TestEverywhere(t *testing.T) {
	s := trigger.New(words)
	for _, w := range words {
		for before := range 20 {
			for behind := range 20 {
				for _, around := range []string{" ", "x", "\n", "\xff", "K", w.Text[:1]} {
					for _, word := range []string{w.Text, strings.ToUpper(w.Text), strings.ToUpper(w.Text[:1]) + w.Text[1:]} {
						check(t, s, strings.Repeat(around, before)+word+strings.Repeat(around, behind))
					}
				}
			}
		}
	}
}

func TestRandom(t *testing.T) {
	s := trigger.New(words)
	r := rand.New(rand.NewPCG(1, 1))
	for range 3000 {
		var b strings.Builder
		for range r.IntN(12) {
			w := words[r.IntN(len(words))].Text
			switch r.IntN(4) {
			case 0:
				w = strings.ToUpper(w)
			case 1:
				w = w[:r.IntN(len(w))]
			case 2:
				w = string([]byte{byte(r.IntN(256))})
			}
			b.WriteString(w)
		}
		check(t, s, b.String())
	}
}

func FuzzAppend(f *testing.F) {
	s := trigger.New(words)
	for _, w := range words {
		f.Add("x" + w.Text + w.Text)
	}
	f.Fuzz(func(t *testing.T, text string) { check(t, s, text) })
}

// TestAppendsBehind: what was there stays.
func TestAppendsBehind(t *testing.T) {
	was := []trigger.Hit{{At: 99, Word: 99}}
	if got := trigger.New(words).Append(was, []byte("AKIA")); len(got) != 2 || got[0] != was[0] {
		t.Errorf("%v", got)
	}
}

func TestTooShort(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("a word of two bytes is taken")
		}
	}()
	trigger.New([]trigger.Word{{Text: "ab"}})
}
