// SPDX-License-Identifier: Apache-2.0

package mcphttp

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"log/slog"
	"net"
	"net/http"
	"time"

	"github.com/fiftyarms/platform/internal/platform/secret"
)

// Server is the server of one session.
type Server interface {
	// Serve answers one client, a message a line, with one Write for each line of its own. It returns soon after ctx is
	// done; after the end of in, it lets calls go on for some seconds. It closes in, if it can be closed, where it stops
	// reading before in's end.
	Serve(ctx context.Context, in io.Reader, out io.Writer) error
}

// Options are what Serve needs. Zero limits mean their defaults.
type Options struct {
	Open    func() (Server, error) // makes a session's server
	Token   secret.Text            // what a client has to send; not zero
	Names   []string               // by which the address may be called, beside itself; loopback is localhost, too
	Origins []string               // of the pages that may call, beside those of the same host, like https://app.example

	MaxSessions int           // open at once; default 32
	MaxBody     int64         // bytes of a message; default 4 MiB
	Idle        time.Duration // after which a session ends; default an hour

	Random io.Reader                            // of session ids: rand.Reader, or a test's; safe for concurrent use
	Now    func() time.Time                     // time.Now, or a test's
	After  func(time.Duration) <-chan time.Time // time.After, or a test's
	Log    *slog.Logger                         // never the contents of a message; nil is none
}

func (o Options) withDefaults() Options {
	if o.MaxSessions <= 0 {
		o.MaxSessions = 32
	}
	if o.MaxBody <= 0 {
		o.MaxBody = 4 << 20
	}
	if o.Idle <= 0 {
		o.Idle = time.Hour
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	return o
}

const (
	headerLimit = 10 * time.Second // for a request's header to come
	bodyLimit   = time.Minute      // for its body
	writeLimit  = 30 * time.Second // for a client to take what is written
	idleLimit   = 2 * time.Minute  // a connection between two requests
	sweepEvery  = time.Minute
	drainLimit  = 8 * time.Second // for the sessions' servers, at the end
	closeLimit  = 2 * time.Second // then, for the last answers to be written
	keepAlive   = 15 * time.Second
)

// Serve answers clients at l, which it closes, until ctx is done or listening fails. At its end, open calls may go on for
// as long as each session's server lets them, and are answered; when it returns nothing of it runs any more. Being told
// to stop is no error.
func Serve(ctx context.Context, l net.Listener, o Options) error {
	o = o.withDefaults()
	if !o.Token.Sendable() {
		return errors.Join(errors.New("no token that a client could send"), l.Close())
	}
	guard, err := newGuard(l.Addr(), o)
	if err != nil {
		return errors.Join(err, l.Close())
	}
	work, cancel := context.WithCancel(context.WithoutCancel(ctx))
	defer cancel()
	sessions := newTable(work, o)
	srv := &http.Server{
		Handler:           guard.before(&handler{o: o, sessions: sessions}),
		ReadHeaderTimeout: headerLimit,
		IdleTimeout:       idleLimit,
		MaxHeaderBytes:    64 << 10,
		// What net/http says of odd requests may quote them.
		ErrorLog: log.New(io.Discard, "", 0),
	}
	failed := make(chan error, 1)
	go func() { failed <- srv.Serve(l) }()
	for running := true; running; {
		select {
		case <-o.After(sweepEvery):
			sessions.sweep()
		case err = <-failed:
			err, running = fmt.Errorf("listen on %s: %w", l.Addr(), err), false
		case <-ctx.Done():
			running = false
		}
	}
	stopped := make(chan struct{})
	go func() { // no further connection, while the open calls go on
		defer close(stopped)
		limit, cancel := context.WithTimeout(work, drainLimit+closeLimit)
		defer cancel()
		if srv.Shutdown(limit) != nil {
			_ = srv.Close() // of clients that do not read: nothing is lost that they would have had
		}
	}()
	sessions.drain(time.After(drainLimit))
	<-stopped
	return err
}
