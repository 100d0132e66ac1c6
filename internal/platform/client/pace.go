// SPDX-License-Identifier: Apache-2.0

package client

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"sync"
	"time"
)

// stalled ends a call in which no byte moved for a while.
type stalled struct{ limit time.Duration }

func (e *stalled) Error() string { return fmt.Sprintf("nothing moved for %v", e.limit) }

// Timeout makes it a slow call's, which is not made again by itself.
func (e *stalled) Timeout() bool { return true }

// Temporary completes net.Error.
func (e *stalled) Temporary() bool { return true }

// pace ends a call in which nothing moves. A nil pace never does.
type pace struct {
	limit time.Duration
	timer *time.Timer
}

// bound gives a call its limit in time. The caller calls end.
func (c *Client) bound(ctx context.Context, call Call) (limited context.Context, p *pace, end func()) {
	if call.Stall <= 0 {
		limited, cancel := context.WithTimeout(ctx, cmp.Or(call.Limit, c.limits.Total))
		return limited, nil, cancel
	}
	limited, cancel := context.WithCancelCause(ctx)
	p = &pace{limit: call.Stall}
	p.timer = time.AfterFunc(call.Stall, func() { cancel(&stalled{call.Stall}) })
	return limited, p, func() {
		p.timer.Stop()
		cancel(nil)
	}
}

// moved starts the wait afresh.
func (p *pace) moved() {
	if p != nil {
		p.timer.Reset(p.limit)
	}
}

// rest waits longer, once: the other side has everything, and thinks.
func (p *pace) rest(d time.Duration) {
	if p != nil {
		p.timer.Reset(p.limit + d)
	}
}

// outgoing is the body of a request: it keeps the pace, and the error with which its source ended, of which net/http
// makes one of the network's.
type outgoing struct {
	io.ReadCloser
	pace  *pace
	think time.Duration

	mu  sync.Mutex
	err error
}

func newOutgoing(req *http.Request, p *pace, think time.Duration) *outgoing {
	if req.Body == nil || req.Body == http.NoBody {
		p.rest(think)
		return nil
	}
	o := &outgoing{ReadCloser: req.Body, pace: p, think: think}
	req.Body = o
	return o
}

func (o *outgoing) Read(b []byte) (int, error) {
	n, err := o.ReadCloser.Read(b)
	switch {
	case err == nil:
		o.pace.moved()
	case errors.Is(err, io.EOF):
		o.pace.rest(o.think)
	default:
		o.mu.Lock()
		defer o.mu.Unlock()
		o.err = err
	}
	return n, err
}

func (o *outgoing) failed() error {
	if o == nil {
		return nil
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.err
}

// incoming is the body of an answer: it keeps the pace, counts, and keeps the error with which it broke off.
type incoming struct {
	r    io.Reader
	pace *pace
	n    int64
	err  error
}

func (i *incoming) Read(b []byte) (int, error) {
	n, err := i.r.Read(b)
	i.n += int64(n)
	i.pace.moved()
	if err != nil && !errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		i.err = err
	}
	return n, err
}
