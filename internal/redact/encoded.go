// SPDX-License-Identifier: Apache-2.0

package redact

import (
	"bytes"
	"encoding/binary"
)

const (
	minRun   = 24   // bytes of encoded text that is worth reading
	wholeRun = 4096 // bytes up to which all of it goes with the credential that it holds
)

// runs looks at what is long and of one piece: it may be encoded.
func (f *finder) runs(p place) {
	if p.depth >= 3 {
		return
	}
	for at := 0; ; {
		r, ok := nextRun(p.text, at)
		if !ok {
			return
		}
		at = r.to
		f.run(p, r.from, r.to)
	}
}

// A run is text of what encodings and keys are made of.
type run struct {
	from, to int
}

// nextRun is the next long run.
func nextRun(text []byte, at int) (run, bool) {
	const ones, highs = 0x0101010101010101, 0x8080808080808080
	for i := at; i+8 <= len(text); i += 16 { // of 24 bytes eight such are a part
		w := binary.LittleEndian.Uint64(text[i:])
		if ((w-ones*0x2b)&^w|w)&highs != 0 || !base64Byte(text[i]) { // some byte is surely none of them
			continue
		}
		r := run{from: i, to: i}
		for r.from > at && base64Byte(text[r.from-1]) {
			r.from--
		}
		for r.to < len(text) && base64Byte(text[r.to]) {
			r.to++
		}
		if r.to-r.from >= minRun {
			return r, true
		}
		i = max(i, r.to-16)
	}
	return run{}, false
}

// An encoding writes so many bytes as so many.
type encoding struct {
	decode           func(dst, text []byte) []byte // as far as it goes
	decoded, encoded int
}

var (
	hexadecimal = &encoding{decodeHex, 1, 2}
	base64Text  = &encoding{decode64, 3, 4} // of either alphabet
)

// encodingOf is the encoding of readable text that a run is, and where in it that begins: a run may begin with something else.
// It is nil if there is none.
func encodingOf(text []byte) (e *encoding, from int) {
	var head [12]byte
	readable := func(n []byte) bool { return len(n) == len(head) && printable(n) && ascii(n) }
	if n := decodeHex(head[:0], text[:2*len(head)]); len(n) == len(head) {
		if readable(n) {
			return hexadecimal, 0
		}
		return nil, 0
	}
	for skip := 0; skip < 4 && len(text)-skip >= minRun; skip++ {
		if readable(decode64(head[:0], text[skip:skip+16])) {
			return base64Text, skip
		}
	}
	return nil, 0
}

// run reads one run.
func (f *finder) run(p place, from, to int) {
	e, skip := encodingOf(p.text[from:to])
	if e == nil {
		return
	}
	from += skip
	plain := e.decode(make([]byte, 0, (to-from)/e.encoded*e.decoded+e.decoded), p.text[from:to])
	f.look(place{text: plain, depth: p.depth + 2, source: func(a, b int) (int, int) {
		if to-from <= wholeRun {
			a, b = from, to
		} else {
			a, b = from+a/e.decoded*e.encoded, min(to, from+(b+e.decoded-1)/e.decoded*e.encoded)
		}
		if p.source != nil {
			return p.source(a, b)
		}
		return a, b
	}})
}

func ascii(v []byte) bool {
	for _, c := range v {
		if c >= 0x80 {
			return false
		}
	}
	return true
}

// decodeHex appends what hexadecimal stands for, as far as it goes.
func decodeHex(dst, text []byte) []byte {
	for i := 0; i+1 < len(text); i += 2 {
		high, low := hexDigit[text[i]], hexDigit[text[i+1]]
		if high|low == 0xff {
			break
		}
		dst = append(dst, high<<4|low)
	}
	return dst
}

var hexDigit = func() (t [256]byte) {
	for i := range t {
		t[i] = 0xff
	}
	for i := range byte(10) {
		t['0'+i] = i
	}
	for i := range byte(6) {
		t['a'+i], t['A'+i] = 10+i, 10+i
	}
	return t
}()

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
