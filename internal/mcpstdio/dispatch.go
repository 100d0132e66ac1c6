// SPDX-License-Identifier: Apache-2.0

package mcpstdio

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"runtime/debug"

	"github.com/mark3labs/mcp-go/mcp"
)

// read routes the lines of the input until it ends. It waits for nothing but
// the input, handlers of initialize and of notifications, and the writing of
// an error answer of its own.
func (c *conn) read(lines *lineReader) error {
	for {
		line, err := lines.next()
		switch {
		case c.ctx.Err() != nil:
			return nil
		case errors.Is(err, errLineTooLong):
			c.refuse(refusal{idOfBeginning(line), mcp.INVALID_REQUEST, fmt.Sprintf("line is longer than %d bytes, which is the limit", lines.max)})
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return fmt.Errorf("read from client: %w", err)
		case !blank(line):
			c.dispatch(line)
		}
	}
}

func (c *conn) dispatch(line []byte) {
	m, bad := classify(line)
	switch {
	case bad != nil:
		c.refuse(*bad)
	case m.kind == kindResponse:
		if !c.sess.ask.deliver(m) {
			c.log.Debug("answer to no request", "id", string(m.id.raw))
		}
	case m.kind == kindNotification && m.method == string(mcp.MethodNotificationCancelled):
		c.cancelled(m)
	case m.kind == kindNotification:
		c.notified(m)
	default:
		c.requested(m)
	}
}

func (c *conn) refuse(r refusal) {
	// An error ends the session, and Serve returns it.
	_ = c.box.send(context.Background(), encodeError(r.id, r.code, r.text))
}

// cancelled is ours and not mcp-go's, which finds a call by its rounded id.
func (c *conn) cancelled(m message) {
	var n struct {
		Params struct {
			RequestID json.RawMessage `json:"requestId"`
		} `json:"params"`
	}
	err := json.Unmarshal(m.line, &n)
	id, idErr := parseID(n.Params.RequestID)
	if err != nil || idErr != nil {
		c.log.Warn("cancellation without a usable requestId")
		return
	}
	if !c.calls.withdraw(id, errors.New("cancelled by the client")) {
		c.log.Debug("cancellation of no request", "id", string(id.raw)) // usual: the answer was on its way
	}
}

func (c *conn) notified(m message) {
	returned := false
	defer func() {
		if !returned {
			c.logPanic(m.method, recover())
		}
	}()
	// mcp-go answers a notification that it cannot read; no one may.
	if answer := c.srv.HandleMessage(c.ctx, m.line); answer != nil {
		c.log.Warn("notification was not understood", "method", m.method)
	}
	returned = true
}

func (c *conn) requested(m message) {
	cl := &call{message: m}
	cl.ctx, cl.cancel = context.WithCancelCause(c.ctx)
	first := m.method == string(mcp.MethodInitialize)
	run, bad := c.calls.admit(cl, first)
	switch {
	case bad != nil:
		cl.cancel(nil)
		c.refuse(*bad)
	case first:
		// Answered before the next line is read: it decides what those mean.
		c.run(cl)
	case run:
		go c.run(cl)
	}
}

// run answers one call and then passes its place on.
func (c *conn) run(cl *call) {
	defer func() {
		if next := c.calls.release(); next != nil {
			go c.run(next)
		}
	}()
	var answer []byte
	defer func() {
		// Without an answer the handler panicked or called runtime.Goexit;
		// recover stops only the former, so the rest is done here.
		if answer == nil {
			c.logPanic(cl.method, recover())
			answer = encodeError(cl.id, mcp.INTERNAL_ERROR, "internal error")
		}
		if c.calls.settle(cl) {
			_ = c.box.send(context.Background(), answer) // an error ends the session, and Serve returns it
		}
		cl.cancel(nil)
	}()
	answer = c.answer(cl)
}

func (c *conn) answer(cl *call) []byte {
	if cl.ctx.Err() != nil {
		return encodeError(cl.id, codeBusy, "not run: server is stopping")
	}
	line, err := encodeAnswer(cl.id, c.srv.HandleMessage(cl.ctx, cl.line))
	if err != nil {
		c.log.Error("result cannot be encoded", "method", cl.method, "error", err)
		return encodeError(cl.id, mcp.INTERNAL_ERROR, "result cannot be encoded as JSON")
	}
	return line
}

func (c *conn) logPanic(method string, value any) {
	c.log.Error("handler did not return", "method", method, "panic", value, "stack", string(debug.Stack()))
}
