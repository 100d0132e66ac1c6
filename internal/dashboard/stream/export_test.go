// SPDX-License-Identifier: Apache-2.0

package stream

import "github.com/fiftyarms/platform/internal/event"

// How much a ring usually holds, and how far back a tail begins.
const (
	UsualFrames = usualFrames
	UsualWarm   = usualWarm
)

// Bound sets how much is held and read at a time, before the first follower.
func (h *Hub) Bound(frames, bytes, page int, warm int64) {
	h.bounds = bounds{frames, bytes, page, warm}
}

// Callers is how many callers have followers.
func (h *Hub) Callers() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return len(h.counts)
}

// Tails is how many logs are read.
func (h *Hub) Tails() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return len(h.tails)
}

// Poked says whether something has woken the follower since it looked.
func (f *Follower) Poked() bool { return len(f.poke) > 0 }

// Began is where the follower began.
func (f *Follower) Began() int64 { return f.began }

// Topics is what it follows.
func (f *Follower) Topics() []event.Topic { return f.topics }
