// SPDX-License-Identifier: Apache-2.0

package client_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/fiftyarms/platform/internal/platform/client"
	"github.com/fiftyarms/platform/internal/platform/secret"
	"github.com/fiftyarms/platform/internal/testkit"
)

func aKey() secret.Text { return secret.New("50a_" + strings.Repeat("k", 30)) }

// dashboardOf is a client of a server that answers with h.
func dashboardOf(t *testing.T, h http.HandlerFunc, limits client.Limits) *client.Client {
	t.Helper()
	server := httptest.NewServer(h)
	t.Cleanup(server.Close)
	return clientOf(t, server.URL, limits)
}

func clientOf(t *testing.T, dashboard string, limits client.Limits) *client.Client {
	t.Helper()
	known := new(secret.Known)
	known.Add(aKey())
	c, err := client.New(client.Options{Dashboard: dashboard, Version: "0.1.0", Limits: limits, Known: known})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

func do(t *testing.T, c *client.Client, method, path string, body []byte) (*client.Response, error) {
	t.Helper()
	req, err := c.NewRequest(method, path, nil, body)
	if err != nil {
		t.Fatal(err)
	}
	return c.Do(t.Context(), client.Call{Request: req, Key: aKey()})
}

// mustFail is the failure of GET /api/x.
func mustFail(t *testing.T, c *client.Client) *client.Failure {
	t.Helper()
	resp, err := do(t, c, "GET", "/api/x", nil)
	var failure *client.Failure
	if !errors.As(err, &failure) {
		t.Fatalf("no failure: %+v, %v", resp, err)
	}
	text := err.Error()
	if !strings.HasPrefix(text, "GET /api/x: ") || strings.ContainsAny(text, "\n\r\x00\x1b") || strings.Contains(text, aKey().Reveal()) {
		t.Errorf("error: %q", text)
	}
	return failure
}

func TestCall(t *testing.T) {
	testkit.NoLeaks(t)
	var got *http.Request
	var sent []byte
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		got = r
		sent, _ = io.ReadAll(r.Body)
		w.Header().Set("Content-Type", "Application/JSON; charset=utf-8")
		w.WriteHeader(http.StatusCreated)
		_, _ = io.WriteString(w, `{"n": 9007199254740993}`)
	}))
	t.Cleanup(server.Close)
	c := clientOf(t, server.URL+"/prefix", client.Limits{})
	req, err := c.NewRequest("POST", "/api/a%20b/7", url.Values{"q": {"a b", "&"}}, []byte(`{"id":9007199254740993}`))
	if err != nil {
		t.Fatal(err)
	}
	resp, err := c.Do(t.Context(), client.Call{Request: req, Key: aKey()})
	if err != nil {
		t.Fatal(err)
	}
	if resp.Status != 201 || string(resp.Body) != `{"n": 9007199254740993}` || resp.MediaType != "application/json" || resp.Path != "/api/a%20b/7" || resp.Method != "POST" {
		t.Errorf("%+v", resp)
	}
	if got.URL.EscapedPath() != "/prefix/api/a%20b/7" || got.URL.RawQuery != "q=a+b&q=%26" || string(sent) != `{"id":9007199254740993}` {
		t.Errorf("%s %s", got.URL, sent)
	}
	for name, want := range map[string]string{
		"Authorization": "Bearer " + aKey().Reveal(), "Content-Type": "application/json", "Accept": "application/json", "User-Agent": "platform-mcp/0.1.0",
	} {
		if got.Header.Get(name) != want {
			t.Errorf("%s: %q", name, got.Header.Get(name))
		}
	}
}

