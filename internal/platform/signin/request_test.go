// SPDX-License-Identifier: Apache-2.0

package signin_test

import (
	"errors"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/fiftyarms/platform/gen/mcptools"
	"github.com/fiftyarms/platform/internal/platform/signin"
)

// TestDecisions: each end of a request is told once, and the call after it asks anew.
func TestDecisions(t *testing.T) {
	for _, tt := range []struct {
		name, claimed string
		state         mcptools.PlanConnectResultState
		note          string
	}{
		{"denied", `{"status":"denied"}`, stDenied, ""},
		{"denied with a note", `{"status":"denied","note":"Not on\nthis machine."}`, stDenied, `Not on\nthis machine.`},
		{"changes", `{"status":"revision_requested","note":"Say which card."}`, stChanges, "Say which card."},
	} {
		for _, waiting := range []bool{false, true} {
			name := tt.name
			if waiting {
				name += ", while a call waits"
			}
			t.Run(name, func(t *testing.T) {
				b := newBench(t, nil)
				b.dash.on(create, created(1), created(2))
				b.want(b.connect(), stRequired)
				b.dash.on(claim, ok(tt.claimed))
				var a answer
				if waiting {
					call := b.later(t.Context())
					b.clock.fire(t, pollEvery)
					a = b.get(call)
				} else {
					b.clock.fire(t, pollEvery)
					a = b.connect()
				}
				got := b.want(a, tt.state)
				if tt.note == "" && got.Note != nil || tt.note != "" && (got.Note == nil || *got.Note != tt.note) {
					t.Errorf("note: %v", got.Note)
				}
				if _, err := b.call(); !isSignedOut(err) {
					t.Errorf("%v", err)
				}
				if fresh := b.want(b.connect(), stRequired); *fresh.ConfirmCode != "CODE-2" {
					t.Errorf("%+v", fresh)
				}
			})
		}
	}
}

// TestLapsed: a request that came to nothing is replaced in the next call, without a word about it.
func TestLapsed(t *testing.T) {
	for name, r := range map[string]reply{
		"expired": ok(`{"status":"expired"}`),
		"claimed": ok(`{"status":"claimed"}`),
		"gone":    refusal(404, `{"error":"not_found","message":"there is no such request"}`),
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t, nil)
			b.dash.on(create, created(1), created(2))
			b.want(b.connect(), stRequired)
			b.dash.on(claim, r)
			b.clock.fire(t, pollEvery)
			if fresh := b.want(b.connect(), stRequired); *fresh.ConfirmCode != "CODE-2" {
				t.Errorf("%+v", fresh)
			}
		})
	}
}

// TestClaimFails: what no later claim would mend ends the request, and is told once.
func TestClaimFails(t *testing.T) {
	for name, r := range map[string]reply{
		"refused":          refusal(400, `{"error":"invalid_request","message":"the secret `+claimSecret(1)+` is odd","issues":[]}`),
		"no key":           ok(`{"status":"approved"}`),
		"key of two lines": ok(`{"status":"approved","apiKey":"a\r\nX-Other: 1"}`),
		"endless key":      ok(`{"status":"approved","apiKey":"` + strings.Repeat("k", 501) + `"}`),
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t, nil)
			b.dash.on(create, created(1), created(2))
			b.want(b.connect(), stRequired)
			b.dash.on(claim, r)
			b.clock.fire(t, pollEvery)
			if a := b.connect(); a.err == nil || !strings.Contains(a.err.Error(), "POST /api/access-requests/claim") {
				t.Fatalf("%+v", a)
			}
			if fresh := b.want(b.connect(), stRequired); *fresh.ConfirmCode != "CODE-2" {
				t.Errorf("%+v", fresh)
			}
		})
	}
}

