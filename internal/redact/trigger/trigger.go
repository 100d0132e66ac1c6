// SPDX-License-Identifier: Apache-2.0

// Package trigger finds any of a thousand words in text in one pass. It is what text costs in which there is nothing to
// redact, which is nearly all text.
package trigger

import (
	"encoding/binary"
	"fmt"
	"math/bits"
)

// MinWord is how long a word has to be, in bytes.
const MinWord = 3

// A Word is what is looked for.
type Word struct {
	Text    string
	AnyCase bool
	Next    string // what may follow; "" is anything
}

// A Hit is a place of a text where a word stands.
type Hit struct {
	At   int
	Word int // as it was given to New
}

// A Set is words to look for. Only each second place of a text is looked at: a word is known by four bytes of it, in any case,
// or by four that begin one later; one that has no five by three, as they are.
type Set struct {
	long, short table
	words       []word
}

// A table is places in words by the hash of what stands there.
type table struct {
	known   [1 << (knownBits - 6)]uint64 // a bit by the hash: whether there is one
	buckets [1<<bucketBits + 1]uint32    // by fewer bits of it: the first of its places
	places  []place
}

// A place is where in a word some bytes stand.
type place struct {
	four, mask, fold uint32 // those: three or four
	word             uint16
	off              uint8
}

type word struct {
	head, mask uint64 // its first eight bytes, folded by fold
	fold       uint64 // the bit of case of those that are letters; 0 if case matters
	rest       string // what follows those, small if case matters not
	anyCase    bool
	next       *[256]bool // what may follow; nil for anything
}

const (
	knownBits  = 20
	bucketBits = 14
)

// hash is that of four bytes, or of three.
func hash(w uint64) uint64 { return w * 0x9e3779b97f4a7c15 >> (64 - knownBits) }

// four and three are what is hashed of eight bytes. Of four the case of letters does not matter: what else shares their bit is
// no part of text.
func four(w uint64) uint64  { return w & 0xdfdfdfdf }
func three(w uint64) uint64 { return w & 0xffffff }

// New makes a set. A word that is shorter than MinWord, and more words than there is room for, are faults of the caller, and
// panic.
func New(words []Word) *Set {
	s := &Set{words: make([]word, 0, len(words))}
	var found []keyed
	for i, w := range words {
		if len(w.Text) < MinWord || i > 1<<16-1 {
			panic(fmt.Sprintf("trigger: the word %q is too short, or one too many", w.Text))
		}
		found = s.add(found, w)
	}
	for _, t := range []*table{&s.long, &s.short} {
		t.fill(found, t == &s.long)
	}
	return s
}

// A keyed place knows the hash that it is found by.
type keyed struct {
	hash uint64
	long bool
	place
}

func (t *table) fill(found []keyed, long bool) {
	n := 0
	for _, k := range found {
		if k.long == long {
			n++
			t.known[k.hash>>6] |= 1 << (k.hash & 63)
			t.buckets[k.hash>>(knownBits-bucketBits)+1]++
		}
	}
	for i := range len(t.buckets) - 1 {
		t.buckets[i+1] += t.buckets[i]
	}
	next := t.buckets // where each bucket's next place goes
	t.places = make([]place, n)
	for _, k := range found {
		if k.long == long {
			b := k.hash >> (knownBits - bucketBits)
			t.places[next[b]] = k.place
			next[b]++
		}
	}
}

func (s *Set) add(found []keyed, of Word) []keyed {
	text := []byte(of.Text)
	w := word{anyCase: of.AnyCase}
	var head [8]byte
	if of.AnyCase {
		for i, c := range text {
			if small := c | 0x20; 'a' <= small && small <= 'z' {
				text[i] = small
				if i < len(head) {
					w.fold |= 0x20 << (8 * i)
				}
			}
		}
	}
	n := copy(head[:], text)
	w.head, w.mask, w.rest = binary.LittleEndian.Uint64(head[:]), ^uint64(0)>>(64-8*n), string(text[n:])
	if of.Next != "" {
		w.next = new([256]bool)
		for _, c := range []byte(of.Next) {
			w.next[c] = true
		}
	}
	number := uint16(len(s.words))
	s.words = append(s.words, w)
	if len(text) > MinWord {
		n := min(len(text)-1, 4) // bytes of a place
		best := 0
		for k := 1; k+n+1 <= len(text) && k < 32; k++ {
			if cost(text[k:k+n])+cost(text[k+1:k+n+1]) < cost(text[best:best+n])+cost(text[best+1:best+n+1]) {
				best = k
			}
		}
		for k := best; k <= best+1; k++ { // of four bytes, all and then three
			found = s.addGrams(found, text[k:min(k+4, len(text))], of.AnyCase, place{word: number, off: uint8(k)})
		}
		return found
	}
	found = s.addGrams(found, text, of.AnyCase, place{word: number})
	if of.Next == "" {
		of.Next = anything
	}
	for i := range len(of.Next) {
		found = s.addGrams(found, []byte{text[1], text[2], of.Next[i]}, of.AnyCase, place{word: number, off: 1})
	}
	return found
}

