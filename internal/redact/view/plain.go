// SPDX-License-Identifier: Apache-2.0

package view

import "unicode/utf8"

// Plain is text without the codes that colour a terminal and without characters that nobody sees. It is nil if there are
// none.
func Plain(text []byte) *View {
	return rewritten(text, invisible, func(rest []byte) ([]byte, int) { return nil, codeLen(rest) })
}

// maybe are the bytes that such codes begin with.
var maybe = [256]bool{0x1b: true, 0xe2: true, 0xef: true, 0xc2: true}

// invisible is the first place where a code may stand, negative if there is none.
func invisible(text []byte) int {
	for i, c := range text {
		if maybe[c] {
			return i
		}
	}
	return -1
}

// codeLen is how long the code is that text begins with, 0 if it is none.
func codeLen(text []byte) int {
	const longest = 256
	if text[0] != 0x1b {
		switch r, n := utf8.DecodeRune(text); {
		case r >= 0x200b && r <= 0x200f, r == 0x2060, r == 0xfeff, r == 0xad, r >= 0x202a && r <= 0x202e:
			return n
		}
		return 0
	}
	if len(text) < 2 {
		return 1
	}
	switch text[1] {
	case '[': // ends with a letter
		for i := 2; i < len(text) && i < longest; i++ {
			if 0x40 <= text[i] && text[i] <= 0x7e {
				return i + 1
			}
		}
	case ']': // ends with BEL or ESC \
		for i := 2; i < len(text) && i < longest; i++ {
			if text[i] == 7 {
				return i + 1
			}
			if text[i] == 0x1b {
				return min(i+2, len(text))
			}
		}
	case '(', ')':
		return min(3, len(text))
	}
	return 1
}
