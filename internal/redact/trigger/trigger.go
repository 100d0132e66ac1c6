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
	buckets [1<<bucketBits + 1]uint32   // by fewer bits of it: the first of its entries
	grams   []uint32                    // of each entry the three bytes
	list    []entry
}

type entry struct {
	off        uint8 // which byte of the word the three begin at
	word       int32
	head, mask uint64 // the word's first eight bytes, folded by fold
	fold       uint64 // the bit of case of those that are letters; 0 if case matters
	rest       string // what follows those, small if case matters not
	anyCase    bool
}

const (
	gramBits   = 19
	bucketBits = 15
)

// hash is that of the first three bytes of eight.
func hash(w uint64) uint64 { return (w & 0xffffff) * 0x9e3779b97f4a7c15 >> (64 - gramBits) }

// New makes a set. A word that is shorter than MinWord is a fault of the caller, and panics.
func New(words []Word) *Set {
	s := &Set{}
	var found []keyed
	for i, word := range words {
		found = s.addWord(found, i, word)
	}
	for _, k := range found {
		s.buckets[bucket(k.gram)+1]++
	}
	for i := range len(s.buckets) - 1 {
		s.buckets[i+1] += s.buckets[i]
	}
	next := s.buckets // where each bucket's next entry goes
	s.grams, s.list = make([]uint32, len(found)), make([]entry, len(found))
	for _, k := range found {
		b := bucket(k.gram)
		s.grams[next[b]], s.list[next[b]] = k.gram, k.entry
		next[b]++
	}
	return s
}

// A keyed entry knows the three bytes that it is found by.
type keyed struct {
	gram uint32
	entry
}

func bucket(gram uint32) uint64 { return hash(uint64(gram)) >> (gramBits - bucketBits) }

func (s *Set) addWord(found []keyed, i int, word Word) []keyed {
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
			found = s.addGrams(found, e, text[k:k+3], false)
		}
		return found
	}
	found = s.addGrams(found, e, text, false)
	e.off = 1
	if word.Next == "" {
		word.Next = anything
	}
	for i := range len(word.Next) {
		found = s.addGrams(found, e, []byte{text[1], text[2], word.Next[i]}, true)
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

// addGrams adds three bytes of a word, in each case that they may have; the third is as it is if it follows the word.
func (s *Set) addGrams(found []keyed, e entry, three []byte, last bool) []keyed {
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
			gram := binary.LittleEndian.Uint32(b[:])
			h := hash(uint64(gram))
			s.known[h>>6] |= 1 << (h & 63)
			found = append(found, keyed{gram, e})
		}
	}
	return found
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
	b := bucket(gram)
	for j := s.buckets[b]; j < s.buckets[b+1]; j++ {
		if s.grams[j] != gram {
			continue
		}
		e := &s.list[j]
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
