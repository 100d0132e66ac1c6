// SPDX-License-Identifier: Apache-2.0

package mcphttp

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"sync"
	"time"
)

var errClosing = errors.New("the server is being stopped")

// fullError says that no further session is taken.
type fullError struct{ most int }

func (e *fullError) Error() string {
	return fmt.Sprintf("%d sessions are open, which is the limit: end one of them with DELETE, or wait until one has been idle for long enough", e.most)
}

// table is the sessions that are open.
type table struct {
	o   Options
	ctx context.Context // of every session

	mu      sync.Mutex
	open    map[string]*entry // by session id
	all     map[*session]struct{}
	closing bool
}

// entry is a session and when it was last of use.
type entry struct {
	*session
	requests int       // open ones
	last     time.Time // when the last one ended, or the session was opened
}

func newTable(ctx context.Context, o Options) *table {
	return &table{o: o, ctx: ctx, open: map[string]*entry{}, all: map[*session]struct{}{}}
}

// start opens a session, of which one request is open. The error is a *fullError, errClosing, or the server's.
func (t *table) start() (*session, error) {
	t.sweep()
	t.mu.Lock()
	defer t.mu.Unlock()
	switch {
	case t.closing:
		return nil, errClosing
	case len(t.open) >= t.o.MaxSessions && !t.makeRoom():
		return nil, &fullError{t.o.MaxSessions}
	}
	id := make([]byte, 16)
	if _, err := io.ReadFull(t.o.Random, id); err != nil {
		return nil, fmt.Errorf("draw a session id: %w", err)
	}
	srv, err := t.o.Open()
	if err != nil {
		return nil, err
	}
	s := start(t.ctx, hex.EncodeToString(id), srv, t.o.Log)
	t.open[s.id] = &entry{session: s, requests: 1, last: t.o.Now()}
	t.all[s] = struct{}{}
	go func() { // ends with the session
		<-s.done
		t.mu.Lock()
		defer t.mu.Unlock()
		delete(t.all, s)
		if e := t.open[s.id]; e != nil {
			delete(t.open, s.id)
		}
	}()
	return s, nil
}

// spare is how long a session has been idle that makes room for a new one: many clients leave without a word.
const spare = 10 * time.Minute

// makeRoom ends the session that has been idle for longest, if that is long enough. t.mu is held.
func (t *table) makeRoom() bool {
	var longest *entry
	for _, e := range t.open {
		if e.requests == 0 && (longest == nil || e.last.Before(longest.last)) {
			longest = e
		}
	}
	if longest == nil || t.o.Now().Sub(longest.last) < spare {
		return false
	}
	delete(t.open, longest.id)
	longest.cancel()
	t.o.Log.Info("an idle session has ended, to make room for a new one")
	return true
}

// enter finds a session, and counts a request that is open from now on; nil when there is no such session.
func (t *table) enter(id string) *session {
	t.mu.Lock()
	defer t.mu.Unlock()
	e := t.open[id]
	if e == nil {
		return nil
	}
	e.requests++
	return e.session
}

// leave ends what start and enter have begun.
func (t *table) leave(s *session) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if e := t.open[s.id]; e != nil {
		e.requests--
		e.last = t.o.Now()
	}
}

// end ends a session at once, and reports whether there was one.
func (t *table) end(id string) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	e := t.open[id]
	if e == nil {
		return false
	}
	delete(t.open, id)
	e.cancel()
	return true
}

// sweep ends the sessions that have been idle for too long.
func (t *table) sweep() {
	t.mu.Lock()
	defer t.mu.Unlock()
	for id, e := range t.open {
		if e.requests == 0 && t.o.Now().Sub(e.last) >= t.o.Idle {
			delete(t.open, id)
			e.cancel()
			t.o.Log.Info("a session was idle for long and has ended")
		}
	}
}

// drain ends all sessions: their calls may go on for as long as their servers let them when their input ends, and no
// longer than limit. It returns when no server runs any more.
func (t *table) drain(limit <-chan time.Time) {
	t.mu.Lock()
	t.closing = true
	sessions := slices.Collect(maps.Keys(t.all))
	t.mu.Unlock()
	for _, s := range sessions {
		s.aside.end()
		_ = s.in.Close() // its error is always nil
	}
	for _, s := range sessions {
		select {
		case <-s.done:
		case <-limit:
			for _, s := range sessions {
				s.cancel()
			}
			<-s.done
		}
	}
}
