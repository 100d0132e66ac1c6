// SPDX-License-Identifier: Apache-2.0

package mcphttp_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/fiftyarms/platform/internal/platform/mcphttp"
)

// TestSession: a client opens a session, works in it and ends it.
func TestSession(t *testing.T) {
	leaks(t)
	r := serve(t, nil)
	id := r.open()
	if !regexp.MustCompile(`^[0-9a-f]{32}$`).MatchString(id) {
		t.Errorf("session id %q", id)
	}
	for _, raw := range []string{`1`, `"1"`, `9007199254740993`, `"a\u0062 \"q\""`} { // the answer has the id's own bytes
		lines := r.lines(r.do(r.request(t.Context(), "POST", id, "{\n \"jsonrpc\": \"2.0\",\n \"id\": "+raw+",\n \"method\": \"ping\"\n}\n")))
		if len(lines) != 1 || lines[0] != `{"jsonrpc":"2.0","id":`+raw+`,"result":{}}` {
			t.Errorf("%s: %q", raw, lines)
		}
	}
	req := r.request(t.Context(), "POST", id, callTool("2", "echo", `{"text":"<é>"}`, ""))
	req.Header.Set("Mcp-Protocol-Version", "2025-11-25")
	if lines := r.lines(r.do(req)); text(t, lines[0]) != "<é>" {
		t.Errorf("%q", lines)
	}
	r.said(r.do(r.request(t.Context(), "DELETE", id, "")), 204)
	for _, method := range []string{"POST", "GET", "DELETE"} {
		r.said(r.do(r.request(t.Context(), method, id, callTool("3", "echo", `{}`, ""))), 404)
	}
}

// TestProgress: what a call sends comes on its own POST, whole, in order and before the answer, also while others send.
func TestProgress(t *testing.T) {
	leaks(t)
	r := serve(t, nil)
	id := r.open()
	const calls, steps = 20, 200 // ended has room for as many
	var all sync.WaitGroup
	for i := range calls {
		all.Go(func() {
			token := fmt.Sprint(i)
			if i%2 == 0 {
				token = `"` + token + `"`
			}
			args := fmt.Sprintf(`{"n":%d,"notify":%t}`, steps, i%4 < 2)
			resp, err := r.http.Do(r.request(context.Background(), "POST", id, callTool(fmt.Sprint(100+i), "progress", args, `,"_meta":{"progressToken":`+token+`}`)))
			if err != nil {
				t.Error(err)
				return
			}
			defer resp.Body.Close()
			lines := r.lines(resp)
			if len(lines) != steps+1 {
				t.Errorf("call %d: %d lines, want %d", i, len(lines), steps+1)
				return
			}
			for step, line := range lines[:steps] {
				var f struct {
					Params struct {
						ProgressToken json.RawMessage
						Progress      int
					}
				}
				if err := json.Unmarshal([]byte(line), &f); err != nil || string(f.Params.ProgressToken) != token || f.Params.Progress != step {
					t.Errorf("call %d: line %d is %s", i, step, line)
					return
				}
			}
			if text(t, lines[steps]) != "done" {
				t.Errorf("call %d: %s", i, lines[steps])
			}
		})
	}
	all.Wait()
}

