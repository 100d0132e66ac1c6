// SPDX-License-Identifier: Apache-2.0

package testkit

import (
	"context"
	"io"
	"net/http"
	"net/url"
	"time"

	"github.com/fiftyarms/platform/internal/sse"
)

// A Stream is a stream that a caller has opened.
type Stream struct {
	Header http.Header

	c      *Caller
	frames *sse.Reader
	body   io.ReadCloser
	cancel context.CancelFunc
}

// patience is how long a test waits for what has to come.
const patience = 20 * time.Second

// Follow opens a stream on topics, after the event with the last id that came, or with "" from now on. It ends with the
// test, and before that with Close.
func (c *Caller) Follow(topics, lastID string) *Stream {
	c.d.t.Helper()
	s, err := c.TryFollow(topics, lastID)
	if err != nil {
		c.d.t.Fatal(err)
	}
	return s
}

// TryFollow is Follow for other goroutines than the test's.
func (c *Caller) TryFollow(topics, lastID string) (*Stream, error) {
	ctx, cancel := context.WithCancel(c.d.t.Context())
	r := c.Request("GET", "/api/stream?"+url.Values{"topics": {topics}}.Encode(), nil).WithContext(ctx)
	if lastID != "" {
		r.Header.Set("Last-Event-ID", lastID)
	}
	late := time.AfterFunc(patience, cancel)
	response, err := c.d.client.Do(r)
	late.Stop()
	if err == nil && response.StatusCode != http.StatusOK {
		body, _ := io.ReadAll(response.Body)
		err = &UnexpectedError{Answer{response.StatusCode, response.Header, body}}
	}
	if err != nil {
		cancel()
		return nil, err
	}
	s := &Stream{response.Header, c, sse.NewReader(response.Body), response.Body, cancel}
	c.d.t.Cleanup(s.Close)
	return s, nil
}

// UnexpectedError is an answer that no test wants.
type UnexpectedError struct{ Answer Answer }

// Error says what was answered.
func (e *UnexpectedError) Error() string {
	return http.StatusText(e.Answer.Status) + ": " + string(e.Answer.Body)
}

// Next is the next frame. The test fails if none comes.
func (s *Stream) Next() sse.Frame {
	s.c.d.t.Helper()
	f, err := s.Read()
	if err != nil {
		s.c.d.t.Fatalf("the stream: %v", err)
	}
	return f
}

// Read is Next for other goroutines than the test's. At the end of the stream it is io.EOF.
func (s *Stream) Read() (sse.Frame, error) {
	late := time.AfterFunc(patience, s.cancel)
	defer late.Stop()
	return s.frames.Next()
}

// LastID is the last id that came.
func (s *Stream) LastID() string { return s.frames.LastID() }

// Close ends the stream.
func (s *Stream) Close() {
	s.cancel()
	s.body.Close()
}
