// SPDX-License-Identifier: Apache-2.0

package shape_test

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/fiftyarms/platform/internal/redact/shape"
)

func TestMatch(t *testing.T) {
	for _, c := range []struct {
		name, expression, text string
		at                     int
		want                   string // the secret; "" for no match
	}{
		{"a literal and a class", `ab_[0-9]{4}`, "ab_1234", 0, "ab_1234"},
		{"at a place", `ab_[0-9]{4}`, "x ab_1234 y", 2, "ab_1234"},
		{"not elsewhere", `ab_[0-9]{4}`, "x ab_1234 y", 1, ""},
		{"one short", `ab_[0-9]{4}`, "ab_123", 0, ""},
		{"one long", `ab_[0-9]{4}`, "ab_12345", 0, ""},
		{"one long, of another class", `ab_[0-9]{4}`, "ab_1234x", 0, "ab_1234"},
		{"the longest", `ab_[0-9]{2,4}`, "ab_123", 0, "ab_123"},
		{"longer than the longest", `ab_[0-9]{2,4}`, "ab_12345", 0, ""},
		{"open", `ab_[0-9]{2,}`, "ab_1234567890", 0, "ab_1234567890"},
		{"a capture", `key=([a-z]{3}) end`, "key=abc end", 0, "abc"},
		{"a choice", `(?:live|test)_[a-z]{2}`, "test_ab", 0, "test_ab"},
		{"there or not: there", `ab_(?:x_)?[0-9]{2}`, "ab_x_12", 0, "ab_x_12"},
		{"there or not: not", `ab_(?:x_)?[0-9]{2}`, "ab_12", 0, "ab_12"},
		{"any case", `(?i:KEY)=([0-9]{2})`, "kEy=12", 0, "12"},
		{"case", `KEY=([0-9]{2})`, "kEy=12", 0, ""},
		{"backwards", `[0-9]{3}@abcd[0-9]`, "123abcd4", 3, "123abcd4"},
		{"backwards, too long", `[0-9]{3}@abcd[0-9]`, "0123abcd4", 4, ""},
		{"backwards, too short", `[0-9]{3}@abcd[0-9]`, "23abcd4", 2, ""},
		{"backwards, a literal", `[0-9]{2}-@abcd`, "12-abcd", 3, "12-abcd"},
		{"@ in a class", `abcd[@a]{2}`, "abcd@a", 0, "abcd@a"},
		{"@ as it is", `abcd\@x`, "abcd@x", 0, "abcd@x"},
		{"the edge of a word", `abcd\b`, "abcd ", 0, "abcd"},
		{"no edge of a word", `abcd\b`, "abcde", 0, ""},
		{"bytes of no ASCII", `abcd[^a-z]{2}`, "abcd\xff\xfe", 0, "abcd\xff\xfe"},
		{"greedy: it never goes back", `ab_[a-z]{1,}z`, "ab_xyz", 0, ""},
		{"at the end", `abcd`, "abc", 0, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, err := shape.Compile(c.expression)
			if err != nil {
				t.Fatal(err)
			}
			m, ok := s.Match([]byte(c.text), c.at)
			if ok != (c.want != "") || ok && c.text[m.SecretFrom:m.SecretTo] != c.want {
				t.Errorf("%v %+v", ok, m)
			}
		})
	}
}

func TestCompileRefuses(t *testing.T) {
	for _, expression := range []string{`(`, `abc[`, `^abc`, `(?:ab|c)@abcd[0-9]`, `a{2,1}`} {
		if _, err := shape.Compile(expression); err == nil {
			t.Errorf("%s is taken", expression)
		}
	}
}

func TestTriggers(t *testing.T) {
	for _, c := range []struct {
		expression string
		want       []string
		anyCase    bool
	}{
		{`abcd[0-9]{3}`, []string{"abcd"}, false},
		{`(?:ab|cd)_[0-9]{9}`, []string{"ab_", "cd_"}, false},
		{`gh[po]_[A-Z]{9}`, []string{"gho_", "ghp_"}, false},
		{`ab_(?:x_)?[0-9]{2}`, []string{"ab_", "ab_x_"}, false},
		{`abc(?:,n=[0-9]{1,8})?;[a-z]`, []string{"abc,n=", "abc;"}, false},
		{`(?i:Key)=`, []string{"key="}, true},
		{`[0-9]{3}@abcd`, []string{"abcd"}, false},
	} {
		s, err := shape.Compile(c.expression)
		if err != nil {
			t.Fatal(err)
		}
		got, anyCase := s.Triggers()
		for _, want := range c.want { // more may be known of some
			if !slices.ContainsFunc(got, func(g string) bool { return strings.HasPrefix(g, want) }) {
				t.Errorf("%s: got %q", c.expression, got)
			}
		}
		for _, g := range got {
			if !slices.ContainsFunc(c.want, func(want string) bool { return strings.HasPrefix(g, want) }) {
				t.Errorf("%s: got %q", c.expression, got)
			}
		}
		if anyCase != c.anyCase {
			t.Errorf("%s: any case: %v", c.expression, anyCase)
		}
	}
}

// FuzzMatch: what a shape matches, a regular expression does.
func FuzzMatch(f *testing.F) {
	for _, expression := range []string{`ab_[0-9]{2,4}`, `(?:live|test)_([a-z]{2,})(?:-x)?`, `gh[po]_[A-Za-z0-9_]{3,}`, `ab(?:c|d[0-9]+)?e`} {
		f.Add(expression, "ab_123 live_abc-x ghp_abc abd12e")
	}
	f.Fuzz(func(t *testing.T, expression, text string) {
		s, err := shape.Compile(expression)
		re, reErr := regexp.Compile(expression)
		if err != nil || reErr != nil || s.Backward() || len(expression) > 60 || len(text) > 200 || strings.ContainsAny(expression, `@$\.^`) || strings.Contains(expression, "(?") && !strings.Contains(expression, "(?:") {
			return
		}
		for _, c := range text + expression {
			if c >= 0x80 {
				return // bytes here, characters there
			}
		}
		for at := range text {
			if m, ok := s.Match([]byte(text), at); ok {
				if m.From != at || m.SecretFrom < m.From || m.SecretTo > m.To || m.To > len(text) || !re.MatchString(text[m.From:m.To]) {
					t.Fatalf("%q of %q: %+v", expression, text, m)
				}
			}
		}
	})
}

// TestNoBacktracking: a match looks at no byte often, whatever the expression.
func TestNoBacktracking(t *testing.T) {
	s, err := shape.Compile(`ab(?:[a-z]+)+(?:[a-z]*)*!`)
	if err != nil {
		t.Fatal(err)
	}
	if _, ok := s.Match([]byte("ab"+strings.Repeat("a", 1<<16)), 0); ok { // a regular expression that goes back would not come back
		t.Error("it matches")
	}
}