// TestAside: what belongs to no call comes on the GET, once: also what came before there was one, and after another GET
// has taken over.
func TestAside(t *testing.T) {
	leaks(t)
	r := serve(t, nil)
	id := r.open()
	const changed = "notifications/tools/list_changed"
	tell := func() { r.fixture.mcp.SendNotificationToAllClients(changed, nil) }
	want := func(c <-chan string) {
		t.Helper()
		if line, ok := await(t, c, "the notification"); !ok || !strings.Contains(line, changed) {
			t.Errorf("%q", line)
		}
	}
	tell()
	ctx, away := context.WithCancel(t.Context())
	defer away()
	first := events(r.do(r.request(ctx, "GET", id, "")))
	want(first)
	tell()
	want(first)
	second := events(r.do(r.request(ctx, "GET", id, "")))
	if line, ok := await(t, first, "the older stream's end"); ok {
		t.Errorf("twice: %s", line)
	}
	tell()
	want(second)

	// A request to the client goes there, and its answer comes by POST.
	asked := make(chan string, 1)
	go func() {
		resp, err := r.http.Do(r.request(ctx, "POST", id, callTool("5", "ask", `{}`, "")))
		if err != nil {
			t.Error(err)
			close(asked)
			return
		}
		defer resp.Body.Close()
		asked <- r.lines(resp)[0]
	}()
	line, _ := await(t, second, "the question")
	var question struct {
		ID     json.RawMessage
		Method string
	}
	if err := json.Unmarshal([]byte(line), &question); err != nil || question.Method != "elicitation/create" {
		t.Fatalf("%s: %v", line, err)
	}
	r.said(r.do(r.request(t.Context(), "POST", id, `{"jsonrpc":"2.0","id":`+string(question.ID)+`,"result":{"action":"accept","content":{}}}`)), 202)
	if line, _ := await(t, asked, "the answer"); text(t, line) != "accept" {
		t.Error(line)
	}
	r.said(r.do(r.request(t.Context(), "DELETE", id, "")), 204)
	if line, ok := await(t, second, "the end"); ok {
		t.Errorf("more: %s", line)
	}
}

// TestWaits: a long call holds up no other; cancelling it reaches it, and ends its POST without an answer.
func TestWaits(t *testing.T) {
	leaks(t)
	r := serve(t, nil)
	id := r.open()
	waiting := make(chan []string, 1)
	go func() {
		resp, err := r.http.Do(r.request(context.Background(), "POST", id, callTool(`"w"`, "wait", `{}`, "")))
		if err != nil {
			t.Error(err)
			close(waiting)
			return
		}
		defer resp.Body.Close()
		waiting <- r.lines(resp)
	}()
	await(t, r.fixture.began, "the call")
	for i := range 20 {
		if lines := r.lines(r.do(r.request(t.Context(), "POST", id, callTool(fmt.Sprint(10+i), "echo", `{"text":"x"}`, "")))); text(t, lines[0]) != "x" {
			t.Errorf("%q", lines)
		}
	}
	if said := r.said(r.do(r.request(t.Context(), "POST", id, callTool(`"w"`, "echo", `{}`, ""))), 400); !strings.Contains(said, "in use") {
		t.Error(said)
	}
	r.said(r.do(r.request(t.Context(), "POST", id, `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"\u0077"}}`)), 202)
	if how, _ := await(t, r.fixture.ended, "the call's end"); how != "cancelled" {
		t.Error(how)
	}
	if lines, _ := await(t, waiting, "the end of the POST"); len(lines) != 0 {
		t.Errorf("a cancelled call was answered: %q", lines)
	}
	r.lines(r.do(r.request(t.Context(), "POST", id, callTool(`"w"`, "echo", `{"text":"x"}`, "")))) // the id is free
}

// TestDisconnect: a client that goes away cancels nothing, and its session goes on.
func TestDisconnect(t *testing.T) {
	leaks(t)
	r := serve(t, nil)
	id := r.open()
	ctx, away := context.WithCancel(t.Context())
	left := make(chan error, 1)
	go func() {
		resp, err := r.http.Do(r.request(ctx, "POST", id, callTool("1", "wait", `{}`, "")))
		if err == nil {
			err = errors.Join(errors.New("answered"), resp.Body.Close())
		}
		left <- err
	}()
	await(t, r.fixture.began, "the call")
	away()
	if err, _ := await(t, left, "the end of the POST"); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	close(r.fixture.release)
	if how, _ := await(t, r.fixture.ended, "the call's end"); how != "done" {
		t.Error(how)
	}
	r.lines(r.do(r.request(t.Context(), "POST", id, callTool("2", "echo", `{"text":"x"}`, ""))))
}

