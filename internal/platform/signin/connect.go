// SPDX-License-Identifier: Apache-2.0

package signin

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"time"

	"github.com/fiftyarms/platform/gen/dash"
	"github.com/fiftyarms/platform/gen/mcptools"
	"github.com/fiftyarms/platform/internal/platform/ask"
	"github.com/fiftyarms/platform/internal/platform/client"
	"github.com/fiftyarms/platform/internal/platform/secret"
)

const (
	// waitLimit is how long plan_connect takes in all: it waits for a person, and for the network.
	waitLimit = 45 * time.Second
	// callLimit bounds each call of signing in.
	callLimit = 10 * time.Second
)

var (
	errWaited = fmt.Errorf("the dashboard took longer than %v: call plan_connect again", waitLimit)
	errOver   = errors.New("the session is over")
)

// Connect connects the session, and asks a person for access when it has no key: at once in the call that makes the
// request, within 45 s in the calls after it. asker is who asks; title says what the session is about, nil for nothing.
// The error is a *Revoked, a *client.Outdated or a call's.
func (s *Session) Connect(ctx context.Context, asker dash.AskingClient, title *string) (mcptools.PlanConnectResult, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	waited := s.after(waitLimit)
	go func() {
		select {
		case <-waited:
			cancel(errWaited)
		case <-s.ctx.Done():
			cancel(errOver)
		case <-ctx.Done():
		}
	}()
	s.lookAround()
	for {
		key, err := s.standing()
		if err == nil {
			result, err := s.connect(ctx, key, title)
			if signedOut := (*SignedOut)(nil); errors.As(err, &signedOut) {
				continue // the key lapsed: ask for another in this same call
			}
			if errors.Is(err, errWaited) {
				return s.unconnected(), nil
			}
			return result, err
		}
		if signedOut := (*SignedOut)(nil); !errors.As(err, &signedOut) {
			return mcptools.PlanConnectResult{}, err
		}
		r := s.waiting()
		if r == nil {
			result, asked, err := s.ask(ctx, asker, title)
			if asked || err != nil {
				return result, err
			}
			continue // another call was faster
		}
		select {
		case <-r.done:
			if result, told, err := s.tell(r); told || err != nil {
				return result, err
			}
		case <-ctx.Done():
			if err := context.Cause(ctx); !errors.Is(err, errWaited) {
				return mcptools.PlanConnectResult{}, err
			}
			return s.pendingResult(r), nil
		}
	}
}

// lookAround ends the wait for a request that nobody can approve any more, or need not: it lapsed while this machine
// slept, or another process of the session has stored a key.
func (s *Session) lookAround() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if r := s.request; r != nil && (s.reload() || s.lapsed(r)) {
		s.conclude(r, outcome{status: dash.RequestStatusExpired})
	}
}

// connect tells the dashboard that the session works.
func (s *Session) connect(ctx context.Context, key secret.Text, title *string) (mcptools.PlanConnectResult, error) {
	var result mcptools.PlanConnectResult
	req, err := dash.NewConnectSessionRequest(s.client.Base(), dash.SessionConnect{Title: title})
	if err != nil {
		return result, fmt.Errorf("connect: %w", err)
	}
	resp, err := s.call(ctx, client.Call{Request: req, Key: key, Limit: callLimit})
	if err != nil {
		return result, err
	}
	switch {
	case resp.Status == http.StatusTooManyRequests:
		return s.rateLimited(resp), nil
	case resp.Status == http.StatusUnauthorized && s.dispatch:
		return result, fmt.Errorf("the dashboard does not take this dispatch's credential, and no other is asked for: %w", resp.Refusal())
	case resp.Status >= 400:
		return result, resp.Refusal()
	}
	var said struct {
		Session json.RawMessage `json:"session"`
		Agent   json.RawMessage `json:"agent"`
		Team    json.RawMessage `json:"team"`
	}
	if err := json.Unmarshal(resp.Body, &said); err != nil || !isSession(said.Session) || !isAgent(said.Agent) {
		return result, fmt.Errorf("%s %s: answered %d with something else than a session and its agent: is %s a dashboard?", resp.Method, resp.Path, resp.Status, s.client.Dashboard())
	}
	result.State = mcptools.PlanConnectResultStateConnected
	result.Session, result.Agent, result.Team = said.Session, said.Agent, said.Team
	return result, nil
}

func isSession(raw json.RawMessage) bool {
	var members map[string]json.RawMessage
	return json.Unmarshal(raw, &members) == nil && members != nil
}

func isAgent(raw json.RawMessage) bool {
	var agent struct {
		ID   *float64 `json:"id"`
		Name *string  `json:"name"`
	}
	return json.Unmarshal(raw, &agent) == nil && agent.ID != nil && agent.Name != nil
}

// waiting is the request that was made and not told the end of, or nil.
func (s *Session) waiting() *request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.request
}

