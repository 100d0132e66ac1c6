// SPDX-License-Identifier: Apache-2.0

package signin_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/fiftyarms/platform/gen/dash"
	"github.com/fiftyarms/platform/gen/mcptools"
	"github.com/fiftyarms/platform/internal/platform/client"
	"github.com/fiftyarms/platform/internal/platform/secret"
	"github.com/fiftyarms/platform/internal/platform/signin"
	"github.com/fiftyarms/platform/internal/testkit"
)

// patience bounds a wait that should be short: it ends a test that would hang.
const patience = 20 * time.Second

const (
	pollMs    = 2000
	pollEvery = pollMs * time.Millisecond
	waitLimit = 45 * time.Second
)

func theKey(n int) secret.Text {
	return secret.New(fmt.Sprintf("50a_%s%d", strings.Repeat("k", 20), n))
}
func claimSecret(n int) string  { return fmt.Sprintf("%s%d", strings.Repeat("s", 30), n) }
func asker() dash.AskingClient  { return dash.AskingClient{Name: "test"} }
func title(text string) *string { return &text }

// timers is a clock that only a test moves.
type timers struct {
	mu      sync.Mutex
	changed *sync.Cond
	waiting []timer
}

type timer struct {
	d time.Duration
	c chan time.Time
}

func newTimers() *timers {
	c := &timers{}
	c.changed = sync.NewCond(&c.mu)
	return c
}

func (c *timers) After(d time.Duration) <-chan time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	t := timer{d, make(chan time.Time, 1)}
	c.waiting = append(c.waiting, t)
	c.changed.Broadcast()
	return t.c
}

// fire ends the newest wait of length d, and waits until there is one.
func (c *timers) fire(t *testing.T, d time.Duration) {
	t.Helper()
	late := false
	stop := time.AfterFunc(patience, func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		late = true
		c.changed.Broadcast()
	})
	defer stop.Stop()
	c.mu.Lock()
	defer c.mu.Unlock()
	for !late {
		for i, w := range slices.Backward(c.waiting) {
			if w.d == d {
				c.waiting = slices.Delete(c.waiting, i, i+1)
				w.c <- time.Time{}
				return
			}
		}
		c.changed.Wait()
	}
	t.Fatalf("nothing waits for %v; waiting: %v", d, c.waiting)
}

// reply is what the fake dashboard answers once.
type reply struct {
	status int
	body   string
	header http.Header
	err    error
}

func ok(body string) reply                  { return reply{status: 200, body: body} }
func refusal(status int, body string) reply { return reply{status: status, body: body} }

// fake is a dashboard behind a RoundTripper: a queue of replies for each route, and what was sent.
type fake struct {
	t  *testing.T
	mu sync.Mutex
	q  map[string][]reply
	// calls are "METHOD /path", keys and bodies what came with them.
	calls, keys, bodies []string
	held                chan struct{} // when set, each call waits for it
}

const (
	create  = "POST /api/access-requests"
	claim   = "POST /api/access-requests/claim"
	connect = "POST /api/plan-sessions"
	me      = "GET /api/auth/me"
)

func (f *fake) on(route string, replies ...reply) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.q[route] = append(f.q[route], replies...)
}

func (f *fake) RoundTrip(r *http.Request) (*http.Response, error) {
	route := r.Method + " " + r.URL.Path
	var body []byte
	if r.Body != nil {
		body, _ = io.ReadAll(r.Body)
	}
	f.mu.Lock()
	f.calls, f.keys, f.bodies = append(f.calls, route), append(f.keys, strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")), append(f.bodies, string(body))
	held := f.held
	var next reply
	queue := f.q[route]
	if len(queue) == 0 {
		f.mu.Unlock()
		f.t.Errorf("unexpected call %s", route)
		return nil, io.ErrClosedPipe
	}
	next, f.q[route] = queue[0], queue[1:]
	f.mu.Unlock()
	if held != nil {
		select {
		case <-held:
		case <-r.Context().Done():
			return nil, r.Context().Err()
		}
	}
	if next.err != nil {
		return nil, next.err
	}
	header := next.header
	if header == nil {
		header = http.Header{}
	}
	return &http.Response{StatusCode: next.status, Header: header, Body: io.NopCloser(strings.NewReader(next.body)), ContentLength: int64(len(next.body)), Request: r}, nil
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

// last is the newest call's key and body.
func (f *fake) last(route string) (key, body string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for i, c := range slices.Backward(f.calls) {
		if c == route {
			return f.keys[i], f.bodies[i]
		}
	}
	return "", ""
}

// store is a key store in memory, shared like a file.
type store struct {
	mu               sync.Mutex
	key              secret.Text
	loadErr, saveErr error
	stuck            bool          // the key cannot be removed
	saved            chan struct{} // one for each save
}

func (s *store) Load() (secret.Text, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.key, s.loadErr
}

func (s *store) Save(key secret.Text) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	defer func() { s.saved <- struct{}{} }()
	if s.saveErr != nil {
		return s.saveErr
	}
	s.key = key
	return nil
}

func (s *store) Forget(key secret.Text) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.stuck {
		return errors.New("read-only file system")
	}
	if s.key.Equal(key) {
		s.key = secret.Text{}
	}
	return nil
}

