// SPDX-License-Identifier: Apache-2.0

package handler

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/fiftyarms/platform/internal/approval"
	"github.com/fiftyarms/platform/internal/dashboard/guard"
	"github.com/fiftyarms/platform/internal/store"
)

// What asking for access and asking for more have in common.

// pollEvery is how often an asker looks for its answer.
const pollEvery = 2 * time.Second

// naming makes what a person knows a new request by: the id in its link, and the code that they compare.
func (h *Handler) naming() (publicID, confirmCode string, err error) {
	if err := h.ids(&publicID); err != nil {
		return "", "", err
	}
	confirmCode, err = approval.NewConfirmCode(h.Random)
	return publicID, confirmCode, err
}

// decided is how a decision came out that the store took, or refused with failed: the request as it stands now, or why
// it did not take. read reads the request, and undecided says of it what keeps it from being decided like that.
func decided[Request any](failed error, read func() (Request, error), undecided func(Request) error) (r Request, err error) {
	if failed != nil && !errors.Is(failed, store.ErrConflict) {
		return r, during("decide", failed)
	}
	if r, err = read(); err != nil || failed == nil {
		return r, err
	}
	if err := undecided(r); err != nil {
		return r, err
	}
	return r, fmt.Errorf("the request can be decided, and the decision did not take: %w", failed)
}

// trail is what an entry of the audit log says of the call that it comes from.
func (h *Handler) trail(ctx context.Context) (store.Trail, error) {
	t := store.Trail{Address: guard.From(ctx).Address}
	return t, h.ids(&t.ID)
}

// forgetEvery is how often old requests are cleared away: looking for them reads whole tables.
const forgetEvery = 10 * time.Minute

// forget clears away what was asked long ago and nobody needs any more. Whoever asks now and then pays for it.
func (h *Handler) forget(ctx context.Context, now time.Time) error {
	last := h.forgot.Load()
	if now.UnixMilli()-last < forgetEvery.Milliseconds() || !h.forgot.CompareAndSwap(last, now.UnixMilli()) {
		return nil
	}
	before := now.Add(-approval.ForgetAfter)
	_, access := h.Store.ForgetAccessRequests(ctx, before)
	_, permission := h.Store.ForgetPermissionRequests(ctx, before)
	return during("forget old requests", errors.Join(access, permission))
}
