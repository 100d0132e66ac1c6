// SPDX-License-Identifier: Apache-2.0

package platform_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/fiftyarms/platform/internal/platform"
	"github.com/fiftyarms/platform/internal/platform/client"
	"github.com/fiftyarms/platform/internal/platform/env"
	"github.com/fiftyarms/platform/internal/testkit"
)

// TestHalts: in each standing that lets nothing through, every tool answers the same halt, and the dashboard is left
// alone.
func TestHalts(t *testing.T) {
	testkit.NoLeaks(t)
	var mu sync.Mutex
	calls := 0
	answer := func(status int, header, body string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			mu.Lock()
			defer mu.Unlock()
			calls++
			w.Header().Set("X-Mcp-Min-Version", header)
			w.WriteHeader(status)
			_, _ = io.WriteString(w, body)
		}
	}
	for _, tt := range []struct {
		name   string
		change func(*platform.Options)
		answer http.HandlerFunc
		first  string // the tool whose call brings the halt about; "" halts from the start
		says   string
		open   string // the tool that is not halted
	}{
		{"signed out", nil, answer(500, "", ""), "", "Not signed in to http://127.0.0.1", "plan_connect"},
		{"revoked", dispatch, answer(401, "", `{"error":"key_revoked","message":"Ada revoked this key","revoked_by":"Ada","revoked_at":"2026-01-02T03:04:05.000Z"}`), "50arms_api", "Stop: Ada revoked", ""},
		{"revoked at plan_connect", dispatch, answer(401, "", `{"error":"key_revoked","revoked_by":"Ada"}`), "plan_connect", "Stop: Ada revoked", ""},
		{"outdated", dispatch, answer(200, "0.2.0", "{}"), "50arms_api_list", "platform-mcp 0.1.0 is too old", ""},
		{"outdated while signed out", nil, answer(201, "0.2.0", "{}"), "plan_connect", "platform-mcp 0.1.0 is too old", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			calls = 0
			p := start(t, serve(t, tt.answer), tt.change)
			if tt.first != "" {
				if a := p.call(tt.first, goodArgs[tt.first]); !a.isError || !strings.Contains(a.text, tt.says) {
					t.Fatalf("%+v", a)
				}
			}
			made := calls
			halt := ""
			for _, tool := range allTools {
				if tool == tt.open {
					continue
				}
				for _, args := range []string{goodArgs[tool], `{"no such argument":1}`} {
					a := p.call(tool, args)
					if halt == "" {
						halt = a.text
					}
					if !a.isError || a.text != halt || !strings.Contains(halt, tt.says) {
						t.Errorf("%s: %+v", tool, a)
					}
				}
			}
			if calls != made {
				t.Errorf("the dashboard was called %d times", calls-made)
			}
		})
	}
}

// TestHostile: whatever the dashboard's address turns out to be, each tool answers one readable error.
func TestHostile(t *testing.T) {
	testkit.NoLeaks(t)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	down := "http://" + listener.Addr().String()
	if err := listener.Close(); err != nil {
		t.Fatal(err)
	}
	var mu sync.Mutex
	var elsewhere []string
	other := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		elsewhere = append(elsewhere, r.Method+" "+r.URL.String()+" "+r.Header.Get("Authorization"))
	}))
	t.Cleanup(other.Close)
	hang := func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		<-r.Context().Done()
	}
	raw := func(text string) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			_, _ = io.Copy(io.Discard, r.Body) // a close before that resets the line, and what was said is lost
			conn, _, err := http.NewResponseController(w).Hijack()
			if err != nil {
				panic(err)
			}
			defer conn.Close()
			_, _ = io.WriteString(conn, text)
		}
	}
	for _, tt := range []struct {
		name   string
		url    string
		answer http.HandlerFunc
		says   string
	}{
		{"down", down, nil, "connection refused"},
		{"hangs", "", hang, "took too long"},
		{"page", "", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/html")
			_, _ = io.WriteString(w, "<html>\n<title>router</title>")
		}, "a dashboard"},
		{"fails", "", func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(503)
			_, _ = io.WriteString(w, "no\nbackend "+strings.Repeat("x", 2000))
		}, `answered 503: no\nbackend xxx`},
		{"closes at once", "", raw(""), "the connection was closed"},
		{"closes half-way", "", raw("HTTP/1.1 200 OK\r\nContent-Length: 50\r\nContent-Type: application/json\r\n\r\n{\"routes\":"), "broke off after 10 bytes"},
		{"redirects", "", func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, other.URL+"/api/x?token=1", http.StatusTemporaryRedirect)
		}, "a redirect to " + other.URL},
		{"huge", "", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			_, _ = w.Write(make([]byte, 4001))
		}, "over 4000 bytes"},
		{"drips", "", func(w http.ResponseWriter, r *http.Request) {
			_, _ = io.WriteString(w, "{")
			_ = http.NewResponseController(w).Flush()
			hang(w, r)
		}, "took too long"},
		{"speaks TLS only", "", raw("\x15\x03\x01\x00\x02\x02\x46"), "malformed"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			url := tt.url
			if url == "" {
				url = serveAll(t, tt.answer)
			}
			p := start(t, url, func(o *platform.Options) {
				signedIn(t)(o)
				o.Limits = client.Limits{Total: 200 * time.Millisecond, Body: 4000}
			})
			for _, tool := range allTools {
				// These have a limit of their own, which would take 10 s here.
				if (tool == "plan_connect" || tool == "request_permission") && tt.says == "took too long" {
					continue
				}
				if tool == "50arms_api" && tt.name == "huge" {
					continue // it puts long answers into files
				}
				if !slices.Contains(bootstrap, tool) {
					continue // not shown before the dashboard has said what the key may do
				}
				a := p.call(tool, goodArgs[tool])
				if !a.isError || !strings.Contains(a.text, tt.says) || strings.ContainsAny(a.text, "\n\r\x00") || len([]rune(a.text)) > 900 {
					t.Errorf("%s: %+v", tool, a)
				}
			}
		})
	}
	if len(elsewhere) > 0 {
		t.Errorf("the redirect was followed: %q", elsewhere)
	}
}

