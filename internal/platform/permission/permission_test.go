// SPDX-License-Identifier: Apache-2.0

package permission_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/fiftyarms/platform/internal/platform/permission"
	"github.com/fiftyarms/platform/internal/testkit"
)

// TestGranted: the set waits under one code, however it is spelled, until the person grants it.
func TestGranted(t *testing.T) {
	b := newBench(t)
	b.dash.on(create, created(1))
	b.want(b.ask("docs.view", "boards.edit", "docs.view"), "approval_required CODE-1")
	if want := `{"permissions":["boards.edit","docs.view"],"reason":"For SHOP-1."}`; b.dash.bodies[0] != want {
		t.Errorf("sent %s, want %s", b.dash.bodies[0], want)
	}
	b.want(b.ask("boards.edit", "docs.view"), "approval_pending CODE-1")

	b.dash.on(claim, ok(`{"status":"pending"}`), ok(`{"status":"approved"}`))
	b.poll(pollEvery)
	b.poll(pollEvery)
	get(t, "the grant", b.granted)
	if told := b.asker.Reminders(); len(told) > 0 {
		t.Errorf("a grant is told: %q", told)
	}
	b.dash.on(create, created(2))
	b.want(b.ask("boards.edit", "docs.view"), "approval_required CODE-2")
}

// TestSets: names are taken as they are written, and another set is another request.
func TestSets(t *testing.T) {
	b := newBench(t)
	for n, set := range [][]string{{"a", "b"}, {"a"}, {"A", "b"}, {"a,b"}, {"a\",\"b"}} {
		b.dash.on(create, created(n))
		b.want(b.ask(set...), fmt.Sprintf("approval_required CODE-%d", n))
	}
}

// TestPace: claims keep the dashboard's pace, go slower while it fails, and wait when it says so.
func TestPace(t *testing.T) {
	b := newBench(t)
	b.dash.on(create, created(1))
	b.want(b.ask("boards.edit"), "approval_required CODE-1")
	down := reply{err: errors.New("the line is cut")}
	pending := ok(`{"status":"pending"}`)
	for _, step := range []struct {
		wait   time.Duration // before the claim
		answer reply
	}{
		{pollEvery, down},
		{2 * pollEvery, refusal(500, "")}, // as a session that hands failures on would not, and no answer either
		{4 * pollEvery, ok(`<html>`)},
		{8 * pollEvery, ok(`{"status":"what"}`)},
		{30 * time.Second, pending}, // 30 s at most
		{pollEvery, reply{status: 429, header: http.Header{"Retry-After": {"7"}}}},
		{7 * time.Second, reply{status: 429}},
		{time.Second, refusal(401, `{"error":"unauthenticated"}`)}, // of a dispatch, whose key is never replaced
		{2 * time.Second, pending},
		{pollEvery, ok(`{"status":"approved"}`)},
	} {
		b.dash.on(claim, step.answer)
		b.poll(step.wait)
	}
	get(t, "the grant", b.granted)
	if n := strings.Count(b.log.String(), "\n"); n != 1 || !strings.Contains(b.log.String(), "the line is cut") {
		t.Errorf("%d lines: %s", n, b.log)
	}
}

// TestDecided: what a person decides other than yes is told once, and frees the set; so does whatever ends a request.
func TestDecided(t *testing.T) {
	for _, tt := range []struct {
		name  string
		claim reply
		told  string // "" is nothing
	}{
		{"denied", ok(`{"status":"denied","note":"Not\nyet\u202e."}`), `The person refused the permissions that you asked for (boards.edit): Not\nyet\u202e..`},
		{"denied without a note", ok(`{"status":"denied"}`), `The person refused the permissions that you asked for (boards.edit).`},
		{"changes", ok(`{"status":"revision_requested","note":"Say which board."}`), `The person wants your permission request (boards.edit) changed: Say which board..`},
		{"expired", ok(`{"status":"expired"}`), ""},
		{"reaped", refusal(404, `{"error":"not_found"}`), ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			b := newBench(t)
			b.dash.on(create, created(1), created(2))
			b.want(b.ask("boards.edit"), "approval_required CODE-1")
			b.dash.on(claim, tt.claim)
			b.poll(pollEvery)
			var told []string
			again := ""
			testkit.Until(t, "a free set", func() bool {
				told = append(told, b.asker.Reminders()...)
				again = b.ask("boards.edit")
				return again != "approval_pending CODE-1"
			})
			b.want(again, "approval_required CODE-2")
			testkit.Until(t, "the reminder", func() bool {
				told = append(told, b.asker.Reminders()...)
				return tt.told == "" || len(told) > 0
			})
			if tt.told == "" && len(told) > 0 || tt.told != "" && (len(told) != 1 || !strings.HasPrefix(told[0], tt.told)) {
				t.Errorf("told %q, want %q", told, tt.told)
			}
			if more := b.asker.Reminders(); len(more) > 0 {
				t.Errorf("told again: %q", more)
			}
		})
	}
}

