// SPDX-License-Identifier: Apache-2.0

package mcpstdio_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/fiftyarms/platform/internal/mcpstdio"
)

const steps = 2000

// reporter sends steps progress notifications in one of three ways.
func reporter(via string) handler {
	return func(ctx context.Context, req mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		s, _ := mcpstdio.FromContext(ctx)
		srv := server.ServerFromContext(ctx)
		for i := range steps {
			params := map[string]any{"progressToken": req.GetString("token", ""), "progress": i}
			var err error
			if via == "notify" || via == "mixed" && i%2 == 0 {
				err = s.Notify("notifications/progress", params)
			} else {
				err = srv.SendNotificationToClient(ctx, "notifications/progress", params)
			}
			if err != nil {
				return nil, fmt.Errorf("step %d: %w", i, err)
			}
		}
		return mcp.NewToolResultText("done"), nil
	}
}

// mcp-go's transport let 45 of 50 results overtake their progress, and dropped
// 1,495 of 2,000 notifications.
func TestProgressPrecedesItsResultInOrder(t *testing.T) {
	for _, via := range []string{"notify", "mcp-go", "mixed"} {
		for _, calls := range []int{1, 8} {
			t.Run(fmt.Sprintf("%s/%d", via, calls), func(t *testing.T) {
				c := serve(t, newServer(map[string]handler{"report": reporter(via)}), mcpstdio.Options{}).initialized()
				for i := range calls {
					c.send(call(fmt.Sprint(i), "report", fmt.Sprintf(`{"token":"%d"}`, i)))
				}
				next := map[string]int{}
				for answered := 0; answered < calls; {
					f := c.recv()
					if f.Method == "" {
						if n := next[string(f.ID)]; n != steps || f.Error != nil {
							t.Fatalf("result after %d of %d notifications: %s", n, steps, f.raw)
						}
						answered++
						continue
					}
					var p struct {
						ProgressToken string
						Progress      int
					}
					if err := json.Unmarshal(f.Params, &p); err != nil {
						t.Fatal(err)
					}
					if p.Progress != next[p.ProgressToken] {
						t.Fatalf("call %s: notification %d, want %d", p.ProgressToken, p.Progress, next[p.ProgressToken])
					}
					next[p.ProgressToken]++
				}
			})
		}
	}
}

// Many goroutines that use mcp-go's path at once must lose nothing either.
func TestNotificationsOfManyGoroutinesArrive(t *testing.T) {
	const senders, each = 200, 20
	srv := newServer(map[string]handler{"burst": func(ctx context.Context, _ mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		errs := make(chan error, senders)
		for range senders {
			go func() {
				var err error
				for range each {
					if e := server.ServerFromContext(ctx).SendNotificationToClient(ctx, "notifications/x", nil); e != nil {
						err = e
					}
				}
				errs <- err
			}()
		}
		for range senders {
			if err := <-errs; err != nil {
				return nil, err
			}
		}
		return mcp.NewToolResultText("done"), nil
	}})
	c := serve(t, srv, mcpstdio.Options{}).initialized()
	c.send(call("1", "burst", `{}`))
	for range senders * each {
		if f := c.recv(); f.Method != "notifications/x" {
			t.Fatalf("got %s", f.raw)
		}
	}
	if f := c.recv(); string(f.ID) != "1" || f.Error != nil {
		t.Fatalf("got %s", f.raw)
	}
}

// A notification from a goroutine that serves no call must not wait for the
// next frame to push it out.
func TestBackgroundNotificationArrives(t *testing.T) {
	srv := newServer(nil)
	c := serve(t, srv, mcpstdio.Options{}).initialized()
	srv.SendNotificationToAllClients("notifications/news", map[string]any{"n": 1})
	if f := c.recv(); f.Method != "notifications/news" || string(f.Params) != `{"n":1}` {
		t.Errorf("got %s", f.raw)
	}
}