func TestNoKeyNoHeader(t *testing.T) {
	c := dashboardOf(t, func(_ http.ResponseWriter, r *http.Request) {
		if h, ok := r.Header["Authorization"]; ok {
			t.Errorf("sent %q", h)
		}
	}, client.Limits{})
	req, err := c.NewRequest("GET", "/", nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.Do(t.Context(), client.Call{Request: req}); err != nil {
		t.Error(err)
	}
}

func TestServerFailure(t *testing.T) {
	for _, tt := range []struct {
		name, body, want string
		status           int
	}{
		{"json", `{"error":"internal"}`, `GET /api/x: answered 500: {"error":"internal"}`, 500},
		{"html", "<html>\n<b>Bad Gateway</b>", `GET /api/x: answered 502: <html>\n<b>Bad Gateway</b>`, 502},
		{"controls", "a\x00b\x1b[31mc\r\n\u202ed\xff", `GET /api/x: answered 503: a\x00b\x1b[31mc\r\n\u202ed\xff`, 503},
		{"empty", "", "GET /api/x: answered 504 without a body", 504},
		{"long", strings.Repeat("é", 600), "GET /api/x: answered 500: " + strings.Repeat("é", 500) + "…", 500},
		{"exactly", strings.Repeat("x", 500), "GET /api/x: answered 500: " + strings.Repeat("x", 500), 500},
		{"echo", "your " + aKey().Reveal() + " is odd", "GET /api/x: answered 500: your [secret] is odd", 500},
		{"echo at the cut", strings.Repeat("x", 490) + aKey().Reveal(), "GET /api/x: answered 500: " + strings.Repeat("x", 490) + "[secret]", 500},
	} {
		t.Run(tt.name, func(t *testing.T) {
			calls := 0
			c := dashboardOf(t, func(w http.ResponseWriter, _ *http.Request) {
				calls++
				w.WriteHeader(tt.status)
				_, _ = io.WriteString(w, tt.body)
			}, client.Limits{})
			if failure := mustFail(t, c); failure.Status != tt.status || failure.Error() != tt.want {
				t.Errorf("got  %s\nwant %s", failure, tt.want)
			}
			if calls != 1 {
				t.Errorf("called %d times", calls)
			}
		})
	}
}

func TestDown(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := "http://" + listener.Addr().String()
	if err := listener.Close(); err != nil {
		t.Fatal(err)
	}
	failure := mustFail(t, clientOf(t, address, client.Limits{}))
	if failure.Status != 0 || !failure.Unanswered() || !strings.Contains(failure.Reason, address) || !strings.Contains(failure.Reason, "refused") {
		t.Error(failure)
	}
}

func TestSlow(t *testing.T) {
	end := make(chan struct{})
	t.Cleanup(func() { close(end) })
	hang := func(r *http.Request) {
		select {
		case <-end:
		case <-r.Context().Done():
		}
	}
	slowBody := func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.WriteString(w, `{"a":`)
		_ = http.NewResponseController(w).Flush()
		hang(r)
	}
	for name, tt := range map[string]struct {
		handler http.HandlerFunc
		limits  client.Limits
		want    string
	}{
		"header": {func(_ http.ResponseWriter, r *http.Request) { hang(r) }, client.Limits{Header: 30 * time.Millisecond}, "took too long"},
		"whole":  {func(_ http.ResponseWriter, r *http.Request) { hang(r) }, client.Limits{Total: 30 * time.Millisecond}, "took too long"},
		"body":   {slowBody, client.Limits{Total: 50 * time.Millisecond}, "broke off after 5 bytes: it took too long"},
	} {
		t.Run(name, func(t *testing.T) {
			if failure := mustFail(t, dashboardOf(t, tt.handler, tt.limits)); failure.Unanswered() || !strings.Contains(failure.Error(), tt.want) {
				t.Error(failure)
			}
		})
	}
}

func TestCallLimit(t *testing.T) {
	c := dashboardOf(t, func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }, client.Limits{})
	req, err := c.NewRequest("GET", "/api/x", nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	_, err = c.Do(t.Context(), client.Call{Request: req, Limit: 20 * time.Millisecond})
	if failure := (*client.Failure)(nil); !errors.As(err, &failure) || !strings.Contains(failure.Reason, "too long") {
		t.Error(err)
	}
}

func TestGivenUp(t *testing.T) {
	testkit.NoLeaks(t)
	c := dashboardOf(t, func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }, client.Limits{})
	ctx, cancel := context.WithCancelCause(t.Context())
	gone := errors.New("cancelled by the client")
	req, err := c.NewRequest("GET", "/api/x", nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	time.AfterFunc(10*time.Millisecond, func() { cancel(gone) })
	if _, err := c.Do(ctx, client.Call{Request: req}); !errors.Is(err, gone) {
		t.Error(err)
	}
}

// hijack answers with raw bytes and closes the connection.
func hijack(raw string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		conn, _, err := http.NewResponseController(w).Hijack()
		if err != nil {
			panic(err)
		}
		defer conn.Close()
		_, _ = io.WriteString(conn, raw)
	}
}

func TestBroken(t *testing.T) {
	for name, tt := range map[string]struct{ raw, want string }{
		"at once":          {"", "the connection was closed"},
		"in the header":    {"HTTP/1.1 200 OK\r\nContent-", "connection broken"},
		"half-way":         {"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{\"a\":1", "answered 200: the body broke off after 6 bytes: the connection was closed"},
		"half-way chunked": {"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n6\r\n{\"a\":1\r\n", "broke off after 6 bytes"},
		"no HTTP":          {"SSH-2.0-x\r\n\r\n", "malformed HTTP"},
	} {
		t.Run(name, func(t *testing.T) {
			if failure := mustFail(t, dashboardOf(t, hijack(tt.raw), client.Limits{})); failure.Unanswered() != (failure.Status == 0) || !strings.Contains(failure.Error(), tt.want) {
				t.Error(failure)
			}
		})
	}
}