// TestUnread: a client that does not read an answer holds up neither the call nor the session; it loses what is too much.
func TestUnread(t *testing.T) {
	leaks(t)
	r := serve(t, nil)
	id := r.open()
	args := fmt.Sprintf(`{"n":400,"notify":true,"message":%q}`, strings.Repeat("x", 64<<10))
	resp := r.do(r.request(t.Context(), "POST", id, callTool("1", "progress", args, `,"_meta":{"progressToken":1}`)))
	if how, _ := await(t, r.fixture.ended, "the call's end"); how != "done" {
		t.Error(how)
	}
	if lines := r.lines(r.do(r.request(t.Context(), "POST", id, callTool("2", "echo", `{"text":"x"}`, "")))); text(t, lines[0]) != "x" {
		t.Errorf("%q", lines)
	}
	lines := r.lines(resp)
	if len(lines) == 0 || len(lines) >= 400 || !strings.Contains(lines[len(lines)-1], "progress") {
		t.Errorf("%d lines came", len(lines))
	}
}

// TestEndCancels: DELETE ends the calls of its session, and of no other.
func TestEndCancels(t *testing.T) {
	leaks(t)
	r := serve(t, nil)
	other := r.open()
	r.fixture = newFixture() // of the next session
	id := r.open()
	statuses := make(chan int, 1)
	go func() {
		resp, err := r.http.Do(r.request(context.Background(), "POST", id, callTool("1", "wait", `{}`, "")))
		if err != nil {
			t.Error(err)
			close(statuses)
			return
		}
		defer resp.Body.Close()
		statuses <- resp.StatusCode
	}()
	await(t, r.fixture.began, "the call")
	r.said(r.do(r.request(t.Context(), "DELETE", id, "")), 204)
	if how, _ := await(t, r.fixture.ended, "the call's end"); how != "cancelled" {
		t.Error(how)
	}
	await(t, statuses, "the end of the POST")
	r.lines(r.do(r.request(t.Context(), "POST", other, callTool("2", "echo", `{"text":"x"}`, ""))))
}

// TestLimit: one more session than the limit is refused, until one ends.
func TestLimit(t *testing.T) {
	leaks(t)
	r := serve(t, func(o *mcphttp.Options) { o.MaxSessions = 2 })
	r.open()
	id := r.open()
	resp := r.do(r.request(t.Context(), "POST", "", initialize))
	if said := r.said(resp, 503); !strings.Contains(said, "2 sessions are open") || resp.Header.Get("Retry-After") == "" {
		t.Errorf("%s %v", said, resp.Header)
	}
	r.said(r.do(r.request(t.Context(), "DELETE", id, "")), 204)
	r.open()
}

// TestRoom: where the limit is reached, the session that was idle for longest makes room, if that was ten minutes. One
// with an open stream does not.
func TestRoom(t *testing.T) {
	leaks(t)
	var passed atomic.Int64
	began := time.Unix(1_800_000_000, 0)
	r := serve(t, func(o *mcphttp.Options) {
		o.MaxSessions = 2
		o.Now = func() time.Time { return began.Add(time.Duration(passed.Load())) }
	})
	ping := func(id string, status int) {
		t.Helper()
		r.said(r.do(r.request(t.Context(), "POST", id, `{"jsonrpc":"2.0","id":1,"method":"ping"}`)), status)
	}
	open := r.open()
	_ = events(r.do(r.request(t.Context(), "GET", open, "")))
	passed.Store(int64(time.Minute))
	idle := r.open()
	passed.Store(int64(11*time.Minute - 1))
	r.said(r.do(r.request(t.Context(), "POST", "", initialize)), 503)
	passed.Store(int64(11 * time.Minute))
	next := r.open()
	ping(idle, 404)
	ping(open, 200)
	ping(next, 200)
}

