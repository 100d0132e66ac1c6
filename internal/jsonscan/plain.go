// SPDX-License-Identifier: Apache-2.0

package jsonscan

import (
	"bytes"
	"unicode/utf8"
)

// Plain is the text of a JSON string without the escapes that it can do without: some writers escape < and others /, and
// what two of them wrote can be compared only like this. What has none of them is returned as it is.
func Plain(raw []byte) []byte {
	for at := 0; ; {
		i := bytes.IndexByte(raw[at:], '\\')
		if i < 0 {
			return raw
		}
		at += i
		if n, spare := spareEscape(raw[at:]); !spare {
			at += n
			continue
		}
		plain := append(make([]byte, 0, len(raw)), raw[:at]...)
		for at < len(raw) {
			var n int
			plain, n = appendPlain(plain, raw[at:])
			at += n
		}
		return plain
	}
}

// Place is where in a text that stands which stands at n in Plain of it.
func Place(raw []byte, n int) int {
	var scratch [16]byte
	at := 0
	for at < len(raw) && n > 0 {
		i := bytes.IndexByte(raw[at:], '\\')
		if i < 0 || i >= n {
			return min(at+n, len(raw))
		}
		at, n = at+i, n-i
		plain, took := appendPlain(scratch[:0], raw[at:])
		at, n = at+took, n-len(plain)
	}
	return at
}

// spareEscape is how long the escape is that b begins with, and whether a text can do without it.
func spareEscape(b []byte) (n int, spare bool) {
	n = max(escapeLen(b), 1)
	return n, n == 6 || n == 2 && b[1] == '/'
}

// appendPlain appends what b begins with, and tells how many bytes of b that is.
func appendPlain(dst, b []byte) ([]byte, int) {
	if b[0] != '\\' {
		i := bytes.IndexByte(b, '\\')
		if i < 0 {
			i = len(b)
		}
		return append(dst, b[:i]...), i
	}
	n, spare := spareEscape(b)
	if !spare {
		return append(dst, b[:n]...), n
	}
	var char [utf8.UTFMax]byte
	r, n := Next(b)
	return AppendText(dst, utf8.AppendRune(char[:0], r)), n
}
