// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"strings"
	"unicode"
)

// Visible is text that others wrote as a terminal may show it, on one line: nothing in it acts there, turns the reading
// direction or hides between what is seen.
func Visible(text string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\t', r == '\n', r == '\r', unicode.Is(unicode.Zl, r), unicode.Is(unicode.Zp, r):
			return ' '
		case unicode.IsControl(r), unicode.Is(unicode.Cf, r), unicode.Is(unicode.Other_Default_Ignorable_Code_Point, r):
			return -1
		}
		return r
	}, text)
}