// TestIdle: a session without a request ends after an hour; one with an open stream does not.
func TestIdle(t *testing.T) {
	leaks(t)
	var mu sync.Mutex
	now := time.Unix(1_800_000_000, 0)
	advance := func(d time.Duration) {
		mu.Lock()
		defer mu.Unlock()
		now = now.Add(d)
	}
	sweep := make(chan time.Time)
	r := serve(t, func(o *mcphttp.Options) {
		o.Now = func() time.Time {
			mu.Lock()
			defer mu.Unlock()
			return now
		}
		o.After = func(time.Duration) <-chan time.Time { return sweep }
	})
	idle, open := r.open(), r.open()
	stream := events(r.do(r.request(t.Context(), "GET", open, "")))
	advance(59 * time.Minute)
	sweep <- now
	r.said(r.do(r.request(t.Context(), "POST", idle, `{"jsonrpc":"2.0","id":1,"method":"ping"}`)), 200)
	advance(59 * time.Minute)
	sweep <- now
	r.said(r.do(r.request(t.Context(), "POST", idle, `{"jsonrpc":"2.0","id":2,"method":"ping"}`)), 200)
	advance(time.Hour)
	sweep <- now
	sweep <- now // the one before is over
	r.said(r.do(r.request(t.Context(), "POST", idle, `{"jsonrpc":"2.0","id":3,"method":"ping"}`)), 404)
	r.said(r.do(r.request(t.Context(), "POST", open, `{"jsonrpc":"2.0","id":4,"method":"ping"}`)), 200)
	select {
	case line, ok := <-stream:
		t.Errorf("%q, %v", line, ok)
	default:
	}
}

// TestDrain: being told to stop, the server takes no session any more, ends the streams, and answers what is open.
func TestDrain(t *testing.T) {
	leaks(t)
	r := serve(t, nil)
	id := r.open()
	stream := events(r.do(r.request(t.Context(), "GET", id, "")))
	answered := make(chan string, 1)
	go func() {
		resp, err := r.http.Do(r.request(context.Background(), "POST", id, callTool("1", "wait", `{}`, "")))
		if err != nil {
			t.Error(err)
			close(answered)
			return
		}
		defer resp.Body.Close()
		answered <- r.lines(resp)[0]
	}()
	await(t, r.fixture.began, "the call")
	r.stop()
	if line, ok := await(t, stream, "the stream's end"); ok {
		t.Error(line)
	}
	close(r.fixture.release)
	if line, _ := await(t, answered, "the answer"); text(t, line) != "waited" {
		t.Error(line)
	}
	r.ended()
	if resp, err := r.http.Do(r.request(t.Context(), "POST", "", initialize)); err == nil {
		_ = resp.Body.Close()
		t.Error("it still listens")
	}
}

// failing is a server that does not start.
type failing struct{}

func (failing) Serve(context.Context, io.Reader, io.Writer) error {
	return errors.New("no permissions could be read")
}

// TestNoStart: a session whose server cannot be made, or ends at once, is no session.
func TestNoStart(t *testing.T) {
	leaks(t)
	for name, open := range map[string]func() (mcphttp.Server, error){
		"open":  func() (mcphttp.Server, error) { return nil, errors.New("no such folder") },
		"serve": func() (mcphttp.Server, error) { return failing{}, nil },
	} {
		r := serve(t, func(o *mcphttp.Options) { o.Open = open })
		resp := r.do(r.request(t.Context(), "POST", "", initialize))
		if said := r.said(resp, 500); resp.Header.Get("Mcp-Session-Id") != "" || !strings.Contains(said, "log") {
			t.Errorf("%s: %s %v", name, said, resp.Header)
		}
	}
	r := serve(t, nil)
	resp := r.do(r.request(t.Context(), "POST", "", `{"jsonrpc":"2.0","id":0,"method":"initialize","params":7}`))
	if lines := r.lines(resp); !strings.Contains(lines[0], `"error"`) || resp.Header.Get("Mcp-Session-Id") != "" {
		t.Errorf("%q %v", lines, resp.Header)
	}
}