// TestOddClaims: an answer that says nothing about the request is ridden out.
func TestOddClaims(t *testing.T) {
	for name, r := range map[string]reply{
		"page": ok("<html>"), "unknown state": ok(`{"status":"postponed"}`), "someone else's": ok(`{"hello":"world"}`),
		"401": refusal(401, ""), "403": refusal(403, `{"error":"forbidden"}`), "408": refusal(408, ""), "425": refusal(425, ""), "451": refusal(451, "<html>"),
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t, nil)
			b.dash.on(create, created(1))
			b.want(b.connect(), stRequired)
			b.dash.on(claim, r, approved(1))
			b.clock.fire(t, pollEvery)
			b.clock.fire(t, 2*pollEvery)
			<-b.keys.saved
		})
	}
}

// TestOddUntilItLapses: riding out ends with the request.
func TestOddUntilItLapses(t *testing.T) {
	b := newBench(t, nil)
	b.dash.on(create, reply{status: 201, body: strings.Replace(created(1).body, "03:14:05", "03:04:12", 1)}, created(2))
	b.want(b.connect(), stRequired)
	b.dash.on(claim, ok("<html>"), ok("<html>"))
	b.clock.fire(t, pollEvery)
	b.clock.fire(t, 2*pollEvery)
	b.dash.on(claim, ok("<html>"))
	call := b.later(t.Context())
	b.clock.fire(t, 7*time.Second) // not 8: it lapses before
	if fresh := b.want(b.get(call), stRequired); *fresh.ConfirmCode != "CODE-2" {
		t.Errorf("%+v", fresh)
	}
}

// TestLapsedAsleep: a request that lapsed while the machine slept is replaced in the next call, whatever its poll does.
func TestLapsedAsleep(t *testing.T) {
	var late atomic.Bool
	b := newBench(t, func(o *signin.Options, _ *store) {
		now := o.Now
		o.Now = func() time.Time {
			if late.Load() {
				return now().Add(time.Hour)
			}
			return now()
		}
	})
	b.dash.on(create, created(1))
	b.want(b.connect(), stRequired)
	late.Store(true)
	b.dash.on(create, reply{status: 201, body: strings.Replace(created(2).body, "03:14:05", "04:14:05", 1)})
	if fresh := b.want(b.connect(), stRequired); *fresh.ConfirmCode != "CODE-2" {
		t.Errorf("%+v", fresh)
	}
}

// TestClockIsOff: a dashboard whose clock runs behind is no reason not to wait for a person.
func TestClockIsOff(t *testing.T) {
	b := newBench(t, nil)
	b.dash.on(create, reply{status: 201, body: strings.Replace(created(1).body, "2026-01-02", "2025-12-31", 1)})
	b.want(b.connect(), stRequired)
	b.dash.on(claim, ok(`{"status":"pending"}`), approved(1))
	b.clock.fire(t, pollEvery)
	b.clock.fire(t, pollEvery)
	<-b.keys.saved
}

