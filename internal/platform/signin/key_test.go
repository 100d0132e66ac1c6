// SPDX-License-Identifier: Apache-2.0

package signin_test

import (
	"errors"
	"net/http"
	"runtime"
	"strings"
	"testing"

	"github.com/fiftyarms/platform/internal/platform/client"
	"github.com/fiftyarms/platform/internal/platform/secret"
	"github.com/fiftyarms/platform/internal/platform/signin"
)

// TestKeyLapsed: a 401 on the stored key signs out and forgets the file; plan_connect asks in the same call.
func TestKeyLapsed(t *testing.T) {
	for name, body := range map[string]string{"refusal": `{"error":"unauthenticated","message":"sign in first"}`, "empty": "", "page": "<html>", "other": `{"error":"unauthorized"}`} {
		t.Run(name, func(t *testing.T) {
			b := signedIn(t)
			b.dash.on(me, refusal(401, body))
			if _, err := b.call(); !isSignedOut(err) {
				t.Fatalf("%v", err)
			}
			if !b.keys.holds().IsZero() {
				t.Error("the key file stands")
			}
			if _, err := b.call(); !isSignedOut(err) {
				t.Errorf("%v", err)
			}
			if n := b.dash.count(me); n != 1 {
				t.Errorf("%d calls", n)
			}
			b.dash.on(create, created(1))
			b.want(b.connect(), stRequired)
		})
	}
	t.Run("in plan_connect", func(t *testing.T) {
		b := signedIn(t)
		b.dash.on(connect, refusal(401, `{"error":"unauthenticated"}`))
		b.dash.on(create, created(2))
		b.want(b.connect(), stRequired)
		if !b.keys.holds().IsZero() {
			t.Error("the key file stands")
		}
	})
}

// TestLapsedTwice: two calls with the key that lapsed both answer the halt.
func TestLapsedTwice(t *testing.T) {
	b := signedIn(t)
	b.dash.held = make(chan struct{})
	b.dash.on(me, refusal(401, ""), refusal(401, ""))
	errs := make(chan error, 2)
	for range 2 {
		go func() { _, err := b.call(); errs <- err }()
	}
	for b.dash.count(me) < 2 {
		runtime.Gosched()
	}
	close(b.dash.held)
	for range 2 {
		if err := <-errs; !isSignedOut(err) {
			t.Errorf("%v", err)
		}
	}
}

// TestWrongPassword: a 401 that is not about the key leaves it alone.
func TestWrongPassword(t *testing.T) {
	b := signedIn(t)
	b.dash.on(me, refusal(401, `{"error":"wrong_credentials","message":"no person has this address and password"}`))
	resp, err := b.call()
	if err != nil || resp.Status != 401 || b.keys.holds().IsZero() {
		t.Errorf("%+v, %v", resp, err)
	}
}

// TestOtherProcess: the session's other process signed in, and this one finds its key.
func TestOtherProcess(t *testing.T) {
	t.Run("before it asks", func(t *testing.T) {
		b := newBench(t, nil)
		if _, err := b.call(); !isSignedOut(err) {
			t.Fatal(err)
		}
		b.keys.key = theKey(3)
		b.dash.on(connect, ok(connected))
		b.want(b.connect(), stConnected)
	})
	t.Run("after its key lapsed", func(t *testing.T) {
		b := signedIn(t)
		if err := b.session.Ready(); err != nil {
			t.Fatal(err)
		}
		b.keys.key = theKey(3)
		b.dash.on(me, refusal(401, ""), ok("{}"))
		if _, err := b.call(); !isSignedOut(err) {
			t.Fatal(err)
		}
		if _, err := b.call(); err != nil {
			t.Error(err)
		}
		if key, _ := b.dash.last(me); key != theKey(3).Reveal() {
			t.Error("the newer key is not used")
		}
	})
}

// TestStuckKey: a lapsed key that the store cannot let go is not used again; one that a person grants anew is.
func TestStuckKey(t *testing.T) {
	b := newBench(t, func(_ *signin.Options, s *store) { s.key, s.stuck = theKey(1), true })
	b.dash.on(connect, refusal(401, `{"error":"unauthenticated"}`))
	b.dash.on(create, created(1))
	b.want(b.connect(), stRequired)
	if _, err := b.call(); !isSignedOut(err) {
		t.Error(err)
	}
	if n := b.dash.count(connect); n != 1 {
		t.Errorf("%d calls with the dead key", n)
	}
	b.dash.on(claim, approved(1))
	b.clock.fire(t, pollEvery)
	<-b.keys.saved
	b.dash.on(connect, ok(connected))
	b.want(b.connect(), stConnected)
}

