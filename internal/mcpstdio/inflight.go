// SPDX-License-Identifier: Apache-2.0

package mcpstdio

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"github.com/mark3labs/mcp-go/mcp"
)

// call is a request from its arrival to its answer.
type call struct {
	message
	ctx       context.Context
	cancel    context.CancelCauseFunc
	withdrawn bool // the client cancelled it: no answer. Guarded by inflight.mu
}

// inflight holds the calls that run and those that wait, and owns the decision
// whether a call is still to be answered.
type inflight struct {
	maxRun, maxWait, maxBytes int

	mu      sync.Mutex
	byID    map[string]*call // unanswered calls, running or waiting
	running int
	waiting []*call // in order of arrival
	bytes   int     // lengths of the waiting calls' lines
	closed  bool
	idle    chan struct{} // closed when closed is set and nothing runs
}

func newInflight(opts Options) *inflight {
	return &inflight{
		maxRun:   opts.MaxInFlight,
		maxWait:  opts.MaxQueue,
		maxBytes: queueLines * opts.MaxLine,
		byID:     map[string]*call{},
		idle:     make(chan struct{}),
	}
}

// admit takes a call in. It reports whether the call is to run now; otherwise
// it waits, and release hands it out later. at once means that the call runs
// whatever else does.
func (f *inflight) admit(c *call, atOnce bool) (run bool, bad *refusal) {
	f.mu.Lock()
	defer f.mu.Unlock()
	_, twice := f.byID[c.id.key]
	run = atOnce || f.running < f.maxRun
	switch {
	case f.closed:
		return false, &refusal{c.id, codeBusy, "server is stopping"}
	case twice:
		return false, &refusal{c.id, mcp.INVALID_REQUEST, "id is in use by a request that is not answered yet"}
	case run:
		f.running++
	case len(f.waiting) >= f.maxWait:
		return false, &refusal{c.id, codeBusy, fmt.Sprintf("too many requests: %d run and %d wait, which is the limit", f.running, len(f.waiting))}
	case f.bytes+len(c.line) > f.maxBytes:
		return false, &refusal{c.id, codeBusy, fmt.Sprintf("too many requests: those that wait would hold more than %d bytes, which is the limit", f.maxBytes)}
	default:
		f.waiting = append(f.waiting, c)
		f.bytes += len(c.line)
	}
	f.byID[c.id.key] = c
	return run, nil
}

// withdraw cancels a call for its client. A waiting call will never run. It
// reports whether the call was there.
func (f *inflight) withdraw(id requestID, cause error) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	c := f.byID[id.key]
	if c == nil {
		return false
	}
	delete(f.byID, id.key)
	c.withdrawn = true
	c.cancel(cause)
	if i := slices.Index(f.waiting, c); i >= 0 {
		f.take(i)
	}
	return true
}

// cancelMethod ends the contexts of all calls of a method. Their answers stay
// due.
func (f *inflight) cancelMethod(method string, cause error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, c := range f.byID {
		if c.method == method {
			c.cancel(cause)
		}
	}
}

// settle reports whether the answer of c is due, and frees its id. The id is
// free before the answer is written: a client may use it again the moment it
// has the answer.
func (f *inflight) settle(c *call) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	if c.withdrawn {
		return false
	}
	delete(f.byID, c.id.key)
	return true
}

// release gives back the place of a call that ran, and returns the call that
// takes it, or nil.
func (f *inflight) release() *call {
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(f.waiting) > 0 && f.running <= f.maxRun {
		return f.take(0)
	}
	f.running--
	f.signal()
	return nil
}

func (f *inflight) take(i int) *call {
	c := f.waiting[i]
	f.waiting = slices.Delete(f.waiting, i, i+1)
	f.bytes -= len(c.line)
	return c
}

// close admits no further call. The channel is closed once none runs.
func (f *inflight) close() <-chan struct{} {
	f.mu.Lock()
	defer f.mu.Unlock()
	if !f.closed {
		f.closed = true
		f.signal()
	}
	return f.idle
}

func (f *inflight) signal() {
	if f.closed && f.running == 0 {
		close(f.idle)
	}
}

// count is for the log.
func (f *inflight) count() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.running
}