// TestLapses: a request that the dashboard says nothing of ends by this machine's clock.
func TestLapses(t *testing.T) {
	b := newBench(t)
	b.dash.on(create, created(1), created(2))
	b.want(b.ask("boards.edit"), "approval_required CODE-1")
	for wait, left := pollEvery, 10*time.Minute; left > 0; wait = min(2*wait, 30*time.Second) {
		wait = min(wait, left)
		b.dash.on(claim, reply{err: errors.New("the line is cut")})
		b.poll(wait)
		left -= wait
	}
	testkit.Until(t, "a free set", func() bool { return b.ask("boards.edit") == "approval_required CODE-2" })
}

// TestTheKeyGoes: with a key go the requests that it made.
func TestTheKeyGoes(t *testing.T) {
	b := newBench(t)
	b.dash.on(create, created(1), created(2))
	b.want(b.ask("boards.edit"), "approval_required CODE-1")
	get(t, "a wait", b.clock.set)
	b.dash.rekey()
	b.want(b.ask("boards.edit"), "approval_required CODE-2")
	b.want(b.ask("boards.edit"), "approval_pending CODE-2")
	if n := b.dash.count(claim); n != 0 {
		t.Errorf("%d claims", n)
	}
	halt := errors.New("Stop")
	b.dash.mu.Lock()
	b.dash.halt = halt
	b.dash.mu.Unlock()
	b.want(b.ask("boards.edit"), "error: Stop")
}

// TestAtTheSameInstant: the second call for a set waits for what the first brings, and asks only when that is nothing.
func TestAtTheSameInstant(t *testing.T) {
	for _, tt := range []struct {
		name          string
		first         reply
		cancelled     bool // the first call is given up
		want1, want2  string
		posts         int
		secondGivesUp bool
	}{
		{name: "made", first: created(1), want1: "approval_required CODE-1", want2: "approval_pending CODE-1", posts: 1},
		{name: "refused", first: refusal(429, `{"error":"rate_limited"}`), want1: `429 {"error":"rate_limited"}`, want2: "approval_required CODE-2", posts: 2},
		{name: "failed", first: reply{err: errors.New("the line is cut")}, want1: "error: the line is cut", want2: "approval_required CODE-2", posts: 2},
		{name: "given up", first: created(1), cancelled: true, want1: "error: context canceled", want2: "approval_required CODE-2", posts: 2},
		{name: "given up while it waits", first: created(1), want1: "approval_required CODE-1", want2: "error: context canceled", posts: 1, secondGivesUp: true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			b := newBench(t)
			held := make(chan struct{})
			b.dash.hold(held)
			b.dash.on(create, tt.first, created(2))
			ctx1, cancel1 := context.WithCancel(t.Context())
			ctx2, cancel2 := context.WithCancel(t.Context())
			defer cancel1()
			defer cancel2()
			first, second := make(chan string, 1), make(chan string, 1)
			go func() { first <- b.askWith(ctx1, "boards.edit") }()
			get(t, "the first call", b.dash.came)
			go func() { second <- b.askWith(ctx2, "boards.edit") }()
			switch {
			case tt.cancelled:
				cancel1()
				b.want(get(t, "the first answer", first), tt.want1)
				close(held)
			case tt.secondGivesUp:
				cancel2()
				b.want(get(t, "the second answer", second), tt.want2)
				close(held)
				b.want(get(t, "the first answer", first), tt.want1)
				second <- tt.want2
			default:
				close(held)
				b.want(get(t, "the first answer", first), tt.want1)
			}
			b.want(get(t, "the second answer", second), tt.want2)
			if n := b.dash.count(create); n != tt.posts {
				t.Errorf("%d requests, want %d", n, tt.posts)
			}
		})
	}
}

