// SPDX-License-Identifier: Apache-2.0

// Package permission asks the person whose key a session holds for more permissions, and tells the agent what it may not
// do and how to ask.
//
// A request waits in the background for its decision. While it does, the same permissions are asked for once: whoever
// asks again is shown the first code and link. What a person granted is not told, since the key has it from then on;
// what they refused is told once, with the next answer of the dashboard. A request ends with the key that made it.
package permission

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"time"

	"github.com/fiftyarms/platform/gen/dash"
	"github.com/fiftyarms/platform/gen/mcptools"
	"github.com/fiftyarms/platform/internal/platform/ask"
	"github.com/fiftyarms/platform/internal/platform/client"
)

// Session is who the process is to the dashboard.
type Session interface {
	// Tenure is for as long as the session holds the key that it holds now.
	Tenure() (context.Context, error)
	// Do makes a call with the session's key. An error is a halt or a failure; 2xx and 4xx are answers.
	Do(ctx context.Context, call client.Call) (*client.Response, error)
}

// Options make an Asker.
type Options struct {
	Session Session
	Client  *client.Client // says where the dashboard is; calls go through Session
	// Granted is called when a person has granted a request, until ctx is done.
	Granted func(ctx context.Context)
	Now     func() time.Time
	After   func(time.Duration) <-chan time.Time
	Log     *slog.Logger
}

const (
	// callLimit bounds each call.
	callLimit = 10 * time.Second
	// mostWaiting is how many requests may wait at once.
	mostWaiting = 16
)

// Asker is the tool request_permission. It is safe for concurrent use. The caller closes it.
type Asker struct {
	o     Options
	ctx   context.Context // of the polls
	end   context.CancelFunc
	polls sync.WaitGroup

	mu      sync.Mutex
	waiting map[string]*request // by permission set
	told    []string            // reminders for the next answer
}

// request is one that was made, or is being made, and not decided.
type request struct {
	named  []string        // what it asks for
	tenure context.Context // of the key that makes it
	asked  chan struct{}   // closed when the dashboard has answered, or not
	offer  *dash.PermissionRequestCreated
	until  time.Time
}

// New makes the tool.
func New(o Options) *Asker {
	a := &Asker{o: o, waiting: map[string]*request{}}
	a.ctx, a.end = context.WithCancel(context.Background())
	return a
}

// Close ends the polls, and returns when they have ended.
func (a *Asker) Close() {
	a.mu.Lock()
	a.end()
	a.mu.Unlock()
	a.polls.Wait()
}

// Reminders are what was decided since they were last asked for, where the agent has to know.
func (a *Asker) Reminders() []string {
	a.mu.Lock()
	defer a.mu.Unlock()
	told := a.told
	a.told = nil
	return told
}

// RequestPermission asks, unless the same is being asked. The error is a halt, or says why nobody was asked.
func (a *Asker) RequestPermission(ctx context.Context, args mcptools.RequestPermissionArgs) (mcptools.RequestPermissionResult, error) {
	named := slices.Compact(slices.Sorted(slices.Values(args.Permissions)))
	set, err := json.Marshal(named)
	if err != nil {
		return mcptools.RequestPermissionResult{}, fmt.Errorf("request_permission: %w", err)
	}
	for {
		tenure, err := a.o.Session.Tenure()
		if err != nil {
			return mcptools.RequestPermissionResult{}, err
		}
		r, mine, err := a.enter(string(set), named, tenure)
		if err != nil {
			return mcptools.RequestPermissionResult{}, err
		}
		if mine {
			return a.make(ctx, string(set), r, args.Reason)
		}
		select {
		case <-r.asked:
		case <-ctx.Done():
			return mcptools.RequestPermissionResult{}, context.Cause(ctx)
		}
		if r.offer != nil {
			return pending(r), nil
		} // else that call came to nothing, and this one asks
	}
}

// enter finds the request that waits for a set, or makes the caller the one to ask.
func (a *Asker) enter(set string, named []string, tenure context.Context) (r *request, mine bool, err error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for set, r := range a.waiting {
		if r.tenure.Err() != nil { // its key is gone, and its poll is about to see that
			delete(a.waiting, set)
		}
	}
	if r := a.waiting[set]; r != nil {
		return r, false, nil
	}
	if len(a.waiting) >= mostWaiting {
		return nil, false, fmt.Errorf("request_permission: nobody was asked: %d requests wait for a decision already, which is the limit", mostWaiting)
	}
	r = &request{named: named, tenure: tenure, asked: make(chan struct{})}
	a.waiting[set] = r
	return r, true, nil
}

// free lets a set be asked for again.
func (a *Asker) free(set string, r *request) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.waiting[set] == r {
		delete(a.waiting, set)
	}
}

// make asks the dashboard, and waits for the decision in the background.
func (a *Asker) make(ctx context.Context, set string, r *request, reason string) (result mcptools.RequestPermissionResult, err error) {
	defer func() {
		if r.offer == nil { // also after a panic
			a.free(set, r)
		}
		close(r.asked)
	}()
	req, err := dash.NewCreatePermissionRequestRequest(a.o.Client.Base(), dash.PermissionRequestCreate{Permissions: r.named, Reason: reason})
	if err != nil {
		return result, fmt.Errorf("request_permission: %w", err)
	}
	resp, err := a.o.Session.Do(ctx, client.Call{Request: req, Limit: callLimit})
	if err != nil {
		return result, err
	}
	if resp.Status >= 400 {
		return refused(resp)
	}
	offer, until, err := readOffer(resp, a.o.Now().Round(0)) // without the monotonic clock, which stands still while a machine sleeps
	if err != nil {
		return result, fmt.Errorf("%s %s: answered %d with something else than a permission request (%w): is %s a dashboard?", resp.Method, resp.Path, resp.Status, err, a.o.Client.Dashboard())
	}
	r.offer, r.until = offer, until
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.ctx.Err() == nil { // else Close waits already
		a.polls.Go(func() { a.attend(set, r) })
	}
	return required(r), nil
}

// readOffer reads the answer to a permission request. The error says which part is not as it should be and shows none.
func readOffer(resp *client.Response, now time.Time) (*dash.PermissionRequestCreated, time.Time, error) {
	offer := new(dash.PermissionRequestCreated)
	if json.Unmarshal(resp.Body, offer) != nil {
		return nil, time.Time{}, errors.New("not the members that one has")
	}
	life, err := ask.Offer{PublicID: offer.PublicID, ConfirmCode: offer.ConfirmCode, ApprovalURL: offer.ApprovalURL, ExpiresAt: offer.ExpiresAt}.Check(now)
	return offer, now.Add(life), err
}