// TestOtherProcessWhilePending: a key that another process stored ends the wait for an approval of one's own.
func TestOtherProcessWhilePending(t *testing.T) {
	b := newBench(t, nil)
	b.dash.on(create, created(1))
	b.want(b.connect(), stRequired)
	b.keys.mu.Lock()
	b.keys.key = theKey(3)
	b.keys.mu.Unlock()
	b.dash.on(connect, ok(connected))
	b.want(b.connect(), stConnected)
	if key, _ := b.dash.last(connect); key != theKey(3).Reveal() {
		t.Error("another key is used")
	}
}

// TestRevokedWhilePending: a revocation ends the request that waits.
func TestRevokedWhilePending(t *testing.T) {
	b := signedIn(t)
	b.dash.held = make(chan struct{})
	b.dash.on(me, refusal(401, ""), refusal(401, revokedBody))
	errs := make(chan error, 2)
	for range 2 {
		go func() { _, err := b.call(); errs <- err }()
	}
	for b.dash.count(me) < 2 {
		runtime.Gosched()
	}
	b.dash.held <- struct{}{}
	first := <-errs
	b.dash.mu.Lock()
	held := b.dash.held
	b.dash.held = nil
	b.dash.mu.Unlock()
	b.dash.on(create, created(1))
	if isRevoked(first) { // the two answers came the other way round: nothing is asked
		close(held)
		<-errs
		return
	}
	b.want(b.connect(), stRequired)
	call := b.later(t.Context())
	close(held)
	if err := <-errs; !isRevoked(err) {
		t.Error(err)
	}
	if a := b.get(call); !isRevoked(a.err) {
		t.Errorf("%+v", a)
	}
}

const revokedBody = `{"error":"key_revoked","message":"Ada revoked this key","revoked_by":"Ada\u202e","revoked_at":"2026-01-02T03:04:05.000Z"}`

// TestRevoked: a person's revocation halts everything for good, and nothing is asked for again.
func TestRevoked(t *testing.T) {
	for name, start := range map[string]func(*testing.T) *bench{"person": signedIn, "dispatch": dispatch} {
		for _, where := range []string{me, connect} {
			t.Run(name+" "+where, func(t *testing.T) {
				b := start(t)
				b.dash.on(where, refusal(401, revokedBody))
				var halt error
				if where == me {
					_, halt = b.call()
				} else {
					halt = b.connect().err
				}
				if !isRevoked(halt) {
					t.Fatalf("%v", halt)
				}
				for _, part := range []string{`Ada\u202e`, "2026-01-02T03:04:05.000Z", "Commit", "end", "plan_connect"} {
					if !strings.Contains(halt.Error(), part) {
						t.Errorf("%q lacks %q", halt, part)
					}
				}
				if name == "person" && !b.keys.holds().IsZero() {
					t.Error("the key file stands")
				}
				if name == "dispatch" && b.keys.holds().IsZero() {
					t.Error("a dispatch removed a key file")
				}
				calls := len(b.dash.calls)
				for range 2 {
					if _, err := b.call(); err == nil || err.Error() != halt.Error() {
						t.Errorf("call: %v", err)
					}
					if a := b.connect(); a.err == nil || a.err.Error() != halt.Error() {
						t.Errorf("plan_connect: %+v", a)
					}
					if b.session.Halted() == nil || b.session.Ready() == nil {
						t.Error("not halted")
					}
				}
				if len(b.dash.calls) != calls {
					t.Errorf("called again: %v", b.dash.calls)
				}
			})
		}
	}
}

func TestRevokedWithoutDetails(t *testing.T) {
	for _, body := range []string{`{"error":"key_revoked"}`, `{"error":"key_revoked","revoked_by":7,"revoked_at":{}}`} {
		b := signedIn(t)
		b.dash.on(me, refusal(401, body))
		if _, err := b.call(); !isRevoked(err) || !strings.Contains(err.Error(), "A person revoked") {
			t.Errorf("%v", err)
		}
	}
}