// TestOddOffers: what goes before a person has its form, or nothing is asked of them.
func TestOddOffers(t *testing.T) {
	for name, change := range map[string][2]string{
		"code with a line end": {`"CODE-1"`, `"CODE\n1234"`}, "code that is markup": {`"CODE-1"`, `"<b>1</b>"`}, "short code": {`"CODE-1"`, `"1"`}, "endless code": {`"CODE-1"`, `"` + strings.Repeat("C", 33) + `"`},
		"link to nowhere": {"http://dash.example/", "javascript:"}, "link with a name": {"http://dash", "http://dash.example@evil"}, "link with a blank": {"/approvals/", "/ap provals/"},
		"reversed link": {"/approvals/", "/\u202eapprovals/"}, "invisible link": {"/approvals/", "/\u200bapprovals/"}, "link of two lines": {"/approvals/", "/\r\napprovals/"}, "endless link": {"/approvals/", "/" + strings.Repeat("a", 2048)},
		"no link": {`"approvalUrl"`, `"other"`}, "no end": {`"expiresAt"`, `"other"`}, "null end": {`"2026-01-02T03:14:05.000Z"`, "null"}, "long ended": {"2026-01-02", "1970-01-02"}, "endless": {"2026-01-02", "2036-01-02"}, "no time": {"2026-01-02T", "soon"},
		"no id": {`"p1","secret"`, `"","secret"`}, "endless id": {`"p1","secret"`, `"` + strings.Repeat("p", 201) + `","secret"`}, "secret of two lines": {claimSecret(1), `a\nb`}, "endless secret": {claimSecret(1), strings.Repeat("s", 501)},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t, nil)
			b.dash.on(create, reply{status: 201, body: strings.Replace(created(1).body, change[0], change[1], 1)})
			a := b.connect()
			if a.err == nil || !strings.Contains(a.err.Error(), "is http://dash.example a dashboard?") || strings.ContainsAny(a.err.Error(), "\n\u202e\u200b") || len(a.err.Error()) > 300 {
				t.Errorf("%+v", a)
			}
		})
	}
	b := newBench(t, nil) // people may reach the dashboard under another name
	b.dash.on(create, reply{status: 201, body: strings.Replace(created(1).body, "http://dash.example/", "https://people.example:8443/x/", 1)})
	b.want(b.connect(), stRequired)
}

// TestDashboardAway: while the dashboard does not answer, the poll goes on ever more slowly and the log is told once.
func TestDashboardAway(t *testing.T) {
	b := newBench(t, nil)
	b.dash.on(create, created(1))
	b.want(b.connect(), stRequired)
	b.dash.on(claim, reply{err: io.ErrUnexpectedEOF}, refusal(503, "down "+claimSecret(1)), reply{status: 302}, refusal(500, ""), refusal(500, ""), ok(`{"status":"pending"}`), approved(1))
	b.clock.fire(t, pollEvery)
	for _, wait := range []time.Duration{4, 8, 16, 30} {
		b.clock.fire(t, wait*time.Second)
	}
	b.clock.fire(t, waitLimit)
	call := b.later(t.Context())
	b.clock.fire(t, waitLimit)
	if got := b.want(b.get(call), stPending); !strings.Contains(*got.Instruction, "answered 500") {
		t.Errorf("the agent is not told: %s", *got.Instruction)
	}
	b.clock.fire(t, 30*time.Second)
	b.clock.fire(t, pollEvery) // answered again: at the usual pace
	<-b.keys.saved
	if n := strings.Count(b.log.String(), "level=WARN"); n != 1 {
		t.Errorf("%d warnings: %s", n, b.log)
	}
}

func TestClaimRateLimited(t *testing.T) {
	b := newBench(t, nil)
	b.dash.on(create, created(1))
	b.want(b.connect(), stRequired)
	limited := func(after string) reply {
		return reply{status: 429, body: `{"error":"rate_limited"}`, header: http.Header{"Retry-After": {after}}}
	}
	b.dash.on(claim, refusal(429, ""), limited("7"), limited("Fri, 02 Jan 2026 03:04:45 GMT"), limited("soon"), limited("-3"), limited("0.01"), limited("1e300"), approved(1))
	b.clock.fire(t, pollEvery)
	for _, wait := range []time.Duration{1, 7, 40, 1, 1, 1, 60} {
		b.clock.fire(t, wait*time.Second)
	}
	<-b.keys.saved
}

