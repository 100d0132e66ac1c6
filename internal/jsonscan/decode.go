// SPDX-License-Identifier: Apache-2.0

package jsonscan

import (
	"encoding/binary"
	"math/bits"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"
)

// Decode appends what the text of a JSON string stands for. Bytes that are no UTF-8 and halves of a surrogate pair
// become U+FFFD. The text has to be one that a Scanner has walked.
func Decode(dst, raw []byte) []byte {
	for {
		n := plainLen(raw)
		dst, raw = append(dst, raw[:n]...), raw[n:]
		if len(raw) == 0 {
			return dst
		}
		r, n := Next(raw)
		dst, raw = utf8.AppendRune(dst, r), raw[n:]
	}
}

// DecodeString is Decode for a text of its own.
func DecodeString(raw []byte) string {
	if plainLen(raw) == len(raw) {
		return string(raw)
	}
	return string(Decode(make([]byte, 0, len(raw)), raw))
}

// plainLen is how many bytes at the beginning are ASCII and stand for themselves, in JSON and in what it stands for.
func plainLen(b []byte) int {
	i := 0
	for ; i+8 <= len(b); i += 8 {
		w := binary.LittleEndian.Uint64(b[i:])
		quote, escape := w^(ones*'"'), w^(ones*'\\')
		if found := (w | (quote-ones)&^quote | (escape-ones)&^escape | (w-ones*0x20)&^w) & highs; found != 0 {
			return i + bits.TrailingZeros64(found)>>3
		}
	}
	for i < len(b) && b[i] >= 0x20 && b[i] < utf8.RuneSelf && b[i] != '"' && b[i] != '\\' {
		i++
	}
	return i
}

// Next is the first character of the text of a JSON string, and how many bytes it takes there.
func Next(raw []byte) (rune, int) {
	switch c := raw[0]; {
	case c == '\\':
		return nextEscape(raw)
	case c < utf8.RuneSelf:
		return rune(c), 1
	}
	r, n := utf8.DecodeRune(raw)
	return r, n
}

func nextEscape(raw []byte) (rune, int) {
	n := escapeLen(raw)
	if n == 0 {
		return utf8.RuneError, 1
	}
	if n == 6 {
		r := hex4(raw[2:6])
		if utf16.IsSurrogate(r) {
			if len(raw) > 6 && raw[6] == '\\' && escapeLen(raw[6:]) == 6 {
				if pair := utf16.DecodeRune(r, hex4(raw[8:12])); pair != utf8.RuneError {
					return pair, 12
				}
			}
			return utf8.RuneError, 6
		}
		return r, 6
	}
	switch raw[1] {
	case 'b':
		return '\b', 2
	case 'f':
		return '\f', 2
	case 'n':
		return '\n', 2
	case 'r':
		return '\r', 2
	case 't':
		return '\t', 2
	}
	return rune(raw[1]), 2
}

func hex4(b []byte) rune {
	n, err := strconv.ParseUint(string(b), 16, 32)
	if err != nil {
		return utf8.RuneError
	}
	return rune(n)
}

// Blank is the first place from at on in the text of a JSON string that is neither space nor the escape of one.
func Blank(raw []byte, at int) int {
	for at < len(raw) {
		switch r, n := Next(raw[at:]); r {
		case ' ', '\n', '\r', '\t', '\ufeff':
			at += n
		default:
			return at
		}
	}
	return at
}

// AppendText appends plain text as the text of a JSON string, without quotes.
func AppendText(dst, text []byte) []byte {
	const hex = "0123456789abcdef"
	for {
		n := plainLen(text)
		dst, text = append(dst, text[:n]...), text[n:]
		if len(text) == 0 {
			return dst
		}
		r, n := utf8.DecodeRune(text)
		switch {
		case r == '"' || r == '\\':
			dst = append(dst, '\\', byte(r))
		case r == '\n':
			dst = append(dst, '\\', 'n')
		case r == '\t':
			dst = append(dst, '\\', 't')
		case r == '\r':
			dst = append(dst, '\\', 'r')
		case r < 0x20:
			dst = append(dst, '\\', 'u', '0', '0', hex[r>>4], hex[r&15])
		default:
			dst = utf8.AppendRune(dst, r)
		}
		text = text[n:]
	}
}