// TestDispatch: its credential is used as it is, and never let go.
func TestDispatch(t *testing.T) {
	b := dispatch(t)
	b.dash.on(connect, ok(connected))
	b.want(b.connect(), stConnected)
	b.dash.on(me, refusal(401, `{"error":"unauthenticated","message":"sign in first"}`), ok("{}"))
	resp, err := b.call()
	if err != nil || resp.Status != 401 || !strings.Contains(string(resp.Body), "sign in first") {
		t.Errorf("%+v, %v", resp, err)
	}
	if _, err := b.call(); err != nil {
		t.Error(err)
	}
	b.dash.on(connect, refusal(401, `{"error":"unauthenticated","message":"sign in first"}`))
	if a := b.connect(); a.err == nil || !strings.Contains(a.err.Error(), "credential") || !strings.Contains(a.err.Error(), "sign in first") {
		t.Errorf("%+v", a)
	}
	for i, key := range b.dash.keys {
		if key != theKey(1).Reveal() {
			t.Errorf("%s with key %q", b.dash.calls[i], key)
		}
	}
}

// A call that would write the session's key where others read it is not made.
func TestTheKeyIsNotTold(t *testing.T) {
	b := newBench(t, func(o *signin.Options, _ *store) { o.Credential, o.Known = theKey(1), new(secret.Known) })
	for name, req := range map[string]func() (*http.Request, error){
		"in the body": func() (*http.Request, error) {
			return http.NewRequest("POST", "http://dash.example/api/issues", strings.NewReader(`{"title":"it is `+theKey(1).Reveal()+`"}`))
		},
		"in the query": func() (*http.Request, error) {
			return http.NewRequest("GET", "http://dash.example/api/issues?q="+theKey(1).Reveal(), nil)
		},
	} {
		r, err := req()
		if err != nil {
			t.Fatal(err)
		}
		if _, err := b.session.Call(t.Context(), r); err == nil || !strings.Contains(err.Error(), "not sent") || strings.Contains(err.Error(), theKey(1).Reveal()) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if len(b.dash.calls) > 0 {
		t.Errorf("the dashboard was called: %q", b.dash.calls)
	}
}

// TestOutdated: a newer floor halts every tool, the poll included.
func TestOutdated(t *testing.T) {
	floor := http.Header{"X-Mcp-Min-Version": {"0.2.0"}}
	old := func(err error) bool { var e *client.Outdated; return errors.As(err, &e) }
	t.Run("on a call", func(t *testing.T) {
		b := signedIn(t)
		b.dash.on(me, reply{status: 200, body: "{}", header: floor})
		for range 2 {
			if _, err := b.call(); !old(err) {
				t.Errorf("%v", err)
			}
			if a := b.connect(); !old(a.err) {
				t.Errorf("%+v", a)
			}
		}
		if len(b.dash.calls) != 1 {
			t.Errorf("%v", b.dash.calls)
		}
	})
	t.Run("on a claim", func(t *testing.T) {
		b := newBench(t, nil)
		b.dash.on(create, created(1))
		b.want(b.connect(), stRequired)
		b.dash.on(claim, reply{status: 200, body: approved(1).body, header: floor})
		call := b.later(t.Context())
		b.clock.fire(t, pollEvery)
		if a := b.get(call); !old(a.err) {
			t.Errorf("%+v", a)
		}
		if !b.keys.holds().Equal(theKey(1)) {
			t.Error("the key that came with the floor is lost")
		}
		if a := b.connect(); !old(a.err) {
			t.Errorf("%+v", a)
		}
	})
}

// TestStoreFails: a key file that cannot be used or written is said, and the session works without it.
func TestStoreFails(t *testing.T) {
	b := newBench(t, func(_ *signin.Options, s *store) {
		s.loadErr, s.saveErr = errors.New("the file is damaged"), errors.New("the disk is full")
	})
	if _, err := b.call(); !isSignedOut(err) || !strings.Contains(b.log.String(), "the file is damaged") {
		t.Fatalf("%v: %s", err, b.log)
	}
	b.dash.on(create, created(1))
	b.want(b.connect(), stRequired)
	b.dash.on(claim, approved(1))
	b.clock.fire(t, pollEvery)
	<-b.keys.saved
	b.dash.on(connect, ok(connected))
	b.want(b.connect(), stConnected)
	if !strings.Contains(b.log.String(), "the disk is full") {
		t.Errorf("not said: %s", b.log)
	}
}
