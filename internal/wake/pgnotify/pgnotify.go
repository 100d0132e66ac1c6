// SPDX-License-Identifier: Apache-2.0

// Package pgnotify wakes every replica on a PostgreSQL: one connection, its own, listens on a channel and notifies on it.
//
// A word that is said while the connection is down, or that the server loses, is lost for the other replicas; they read
// their logs now and then anyway. Whenever the connection comes back, everything may have news, and that is said. A
// pooler in front that takes sessions apart (transaction pooling) makes LISTEN useless: give this one the server itself.
package pgnotify

import (
	"context"
	"errors"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/fiftyarms/platform/internal/wake"
	"github.com/fiftyarms/platform/internal/wake/inproc"
)

// channel is the one that all teams share: a team is in the payload. Other databases of the server do not hear it.
const channel = "fiftyarms_wake"

// teamsMost is how many teams are told of one by one; more are told as any team.
const teamsMost = 1000

const (
	gap        = 10 * time.Millisecond // between two notifications: what comes in it is joined
	probeEvery = 30 * time.Second      // how long a connection may be silent before it is asked whether it is there
	answerMost = 10 * time.Second      // for an answer of the database
	backoffMin = 100 * time.Millisecond
	backoffMax = 5 * time.Second
)

// Waker is a wake.Waker that other processes hear too. New makes one.
type Waker struct {
	local  inproc.Waker
	config *pgx.ConnConfig
	log    *slog.Logger
	cancel context.CancelFunc
	ended  chan struct{}

	mu        sync.Mutex
	pending   map[string]bool // teams that the others have not been told of
	interrupt func()          // ends the wait for notifications; nil while there is none
}

var _ wake.Waker = (*Waker)(nil)

// New makes a waker on the database at url, which need not answer yet. Close ends it.
func New(url string, log *slog.Logger) (*Waker, error) {
	config, err := pgx.ParseConfig(url)
	if err != nil {
		// The driver's words may hold the address, and with it the password.
		return nil, errors.New("the database's address is not one of PostgreSQL: write postgres://user:password@host:port/name")
	}
	ctx, cancel := context.WithCancel(context.Background())
	w := &Waker{config: config, log: log, cancel: cancel, ended: make(chan struct{}), pending: map[string]bool{}}
	go w.run(ctx)
	return w, nil
}

// Close closes the connection. Watchers are not called any more by other processes.
func (w *Waker) Close() error {
	w.cancel()
	<-w.ended
	return nil
}

// Wake tells the watchers of this process now, and the others soon.
func (w *Waker) Wake(teamID string) {
	w.local.Wake(teamID)
	w.mu.Lock()
	defer w.mu.Unlock()
	w.add(teamID)
	if w.interrupt != nil {
		w.interrupt()
	}
}

// add notes a team to tell the others of. w.mu is held.
func (w *Waker) add(teams ...string) {
	for _, team := range teams {
		w.pending[team] = true
	}
	if w.pending[""] || len(w.pending) > teamsMost {
		clear(w.pending)
		w.pending[""] = true
	}
}

// Watch hears of news from this process and the others.
func (w *Waker) Watch(f func(teamID string)) (stop func()) { return w.local.Watch(f) }

// run keeps a connection until ctx ends.
func (w *Waker) run(ctx context.Context) {
	defer close(w.ended)
	for wait, lost := backoffMin, false; ; {
		connected, err := w.session(ctx)
		if ctx.Err() != nil {
			return
		}
		if connected {
			wait, lost = backoffMin, false
		}
		if !lost { // once an outage
			lost = true
			w.log.WarnContext(ctx, "news reach other replicas late: the connection that carries them is down", "error", err)
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(wait):
		}
		wait = min(2*wait, backoffMax)
	}
}

// session runs one connection until it breaks or ctx ends.
func (w *Waker) session(ctx context.Context) (connected bool, err error) {
	conn, err := w.connect(ctx)
	if err != nil {
		return false, err
	}
	defer func() {
		closing, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
		defer cancel()
		_ = conn.Close(closing) // whatever it says, it is over
	}()
	w.local.Wake("") // what was said before the connection stood, nobody heard
	var said time.Time
	for {
		teams, wait, idle := w.next(said)
		if len(teams) > 0 {
			if err := notify(ctx, conn, teams); err != nil {
				w.mu.Lock()
				w.add(teams...)
				w.mu.Unlock()
				return true, err
			}
			said = time.Now()
			continue
		}
		if err := w.listen(ctx, conn, wait, idle); err != nil {
			return true, err
		}
	}
}

func (w *Waker) connect(ctx context.Context) (*pgx.Conn, error) {
	ctx, cancel := context.WithTimeout(ctx, answerMost)
	defer cancel()
	conn, err := pgx.ConnectConfig(ctx, w.config)
	if err != nil {
		return nil, err
	}
	if _, err := conn.Exec(ctx, "LISTEN "+channel); err != nil {
		_ = conn.Close(ctx)
		return nil, err
	}
	return conn, nil
}

// next takes the teams to tell of. Where there are none yet, it says how long to wait for notifications: until the next
// word may be said if there is one, else, idle, until the connection is due to be probed.
func (w *Waker) next(said time.Time) (teams []string, wait time.Duration, idle bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.pending) == 0 {
		return nil, probeEvery, true
	}
	if wait = gap - time.Since(said); wait > 0 {
		return nil, wait, false
	}
	teams = slices.Sorted(maps.Keys(w.pending))
	clear(w.pending)
	return teams, 0, false
}

func notify(ctx context.Context, conn *pgx.Conn, teams []string) error {
	ctx, cancel := context.WithTimeout(ctx, answerMost)
	defer cancel()
	_, err := conn.Exec(ctx, "SELECT pg_notify($1, team) FROM unnest($2::text[]) AS team", channel, teams)
	return err
}

// listen waits for one notification, for wait at most. An idle wait ends when there is a word to say.
func (w *Waker) listen(ctx context.Context, conn *pgx.Conn, wait time.Duration, idle bool) error {
	waiting, stop := context.WithTimeout(ctx, wait)
	defer stop()
	if idle && !w.interruptible(stop) {
		return nil
	}
	heard, err := conn.WaitForNotification(waiting)
	w.interruptible(nil)
	switch {
	case err == nil:
		if heard.PID != conn.PgConn().PID() { // its own words this process knows
			w.local.Wake(heard.Payload)
		}
		return nil
	case ctx.Err() != nil || waiting.Err() == nil || conn.IsClosed():
		return err
	case idle && errors.Is(waiting.Err(), context.DeadlineExceeded):
		return probe(ctx, conn)
	}
	return nil
}

// interruptible says how the wait that comes ends early, nil for not at all. It is false where it should not begin.
func (w *Waker) interruptible(stop func()) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.interrupt = stop
	return len(w.pending) == 0
}

// probe asks whether the connection is there: one that a router forgot stays silent for ever.
func probe(ctx context.Context, conn *pgx.Conn) error {
	ctx, cancel := context.WithTimeout(ctx, answerMost)
	defer cancel()
	return conn.Ping(ctx)
}
