// SPDX-License-Identifier: Apache-2.0

package mcpstdio_test

import (
	"bytes"
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/fiftyarms/platform/internal/mcpstdio"
)

// Whatever comes in, only JSON-RPC frames go out, at most one answer for each
// line that is not blank, and the session ends cleanly.
func FuzzServe(f *testing.F) {
	for _, s := range []string{
		"", "\n\n", ping, ping + "\r\n" + ping, "[]\n[" + ping + "]\nnull\n3\n\"x\"\n{}",
		initialize + "\n" + call("1", "echo", `{"a":[1,{"b":"\u0000"}]}`) + "\n" + cancelled("1"),
		`{"jsonrpc":"2.0","id":"\ud800","method":"ping"}`,
		`{"jsonrpc":"2.0","ID":1,"Id":"x","METHOD":"ping"}`,
		`{"jsonrpc":"2.0","id":1e999,"method":"tools/list"}` + "\n" + strings.Repeat("9", 300),
		`{"jsonrpc":"2.0","id":` + strings.Repeat("9", 400) + `,"method":"ping"}`,
		`{"jsonrpc":"2.0","id":1,"result":{}}` + "\n" + `{"jsonrpc":"2.0","method":"notifications/initialized"}`,
		"\x00\xff\xfe{\"jsonrpc\":\"2.0\"}\n" + strings.Repeat("x", 5000) + "\n" + ping,
		`{"jsonrpc":"2.0","id":1,"method":"subscriptions/listen","params":{"notifications":{"toolsListChanged":true},"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}`,
	} {
		f.Add([]byte(s))
	}
	srv := newServer(nil)
	f.Fuzz(func(t *testing.T, in []byte) {
		var out bytes.Buffer
		opts := mcpstdio.Options{MaxLine: 4096, MaxInFlight: 2, MaxQueue: 2, Grace: time.Minute}
		if err := mcpstdio.Serve(context.Background(), srv, bytes.NewReader(in), frameWriter{t, &out}, opts); err != nil {
			t.Fatal(err)
		}
		lines := 0
		for l := range bytes.SplitSeq(in, []byte("\n")) {
			if len(bytes.Trim(l, " \t\r")) > 0 {
				lines++
			}
		}
		answers := 0
		for l := range bytes.SplitSeq(bytes.TrimSuffix(out.Bytes(), []byte("\n")), []byte("\n")) {
			if len(l) == 0 {
				continue
			}
			var fr frame
			if err := json.Unmarshal(l, &fr); err != nil || fr.JSONRPC != "2.0" {
				t.Fatalf("no frame: %q, %v", l, err)
			}
			if fr.Method != "" {
				continue
			}
			if (fr.Result == nil) == (fr.Error == nil) || fr.ID == nil {
				t.Fatalf("no answer: %q", l)
			}
			answers++
		}
		if answers > lines {
			t.Fatalf("%d answers to %d lines", answers, lines)
		}
	})
}