// anything is all bytes.
var anything = func() string {
	var b [256]byte
	for i := range b {
		b[i] = byte(i)
	}
	return string(b[:])
}()

// addGrams adds a place by its bytes, three of them in each case that they may have. What only follows a word is as it is.
func (s *Set) addGrams(found []keyed, bytes []byte, anyCase bool, p place) []keyed {
	var b [4]byte
	copy(b[:], bytes)
	p.four, p.mask = binary.LittleEndian.Uint32(b[:]), ^uint32(0)>>(32-8*len(bytes))
	own := len(bytes) // how many are the word's
	if end := MinWord - int(p.off); len(s.words[p.word].rest) == 0 && s.words[p.word].mask == 1<<(8*MinWord)-1 {
		own = min(own, end)
	}
	for i, c := range bytes[:own] {
		if anyCase && 'a' <= c && c <= 'z' {
			p.fold |= 0x20 << (8 * i)
		}
	}
	if len(bytes) == 4 {
		return append(found, keyed{hash(four(uint64(p.four))), true, p})
	}
	for cases := range uint32(8) {
		change := cases&1<<5 | cases&2<<12 | cases&4<<19
		if change&^p.fold == 0 {
			found = append(found, keyed{hash(uint64(p.four &^ change)), false, p})
		}
	}
	return found
}

// Append appends the hits in text. They are in no order.
func (s *Set) Append(hits []Hit, text []byte) []Hit {
	i := 0
	for ; i+8 <= len(text); i += 6 {
		w := binary.LittleEndian.Uint64(text[i:])
		a, b, c := s.may(w), s.may(w>>16), s.may(w>>32)
		if a|b|c == 0 {
			continue
		}
		if a != 0 {
			hits = s.at(hits, text, i, w)
		}
		if b != 0 {
			hits = s.at(hits, text, i+2, w>>16)
		}
		if c != 0 {
			hits = s.at(hits, text, i+4, w>>32)
		}
	}
	for ; i+2 <= len(text); i += 2 {
		hits = s.at(hits, text, i, load(text, i))
		if i+2 == len(text)-1 { // a word of three bytes that ends the text has nothing behind it
			hits = s.at(hits, text, i+1, load(text, i+1))
		}
	}
	return hits
}

// may tells whether a word may have what eight bytes begin with: not 0 if so.
func (s *Set) may(w uint64) uint64 {
	long, short := hash(four(w)), hash(three(w))
	return (s.long.known[long>>6]>>(long&63) | s.short.known[short>>6]>>(short&63)) & 1
}

// load is the eight bytes from i on, with zeros where the text does not go.
func load(text []byte, i int) uint64 {
	if i+8 <= len(text) {
		return binary.LittleEndian.Uint64(text[i:])
	}
	var tail [8]byte
	if i < len(text) {
		copy(tail[:], text[i:])
	}
	return binary.LittleEndian.Uint64(tail[:])
}

// at appends the hits that the bytes at i tell of, with which w begins.
func (s *Set) at(hits []Hit, text []byte, i int, w uint64) []Hit {
	if h := hash(four(w)); s.long.known[h>>6]>>(h&63)&1 != 0 {
		hits = s.in(hits, &s.long, h, text, i, uint32(w))
	}
	if h := hash(three(w)); s.short.known[h>>6]>>(h&63)&1 != 0 {
		hits = s.in(hits, &s.short, h, text, i, uint32(w))
	}
	return hits
}

func (s *Set) in(hits []Hit, t *table, hash uint64, text []byte, i int, w uint32) []Hit {
	b := hash >> (knownBits - bucketBits)
	for _, p := range t.places[t.buckets[b]:t.buckets[b+1]] {
		if (w|p.fold)&p.mask != p.four {
			continue
		}
		from, word := i-int(p.off), &s.words[p.word]
		if from < 0 || (load(text, from)|word.fold)&word.mask != word.head || word.rest != "" && !restAt(word.rest, word.anyCase, text[from:]) {
			continue
		}
		if word.next != nil && !word.mayFollow(text, from) {
			continue
		}
		hits = append(hits, Hit{from, int(p.word)})
	}
	return hits
}

// mayFollow tells whether what follows a word may. At the end of the text nothing does.
func (w *word) mayFollow(text []byte, from int) bool {
	end := from + bits.Len64(w.mask)/8 + len(w.rest)
	return end < len(text) && w.next[text[end]]
}

func restAt(rest string, anyCase bool, text []byte) bool {
	if len(text) < 8+len(rest) {
		return false
	}
	for i := range rest {
		if c := text[8+i]; c != rest[i] && !(anyCase && 'A' <= c && c <= 'Z' && c|0x20 == rest[i]) {
			return false
		}
	}
	return true
}
