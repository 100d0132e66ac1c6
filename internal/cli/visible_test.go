// SPDX-License-Identifier: Apache-2.0

package cli

import "testing"

func TestVisible(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"text", "Fix the lögin 🚀 \u4fee", "Fix the lögin 🚀 \u4fee"},
		{"control characters", "ev\x1b[2Jil\x07\x7f\x00", "ev[2Jil"},
		{"those of eight bits", "a\u009b2Jb\u0085c", "a2Jbc"},
		{"bytes that are no text", "a\x9bb", "a\ufffdb"},
		{"lines", "a\nb\tc\rd\u2028e\u2029f", "a b c d e f"},
		{"directions", "a\u202eb\u2066c\u2069d\u200ee\u200ff\u061cg", "abcdefg"},
		{"no width", "a\u200bb\u200cc\u200dd\u2060e\ufefff\u00adg", "abcdefg"},
		{"fillers", "a\u3164b\u115fc\U000e0041d", "abcd"},
	} {
		if got := Visible(c.text); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}
