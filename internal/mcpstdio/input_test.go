// SPDX-License-Identifier: Apache-2.0

package mcpstdio_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"strings"
	"testing"
	"testing/iotest"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"

	"github.com/fiftyarms/platform/internal/mcpstdio"
)

// piped runs Serve over a whole input and returns its output.
func piped(t testing.TB, in io.Reader, opts mcpstdio.Options) (string, error) {
	t.Helper()
	var out bytes.Buffer
	err := mcpstdio.Serve(context.Background(), newServer(nil), in, frameWriter{t, &out}, opts)
	checkLeaks(t)
	return out.String(), err
}

const (
	ping = `{"jsonrpc":"2.0","id":1,"method":"ping"}`
	pong = `{"jsonrpc":"2.0","id":1,"result":{}}` + "\n"
)

func refused(id string, code int, text string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"error":{"code":%d,"message":%q}}`+"\n", id, code, text)
}

func TestLines(t *testing.T) {
	const (
		parse   = "line is not valid JSON in UTF-8"
		object  = "message must be a JSON object"
		batch   = "batches are not supported: send one message a line"
		version = `jsonrpc must be "2.0"`
		badID   = "id must be a string or an integer"
	)
	for _, tt := range []struct{ name, in, want string }{
		{"empty", "", ""},
		{"last line without newline", ping, pong},
		{"blank lines", "\n\r\n  \n\t\n" + ping + "\n\n", pong},
		{"crlf", ping + "\r\n", pong},
		{"crlf cut at the end", ping + "\r", pong},
		{"spaces around", " \t" + ping + " \n", pong},
		{"junk", "hello\n" + ping, refused("null", -32700, parse) + pong},
		{"cut object", ping[:20] + "\n" + ping, refused("null", -32700, parse) + pong},
		{"two on a line", ping + ping + "\n" + ping, refused("null", -32700, parse) + pong},
		{"nul", "\x00\n" + ping, refused("null", -32700, parse) + pong},
		{"nul in a string", "{\"jsonrpc\":\"2.0\",\"id\":\"\x00\",\"method\":\"ping\"}\n" + ping, refused("null", -32700, parse) + pong},
		{"invalid utf-8", "{\"jsonrpc\":\"2.0\",\"id\":\"\xff\",\"method\":\"ping\"}\n" + ping, refused("null", -32700, parse) + pong},
		{"vertical tab is no space", "\v\n" + ping, refused("null", -32700, parse) + pong},
		{"nested too deep", strings.Repeat("[", 20_000) + strings.Repeat("]", 20_000) + "\n" + ping, refused("null", -32700, parse) + pong},
		{"batch", "[" + ping + "]\n" + ping, refused("null", -32600, batch) + pong},
		{"empty batch", "[]\n" + ping, refused("null", -32600, batch) + pong},
		{"null", "null\n", refused("null", -32600, object)},
		{"number", "3\n", refused("null", -32600, object)},
		{"string", `"x"` + "\n", refused("null", -32600, object)},
		{"true", "true\n", refused("null", -32600, object)},
		{"empty object", "{}\n", refused("null", -32600, version)},
		{"no version", `{"id":1,"method":"ping"}`, refused("1", -32600, version)},
		{"other version", `{"jsonrpc":"1.0","id":1,"method":"ping"}`, refused("1", -32600, version)},
		{"version of a notification", `{"method":"notifications/x"}`, refused("null", -32600, version)},
		{"no method", `{"jsonrpc":"2.0","id":1}`, refused("1", -32600, "message has no method")},
		{"method is a number", `{"jsonrpc":"2.0","id":1,"method":3}`, refused("1", -32600, "method must be a string")},
		{"method is null", `{"jsonrpc":"2.0","id":1,"method":null}`, refused("1", -32600, "method must be a string")},
		{"method and result", `{"jsonrpc":"2.0","id":1,"method":"ping","result":{}}`, refused("1", -32600, "message has both a method and a result or error")},
		{"null id", `{"jsonrpc":"2.0","id":null,"method":"ping"}`, refused("null", -32600, badID)},
		{"fraction as id", `{"jsonrpc":"2.0","id":1.5,"method":"ping"}`, refused("null", -32600, badID)},
		{"exponent as id", `{"jsonrpc":"2.0","id":1e3,"method":"ping"}`, refused("null", -32600, badID)},
		{"bool as id", `{"jsonrpc":"2.0","id":true,"method":"ping"}`, refused("null", -32600, badID)},
		{"object as id", `{"jsonrpc":"2.0","id":{},"method":"ping"}`, refused("null", -32600, badID)},
		{"answer to nothing", `{"jsonrpc":"2.0","id":77,"result":{}}` + "\n" + ping, pong},
		{"error answer to nothing", `{"jsonrpc":"2.0","id":null,"error":{"code":1,"message":"m"}}` + "\n" + ping, pong},
		{"unknown notification", `{"jsonrpc":"2.0","method":"notifications/x","params":{}}` + "\n" + ping, pong},
		{"unreadable notification", `{"jsonrpc":"2.0","method":"notifications/x","params":[1]}` + "\n" + ping, pong},
	} {
		t.Run(tt.name, func(t *testing.T) {
			// All at once, and a byte at a time.
			for _, in := range []io.Reader{strings.NewReader(tt.in), iotest.OneByteReader(strings.NewReader(tt.in))} {
				got, err := piped(t, in, mcpstdio.Options{MaxInFlight: 1})
				if err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(tt.want, got); diff != "" {
					t.Errorf("output (-want +got):\n%s", diff)
				}
			}
		})
	}
}

func TestUnknownMethod(t *testing.T) {
	got, err := piped(t, strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"no/such"}`), mcpstdio.Options{})
	if err != nil || !strings.Contains(got, `"id":1,`) || !strings.Contains(got, `-32601`) {
		t.Errorf("got %q, %v", got, err)
	}
}