func (s *store) holds() secret.Text {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.key
}

// bench is a session under test and all around it.
type bench struct {
	t       *testing.T
	dash    *fake
	keys    *store
	clock   *timers
	log     *testkit.Log
	session *signin.Session
}

func newBench(t *testing.T, change func(*signin.Options, *store)) *bench {
	t.Helper()
	testkit.NoLeaks(t)
	b := &bench{t: t, dash: &fake{t: t, q: map[string][]reply{}}, keys: &store{saved: make(chan struct{}, 10)}, clock: newTimers(), log: &testkit.Log{}}
	known := new(secret.Known)
	c, err := client.New(client.Options{Dashboard: "http://dash.example", Version: "0.1.0", Transport: b.dash, Known: known})
	if err != nil {
		t.Fatal(err)
	}
	o := signin.Options{
		Client: c, Keys: b.keys, Now: func() time.Time { return time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC) }, After: b.clock.After,
		Log: slog.New(slog.NewTextHandler(b.log, nil)), Known: known,
	}
	if change != nil {
		change(&o, b.keys)
	}
	b.session = signin.New(o)
	t.Cleanup(b.session.Close)
	t.Cleanup(func() {
		for n := range 5 {
			for _, hidden := range []string{theKey(n).Reveal(), claimSecret(n)} {
				if strings.Contains(b.log.String(), hidden) {
					t.Errorf("the log shows a secret: %s", b.log)
				}
			}
		}
	})
	return b
}

// created is the answer to the nth access request.
func created(n int) reply {
	return reply{status: 201, body: fmt.Sprintf(`{"publicId":"p%d","secret":%q,"confirmCode":"CODE-%d","approvalUrl":"http://dash.example/approvals/p%d","expiresAt":"2026-01-02T03:14:05.000Z","pollMs":%d}`, n, claimSecret(n), n, n, pollMs)}
}

func approved(n int) reply {
	return ok(fmt.Sprintf(`{"status":"approved","apiKey":%q}`, theKey(n).Reveal()))
}

const connected = `{"session":{"id":"s","title":"","connected_at":"2026-01-02T03:04:05.000Z"},"agent":{"id":9007199254740993,"name":"Agent 1"},"team":{"slug":"acme","name":"Acme"}}`

// answer is plan_connect's, as JSON text or an error.
type answer struct {
	result mcptools.PlanConnectResult
	err    error
}

func (b *bench) connect() answer {
	result, err := b.session.Connect(b.t.Context(), asker(), title("Mend the checkout"))
	return b.checked(answer{result, err})
}

// checked holds an answer to what no answer may do.
func (b *bench) checked(a answer) answer {
	b.t.Helper()
	text, err := json.Marshal(a.result)
	if err != nil {
		b.t.Error(err)
	}
	if a.err != nil {
		text = append(text, a.err.Error()...)
	}
	for n := range 5 {
		if bytes.Contains(text, []byte(theKey(n).Reveal())) || bytes.Contains(text, []byte(claimSecret(n))) {
			b.t.Errorf("the answer shows a secret: %s", text)
		}
	}
	return a
}

// later is a plan_connect that goes on.
func (b *bench) later(ctx context.Context) chan answer {
	c := make(chan answer, 1)
	go func() {
		result, err := b.session.Connect(ctx, asker(), nil)
		c <- b.checked(answer{result, err})
	}()
	return c
}

func (b *bench) get(c chan answer) answer {
	b.t.Helper()
	select {
	case a := <-c:
		return a
	case <-time.After(patience):
		b.t.Fatal("plan_connect does not answer")
		panic("unreachable")
	}
}

func (b *bench) want(a answer, state mcptools.PlanConnectResultState) mcptools.PlanConnectResult {
	b.t.Helper()
	if a.err != nil || a.result.State != state {
		b.t.Fatalf("got %q, %v; want %s", a.result.State, a.err, state)
	}
	if state != mcptools.PlanConnectResultStateConnected && (a.result.Instruction == nil || *a.result.Instruction == "") {
		b.t.Errorf("%s says not what to do", state)
	}
	return a.result
}

// call is GET /api/auth/me with the session's key.
func (b *bench) call() (*client.Response, error) {
	req, err := dash.NewGetMeRequest("http://dash.example/")
	if err != nil {
		b.t.Fatal(err)
	}
	return b.session.Call(b.t.Context(), req)
}
