// SPDX-License-Identifier: Apache-2.0

package mcpstdio

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"sync"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
)

// ErrInputClosed is returned for a request to the client whose answer cannot
// come any more.
var ErrInputClosed = errors.New("input from the client has ended")

// requests are ours to the client that wait for an answer.
type requests struct {
	mu     sync.Mutex
	last   int64
	answer map[string]chan []byte // by the key of our id
	noMore chan struct{}          // closed when no answer can come
}

func newRequests() requests {
	return requests{answer: map[string]chan []byte{}, noMore: make(chan struct{})}
}

// open draws an id. It is a positive integer, of a space of its own: the
// client's ids do not meet ours.
func (r *requests) open() (id int64, answer <-chan []byte) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.last++
	c := make(chan []byte, 1)
	r.answer[idKey(r.last)] = c
	return r.last, c
}

// deliver hands an answer to the request it is for, and reports whether there
// was one. Each request takes one answer.
func (r *requests) deliver(m message) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	c, ok := r.answer[m.id.key]
	if ok {
		delete(r.answer, m.id.key)
		c <- m.line
	}
	return ok
}

func (r *requests) forget(id int64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.answer, idKey(id))
}

// idKey is the key that [parseID] gives the id when it comes back.
func idKey(id int64) string { return "n" + strconv.FormatInt(id, 10) }

// request sends a request to the client and returns the result of its answer.
// When ctx ends first, the client is told that the request is cancelled.
func (s *Session) request(ctx context.Context, method string, params any) (json.RawMessage, error) {
	id, answer := s.ask.open()
	defer s.ask.forget(id)
	line, err := encodeMethod(id, method, params)
	if err != nil {
		return nil, err
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if err := s.box.send(ctx, line); err != nil {
		s.recall(ctx, id)
		return nil, err
	}
	select {
	case line := <-answer:
		return result(line)
	case <-s.box.over.Done():
		return nil, context.Cause(s.box.over)
	case <-s.ask.noMore:
	case <-ctx.Done():
		s.recall(ctx, id)
		return nil, ctx.Err()
	}
	select {
	case line := <-answer: // it was the last thing to come in
		return result(line)
	default:
		return nil, ErrInputClosed
	}
}

// recall tells the client, if it reads, that no one waits for its answer.
func (s *Session) recall(ctx context.Context, id int64) {
	if ctx.Err() == nil {
		return
	}
	line, err := encodeMethod(0, string(mcp.MethodNotificationCancelled), map[string]any{"requestId": id})
	if err == nil {
		s.box.offer(line)
	}
}

func result(line []byte) (json.RawMessage, error) {
	var a struct {
		Result json.RawMessage          `json:"result"`
		Error  *mcp.JSONRPCErrorDetails `json:"error"`
	}
	if err := json.Unmarshal(line, &a); err != nil {
		return nil, fmt.Errorf("read the client's answer: %w", err)
	}
	if a.Error != nil {
		return nil, fmt.Errorf("client refused: %s (%d)", a.Error.Message, a.Error.Code)
	}
	return a.Result, nil
}

// RequestElicitation asks the person at the client. It waits for the answer as
// long as ctx lasts. A client that did not declare the capability is not
// asked: the error then wraps server.ErrElicitationNotSupported.
func (s *Session) RequestElicitation(ctx context.Context, request mcp.ElicitationRequest) (*mcp.ElicitationResult, error) {
	if err := s.canElicit(request.Params.Mode); err != nil {
		return nil, err
	}
	raw, err := s.request(ctx, string(mcp.MethodElicitationCreate), request.Params)
	if err != nil {
		return nil, fmt.Errorf("elicit: %w", err)
	}
	var answer mcp.ElicitationResult
	if err := json.Unmarshal(raw, &answer); err != nil {
		return nil, fmt.Errorf("elicit: read the client's answer: %w", err)
	}
	return &answer, nil
}

// canElicit checks the mode too: a capability without modes means form only.
func (s *Session) canElicit(mode string) error {
	caps := s.GetClientCapabilities().Elicitation
	switch {
	case caps == nil:
		return fmt.Errorf("client did not declare the elicitation capability: %w", server.ErrElicitationNotSupported)
	case mode == mcp.ElicitationModeURL && caps.URL == nil:
		return fmt.Errorf("client did not declare elicitation by url: %w", server.ErrElicitationNotSupported)
	case mode != mcp.ElicitationModeURL && caps.URL != nil && caps.Form == nil:
		return fmt.Errorf("client did not declare elicitation by form: %w", server.ErrElicitationNotSupported)
	}
	return nil
}
