// SPDX-License-Identifier: Apache-2.0

package watch_test

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"io"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/fiftyarms/platform/gen/dash"
	"github.com/fiftyarms/platform/internal/platform/client"
	"github.com/fiftyarms/platform/internal/platform/watch"
	"github.com/fiftyarms/platform/internal/testkit"
)

// cutOff is a session whose every stream fails.
type cutOff struct {
	ctx    context.Context
	err    error
	was    int
	status int // of the refusal that each stream gets; 0 is 404
}

func (s *cutOff) Tenure() (context.Context, error)                   { return s.ctx, s.ctx.Err() }
func (s *cutOff) Await(ctx context.Context) (context.Context, error) { return s.ctx, ctx.Err() }
func (s *cutOff) Do(context.Context, client.Call) (*client.Response, error) {
	return nil, errors.New("no call is expected")
}
func (s *cutOff) Stream(context.Context, client.Call) (*client.Stream, *client.Response, error) {
	s.was++
	return nil, &client.Response{Method: "GET", Path: "/api/stream", Status: cmp.Or(s.status, 404), Body: []byte(`{"error":"not_found"}`)}, s.err
}

// TestReconnectsEverMoreSlowly: a dashboard that is down is not stormed, and is told of once.
func TestReconnectsEverMoreSlowly(t *testing.T) {
	testkit.NoLeaks(t)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	session := &cutOff{ctx: ctx, err: errors.New("the line is cut")}
	var waits []time.Duration
	var log bytes.Buffer
	now := time.Unix(0, 0)
	w := watch.New(watch.Options{
		Session: session, Base: "http://127.0.0.1:1/", Apply: func(bool, []dash.Permission) { t.Error("nothing was read") },
		Log: slog.New(slog.NewTextHandler(&log, nil)), Random: endless{}, Now: func() time.Time { return now },
		After: func(d time.Duration) <-chan time.Time {
			if waits = append(waits, d); len(waits) == 8 {
				cancel()
			}
			now = now.Add(d)
			c := make(chan time.Time, 1)
			c <- now
			return c
		},
	})
	w.Run(ctx)
	for i, most := range []time.Duration{2, 4, 8, 16, 30, 30, 30, 30} {
		most *= time.Second
		if waits[i] > most || waits[i] < most/2 {
			t.Errorf("wait %d is %v, want at most %v and at least half of it", i, waits[i], most)
		}
	}
	if n := strings.Count(log.String(), "the line is cut"); n != 1 {
		t.Errorf("told %d times:\n%s", n, log.String())
	}
}

// TestARefusalEndsTheWatch of this key: what was refused is refused again.
func TestARefusalEndsTheWatch(t *testing.T) {
	testkit.NoLeaks(t)
	tenure, end := context.WithCancel(t.Context())
	defer end()
	session := &cutOff{ctx: tenure}
	var log bytes.Buffer
	w := watch.New(watch.Options{
		Session: session, Base: "http://127.0.0.1:1/", Apply: func(bool, []dash.Permission) {},
		Log: slog.New(slog.NewTextHandler(io.MultiWriter(&log, ender(end)), nil)), Random: endless{}, Now: time.Now,
		After: func(time.Duration) <-chan time.Time { t.Error("it tries again"); return nil },
	})
	w.Run(t.Context())
	if session.was != 1 || strings.Count(log.String(), "refused the stream") != 1 {
		t.Errorf("%d streams:\n%s", session.was, log.String())
	}
}

// TestTooManyIsNoRefusal: a dashboard that is busy now is asked again.
func TestTooManyIsNoRefusal(t *testing.T) {
	testkit.NoLeaks(t)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	session := &cutOff{ctx: ctx, status: 429}
	w := watch.New(watch.Options{
		Session: session, Base: "http://127.0.0.1:1/", Apply: func(bool, []dash.Permission) {},
		Log: slog.New(slog.DiscardHandler), Random: endless{}, Now: time.Now,
		After: func(time.Duration) <-chan time.Time {
			if session.was == 3 {
				cancel()
				return nil
			}
			return time.After(0)
		},
	})
	w.Run(ctx)
	if session.was != 3 {
		t.Errorf("%d streams, want 3", session.was)
	}
}

// ender ends the key once something is told.
type ender context.CancelFunc

func (e ender) Write(p []byte) (int, error) {
	e()
	return len(p), nil
}

type endless struct{}

func (endless) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = byte(37 * i)
	}
	return len(p), nil
}
