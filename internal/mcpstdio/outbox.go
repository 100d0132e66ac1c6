// SPDX-License-Identifier: Apache-2.0

package mcpstdio

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"

	"github.com/mark3labs/mcp-go/mcp"
)

// ErrClosed is returned for what is sent through a session that is over.
var ErrClosed = errors.New("mcp session is over")

// frame is a line of ours on its way to the writer. An empty one is a barrier:
// written means that everything before it is.
type frame struct {
	line    []byte
	written chan struct{}
}

// frameField carries a *frame inside a notification. The type is unexported,
// so nothing that mcp-go or a handler sends can be mistaken for one.
const frameField = "frame"

// outbox is the one way to the output. Its queue has the type that mcp-go
// demands of a notification channel, so that a single queue holds mcp-go's
// notifications and our frames, and the order of sending is kept.
type outbox struct {
	out   io.Writer
	log   *slog.Logger
	queue chan mcp.JSONRPCNotification
	stop  chan struct{} // closed by Serve: write what is queued, then end
	ended chan struct{} // closed when run has returned

	// over is done once nothing more is written; its cause says why.
	over context.Context
	end  context.CancelCauseFunc
}

// spareRoom is how many goroutines beside the running calls may send a
// notification of mcp-go's at the same instant.
const spareRoom = 768

func newOutbox(out io.Writer, opts Options) *outbox {
	o := &outbox{
		out:   out,
		log:   opts.Log,
		queue: make(chan mcp.JSONRPCNotification, 2*(opts.MaxInFlight+spareRoom)),
		stop:  make(chan struct{}),
		ended: make(chan struct{}),
	}
	o.over, o.end = context.WithCancelCause(context.Background())
	return o
}

// run writes until stop is closed or a write fails.
func (o *outbox) run() {
	defer close(o.ended)
	for {
		select {
		case n := <-o.queue:
			if !o.write(n) {
				return
			}
		case <-o.stop:
			// The length is taken once: others may go on sending for ever.
			for range len(o.queue) {
				if !o.write(<-o.queue) {
					return
				}
			}
			o.end(ErrClosed)
			return
		}
	}
}

func (o *outbox) write(n mcp.JSONRPCNotification) bool {
	if o.over.Err() != nil {
		return false // Serve gave up on a Write that then came back
	}
	f, ours := n.Params.AdditionalFields[frameField].(*frame)
	if !ours {
		line, err := encode(n)
		if err != nil {
			o.log.Error("notification dropped", "method", n.Method, "error", err)
			return true
		}
		f = &frame{line: line}
	}
	if len(f.line) > 0 {
		if _, err := o.out.Write(f.line); err != nil {
			o.end(fmt.Errorf("write to client: %w", err))
			return false
		}
	}
	if f.written != nil {
		close(f.written)
	}
	return true
}

// send returns when the line is written, or will never be. When ctx ends while
// it waits, the line may still be written later.
func (o *outbox) send(ctx context.Context, line []byte) error {
	f := &frame{line: line, written: make(chan struct{})}
	select {
	case o.queue <- wrap(f):
	case <-ctx.Done():
		return ctx.Err()
	case <-o.over.Done():
		return context.Cause(o.over)
	}
	select {
	case <-f.written:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	case <-o.over.Done():
	}
	select {
	case <-f.written: // both were ready, and the line did go out
		return nil
	default:
		return context.Cause(o.over)
	}
}

// offer queues the line if there is room, and does not wait.
func (o *outbox) offer(line []byte) {
	select {
	case o.queue <- wrap(&frame{line: line}):
	default:
	}
}

func wrap(f *frame) mcp.JSONRPCNotification {
	return mcp.JSONRPCNotification{Notification: mcp.Notification{
		Params: mcp.NotificationParams{AdditionalFields: map[string]any{frameField: f}},
	}}
}

// room returns the queue once half of it is free, for a sender that will not
// wait. After the session's end it returns at once.
func (o *outbox) room() chan<- mcp.JSONRPCNotification {
	for len(o.queue) > cap(o.queue)/2 {
		if o.send(context.Background(), nil) != nil {
			break
		}
	}
	return o.queue
}
