// SPDX-License-Identifier: Apache-2.0

//go:build conformance

package main

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/fiftyarms/platform/internal/sse"
	"github.com/fiftyarms/platform/internal/testkit"
)

// patience bounds a wait that should be short.
const patience = 20 * time.Second

// client is one session of a running program.
type client struct {
	t            *testing.T
	url, session string
	next         int
}

func open(t *testing.T) *client {
	t.Helper()
	testkit.NoLeaks(t)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- serve(ctx, l) }()
	t.Cleanup(func() {
		stop()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
	c := &client{t: t, url: "http://" + l.Addr().String() + "/mcp"}
	resp := c.do(http.MethodPost, `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","clientInfo":{"name":"t","version":"1"},"capabilities":{}}}`)
	c.session = resp.Header.Get("Mcp-Session-Id")
	c.do(http.MethodPost, `{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	return c
}

func (c *client) do(method, body string) *http.Response {
	c.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	c.t.Cleanup(cancel)
	req, err := http.NewRequestWithContext(ctx, method, c.url, strings.NewReader(body))
	if err != nil {
		c.t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json, text/event-stream")
	if c.session != "" {
		req.Header.Set("Mcp-Session-Id", c.session)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		c.t.Fatal(err)
	}
	c.t.Cleanup(func() { _ = resp.Body.Close() })
	return resp
}

// call is the answer to a request.
func (c *client) call(method, params string) string {
	c.t.Helper()
	c.next++
	body, err := io.ReadAll(c.do(http.MethodPost, fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":%q,"params":%s}`, c.next, method, params)).Body)
	if err != nil {
		c.t.Fatal(err)
	}
	return string(body)
}

func (c *client) touch() string { return c.call("tools/call", `{"name":"touch_watched_resource"}`) }

func TestSubscriptionsAreServed(t *testing.T) {
	c := open(t)
	const watched = `{"uri":"` + watchedURI + `"}`
	for _, step := range []struct{ method, params, answer, touched string }{
		{"resources/unsubscribe", watched, `"result":{}`, "nobody"},
		{"resources/subscribe", `{"uri":"test://static-text"}`, `"result":{}`, "nobody"},
		{"resources/subscribe", watched, `"result":{}`, "told"},
		{"resources/unsubscribe", `{"uri":"test://static-text"}`, `"result":{}`, "told"},
		{"resources/unsubscribe", watched, `"result":{}`, "nobody"},
	} {
		if got := c.call(step.method, step.params); !strings.Contains(got, step.answer) {
			t.Errorf("%s %s: %s", step.method, step.params, got)
		}
		if got := c.touch(); !strings.Contains(got, step.touched) {
			t.Errorf("%s %s: touched: %s", step.method, step.params, got)
		}
	}
	// What belongs to no call waited for the stream: two, and a third that a last subscription asks for.
	c.call("resources/subscribe", watched)
	c.touch()
	const want = `{"jsonrpc":"2.0","method":"notifications/resources/updated","params":{"uri":"` + watchedURI + `"}}`
	stream := sse.NewReader(c.do(http.MethodGet, "").Body)
	for range 3 {
		if frame, err := stream.Next(); err != nil || string(frame.Data) != want {
			t.Errorf("got %s, %v", frame.Data, err)
		}
	}
}

func TestFixturesRefuse(t *testing.T) {
	c := open(t)
	for _, tt := range []struct{ name, method, params, want string }{
		{"a model of a client that has none", "tools/call", `{"name":"test_sampling","arguments":{"prompt":"p"}}`, `"isError":true`},
		{"a resource that is not there", "resources/read", `{"uri":"test://none"}`, `"error":`},
		{"a completion that fits nothing", "completion/complete", `{"ref":{"type":"ref/prompt","name":"test_prompt_with_arguments"},"argument":{"name":"arg1","value":"zz"}}`, `"values":[]`},
		{"a prompt that is not there", "prompts/get", `{"name":"none"}`, `"error":`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := c.call(tt.method, tt.params); !strings.Contains(got, tt.want) {
				t.Errorf("got %s, want %s", got, tt.want)
			}
		})
	}
}
