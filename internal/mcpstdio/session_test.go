// SPDX-License-Identifier: Apache-2.0

package mcpstdio_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"
	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/fiftyarms/platform/internal/mcpstdio"
)

func TestFromContext(t *testing.T) {
	if s, ok := mcpstdio.FromContext(context.Background()); ok || s != nil {
		t.Errorf("got %v, %v", s, ok)
	}
}

// session is the session of a client that has just connected.
func (c *client) session(srv *server.MCPServer) *mcpstdio.Session {
	c.t.Helper()
	got := make(chan *mcpstdio.Session, 1)
	srv.AddTool(mcp.NewTool("session"), func(ctx context.Context, _ mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		s, _ := mcpstdio.FromContext(ctx)
		got <- s
		return mcp.NewToolResultText(""), nil
	})
	defer srv.DeleteTools("session")
	c.send(call(`"session"`, "session", `{}`))
	s := <-got
	for c.recv().Method != "" { // the list has changed
	}
	return s
}

func (c *client) tools() []string {
	c.t.Helper()
	c.send(`{"jsonrpc":"2.0","id":"tools","method":"tools/list"}`)
	for {
		f := c.recv()
		if f.Method != "" {
			continue
		}
		var r struct{ Tools []struct{ Name string } }
		if err := json.Unmarshal(f.Result, &r); err != nil {
			c.t.Fatal(err)
		}
		var names []string
		for _, tool := range r.Tools {
			names = append(names, tool.Name)
		}
		return names
	}
}

func tool(name, answer string) server.ServerTool {
	return server.ServerTool{Tool: mcp.NewTool(name), Handler: func(context.Context, mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return mcp.NewToolResultText(answer), nil
	}}
}

// mcp-go's transport has none of these.
func TestSessionTools(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		srv := newServer(nil)
		c := serve(t, srv, mcpstdio.Options{}).initialized()
		sess := c.session(srv)

		mine := map[string]server.ServerTool{"mine": tool("mine", "m"), "echo": tool("echo", "not the server's")}
		sess.SetSessionTools(mine)
		delete(mine, "mine")                   // the caller's own
		delete(sess.GetSessionTools(), "echo") // a copy
		if diff := cmp.Diff([]string{"echo", "mine"}, c.tools()); diff != "" {
			t.Errorf("tools (-want +got):\n%s", diff)
		}
		for name, want := range map[string]string{"mine": "m", "echo": "not the server's"} {
			c.send(call("1", name, `{}`))
			f := c.recv()
			for f.Method != "" {
				f = c.recv()
			}
			if got := f.text(t); got != want {
				t.Errorf("%s: %q, want %q", name, got, want)
			}
		}
		if err := srv.AddSessionTool(sess.SessionID(), mcp.NewTool("more"), tool("more", "").Handler); err != nil {
			t.Fatal(err)
		}
		if f := c.recv(); f.Method != "notifications/tools/list_changed" {
			t.Errorf("got %s", f.raw)
		}
		sess.SetSessionTools(nil)
		if diff := cmp.Diff([]string{"echo"}, c.tools()); diff != "" {
			t.Errorf("tools (-want +got):\n%s", diff)
		}
	})
}

// mcp-go's transport keeps one session for the whole process.
func TestServersShareNothing(t *testing.T) {
	one, two := newServer(nil), newServer(nil)
	a := serve(t, one, mcpstdio.Options{}).initialized()
	b := serve(t, two, mcpstdio.Options{})
	sa, sb := a.session(one), b.session(two)
	sa.SetSessionTools(map[string]server.ServerTool{"mine": tool("mine", "")})
	if sb.Initialized() || sb.GetClientInfo().Name != "" || sa.SessionID() == sb.SessionID() {
		t.Errorf("the second session knows the first: %v, %v", sb.Initialized(), sb.GetClientInfo())
	}
	if diff := cmp.Diff([]string{"echo"}, b.tools()); diff != "" {
		t.Errorf("tools (-want +got):\n%s", diff)
	}
	one.SendNotificationToAllClients("notifications/one", nil)
	a.end()
	b.send(call("1", "echo", `{}`))
	if f := b.recv(); string(f.ID) != "1" || f.Error != nil {
		t.Errorf("got %s", f.raw)
	}
}