func TestLineLimit(t *testing.T) {
	const limit = 100
	pad := func(n int) string { return ping + strings.Repeat(" ", n-len(ping)) }
	tooLong := refused("null", -32600, "line is longer than 100 bytes, which is the limit")
	tooLongFor := func(id string) string { return strings.Replace(tooLong, `"id":null`, `"id":`+id, 1) }
	big := strings.Repeat("x", 1<<20)
	for _, tt := range []struct{ name, in, want string }{
		{"at the limit", pad(limit) + "\n", pong},
		{"at the limit, crlf", pad(limit) + "\r\n", pong},
		{"at the limit, at the end", pad(limit), pong},
		{"one over", pad(limit+1) + "\n" + ping, tooLongFor("1") + pong},
		{"one over, crlf", pad(limit+1) + "\r\n" + ping, tooLongFor("1") + pong},
		{"one over, at the end", pad(limit + 1), tooLongFor("1")},
		{"a call", `{"jsonrpc":"2.0","id":"a\u0062","method":"tools/call","params":{"x":"` + big + "\"}}\n" + ping, tooLongFor(`"a\u0062"`) + pong},
		{"id after method", `{"method" : "ping", "id" : -7 , "params":{"x":"` + big + "\"}}\n", tooLongFor("-7")},
		{"id after the params", `{"method":"ping","params":{"x":"` + big + "\"},\"id\":7}\n", tooLong},
		{"an answer", `{"jsonrpc":"2.0","id":7,"result":{"x":"` + big + "\"}}\n", tooLong},
		{"method that is none", `{"id":7,"method":1,"x":"` + big + "\"}\n", tooLong},
		{"id that is none", `{"id":7.5,"method":"ping","x":"` + big + "\"}\n", tooLong},
		{"id in no UTF-8", "{\"id\":\"\xff\",\"method\":\"ping\",\"x\":\"" + big + "\"}\n", tooLong},
		{"a list", `[{"id":7,"method":"ping"},"` + big + "\"]\n", tooLong},
		{"far over", big + "\n" + ping, tooLong + pong},
		{"far over, at the end", big, tooLong},
		{"twice", big + "\n" + big + "\n" + ping, tooLong + tooLong + pong},
	} {
		t.Run(tt.name, func(t *testing.T) {
			for _, in := range []io.Reader{strings.NewReader(tt.in), iotest.HalfReader(strings.NewReader(tt.in)), iotest.DataErrReader(strings.NewReader(tt.in))} {
				got, err := piped(t, in, mcpstdio.Options{MaxLine: limit})
				if err != nil {
					t.Fatal(err)
				}
				if got != tt.want {
					t.Errorf("got %q\nwant %q", got, tt.want)
				}
			}
		})
	}
}

