// SPDX-License-Identifier: Apache-2.0

package mcpstdio_test

import (
	"context"
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

// sampler is a server whose tool asks the client's model, and tells what came
// of it.
func sampler(t testing.TB, capability string, params mcp.CreateMessageParams) *client {
	params.Messages = []mcp.SamplingMessage{{Role: mcp.RoleUser, Content: mcp.NewTextContent("who <are> you?")}}
	params.MaxTokens = 9
	srv := newServer(map[string]handler{"ask": func(ctx context.Context, _ mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		// As mcp-go finds it.
		session, ok := server.ClientSessionFromContext(ctx).(server.SessionWithSampling)
		if !ok {
			return nil, errors.New("session cannot sample")
		}
		r, err := session.RequestSampling(ctx, mcp.CreateMessageRequest{CreateMessageParams: params})
		if err != nil {
			return mcp.NewToolResultText("error: " + err.Error() + " " + fmt.Sprint(errors.Is(err, mcpstdio.ErrSamplingNotSupported))), nil
		}
		return mcp.NewToolResultText(fmt.Sprintf("%s %s %s %T", r.Role, r.Model, r.StopReason, r.Content)), nil
	}})
	c := serve(t, srv, mcpstdio.Options{})
	c.send(strings.Replace(initialize, `"capabilities":{}`, `"capabilities":{`+capability+`}`, 1))
	c.recv()
	return c
}

func TestSampling(t *testing.T) {
	text := `{"type":"text","text":"me"}`
	answer := func(content string) string {
		return `"result":{"role":"assistant","model":"m","stopReason":"endTurn","content":` + content + `}`
	}
	tools := mcp.CreateMessageParams{Tools: []mcp.Tool{mcp.NewTool("t")}}
	for _, tt := range []struct {
		name, capability string
		params           mcp.CreateMessageParams
		answer, want     string
	}{
		{"not declared", ``, mcp.CreateMessageParams{}, "", "error: client did not declare the sampling capability: session does not support sampling true"},
		{"tools not declared", `"sampling":{"context":{}}`, tools, "", "error: client did not declare sampling with tools: session does not support sampling true"},
		{"choice not declared", `"sampling":{}`, mcp.CreateMessageParams{ToolChoice: &mcp.ToolChoice{}}, "", "error: client did not declare sampling with tools: session does not support sampling true"},
		{"context not declared", `"sampling":{"tools":{}}`, mcp.CreateMessageParams{IncludeContext: "thisServer"}, "", "error: client did not declare sampling with context: session does not support sampling true"},
		{"refused", `"sampling":{}`, mcp.CreateMessageParams{}, `"error":{"code":-1,"message":"not now"}`, "error: sample: client refused: not now (-1) false"},
		{"odd result", `"sampling":{}`, mcp.CreateMessageParams{}, `"result":3`, "error: sample: read the client's answer: "},
		{"no content", `"sampling":{}`, mcp.CreateMessageParams{}, `"result":{}`, "error: sample: read the client's answer: content is neither"},
		{"odd content", `"sampling":{}`, mcp.CreateMessageParams{}, answer(`"me"`), "error: sample: read the client's answer: content is neither"},
		{"unknown content", `"sampling":{}`, mcp.CreateMessageParams{}, answer(`{"type":"smell"}`), "error: sample: read the client's answer: "},
		{"odd list", `"sampling":{}`, mcp.CreateMessageParams{}, answer(`[` + text + `,3]`), "error: sample: read the client's answer: content[1]"},
		{"one", `"sampling":{}`, mcp.CreateMessageParams{IncludeContext: "none"}, answer(text), "assistant m endTurn mcp.TextContent"},
		{"list", `"sampling":{"tools":{}}`, tools, answer(`[` + text + `]`), "assistant m endTurn []mcp.Content"},
		{"with context", `"sampling":{"context":{}}`, mcp.CreateMessageParams{IncludeContext: "allServers"}, answer(text), "assistant m endTurn mcp.TextContent"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c := sampler(t, tt.capability, tt.params)
				c.send(call("1", "ask", `{}`))
				if tt.answer != "" {
					f := c.recv()
					if f.Method != "sampling/createMessage" {
						t.Fatalf("got %s", f.raw)
					}
					c.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,%s}`, f.ID, tt.answer))
				}
				if got := c.recv().text(t); !strings.HasPrefix(got, tt.want) {
					t.Errorf("got %q, want %q", got, tt.want)
				}
				c.quiet()
			})
		})
	}
}

func TestSamplingSendsTheParamsAlone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := sampler(t, `"sampling":{}`, mcp.CreateMessageParams{})
		c.send(call("1", "ask", `{}`))
		want := `{"messages":[{"role":"user","content":{"type":"text","text":"who <are> you?"}}],"maxTokens":9}`
		if diff := cmp.Diff(want, string(c.recv().Params)); diff != "" {
			t.Error(diff)
		}
	})
}

func TestSamplingEndsWithItsCall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := sampler(t, `"sampling":{}`, mcp.CreateMessageParams{})
		c.send(call("1", "ask", `{}`))
		asked := c.recv()
		c.send(cancelled("1"))
		f := c.recv()
		if f.Method != "notifications/cancelled" || string(f.Params) != `{"requestId":`+string(asked.ID)+`}` {
			t.Errorf("got %s", f.raw)
		}
		c.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":{}}`, asked.ID)) // too late
		c.quiet()
	})
}

func TestSamplingEndsWithTheInput(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := sampler(t, `"sampling":{}`, mcp.CreateMessageParams{})
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
