// SPDX-License-Identifier: Apache-2.0

package mcpstdio_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/fiftyarms/platform/internal/mcpstdio"
)

// sleeper is a tool that takes d of the bubble's clock, or its context.
func sleeper(d time.Duration) handler {
	return func(ctx context.Context, _ mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		select {
		case <-time.After(d):
			return mcp.NewToolResultText("slept"), nil
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
}

// Clients like `printf … | server` close their end at once and want all their
// answers.
func TestEndOfInputLetsCallsFinish(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		srv := newServer(map[string]handler{"sleep": sleeper(4 * time.Second)})
		c := serve(t, srv, mcpstdio.Options{MaxInFlight: 3}).initialized()
		for i := range 3 {
			c.send(call(fmt.Sprint(i), "sleep", `{}`))
		}
		c.send(call("3", "echo", `{}`)) // it waits for a place
		_ = c.in.Close()
		for id, f := range c.recvAll(4) {
			if f.Error != nil {
				t.Errorf("%s: %s", id, f.raw)
			}
		}
		if err := c.wait(); err != nil {
			t.Errorf("Serve returned %v", err)
		}
	})
}

func TestGraceEnds(t *testing.T) {
	for _, tt := range []struct {
		grace, want time.Duration
	}{{0, 5 * time.Second}, {2 * time.Second, 2 * time.Second}, {-1, 0}} {
		t.Run(tt.want.String(), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				srv := newServer(map[string]handler{"sleep": sleeper(time.Hour)})
				c := serve(t, srv, mcpstdio.Options{MaxInFlight: 1, Grace: tt.grace}).initialized()
				c.send(call("1", "sleep", `{}`), call("2", "echo", `{}`))
				synctest.Wait()
				start := time.Now()
				_ = c.in.Close()
				if err := c.wait(); err != nil {
					t.Errorf("Serve returned %v", err)
				}
				if d := time.Since(start); d != tt.want {
					t.Errorf("took %v, want %v", d, tt.want)
				}
				wantError(t, c.recv(), "1", -32603, "time to finish is over")
				wantError(t, c.recv(), "2", -32000, "not run")
			})
		})
	}
}

func TestCancelledContextEndsServeAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		srv := newServer(map[string]handler{"sleep": sleeper(time.Hour)})
		c := serve(t, srv, mcpstdio.Options{}).initialized()
		c.send(call("1", "sleep", `{}`))
		synctest.Wait()
		start := time.Now()
		c.cancel()
		if err := c.wait(); !errors.Is(err, context.Canceled) {
			t.Errorf("Serve returned %v", err)
		}
		if d := time.Since(start); d != 0 {
			t.Errorf("took %v", d)
		}
		wantError(t, c.recv(), "1", -32603, "")
	})
}

// The same during the grace that follows the end of the input.
func TestCancelledContextCutsTheGrace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		srv := newServer(map[string]handler{"sleep": sleeper(time.Hour)})
		c := serve(t, srv, mcpstdio.Options{Grace: time.Hour}).initialized()
		c.send(call("1", "sleep", `{}`))
		_ = c.in.Close()
		synctest.Wait()
		c.cancel()
		start := time.Now()
		if err := c.wait(); !errors.Is(err, context.Canceled) {
			t.Errorf("Serve returned %v", err)
		}
		if d := time.Since(start); d != 0 {
			t.Errorf("took %v", d)
		}
	})
}

func TestContextDoneBefore(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	r, w := io.Pipe()
	defer w.Close()
	if err := mcpstdio.Serve(ctx, newServer(nil), r, io.Discard, mcpstdio.Options{}); !errors.Is(err, context.Canceled) {
		t.Errorf("Serve returned %v", err)
	}
	checkLeaks(t)
}

func TestWriteError(t *testing.T) {
	for _, line := range []string{ping, "junk", initialize, call("1", "echo", `{}`), call("1", "report", `{}`)} {
		t.Run(line[:4], func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				g := newGate()
				srv := newServer(map[string]handler{"gate": g.handle, "report": reporter("notify")})
				c := serveUnread(t, srv, mcpstdio.Options{})
				c.send(call(`"running"`, "gate", `{}`))
				<-g.started
				_ = c.out.CloseWithError(errTest)
				c.send(line)
				start := time.Now()
				if err := c.wait(); !errors.Is(err, errTest) {
					t.Errorf("Serve returned %v", err)
				}
				if d := time.Since(start); d != 0 {
					t.Errorf("took %v", d)
				}
				if err := <-g.ended; err == nil {
					t.Error("the running call was not cancelled")
				}
			})
		})
	}
}

