// SPDX-License-Identifier: Apache-2.0

package signin_test

import (
	"context"
	"errors"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fiftyarms/platform/gen/mcptools"
	"github.com/fiftyarms/platform/internal/platform/signin"
)

const (
	stConnected = mcptools.PlanConnectResultStateConnected
	stRequired  = mcptools.PlanConnectResultStateApprovalRequired
	stPending   = mcptools.PlanConnectResultStateApprovalPending
	stDenied    = mcptools.PlanConnectResultStateDenied
	stChanges   = mcptools.PlanConnectResultStateChangesRequested
	stTeam      = mcptools.PlanConnectResultStateUnknownTeam
	stLimited   = mcptools.PlanConnectResultStateRateLimited
	stOld       = mcptools.PlanConnectResultStateDashboardOutdated
)

func isSignedOut(err error) bool { var e *signin.SignedOut; return errors.As(err, &e) }

func isRevoked(err error) bool { var e *signin.Revoked; return errors.As(err, &e) }

// signedIn is a bench whose session holds key 1 of its store.
func signedIn(t *testing.T) *bench {
	return newBench(t, func(_ *signin.Options, s *store) { s.key = theKey(1) })
}

func dispatch(t *testing.T) *bench {
	return newBench(t, func(o *signin.Options, s *store) {
		o.Credential = theKey(1)
		s.key, s.loadErr = theKey(2), errors.New("a dispatch must not read key files")
	})
}

