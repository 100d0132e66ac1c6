// SPDX-License-Identifier: Apache-2.0

package redact_test

import (
	"bytes"
	"math/rand/v2"
	"os"
	"regexp/syntax"
	"strings"
	"testing"

	"github.com/fiftyarms/platform/internal/redact/shape"
)

// A row is one of the rules.
type row struct {
	at         string // where it stands
	id         string
	words      []string // of vendors
	anywhere   bool
	expression string
}

func read(t testing.TB, file string) string {
	t.Helper()
	text, err := os.ReadFile("rules/" + file)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// rows are those of a file of rules.
func rows(t testing.TB, file string) []row {
	t.Helper()
	var all []row
	for line := range strings.Lines(read(t, file)) {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		id, rest, _ := strings.Cut(line, " ")
		r := row{at: line, expression: strings.TrimSpace(rest)}
		r.id, r.anywhere = strings.CutSuffix(id, "!")
		if file == "named.txt" {
			words, expression, _ := strings.Cut(r.expression, " ")
			r.words, r.expression = strings.Split(words, ","), strings.TrimSpace(expression)
		}
		all = append(all, r)
	}
	return all
}

// A sample is a text that an expression matches.
type sample struct {
	text       []byte
	from, to   int  // the secret: what is captured, or all of it
	last       part // the bytes that the last class of the expression made, with how many it may make
	min, max   int
	lastSet    []byte
	captured   bool
	beforeSize int // bytes before the trigger
}

type part struct{ from, to int }

// A generator makes texts that an expression matches.
type generator struct {
	r *rand.Rand
	s sample
}

// generate is a text that the expression matches, and that a shape does, which is greedy.
func generate(t testing.TB, r *rand.Rand, expression string) sample {
	t.Helper()
	compiled, err := shape.Compile(expression)
	if err != nil {
		t.Fatal(err)
	}
	for range 100 {
		s := once(t, r, expression)
		if _, ok := compiled.Match(s.text, s.beforeSize); ok {
			return s
		}
	}
	t.Fatalf("no text is what %s matches", expression)
	return sample{}
}

func once(t testing.TB, r *rand.Rand, expression string) sample {
	t.Helper()
	g := generator{r: r}
	before, after := cutAt(expression)
	for i, part := range []string{before, after} {
		if part == "" {
			continue
		}
		re, err := syntax.Parse(part, syntax.Perl)
		if err != nil {
			t.Fatalf("%s: %v", expression, err)
		}
		g.add(re)
		if i == 0 {
			g.s.beforeSize = len(g.s.text)
		}
	}
	if !g.s.captured {
		g.s.from, g.s.to = 0, len(g.s.text)
	}
	return g.s
}

// cutAt splits an expression at the @ before its trigger.
func cutAt(expression string) (before, after string) {
	class := false
	for i := 0; i < len(expression); i++ {
		switch c := expression[i]; {
		case c == '\\':
			i++
		case c == '[':
			class = true
		case c == ']':
			class = false
		case c == '@' && !class:
			return expression[:i], expression[i+1:]
		}
	}
	return "", expression
}

func (g *generator) add(re *syntax.Regexp) {
	switch re.Op {
	case syntax.OpLiteral:
		for _, c := range re.Rune {
			if re.Flags&syntax.FoldCase != 0 && g.r.IntN(2) == 0 {
				c = []rune(strings.ToUpper(string(c)))[0]
			}
			g.s.text = append(g.s.text, string(c)...)
		}
		g.s.lastSet = nil
	case syntax.OpCharClass, syntax.OpAnyCharNotNL, syntax.OpAnyChar:
		g.class(re, 1, 1)
	case syntax.OpConcat:
		for _, sub := range re.Sub {
			g.add(sub)
		}
	case syntax.OpCapture:
		from := len(g.s.text)
		g.add(re.Sub[0])
		g.s.from, g.s.to, g.s.captured = from, len(g.s.text), true
	case syntax.OpAlternate:
		g.add(re.Sub[g.r.IntN(len(re.Sub))])
	case syntax.OpStar:
		g.repeat(re.Sub[0], 0, -1)
	case syntax.OpPlus:
		g.repeat(re.Sub[0], 1, -1)
	case syntax.OpQuest:
		g.repeat(re.Sub[0], 0, 1)
	case syntax.OpRepeat:
		g.repeat(re.Sub[0], re.Min, re.Max)
	}
}

func (g *generator) repeat(sub *syntax.Regexp, least, most int) {
	if sub.Op == syntax.OpCharClass {
		g.class(sub, least, most)
		return
	}
	n := least
	if most > least {
		n += g.r.IntN(min(most-least, 3) + 1)
	}
	for range n {
		g.add(sub)
	}
}

// class adds bytes of a class that look as random as what a vendor gives out: no byte stands twice in a row, each kind is there.
func (g *generator) class(re *syntax.Regexp, least, most int) {
	set := members(re)
	n := least
	switch {
	case most < 0:
		n += 12 + g.r.IntN(12) // greedy as shapes are, a class before may have taken some
	case most > least:
		n += g.r.IntN(min(most-least, 6) + 1)
	}
	from := len(g.s.text)
	for range n {
		c := set[g.r.IntN(len(set))]
		for tries := 0; tries < 20 && (len(g.s.text) > 0 && c == g.s.text[len(g.s.text)-1] || len(set) > 20 && strings.IndexByte("-_.=/+%", c) >= 0 && g.r.IntN(4) > 0); tries++ {
			c = set[g.r.IntN(len(set))]
		}
		g.s.text = append(g.s.text, c)
	}
	made := g.s.text[from:]
	for i, kind := range []string{digits, lowers, uppers} {
		in := strings.IndexFunc(string(set), func(c rune) bool { return strings.ContainsRune(kind, c) })
		if at := 1 + 2*i; in >= 0 && at+1 < len(made) && len(made) >= 8 && !strings.ContainsAny(string(made), kind) {
			made[at] = set[in]
		}
	}
	g.s.last, g.s.min, g.s.max, g.s.lastSet = part{from, len(g.s.text)}, least, most, set
}

// members are the bytes of a class that are of ASCII and can be seen.
func members(re *syntax.Regexp) []byte {
	var set []byte
	for c := byte('!'); c <= '~'; c++ {
		for i := 0; i < len(re.Rune); i += 2 {
			if re.Rune[i] <= rune(c) && rune(c) <= re.Rune[i+1] {
				set = append(set, c)
			}
		}
		if re.Op != syntax.OpCharClass {
			set = append(set, c)
		}
	}
	if len(set) > 70 { // of those with signs none has what a string in quotes spells otherwise, or what begins a variable
		set = bytes.Map(func(c rune) rune {
			if strings.ContainsRune(`\"${(`, c) {
				return -1
			}
			return c
		}, set)
	}
	if len(set) == 0 {
		set = []byte{byte(re.Rune[0])}
	}
	return set
}
