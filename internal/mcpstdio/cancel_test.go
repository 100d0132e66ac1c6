// SPDX-License-Identifier: Apache-2.0

package mcpstdio_test

import (
	"bytes"
	"context"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/fiftyarms/platform/internal/mcpstdio"
)

// quiet fails when the server has anything to say, now that all is at rest.
// Only for use in a synctest bubble.
func (c *client) quiet() {
	c.t.Helper()
	synctest.Wait()
	select {
	case f := <-c.frames:
		c.t.Errorf("unexpected frame %s", f.raw)
	default:
	}
}

// Six slow calls made a fast one wait in mcp-go's transport.
func TestSlowCallsDelayNoFastOne(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		wait := func(ctx context.Context, _ mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			select {
			case <-ctx.Done():
				return nil, ctx.Err()
			case <-time.After(30 * time.Second):
				return mcp.NewToolResultText("waited"), nil
			}
		}
		c := serve(t, newServer(map[string]handler{"wait": wait}), mcpstdio.Options{}).initialized()
		start := time.Now()
		for i := range 20 {
			c.send(call(fmt.Sprintf(`"slow%d"`, i), "wait", `{}`))
		}
		for i := range 100 {
			c.send(call(fmt.Sprint(i), "echo", `{}`))
		}
		for range 100 {
			if f := c.recv(); strings.HasPrefix(string(f.ID), `"slow`) {
				t.Errorf("a slow call came before the fast ones: %s", f.raw)
			}
		}
		if d := time.Since(start); d != 0 {
			t.Errorf("fast calls took %v of a clock that only waiting moves", d)
		}
		for i := range 20 {
			c.send(cancelled(fmt.Sprintf(`"slow%d"`, i)))
		}
		c.quiet()
	})
}

func TestCancelRunningCall(t *testing.T) {
	for _, id := range []string{`7`, `"seven"`, `"\u0073even"`, `9007199254740993`} {
		t.Run(id, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				g := newGate()
				c := serve(t, newServer(map[string]handler{"gate": g.handle}), mcpstdio.Options{}).initialized()
				c.send(call(id, "gate", `{}`))
				<-g.started
				c.send(cancelled(strings.ReplaceAll(id, `\u0073`, "s")))
				if err := <-g.ended; err == nil || !strings.Contains(err.Error(), "by the client") {
					t.Errorf("cause = %v", err)
				}
				c.quiet()
				// The id is free again.
				c.send(call(id, "echo", `{}`))
				if f := c.recv(); string(f.ID) != id || f.Error != nil {
					t.Errorf("got %s", f.raw)
				}
			})
		})
	}
}

// Ids that mcp-go takes for the same one (1 and "1", integers that round to
// one float64) must not cancel each other.
func TestCancelHitsOnlyItsCall(t *testing.T) {
	for _, ids := range [][2]string{{`1`, `"1"`}, {`9007199254740992`, `9007199254740993`}} {
		t.Run(ids[0], func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				g := newGate()
				c := serve(t, newServer(map[string]handler{"gate": g.handle}), mcpstdio.Options{}).initialized()
				c.send(call(ids[0], "gate", `{}`), call(ids[1], "gate", `{}`))
				<-g.started
				<-g.started
				c.send(cancelled(ids[1]))
				if err := <-g.ended; err == nil {
					t.Error("the cancelled call went through")
				}
				c.quiet()
				close(g.open)
				if f := c.recv(); string(f.ID) != ids[0] || f.text(t) != "through" {
					t.Errorf("got %s", f.raw)
				}
				c.quiet()
			})
		})
	}
}

// mcp-go's transport lost the cancellation of a call that waited, and ran it.
func TestCancelQueuedCall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newGate()
		c := serve(t, newServer(map[string]handler{"gate": g.handle}), mcpstdio.Options{MaxInFlight: 2}).initialized()
		for i := range 5 {
			c.send(call(fmt.Sprint(i), "gate", fmt.Sprintf(`{"who":"%d"}`, i)))
		}
		synctest.Wait()
		if n := len(g.started); n != 2 {
			t.Errorf("%d calls run, want 2", n)
		}
		c.send(cancelled("3"))
		c.quiet()
		close(g.open)
		got := c.recvAll(4)
		if _, ran := got["3"]; ran {
			t.Error("the cancelled call was answered")
		}
		c.quiet()
		close(g.started)
		ran := map[string]bool{}
		for who := range g.started {
			ran[who] = true
		}
		if ran["3"] || len(ran) != 4 {
			t.Errorf("ran: %v", ran)
		}
	})
}

func TestCancelRunningCallLetsTheNextRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newGate()
		c := serve(t, newServer(map[string]handler{"gate": g.handle}), mcpstdio.Options{MaxInFlight: 1}).initialized()
		for _, id := range []string{"1", "2", "3"} {
			c.send(call(id, "gate", fmt.Sprintf(`{"who":%q}`, id)))
		}
		for _, id := range []string{"1", "2", "3"} { // in the order of arrival
			if who := <-g.started; who != id {
				t.Errorf("%s runs, want %s", who, id)
			}
			c.send(cancelled(id))
		}
		c.quiet()
	})
}

func TestQueueLimits(t *testing.T) {
	long := `{"x":"` + strings.Repeat("x", 600) + `"}`
	for _, tt := range []struct {
		name string
		opts mcpstdio.Options
		args string
		fit  int // beside the one that runs
		want string
	}{
		{"count", mcpstdio.Options{MaxInFlight: 1, MaxQueue: 3}, `{}`, 3, "1 run and 3 wait, which is the limit"},
		{"bytes", mcpstdio.Options{MaxInFlight: 1, MaxQueue: 100, MaxLine: 800}, long, 18, "more than 12800 bytes, which is the limit"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				g := newGate()
				c := serve(t, newServer(map[string]handler{"gate": g.handle}), tt.opts).initialized()
				for i := range 1 + tt.fit {
					c.send(call(fmt.Sprint(i), "gate", tt.args))
				}
				c.quiet()
				c.send(call(`"over"`, "gate", tt.args))
				wantError(t, c.recv(), `"over"`, -32000, tt.want)
				// A cancellation makes room for one.
				c.send(cancelled("1"), call(`"fits"`, "gate", tt.args))
				c.quiet()
				c.send(call(`"over"`, "gate", tt.args))
				wantError(t, c.recv(), `"over"`, -32000, tt.want)
				close(g.open)
				if got := c.recvAll(1 + tt.fit); got[`"fits"`].Error != nil || got[`"fits"`].raw == "" {
					t.Errorf("got %v", got)
				}
			})
		})
	}
}

func TestOddCancellationsAreIgnored(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newGate()
		c := serve(t, newServer(map[string]handler{"gate": g.handle}), mcpstdio.Options{}).initialized()
		c.send(call("1", "gate", `{}`))
		for _, id := range []string{`null`, `{}`, `[1]`, `1.0`, `2`, `"1"`, `true`} {
			c.send(cancelled(id))
		}
		c.send(`{"jsonrpc":"2.0","method":"notifications/cancelled"}`,
			`{"jsonrpc":"2.0","method":"notifications/cancelled","params":[1]}`)
		c.quiet()
		close(g.open)
		if f := c.recv(); string(f.ID) != "1" || f.Error != nil {
			t.Errorf("got %s", f.raw)
		}
	})
}

func TestPanicIsAnsweredAndLogged(t *testing.T) {
	for _, tt := range []struct {
		name string
		h    handler
		want string // in the log
	}{
		{"panic", func(context.Context, mcp.CallToolRequest) (*mcp.CallToolResult, error) { panic("secret-value") }, "secret-value"},
		{"goexit", func(context.Context, mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			runtime.Goexit()
			return nil, nil
		}, "handler did not return"},
		{"unencodable", func(context.Context, mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return mcp.NewToolResultStructured(map[string]any{"f": func() {}}, "x"), nil
		}, "cannot be encoded"},
		{"marshaler", func(context.Context, mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return mcp.NewToolResultStructured(bomb{}, "x"), nil
		}, "secret-value"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var log bytes.Buffer
			// One place: the calls after it show that it is given back.
			c := serve(t, newServer(map[string]handler{"bad": tt.h}), mcpstdio.Options{MaxInFlight: 1, Log: logTo(&log)}).initialized()
			c.send(call("1", "bad", `{}`), call("2", "bad", `{}`), call("3", "echo", `{}`))
			for _, id := range []string{"1", "2"} {
				f := c.recv()
				wantError(t, f, id, -32603, "")
				if strings.Contains(f.raw, "secret") || strings.Contains(f.raw, "goroutine") {
					t.Errorf("the answer tells too much: %s", f.raw)
				}
			}
			if f := c.recv(); string(f.ID) != "3" || f.Error != nil {
				t.Errorf("got %s", f.raw)
			}
			c.end()
			if !strings.Contains(log.String(), tt.want) {
				t.Errorf("log = %s", log.String())
			}
		})
	}
}

func TestPanicOfNotificationHandler(t *testing.T) {
	srv := newServer(nil)
	srv.AddNotificationHandler("notifications/bad", func(context.Context, mcp.JSONRPCNotification) { panic("x") })
	c := serve(t, srv, mcpstdio.Options{}).initialized()
	c.send(`{"jsonrpc":"2.0","method":"notifications/bad"}`, call("1", "echo", `{}`))
	if f := c.recv(); string(f.ID) != "1" || f.Error != nil {
		t.Errorf("got %s", f.raw)
	}
}