// TestNoRepeat: a call that may have had an effect is made once, even where net/http would try again.
func TestNoRepeat(t *testing.T) {
	var mu sync.Mutex
	posts := 0
	c := dashboardOf(t, func(w http.ResponseWriter, r *http.Request) {
		if r.Method == "POST" {
			mu.Lock()
			posts++
			mu.Unlock()
			hijack("")(w, r)
		}
	}, client.Limits{})
	if _, err := do(t, c, "GET", "/api/x", nil); err != nil { // leaves an idle connection to be reused
		t.Fatal(err)
	}
	if _, err := do(t, c, "POST", "/api/x", []byte("{}")); err == nil {
		t.Error("answered")
	}
	mu.Lock()
	defer mu.Unlock()
	if posts != 1 {
		t.Errorf("%d calls", posts)
	}
}

func TestReuse(t *testing.T) {
	var mu sync.Mutex
	from := map[string]bool{}
	c := dashboardOf(t, func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		from[r.RemoteAddr] = true
		_, _ = io.WriteString(w, "{}")
	}, client.Limits{})
	for range 5 {
		if _, err := do(t, c, "GET", "/api/x", nil); err != nil {
			t.Fatal(err)
		}
	}
	mu.Lock()
	defer mu.Unlock()
	if len(from) != 1 {
		t.Errorf("%d connections", len(from))
	}
}

func TestLargeBody(t *testing.T) {
	body := bytes.Repeat([]byte("x"), 1001)
	for name, handler := range map[string]http.HandlerFunc{
		"declared": func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(body) },
		"streamed": func(w http.ResponseWriter, _ *http.Request) {
			for i := range body {
				if _, err := w.Write(body[i : i+1]); err != nil {
					return
				}
				_ = http.NewResponseController(w).Flush()
			}
		},
		"packed": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Encoding", "gzip")
			z := gzip.NewWriter(w)
			_, _ = z.Write(body)
			_ = z.Close()
		},
	} {
		t.Run(name, func(t *testing.T) {
			failure := mustFail(t, dashboardOf(t, handler, client.Limits{Body: 1000}))
			if !strings.Contains(failure.Error(), "over 1000 bytes") || !strings.Contains(failure.Error(), "narrow the call") {
				t.Error(failure)
			}
			resp, err := do(t, dashboardOf(t, handler, client.Limits{Body: 1001}), "GET", "/api/x", nil)
			if err != nil || len(resp.Body) != 1001 {
				t.Errorf("at the limit: %v", err)
			}
		})
	}
}

// TestEcho: a body that holds the key is handed on without it, except to the caller who asked for a key.
func TestEcho(t *testing.T) {
	c := dashboardOf(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/"+strings.ReplaceAll(aKey().Reveal(), "_", ""))
		w.Header().Set("X-Mcp-Min-Version", "9.0.0")
		w.WriteHeader(400)
		_, _ = io.WriteString(w, `{"you sent":"`+aKey().Reveal()+`"}`)
	}, client.Limits{})
	req, err := c.NewRequest("GET", "/api/x", nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := c.Do(t.Context(), client.Call{Request: req, Grants: true})
	if err != nil || string(resp.Body) != `{"you sent":"`+aKey().Reveal()+`"}` {
		t.Errorf("%+v, %v", resp, err)
	}
	if c.Halted() == nil {
		t.Error("the floor was not seen")
	}
	c = dashboardOf(t, func(w http.ResponseWriter, r *http.Request) { _, _ = io.WriteString(w, r.Header.Get("Authorization")) }, client.Limits{})
	resp, err = do(t, c, "GET", "/api/x", nil)
	if err != nil || string(resp.Body) != "Bearer [secret]" {
		t.Errorf("%+v, %v", resp, err)
	}
}

// TestPlaces: no more calls run at once than the limit; one that waits for a place may give up.
func TestPlaces(t *testing.T) {
	testkit.NoLeaks(t)
	arrived, answer := make(chan struct{}), make(chan struct{})
	c := dashboardOf(t, func(http.ResponseWriter, *http.Request) { arrived <- struct{}{}; <-answer }, client.Limits{Calls: 2})
	call := func(ctx context.Context, limit time.Duration) error {
		req, err := c.NewRequest("GET", "/api/x", nil, nil)
		if err != nil {
			return err
		}
		_, err = c.Do(ctx, client.Call{Request: req, Limit: limit})
		return err
	}
	ends := make(chan error, 2)
	for range 2 {
		go func() { ends <- call(t.Context(), 0) }()
		<-arrived
	}
	if failure, ok := errors.AsType[*client.Failure](call(t.Context(), 20*time.Millisecond)); !ok || !strings.Contains(failure.Reason, "not sent: 2 calls") {
		t.Errorf("%v", failure)
	}
	gone := errors.New("cancelled by the client")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(gone)
	if err := call(ctx, 0); !errors.Is(err, gone) {
		t.Error(err)
	}
	close(answer)
	for range 2 {
		if err := <-ends; err != nil {
			t.Error(err)
		}
	}
	go func() { <-arrived }()
	if err := call(t.Context(), 0); err != nil {
		t.Errorf("after the others: %v", err)
	}
}
