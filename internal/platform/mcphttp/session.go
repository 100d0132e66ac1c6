// SPDX-License-Identifier: Apache-2.0

package mcphttp

import (
	"bytes"
	"context"
	"errors"
	"io"
	"log/slog"
	"sync"
)

var (
	errEnded = errors.New("the session has ended")
	errInUse = errors.New("the id is in use by a request that is not answered yet")
)

// session is one client's server, and where its lines go.
type session struct {
	id     string
	log    *slog.Logger
	cancel context.CancelFunc
	in     *io.PipeWriter
	done   chan struct{} // closed when the server has returned
	aside  *stream       // what belongs to no call

	// sending orders what is told of a request by what the server reads: a cancellation that finds the call here finds it
	// there too.
	sending sync.Mutex

	mu     sync.Mutex
	calls  map[string]*call // unanswered, by id
	tokens map[string]*call // of these, those that asked for progress
	ready  bool             // initialize was answered well
	over   bool
}

// call is a request that waits for its answer.
type call struct {
	id, token string
	first     bool // initialize
	out       *stream
}

// start runs a server until ctx is done or its input ends.
func start(ctx context.Context, id string, srv Server, log *slog.Logger) *session {
	ctx, cancel := context.WithCancel(ctx)
	in, toServer := io.Pipe()
	s := &session{
		id: id, log: log, cancel: cancel, in: toServer, done: make(chan struct{}), aside: newStream(maxAside, true),
		calls: map[string]*call{}, tokens: map[string]*call{},
	}
	go func() {
		defer close(s.done)
		defer cancel()
		err := srv.Serve(ctx, in, fromServer{s})
		if err != nil && ctx.Err() == nil {
			log.Warn("a session ended", "error", err)
		}
		_ = in.CloseWithError(errEnded) // its error is always nil
		s.finish()
	}()
	return s
}

// finish ends what waits for the server.
func (s *session) finish() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.over = true
	for _, c := range s.calls {
		c.out.end()
	}
	clear(s.calls)
	clear(s.tokens)
	s.aside.end()
}

// request hands a request to the server, and returns where its lines come.
func (s *session) request(m message) (*stream, error) {
	c := &call{id: m.id, token: m.token, first: m.method == methodInitialize, out: newStream(maxBehind, false)}
	s.sending.Lock()
	defer s.sending.Unlock()
	if err := s.expect(c); err != nil {
		return nil, err
	}
	if _, err := s.in.Write(m.lineFeed); err != nil {
		return nil, errEnded // finish has ended the call, or will
	}
	return c.out, nil
}

func (s *session) expect(c *call) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.over {
		return errEnded
	}
	if s.calls[c.id] != nil {
		return errInUse
	}
	s.calls[c.id] = c
	if c.token != "" {
		s.tokens[c.token] = c
	}
	return nil
}

// tell hands a notification or a response to the server.
func (s *session) tell(m message) error {
	s.sending.Lock()
	defer s.sending.Unlock()
	if _, err := s.in.Write(m.lineFeed); err != nil {
		return errEnded
	}
	if m.cancels != "" {
		if c := s.settle(m.cancels); c != nil {
			c.out.end() // a cancelled request is not answered
		}
	}
	return nil
}

// settle takes the call out whose answer has come, or never will; nil when there is none.
func (s *session) settle(id string) *call {
	s.mu.Lock()
	defer s.mu.Unlock()
	c := s.calls[id]
	if c == nil {
		return nil
	}
	delete(s.calls, id)
	if s.tokens[c.token] == c {
		delete(s.tokens, c.token)
	}
	return c
}

// initialized tells whether the client and the server have met.
func (s *session) initialized() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.ready
}

// fromServer takes the server's lines, one a Write.
type fromServer struct{ s *session }

func (f fromServer) Write(p []byte) (int, error) {
	f.s.route(bytes.Clone(bytes.TrimSuffix(p, []byte{'\n'})))
	return len(p), nil
}

// route brings a line of the server's to where it belongs. It never waits.
func (s *session) route(line []byte) {
	m, _, ok := peek(line)
	switch {
	case !ok || m.kind == kindResponse && m.id == "":
		s.log.Error("the server wrote a line that is for nobody", "bytes", len(line))
	case m.kind == kindResponse:
		c := s.settle(m.id)
		if c == nil {
			s.log.Debug("an answer to no request")
			return
		}
		if c.first && !m.failed {
			s.mu.Lock()
			s.ready = true
			s.mu.Unlock()
		}
		s.taken(c.out.putLast(line))
	case m.method == methodProgress:
		s.mu.Lock()
		c := s.tokens[m.token]
		s.mu.Unlock()
		if c != nil { // else the call is over: its progress is worth nothing
			s.taken(c.out.put(line))
		}
	default:
		s.taken(s.aside.put(line))
	}
}

// taken logs that a stream had no room for all its lines.
func (s *session) taken(all bool) {
	if !all {
		s.log.Warn("lines were dropped, since the client does not read them")
	}
}
