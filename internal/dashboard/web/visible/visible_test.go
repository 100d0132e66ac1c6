// SPDX-License-Identifier: Apache-2.0

package visible

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

func TestText(t *testing.T) {
	tests := []struct {
		name, in string
		limit    int
		want     string
	}{
		{"plain", "Mend the checkout", 100, "Mend the checkout"},
		{"other scripts stay", "Größe 修理 שלום ❤️ café", 100, "Größe 修理 שלום ❤️ café"},
		{"reversed", "safe\u202Egpj.exe", 100, "safe⟨U+202E⟩gpj.exe"},
		{"isolates", "a\u2066b\u2069", 100, "a⟨U+2066⟩b⟨U+2069⟩"},
		{"zero width", "pay\u200Bpal\uFEFF.", 100, "pay⟨U+200B⟩pal⟨U+FEFF⟩."},
		{"soft hyphen", "a\u00ADb", 100, "a⟨U+00AD⟩b"},
		{"controls", "a\x00b\x1b[31mc\x7f", 100, "a⟨U+0000⟩b⟨U+001B⟩[31mc⟨U+007F⟩"},
		{"line breaks", "Mend\nApproved by Ada\r\u2028x", 100, "Mend⟨U+000A⟩Approved by Ada⟨U+000D⟩⟨U+2028⟩x"},
		{"tags", "x\U000E0041\U000E007F", 100, "x⟨U+E0041⟩⟨U+E007F⟩"},
		{"letters drawn as nothing", "a\u3164b\u115Fc\u2800d", 100, "a⟨U+3164⟩b⟨U+115F⟩c⟨U+2800⟩d"},
		{"selectors that carry data", "a\U000E0101\uFE00", 100, "a⟨U+E0101⟩⟨U+FE00⟩"},
		{"private use", "\uE000", 100, "⟨U+E000⟩"},
		{"wide spaces", "a\u00A0\u3000b", 100, "a  b"},
		{"tower of marks", "a" + strings.Repeat("\u0301", 5), 100, "a\u0301\u0301\u0301⟨U+0301⟩⟨U+0301⟩"},
		{"invalid bytes", "a\xffb", 100, "a\uFFFDb"},
		{"too long", "abcdef", 4, "abc…"},
		{"fits exactly", "abcd", 4, "abcd"},
		{"what is written out counts once", strings.Repeat("\u202E", 4), 4, strings.Repeat("⟨U+202E⟩", 4)},
		{"a marker is never cut in two", "abc\u202Edef", 5, "abc⟨U+202E⟩…"},
		{"nothing", "", 10, ""},
		{"no room", "abc", 0, ""},
		{"white space alone", " \n\t ", 10, "(blank)"},
		{"wide space alone", "\u3000\u00A0\u2003", 10, "(blank)"},
		{"a selector alone", "\uFE0F", 10, "⟨U+FE0F⟩"},
		{"a selector after a letter", "a\uFE0F", 10, "a⟨U+FE0F⟩"},
		{"selectors in a row", "❤\uFE0F\uFE0F", 10, "❤\uFE0F⟨U+FE0F⟩"},
		{"a selector after what is hidden", "\u2800\uFE0F", 10, "⟨U+2800⟩⟨U+FE0F⟩"},
		{"joined emoji", "👩🏽\u200D💻 🏳\uFE0F\u200D🌈", 20, "👩🏽\u200D💻 🏳\uFE0F\u200D🌈"},
		{"joiners that join nothing", "👩\u200D a\u200Db \u200D💻 👩\u200D\u200D💻", 20, "👩⟨U+200D⟩ a⟨U+200D⟩b ⟨U+200D⟩💻 👩⟨U+200D⟩⟨U+200D⟩💻"},
		{"a joiner at the cut", "👩\u200D💻x", 3, "👩⟨U+200D⟩…"},
		{"default ignorable", "\u00AD\u034F\u061C\u115F\u1160\u17B4\u180B\u180E\u2060\uFFA0", 20,
			"⟨U+00AD⟩⟨U+034F⟩⟨U+061C⟩⟨U+115F⟩⟨U+1160⟩⟨U+17B4⟩⟨U+180B⟩⟨U+180E⟩⟨U+2060⟩⟨U+FFA0⟩"},
		{"drawn as nothing", "\uFFFC\U00013441\U00016FE4\U0001D159\U0001D173", 20, "⟨U+FFFC⟩⟨U+13441⟩⟨U+16FE4⟩⟨U+1D159⟩⟨U+1D173⟩"},
		{"marks on nothing", "\u0301 \u0301\u200B\u0301", 20, "⟨U+0301⟩ ⟨U+0301⟩⟨U+200B⟩⟨U+0301⟩"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := Text(tt.in, tt.limit); got != tt.want {
				t.Errorf("Text(%q, %d) = %q, want %q", tt.in, tt.limit, got, tt.want)
			}
		})
	}
}

func TestLines(t *testing.T) {
	if got, want := Lines("one\ntwo\u202E\r", 100), "one\ntwo⟨U+202E⟩"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func FuzzText(f *testing.F) {
	for _, s := range []string{"a\u202Eb", "\u0301\u0301\u0301\u0301", "a\xff", "❤️", strings.Repeat("x", 300)} {
		f.Add(s, 40)
	}
	f.Fuzz(func(t *testing.T, s string, limit int) {
		limit %= 1000
		got := Text(s, limit)
		if n, most := utf8.RuneCountInString(got), max(limit, 0)*len("⟨U+10FFFF⟩"); n > most {
			t.Errorf("%d characters for %d", n, limit)
		}
		if !utf8.ValidString(got) {
			t.Errorf("%q is not UTF-8", got)
		}
		if limit > 0 && s != "" && strings.TrimSpace(got) == "" {
			t.Errorf("%q shows nothing", s)
		}
		text := []rune(got)
		for i, r := range text {
			if hidden(r) && !joins(text, i) || unicode.Is(unicode.Bidi_Control, r) {
				t.Errorf("%U went through in %q", r, got)
			}
		}
		if again := Text(got, len(got)); again != strings.TrimSpace(got) {
			t.Errorf("not settled: %q, then %q", got, again)
		}
	})
}

func TestMarkedLeavesNothingOff(t *testing.T) {
	long := strings.Repeat("a ", 10_000)
	for in, want := range map[string]string{" a\u202Eb\n": " a⟨U+202E⟩b\n", long: long, "a\xffb": "a\uFFFDb", "": ""} {
		if got := Marked(in); got != want {
			t.Errorf("%.40q is shown as %.40q", in, got)
		}
	}
}