// Two clients of one server, as when it also serves HTTP.
func TestSessionsOfOneServer(t *testing.T) {
	srv := newServer(nil)
	a := serve(t, srv, mcpstdio.Options{}).initialized()
	b := serve(t, srv, mcpstdio.Options{}).initialized()
	srv.SendNotificationToAllClients("notifications/news", nil)
	for _, c := range []*client{a, b} {
		if f := c.recv(); f.Method != "notifications/news" {
			t.Errorf("got %s", f.raw)
		}
	}
}

func TestSessionRecordsTheClient(t *testing.T) {
	srv := newServer(nil)
	c := serve(t, srv, mcpstdio.Options{})
	c.send(strings.Replace(initialize, `"capabilities":{}`, `"capabilities":{"sampling":{}}`, 1))
	c.recv()
	s := c.session(srv)
	if !s.Initialized() || s.GetClientInfo().Name != "t" || s.GetClientCapabilities().Sampling == nil || s.ProtocolVersion() != "2025-11-25" {
		t.Errorf("got %v, %v, %v, %q", s.Initialized(), s.GetClientInfo(), s.GetClientCapabilities(), s.ProtocolVersion())
	}
	if s.GetLogLevel() != mcp.LoggingLevelError {
		t.Errorf("level = %s", s.GetLogLevel())
	}
	log := func() error {
		return srv.SendLogMessageToSpecificClient(s.SessionID(), mcp.NewLoggingMessageNotification(mcp.LoggingLevelInfo, "l", "d"))
	}
	if err := log(); err != nil { // held back
		t.Error(err)
	}
	c.send(`{"jsonrpc":"2.0","id":2,"method":"logging/setLevel","params":{"level":"info"}}`)
	for f := c.recv(); string(f.ID) != "2"; f = c.recv() {
		if f.Method == "notifications/message" {
			t.Errorf("got %s", f.raw)
		}
	}
	if err := log(); err != nil {
		t.Error(err)
	}
	if f := c.recv(); f.Method != "notifications/message" {
		t.Errorf("got %s", f.raw)
	}
}

// asker is a server whose tool asks the person "question" and returns what
// was answered.
func asker(t testing.TB, capability string) *client {
	srv := newServer(map[string]handler{"ask": func(ctx context.Context, req mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		r, err := server.ServerFromContext(ctx).RequestElicitation(ctx, mcp.ElicitationRequest{Params: mcp.ElicitationParams{
			Mode:            req.GetString("mode", ""),
			Message:         req.GetString("who", ""),
			RequestedSchema: map[string]any{"type": "object"},
			ElicitationID:   "e",
			URL:             "https://example.org/",
		}})
		if err != nil {
			return mcp.NewToolResultText("error: " + err.Error() + " " + fmt.Sprint(errors.Is(err, server.ErrElicitationNotSupported))), nil
		}
		return mcp.NewToolResultText(fmt.Sprint(r.Action, " ", r.Content)), nil
	}})
	c := serve(t, srv, mcpstdio.Options{})
	c.send(strings.Replace(initialize, `"capabilities":{}`, `"capabilities":{`+capability+`}`, 1))
	c.recv()
	return c
}

func TestElicitationsAreCorrelated(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := asker(t, `"elicitation":{}`)
		const n = 5
		for i := range n {
			c.send(call(fmt.Sprint(i), "ask", fmt.Sprintf(`{"who":"%d"}`, i)))
		}
		var asked []frame
		for range n {
			f := c.recv()
			if f.Method != "elicitation/create" {
				t.Fatalf("got %s", f.raw)
			}
			asked = append(asked, f)
		}
		for i := range asked { // the last one first
			f := asked[n-1-i]
			var p struct{ Message string }
			if err := json.Unmarshal(f.Params, &p); err != nil {
				t.Fatal(err)
			}
			answer := fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":{"action":"accept","content":{"to":%q}}}`, f.ID, p.Message)
			c.send(strings.Join([]string{answer, answer, answer}, "\n")) // only the first is for someone
			if got := c.recv(); string(got.ID) != p.Message || got.text(t) != "accept map[to:"+p.Message+"]" {
				t.Errorf("got %s", got.raw)
			}
		}
		c.quiet()
	})
}