// A handler that ignores its context is left behind, and the log says so.
func TestHandlerThatIgnoresItsContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		open := make(chan struct{})
		srv := newServer(map[string]handler{"deaf": func(context.Context, mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			<-open
			return mcp.NewToolResultText(""), nil
		}})
		var log bytes.Buffer
		c := serve(t, srv, mcpstdio.Options{Log: logTo(&log)}).initialized()
		c.send(call("1", "deaf", `{}`))
		synctest.Wait()
		start := time.Now()
		c.cancel()
		if err := c.wait(); !errors.Is(err, context.Canceled) {
			t.Errorf("Serve returned %v", err)
		}
		if d := time.Since(start); d > time.Second {
			t.Errorf("took %v", d)
		}
		if !strings.Contains(log.String(), "running=1") {
			t.Errorf("log = %s", log.String())
		}
		close(open)
		if _, more := <-c.frames; more {
			t.Error("an answer came after the end")
		}
	})
}

// A subscription lasts until it is cancelled, and must not hold up the end.
func TestSubscriptionDoesNotUseUpTheGrace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := serve(t, newServer(nil), mcpstdio.Options{})
		c.send(`{"jsonrpc":"2.0","id":1,"method":"subscriptions/listen","params":{"notifications":{"toolsListChanged":true},` +
			`"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}`)
		if f := c.recv(); f.Method != "notifications/subscriptions/acknowledged" {
			t.Fatalf("got %s", f.raw)
		}
		start := time.Now()
		_ = c.in.Close()
		if err := c.wait(); err != nil {
			t.Errorf("Serve returned %v", err)
		}
		if d := time.Since(start); d != 0 {
			t.Errorf("took %v", d)
		}
		if f := c.recv(); string(f.ID) != "1" || f.Error != nil {
			t.Errorf("got %s", f.raw)
		}
	})
}

func TestSessionAfterItsEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var hooks server.Hooks
		var sess *mcpstdio.Session
		left := 0
		hooks.AddOnRegisterSession(func(_ context.Context, s server.ClientSession) {
			sess = s.(*mcpstdio.Session)
			if err := sess.Notify("notifications/early", nil); err != nil {
				t.Error(err)
			}
		})
		hooks.AddOnUnregisterSession(func(context.Context, server.ClientSession) { left++ })
		srv := server.NewMCPServer("test", "1", server.WithHooks(&hooks))
		c := serve(t, srv, mcpstdio.Options{})
		if f := c.recv(); f.Method != "notifications/early" {
			t.Errorf("got %s", f.raw)
		}
		c.initialized()
		_ = c.in.Close()
		if err := c.wait(); err != nil {
			t.Error(err)
		}
		if left != 1 {
			t.Errorf("unregistered %d times", left)
		}
		if err := sess.Notify("notifications/x", nil); !errors.Is(err, mcpstdio.ErrClosed) {
			t.Errorf("Notify: %v", err)
		}
		for range cap(sess.NotificationChannel()) { // it must never block
			select {
			case sess.NotificationChannel() <- mcp.JSONRPCNotification{}:
			default:
			}
		}
	})
}

func TestWriteErrorCutsTheGrace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newGate()
		c := serveUnread(t, newServer(map[string]handler{"gate": g.handle, "sleep": sleeper(time.Second)}), mcpstdio.Options{})
		c.send(call("1", "gate", `{}`), call("2", "sleep", `{}`))
		<-g.started
		_ = c.in.Close()
		_ = c.out.CloseWithError(errTest)
		start := time.Now()
		if err := c.wait(); !errors.Is(err, errTest) {
			t.Errorf("Serve returned %v", err)
		}
		if d := time.Since(start); d != time.Second {
			t.Errorf("took %v", d)
		}
	})
}
