// SPDX-License-Identifier: Apache-2.0

package codex

import (
	"hash/maphash"
	"slices"
)

// recent are the lines before, by their hashes. Records have no id: one that is there twice is known by being the same to
// the millisecond.
type recent struct {
	seed  maphash.Seed
	lines [16]uint64
	next  int
}

// again tells whether a line is one of those before it.
func (r *recent) again(line []byte) bool {
	h := maphash.Bytes(r.seed, line)
	if slices.Contains(r.lines[:], h) {
		return true
	}
	r.lines[r.next%len(r.lines)] = h
	r.next++
	return false
}