// TestCancel: a call that the client gives up ends at the dashboard too, and is not answered.
func TestCancel(t *testing.T) {
	testkit.NoLeaks(t)
	came, went := make(chan struct{}), make(chan struct{})
	p := start(t, serve(t, func(_ http.ResponseWriter, r *http.Request) {
		close(came)
		<-r.Context().Done()
		close(went)
	}), dispatch)
	id, answer := p.send("tools/call", fmt.Sprintf(`{"name":"50arms_api","arguments":%s}`, goodArgs["50arms_api"]))
	<-came
	if _, err := fmt.Fprintf(p.in, `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":%s}}`+"\n", id); err != nil {
		t.Fatal(err)
	}
	<-went
	if err := p.end(); err != nil {
		t.Error(err)
	}
	select {
	case a := <-answer:
		t.Errorf("answered: %s", a)
	default:
	}
}

// TestBigIntegers: an integer above 2^53 survives the frame, the body, the query and the way back.
func TestBigIntegers(t *testing.T) {
	testkit.NoLeaks(t)
	const big = "9007199254740993"
	var body, query string
	p := start(t, serve(t, func(w http.ResponseWriter, r *http.Request) {
		b, _ := io.ReadAll(r.Body)
		body, query = string(b), r.URL.RawQuery
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, `{"id":`+big+`,"list":[-`+big+`,1.10]}`)
	}), dispatch)
	got := p.want("50arms_api", `{"method":"POST","path":"/api/plan-sessions","query":{"n":`+big+`},"body":{"id":`+big+`}}`)
	if body != `{"id":`+big+`}` || query != "n="+big {
		t.Errorf("sent %s, %s", body, query)
	}
	var answer struct{ Body json.RawMessage }
	if err := json.Unmarshal([]byte(got), &answer); err != nil || string(answer.Body) != `{"id":`+big+`,"list":[-`+big+`,1.10]}` {
		t.Errorf("answered %s", got)
	}
}

// TestArguments: arguments that a tool does not take are told in words, each of them, and never end the protocol.
func TestArguments(t *testing.T) {
	testkit.NoLeaks(t)
	p := start(t, serve(t, http.NotFound), dispatch)
	for _, tt := range []struct{ tool, args, says string }{
		{"50arms_api", `{}`, "/method is required; /path is required"},
		{"50arms_api", `null`, "/method is required"},
		{"50arms_api", `[]`, "must be an object"},
		{"50arms_api", `{"method":"get","path":"/x"}`, "/method must be"},
		{"50arms_api", `{"method":"GET","path":7}`, "/path must be a string"},
		{"50arms_api", `{"method":"GET","path":""}`, "/path must not be empty"},
		{"50arms_api", `{"method":"GET","path":"/x","query":7}`, "/query must be"},
		{"50arms_api", `{"method":"GET","path":"/x","headers":{}}`, "/headers"},
		{"50arms_api_list", `{"filter":7}`, "/filter must be a string"},
		{"50arms_api_spec", `{"endpoints":""}`, "/endpoints must not be empty"},
		{"50arms_api_spec", `{"endpoints":["GET /x"]}`, "/endpoints must be a string"},
		{"attach_file", `{}`, "/path is required"},
		{"request_permission", `{"permissions":[],"reason":""}`, "/permissions must"},
		{"plan_connect", `{"title":""}`, "/title must not be empty"},
		{"plan_connect", `{"plan":7}`, "/plan"},
	} {
		if a := p.call(tt.tool, tt.args); !a.isError || !strings.HasPrefix(a.text, tt.tool+": ") || !strings.Contains(a.text, tt.says) {
			t.Errorf("%s %s: %+v", tt.tool, tt.args, a)
		}
	}
}