// TestMessages: what cannot be routed is refused with a status and a reason, and no session is opened for it.
func TestMessages(t *testing.T) {
	leaks(t)
	r := serve(t, func(o *mcphttp.Options) { o.MaxBody = 1000 })
	id := r.open()
	set := func(name, value string) func(*http.Request) {
		return func(r *http.Request) { r.Header.Set(name, value) }
	}
	for _, tt := range []struct {
		name, method, session, body string
		change                      func(*http.Request)
		status                      int
		says                        string
	}{
		{name: "path", method: "POST", body: initialize, change: func(r *http.Request) { r.URL.Path = "/" }, status: 404, says: "/mcp"},
		{name: "method", method: "PUT", body: initialize, status: 405, says: "POST"},
		{name: "version", method: "POST", session: id, body: initialize, change: set("Mcp-Protocol-Version", "2026-07-28"), status: 400, says: "2025-11-25"},
		{name: "type", method: "POST", body: initialize, change: set("Content-Type", "text/plain"), status: 415, says: "application/json"},
		{name: "accept", method: "POST", body: initialize, change: set("Accept", "application/json"), status: 406, says: "text/event-stream"},
		{name: "accept of a stream", method: "GET", session: id, change: set("Accept", "application/json"), status: 406, says: "text/event-stream"},
		{name: "no JSON", method: "POST", session: id, body: `{"jsonrpc":`, status: 400, says: "-32700"},
		{name: "no UTF-8", method: "POST", session: id, body: "\"\xff\"", status: 400, says: "UTF-8"},
		{name: "batch", method: "POST", session: id, body: `[` + initialize + `]`, status: 400, says: "batches"},
		{name: "no message", method: "POST", session: id, body: `{"jsonrpc":"2.0","id":1}`, status: 400, says: "method"},
		{name: "null id", method: "POST", session: id, body: `{"jsonrpc":"2.0","id":null,"method":"ping"}`, status: 400, says: "integer"},
		{name: "old JSON-RPC", method: "POST", session: id, body: `{"id":1,"method":"ping"}`, status: 400, says: "2.0"},
		{name: "no session", method: "POST", body: `{"jsonrpc":"2.0","id":1,"method":"ping"}`, status: 400, says: "initialize"},
		{name: "no session to read", method: "GET", status: 400, says: "initialize"},
		{name: "no session to end", method: "DELETE", status: 400, says: "missing"},
		{name: "unknown session", method: "POST", session: strings.Repeat("0", 32), body: initialize, status: 404, says: "no such session"},
		{name: "twice", method: "POST", session: id, body: initialize, status: 400, says: "initialized"},
		{name: "long", method: "POST", session: id, body: callTool("1", "echo", `{"text":"`+strings.Repeat("x", 1000)+`"}`, ""), status: 413, says: "1000"},
		{name: "long, of unknown length", method: "POST", session: id, body: callTool("1", "echo", `{"text":"`+strings.Repeat("x", 1000)+`"}`, ""), change: func(r *http.Request) { r.ContentLength = -1 }, status: 413, says: "1000"},
	} {
		req := r.request(t.Context(), tt.method, tt.session, tt.body)
		if tt.change != nil {
			tt.change(req)
		}
		resp := r.do(req)
		if said := r.said(resp, tt.status); !strings.Contains(said, tt.says) || resp.Header.Get("Content-Type") != "application/json" {
			t.Errorf("%s: %s %v", tt.name, said, resp.Header)
		}
	}
	r.said(r.do(r.request(t.Context(), "POST", id, `{"jsonrpc":"2.0","id":1,"method":"ping","params":[]}`)), 200)
}
