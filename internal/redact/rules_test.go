// SPDX-License-Identifier: Apache-2.0

package redact_test

import (
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/fiftyarms/platform/internal/redact/shape"
	"github.com/fiftyarms/platform/internal/redact/trigger"
)

// TestRows: rows are sorted by vendor, none is there twice, and each compiles and has words that are looked for.
func TestRows(t *testing.T) {
	for _, file := range []string{"seed.txt", "shapes.txt", "named.txt"} {
		seen := map[string]bool{}
		for _, r := range rows(t, file) {
			key := r.expression + " " + strings.Join(r.words, ",")
			if seen[key] {
				t.Errorf("%s: %s is there twice", file, r.at)
			}
			seen[key] = true
			s, err := shape.Compile(r.expression)
			if err != nil {
				t.Errorf("%s: %v", file, err)
				continue
			}
			words, _ := s.Triggers()
			if file == "named.txt" {
				words = r.words
			}
			for _, word := range words {
				if len(word) < trigger.MinWord {
					t.Errorf("%s: %s: the word %q is too short", file, r.at, word)
				}
			}
			if len(words) == 0 {
				t.Errorf("%s: %s has no word", file, r.at)
			}
		}
	}
}

// TestRowsAreSorted: so that one is found, and added where it belongs.
func TestRowsAreSorted(t *testing.T) {
	for _, file := range []string{"shapes.txt", "named.txt"} {
		for block := range strings.SplitSeq(read(t, file), "\n\n") {
			var ids []string
			for line := range strings.Lines(block) {
				if id, _, _ := strings.Cut(line, " "); id != "#" {
					ids = append(ids, strings.TrimSuffix(id, "!"))
				}
			}
			if !slices.IsSorted(ids) {
				t.Errorf("%s: not sorted: %s", file, ids)
			}
		}
	}
}

// found are the rules that take something out of a text, and the text that is left.
func found(t *testing.T, text string) (ids []string, rest string) {
	t.Helper()
	rest = inText(t, text)
	for _, part := range strings.Split(rest, "«REDACTED:")[1:] {
		id, _, _ := strings.Cut(part, "»")
		ids = append(ids, id)
	}
	return ids, rest
}

// TestShapes: what a row's expression makes is taken out, and the rule is that row's, or one that has a say before it.
func TestShapes(t *testing.T) {
	order := map[string]int{}
	for _, r := range slices.Concat(rows(t, "seed.txt"), rows(t, "shapes.txt")) {
		if _, known := order[r.id]; !known {
			order[r.id] = len(order)
		}
	}
	for i, r := range slices.Concat(rows(t, "seed.txt"), rows(t, "shapes.txt")) {
		rng := rand.New(rand.NewPCG(13, uint64(i)))
		for range 4 {
			s := generate(t, rng, r.expression)
			text := "see " + string(s.text) + " there"
			ids, rest := found(t, text)
			secret := string(s.text[s.from:s.to])
			if strings.Contains(rest, secret) || len(ids) == 0 {
				t.Errorf("%s: %q is not found: %s", r.at, s.text, rest)
				break
			}
			if n, of := order[ids[0]]; of && n > order[r.id] && !slices.Contains(ids, r.id) {
				t.Errorf("%s: %q is found by %s", r.at, s.text, ids)
			}
			if !strings.HasPrefix(rest, "see ") || !strings.HasSuffix(rest, " there") {
				t.Errorf("%s: %q: more than it is taken out: %s", r.at, s.text, rest)
			}
		}
	}
}

// A near is a text that is nearly what an expression makes.
type near struct{ what, text string }

// openEnd is how an expression ends that may match a part of a longer run.
var openEnd = regexp.MustCompile(`(?:\?|\{0,\d+\})\)?$`)

