// SPDX-License-Identifier: Apache-2.0

package client_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/fiftyarms/platform/internal/platform/client"
	"github.com/fiftyarms/platform/internal/platform/secret"
	"github.com/fiftyarms/platform/internal/sse"
	"github.com/fiftyarms/platform/internal/testkit"
)

// streams is a client of a server for one test, and a call that opens a stream there.
func streams(t *testing.T, limits client.Limits, h http.HandlerFunc) (*client.Client, client.Call) {
	t.Helper()
	testkit.NoLeaks(t)
	server := httptest.NewServer(h)
	t.Cleanup(server.Close)
	key := secret.New("50a_" + strings.Repeat("k", 30))
	known := new(secret.Known)
	known.Add(key)
	c, err := client.New(client.Options{Dashboard: server.URL, Version: "0.1.0", Limits: limits, Known: known})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	req, err := c.NewRequest("GET", "/api/stream", nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	return c, client.Call{Request: req, Key: key, Stall: time.Minute}
}

// frames answers with a stream that begins with text, and goes on until the client leaves.
func frames(text string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream; charset=utf-8")
		_, _ = io.WriteString(w, text)
		_ = http.NewResponseController(w).Flush()
		<-r.Context().Done()
	}
}

func open(t *testing.T, c *client.Client, call client.Call) *client.Stream {
	t.Helper()
	stream, resp, err := c.Stream(t.Context(), call)
	if err != nil || resp != nil {
		t.Fatalf("%+v, %v", resp, err)
	}
	t.Cleanup(stream.Close)
	return stream
}

// TestStream: frames come as they are sent, without the key, and the stream takes no other call's place.
func TestStream(t *testing.T) {
	var asked http.Header
	c, call := streams(t, client.Limits{Calls: 1, Total: 20 * time.Millisecond}, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/api/stream" {
			_, _ = io.WriteString(w, "{}")
			return
		}
		asked = r.Header
		frames(": hello\n\nid: 1\nevent: end\ndata: {\"key\":\""+"50a_"+strings.Repeat("k", 30)+"\"}\n\n")(w, r)
	})
	stream := open(t, c, call)
	f, err := stream.Next()
	if diff := cmp.Diff(sse.Frame{ID: "1", Event: "end", Data: []byte(`{"key":"[secret]"}`)}, f); diff != "" || err != nil {
		t.Errorf("%v\n%s", err, diff)
	}
	if got := asked.Get("Accept") + " " + asked.Get("User-Agent") + " " + asked.Get("Authorization"); got != "text/event-stream, application/json platform-mcp/0.1.0 Bearer "+call.Key.Reveal() {
		t.Errorf("sent %q", strings.ReplaceAll(got, call.Key.Reveal(), "[key]"))
	}
	if call.Request.Header.Get("Authorization") != "" {
		t.Error("the caller's request keeps the key")
	}
	req, err := c.NewRequest("GET", "/api/auth/me", nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.Do(t.Context(), client.Call{Request: req, Limit: time.Minute}); err != nil {
		t.Errorf("beside a stream: %v", err)
	}
}

// TestStreamEnds: each end of a stream is told in words.
func TestStreamEnds(t *testing.T) {
	for _, tt := range []struct {
		name   string
		stall  time.Duration
		answer http.HandlerFunc
		says   string
	}{
		{"the server ends it", time.Minute, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/event-stream")
			_, _ = io.WriteString(w, ": hello\n\ndata: half")
		}, "the stream was ended"},
		{"it breaks off", time.Minute, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/event-stream")
			_ = http.NewResponseController(w).Flush()
			panic(http.ErrAbortHandler)
		}, "the connection was closed"},
		{"silence", 50 * time.Millisecond, frames(": hello\n\n"), "nothing moved for 50ms"},
		{"a line without end", time.Minute, frames(strings.Repeat("x", sse.LineMost+2)), "more at once than is taken"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c, call := streams(t, client.Limits{}, tt.answer)
			call.Stall = tt.stall
			_, err := open(t, c, call).Next()
			failure, ok := errors.AsType[*client.Failure](err)
			if !ok || failure.Status != 200 || !strings.Contains(err.Error(), tt.says) {
				t.Errorf("%v, want %s", err, tt.says)
			}
		})
	}
}

