// SPDX-License-Identifier: Apache-2.0

package permission_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/fiftyarms/platform/gen/mcptools"
	"github.com/fiftyarms/platform/internal/platform/client"
	"github.com/fiftyarms/platform/internal/platform/permission"
	"github.com/fiftyarms/platform/internal/testkit"
)

// patience bounds a wait that should be short: it ends a test that would hang.
const patience = 20 * time.Second

const (
	create    = "POST /api/permission-requests"
	claim     = "POST /api/permission-requests/p1/claim"
	pollEvery = 2 * time.Second
)

// reply is what the fake dashboard answers once.
type reply struct {
	status int
	body   string
	header http.Header
	err    error
}

func ok(body string) reply                  { return reply{status: 200, body: body} }
func refusal(status int, body string) reply { return reply{status: status, body: body} }

// created is the answer to the nth request.
func created(n int) reply {
	return reply{status: 201, body: fmt.Sprintf(`{"publicId":"p%d","confirmCode":"CODE-%d","approvalUrl":"http://dash.example/approvals/permissions/p%d","expiresAt":"2026-01-02T03:14:05.000Z","pollMs":2000}`, n, n, n)}
}

// fake is a session whose dashboard answers from a queue for each route.
type fake struct {
	t  *testing.T
	mu sync.Mutex
	q  map[string][]reply
	// calls are "METHOD /path", bodies what came with them.
	calls, bodies []string
	held          chan struct{} // when set, each call waits for it
	came          chan string   // each call, when it comes
	tenure        context.Context
	end           context.CancelFunc
	halt          error // of a session without a key
}

func (f *fake) on(route string, replies ...reply) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.q[route] = append(f.q[route], replies...)
}

func (f *fake) hold(until chan struct{}) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.held = until
}

// rekey has the session hold another key, as a new sign-in does.
func (f *fake) rekey() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.end()
	f.tenure, f.end = context.WithCancel(context.Background())
}

func (f *fake) Tenure() (context.Context, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.tenure, f.halt
}

func (f *fake) Do(ctx context.Context, call client.Call) (*client.Response, error) {
	route := call.Request.Method + " " + call.Request.URL.Path
	var body []byte
	if call.Request.Body != nil {
		body, _ = io.ReadAll(call.Request.Body)
	}
	f.mu.Lock()
	f.calls, f.bodies = append(f.calls, route), append(f.bodies, string(body))
	held, queue := f.held, f.q[route]
	var next reply
	if len(queue) > 0 {
		next, f.q[route] = queue[0], queue[1:]
	}
	f.mu.Unlock()
	if len(queue) == 0 {
		f.t.Errorf("unexpected call %s", route)
	}
	f.came <- route
	if held != nil {
		select {
		case <-held:
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
	if next.err != nil {
		return nil, next.err
	}
	return &client.Response{Method: call.Request.Method, Path: call.Request.URL.Path, Status: next.status, Header: next.header, Body: []byte(next.body)}, nil
}

// count is how often a route was called.
func (f *fake) count(route string) (n int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, c := range f.calls {
		if c == route {
			n++
		}
	}
	return n
}

// timers is a clock that only a test moves.
type timers struct {
	mu   sync.Mutex
	now  time.Time
	set  chan time.Duration // each wait, when it begins
	wait []chan time.Time
}

func (c *timers) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *timers) After(d time.Duration) <-chan time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	timer := make(chan time.Time, 1)
	c.wait = append(c.wait, timer)
	c.set <- d
	return timer
}

// bench is an Asker under test and all around it.
type bench struct {
	t       *testing.T
	dash    *fake
	clock   *timers
	log     *testkit.Log
	granted chan struct{}
	asker   *permission.Asker
}

func newBench(t *testing.T) *bench {
	t.Helper()
	testkit.NoLeaks(t)
	f := &fake{t: t, q: map[string][]reply{}, came: make(chan string, 100)}
	f.tenure, f.end = context.WithCancel(context.Background())
	b := &bench{t: t, dash: f, log: &testkit.Log{}, granted: make(chan struct{}, 10), clock: &timers{
		now: testkit.Start, set: make(chan time.Duration, 100),
	}}
	c, err := client.New(client.Options{Dashboard: "http://dash.example", Version: "0.1.0"})
	if err != nil {
		t.Fatal(err)
	}
	b.asker = permission.New(permission.Options{
		Session: f, Client: c, Granted: func(context.Context) { b.granted <- struct{}{} },
		Now: b.clock.Now, After: b.clock.After, Log: slog.New(slog.NewTextHandler(b.log, nil)),
	})
	t.Cleanup(b.asker.Close)
	return b
}

func get[T any](t *testing.T, what string, from <-chan T) T {
	t.Helper()
	select {
	case v := <-from:
		return v
	case <-time.After(patience):
		t.Fatalf("%s did not come", what)
		panic("unreachable")
	}
}

// ask is request_permission, in short: its state or status, and its code.
func (b *bench) ask(names ...string) string {
	return b.askWith(b.t.Context(), names...)
}

func (b *bench) askWith(ctx context.Context, names ...string) string {
	result, err := b.asker.RequestPermission(ctx, mcptools.RequestPermissionArgs{Permissions: names, Reason: "For SHOP-1."})
	switch {
	case err != nil:
		return "error: " + err.Error()
	case result.Ok != nil:
		return fmt.Sprintf("%d %s", *result.Status, result.Body)
	case result.Instruction == nil || result.ExpiresAt == nil || !strings.Contains(*result.ApprovalURL, "/approvals/permissions/"):
		text, _ := json.Marshal(result)
		b.t.Errorf("something is missing: %s", text)
	}
	return fmt.Sprintf("%s %s", *result.State, *result.ConfirmCode)
}

func (b *bench) want(got, want string) {
	b.t.Helper()
	if got != want {
		b.t.Fatalf("got %s, want %s", got, want)
	}
}

// poll waits for the next wait, which has to be this long, and ends it.
func (b *bench) poll(d time.Duration) {
	b.t.Helper()
	if got := get(b.t, "a wait", b.clock.set); got != d {
		b.t.Fatalf("waits %v, want %v", got, d)
	}
	b.clock.mu.Lock()
	defer b.clock.mu.Unlock()
	b.clock.now = b.clock.now.Add(d)
	last := len(b.clock.wait) - 1
	b.clock.wait[last] <- b.clock.now
	b.clock.wait = slices.Delete(b.clock.wait, last, last+1)
}
