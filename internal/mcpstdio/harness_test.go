// SPDX-License-Identifier: Apache-2.0

package mcpstdio_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/fiftyarms/platform/internal/mcpstdio"
)

// patience bounds a wait that should be short: it ends a test that would hang.
const patience = 20 * time.Second

const initialize = `{"jsonrpc":"2.0","id":"init","method":"initialize","params":{"protocolVersion":"2025-11-25","clientInfo":{"name":"t","version":"1"},"capabilities":{}}}`

func call(id, tool, args string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"method":"tools/call","params":{"name":%q,"arguments":%s}}`, id, tool, args)
}

func cancelled(id string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":%s,"reason":"no need"}}`, id)
}

// frame is any line of the server.
type frame struct {
	JSONRPC string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id"`
	Method  string          `json:"method"`
	Params  json.RawMessage `json:"params"`
	Result  json.RawMessage `json:"result"`
	Error   *struct {
		Code    int    `json:"code"`
		Message string `json:"message"`
	} `json:"error"`
	raw string
}

// text returns the text of a tool's result.
func (f frame) text(t testing.TB) string {
	t.Helper()
	var r struct{ Content []struct{ Text string } }
	if err := json.Unmarshal(f.Result, &r); err != nil || len(r.Content) == 0 {
		t.Fatalf("no tool result: %s", f.raw)
	}
	return r.Content[0].Text
}

// frameWriter holds the server to one frame a Write.
type frameWriter struct {
	t testing.TB
	w io.Writer
}

func (w frameWriter) Write(b []byte) (int, error) {
	if !bytes.HasSuffix(b, []byte("\n")) || bytes.Count(b, []byte("\n")) != 1 || !json.Valid(b) {
		w.t.Errorf("a write that is not one frame: %.200q", b)
	}
	return w.w.Write(b)
}

// client is the other end of a running Serve.
type client struct {
	t      testing.TB
	in     *io.PipeWriter
	out    *io.PipeReader
	frames chan frame
	done   chan struct{} // closed when Serve has returned err
	err    error
	cancel context.CancelFunc
}

// active counts the clients: one that ends beside another cannot tell whose
// goroutines it sees.
var active atomic.Int32

// serve runs Serve over pipes until the test ends.
func serve(t testing.TB, srv *server.MCPServer, opts mcpstdio.Options) *client {
	t.Helper()
	c := serveUnread(t, srv, opts)
	read := make(chan struct{})
	go func() {
		defer close(read)
		defer close(c.frames)
		lines := bufio.NewReader(c.out)
		for {
			line, err := lines.ReadString('\n')
			if err != nil {
				return
			}
			f := frame{raw: line}
			if err := json.Unmarshal([]byte(line), &f); err != nil {
				t.Errorf("server wrote %q: %v", line, err)
			}
			c.frames <- f
		}
	}()
	t.Cleanup(func() {
		c.end()
		for range c.frames {
		}
		<-read
	})
	return c
}

// serveUnread is serve with a client that reads nothing.
func serveUnread(t testing.TB, srv *server.MCPServer, opts mcpstdio.Options) *client {
	t.Helper()
	inR, inW := io.Pipe()
	outR, outW := io.Pipe()
	ctx, cancel := context.WithCancel(context.Background())
	c := &client{t: t, in: inW, out: outR, frames: make(chan frame, 1<<16), done: make(chan struct{}), cancel: cancel}
	active.Add(1)
	go func() {
		defer close(c.done)
		c.err = mcpstdio.Serve(ctx, srv, inR, frameWriter{t, outW}, opts)
		_ = outW.Close()
	}()
	t.Cleanup(func() {
		c.end()
		if active.Add(-1) == 0 {
			checkLeaks(t)
		}
	})
	return c
}

func (c *client) end() {
	c.cancel()
	_ = c.in.Close()
	<-c.done
	_ = c.out.Close()
}