// TestComments keep a stream open that says nothing.
func TestComments(t *testing.T) {
	const beats = 12
	c, call := streams(t, client.Limits{}, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		for range beats {
			_, _ = io.WriteString(w, ": still here\n\n")
			_ = http.NewResponseController(w).Flush()
			select {
			case <-time.After(50 * time.Millisecond):
			case <-r.Context().Done():
				return
			}
		}
		_, _ = io.WriteString(w, "data: news\n\n")
	})
	call.Stall = 400 * time.Millisecond // less than all of it takes
	if f, err := open(t, c, call).Next(); err != nil || string(f.Data) != "news" {
		t.Errorf("%q, %v", f.Data, err)
	}
}

// TestNoStream: what is no stream is an answer or a failure, and nothing but the dashboard gets the key.
func TestNoStream(t *testing.T) {
	var elsewhere []string
	other := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		elsewhere = append(elsewhere, r.URL.Path)
	}))
	defer other.Close()
	say := func(status int, header, value, body string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set(header, value)
			w.WriteHeader(status)
			_, _ = io.WriteString(w, body)
		}
	}
	for _, tt := range []struct {
		name   string
		answer http.HandlerFunc
		status int // of the answer; 0 is a failure
		says   string

		patience time.Duration // 0 is a long one
	}{
		{"refused", say(401, "Content-Type", "application/json", `{"error":"key_revoked","message":"gone"}`), 401, "key_revoked", 0},
		{"too many", say(429, "Content-Type", "application/json", `{"error":"too_many_streams"}`), 429, "too_many_streams", 0},
		{"a page", say(200, "Content-Type", "text/html", "<html>"), 0, `not a stream of events, but "text/html"`, 0},
		{"nothing", say(204, "X-A", "b", ""), 0, "not a stream of events", 0},
		{"fails", say(503, "X-A", "b", "no backend"), 0, "answered 503: no backend", 0},
		{"redirects", say(307, "Location", other.URL+"/x", ""), 0, "a redirect to " + other.URL, 0},
		{"outdated", say(200, "X-Mcp-Min-Version", "9.0.0", ""), 0, "too old", 0},
		{"never answers", func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }, 0, "no answer from", 50 * time.Millisecond},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c, call := streams(t, client.Limits{Header: tt.patience}, tt.answer)
			if tt.patience > 0 {
				call.Stall = tt.patience
			}
			stream, resp, err := c.Stream(t.Context(), call)
			switch {
			case stream != nil:
				t.Error("a stream")
				stream.Close()
			case tt.status != 0 && (err != nil || resp.Status != tt.status || !strings.Contains(string(resp.Body), tt.says)):
				t.Errorf("%+v, %v", resp, err)
			case tt.status == 0 && (err == nil || resp != nil || !strings.Contains(err.Error(), tt.says)):
				t.Errorf("%+v, %v; want %s", resp, err, tt.says)
			}
		})
	}
	if len(elsewhere) > 0 {
		t.Errorf("the redirect was followed: %q", elsewhere)
	}
}

// TestStreamIsNotSent where the key could go astray, or where nothing would end it.
func TestStreamIsNotSent(t *testing.T) {
	called := false
	c, call := streams(t, client.Limits{}, func(http.ResponseWriter, *http.Request) { called = true })
	astray := call
	astray.Request = httptest.NewRequest("GET", "http://elsewhere.example/api/stream", nil)
	endless := call
	endless.Stall = 0
	for _, call := range []client.Call{astray, endless} {
		if stream, resp, err := c.Stream(t.Context(), call); stream != nil || resp != nil || err == nil || !strings.Contains(err.Error(), "not sent") {
			t.Errorf("%v, %v", resp, err)
		}
	}
	if called {
		t.Error("it was sent")
	}
}

// TestStreamIsGivenUp: the caller's context ends it, and the error is the caller's own.
func TestStreamIsGivenUp(t *testing.T) {
	c, call := streams(t, client.Limits{}, frames(": hello\n\n"))
	over := errors.New("over")
	ctx, cancel := context.WithCancelCause(t.Context())
	stream, _, err := c.Stream(ctx, call)
	if err != nil {
		t.Fatal(err)
	}
	defer stream.Close()
	cancel(over)
	if _, err := stream.Next(); !errors.Is(err, over) {
		t.Errorf("%v", err)
	}
}