func TestNotifyParams(t *testing.T) {
	var sess *mcpstdio.Session
	srv := newServer(map[string]handler{"get": func(ctx context.Context, _ mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		sess, _ = mcpstdio.FromContext(ctx)
		return mcp.NewToolResultText(""), nil
	}})
	c := serve(t, srv, mcpstdio.Options{}).initialized()
	c.send(call("1", "get", `{}`))
	c.recv()
	for _, bad := range []any{3, "x", []int{1}, func() {}, json.RawMessage(`{`), map[string]int(nil)} {
		if err := sess.Notify("notifications/x", bad); err == nil {
			t.Errorf("%#v was accepted", bad)
		}
	}
	if err := sess.Notify("notifications/x", nil); err != nil {
		t.Error(err)
	}
	if f := c.recv(); f.raw != `{"jsonrpc":"2.0","method":"notifications/x"}`+"\n" {
		t.Errorf("got %s", f.raw)
	}
	if err := sess.Notify("notifications/y", struct{ A, B string }{"<", "\n"}); err != nil {
		t.Error(err)
	}
	if f := c.recv(); f.raw != `{"jsonrpc":"2.0","method":"notifications/y","params":{"A":"<","B":"\n"}}`+"\n" {
		t.Errorf("got %s", f.raw)
	}
}

// A value that cannot be encoded costs only itself, also on the writing
// goroutine.
func TestNotificationThatCannotBeEncodedIsDropped(t *testing.T) {
	srv := newServer(nil)
	c := serve(t, srv, mcpstdio.Options{}).initialized()
	srv.SendNotificationToAllClients("notifications/bad", map[string]any{"f": func() {}})
	srv.SendNotificationToAllClients("notifications/bad", map[string]any{"f": bomb{}})
	srv.SendNotificationToAllClients("notifications/good", nil)
	if f := c.recv(); f.Method != "notifications/good" {
		t.Errorf("got %s", f.raw)
	}
}

type bomb struct{}

func (bomb) MarshalJSON() ([]byte, error) { panic("secret-value") }

// Piped input arrives in one piece; mcp-go's transport answered tools/list
// before initialize in some runs.
func TestInitializeIsAnsweredFirst(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		handled := make(chan string, 3)
		srv := newServer(nil)
		for i, m := range []string{"notifications/a", "notifications/b", "notifications/c"} {
			srv.AddNotificationHandler(m, func(_ context.Context, n mcp.JSONRPCNotification) {
				<-time.After(time.Duration(3-i) * time.Second) // the first is the slowest
				handled <- n.Method
			})
		}
		c := serve(t, srv, mcpstdio.Options{})
		lines := []string{initialize}
		for _, m := range []string{"a", "b", "c"} {
			lines = append(lines, fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/%s"}`, m))
		}
		for i := range 50 {
			lines = append(lines, fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/list"}`, i))
		}
		c.send(strings.Join(lines, "\n"))
		if f := c.recv(); string(f.ID) != `"init"` {
			t.Errorf("first answer: %s", f.raw)
		}
		c.recvAll(50)
		if n := len(handled); n != 3 {
			t.Errorf("requests were answered when %d of 3 notifications were handled", n)
		}
		for _, m := range []string{"notifications/a", "notifications/b", "notifications/c"} {
			if got := <-handled; got != m {
				t.Errorf("handled %s, want %s", got, m)
			}
		}
	})
}

// A client that shakes hands again while every place is taken must not wait,
// nor let a call that waits in by the back door.
func TestInitializeNeedsNoPlace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newGate()
		c := serve(t, newServer(map[string]handler{"gate": g.handle}), mcpstdio.Options{MaxInFlight: 1})
		c.send(call("1", "gate", `{}`), call("2", "gate", `{}`))
		c.initialized()
		synctest.Wait()
		if n := len(g.started); n != 1 {
			t.Errorf("%d calls run, want 1", n)
		}
	})
}