// nears are near misses of a sample.
func nears(s sample, r row, before bool) (all []near) {
	text, last := string(s.text), s.last
	add := func(what, text string) { all = append(all, near{what, text}) }
	if s.lastSet != nil && s.min > 1 {
		add("one byte short", text[:last.from]+text[last.from:last.from+s.min-1]+text[last.to:])
		add("a byte of no class", text[:last.from+s.min/2]+"\x01"+text[last.from+s.min/2+1:])
	}
	if s.lastSet != nil && s.max > 1 && last.to == len(text) && !openEnd.MatchString(r.expression) {
		for n := last.to - last.from; n <= s.max; n++ {
			text += string(s.lastSet[n%len(s.lastSet)])
		}
		add("one byte long", text)
	}
	if !r.anywhere && !before {
		add("a letter before", "x"+string(s.text))
		add("a digit before", "7"+string(s.text))
	}
	return all
}

// TestNearMisses: what only looks like a row's is not taken out by it.
func TestNearMisses(t *testing.T) {
	all := slices.Concat(rows(t, "seed.txt"), rows(t, "shapes.txt"))
	times := map[string]int{}
	for _, r := range slices.Concat(all, rows(t, "named.txt")) {
		times[r.id]++
	}
	tried := 0
	for i, r := range all {
		rng := rand.New(rand.NewPCG(8, uint64(i)))
		compiled, err := shape.Compile(r.expression)
		if err != nil {
			t.Fatal(err)
		}
		before, after := cutAt(r.expression)
		re, err := regexp.Compile(before + after)
		if err != nil {
			t.Fatal(err)
		}
		s := generate(t, rng, r.expression)
		for _, n := range nears(s, r, before != "") {
			if strings.HasSuffix(n.what, "before") {
				if ids, rest := found(t, " "+n.text+" "); times[r.id] == 1 && slices.Contains(ids, r.id) {
					t.Errorf("%s: %s: %q is found: %s", r.at, n.what, n.text, rest)
				}
				continue
			}
			if m := re.FindString(n.text); m != "" && n.what != "one byte long" {
				continue // it is one, read otherwise
			}
			tried++
			if m, ok := compiled.Match([]byte(n.text+" "), s.beforeSize); ok {
				t.Errorf("%s: %s: %q is matched: %+v", r.at, n.what, n.text, m)
			}
			if ids, rest := found(t, " "+n.text+" "); times[r.id] == 1 && slices.Contains(ids, r.id) {
				t.Errorf("%s: %s: %q is found: %s", r.at, n.what, n.text, rest)
			}
		}
	}
	if tried < len(all) {
		t.Errorf("only %d near misses of %d rows", tried, len(all))
	}
}

// TestNamed: a value of a row's shape is taken out if the vendor's name is that of what it is assigned to, and not without it.
func TestNamed(t *testing.T) {
	for i, r := range rows(t, "named.txt") {
		rng := rand.New(rand.NewPCG(9, uint64(i)))
		for n, word := range r.words {
			if strings.HasSuffix(word, "-") || strings.HasSuffix(word, ".") {
				word += "x"
			}
			s := generate(t, rng, r.expression)
			value := string(s.text)
			forms := []string{"%w_key = \"%v\"", "%w: '%v'", "%W_API_KEY=%v", "\"%w-token\": \"%v\",", "export %W=\"%v\""}
			if strings.ContainsAny(value, " `<;&|") {
				forms = forms[:2] // what nothing quotes ends there
			}
			for _, form := range forms {
				text := strings.NewReplacer("%w", word, "%W", strings.ToUpper(word), "%v", value).Replace(form)
				if ids, rest := found(t, text); len(ids) == 0 || strings.Contains(rest, string(s.text[s.from:s.to])) {
					t.Errorf("%s: %q is not found: %s", r.at, text, rest)
				}
			}
			if n > 0 || strings.Contains(strings.ToLower(value), word) {
				continue
			}
			for _, text := range []string{"x = \"" + value + "\"", value, "see " + value + " there", word + " had no " + value} {
				if ids, rest := found(t, text); slices.Contains(ids, r.id) && !shaped(t, value) {
					t.Errorf("%s: %q is found: %s", r.at, text, rest)
				}
			}
		}
	}
}

// shaped tells whether a value has a shape of its own.
func shaped(t *testing.T, value string) bool {
	ids, _ := found(t, "see "+value+" there")
	return len(ids) > 0
}
