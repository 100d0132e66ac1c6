// SPDX-License-Identifier: Apache-2.0

// Package mcpclient is a small MCP client over a child process's stdio. The demo, the benchmarks and the process tests
// use it to meet platform-mcp as a client does: through its real process and its real frames, seen raw.
package mcpclient

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"sync"
)

// maxFrame bounds one line from the server, in bytes.
const maxFrame = 16 << 20

// ProtocolVersion is the MCP version that the client asks for.
const ProtocolVersion = "2025-06-18"

// A Client is one connection to one process. Its methods are safe for concurrent use.
type Client struct {
	cmd    *exec.Cmd
	stdin  io.WriteCloser
	done   chan struct{} // closed when the server's stdout has ended
	readMu sync.Mutex
	err    error // why reading ended; set before done is closed
	next   int64
	wait   map[int64]chan frame
	told   map[string]int // notifications so far, by method
	news   chan struct{}  // closed, and made anew, when one comes
	write  sync.Mutex
}

type frame struct {
	ID     *int64          `json:"id"`
	Method string          `json:"method"`
	Result json.RawMessage `json:"result"`
	Error  *Error          `json:"error"`
}

// Error is a JSON-RPC error.
type Error struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
}

func (e *Error) Error() string { return fmt.Sprintf("%s (%d)", e.Message, e.Code) }

// Start starts the command and reads its stdout until it ends. The caller closes the client.
func Start(cmd *exec.Cmd) (*Client, error) {
	stdin, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	c := &Client{cmd: cmd, stdin: stdin, done: make(chan struct{}), wait: map[int64]chan frame{}, told: map[string]int{}, news: make(chan struct{})}
	go c.read(stdout)
	return c, nil
}

func (c *Client) read(stdout io.Reader) {
	lines := bufio.NewScanner(stdout)
	lines.Buffer(make([]byte, 0, 64<<10), maxFrame)
	err := io.EOF
	for lines.Scan() {
		var f frame
		if bad := json.Unmarshal(lines.Bytes(), &f); bad != nil {
			err = fmt.Errorf("a line on stdout that is no frame: %w", bad)
			break
		}
		c.readMu.Lock()
		switch {
		case f.ID != nil && f.Method == "" && c.wait[*f.ID] != nil:
			c.wait[*f.ID] <- f // buffered for its one answer
			delete(c.wait, *f.ID)
		case f.ID == nil && f.Method != "":
			c.told[f.Method]++
			close(c.news)
			c.news = make(chan struct{})
		} // what the server asks nobody here answers
		c.readMu.Unlock()
	}
	if bad := lines.Err(); bad != nil {
		err = bad
	}
	c.readMu.Lock()
	c.err = err
	c.readMu.Unlock()
	close(c.done)
}

// Initialize opens the session and returns the server's answer.
func (c *Client) Initialize(ctx context.Context, name string) (json.RawMessage, error) {
	result, err := c.Request(ctx, "initialize", map[string]any{
		"protocolVersion": ProtocolVersion,
		"capabilities":    struct{}{},
		"clientInfo":      map[string]string{"name": name, "version": "1"},
	})
	if err != nil {
		return nil, err
	}
	return result, c.send(map[string]any{"jsonrpc": "2.0", "method": "notifications/initialized"})
}

// Request sends one request and waits for its answer. A cancelled context tells the server to stop.
func (c *Client) Request(ctx context.Context, method string, params any) (json.RawMessage, error) {
	c.readMu.Lock()
	c.next++
	id := c.next
	answer := make(chan frame, 1)
	c.wait[id] = answer
	c.readMu.Unlock()
	if params == nil {
		params = struct{}{}
	}
	if err := c.send(map[string]any{"jsonrpc": "2.0", "id": id, "method": method, "params": params}); err != nil {
		return nil, err
	}
	select {
	case f := <-answer:
		if f.Error != nil {
			return nil, f.Error
		}
		return f.Result, nil
	case <-c.done:
		c.readMu.Lock()
		defer c.readMu.Unlock()
		return nil, fmt.Errorf("the server ended before it answered %s: %w", method, c.err)
	case <-ctx.Done():
		c.readMu.Lock()
		delete(c.wait, id)
		c.readMu.Unlock()
		cancelled := map[string]any{"jsonrpc": "2.0", "method": "notifications/cancelled", "params": map[string]any{"requestId": id}}
		return nil, errors.Join(ctx.Err(), c.send(cancelled))
	}
}

// Told is how many notifications of a method have come so far.
func (c *Client) Told(method string) int {
	c.readMu.Lock()
	defer c.readMu.Unlock()
	return c.told[method]
}

// AwaitTold waits until n notifications of a method have come since the start.
func (c *Client) AwaitTold(ctx context.Context, method string, n int) error {
	for {
		c.readMu.Lock()
		told, news := c.told[method], c.news
		c.readMu.Unlock()
		if told >= n {
			return nil
		}
		select {
		case <-news:
		case <-c.done:
			return fmt.Errorf("the server ended after %d notifications %s", told, method)
		case <-ctx.Done():
			return fmt.Errorf("%d notifications %s: %w", told, method, ctx.Err())
		}
	}
}

func (c *Client) send(v any) error {
	b, err := json.Marshal(v)
	if err != nil {
		return err
	}
	c.write.Lock()
	defer c.write.Unlock()
	_, err = c.stdin.Write(append(b, '\n'))
	return err
}

// A ToolResult is what a tool answered, as text.
type ToolResult struct {
	Text    string
	IsError bool
}

// CallTool calls a tool. args is marshalled as it is; a json.RawMessage keeps its bytes.
func (c *Client) CallTool(ctx context.Context, name string, args any) (ToolResult, error) {
	raw, err := c.Request(ctx, "tools/call", map[string]any{"name": name, "arguments": args})
	if err != nil {
		return ToolResult{}, err
	}
	var result struct {
		Content []struct{ Type, Text string }
		IsError bool
	}
	if err := json.Unmarshal(raw, &result); err != nil {
		return ToolResult{}, err
	}
	out := ToolResult{IsError: result.IsError}
	for _, c := range result.Content {
		if c.Type == "text" {
			out.Text += c.Text
		}
	}
	return out, nil
}

// Close closes the server's stdin, which tells it to end, and waits for it.
func (c *Client) Close() error {
	c.write.Lock()
	err := c.stdin.Close()
	c.write.Unlock()
	<-c.done
	return errors.Join(err, c.cmd.Wait())
}
