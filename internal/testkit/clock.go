// SPDX-License-Identifier: Apache-2.0

package testkit

import (
	"crypto/sha256"
	"encoding/binary"
	"sync"
	"time"
)

// Start is when every test begins.
var Start = time.Date(2026, time.January, 2, 3, 4, 5, 0, time.UTC)

// A Clock stands still until it is moved.
type Clock struct {
	mu  sync.Mutex
	now time.Time
}

// Now is the time.
func (c *Clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

// Advance moves the clock forward.
func (c *Clock) Advance(by time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(by)
}

// Random is a source of bytes that look like chance and are the same in every run, as long as they are taken in the
// same order.
type Random struct {
	mu    sync.Mutex
	count uint64
	rest  []byte
}

// Read fills p. It never fails.
func (r *Random) Read(p []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for n := 0; n < len(p); {
		if len(r.rest) == 0 {
			r.count++
			block := sha256.Sum256(binary.BigEndian.AppendUint64(nil, r.count))
			r.rest = block[:]
		}
		took := copy(p[n:], r.rest)
		r.rest, n = r.rest[took:], n+took
	}
	return len(p), nil
}
