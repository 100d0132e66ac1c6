// SPDX-License-Identifier: Apache-2.0

package trio_test

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fiftyarms/platform/gen/dash"
	"github.com/fiftyarms/platform/gen/mcptools"
)

// drop ends a call without an answer, after the dashboard has done what it asks.
func drop(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }

// creator creates a card for each key that it sees, and loses the answers to the first calls.
type creator struct {
	mu    sync.Mutex
	lose  int
	keys  []string
	cards map[string]int
}

func (c *creator) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	c.mu.Lock()
	defer c.mu.Unlock()
	key := r.Header.Get("Idempotency-Key")
	c.keys = append(c.keys, key)
	if _, ok := c.cards[key]; !ok {
		c.cards[key] = len(c.cards) + 1
	}
	if len(c.keys) <= c.lose {
		drop(w, r)
	}
	says(201, "application/json", fmt.Sprintf(`{"id":"SHOP-%d"}`, c.cards[key]))(w, r)
}

// TestCreatesOnce: a connection that breaks after the dashboard has created costs no second card.
func TestCreatesOnce(t *testing.T) {
	const create = `{"method":"POST","path":"/api/issues","board":1,"body":{"title":"x"}}`
	c := &creator{lose: 1, cards: map[string]int{}}
	d := newDashboard(t, c.ServeHTTP)
	if got := d.mustCall(create); !strings.HasPrefix(got, `{"ok":true,"status":201,"body":{"id":"SHOP-1"}`) {
		t.Error(got)
	}
	if len(c.keys) != 2 || c.keys[0] != c.keys[1] || len(c.keys[0]) != 32 || len(c.cards) != 1 {
		t.Errorf("keys %q made %v", c.keys, c.cards)
	}
	if diff := cmp.Diff(d.calls[0], d.calls[1]); diff != "" {
		t.Errorf("the second call is another:\n%s", diff)
	}
	// Another call is another card.
	if got := d.mustCall(create); !strings.HasPrefix(got, `{"ok":true,"status":201,"body":{"id":"SHOP-2"}`) || c.keys[2] == c.keys[0] {
		t.Errorf("%s, keys %q", got, c.keys)
	}
}

// TestMadeAgain: once, and only what can do no harm.
func TestMadeAgain(t *testing.T) {
	status := func(status int) http.HandlerFunc { return says(status, "application/json", "{}") }
	half := func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Length", "10")
		_, _ = w.Write([]byte("{"))
	}
	for _, tt := range []struct {
		name, args string
		answer     http.HandlerFunc
		calls      int
		key        bool
	}{
		{"a lost read", `{"method":"GET","path":"/api/auth/me"}`, drop, 2, false},
		{"a lost read of a route that only the dashboard knows", `{"method":"GET","path":"/api/newer"}`, drop, 2, false},
		{"a lost create", `{"method":"POST","path":"/api/boards","body":{"name":"Shop","prefix":"SHOP"}}`, drop, 2, true},
		{"a lost create that may not come twice", `{"method":"POST","path":"/api/plan-sessions","body":{}}`, drop, 1, false},
		{"a lost change", `{"method":"POST","path":"/api/issues/SHOP-1/transition","board":1,"body":{"status":"Done"}}`, drop, 1, false},
		{"a lost edit", `{"method":"PATCH","path":"/api/issues/SHOP-1/edit","board":1,"body":{"title":"x"}}`, drop, 1, false},
		{"a lost delete", `{"method":"DELETE","path":"/api/keys/7"}`, drop, 1, false},
		{"a lost create of a route that only the dashboard knows", `{"method":"POST","path":"/api/newer","body":{}}`, drop, 1, false},
		{"a server that fails", `{"method":"POST","path":"/api/boards","body":{"name":"Shop","prefix":"SHOP"}}`, status(500), 1, true},
		{"a read that fails", `{"method":"GET","path":"/api/auth/me"}`, status(503), 1, false},
		{"a refusal", `{"method":"POST","path":"/api/boards","body":{"name":"Shop","prefix":"SHOP"}}`, status(409), 1, true},
		{"an answer that breaks off", `{"method":"POST","path":"/api/boards","body":{"name":"Shop","prefix":"SHOP"}}`, half, 1, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var mu sync.Mutex
			keys := map[string]bool{}
			d := newDashboard(t, func(w http.ResponseWriter, r *http.Request) {
				mu.Lock()
				keys[r.Header.Get("Idempotency-Key")] = true
				mu.Unlock()
				tt.answer(w, r)
			})
			d.routes = append(d.routes, "GET /api/newer", "POST /api/newer")
			got, err := d.call(tt.args)
			mu.Lock()
			defer mu.Unlock()
			if len(d.calls) != tt.calls || len(keys) != 1 || keys[""] == tt.key {
				t.Errorf("%d calls, want %d; keys %v", len(d.calls), tt.calls, keys)
			}
			if tt.calls == 2 && (err == nil || !strings.Contains(err.Error(), "connection was closed")) {
				t.Errorf("%s, %v", got, err)
			}
		})
	}
}

