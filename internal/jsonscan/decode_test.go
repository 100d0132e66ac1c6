// SPDX-License-Identifier: Apache-2.0

package jsonscan

import (
	"encoding/json"
	"testing"
	"unicode/utf8"
)

// FuzzDecode: text is the same after it was written and read, whatever is in it, and is what others read.
func FuzzDecode(f *testing.F) {
	for _, text := range []string{"", "12345678", "1234567\\", "12345678\"1234567é\n\x00\x7f", "\xff12345678", "eight by\xc3\xa9tes and more\t🚀"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		want := string([]rune(text)) // each byte that is no UTF-8 is U+FFFD
		raw := AppendText(nil, []byte(text))
		if got := DecodeString(raw); got != want {
			t.Fatalf("%q became %q, and is %q", text, raw, got)
		}
		var other string
		if err := json.Unmarshal(append(append([]byte{'"'}, raw...), '"'), &other); err != nil || other != want || !utf8.Valid(raw) {
			t.Fatalf("%q became %q, and others read %q (%v)", text, raw, other, err)
		}
	})
}
