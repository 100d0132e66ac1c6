// SPDX-License-Identifier: Apache-2.0

// Package trigger finds any of a thousand words in text in one pass. It is what text costs in which there is nothing to
// redact, which is nearly all text.
package trigger

import (
	"encoding/binary"
	"fmt"
)

// MinWord is how long a word has to be, in bytes.
const MinWord = 3

// A Word is what is looked for.
type Word struct {
	Text    string
	AnyCase bool
	Next    string // what may follow a word of MinWord bytes; "" is anything
}

// A Hit is a place of a text where a word stands.
type Hit struct {
	At   int
	Word int // as it was given to New
}

// A Set is words to look for. Only each second place of a text is looked at: a word is known by three bytes of it, and
// by three that begin one later.
type Set struct {
	known   [1 << (gramBits - 6)]uint64 // a bit by the hash of three bytes: whether a word has them
	buckets [1 << bucketBits]uint16     // by fewer bits of it: the first entry, 0 for none
	list    []entry
}

type entry struct {
	gram       uint32
	next       uint16
	off        uint8 // which byte of the word the three begin at
	word       int32
	head, mask uint64 // the word's first eight bytes, folded by fold
	fold       uint64 // the bit of case of those that are letters; 0 if case matters
	rest       string // what follows those, small if case matters not
	anyCase    bool
}

const (
	gramBits   = 19
	bucketBits = 14
)

// hash is that of the first three bytes of eight.
func hash(w uint64) uint64 { return (w & 0xffffff) * 0x9e3779b97f4a7c15 >> (64 - gramBits) }

// New makes a set. A word that is shorter than MinWord, and more words than there is room for, are faults of the caller, and
// panic.
func New(words []Word) *Set {
	s := &Set{list: make([]entry, 1, 4*len(words)+1)}
	for i, word := range words {
		s.addWord(i, word)
	}
	return s
}

func (s *Set) addWord(i int, word Word) {
	if len(word.Text) < MinWord {
		panic(fmt.Sprintf("trigger: the word %q is too short", word.Text))
	}
	text := []byte(word.Text)
	e := entry{word: int32(i), anyCase: word.AnyCase}
	var head [8]byte
	if word.AnyCase {
		for i, c := range text {
			if small := c | 0x20; 'a' <= small && small <= 'z' {
				text[i] = small
				if i < len(head) {
					e.fold |= 0x20 << (8 * i)
				}
			}
		}
	}
	n := copy(head[:], text)
	e.head, e.mask, e.rest = binary.LittleEndian.Uint64(head[:]), ^uint64(0)>>(64-8*n), string(text[n:])
	if len(text) > MinWord {
		best := 0
		for k := 1; k+4 <= len(text) && k < 32; k++ {
			if cost(text[k:k+3])+cost(text[k+1:k+4]) < cost(text[best:best+3])+cost(text[best+1:best+4]) {
				best = k
			}
		}
		for k := best; k <= best+1; k++ {
			e.off = uint8(k)
			s.addGrams(e, text[k:k+3], false)
		}
		return
	}
	s.addGrams(e, text, false)
	e.off = 1
	if word.Next == "" {
		word.Next = anything
	}
	for i := range len(word.Next) {
		s.addGrams(e, []byte{text[1], text[2], word.Next[i]}, true)
	}
}

// anything is all bytes.
var anything = func() string {
	var b [256]byte
	for i := range b {
		b[i] = byte(i)
	}
	return string(b[:])
}()

// addGrams adds three bytes of a word, in each case that they may have; the third is as it is if it follows the word.
func (s *Set) addGrams(e entry, three []byte, last bool) {
	for cases := range 8 {
		var b [8]byte
		copy(b[:], three)
		for i := range three {
			if cases>>i&1 == 0 {
				continue
			}
			if !e.anyCase || b[i] < 'a' || b[i] > 'z' || last && i == 2 {
				b[0] = 0
				break
			}
			b[i] &^= 0x20
		}
		if b[0] != 0 {
			s.add(e, binary.LittleEndian.Uint64(b[:]))
		}
	}
}

func (s *Set) add(e entry, w uint64) {
	if len(s.list) > 1<<16-1 {
		panic("trigger: too many words")
	}
	h := hash(w)
	s.known[h>>6] |= 1 << (h & 63)
	bucket := &s.buckets[h>>(gramBits-bucketBits)]
	e.gram, e.next = uint32(w), *bucket
	*bucket = uint16(len(s.list))
	s.list = append(s.list, e)
}

// Append appends the hits in text. They are in no order.
func (s *Set) Append(hits []Hit, text []byte) []Hit {
	i := 0
	for ; i+8 <= len(text); i += 6 {
		w := binary.LittleEndian.Uint64(text[i:])
		h1, h2, h3 := hash(w), hash(w>>16), hash(w>>32)
		a, b, c := s.known[h1>>6]>>(h1&63)&1, s.known[h2>>6]>>(h2&63)&1, s.known[h3>>6]>>(h3&63)&1
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

// at appends the hits that the three bytes at i tell of.
func (s *Set) at(hits []Hit, text []byte, i int, w uint64) []Hit {
	gram := uint32(w & 0xffffff)
	for at := s.buckets[hash(w)>>(gramBits-bucketBits)]; at != 0; {
		e := &s.list[at]
		at = e.next
		if e.gram != gram {
			continue
		}
		from := i - int(e.off)
		if from < 0 || (load(text, from)|e.fold)&e.mask != e.head || e.rest != "" && !restAt(e.rest, e.anyCase, text[from:]) {
			continue
		}
		hits = append(hits, Hit{from, int(e.word)})
	}
	return hits
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
