// SPDX-License-Identifier: Apache-2.0

// Package visible makes text that others wrote fit to be shown to someone who decides by it. Escaping for HTML is not
// enough: a title may reverse the text after it, hide characters, or be so long or so stacked with marks that it
// covers the page. Here every character that a reader would not see is written out as ⟨U+202E⟩, text that shows
// nothing at all is "(blank)", and the length is bounded. Where the text goes in the page, it goes into its own bdi element: letters that run right to left are
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

// Blank stands for text that was given and shows nothing.
const Blank = "(blank)"

// Text is s on one line. It shows at most limit characters of s, however many it takes to write them out; "…" stands for
// what was left off. A limit below 1 shows nothing.
func Text(s string, limit int) string { return show(s, limit, false) }

// Lines is Text with its line breaks kept.
func Lines(s string, limit int) string { return show(s, limit, true) }

// Marked is s with each character written out that a reader would not see, and nothing left off: for what is bounded
// and trimmed already.
func Marked(s string) string { return write([]rune(strings.ToValidUTF8(s, "\uFFFD")), true) }

func show(s string, limit int, breaks bool) string {
	text := []rune(strings.TrimSpace(strings.ToValidUTF8(s, "\uFFFD")))
	switch {
	case s == "" || limit < 1:
		return ""
	case len(text) == 0:
		return Blank
	case len(text) <= limit:
		return write(text, breaks)
	}
	return write(text[:limit-1], breaks) + "…"
}

// write shows each character, or writes it out.
func write(text []rune, breaks bool) string {
	var b strings.Builder
	run := marks // of combining marks; at the start there is nothing for a mark to stand on
	for i, r := range text {
		switch {
		case r == '\n' && breaks:
			run = marks
			b.WriteRune(r)
		case unicode.Is(unicode.Zs, r):
			run = marks
			b.WriteByte(' ') // wide and unbreakable spaces push text about; HTML folds plain ones
		case hidden(r):
			if joins(text, i) {
				b.WriteRune(r)
			} else {
				run = marks
				fmt.Fprintf(&b, "⟨U+%04X⟩", r)
			}
		case !unicode.In(r, unicode.Mn, unicode.Me):
			run = 0
			b.WriteRune(r)
		case run < marks:
			run++
			b.WriteRune(r)
		default:
			fmt.Fprintf(&b, "⟨U+%04X⟩", r)
		}
	}
	return b.String()
}

// joins says whether the hidden character at i changes the look of a pictograph that is seen: a selector right after it,
// as in ❤️, or a joiner between two, as in 👩‍💻.
func joins(text []rune, i int) bool {
	if i == 0 {
		return false
	}
	before := text[i-1]
	switch text[i] {
	case '\uFE0E', '\uFE0F':
		return pictograph(before)
	case '\u200D':
		if before == '\uFE0F' && i > 1 {
			before = text[i-2]
		}
		return pictograph(before) && i+1 < len(text) && pictograph(text[i+1])
	}
	return false
}

// pictograph says whether r is a sign of the kind that emoji are made of, or the tint of one.
func pictograph(r rune) bool {
	switch {
	case hidden(r):
		return false
	case r >= 0x1F000 && r <= 0x1FAFF, r >= 0x2600 && r <= 0x27BF, r >= 0x2B00 && r <= 0x2BFF, r >= 0x2190 && r <= 0x23FF:
		return unicode.In(r, unicode.S)
	}
	return false
}

// unseen are characters that are drawn as nothing although Unicode counts them as letters, marks or symbols to see: an
// empty braille cell, a filler, blank hieroglyphs, a note without a head, and what stands for an object that is not there.
var unseen = map[rune]bool{
	'\u2800': true, '\uFFFC': true, '\U00013441': true, '\U00013442': true, '\U00016FE4': true, '\U0001D159': true,
}

// hidden says whether a reader would not see r: controls, formats, surrogates, private and unassigned code points,
// line and paragraph separators, selectors and the letters that are drawn as nothing.
func hidden(r rune) bool {
	if unseen[r] || unicode.In(r, unicode.C, unicode.Zl, unicode.Zp, unicode.Variation_Selector, unicode.Other_Default_Ignorable_Code_Point) {
		return true
	}
	return !unicode.In(r, unicode.L, unicode.M, unicode.N, unicode.P, unicode.S, unicode.Zs)
}
