// SPDX-License-Identifier: Apache-2.0

// Package handler does what the contract's operations say: one method for each, one file for each tag. A method gets a
// call that the guard has let through, so it checks only what the contract cannot say, asks the rules, makes one change
// in the store, and answers a value of the contract or an error that the guard turns into a refusal.
package handler

import (
	"context"
	"fmt"
	"io"
	"net/url"
	"sync/atomic"
	"time"

	"github.com/fiftyarms/platform/gen/dash"
	"github.com/fiftyarms/platform/internal/access"
	"github.com/fiftyarms/platform/internal/blobs"
	"github.com/fiftyarms/platform/internal/dashboard/guard"
	"github.com/fiftyarms/platform/internal/dashboard/stream"
	"github.com/fiftyarms/platform/internal/openapi"
	"github.com/fiftyarms/platform/internal/store"
	"github.com/fiftyarms/platform/internal/wake"
)

// Config is what the handlers need. A server fills in all of it; each operation uses only some.
type Config struct {
	Store     store.Store
	Wake      wake.Waker   // told of every change, after its commit
	Streams   *stream.Hub  // who follows the changes
	Blobs     *blobs.Store // the bytes of attachments
	Contract  *openapi.Document
	Cookie    string   // the name of the session cookie
	PublicURL *url.URL // where browsers see this server, without a slash at its end
	Now       func() time.Time
	Random    io.Reader   // safe for concurrent use
	Version   string      // of this build
	Draining  func() bool // whether the server is about to end
}

// A Handler implements the contract.
type Handler struct {
	Config
	passwords *passwords
	forgot    atomic.Int64 // when old requests were cleared away last, in Unix milliseconds
}

var _ dash.StrictServerInterface = (*Handler)(nil)

// New makes the handlers.
func New(cfg Config) *Handler {
	return &Handler{Config: cfg, passwords: newPasswords(cfg.Random)}
}

// caller is who calls, on an operation that is not public.
func caller(ctx context.Context) *access.Principal { return guard.From(ctx).Principal }

// ids fills in fresh ids.
func (h *Handler) ids(into ...*string) error { return fill(h.Random, access.NewID, into) }

// tokens fills in fresh secrets.
func (h *Handler) tokens(into ...*string) error { return fill(h.Random, access.NewToken, into) }

func fill(random io.Reader, mint func(io.Reader) (string, error), into []*string) (err error) {
	for _, s := range into {
		if *s, err = mint(random); err != nil {
			return err
		}
	}
	return nil
}

// invalid refuses a call for a fault that the contract's schema cannot tell.
func invalid(in dash.FaultIn, path, message string) dash.InvalidRequestRefusal {
	return dash.InvalidRequestRefusal{
		Message: "the request is not as the contract wants it",
		Issues:  []dash.Fault{{In: in, Path: path, Message: message}},
	}
}

// ref is what the wire shows of a team.
func ref(t store.Team) dash.TeamRef { return dash.TeamRef{Slug: t.Slug, Name: t.Name} }

// optional is a text that the wire leaves out when it is empty.
func optional(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

// value is what a pointer points to, if it does.
func value[T any](p *T) T {
	if p == nil {
		return *new(T)
	}
	return *p
}

// during says what was being done when a store or a source of chance failed.
func during(what string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", what, err)
}
