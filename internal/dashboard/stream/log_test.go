// SPDX-License-Identifier: Apache-2.0

package stream_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"log/slog"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/fiftyarms/platform/gen/dash"
	"github.com/fiftyarms/platform/internal/dashboard/stream"
	"github.com/fiftyarms/platform/internal/event"
	"github.com/fiftyarms/platform/internal/sse"
	"github.com/fiftyarms/platform/internal/store"
	"github.com/fiftyarms/platform/internal/wake/inproc"
)

// memory is a log in memory.
type memory struct {
	mu     sync.Mutex
	events []store.Event
	reads  atomic.Int64
	broken atomic.Bool
}

var errBroken = errors.New("the log is broken")

func (m *memory) Events(ctx context.Context, after int64, limit int) ([]store.Event, error) {
	m.reads.Add(1)
	if m.broken.Load() {
		return nil, errBroken
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	rest := m.events[min(after, int64(len(m.events))):]
	return slices.Clone(rest[:min(limit, len(rest))]), ctx.Err()
}

func (m *memory) EventHead(ctx context.Context) (int64, error) {
	if m.broken.Load() {
		return 0, errBroken
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	return int64(len(m.events)), ctx.Err()
}

// add commits events, and answers the head.
func (m *memory) add(events ...store.Event) int64 {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, e := range events {
		e.Number = int64(len(m.events)) + 1
		e.Cursor = event.Cursor(e.Number)
		m.events = append(m.events, e)
	}
	return int64(len(m.events))
}

// want lists the cursors of the events after a cursor that belong to topics.
func (m *memory) want(after int64, topics []event.Topic) (cursors []string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, e := range m.events[after:] {
		if event.Matches(e.Event, e.KeyID, topics) {
			cursors = append(cursors, e.Cursor)
		}
	}
	return cursors
}

func onBoard(ref int64) store.Event {
	return store.Event{Event: dash.Event{Kind: dash.EventKindBoardEdited, Board: &ref, Changes: []dash.Change{}}}
}

func onCard(ref int64, id string) store.Event {
	e := onBoard(ref)
	e.Kind, e.Issue = dash.EventKindIssueEdited, &id
	return e
}

func ofKey(id string) store.Event {
	return store.Event{Event: dash.Event{Kind: dash.EventKindKeyRevoked, Changes: []dash.Change{}}, KeyID: id}
}

// world is a hub over logs in memory, whose clock hurries.
type world struct {
	t     testing.TB
	hub   *stream.Hub
	log   *memory
	waker *inproc.Waker
}

func newWorld(t testing.TB, pace stream.Pace) *world {
	t.Helper()
	w := &world{t: t, log: &memory{}, waker: &inproc.Waker{}}
	w.hub = stream.New(stream.Config{Log: func(string) stream.Log { return w.log }, Wake: w.waker, Told: slog.New(slog.NewTextHandler(t.Output(), nil)), Pace: pace})
	t.Cleanup(w.hub.Close)
	return w
}

// happen commits events and wakes.
func (w *world) happen(events ...store.Event) int64 {
	head := w.log.add(events...)
	w.waker.Wake("team")
	return head
}

func topics(t testing.TB, text, key string) []event.Topic {
	t.Helper()
	out, err := event.Parse(text, key)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func (w *world) follow(r stream.Request) *stream.Follower {
	w.t.Helper()
	if r.TeamID == "" {
		r.TeamID = "team"
	}
	f, err := w.hub.Follow(w.t.Context(), r)
	if err != nil {
		w.t.Fatal(err)
	}
	return f
}

// frames reads the frames in what was written.
func frames(t testing.TB, written []byte) (out []sse.Frame) {
	t.Helper()
	for r := sse.NewReader(bytes.NewReader(written)); ; {
		f, err := r.Next()
		if errors.Is(err, io.EOF) {
			return out
		}
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, f)
	}
}

// read reads until n events or a sign other than stream.Tick have come.
func read(t testing.TB, f *stream.Follower, n int) (ids []string, signs stream.Sign) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	for len(ids) < n {
		var out bytes.Buffer
		got, err := f.Next(ctx, &out)
		if err != nil {
			t.Fatalf("after %d of %d events: %v", len(ids), n, err)
		}
		for _, frame := range frames(t, out.Bytes()) {
			ids = append(ids, frame.ID)
		}
		if signs |= got &^ stream.Tick; signs != 0 {
			return ids, signs
		}
	}
	return ids, signs
}

// readTo reads until an event has come.
func readTo(t testing.TB, f *stream.Follower, last string) (ids []string) {
	t.Helper()
	for len(ids) == 0 || ids[len(ids)-1] != last {
		more, _ := read(t, f, 1)
		ids = append(ids, more...)
	}
	return ids
}
