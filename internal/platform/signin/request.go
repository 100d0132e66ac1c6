// SPDX-License-Identifier: Apache-2.0

package signin

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/fiftyarms/platform/gen/dash"
	"github.com/fiftyarms/platform/internal/platform/ask"
	"github.com/fiftyarms/platform/internal/platform/client"
	"github.com/fiftyarms/platform/internal/platform/secret"
)

// request is an access request that this process has made.
type request struct {
	made   dash.AccessRequestCreated
	secret secret.Text
	until  time.Time     // it lapses then
	done   chan struct{} // closed when there is an outcome
	outcome

	ctx context.Context // of its poll: ends with the outcome, or with the session
	end context.CancelFunc

	trouble error // why the last claim said nothing; the session's mutex guards it
}

// outcome is what became of a request; it may be read when done is closed.
type outcome struct {
	status dash.RequestStatus
	note   string      // the person's
	key    secret.Text // with approved
	err    error       // the claim failed for good; status is "" then
}

func (r *request) ended() bool {
	select {
	case <-r.done:
		return true
	default:
		return false
	}
}

// create asks for access. The answer that is no request is nil with the 4xx it got.
func (s *Session) create(ctx context.Context, body dash.AccessRequestCreate) (*request, *client.Response, error) {
	req, err := dash.NewCreateAccessRequestRequest(s.client.Base(), body)
	if err != nil {
		return nil, nil, fmt.Errorf("access request: %w", err)
	}
	resp, err := s.client.Do(ctx, client.Call{Request: req, Limit: callLimit, Grants: true})
	switch {
	case err != nil:
		return nil, nil, err
	case s.client.Halted() != nil:
		return nil, nil, s.client.Halted()
	case resp.Status >= 400:
		return nil, resp, nil
	}
	r, err := readOffer(resp, s.now().Round(0)) // without the monotonic clock, which stands still while a machine sleeps
	if err != nil {
		return nil, nil, fmt.Errorf("%s %s: answered %d with something else than an access request (%w): is %s a dashboard?", resp.Method, resp.Path, resp.Status, err, s.client.Dashboard())
	}
	s.known.Add(r.secret)
	r.ctx, r.end = context.WithCancel(s.ctx)
	return r, nil, nil
}

// start begins to poll for what a person decides. What is no outcome is ridden out until the request lapses.
func (s *Session) start(r *request) {
	poll := ask.Poll{PollMs: r.made.PollMs, Until: r.until, Now: s.now, After: s.after}
	s.polls.Go(func() {
		if poll.Run(r.ctx, func() (bool, time.Duration, error) { return s.attempt(r) }) {
			s.settle(r, outcome{status: dash.RequestStatusExpired})
		}
	})
}

// attempt claims once, and tells whether that settles the request or how to go on.
func (s *Session) attempt(r *request) (settled bool, wait time.Duration, err error) {
	out, wait, err := s.claim(r)
	switch final := (*finalError)(nil); {
	case err != nil && s.claims.Err() != nil:
		return true, 0, nil // the session ends, and with it the request
	case s.Halted() != nil && out.key.IsZero():
		s.settle(r, outcome{err: s.Halted()})
	case errors.As(err, &final):
		s.settle(r, outcome{err: final.error})
	case err != nil || out.status == dash.RequestStatusPending:
		s.stumble(r, err)
		return false, wait, err
	default:
		s.settle(r, out)
	}
	return true, 0, nil
}

func (s *Session) lapsed(r *request) bool { return !s.now().Before(r.until) }

// finalError is one that no later claim mends.
type finalError struct{ error }

// stumble notes whether claims get answers. The log is told once, not at each poll.
func (s *Session) stumble(r *request, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err != nil && r.trouble == nil {
		s.log.Warn("the dashboard does not say what became of the access request: asking on", "error", err)
	}
	r.trouble = err
}

// claim asks once. A 429 is pending, with the time to wait.
func (s *Session) claim(r *request) (outcome, time.Duration, error) {
	pending := outcome{status: dash.RequestStatusPending}
	req, err := dash.NewClaimAccessRequestRequest(s.client.Base(), dash.AccessRequestClaim{Secret: r.made.Secret})
	if err != nil {
		return outcome{}, 0, fmt.Errorf("claim: %w", err)
	}
	resp, err := s.client.Do(s.claims, client.Call{Request: req, Limit: callLimit, Grants: true})
	if err != nil {
		return outcome{}, 0, err
	}
	switch resp.Status {
	case http.StatusOK:
	case http.StatusNotFound: // the dashboard forgets a request soon after it lapsed
		return outcome{status: dash.RequestStatusExpired}, 0, nil
	case http.StatusTooManyRequests:
		return pending, ask.RetryAfter(resp.Header, s.now()), nil
	case http.StatusBadRequest:
		return outcome{}, 0, &finalError{s.refusal(resp)}
	default:
		return outcome{}, 0, s.refusal(resp)
	}
	var said dash.AccessRequestClaimed
	if err := json.Unmarshal(resp.Body, &said); err != nil || !said.Status.Valid() {
		return outcome{}, 0, fmt.Errorf("%s %s: answered 200 with something else than the state of an access request: is %s a dashboard?", resp.Method, resp.Path, s.client.Dashboard())
	}
	out := outcome{status: said.Status}
	if said.Note != nil {
		out.note = *said.Note
	}
	if said.Status == dash.RequestStatusApproved {
		if said.APIKey != nil {
			out.key = secret.New(*said.APIKey)
		}
		if !usable(out.key) { // it is handed out once: no later claim brings another
			return outcome{}, 0, &finalError{fmt.Errorf("%s %s: answered approved without a usable key", resp.Method, resp.Path)}
		}
	}
	return out, 0, nil
}

// settle publishes an outcome, unless there is one. A key is kept in any case, and stored first: a process that ends
// now must not lose what a person granted.
func (s *Session) settle(r *request, out outcome) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !out.key.IsZero() && s.revoked == nil {
		s.known.Add(out.key)
		if err := s.keys.Save(out.key); err != nil {
			s.log.Warn("the key is kept in memory only: this session has to ask again when it is restarted", "error", err)
		}
		delete(s.dead, sum(out.key)) // alive, if a person has just granted it
		s.loaded = true
		s.hold(out.key)
		if s.request == r {
			s.request = nil
		}
	}
	s.conclude(r, out)
}

// conclude ends a request. s.mu is held.
func (s *Session) conclude(r *request, out outcome) {
	if !r.ended() {
		r.outcome = out
		close(r.done)
		r.end()
	}
}

// refusal is a 4xx of a call that grants, in words that show no secret.
func (s *Session) refusal(resp *client.Response) *client.Refusal {
	resp.Body = s.known.HideBytes(resp.Body)
	return resp.Refusal()
}