// TestLookUpsAgain: the other two tools read, so a lost call of theirs is made again too.
func TestLookUpsAgain(t *testing.T) {
	var calls atomic.Int32
	d := newDashboard(t, func(w http.ResponseWriter, r *http.Request) {
		if calls.Add(1)%2 == 1 {
			drop(w, r)
		}
		says(200, "application/json", `{"routes":[]}`)(w, r)
	})
	d.routes = nil
	if _, err := d.APIList(t.Context(), mcptools.APIListArgs{}); err != nil {
		t.Error(err)
	}
	if _, err := d.APISpec(t.Context(), mcptools.APISpecArgs{Endpoints: "GET /api/auth/me"}); err != nil {
		t.Error(err)
	}
}

// TestBeyond: what a tool that answers once with JSON cannot do is said before the network, for every such operation.
func TestBeyond(t *testing.T) {
	fill := strings.NewReplacer("{id}", "SHOP-1", "{attachment}", strings.Repeat("0a", 16), "{image}", strings.Repeat("0a", 16))
	for _, op := range dash.Operations {
		path := fill.Replace(op.Path)
		query := `"topics":"team","filename":"a.txt"`
		args := fmt.Sprintf(`{"method":%q,"path":%q,"query":{%s}}`, op.Method, path, query)
		if op.BoardScope != "" {
			args = fmt.Sprintf(`{"method":%q,"path":%q,"board":1,"query":{%s}}`, op.Method, path, query)
		}
		switch {
		case op.Stream:
			d := newDashboard(t, nil)
			if got, err := d.call(args); err == nil || !strings.Contains(err.Error(), op.Method+" "+path+": not sent") || !strings.Contains(err.Error(), "/history") {
				t.Errorf("%s: %s, %v", op.ID, got, err)
			}
		case op.BodyLimit > 0:
			d := newDashboard(t, nil)
			got, err := d.call(args)
			for _, part := range []string{op.Method + " " + path + ": not sent", "JSON only", "attach_file", "request_permission", op.Permission} {
				if err == nil || !strings.Contains(err.Error(), part) {
					t.Errorf("%s: %s, %v lacks %q", op.ID, got, err, part)
				}
			}
		case op.Download:
			for _, answer := range []http.HandlerFunc{says(200, "image/png", "\x89PNG"), says(200, "text/plain", strings.Repeat("a", 2<<20))} {
				d := newDashboard(t, answer)
				if got := d.mustCall(args); !strings.Contains(got, `"truncated":true`) {
					t.Errorf("%s: %.200s", op.ID, got)
				}
			}
			d := newDashboard(t, says(200, "text/plain; charset=utf-8", "notes\n"))
			if got := d.mustCall(args); got != `{"ok":true,"status":200,"body":"notes\n"}` {
				t.Errorf("%s: %s", op.ID, got)
			}
		}
	}
}
