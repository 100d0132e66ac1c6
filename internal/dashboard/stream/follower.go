// SPDX-License-Identifier: Apache-2.0

package stream

import (
	"context"
	"io"
	"slices"
	"sync"
	"time"

	"github.com/fiftyarms/platform/internal/event"
)

// A Sign is what a follower is told beside events. Several may come at once.
type Sign uint8

// The signs.
const (
	Tick    Sign = 1 << iota // time goes on: send something, so that the connection does not look dead
	Revoked                  // the follower's key was revoked; nothing comes after it
	Ends                     // the server ends; nothing comes after it
	Judge                    // the follower's credential may have ended: judge it before anything else is sent
)

// A Follower follows a team's log on behalf of one connection. It is for one goroutine.
type Follower struct {
	hub    *Hub
	caller string
	login  string
	topics []event.Topic
	own    event.Topic // the key whose stream it is; the zero Topic where there is none
	stale  bool
	began  int64 // its first cursor
	poke   chan struct{}
	tail   *tail
	page   int // how many events to read next: about as many as fill a batch

	// What follows is guarded by the tail's mutex.

	// cursor is the number up to which everything has been sent. While the follower is idle it may lag: nothing in the
	// ring after it concerns the follower.
	cursor int64
	idle   bool
	signs  Sign
	due    time.Time // of the next Tick
}

func newFollower(h *Hub, r Request) *Follower {
	f := &Follower{hub: h, caller: r.Caller, login: r.Login, topics: r.Topics, poke: make(chan struct{}, 1), cursor: r.After, page: h.bounds.page}
	if r.KeyID != "" {
		f.own = event.Topic{Kind: event.Key, Key: r.KeyID}
	}
	return f
}

// heard lists the topics whose events concern the follower.
func (f *Follower) heard() []event.Topic {
	if f.own == (event.Topic{}) || slices.Contains(f.topics, f.own) {
		return f.topics
	}
	return append(slices.Clip(f.topics), f.own)
}

// Stale is the cursor at which the follower began in place of a stale one.
func (f *Follower) Stale() (cursor int64, stale bool) { return f.began, f.stale }

// Close ends the follower.
func (f *Follower) Close() {
	f.hub.mu.Lock()
	defer f.hub.mu.Unlock()
	f.tail.remove(f)
	f.hub.leave(f.caller)
}

// wake makes Next look. The tail's mutex is held.
func (f *Follower) wake() {
	select {
	case f.poke <- struct{}{}:
	default:
	}
}

// Next waits for events or a sign. It writes the events that have come, as frames, in one write to w, and answers the
// signs; where it answers none, it has written. An error is that of ctx, of the log or of w.
func (f *Follower) Next(ctx context.Context, w io.Writer) (Sign, error) {
	for {
		signs, idle := f.look()
		switch {
		case signs&(Ends|Judge) != 0 || idle && signs != 0:
			return signs, nil
		case idle:
			select {
			case <-ctx.Done():
				return 0, ctx.Err()
			case <-f.poke:
			}
			continue
		}
		sign, wrote, err := f.send(ctx, w)
		if signs |= sign; err != nil || wrote || signs != 0 {
			return signs, err
		}
	}
}

// look takes the signs that have come, and says whether there is nothing to send.
func (f *Follower) look() (signs Sign, idle bool) {
	f.tail.mu.Lock()
	defer f.tail.mu.Unlock()
	signs, f.signs = f.signs, f.signs&Ends
	return signs, f.idle
}

// batchMost is how many bytes of frames are sent at once, and one frame more. It bounds what a connection that takes
// nothing holds.
const batchMost = 128 << 10

var batches = sync.Pool{New: func() any { b := make([]byte, 0, 4<<10); return &b }}

// send sends what comes next, as much as one batch holds.
func (f *Follower) send(ctx context.Context, w io.Writer) (sign Sign, wrote bool, err error) {
	batch := batches.Get().(*[]byte)
	defer func() {
		*batch = (*batch)[:0]
		batches.Put(batch)
	}()
	behind, sign := f.fromRing(batch)
	if behind {
		if sign, err = f.fromLog(ctx, batch); err != nil {
			return 0, false, err
		}
	}
	if len(*batch) == 0 {
		return sign, false, nil
	}
	_, err = w.Write(*batch)
	return sign, true, err
}

// fromRing takes the next frames from the ring, or says that the follower is behind it.
func (f *Follower) fromRing(batch *[]byte) (behind bool, sign Sign) {
	t := f.tail
	t.mu.Lock()
	defer t.mu.Unlock()
	if f.cursor < t.ring.from {
		return true, 0
	}
	for _, e := range t.ring.after(f.cursor) {
		if len(*batch) >= batchMost {
			return false, 0
		}
		f.cursor = e.number
		if sign := f.take(batch, e); sign != 0 {
			return false, sign
		}
	}
	f.idle = true
	return false, 0
}

// take takes an entry that comes next, and answers the sign that comes with it: what follows has to wait for that.
func (f *Follower) take(batch *[]byte, e entry) Sign {
	for _, topic := range e.topics {
		if slices.Contains(f.topics, topic) {
			*batch = append(*batch, e.frame...)
			break
		}
	}
	if slices.Contains(e.topics, f.own) {
		return e.sign
	}
	return 0
}

// fromLog takes the next frames from the log.
func (f *Follower) fromLog(ctx context.Context, batch *[]byte) (sign Sign, err error) {
	select {
	case f.hub.pages <- struct{}{}:
		defer func() { <-f.hub.pages }()
	case <-ctx.Done():
		return 0, ctx.Err()
	}
	f.tail.mu.Lock()
	cursor, ring := f.cursor, f.tail.ring.from // nobody else moves the cursor while the follower is not idle
	f.tail.mu.Unlock()
	events, err := f.tail.page(ctx, cursor, f.page)
	if err != nil {
		return 0, err
	}
	if len(events) == 0 { // there is nothing up to where the ring begins
		cursor = ring
	}
	f.page = min(2*f.page, f.hub.bounds.page)
	for i, event := range events {
		if len(*batch) >= batchMost {
			f.page = i
			break
		}
		e, err := newEntry(event)
		if err != nil {
			return 0, err
		}
		cursor = e.number
		if sign = f.take(batch, e); sign != 0 {
			break
		}
	}
	f.tail.mu.Lock()
	f.cursor = cursor
	f.tail.mu.Unlock()
	return sign, nil
}
