// SPDX-License-Identifier: Apache-2.0

package mcpstdio

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
)

// Options are the limits of a session. The zero value of each field means its
// default.
type Options struct {
	// MaxLine is the longest line read, in bytes without its line ending;
	// default 4 MiB. A longer one is refused with -32600.
	MaxLine int
	// MaxInFlight is how many requests run at once; default 256. A request
	// that waits for the client (elicitation, a long poll) counts.
	MaxInFlight int
	// MaxQueue is how many requests wait while MaxInFlight run; default 16
	// times MaxInFlight. Together they hold at most 16 times MaxLine bytes.
	// Beyond either limit a request is refused with -32000.
	MaxQueue int
	// Grace is how long the requests received may go on when the input has
	// ended; default 5 s. A negative Grace is none.
	Grace time.Duration
	// Log takes what neither the client nor the caller is told, never the
	// contents of a message; default none.
	Log *slog.Logger
}

// queueLines is how many lines of the greatest length may wait.
const queueLines = 16

// windDown is how long Serve waits at its end for handlers whose context it
// has cancelled, and for the last frames to be written.
const windDown = time.Second

func (o Options) withDefaults() Options {
	if o.MaxLine <= 0 {
		o.MaxLine = 4 << 20
	}
	if o.MaxInFlight <= 0 {
		o.MaxInFlight = 256
	}
	if o.MaxQueue <= 0 {
		o.MaxQueue = 16 * o.MaxInFlight
	}
	if o.Grace == 0 {
		o.Grace = 5 * time.Second
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	return o
}

var (
	errStopped  = errors.New("server was stopped")
	errGrace    = errors.New("input ended, and the time to finish is over")
	errFinished = errors.New("session is over")
	errUnread   = errors.New("client does not read: frames are lost")
)

// conn is one run of Serve.
type conn struct {
	srv   *server.MCPServer
	sess  *Session
	box   *outbox
	calls *inflight
	log   *slog.Logger

	ctx    context.Context // of every handler
	cancel context.CancelCauseFunc
}

// Serve answers the client on in and out with srv until one of these:
//
//   - in ends. The requests received so far may go on for Options.Grace and
//     are answered; then their contexts are cancelled. Serve returns nil, or
//     the error that reading ended with, or an error when answers are lost
//     because the client did not read them in that time.
//   - ctx is done. All contexts are cancelled at once. Serve returns ctx.Err().
//   - a write to out fails. All contexts are cancelled. Serve returns the
//     error. (On os.Stdout a program that does not ignore SIGPIPE is killed by
//     that signal instead.)
//
// A request that was not cancelled by the client is answered, also during the
// end, if its handler returns within a second of its context's end. Serve then
// leaves behind a handler that ignores its context, and says so in the log.
//
// Nothing but frames is written to out, each with a single Write.
//
// A Read or Write under way cannot be interrupted in general. Serve sets a read
// deadline on in to stop reading, or else closes it if it can be closed, and
// sets a write deadline on out; where that has no effect, as with an os.Stdin
// that is a terminal or a blocking pipe, the goroutine that reads or writes
// outlives Serve until the call returns, and then ends without doing anything.
func Serve(ctx context.Context, srv *server.MCPServer, in io.Reader, out io.Writer, opts Options) error {
	opts = opts.withDefaults()
	box := newOutbox(out, opts)
	c := &conn{srv: srv, sess: newSession(box), box: box, calls: newInflight(opts), log: opts.Log}
	c.ctx, c.cancel = context.WithCancelCause(srv.WithContext(ctx, c.sess))
	defer c.cancel(errFinished)

	// Before the hooks of RegisterSession, which may notify.
	go box.run()
	if err := srv.RegisterSession(ctx, c.sess); err != nil {
		close(box.stop)
		return fmt.Errorf("register session: %w", err)
	}
	defer srv.UnregisterSession(context.WithoutCancel(ctx), c.sess.id)

	var readErr error
	readEnd := make(chan struct{})
	go func() {
		defer close(readEnd)
		readErr = c.read(newLineReader(in, opts.MaxLine))
	}()

	var err error
	cause := errStopped
	select {
	case <-ctx.Done():
		err = ctx.Err()
	case <-box.over.Done():
		err = context.Cause(box.over)
	case <-readEnd:
		cause = errGrace
		close(c.sess.ask.noMore)
		if err = c.finish(ctx, opts.Grace); err == nil {
			err = readErr
		}
	}
	if stopErr := c.stop(cause, in, readEnd); err == nil {
		err = stopErr
	}
	return err
}

// finish lets the calls received so far end, for as long as grace.
func (c *conn) finish(ctx context.Context, grace time.Duration) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	// A subscription ends only by being cancelled: it would use up the grace.
	c.calls.cancelMethod(string(mcp.MethodSubscriptionsListen), errGrace)
	timer := time.NewTimer(max(grace, 0))
	defer timer.Stop()
	select {
	case <-c.calls.close():
	case <-timer.C:
	case <-ctx.Done():
		return ctx.Err()
	case <-c.box.over.Done():
		return context.Cause(c.box.over)
	}
	return nil
}

// stop ends everything that this run of Serve has started, in the order in
// which work flows: reading, handlers, writing. Its error tells of frames that
// were sent but not written.
func (c *conn) stop(cause error, in io.Reader, readEnd <-chan struct{}) (err error) {
	limit, cancel := context.WithTimeout(context.Background(), windDown)
	defer cancel()
	c.cancel(cause)
	readEnds := true
	select {
	case <-readEnd:
	default:
		readEnds = interruptRead(in)
	}
	if !await(limit, c.calls.close()) {
		c.log.Warn("stopping while handlers run", "running", c.calls.count())
	}
	close(c.box.stop)
	if !await(limit, c.box.ended) {
		err = errUnread
		c.log.Warn(err.Error())
		c.box.end(ErrClosed)
		interruptWrite(c.box.out)
	}
	if readEnds {
		await(limit, readEnd)
	}
	return err
}

func await(limit context.Context, ended <-chan struct{}) bool {
	select {
	case <-ended:
		return true
	case <-limit.Done():
		return false
	}
}

// interruptRead makes a Read under way return, if in can do that. It reports
// whether the Read is sure to return: closing an *os.File may not end it.
func interruptRead(in io.Reader) bool {
	if d, ok := in.(interface{ SetReadDeadline(time.Time) error }); ok && d.SetReadDeadline(time.Now()) == nil {
		return true
	}
	if c, ok := in.(io.Closer); ok {
		_ = c.Close() // only to end the Read; there is nothing to lose
	}
	return false
}

func interruptWrite(out io.Writer) {
	if d, ok := out.(interface{ SetWriteDeadline(time.Time) error }); ok {
		_ = d.SetWriteDeadline(time.Now()) // where it has no effect, the Write stays
	}
}
