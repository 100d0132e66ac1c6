// SPDX-License-Identifier: Apache-2.0

package stream

import (
	"context"
	"sync"
	"time"

	"github.com/fiftyarms/platform/internal/event"
	"github.com/fiftyarms/platform/internal/store"
)

// readMost is how long reading one page may take.
const readMost = 10 * time.Second

// A tail reads the log of one team for all who follow it.
type tail struct {
	hub  *Hub
	team string
	log  Log
	news chan struct{} // a word that was not acted upon yet

	mu        sync.Mutex
	ring      ring
	followers map[*Follower]bool
	byTopic   map[event.Topic]map[*Follower]bool
	since     time.Time // when the last follower left
}

// newTail makes a tail of a log that ends at head. run makes it live.
func newTail(h *Hub, team string, log Log, head int64) *tail {
	start := max(0, head-h.bounds.warm)
	t := &tail{
		hub: h, team: team, log: log, news: make(chan struct{}, 1), ring: ring{bounds: h.bounds, from: start, at: start},
		followers: map[*Follower]bool{}, byTopic: map[event.Topic]map[*Follower]bool{},
	}
	t.wake()
	return t
}

// wake says that there is news.
func (t *tail) wake() {
	select {
	case t.news <- struct{}{}:
	default:
	}
}

// run reads until ctx ends or nobody has followed for a while.
func (t *tail) run(ctx context.Context) {
	beat := time.NewTicker(t.hub.Pace.beat())
	defer beat.Stop()
	var read time.Time
	healthy := true
	for {
		select {
		case <-ctx.Done():
			return
		case <-t.news:
			if !pause(ctx, t.hub.Pace.Join-time.Since(read)) {
				return
			}
		case <-beat.C:
			if t.hub.retire(t) {
				return
			}
			t.tick()
			if time.Since(read) < t.hub.Pace.Poll {
				continue
			}
		}
		err := t.read(ctx)
		read = time.Now()
		if ctx.Err() != nil {
			return
		}
		if err != nil && healthy { // once an outage
			t.hub.Told.ErrorContext(ctx, "a log cannot be read: its streams are late", "team", t.team, "error", err)
		}
		healthy = err == nil
	}
}

// pause waits, and says whether ctx still holds.
func pause(ctx context.Context, wait time.Duration) bool {
	if wait <= 0 {
		return true
	}
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-timer.C:
		return true
	}
}

// read takes what is new in the log.
func (t *tail) read(ctx context.Context) error {
	for {
		events, err := t.page(ctx, t.ring.at, t.hub.bounds.page) // only this goroutine changes the ring
		if err != nil {
			return err
		}
		if len(events) == 0 {
			return nil
		}
		entries := make([]entry, len(events))
		for i, e := range events {
			if entries[i], err = newEntry(e); err != nil {
				return err
			}
		}
		t.deliver(entries)
		if len(events) < t.hub.bounds.page {
			return nil
		}
	}
}

// page reads what follows a cursor in the log.
func (t *tail) page(ctx context.Context, after int64, limit int) ([]store.Event, error) {
	ctx, cancel := context.WithTimeout(ctx, readMost)
	defer cancel()
	return t.log.Events(ctx, after, limit)
}

// deliver puts entries into the ring and wakes those whom they concern.
func (t *tail) deliver(entries []entry) {
	last := map[event.Topic]int64{}
	for _, e := range entries {
		for _, topic := range e.topics {
			last[topic] = e.number
		}
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	before := t.ring.at
	t.ring.add(entries)
	for topic, number := range last {
		for f := range t.byTopic[topic] {
			if f.idle && number > f.cursor {
				// Nothing up to before was for it, or it would not have been idle.
				f.idle, f.cursor = false, max(f.cursor, before)
				f.wake()
			}
		}
	}
}

// tick tells the followers that are due that time goes on.
func (t *tail) tick() {
	now := time.Now()
	t.mu.Lock()
	defer t.mu.Unlock()
	for f := range t.followers {
		if now.Before(f.due) {
			continue
		}
		f.due = now.Add(t.hub.Pace.KeepAlive)
		f.signs |= Tick
		f.wake()
	}
}

// end tells all followers that the server ends.
func (t *tail) end() {
	t.mu.Lock()
	defer t.mu.Unlock()
	for f := range t.followers {
		f.signs |= Ends
		f.wake()
	}
}

// judge tells the followers of a browser session that it may have ended.
func (t *tail) judge(login string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for f := range t.followers {
		if f.login == login {
			f.signs |= Judge
			f.wake()
		}
	}
}

func (t *tail) add(f *Follower) {
	t.mu.Lock()
	defer t.mu.Unlock()
	f.tail, f.idle = t, f.cursor >= t.ring.at
	f.due = time.Now().Add(t.hub.Pace.KeepAlive)
	t.followers[f] = true
	for _, topic := range f.heard() {
		if t.byTopic[topic] == nil {
			t.byTopic[topic] = map[*Follower]bool{}
		}
		t.byTopic[topic][f] = true
	}
}

func (t *tail) remove(f *Follower) {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.followers, f)
	for _, topic := range f.heard() {
		if delete(t.byTopic[topic], f); len(t.byTopic[topic]) == 0 {
			delete(t.byTopic, topic)
		}
	}
	t.since = time.Now()
}

// deserted says whether nobody has followed for a while.
func (t *tail) deserted(linger time.Duration) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return len(t.followers) == 0 && time.Since(t.since) >= linger
}
