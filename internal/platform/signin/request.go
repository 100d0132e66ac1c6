// SPDX-License-Identifier: Apache-2.0

package signin

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/fiftyarms/platform/gen/dash"
	"github.com/fiftyarms/platform/internal/platform/client"
	"github.com/fiftyarms/platform/internal/platform/secret"
)

const (
	minPoll  = 50 * time.Millisecond // a server that asks for less is not obeyed
	maxPoll  = time.Minute
	maxRetry = 30 * time.Second // between claims while the dashboard does not answer

	defaultRetryAfter = time.Second // of a 429 that does not say
	maxRetryAfter     = time.Hour
)

// request is an access request that this process has made.
type request struct {
	made   dash.AccessRequestCreated
	secret secret.Text
	done   chan struct{} // closed when there is an outcome
	outcome

	trouble error // why the last claim got no answer; the session's mutex guards it
}

// outcome is what became of a request; it may be read when done is closed.
type outcome struct {
	status dash.AccessRequestStatus
	note   string      // the person's
	key    secret.Text // with approved
	err    error       // the claim failed for good; status is "" then
}

// create asks for access. The answer that is no request is nil with the 4xx it got.
func (s *Session) create(ctx context.Context, body dash.AccessRequestCreate) (*request, *client.Response, error) {
	req, err := dash.NewCreateAccessRequestRequest(s.client.Base(), body)
	if err != nil {
		return nil, nil, fmt.Errorf("access request: %w", err)
	}
	resp, err := s.client.Do(ctx, client.Call{Request: req, Limit: callLimit})
	if err != nil || resp.Status >= 400 {
		return nil, resp, err
	}
	r := &request{done: make(chan struct{})}
	if err := json.Unmarshal(resp.Body, &r.made); err != nil || r.made.Secret == "" || !isLink(r.made.ApprovalURL) || r.made.ConfirmCode == "" {
		// Not the body: it holds the secret.
		return nil, nil, fmt.Errorf("%s %s: answered %d without the link, the code and the rest of an access request: is %s a dashboard?", resp.Method, resp.Path, resp.Status, s.client.Dashboard())
	}
	r.secret = secret.New(r.made.Secret)
	return r, nil, nil
}

// isLink tells whether a person can be sent to an address.
func isLink(address string) bool {
	u, err := url.Parse(address)
	return err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Host != ""
}

// start begins to poll for what a person decides.
func (s *Session) start(r *request) {
	s.polls.Go(func() {
		interval := min(max(time.Duration(r.made.PollMs)*time.Millisecond, minPoll), maxPoll)
		s.poll(r, interval)
	})
}

// poll claims the request's key until there is an outcome or the session ends.
func (s *Session) poll(r *request, interval time.Duration) {
	wait := interval
	for {
		select {
		case <-s.ctx.Done():
			return
		case <-s.after(wait):
		}
		out, retryAfter, err := s.claim(r)
		var failure *client.Failure
		switch {
		case s.ctx.Err() != nil:
			return
		case errors.As(err, &failure):
			// The dashboard is down or restarts; the person may still decide.
			s.stumble(r, err)
			wait = min(2*wait, max(maxRetry, interval))
		case err != nil:
			s.settle(r, outcome{err: err})
			return
		case out.status == dash.AccessRequestStatusPending:
			s.stumble(r, nil)
			wait = cmp.Or(retryAfter, interval)
		default:
			s.settle(r, out)
			return
		}
	}
}

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
	pending := outcome{status: dash.AccessRequestStatusPending}
	req, err := dash.NewClaimAccessRequestRequest(s.client.Base(), dash.AccessRequestClaim{Secret: r.made.Secret})
	if err != nil {
		return outcome{}, 0, fmt.Errorf("claim: %w", err)
	}
	resp, err := s.client.Do(s.ctx, client.Call{Request: req, Hidden: r.secret, Limit: callLimit})
	if err != nil {
		return outcome{}, 0, err
	}
	switch resp.Status {
	case http.StatusOK:
	case http.StatusNotFound: // the dashboard forgets a request soon after it lapsed
		return outcome{status: dash.AccessRequestStatusExpired}, 0, nil
	case http.StatusTooManyRequests:
		return pending, retryAfter(resp.Header, s.now()), nil
	default:
		refusal := resp.Refusal()
		refusal.Text = r.secret.Hide(refusal.Text)
		return outcome{}, 0, refusal
	}
	var said dash.AccessRequestClaimed
	if err := json.Unmarshal(resp.Body, &said); err != nil || !said.Status.Valid() {
		return outcome{}, 0, fmt.Errorf("%s %s: answered 200 with something else than the state of an access request: is %s a dashboard?", resp.Method, resp.Path, s.client.Dashboard())
	}
	out := outcome{status: said.Status}
	if said.Note != nil {
		out.note = *said.Note
	}
	if said.Status == dash.AccessRequestStatusApproved {
		if said.APIKey != nil {
			out.key = secret.New(*said.APIKey)
		}
		if !out.key.Sendable() {
			return outcome{}, 0, fmt.Errorf("%s %s: answered approved without a usable key", resp.Method, resp.Path)
		}
	}
	return out, 0, nil
}

// settle publishes an outcome. A key is stored first: a process that ends now must not lose what a person granted.
func (s *Session) settle(r *request, out outcome) {
	if !out.key.IsZero() {
		if err := s.keys.Save(out.key); err != nil {
			s.log.Warn("the key is kept in memory only: this session has to ask again when it is restarted", "error", err)
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	r.outcome = out
	if !out.key.IsZero() {
		s.key, s.loaded, s.request = out.key, true, nil
	}
	close(r.done)
}

// retryAfter is how long a 429 wants to be left alone: seconds or a date, 1 s when it does not say.
func retryAfter(h http.Header, now time.Time) time.Duration {
	text := strings.TrimSpace(h.Get("Retry-After"))
	wait := time.Duration(0)
	if seconds, err := strconv.ParseFloat(text, 64); err == nil && seconds > 0 {
		wait = time.Duration(min(seconds, maxRetryAfter.Seconds()) * float64(time.Second))
	} else if at, err := http.ParseTime(text); err == nil {
		wait = at.Sub(now)
	}
	if wait <= 0 {
		return defaultRetryAfter
	}
	return min(wait, maxRetryAfter)
}