func TestElicitationFails(t *testing.T) {
	for _, tt := range []struct{ name, capability, mode, answer, want string }{
		{"not declared", ``, "", "", "error: client did not declare the elicitation capability: session does not support elicitation true"},
		{"form only", `"elicitation":{}`, "url", "", "error: client did not declare elicitation by url: session does not support elicitation true"},
		{"url only", `"elicitation":{"url":{}}`, "form", "", "error: client did not declare elicitation by form: session does not support elicitation true"},
		{"refused", `"elicitation":{}`, "", `"error":{"code":-1,"message":"not now"}`, "error: elicit: client refused: not now (-1) false"},
		{"odd result", `"elicitation":{}`, "", `"result":3`, "error: elicit: read the client's answer"},
		{"declined", `"elicitation":{"form":{},"url":{}}`, "url", `"result":{"action":"decline"}`, "decline <nil>"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c := asker(t, tt.capability)
				c.send(call("1", "ask", fmt.Sprintf(`{"mode":%q}`, tt.mode)))
				if tt.answer != "" {
					f := c.recv()
					if f.Method != "elicitation/create" {
						t.Fatalf("got %s", f.raw)
					}
					c.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,%s}`, f.ID, tt.answer))
				}
				if got := c.recv().text(t); !strings.HasPrefix(got, tt.want) {
					t.Errorf("got %q, want %q", got, tt.want)
				}
			})
		})
	}
}

func TestElicitationEndsWithItsCall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := asker(t, `"elicitation":{}`)
		c.send(call("1", "ask", `{}`))
		asked := c.recv()
		c.send(cancelled("1"))
		f := c.recv()
		if f.Method != "notifications/cancelled" || string(f.Params) != `{"requestId":`+string(asked.ID)+`}` {
			t.Errorf("got %s", f.raw)
		}
		c.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":{"action":"accept"}}`, asked.ID)) // too late
		c.quiet()
	})
}

// The answer cannot come: the call must not wait for the grace to end.
func TestElicitationEndsWithTheInput(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := asker(t, `"elicitation":{}`)
		c.send(call("1", "ask", `{}`))
		c.recv()
		_ = c.in.Close()
		if got := c.recv().text(t); !strings.Contains(got, mcpstdio.ErrInputClosed.Error()) {
			t.Errorf("got %q", got)
		}
		if err := c.wait(); err != nil {
			t.Error(err)
		}
	})
}

// Without a call around it, too.
func TestElicitationEndsWithTheSession(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		srv := newServer(nil)
		c := serve(t, srv, mcpstdio.Options{})
		c.send(strings.Replace(initialize, `"capabilities":{}`, `"capabilities":{"elicitation":{}}`, 1))
		c.recv()
		sess := c.session(srv)
		done := make(chan error, 1)
		go func() {
			_, err := sess.RequestElicitation(context.Background(), mcp.ElicitationRequest{})
			done <- err
		}()
		c.recv()
		synctest.Wait()
		c.cancel()
		if err := <-done; !errors.Is(err, mcpstdio.ErrClosed) {
			t.Errorf("got %v", err)
		}
	})
}

// The context counts also while the request cannot be written.
func TestElicitationOfAClientThatDoesNotRead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ended := make(chan error, 1)
		srv := newServer(map[string]handler{"ask": func(ctx context.Context, _ mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			s, _ := mcpstdio.FromContext(ctx)
			s.SetClientCapabilities(mcp.ClientCapabilities{Elicitation: &mcp.ElicitationCapability{}})
			_, err := s.RequestElicitation(ctx, mcp.ElicitationRequest{})
			ended <- err
			return nil, err
		}})
		c := serveUnread(t, srv, mcpstdio.Options{})
		c.send(call("1", "ask", `{}`))
		synctest.Wait()
		c.send(cancelled("1"))
		if err := <-ended; !errors.Is(err, context.Canceled) {
			t.Errorf("got %v", err)
		}
	})
}
