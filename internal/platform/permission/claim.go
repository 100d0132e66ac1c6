// SPDX-License-Identifier: Apache-2.0

package permission

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/fiftyarms/platform/gen/dash"
	"github.com/fiftyarms/platform/gen/mcptools"
	"github.com/fiftyarms/platform/internal/platform/ask"
	"github.com/fiftyarms/platform/internal/platform/client"
)

// attend waits for what a person decides of a request, for as long as its key lasts.
func (a *Asker) attend(set string, r *request) {
	defer a.free(set, r)
	ctx, cancel := context.WithCancel(r.tenure)
	defer cancel()
	defer context.AfterFunc(a.ctx, cancel)()
	troubled := false
	poll := ask.Poll{PollMs: r.offer.PollMs, Until: r.until, Now: a.o.Now, After: a.o.After}
	poll.Run(ctx, func() (bool, time.Duration, error) {
		said, wait, err := a.claim(ctx, r)
		if err != nil && !troubled && ctx.Err() == nil {
			troubled = true // told once, not at each poll
			a.o.Log.Warn("the dashboard does not say what became of a permission request: asking on", "permissions", r.named, "error", err)
		}
		if err != nil || said.Status == dash.RequestStatusPending {
			return false, wait, err
		}
		a.free(set, r)
		if said.Status == dash.RequestStatusApproved {
			a.o.Granted(ctx)
		}
		a.remind(r, said)
		return true, 0, nil
	})
}

// claim asks once. A 429 is pending, with the time to wait; a request that the dashboard has forgotten is expired.
func (a *Asker) claim(ctx context.Context, r *request) (said dash.PermissionRequestClaimed, wait time.Duration, err error) {
	req, err := dash.NewClaimPermissionRequestRequest(a.o.Client.Base(), r.offer.PublicID)
	if err != nil {
		return said, 0, fmt.Errorf("claim: %w", err)
	}
	resp, err := a.o.Session.Do(ctx, client.Call{Request: req, Limit: callLimit})
	switch {
	case err != nil:
		return said, 0, err
	case resp.Status == http.StatusNotFound:
		said.Status = dash.RequestStatusExpired
		return said, 0, nil
	case resp.Status == http.StatusTooManyRequests:
		said.Status = dash.RequestStatusPending
		return said, ask.RetryAfter(resp.Header, a.o.Now()), nil
	case resp.Status >= 400:
		return said, 0, resp.Refusal()
	}
	if err := json.Unmarshal(resp.Body, &said); err != nil || !said.Status.Valid() {
		return said, 0, fmt.Errorf("%s %s: answered %d with something else than the state of a permission request: is %s a dashboard?", resp.Method, resp.Path, resp.Status, a.o.Client.Dashboard())
	}
	return said, 0, nil
}

// remind keeps what the agent has to know of a decision.
func (a *Asker) remind(r *request, said dash.PermissionRequestClaimed) {
	named, note := client.Visible(strings.Join(r.named, ", ")), ""
	if said.Note != nil {
		note = ": " + client.Visible(*said.Note)
	}
	var text string
	switch said.Status {
	case dash.RequestStatusDenied:
		text = fmt.Sprintf("The person refused the permissions that you asked for (%s)%s. Do not ask for them again unless the user wants it.", named, note)
	case dash.RequestStatusRevisionRequested:
		text = fmt.Sprintf("The person wants your permission request (%s) changed%s. Call request_permission with what answers that.", named, note)
	default: // granted: the key has it; lapsed: whoever still needs it asks again
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.told = append(a.told, text)
}

func required(r *request) mcptools.RequestPermissionResult {
	result := offered(r, mcptools.RequestPermissionResultStateApprovalRequired)
	result.Instruction = new("Show the user confirmCode and approvalUrl now, and open the link for them if you can. They check that the page shows the same code, and decide. Go on with other work meanwhile: what they grant, the next call may use.")
	return result
}

func pending(r *request) mcptools.RequestPermissionResult {
	result := offered(r, mcptools.RequestPermissionResultStateApprovalPending)
	result.Instruction = new("You have asked for this, and nobody has decided yet: nothing new was sent. Remind the user of confirmCode and approvalUrl, and go on with other work.")
	return result
}

func offered(r *request, state mcptools.RequestPermissionResultState) mcptools.RequestPermissionResult {
	return mcptools.RequestPermissionResult{
		State: &state, ApprovalURL: &r.offer.ApprovalURL, ConfirmCode: &r.offer.ConfirmCode, ExpiresAt: new(r.offer.ExpiresAt.String()),
	}
}

// refused is the answer to a request that the dashboard did not take, with its own words.
func refused(resp *client.Response) (mcptools.RequestPermissionResult, error) {
	body := json.RawMessage(resp.Body)
	if !json.Valid(body) {
		var err error
		if body, err = json.Marshal(client.Excerpt(string(body))); err != nil {
			return mcptools.RequestPermissionResult{}, fmt.Errorf("request_permission: %w", err)
		}
	}
	return mcptools.RequestPermissionResult{Ok: new(false), Status: new(int32(resp.Status)), Body: body}, nil
}