func (c *client) send(lines ...string) {
	c.t.Helper()
	for _, l := range lines {
		if _, err := io.WriteString(c.in, l+"\n"); err != nil {
			c.t.Fatalf("send %.100s: %v", l, err)
		}
	}
}

func (c *client) recv() frame {
	c.t.Helper()
	select {
	case f, ok := <-c.frames:
		if !ok {
			c.t.Fatal("server ended, another frame was expected")
		}
		return f
	case <-time.After(patience):
		c.t.Fatalf("no frame within %v", patience)
	}
	return frame{}
}

// recvAll receives n answers, by their ids.
func (c *client) recvAll(n int) map[string]frame {
	c.t.Helper()
	got := map[string]frame{}
	for range n {
		f := c.recv()
		if _, twice := got[string(f.ID)]; twice {
			c.t.Errorf("answered twice: %s", f.raw)
		}
		got[string(f.ID)] = f
	}
	return got
}

// initialized shakes hands.
func (c *client) initialized() *client {
	c.t.Helper()
	c.send(initialize, `{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	if f := c.recv(); string(f.ID) != `"init"` || f.Error != nil {
		c.t.Fatalf("initialize: %s", f.raw)
	}
	return c
}

// wait returns what Serve returned.
func (c *client) wait() error {
	c.t.Helper()
	select {
	case <-c.done:
	case <-time.After(patience):
		c.t.Fatalf("Serve did not return within %v", patience)
	}
	return c.err
}

func wantError(t testing.TB, f frame, id string, code int, text string) {
	t.Helper()
	if string(f.ID) != id || f.Error == nil || f.Error.Code != code || !strings.Contains(f.Error.Message, text) {
		t.Errorf("got %swant id %s, code %d, %q", f.raw, id, code, text)
	}
}

type handler = server.ToolHandlerFunc

// newServer has the tools given, and echo, which returns its raw arguments.
func newServer(tools map[string]handler) *server.MCPServer {
	s := server.NewMCPServer("test", "1", server.WithToolCapabilities(true), server.WithLogging())
	s.AddTool(mcp.NewTool("echo"), func(_ context.Context, req mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		raw, _ := req.GetRawArguments().(json.RawMessage)
		return mcp.NewToolResultText(string(raw)), nil
	})
	for name, h := range tools {
		s.AddTool(mcp.NewTool(name), h)
	}
	return s
}

// gate is a tool that runs until its context ends or it is let go, and says
// when it starts and how it ended.
type gate struct {
	started chan string
	open    chan struct{}
	ended   chan error
}

func newGate() *gate {
	return &gate{started: make(chan string, 64), open: make(chan struct{}), ended: make(chan error, 64)}
}

func (g *gate) handle(ctx context.Context, req mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	g.started <- req.GetString("who", "")
	select {
	case <-ctx.Done():
		g.ended <- context.Cause(ctx)
		return nil, ctx.Err()
	case <-g.open:
		g.ended <- nil
		return mcp.NewToolResultText("through"), nil
	}
}

// checkLeaks fails when a goroutine of the package stays.
func checkLeaks(t testing.TB) {
	t.Helper()
	var left string
	for range 5_000 {
		if left = packageStacks(); left == "" {
			return
		}
		runtime.Gosched()
	}
	t.Errorf("goroutines are left:\n%s", left)
}

func packageStacks() string {
	buf := make([]byte, 4<<20)
	buf = buf[:runtime.Stack(buf, true)]
	var left []string
	for g := range strings.SplitSeq(string(buf), "\n\n") {
		if strings.Contains(g, "internal/mcpstdio.") {
			left = append(left, g)
		}
	}
	return strings.Join(left, "\n\n")
}

// logTo collects log lines.
func logTo(b *bytes.Buffer) *slog.Logger {
	return slog.New(slog.NewTextHandler(b, &slog.HandlerOptions{Level: slog.LevelDebug}))
}

var errTest = errors.New("error of the test")
