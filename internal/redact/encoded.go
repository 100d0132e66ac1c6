// SPDX-License-Identifier: Apache-2.0

package redact

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
)

const (
	minRun   = 24   // bytes of encoded text that is worth reading
	wholeRun = 4096 // bytes up to which all of it goes with the credential that it holds
)

// encoded looks into what is encoded: base64 of either alphabet, hexadecimal.
func (f *finder) encoded(p place) {
	if p.depth >= 3 {
		return
	}
	for at := 0; ; {
		from, to, ok := nextRun(p.text, at)
		if !ok {
			return
		}
		at = to
		f.run(p, from, to)
	}
}

// nextRun is the next long run of what encodings are made of.
func nextRun(text []byte, at int) (from, to int, ok bool) {
	const ones, highs = 0x0101010101010101, 0x8080808080808080
	low := func(i int) bool { // some byte is none of them, surely
		w := binary.LittleEndian.Uint64(text[i:])
		return ((w-ones*0x2b)&^w|w)&highs != 0
	}
	for i := at; i+8 <= len(text); i += 16 { // of 24 bytes one such eight are a part
		if low(i) {
			continue
		}
		from, to = i, i
		for from > at && base64Byte(text[from-1]) {
			from--
		}
		for to < len(text) && base64Byte(text[to]) {
			to++
		}
		if to-from >= minRun {
			return from, to, true
		}
	}
	return 0, 0, false
}

// run reads one run, with the lines that it goes on over.
func (f *finder) run(p place, from, to int) {
	text := p.text[from:to]
	if len(text) >= 2*minRun/2 && hexOnly(text) && len(text)%2 == 0 {
		plain := make([]byte, hex.DecodedLen(len(text)))
		if _, err := hex.Decode(plain, text); err == nil && printable(plain[:min(len(plain), 12)]) {
			f.inside(p, plain, from, to, 2, 1)
		}
		return
	}
	for skip := range 4 { // where a run begins with something else
		if len(text)-skip < minRun {
			return
		}
		var head [12]byte
		n := decode64(head[:0], text[skip:skip+16])
		if len(n) < 12 || !printable(n) || !ascii(n) {
			continue
		}
		plain := decode64(make([]byte, 0, len(text)), text[skip:])
		f.inside(p, plain, from+skip, to, 4, 3)
		return
	}
}

// inside looks at decoded text. so many bytes of the run are so many of it.
func (f *finder) inside(p place, plain []byte, from, to, encoded, decoded int) {
	n := len(f.spans)
	f.look(place{text: plain, depth: p.depth + 2, source: func(a, b int) (int, int) {
		if to-from <= wholeRun {
			a, b = from, to
		} else {
			a, b = from+a/decoded*encoded, min(to, from+(b+decoded-1)/decoded*encoded)
		}
		if p.source != nil {
			return p.source(a, b)
		}
		return a, b
	}})
	_ = n
}

func ascii(v []byte) bool {
	for _, c := range v {
		if c >= 0x80 {
			return false
		}
	}
	return true
}

// decode64 appends what base64 of either alphabet stands for, as far as it goes.
func decode64(dst, text []byte) []byte {
	var bits uint32
	n := 0
	for _, c := range bytes.TrimRight(text, "=") {
		v := digit64[c]
		if v == 0xff {
			break
		}
		bits = bits<<6 | uint32(v)
		if n += 6; n >= 8 {
			n -= 8
			dst = append(dst, byte(bits>>n))
		}
	}
	return dst
}

var digit64 = func() (t [256]byte) {
	for i := range t {
		t[i] = 0xff
	}
	const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
	for i := range len(alphabet) {
		t[alphabet[i]] = byte(i)
	}
	t['-'], t['_'] = 62, 63
	return t
}()