// ask makes an access request; one call at a time does. asked is false when there turns out to be no need to.
func (s *Session) ask(ctx context.Context, asker dash.AskingClient, title *string) (result mcptools.PlanConnectResult, asked bool, err error) {
	select {
	case s.asking <- struct{}{}:
		defer func() { <-s.asking }()
	case <-ctx.Done():
		return result, false, context.Cause(ctx)
	}
	if !s.needsKey() {
		return result, false, nil
	}
	body := dash.AccessRequestCreate{Client: asker, Title: title}
	if s.team != "" {
		body.Team = &s.team
	}
	r, resp, err := s.create(ctx, body)
	switch {
	case err != nil:
		return result, false, err
	case r == nil:
		result, err = s.notAsked(resp)
		return result, true, err
	}
	s.mu.Lock()
	s.request = r
	s.mu.Unlock()
	s.start(r)
	return askedResult(r), true, nil
}

// needsKey looks once more, now that no other call is asking: at what other calls did, and into the key store, where
// another process of this session may have put a key.
func (s *Session) needsKey() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.request == nil && !s.reload()
}

// tell gives the end of a request to a call that waited for it; the request is then forgotten. told is false when
// there is nothing to say and the session goes on: signed in, or with a fresh request for one that lapsed.
func (s *Session) tell(r *request) (result mcptools.PlanConnectResult, told bool, err error) {
	s.mu.Lock()
	if s.request == r {
		s.request = nil
	}
	s.mu.Unlock()
	if r.err != nil {
		return result, false, fmt.Errorf("the access request came to nothing; call plan_connect again to make another: %w", r.err)
	}
	if r.note != "" {
		result.Note = new(client.Visible(r.note))
	}
	switch r.status {
	case dash.RequestStatusDenied:
		result.State = mcptools.PlanConnectResultStateDenied
		result.Instruction = new("The person refused access. Tell the user, and do not call plan_connect again unless they want you to: that asks anew.")
	case dash.RequestStatusRevisionRequested:
		result.State = mcptools.PlanConnectResultStateChangesRequested
		result.Instruction = new("The person wants the request changed as the note says. Call plan_connect again with a title that answers the note: that asks anew.")
	default: // approved: there is a key; expired or claimed elsewhere: ask again
		return result, false, nil
	}
	return result, true, nil
}

// notAsked is the answer to an access request that the dashboard did not take.
func (s *Session) notAsked(resp *client.Response) (mcptools.PlanConnectResult, error) {
	var result mcptools.PlanConnectResult
	switch {
	case resp.Status == http.StatusTooManyRequests:
		return s.rateLimited(resp), nil
	case resp.Status == http.StatusNotFound:
		result.State = mcptools.PlanConnectResultStateDashboardOutdated
		result.Instruction = new(fmt.Sprintf("The dashboard at %s is too old to be asked for access, or no dashboard is there. Tell the user to update it or to mend DANXBOT_DASHBOARD_URL.", s.client.Dashboard()))
		return result, nil
	case s.team != "" && resp.Code() == (dash.UnknownTeamRefusal{}).RefusalCode():
		result.State = mcptools.PlanConnectResultStateUnknownTeam
		result.Instruction = new(fmt.Sprintf("The dashboard at %s has no team %q, which DANXBOT_TEAM names. Nobody was asked. Tell the user to mend DANXBOT_TEAM and to start this session again.", s.client.Dashboard(), s.team))
		return result, nil
	}
	return result, fmt.Errorf("access was not asked for: %w", s.refusal(resp))
}

func (s *Session) rateLimited(resp *client.Response) mcptools.PlanConnectResult {
	// Rounded up: too early is refused again.
	seconds := int32((ask.RetryAfter(resp.Header, s.now()) + time.Second - 1) / time.Second)
	return mcptools.PlanConnectResult{
		State:             mcptools.PlanConnectResultStateRateLimited,
		RetryAfterSeconds: &seconds,
		Instruction:       new("The dashboard takes no more requests for now. Call plan_connect again in " + strconv.Itoa(int(seconds)) + " seconds."),
	}
}

func askedResult(r *request) mcptools.PlanConnectResult {
	result := requestResult(r)
	result.State = mcptools.PlanConnectResultStateApprovalRequired
	result.Instruction = new("Show the user confirmCode and approvalUrl now, and open the link for them if you can. They check that the page shows the same code, and approve. Then call plan_connect again: it waits for them.")
	return result
}

func (s *Session) pendingResult(r *request) mcptools.PlanConnectResult {
	result := requestResult(r)
	result.State = mcptools.PlanConnectResultStateApprovalPending
	instruction := "Nobody has decided yet. Remind the user of confirmCode and approvalUrl, then call plan_connect again: it waits for them."
	s.mu.Lock()
	defer s.mu.Unlock()
	if r.trouble != nil {
		instruction = "It is not known whether anybody has decided: " + r.trouble.Error() + ". It is being asked again; call plan_connect again in a while."
	}
	result.Instruction = &instruction
	return result
}

// unconnected is the answer of a session that holds a key and could not be connected in time.
func (s *Session) unconnected() mcptools.PlanConnectResult {
	return mcptools.PlanConnectResult{
		State:       mcptools.PlanConnectResultStateApprovalPending,
		Instruction: new(fmt.Sprintf("This session holds a key, and nobody has to approve anything, but the dashboard at %s has not connected it in time. Call plan_connect again.", s.client.Dashboard())),
	}
}

func requestResult(r *request) mcptools.PlanConnectResult {
	return mcptools.PlanConnectResult{
		ApprovalURL: &r.made.ApprovalURL, ConfirmCode: &r.made.ConfirmCode, ExpiresAt: new(r.made.ExpiresAt.String()),
	}
}
