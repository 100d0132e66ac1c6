// SPDX-License-Identifier: Apache-2.0

// Package learned finds values that were found once wherever else they stand: as they are, in base64 wherever it begins, in
// hexadecimal, in URLs, over several lines.
package learned

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"maps"
	"net/url"
	"slices"
	"strings"

	"github.com/fiftyarms/platform/internal/jsonscan"
	"github.com/fiftyarms/platform/internal/redact/char"
)

const (
	// MinValue is how long a value has to be, in bytes.
	MinValue = 8
	// MaxValues is how many are kept. A log with more is a list of them.
	MaxValues = 100_000

	anchor = 8 // bytes of a value by which it is known

	bucketLess = 4 // bits of a hash that do not tell its bucket
)

// A Set is values to look for.
type Set struct {
	values map[string]int // and the rule that found them

	needles []needle
	anchors map[string]int // how many needles have each, while they are made
	known   []uint64       // bits by two hashes of five bytes
	shift   uint
	buckets []uint32 // by fewer bits of the first: the first of its places
	places  []place
}

// A needle is one way to write a value.
type needle struct {
	text []byte
	rule int
	at   int // where its anchor is
}

type place struct {
	five   uint64 // bytes of an anchor
	needle int32
	off    int8 // which byte of it those begin at
}

// A Hit is a part of a text where a value stands.
type Hit struct{ From, To, Rule int }

// Add keeps a value, and tells whether there was room for it.
func (s *Set) Add(value []byte, rule int) bool {
	if old, known := s.values[string(value)]; known {
		s.values[string(value)] = min(old, rule)
		return true
	}
	if s.values == nil {
		s.values = map[string]int{}
	}
	if len(s.values) >= MaxValues {
		return false
	}
	s.values[string(value)] = rule
	return true
}

// Len is how many values there are.
func (s *Set) Len() int { return len(s.values) }

// Index makes the set ready to look for what it has.
func (s *Set) Index() {
	s.needles, s.anchors = s.needles[:0], map[string]int{}
	for _, value := range slices.Sorted(maps.Keys(s.values)) {
		s.add([]byte(value), s.values[value])
	}
	s.anchors = nil
	bits := uint(14)
	for 1<<bits < 64*len(s.needles) && bits < 23 {
		bits++
	}
	s.known, s.shift = make([]uint64, 1<<(bits-6)), 64-bits
	s.buckets, s.places = make([]uint32, 1<<(bits-bucketLess)+1), make([]place, 4*len(s.needles))
	s.eachFive(func(p place) {
		for _, h := range []uint64{s.hash(p.five), s.other(p.five)} {
			s.known[h>>6] |= 1 << (h & 63)
		}
		s.buckets[s.hash(p.five)>>bucketLess+1]++
	})
	for i := range len(s.buckets) - 1 {
		s.buckets[i+1] += s.buckets[i]
	}
	next := slices.Clone(s.buckets) // where each bucket's next place goes
	s.eachFive(func(p place) {
		b := s.hash(p.five) >> bucketLess
		s.places[next[b]] = p
		next[b]++
	})
}

// eachFive calls each for each five bytes by which a needle is known.
func (s *Set) eachFive(each func(place)) {
	for i, n := range s.needles {
		for off := range 4 {
			var b [8]byte
			copy(b[:], n.text[n.at+off:n.at+off+5])
			each(place{binary.LittleEndian.Uint64(b[:]), int32(i), int8(off)})
		}
	}
}

// add adds each way to write a value.
func (s *Set) add(value []byte, rule int) {
	s.way(value, rule)
	if escaped := jsonscan.AppendText(nil, value); !bytes.Equal(escaped, value) { // where no anchor is free of escapes
		s.way(escaped, rule)
	}
	if escaped := url.QueryEscape(string(value)); escaped != string(value) {
		s.way([]byte(escaped), rule)
	}
	plain := hex.EncodeToString(value)
	all := make([]byte, 0, 3*len(value)) // of a URL, each byte
	for i := 0; i < len(plain); i += 2 {
		all = append(all, '%', plain[i], plain[i+1])
	}
	for _, text := range [][]byte{[]byte(plain), all} {
		s.way(text, rule)
		if upper := bytes.ToUpper(text); !bytes.Equal(upper, text) {
			s.way(upper, rule)
		}
	}
	for skip := range 3 {
		padded := append(make([]byte, skip), value...)
		text := base64.StdEncoding.EncodeToString(padded)
		from, to := (skip*8+5)/6, len(padded)*8/6 // the characters that only the value makes
		if to-from < anchor {
			continue
		}
		text = text[from:to]
		s.way([]byte(text), rule)
		if other := urlAlphabet.Replace(text); other != text {
			s.way([]byte(other), rule)
		}
	}
}

// urlAlphabet turns the alphabet of base64 into that of URLs.
var urlAlphabet = strings.NewReplacer("+", "-", "/", "_")

// way adds one way to write a value. It is known by two parts if it is long enough, so that a break in one leaves the other.
func (s *Set) way(text []byte, rule int) {
	half := len(text) / 2
	switch {
	case len(text) < anchor:
		return
	case half < anchor:
		half = len(text)
	default:
		s.part(text, rule, half, len(text))
	}
	s.part(text, rule, 0, half)
}

