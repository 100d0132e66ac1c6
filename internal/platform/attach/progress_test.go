// SPDX-License-Identifier: Apache-2.0

package attach_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"testing"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/fiftyarms/platform/gen/mcptools"
	"github.com/fiftyarms/platform/internal/mcpstdio"
	"github.com/fiftyarms/platform/internal/platform/attach"
)

// TestProgress: a client that asks for it sees an upload go on, before its answer; another sees the answer alone.
func TestProgress(t *testing.T) {
	const size = 300_000
	d := newDashboard(t, nil)
	srv := server.NewMCPServer("platform", "0.1.0")
	srv.AddTool(mcp.NewTool("attach_file"), func(ctx context.Context, req mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		path := req.GetString("path", "")
		if _, err := d.AttachFile(attach.WithProgress(ctx, req), mcptools.AttachFileArgs{CardID: new("SHOP-1"), Path: path}); err != nil {
			return mcp.NewToolResultError(err.Error()), nil
		}
		return mcp.NewToolResultText("kept"), nil
	})
	in, toServer := io.Pipe()
	fromServer, out := io.Pipe()
	ended := make(chan error, 1)
	go func() {
		ended <- mcpstdio.Serve(context.Background(), srv, in, out, mcpstdio.Options{Log: slog.New(slog.DiscardHandler)})
		_ = out.Close()
	}()
	path := write(t, "a.txt", strings.Repeat("x", size))
	go func() {
		_, _ = fmt.Fprintf(toServer, `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","clientInfo":{"name":"c","version":"1"},"capabilities":{}}}
{"jsonrpc":"2.0","method":"notifications/initialized"}
{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"attach_file","arguments":{"path":%q},"_meta":{"progressToken":"p-1"}}}
`, path)
	}()
	var seen []string
	last := -1.0
	for lines := bufio.NewScanner(fromServer); lines.Scan(); {
		var frame struct {
			ID     int
			Method string
			Params struct {
				ProgressToken   string
				Progress, Total float64
			}
		}
		if err := json.Unmarshal(lines.Bytes(), &frame); err != nil {
			t.Fatal(err)
		}
		switch {
		case frame.Method == "notifications/progress":
			if frame.Params.ProgressToken != "p-1" || frame.Params.Total != size || frame.Params.Progress <= last {
				t.Errorf("%s after %v", lines.Bytes(), last)
			}
			last = frame.Params.Progress
		case frame.Method != "":
			t.Errorf("%s", lines.Bytes())
		default:
			seen = append(seen, fmt.Sprint(frame.ID))
		}
		switch {
		case frame.ID == 2:
			if last != size {
				t.Errorf("the answer came after %v of %v bytes", last, size)
			}
			last = size + 1 // no more of it
			go func() {
				_, _ = fmt.Fprintf(toServer, `{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"attach_file","arguments":{"path":%q}}}`+"\n", path)
			}()
		case frame.ID == 3:
			_ = toServer.Close()
		}
	}
	if err := <-ended; err != nil || strings.Join(seen, " ") != "1 2 3" || len(d.seen()) != 2 {
		t.Errorf("%v, %v, %d uploads", err, seen, len(d.seen()))
	}
}
