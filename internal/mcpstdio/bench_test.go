// SPDX-License-Identifier: Apache-2.0

package mcpstdio_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"testing"

	"github.com/fiftyarms/platform/internal/mcpstdio"
)

func BenchmarkEcho(b *testing.B) {
	inR, in := io.Pipe()
	out, outW := io.Pipe()
	done := make(chan error, 1)
	go func() {
		done <- mcpstdio.Serve(context.Background(), newServer(nil), inR, outW, mcpstdio.Options{})
	}()
	lines := bufio.NewReader(out)
	line := call("1", "echo", `{"text":"hello","n":1}`) + "\n"
	b.ReportAllocs()
	for b.Loop() {
		if _, err := io.WriteString(in, line); err != nil {
			b.Fatal(err)
		}
		if _, err := lines.ReadSlice('\n'); err != nil {
			b.Fatal(err)
		}
	}
	_ = in.Close()
	if err := <-done; err != nil {
		b.Fatal(err)
	}
}

// BenchmarkProgress is one notification through mcp-go or through Notify.
func BenchmarkProgress(b *testing.B) {
	for _, via := range []string{"notify", "mcp-go"} {
		b.Run(via, func(b *testing.B) {
			c := serve(b, newServer(map[string]handler{"report": reporter(via)}), mcpstdio.Options{}).initialized()
			b.ReportAllocs()
			n := 0
			for b.Loop() {
				if n%steps == 0 {
					c.send(call(fmt.Sprint(n), "report", `{"token":"t"}`))
				}
				n++
				if f := c.recv(); f.Method == "" {
					c.recv()
				}
			}
		})
	}
}