// part adds a part of a value, and with it the value: what no encoding spells otherwise, if there is that, and what few values
// have so far, since many begin alike.
func (s *Set) part(text []byte, rule, from, to int) {
	const tries = 6
	best, least, run := from, -1, 0
	for i, left := from, tries; i < to && left > 0; i++ {
		if !char.Alnum(text[i]) {
			run = 0
		} else if run++; run >= anchor && (i+1-from)%anchor == 0 || run == anchor {
			left--
			if n := s.anchors[string(text[i+1-anchor:i+1])]; least < 0 || n < least {
				best, least = i+1-anchor, n
			}
			if least == 0 {
				break
			}
		}
	}
	s.anchors[string(text[best:best+anchor])]++
	s.needles = append(s.needles, needle{text, rule, best})
}

func (s *Set) hash(w uint64) uint64  { return w * 0x9e3779b97f4a7c15 >> s.shift }
func (s *Set) other(w uint64) uint64 { return w * 0xc2b2ae3d27d4eb4f >> s.shift }

// Append appends where values stand in text. join is where the next piece of a value begins whose piece ends at a place.
func (s *Set) Append(hits []Hit, text []byte, join func(text []byte, at int) (int, bool)) []Hit {
	var last *byte // of what was found last, whose parts are not looked for once more
	until := 0
	s.each(text, func(n needle, at int) bool {
		if last == &n.text[0] && at < until {
			return true
		}
		if from, to, ok := n.match(text, at, join); ok {
			hits = append(hits, Hit{from, to, n.rule})
			last, until = &n.text[0], to
		}
		return true
	})
	return hits
}

// In tells whether text may hold a value.
func (s *Set) In(text []byte) bool {
	found := false
	s.each(text, func(needle, int) bool {
		found = true
		return false
	})
	return found
}

// Places appends where the anchor of a value stands in text.
func (s *Set) Places(places []int, text []byte) []int {
	s.each(text, func(_ needle, at int) bool {
		places = append(places, at)
		return true
	})
	return places
}

// each calls found where the anchor of a needle stands, until it answers false.
func (s *Set) each(text []byte, found func(n needle, at int) bool) {
	const five = 1<<40 - 1
	for i := 0; i+5 <= len(text); i += 4 {
		var w uint64
		if i+8 <= len(text) {
			w = binary.LittleEndian.Uint64(text[i:]) & five
		} else {
			var b [8]byte
			copy(b[:5], text[i:])
			w = binary.LittleEndian.Uint64(b[:])
		}
		if h := s.hash(w); s.known[h>>6]>>(h&63)&1 == 0 {
			continue
		}
		if h := s.other(w); s.known[h>>6]>>(h&63)&1 == 0 {
			continue
		}
		b := s.hash(w) >> bucketLess
		for _, p := range s.places[s.buckets[b]:s.buckets[b+1]] {
			if p.five != w {
				continue
			}
			n, at := s.needles[p.needle], i-int(p.off)
			if at >= 0 && at+anchor <= len(text) && string(text[at:at+anchor]) == string(n.text[n.at:n.at+anchor]) && !found(n, at) {
				return
			}
		}
	}
}

// match matches a needle whose anchor stands at a place. It may be in pieces.
func (n needle) match(text []byte, at int, join func([]byte, int) (int, bool)) (from, to int, ok bool) {
	if from, ok = n.back(text, at, join); !ok {
		return 0, 0, false
	}
	to = at + anchor
	for rest := n.text[n.at+anchor:]; len(rest) > 0; {
		if to < len(text) && text[to] == rest[0] {
			to++
			rest = rest[1:]
			continue
		}
		next, ok := join(text, to)
		if ok && text[next-1] == rest[0] && sign(rest[0]) {
			next--
		}
		if !ok || next >= len(text) || text[next] != rest[0] {
			return 0, 0, false
		}
		to = next
	}
	return from, to, true
}

// back is where a needle begins whose anchor stands at a place.
func (n needle) back(text []byte, at int, join func([]byte, int) (int, bool)) (int, bool) {
	for rest := n.text[:n.at]; len(rest) > 0; rest = rest[:len(rest)-1] {
		last := rest[len(rest)-1]
		if at > 0 && text[at-1] == last {
			at--
			continue
		}
		end, ok := pieceBefore(text, at, last, join)
		if !ok {
			return 0, false
		}
		at = end - 1
	}
	return at, true
}

// sign tells whether what a line begins with is of a value or of a diff.
func sign(c byte) bool { return c == '+' || c == '-' }

// pieceBefore is where a piece ends, with a byte that is known, behind which the next begins at a place.
func pieceBefore(text []byte, at int, last byte, join func([]byte, int) (int, bool)) (int, bool) {
	const furthest = 160
	if at == 0 || bytes.IndexByte([]byte(" \t\r\n\"'`+-|>"), text[at-1]) < 0 {
		return 0, false
	}
	for end := at - 1; end > 0 && at-end <= furthest; end-- {
		if text[end-1] != last {
			continue
		}
		if next, ok := join(text, end); ok && (next == at || next == at+1 && sign(text[at])) {
			return end, true
		}
	}
	return 0, false
}
