// SPDX-License-Identifier: Apache-2.0

package mcphttp_test

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/fiftyarms/platform/internal/mcpstdio"
	"github.com/fiftyarms/platform/internal/platform/mcphttp"
	"github.com/fiftyarms/platform/internal/platform/secret"
	"github.com/fiftyarms/platform/internal/sse"
	"github.com/fiftyarms/platform/internal/testkit"
)

// patience bounds a wait that should be short: it ends a test that would hang.
const patience = 20 * time.Second

var token = strings.Repeat("t", 40)

// fixture is a server with tools that do what these tests look for.
type fixture struct {
	began, ended chan string // the tool wait tells when it begins, and how it ended
	release      chan struct{}
	mcp          *server.MCPServer
}

func (f *fixture) Serve(ctx context.Context, in io.Reader, out io.Writer) error {
	return mcpstdio.Serve(ctx, f.mcp, in, out, mcpstdio.Options{})
}

func newFixture() *fixture {
	f := &fixture{began: make(chan string, 100), ended: make(chan string, 100), release: make(chan struct{})}
	f.mcp = server.NewMCPServer("fixture", "1", server.WithToolCapabilities(true), server.WithElicitation())
	f.mcp.AddTool(mcp.NewTool("echo"), func(_ context.Context, r mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return mcp.NewToolResultText(r.GetString("text", "")), nil
	})
	f.mcp.AddTool(mcp.NewTool("wait"), func(ctx context.Context, r mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		f.began <- r.GetString("text", "")
		select {
		case <-ctx.Done():
			f.ended <- "cancelled"
			return nil, ctx.Err()
		case <-f.release:
			f.ended <- "done"
			return mcp.NewToolResultText("waited"), nil
		}
	})
	f.mcp.AddTool(mcp.NewTool("progress"), func(ctx context.Context, r mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		session, ok := mcpstdio.FromContext(ctx)
		if !ok {
			return nil, errors.New("no session")
		}
		for i := range r.GetInt("n", 0) {
			params := map[string]any{"progressToken": r.Params.Meta.ProgressToken, "progress": i, "message": r.GetString("message", "")}
			var err error
			if r.GetBool("notify", false) {
				err = session.Notify("notifications/progress", params)
			} else {
				err = f.mcp.SendNotificationToClient(ctx, "notifications/progress", params)
			}
			if err != nil {
				return nil, err
			}
		}
		f.ended <- "done"
		return mcp.NewToolResultText("done"), nil
	})
	f.mcp.AddTool(mcp.NewTool("ask"), func(ctx context.Context, _ mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		session, _ := mcpstdio.FromContext(ctx)
		answer, err := session.RequestElicitation(ctx, mcp.ElicitationRequest{Params: mcp.ElicitationParams{Message: "Sure?", RequestedSchema: map[string]any{"type": "object"}}})
		if err != nil {
			return nil, err
		}
		return mcp.NewToolResultText(string(answer.Action)), nil
	})
	return f
}

// running is a server that listens.
type running struct {
	t       *testing.T
	url     string
	fixture *fixture // of the newest session
	http    *http.Client
	stop    context.CancelFunc
	done    chan error
}

func serve(t *testing.T, change func(*mcphttp.Options)) *running {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	r := &running{t: t, url: "http://" + l.Addr().String() + mcphttp.Path, http: &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 100}}, done: make(chan error, 1), fixture: newFixture()}
	o := mcphttp.Options{
		Open:  func() (mcphttp.Server, error) { return r.fixture, nil },
		Token: secret.New(token), Random: rand.Reader, Now: time.Now, After: time.After,
	}
	if change != nil {
		change(&o)
	}
	ctx, stop := context.WithCancel(context.Background())
	r.stop = stop
	go func() { r.done <- mcphttp.Serve(ctx, l, o) }()
	t.Cleanup(func() {
		stop()
		r.ended()
		r.http.CloseIdleConnections()
	})
	return r
}

// ended waits until Serve has returned.
func (r *running) ended() {
	r.t.Helper()
	select {
	case err := <-r.done:
		if err != nil {
			r.t.Error(err)
		}
		r.done <- err
	case <-time.After(patience):
		r.t.Error("Serve does not return")
	}
}

func (r *running) request(ctx context.Context, method, session, body string) *http.Request {
	r.t.Helper()
	req, err := http.NewRequestWithContext(ctx, method, r.url, strings.NewReader(body))
	if err != nil {
		r.t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+token)
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json, text/event-stream")
	if session != "" {
		req.Header.Set("Mcp-Session-Id", session)
	}
	return req
}

func (r *running) do(req *http.Request) *http.Response {
	r.t.Helper()
	resp, err := r.http.Do(req)
	if err != nil {
		r.t.Fatal(err)
	}
	r.t.Cleanup(func() { _ = resp.Body.Close() })
	return resp
}

// said is the body of an answer with this status.
func (r *running) said(resp *http.Response, status int) string {
	r.t.Helper()
	body, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode != status {
		r.t.Fatalf("answered %d %s, %v; want %d", resp.StatusCode, body, err, status)
	}
	return string(body)
}

const initialize = `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","clientInfo":{"name":"t","version":"1"},"capabilities":{"elicitation":{}}}}`

// open initializes a session, and returns its id.
func (r *running) open() string {
	r.t.Helper()
	resp := r.do(r.request(r.t.Context(), "POST", "", initialize))
	r.said(resp, 200)
	id := resp.Header.Get("Mcp-Session-Id")
	r.said(r.do(r.request(r.t.Context(), "POST", id, `{"jsonrpc":"2.0","method":"notifications/initialized"}`)), 202)
	return id
}

func callTool(id, tool, args, more string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"method":"tools/call","params":{"name":%q,"arguments":%s%s}}`, id, tool, args, more)
}

// lines are the messages of an answer, whichever form it has.
func (r *running) lines(resp *http.Response) (lines []string) {
	r.t.Helper()
	if resp.StatusCode != 200 {
		r.said(resp, 200)
	}
	if resp.Header.Get("Content-Type") == "application/json" {
		return []string{r.said(resp, 200)}
	}
	for events := sse.NewReader(resp.Body); ; {
		frame, err := events.Next()
		if errors.Is(err, io.EOF) {
			return lines
		}
		if err != nil {
			r.t.Error(err)
			return lines
		}
		lines = append(lines, string(frame.Data))
	}
}

// text is the text of a tool's answer.
func text(t *testing.T, line string) string {
	t.Helper()
	var f struct {
		Result struct {
			Content []struct{ Text string }
		}
	}
	if err := json.Unmarshal([]byte(line), &f); err != nil || len(f.Result.Content) != 1 {
		t.Fatalf("%s: %v", line, err)
	}
	return f.Result.Content[0].Text
}

// events reads a stream as it comes.
func events(resp *http.Response) <-chan string {
	c := make(chan string, 100)
	go func() {
		defer close(c)
		for frames := sse.NewReader(resp.Body); ; {
			frame, err := frames.Next()
			if err != nil {
				return
			}
			c <- string(frame.Data)
		}
	}()
	return c
}

func await[T any](t *testing.T, c <-chan T, what string) (v T, ok bool) {
	t.Helper()
	select {
	case v, ok = <-c:
		return v, ok
	case <-time.After(patience):
		t.Fatalf("%s did not come", what)
		return v, false
	}
}

func leaks(t *testing.T) {
	t.Helper()
	testkit.NoLeaks(t)
}
