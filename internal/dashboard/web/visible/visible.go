// SPDX-License-Identifier: Apache-2.0

// Package visible makes text that others wrote fit to be shown to someone who decides by it. Escaping for HTML is not
// enough: a title may reverse the text after it, hide characters, or be so long or so stacked with marks that it
// covers the page. Here every character that a reader would not see is written out as ⟨U+202E⟩, and the length is
// bounded. Where the text goes in the page, it goes into its own bdi element: letters that run right to left are
// honest, but they must not reorder their neighbours.
package visible

import (
	"fmt"
	"strings"
	"unicode"
)

// marks is how many combining marks in a row are shown as such. Real words have two at most; a hundred of them make a
// tower that hides the lines above.
const marks = 3

// Text is s on one line, in at most limit characters; "…" stands for what was left off. A limit below 1 shows nothing.
func Text(s string, limit int) string { return show(s, limit, false) }

// Lines is Text with its line breaks kept.
func Lines(s string, limit int) string { return show(s, limit, true) }

func show(s string, limit int, breaks bool) string {
	var b strings.Builder
	length, run := 0, 0
	for _, r := range strings.TrimSpace(strings.ToValidUTF8(s, "\uFFFD")) {
		if unicode.In(r, unicode.Mn, unicode.Me) {
			run++
		} else {
			run = 0
		}
		shown := string(r)
		switch {
		case r == '\n' && breaks:
		case unicode.Is(unicode.Zs, r):
			shown = " " // wide and unbreakable spaces push text about; HTML folds plain ones
		case hidden(r) || run > marks:
			shown = fmt.Sprintf("⟨U+%04X⟩", r)
		}
		n := len([]rune(shown))
		if length+n > limit {
			return cut(b.String(), limit)
		}
		length += n
		b.WriteString(shown)
	}
	return b.String()
}

// cut ends text that does not fit with an ellipsis in place of its last character.
func cut(s string, limit int) string {
	if limit < 1 {
		return ""
	}
	r := []rune(s)
	return string(r[:min(len(r), limit-1)]) + "…"
}

// hidden says whether a reader would not see r: controls, formats, surrogates, private and unassigned code points,
// line and paragraph separators, selectors and the letters that are drawn as nothing. The one selector left alone asks
// for the coloured form of a sign, as in ❤️.
func hidden(r rune) bool {
	switch {
	case r == '\uFE0F':
		return false
	case r == '\u2800': // an empty braille cell
		return true
	case unicode.In(r, unicode.C, unicode.Zl, unicode.Zp, unicode.Variation_Selector, unicode.Other_Default_Ignorable_Code_Point):
		return true
	}
	return !unicode.In(r, unicode.L, unicode.M, unicode.N, unicode.P, unicode.S, unicode.Zs)
}