// TestSignIn is the way in: halt, request, approval, connected, and a restart that finds the key.
func TestSignIn(t *testing.T) {
	b := newBench(t, nil)
	if _, err := b.call(); !isSignedOut(err) || !strings.Contains(err.Error(), "http://dash.example") || !strings.Contains(err.Error(), "plan_connect") {
		t.Fatalf("signed out: %v", err)
	}
	if len(b.dash.calls) > 0 {
		t.Fatalf("called while signed out: %v", b.dash.calls)
	}
	b.dash.on(create, created(1))
	got := b.want(b.connect(), stRequired)
	want := mcptools.PlanConnectResult{
		State: stRequired, ApprovalURL: title("http://dash.example/approvals/p1"), ConfirmCode: title("CODE-1"),
		ExpiresAt: title("2026-01-02T03:14:05.000Z"), Instruction: got.Instruction,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if key, body := b.dash.last(create); key != "" || body != `{"title":"Mend the checkout","client":{"name":"test"}}` {
		t.Errorf("asked with key %q: %s", key, body)
	}
	b.dash.on(claim, ok(`{"status":"pending"}`), approved(1))
	b.clock.fire(t, pollEvery)
	b.clock.fire(t, pollEvery)
	<-b.keys.saved // stored in the background, before anyone asks
	if !b.keys.holds().Equal(theKey(1)) {
		t.Error("the key was not stored")
	}
	if key, body := b.dash.last(claim); key != "" || body != `{"secret":"`+claimSecret(1)+`"}` {
		t.Errorf("claimed with key %q: %s", key, body)
	}
	b.dash.on(connect, ok(connected))
	in := b.want(b.connect(), stConnected)
	if string(in.Agent) != `{"id":9007199254740993,"name":"Agent 1"}` || string(in.Team) != `{"slug":"acme","name":"Acme"}` || in.Session == nil {
		t.Errorf("%s %s %s", in.Agent, in.Team, in.Session)
	}
	if key, body := b.dash.last(connect); key != theKey(1).Reveal() || body != `{"title":"Mend the checkout"}` {
		t.Errorf("connected with %q: %s", key, body)
	}
	b.dash.on(me, ok("{}"))
	if _, err := b.call(); err != nil {
		t.Error(err)
	}

	again := newBench(t, func(_ *signin.Options, s *store) { s.key = b.keys.key })
	again.dash.on(me, ok("{}"))
	if _, err := again.call(); err != nil {
		t.Errorf("after a restart: %v", err)
	}
}

// TestWaits: a call that finds a request waiting connects as soon as a person approves.
func TestWaits(t *testing.T) {
	b := newBench(t, nil)
	b.dash.on(create, created(1))
	b.want(b.connect(), stRequired)
	first, second := b.later(t.Context()), b.later(t.Context())
	b.dash.on(claim, approved(1))
	b.dash.on(connect, ok(connected), ok(connected))
	b.clock.fire(t, pollEvery)
	b.want(b.get(first), stConnected)
	b.want(b.get(second), stConnected)
	if n := b.dash.count(create); n != 1 {
		t.Errorf("%d requests", n)
	}
}

func TestWaitEnds(t *testing.T) {
	b := newBench(t, nil)
	b.dash.on(create, created(1))
	b.want(b.connect(), stRequired)
	b.clock.fire(t, waitLimit) // the first call's own limit, which it never needed
	call := b.later(t.Context())
	b.clock.fire(t, waitLimit)
	got := b.want(b.get(call), stPending)
	if *got.ConfirmCode != "CODE-1" || *got.ApprovalURL != "http://dash.example/approvals/p1" || got.ExpiresAt == nil {
		t.Errorf("%+v", got)
	}
	if n := b.dash.count(create); n != 1 {
		t.Errorf("%d requests", n)
	}
}

func TestWaitIsCancelled(t *testing.T) {
	b := newBench(t, nil)
	b.dash.on(create, created(1))
	b.want(b.connect(), stRequired)
	ctx, cancel := context.WithCancelCause(t.Context())
	call := b.later(ctx)
	gone := errors.New("cancelled by the client")
	cancel(gone)
	if a := b.get(call); !errors.Is(a.err, gone) {
		t.Errorf("%+v", a)
	}
	b.dash.on(claim, approved(1))
	b.clock.fire(t, pollEvery) // the poll goes on
	<-b.keys.saved
}

func TestCloseEndsWait(t *testing.T) {
	b := newBench(t, nil)
	b.dash.on(create, created(1))
	b.want(b.connect(), stRequired)
	call := b.later(t.Context())
	b.session.Close()
	if a := b.get(call); a.err == nil {
		t.Errorf("%+v", a)
	}
}

func TestConnectRefused(t *testing.T) {
	for name, tt := range map[string]struct {
		reply reply
		says  string
	}{
		"person's key": {refusal(403, `{"error":"key_required","message":"only an agent's key may do this"}`), "answered 403 key_required: only an agent's key may do this"},
		"fails":        {refusal(500, "oops"), "answered 500: oops"},
		"page":         {ok("<html>"), "is http://dash.example a dashboard?"},
		"null":         {ok("null"), "is http://dash.example a dashboard?"},
		"no session":   {ok(`{"agent":{"id":1,"name":"A"}}`), "is http://dash.example a dashboard?"},
		"null session": {ok(`{"session":null,"agent":{"id":1,"name":"A"}}`), "is http://dash.example a dashboard?"},
		"no agent":     {ok(`{"session":{}}`), "is http://dash.example a dashboard?"},
		"null agent":   {ok(`{"session":{},"agent":null}`), "is http://dash.example a dashboard?"},
		"odd agent":    {ok(`{"session":{},"agent":{"id":"1","name":"A"}}`), "is http://dash.example a dashboard?"},
		"no name":      {ok(`{"session":{},"agent":{"id":1}}`), "is http://dash.example a dashboard?"},
	} {
		t.Run(name, func(t *testing.T) {
			b := signedIn(t)
			b.dash.on(connect, tt.reply)
			if a := b.connect(); a.err == nil || !strings.Contains(a.err.Error(), tt.says) {
				t.Errorf("%+v", a)
			}
			if b.keys.holds().IsZero() {
				t.Error("signed out")
			}
		})
	}
	b := signedIn(t)
	b.dash.on(connect, refusal(429, ""))
	b.want(b.connect(), stLimited)
}

// TestOneDeadline: the 45 s hold for the network, too.
func TestOneDeadline(t *testing.T) {
	b := signedIn(t)
	b.dash.held = make(chan struct{})
	b.dash.on(connect, ok(connected))
	call := b.later(t.Context())
	b.clock.fire(t, waitLimit)
	if got := b.want(b.get(call), stPending); !strings.Contains(*got.Instruction, "Call plan_connect again") || got.ApprovalURL != nil {
		t.Errorf("%+v", got)
	}
}

// TestClaimAtTheEnd: a claim under way when the session ends still brings the key.
func TestClaimAtTheEnd(t *testing.T) {
	b := newBench(t, nil)
	b.dash.on(create, created(1))
	b.want(b.connect(), stRequired)
	b.dash.held = make(chan struct{})
	b.dash.on(claim, approved(1))
	b.clock.fire(t, pollEvery)
	for b.dash.count(claim) == 0 {
		runtime.Gosched()
	}
	closed := make(chan struct{})
	go func() { b.session.Close(); close(closed) }()
	close(b.dash.held)
	<-b.keys.saved
	<-closed
	if !b.keys.holds().Equal(theKey(1)) {
		t.Error("the key is lost")
	}
}