type endless struct{}

func (endless) Read(b []byte) (int, error) {
	for i := range b {
		b[i] = 'x'
	}
	return len(b), nil
}

func TestLongLineTakesNoMemory(t *testing.T) {
	const limit = 64 << 10
	in := io.MultiReader(io.LimitReader(endless{}, 64<<20), strings.NewReader("\n"+ping))
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	var out bytes.Buffer
	err := mcpstdio.Serve(context.Background(), newServer(nil), in, &out, mcpstdio.Options{MaxLine: limit})
	runtime.ReadMemStats(&after)
	if err != nil || !strings.HasSuffix(out.String(), pong) {
		t.Errorf("got %q, %v", out.String(), err)
	}
	if n := after.TotalAlloc - before.TotalAlloc; n > 4<<20 {
		t.Errorf("allocated %d bytes for a line of 64 MiB", n)
	}
}

// The answer must not wait for the end of a line that may have none.
func TestLongLineIsAnsweredBeforeItEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := serve(t, newServer(nil), mcpstdio.Options{MaxLine: 10})
		go func() { _, _ = io.WriteString(c.in, strings.Repeat("x", 1<<20)) }()
		wantError(t, c.recv(), "null", -32600, "longer than 10 bytes")
		c.quiet()
	})
}

func TestReadError(t *testing.T) {
	in := io.MultiReader(strings.NewReader(ping), iotest.ErrReader(errTest))
	got, err := piped(t, in, mcpstdio.Options{})
	if !errors.Is(err, errTest) {
		t.Errorf("err = %v", err)
	}
	if got != pong { // what was received before is answered
		t.Errorf("got %q", got)
	}
}

func TestIDsAreEchoed(t *testing.T) {
	ids := []string{
		`0`, `1`, `-1`, `"1"`, `""`, `"a b"`, `"\u00e9"`, `"é"`, `"<&>"`, `"\/"`,
		`9007199254740993`, `-9007199254740993`, `18446744073709551616`, `123456789012345678901234567890`,
	}
	for i, id := range ids {
		for _, line := range []string{
			`{"jsonrpc":"2.0","id":` + id + `,"method":"ping"}`,
			call(id, "echo", `{}`),
			call(id, "no such tool", `{}`),
			`{"jsonrpc":"2.0","id":` + id + `,"method":"no/such"}`,
		} {
			got, err := piped(t, strings.NewReader(line), mcpstdio.Options{})
			if err != nil || !strings.HasPrefix(got, `{"jsonrpc":"2.0","id":`+id+`,`) {
				t.Errorf("%d: sent %s\ngot %s, %v", i, line, got, err)
			}
		}
	}
}

func TestDuplicateID(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newGate()
		c := serve(t, newServer(map[string]handler{"gate": g.handle}), mcpstdio.Options{MaxInFlight: 1}).initialized()
		const run, wait = `1`, `"a"`
		c.send(call(run, "gate", `{}`), call(wait, "gate", `{}`))
		c.send(call(run, "echo", `{}`))
		wantError(t, c.recv(), run, -32600, "in use")
		c.send(call(`"\u0061"`, "echo", `{}`))
		wantError(t, c.recv(), `"\u0061"`, -32600, "in use")
		c.send(strings.Replace(initialize, `"init"`, run, 1))
		wantError(t, c.recv(), run, -32600, "in use")
		close(g.open)
		for id, f := range c.recvAll(2) {
			if f.text(t) != "through" {
				t.Errorf("%s: %s", id, f.raw)
			}
		}
		c.send(call(run, "echo", `{}`)) // free again
		if f := c.recv(); string(f.ID) != run || f.Error != nil {
			t.Errorf("got %s", f.raw)
		}
	})
}

func TestArgumentsKeepTheirNumbers(t *testing.T) {
	const args = `{"n":9007199254740993,"f":0.1000000000000000055,"big":123456789012345678901234567890}`
	c := serve(t, newServer(nil), mcpstdio.Options{}).initialized()
	c.send(call("1", "echo", args))
	if got := c.recv().text(t); got != args {
		t.Errorf("handler got %s", got)
	}
}
