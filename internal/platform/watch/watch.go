// SPDX-License-Identifier: Apache-2.0

// Package watch keeps a session's permissions as the dashboard has them. It reads them, and for as long as the session
// holds a key it keeps a stream open on which the dashboard tells that they have changed.
//
// What is read is handed on in the order of reading: a read begins after the one before it was handed on, so an older
// answer never follows a newer one.
package watch

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"time"

	"github.com/fiftyarms/platform/gen/dash"
	"github.com/fiftyarms/platform/internal/platform/client"
	"github.com/fiftyarms/platform/internal/platform/signin"
)

// Session is who the process is to the dashboard.
type Session interface {
	Tenure() (context.Context, error)
	Await(ctx context.Context) (context.Context, error)
	Do(ctx context.Context, call client.Call) (*client.Response, error)
	Stream(ctx context.Context, call client.Call) (*client.Stream, *client.Response, error)
}

// Options make a Watch.
type Options struct {
	Session Session
	Base    string // of the dashboard, as Client.Base gives it
	// Apply takes what the session's key may do, one call at a time; signedIn is false where there is no key any more.
	Apply  func(signedIn bool, permissions []dash.Permission)
	Log    *slog.Logger
	Random io.Reader // spreads reconnections
	Now    func() time.Time
	After  func(time.Duration) <-chan time.Time
}

// Watch reads permissions. It is safe for concurrent use.
type Watch struct {
	o       Options
	reading chan struct{}   // holds a token while permissions are read and handed on
	of      context.Context // the tenure of the key whose permissions were handed on last; the token guards it
}

// New makes a watch. It reads nothing before it is asked to.
func New(o Options) *Watch { return &Watch{o: o, reading: make(chan struct{}, 1)} }

const (
	readLimit = 5 * time.Second // of one read
	tries     = 3
	tryAgain  = 500 * time.Millisecond // times the number of the try that failed
)

// Read reads the permissions once and hands them on. The error is one of the session's; a refusal is a *client.Refusal.
func (w *Watch) Read(ctx context.Context) error {
	done, err := w.alone(ctx)
	if err != nil {
		return err
	}
	defer done()
	tenure, err := w.o.Session.Tenure()
	if err != nil {
		return err
	}
	req, err := dash.NewGetPermissionsRequest(w.o.Base)
	if err != nil {
		return fmt.Errorf("permissions: %w", err)
	}
	resp, err := w.o.Session.Do(ctx, client.Call{Request: req, Limit: readLimit})
	if err != nil {
		return err
	}
	if resp.Status >= 400 {
		return resp.Refusal()
	}
	var said dash.Permissions
	if err := json.Unmarshal(resp.Body, &said); err != nil || said.Permissions == nil {
		return fmt.Errorf("%s %s: answered %d with something else than permissions: is a dashboard there?", resp.Method, resp.Path, resp.Status)
	}
	switch now, err := w.o.Session.Tenure(); {
	case err != nil:
		return err
	case now != tenure:
		return errChanged
	}
	w.of = tenure
	w.o.Apply(true, said.Permissions)
	return nil
}

var errChanged = errors.New("the session's key changed while its permissions were read")

// known tells whether the permissions of the key of this tenure were ever handed on.
func (w *Watch) known(ctx, tenure context.Context) bool {
	done, err := w.alone(ctx)
	if err != nil {
		return false
	}
	defer done()
	return w.of == tenure
}

// alone waits until no other read is under way, and keeps others from beginning until done is called.
func (w *Watch) alone(ctx context.Context) (done func(), err error) {
	select {
	case w.reading <- struct{}{}:
		return func() { <-w.reading }, nil
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

// Load is Read, tried three times where that may help. What the dashboard refuses it refuses again.
func (w *Watch) Load(ctx context.Context) (err error) {
	for try := range tries {
		if try > 0 {
			select {
			case <-w.o.After(time.Duration(try) * tryAgain):
			case <-ctx.Done():
				return context.Cause(ctx)
			}
		}
		if err = w.Read(ctx); err == nil || !mayPass(err) {
			return err
		}
	}
	return err
}

// mayPass tells whether the same call may fare better later.
func mayPass(err error) bool {
	if refusal, ok := errors.AsType[*client.Refusal](err); ok {
		return refusal.Status == http.StatusTooManyRequests
	}
	return !halts(err)
}

// halts tells whether the session has no key to call with.
func halts(err error) bool {
	_, signedOut := errors.AsType[*signin.SignedOut](err)
	_, revoked := errors.AsType[*signin.Revoked](err)
	_, outdated := errors.AsType[*client.Outdated](err)
	return signedOut || revoked || outdated
}
