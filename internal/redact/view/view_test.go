// SPDX-License-Identifier: Apache-2.0

package view_test

import (
	"encoding/json"
	"testing"

	"github.com/fiftyarms/platform/internal/redact/view"
)

func TestViews(t *testing.T) {
	for _, c := range []struct {
		name string
		of   func([]byte) *view.View
		text string
		want string // "-" for no view
	}{
		{"plain, nothing to do", view.Plain, "abc é 日", "-"},
		{"plain, colours", view.Plain, "a\x1b[1;31mb\x1b[0mc", "abc"},
		{"plain, a title", view.Plain, "a\x1b]0;title\x07b\x1b]8;;url\x1b\\c", "abc"},
		{"plain, a character set", view.Plain, "a\x1b(Bb", "ab"},
		{"plain, nothing that is seen", view.Plain, "a\u200bb\ufeffc\u00add\u202ee", "abcde"},
		{"plain, cut", view.Plain, "a\x1b", "a"},
		{"unescaped, nothing to do", view.Unescaped, `abc`, "-"},
		{"unescaped, no escapes", view.Unescaped, `C:\Program Files\data`, "-"},
		{"unescaped", view.Unescaped, `a\"b\\c\/d\ne\tf\u0041\x41`, "a\"b\\c/d\ne\tfAA"},
		{"unescaped, one level", view.Unescaped, `a\\\"b\\n`, `a\"b\n`},
		{"unescaped, the code of colours", view.Unescaped, `\e[1m\033[0m\x1b[2m`, "\x1b[1m\x1b[0m\x1b[2m"},
		{"unescaped, cut", view.Unescaped, `a\"b\`, `a"b\`},
		{"unescaped, cut in a code", view.Unescaped, `\"\u00`, `"\u00`},
		{"percent, nothing to do", view.Percent, "100% of it", "-"},
		{"percent", view.Percent, "a%3Db%2f100%", "a=b/100%"},
		{"percent, at the ends", view.Percent, "%41%42", "AB"},
		{"entities, nothing to do", view.Entities, "a & b &x;", "-"},
		{"entities", view.Entities, "a=&quot;b&quot;&amp;&#39;&#x27;", "a=\"b\"&''"},
	} {
		t.Run(c.name, func(t *testing.T) {
			v := c.of([]byte(c.text))
			got := "-"
			if v != nil {
				got = string(v.Text)
				maps(t, v, []byte(c.text))
			}
			if got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

// maps fails the test if a part of a view is of no part of the text, or if parts do not follow each other as they do there.
func maps(t *testing.T, v *view.View, text []byte) {
	t.Helper()
	last := 0
	for at := range v.Text {
		from, to := v.Source(at, at+1)
		if from < 0 || to <= from || to > len(text) || from < last && at > 0 && v.Text[at] < 0x80 {
			t.Fatalf("%q of %q: byte %d is of %d to %d", v.Text, text, at, from, to)
		}
		last = from
		if to-from == 1 && text[from] != v.Text[at] {
			t.Fatalf("%q of %q: byte %d is %q there", v.Text, text, at, text[from])
		}
	}
	if n := len(v.Text); n > 0 {
		from, to := v.Source(0, n)
		first, _ := v.Source(0, 1)
		_, end := v.Source(n-1, n)
		if from != first || to != end {
			t.Fatalf("all of it is of %d to %d, its ends of %d and %d", from, to, first, end)
		}
	}
}

// TestDecode: it is what encoding/json reads, and each part of it is what its part of the source reads as.
func TestDecode(t *testing.T) {
	var v view.View
	for _, text := range []string{``, `abc`, `a\nb\u0041\"\\\/é日\ud83d\ude00`, `\u0041`, `\\u0041`, `x\u00e9`} {
		decodes(t, &v, text)
	}
}

func decodes(t *testing.T, v *view.View, raw string) {
	t.Helper()
	var want string
	if err := json.Unmarshal([]byte(`"`+raw+`"`), &want); err != nil {
		return
	}
	v.Decode([]byte(raw))
	if string(v.Text) != want {
		t.Fatalf("%q: got %q, want %q", raw, v.Text, want)
	}
	maps(t, v, []byte(raw))
}

func FuzzViews(f *testing.F) {
	for _, text := range []string{`a\u0041\"b`, "a\x1b[1mb\u200b", "%41&quot;%", `\\\\\u005c`, "\x1b]", "\xe2\x80", `\ud83d\ude00\ud83d`} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, of := range []func([]byte) *view.View{view.Plain, view.Unescaped, view.Percent, view.Entities} {
			if v := of([]byte(text)); v != nil {
				maps(t, v, []byte(text))
			}
		}
		for _, c := range text {
			if c == '\ufffd' {
				return // encoding/json mends what is no UTF-8
			}
		}
		decodes(t, &view.View{}, text)
	})
}