func TestNotAsked(t *testing.T) {
	team := func(o *signin.Options, _ *store) { o.Team = "acme" }
	for _, tt := range []struct {
		name   string
		reply  reply
		change func(*signin.Options, *store)
		state  mcptools.PlanConnectResultState
		says   string
	}{
		{"unknown team", refusal(400, `{"error":"unknown_team","message":"there is no team acme","team":"acme"}`), team, stTeam, "DANXBOT_TEAM"},
		{"old dashboard", refusal(404, `{"error":"not_found"}`), nil, stOld, "too old"},
		{"no dashboard", refusal(404, "<html>"), nil, stOld, "DANXBOT_DASHBOARD_URL"},
		{"rate limited", reply{status: 429, header: http.Header{"Retry-After": {"2.5"}}}, nil, stLimited, "3 seconds"},
		{"rate limited without a time", refusal(429, ""), nil, stLimited, "1 seconds"},
		{"refused", refusal(400, `{"error":"invalid_request","message":"mend it","issues":[{"in":"body","path":"/title","message":"is too long"}]}`), nil, "", "body /title: is too long"},
		{"team that was not named", refusal(400, `{"error":"unknown_team","message":"there is no team"}`), nil, "", "there is no team"},
		{"server fails", refusal(500, "oops"), nil, "", "answered 500: oops"},
		{"network", reply{err: errors.New("connection refused")}, nil, "", "connection refused"},
		{"redirect", reply{status: 302, header: http.Header{"Location": {"https://other.example/x"}}}, nil, "", "https://other.example"},
		{"no JSON", reply{status: 201, body: "<html>"}, nil, "", "is http://dash.example a dashboard?"},
		{"half", reply{status: 201, body: `{"secret":"` + claimSecret(1) + `"}`}, nil, "", "something else than an access request"},
		{"link to nowhere", reply{status: 201, body: strings.Replace(created(1).body, "http://dash.example/", "javascript:", 1)}, nil, "", "something else than an access request"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			b := newBench(t, tt.change)
			b.dash.on(create, tt.reply)
			a := b.connect()
			var said string
			if tt.state != "" {
				said = *b.want(a, tt.state).Instruction
			} else if a.err == nil {
				t.Fatalf("no error: %+v", a.result)
			} else {
				said = a.err.Error()
			}
			if !strings.Contains(said, tt.says) {
				t.Errorf("%q lacks %q", said, tt.says)
			}
			b.dash.on(create, created(2)) // nothing is left behind: the next call asks
			b.want(b.connect(), stRequired)
			if _, body := b.dash.last(create); tt.change != nil && !strings.Contains(body, `"team":"acme"`) {
				t.Errorf("asked without the team: %s", body)
			}
		})
	}
}

func TestRateLimitSeconds(t *testing.T) {
	b := newBench(t, nil)
	b.dash.on(create, reply{status: 429, header: http.Header{"Retry-After": {"17"}}})
	if got := b.want(b.connect(), stLimited); *got.RetryAfterSeconds != 17 {
		t.Errorf("%d", *got.RetryAfterSeconds)
	}
}

// TestOneRequest: calls at the same moment make one request.
func TestOneRequest(t *testing.T) {
	b := newBench(t, nil)
	b.dash.held = make(chan struct{})
	b.dash.on(create, created(1))
	first, second := b.later(t.Context()), b.later(t.Context())
	close(b.dash.held)
	var asked answer
	select {
	case asked = <-first:
	case asked = <-second:
		first, second = second, first
	}
	b.want(asked, stRequired)
	b.dash.on(claim, approved(1))
	b.dash.on(connect, ok(connected))
	b.clock.fire(t, pollEvery)
	b.want(b.get(second), stConnected)
	if n := b.dash.count(create); n != 1 {
		t.Errorf("%d requests", n)
	}
}

// TestPollIsTamed: a server cannot make the poll run hot or sleep for ever.
func TestPollIsTamed(t *testing.T) {
	for asked, want := range map[string]time.Duration{"0": 500 * time.Millisecond, "-5": 500 * time.Millisecond, "2147483647": 30 * time.Second} {
		b := newBench(t, nil)
		b.dash.on(create, reply{status: 201, body: strings.Replace(created(1).body, `"pollMs":2000`, `"pollMs":`+asked, 1)})
		b.want(b.connect(), stRequired)
		b.dash.on(claim, approved(1))
		b.clock.fire(t, want)
		<-b.keys.saved
	}
}