// TestOddOffers: what a person may not be shown is an error that does not show it, and frees the set.
func TestOddOffers(t *testing.T) {
	for _, change := range [][2]string{
		{`"p1"`, `".."`}, {`"p1"`, `"a/b"`}, {`"p1"`, `""`},
		{`CODE-1`, `call 555`}, {`CODE-1`, ``},
		{`http://dash.example`, `javascript:alert`}, {`http://dash.example`, `http://you@dash.example`}, {`/approvals`, `/\u202eapprovals`},
		{`2026-01-02T03:14`, `2126-01-02T03:14`}, {`{`, `[`},
	} {
		t.Run(change[1], func(t *testing.T) {
			b := newBench(t)
			odd := created(1)
			odd.body = strings.Replace(odd.body, change[0], change[1], 1)
			b.dash.on(create, odd, created(2))
			if got := b.ask("boards.edit"); !strings.HasPrefix(got, "error: POST /api/permission-requests: answered 201 with something else than a permission request") || len(change[1]) > 2 && strings.Contains(got, change[1]) {
				t.Errorf("%s: %s", odd.body, got)
			}
			b.want(b.ask("boards.edit"), "approval_required CODE-2")
		})
	}
}

// TestRefusals come verbatim; what is no JSON comes as a text.
func TestRefusals(t *testing.T) {
	b := newBench(t)
	for _, tt := range []struct{ body, want string }{
		{`{"error":"already_held", "n":9007199254740993}`, `409 {"error":"already_held", "n":9007199254740993}`},
		{"<html>\nno", `409 "\u003chtml\u003e\\nno"`},
	} {
		b.dash.on(create, refusal(409, tt.body))
		b.want(b.ask("boards.edit"), tt.want)
	}
}

// TestMostWaiting: requests that wait are bounded.
func TestMostWaiting(t *testing.T) {
	b := newBench(t)
	for i := range 16 {
		b.dash.on(create, created(1))
		b.want(b.ask(fmt.Sprintf("p.%d", i)), "approval_required CODE-1")
	}
	if got := b.ask("one.more"); !strings.Contains(got, "16 requests wait") {
		t.Error(got)
	}
	b.want(b.ask("p.3"), "approval_pending CODE-1")
}

// TestClosed: a request that is made while the session ends starts nothing.
func TestClosed(t *testing.T) {
	b := newBench(t)
	b.dash.on(create, created(1))
	b.asker.Close()
	b.want(b.ask("boards.edit"), "approval_required CODE-1")
}

func TestHint(t *testing.T) {
	for _, tt := range []struct {
		status int
		body   string
		want   string // what the hint names; "" is none
	}{
		{403, `{"error":"forbidden","permission":"boards.edit","message":"no"}`, "boards.edit"},
		{403, `{"error":"forbidden","permission":"a\u202eb"}`, `a\u202eb`},
		{403, `{"error":"forbidden","permission":"` + strings.Repeat("x", 61) + `"}`, ""},
		{403, `{"error":"forbidden","permission":""}`, ""},
		{403, `{"error":"forbidden"}`, ""},
		{403, `{"error":"person_required","permission":"boards.edit"}`, ""},
		{403, `["forbidden"]`, ""},
		{403, ``, ""},
		{404, `{"error":"forbidden","permission":"boards.edit"}`, ""},
		{200, `{"error":"forbidden","permission":"boards.edit"}`, ""},
	} {
		got := permission.Hint(tt.status, json.RawMessage(tt.body))
		if tt.want == "" && len(got) > 0 || tt.want != "" && (len(got) != 1 || !strings.Contains(got[0], "permission "+tt.want+".") || !strings.Contains(got[0], "request_permission") || !strings.Contains(got[0], "tell the user")) {
			t.Errorf("%d %s: %q", tt.status, tt.body, got)
		}
	}
}