func TestUnknownTool(t *testing.T) {
	testkit.NoLeaks(t)
	p := start(t, "http://127.0.0.1:1", nil)
	if raw, err := p.request("tools/call", `{"name":"50arms_rm","arguments":{}}`); err == nil || !strings.Contains(err.Error(), "50arms_rm") {
		t.Errorf("%s, %v", raw, err)
	}
}

// TestPanic: a tool that panics is one failed answer, and says no more to the client.
func TestPanic(t *testing.T) {
	testkit.NoLeaks(t)
	p := start(t, serve(t, http.NotFound), func(o *platform.Options) {
		dispatch(o)
		o.Transport = panics{new(http.Transport)}
	})
	for range 2 {
		if a := p.call("50arms_api_list", "{}"); !a.isError || !strings.Contains(a.text, "internal error") || strings.Contains(a.text, "oh no") {
			t.Errorf("%+v", a)
		}
	}
	if !strings.Contains(p.log.String(), "oh no") {
		t.Errorf("the log does not say why: %s", p.log)
	}
}

// panics at all but what a session does by itself.
type panics struct{ *http.Transport }

func (p panics) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.URL.Path == "/api/auth/permissions" || r.URL.Path == "/api/stream" {
		return p.Transport.RoundTrip(r)
	}
	panic("oh no")
}

// TestLongWait: a plan_connect that waits for a person holds up no other call, and ends with the input.
func TestLongWait(t *testing.T) {
	testkit.NoLeaks(t)
	p := start(t, serve(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		if r.URL.Path == "/api/access-requests" {
			w.WriteHeader(201)
			_, _ = io.WriteString(w, `{"publicId":"p","secret":"`+strings.Repeat("s", 20)+`","confirmCode":"CODE-1","approvalUrl":"http://h/p","expiresAt":"2026-01-02T03:14:05.000Z","pollMs":100000}`)
			return
		}
		_, _ = io.WriteString(w, `{"status":"pending"}`)
	}), func(o *platform.Options) { o.After = time.After })
	p.connect("approval_required")
	_, waiting := p.send("tools/call", `{"name":"plan_connect","arguments":{}}`)
	if a := p.call("50arms_api_list", "{}"); !a.isError {
		t.Errorf("%+v", a)
	}
	select {
	case a := <-waiting:
		t.Errorf("did not wait: %s", a)
	default:
	}
	if err := p.end(); err != nil {
		t.Error(err)
	}
}

func TestNewRefuses(t *testing.T) {
	if _, err := platform.New(platform.Options{Config: env.Config{Dashboard: "nowhere"}, Version: "0.1.0"}); err == nil {
		t.Error("a dashboard that is no URL was taken")
	}
	if _, err := platform.New(platform.Options{Config: env.Config{Dashboard: "http://h"}, Version: "dev"}); err == nil {
		t.Error("a build without a version was taken")
	}
}

// TestBoard: the session's own board and the argument go all the way.
func TestBoard(t *testing.T) {
	testkit.NoLeaks(t)
	var mu sync.Mutex
	var queries []string
	p := start(t, serve(t, func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		queries = append(queries, r.URL.RawQuery)
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, "{}")
	}), func(o *platform.Options) {
		dispatch(o)
		o.Config.Board = 7
	})
	for _, board := range []string{"", `,"board":9`, `,"board":"9"`} {
		p.want("50arms_api", `{"method":"GET","path":"/api/issues/SHOP-1"`+board+`}`)
	}
	for _, board := range []string{"0", "-1", "1.5", `"007"`, `" 9"`, `"x"`, "9007199254740992", `"9007199254740992"`, "null", "[1]"} {
		if a := p.call("50arms_api", `{"method":"GET","path":"/api/issues/SHOP-1","board":`+board+`}`); !a.isError || !strings.Contains(a.text, "board") {
			t.Errorf("%s: %+v", board, a)
		}
	}
	mu.Lock()
	defer mu.Unlock()
	if got := strings.Join(queries, " "); got != "board=7 board=9 board=9" {
		t.Error(got)
	}
}
