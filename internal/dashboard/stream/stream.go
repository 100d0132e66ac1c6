// SPDX-License-Identifier: Apache-2.0

// Package stream brings the events of a team's log to everybody who follows it.
//
// However many follow a team, one goroutine of this process reads its log: its tail. Woken by a [wake.Waker], and now
// and then by itself, it reads what is new, renders each event once into a bounded ring of frames, and wakes the
// followers whom the new events concern. A follower is whoever holds a connection: it knows how far it has come, and
// takes what comes next from the ring, or, where the ring begins later, from the log. So nothing is kept for a slow
// follower, it is never dropped, and it holds up nobody. What is delivered is decided by numbers alone: each event
// above a follower's cursor that belongs to its topics, once, in order. Waking can be lost, doubled or late.
package stream

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"github.com/fiftyarms/platform/internal/event"
	"github.com/fiftyarms/platform/internal/store"
	"github.com/fiftyarms/platform/internal/wake"
)

// FollowersMost is how many followers one caller may have in a process.
const FollowersMost = 64

// Errors of Follow.
var (
	ErrTooMany = errors.New("this caller has as many followers as one may have")
	ErrEnds    = errors.New("this server is about to end")
)

// Log is a team's log, as the store keeps it.
type Log interface {
	Events(ctx context.Context, after int64, limit int) ([]store.Event, error)
	EventHead(ctx context.Context) (int64, error)
}

// Config is what a hub needs. All of it is required, but for Pace.
type Config struct {
	Log  func(teamID string) Log
	Wake wake.Waker
	Told *slog.Logger // where it is told that a log cannot be read
	Pace Pace
}

// Pace is how often a hub does what it does by the clock.
type Pace struct {
	Poll      time.Duration // between two looks into a team's log without a word of news; 0 is 5 s
	KeepAlive time.Duration // between two Ticks of a follower; 0 is 15 s
	Join      time.Duration // between two looks after words of news: what comes in it is read at once; 0 is 20 ms
	Linger    time.Duration // how long a log is read on when its last follower is gone; 0 is a minute
	Recheck   time.Duration // between two judgements of a follower's credential, for who serves it; 0 is a minute
}

func (p Pace) orDefaults() Pace {
	return Pace{
		Poll:      cmp.Or(p.Poll, 5*time.Second),
		KeepAlive: cmp.Or(p.KeepAlive, 15*time.Second),
		Join:      cmp.Or(p.Join, 20*time.Millisecond),
		Linger:    cmp.Or(p.Linger, time.Minute),
		Recheck:   cmp.Or(p.Recheck, time.Minute),
	}
}

// beat is how often a tail looks at the clock.
func (p Pace) beat() time.Duration {
	return max(time.Millisecond, min(p.Poll, p.KeepAlive/15, p.Linger))
}

// bounds are how much is held and read at a time.
type bounds struct {
	frames, bytes int // of a ring
	page          int // events that are read at once
	// warm is how far back a tail begins: followers that come back all at once, after a restart say, find what they
	// missed in the ring.
	warm int64
}

const (
	usualFrames = 4096
	usualWarm   = 2000
)

var usual = bounds{frames: usualFrames, bytes: 4 << 20, page: 500, warm: usualWarm}

// pagesAtOnce is how many followers read their logs at a time: the others wait, since each page takes memory, and the
// database has other work.
const pagesAtOnce = 4

// A Hub serves the followers of this process.
type Hub struct {
	Config
	ctx    context.Context // of the tails
	cancel context.CancelFunc
	ending context.Context
	end    context.CancelFunc
	tailed sync.WaitGroup
	unhear func()
	pages  chan struct{}
	bounds bounds

	mu     sync.Mutex // held before that of a tail
	ends   bool
	tails  map[string]*tail
	counts map[string]int // followers by caller
}

// New makes a hub. Close ends it.
func New(cfg Config) *Hub {
	cfg.Pace = cfg.Pace.orDefaults()
	h := &Hub{
		Config: cfg, pages: make(chan struct{}, pagesAtOnce), bounds: usual,
		tails: map[string]*tail{}, counts: map[string]int{},
	}
	h.ctx, h.cancel = context.WithCancel(context.Background())
	h.ending, h.end = context.WithCancel(context.Background())
	h.unhear = cfg.Wake.Watch(h.hear)
	return h
}

// Ending ends when the server does, for who is held up and cannot hear of it from Next.
func (h *Hub) Ending() context.Context { return h.ending }

// Drain tells every follower, and whoever comes later, that the server ends.
func (h *Hub) Drain() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.ends = true
	for _, t := range h.tails {
		t.end()
	}
	h.end()
}

// Judge tells the followers of a browser session, by the hash of its token, that it may have ended. A follower that
// comes later than that has to be judged at its start.
func (h *Hub) Judge(login string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, t := range h.tails {
		t.judge(login)
	}
}

// Close ends the hub, and with it its followers' streams.
func (h *Hub) Close() {
	h.unhear()
	h.Drain()
	h.cancel()
	h.tailed.Wait()
}

// hear passes a word of news on to the tails that it is for.
func (h *Hub) hear(teamID string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if teamID != "" {
		if t, ok := h.tails[teamID]; ok {
			t.wake()
		}
		return
	}
	for _, t := range h.tails {
		t.wake()
	}
}

// Now is where a follower begins that wants only what happens from now on.
const Now = -1

// Request says what a follower wants.
type Request struct {
	TeamID string
	Topics []event.Topic
	KeyID  string // of the key whose stream it is: the end of the key is told in any case; "" of a person
	Login  string // the hash of the browser session whose stream it is; "" of a key
	Caller string // whom the follower counts for
	After  int64  // a cursor, or Now
}

// Follow makes a follower. One whose cursor is stale begins at the head of the log. Close it.
func (h *Hub) Follow(ctx context.Context, r Request) (*Follower, error) {
	if err := h.enter(r.Caller); err != nil {
		return nil, err
	}
	f, err := h.follow(ctx, r)
	if err != nil {
		h.mu.Lock()
		h.leave(r.Caller)
		h.mu.Unlock()
		return nil, err
	}
	return f, nil
}

func (h *Hub) follow(ctx context.Context, r Request) (*Follower, error) {
	log := h.Log(r.TeamID)
	head, err := log.EventHead(ctx)
	if err != nil {
		return nil, err
	}
	f := newFollower(h, r)
	if f.stale = r.After != Now && event.Stale(r.After, head); f.stale || r.After == Now {
		f.cursor = head
	}
	f.began = f.cursor
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.ends {
		return nil, ErrEnds
	}
	t, ok := h.tails[r.TeamID]
	if !ok {
		t = newTail(h, r.TeamID, log, head)
		h.tails[r.TeamID] = t
		h.tailed.Go(func() { t.run(h.ctx) })
	}
	t.add(f)
	return f, nil
}

// enter counts a follower of a caller.
func (h *Hub) enter(caller string) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	switch {
	case h.ends:
		return ErrEnds
	case h.counts[caller] >= FollowersMost:
		return ErrTooMany
	}
	h.counts[caller]++
	return nil
}

// leave undoes enter. h.mu is held.
func (h *Hub) leave(caller string) {
	if h.counts[caller]--; h.counts[caller] == 0 {
		delete(h.counts, caller)
	}
}

// retire takes a tail away that nobody has followed for a while.
func (h *Hub) retire(t *tail) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	if !t.deserted(h.Pace.Linger) {
		return false
	}
	delete(h.tails, t.team)
	return true
}
