// SPDX-License-Identifier: Apache-2.0

package transcript

import "math/bits"

// Numbers are numbers by hashes of 64 bits that are not 0. A log may be of nothing but small records, of which no more
// than that is known: an entry takes less room than in a map, and is looked for where it is put.
type Numbers struct{ shards [256]shard }

type shard struct {
	slots []slot
	n     int
}

type slot struct {
	low, high uint32
	n         int32
}

func (s *slot) key() uint64 { return uint64(s.high)<<32 | uint64(s.low) }

// At is where the number of a hash stands, and whether it is new, and so 0. It holds until another is asked for.
func (t *Numbers) At(hash uint64) (n *int32, isNew bool) {
	s := &t.shards[hash>>56]
	if len(s.slots) > 0 {
		if at := s.find(hash); at.key() == hash {
			return &at.n, false
		}
	}
	if s.n >= len(s.slots)-len(s.slots)/8 {
		s.grow()
	}
	at := s.find(hash)
	*at = slot{low: uint32(hash), high: uint32(hash >> 32)}
	s.n++
	return &at.n, true
}

// Get is the number of a hash, and whether it has one.
func (t *Numbers) Get(hash uint64) (int32, bool) {
	s := &t.shards[hash>>56]
	if len(s.slots) == 0 || hash == 0 {
		return 0, false
	}
	at := s.find(hash)
	return at.n, at.key() == hash
}

// Set gives a hash a number.
func (t *Numbers) Set(hash uint64, n int32) {
	at, _ := t.At(hash)
	*at = n
}

// find is the slot of a hash, or the free one where it belongs.
func (s *shard) find(hash uint64) *slot {
	i, _ := bits.Mul64(hash<<8, uint64(len(s.slots)))
	for {
		at := &s.slots[i]
		if key := at.key(); key == hash || key == 0 {
			return at
		}
		if i++; i == uint64(len(s.slots)) {
			i = 0
		}
	}
}

func (s *shard) grow() {
	old := s.slots
	s.slots = make([]slot, max(8, len(old)+len(old)/2))
	for _, o := range old {
		if o.key() != 0 {
			*s.find(o.key()) = o
		}
	}
}
