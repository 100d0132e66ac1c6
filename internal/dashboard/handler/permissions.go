// SPDX-License-Identifier: Apache-2.0

package handler

import (
	"context"
	"errors"
	"time"

	"github.com/fiftyarms/platform/gen/dash"
	"github.com/fiftyarms/platform/internal/access"
	"github.com/fiftyarms/platform/internal/approval"
	"github.com/fiftyarms/platform/internal/dashboard/guard"
	"github.com/fiftyarms/platform/internal/store"
)

// CreatePermissionRequest asks the owner of the calling key for more.
func (h *Handler) CreatePermissionRequest(ctx context.Context, request dash.CreatePermissionRequestRequestObject) (dash.CreatePermissionRequestResponseObject, error) {
	body, now, k := request.Body, h.Now(), guard.From(ctx).Key
	owner, err := h.Store.Owner(ctx, k.TeamID, k.OwnerID)
	if err != nil {
		return nil, during("find the owner of a key", err)
	}
	asked, err := access.Asked(body.Permissions, k.Permissions, owner.Permissions)
	if err != nil {
		return nil, err
	}
	if err := h.forget(ctx, now); err != nil {
		return nil, err
	}
	r := store.PermissionRequest{
		Key:         k,
		Permissions: asked,
		Reason:      body.Reason,
		Address:     guard.From(ctx).Address,
		Status:      dash.RequestStatusPending,
		CreatedAt:   now,
		ExpiresAt:   now.Add(approval.DecideWithin),
	}
	if r.PublicID, r.ConfirmCode, err = h.naming(); err != nil {
		return nil, err
	}
	if r.Digest, err = approval.PermissionDigest(permissionRequest(r, now)); err != nil {
		return nil, err
	}
	switch err := h.Store.CreatePermissionRequest(ctx, r, access.LiveSince(now)); {
	case errors.Is(err, store.ErrConflict):
		return nil, dash.KeyNotLiveRefusal{Message: "this key ended while it asked: request access again"}
	case err != nil:
		return nil, during("create a permission request", err)
	}
	return dash.CreatePermissionRequest201JSONResponse{
		PublicID:    r.PublicID,
		ConfirmCode: r.ConfirmCode,
		ApprovalURL: h.PublicURL.String() + "/permissions/" + r.PublicID,
		ExpiresAt:   dash.At(r.ExpiresAt),
		PollMs:      int32(pollEvery / time.Millisecond),
	}, nil
}

// ClaimPermissionRequest says what became of a request of the calling key.
func (h *Handler) ClaimPermissionRequest(ctx context.Context, request dash.ClaimPermissionRequestRequestObject) (dash.ClaimPermissionRequestResponseObject, error) {
	p := caller(ctx)
	r, err := h.Store.PermissionRequest(ctx, p.TeamID, request.PublicID)
	if err == nil && r.Key.ID != p.KeyID {
		err = store.ErrNotFound
	}
	if err != nil {
		return nil, during("find a permission request", err)
	}
	claimed := dash.ClaimPermissionRequest200JSONResponse{Status: approval.PermissionStatusAt(r.Status, r.ExpiresAt, h.Now())}
	if r.Decision != nil {
		claimed.Note = optional(r.Decision.Note)
	}
	return claimed, nil
}

// ListPermissionRequests lists what the caller's keys asked for.
func (h *Handler) ListPermissionRequests(ctx context.Context, request dash.ListPermissionRequestsRequestObject) (dash.ListPermissionRequestsResponseObject, error) {
	p, now := caller(ctx), h.Now()
	list, err := newListing(byTime, request.Params.Limit, request.Params.Cursor)
	if err != nil {
		return nil, err
	}
	rows, err := h.Store.ListPermissionRequests(ctx, store.PermissionRequestQuery{
		TeamID: p.TeamID, OwnerID: p.Person.ID, Status: value(request.Params.Status), Waiting: request.Params.Waiting, Now: now,
		After: list.after, Limit: list.fetch(),
	})
	if err != nil {
		return nil, during("list permission requests", err)
	}
	rows, next := cut(list, rows, func(r store.PermissionRequest) store.Position { return store.Position{At: r.CreatedAt, ID: r.PublicID} })
	page := dash.ListPermissionRequests200JSONResponse{Requests: make([]dash.PermissionRequest, len(rows)), NextCursor: next}
	for i, r := range rows {
		page.Requests[i] = permissionRequest(r, now)
	}
	return page, nil
}

// GetPermissionRequest reads a request of one of the caller's keys.
func (h *Handler) GetPermissionRequest(ctx context.Context, request dash.GetPermissionRequestRequestObject) (dash.GetPermissionRequestResponseObject, error) {
	r, err := h.ownRequest(ctx, request.PublicID)
	if err != nil {
		return nil, err
	}
	return dash.GetPermissionRequest200JSONResponse(permissionRequest(r, h.Now())), nil
}

// ApprovePermissionRequest grants what a key asked for. The key's streams end, so that its agent hears of it.
func (h *Handler) ApprovePermissionRequest(ctx context.Context, request dash.ApprovePermissionRequestRequestObject) (dash.ApprovePermissionRequestResponseObject, error) {
	out, err := h.decidePermission(ctx, request.PublicID, request.Body.Digest, store.PermissionDecision{Verdict: dash.RequestDecisionVerdictApproved})
	return dash.ApprovePermissionRequest200JSONResponse(out), err
}

// DenyPermissionRequest refuses what a key asked for.
func (h *Handler) DenyPermissionRequest(ctx context.Context, request dash.DenyPermissionRequestRequestObject) (dash.DenyPermissionRequestResponseObject, error) {
	out, err := h.decidePermission(ctx, request.PublicID, request.Body.Digest, store.PermissionDecision{
		Verdict: dash.RequestDecisionVerdictDenied, Note: value(request.Body.Note),
	})
	return dash.DenyPermissionRequest200JSONResponse(out), err
}

// RequestPermissionChanges sends a request back.
func (h *Handler) RequestPermissionChanges(ctx context.Context, request dash.RequestPermissionChangesRequestObject) (dash.RequestPermissionChangesResponseObject, error) {
	out, err := h.decidePermission(ctx, request.PublicID, request.Body.Digest, store.PermissionDecision{
		Verdict: dash.RequestDecisionVerdictRevisionRequested, Note: request.Body.Note,
	})
	return dash.RequestPermissionChanges200JSONResponse(out), err
}

// decidePermission writes the caller's decision on a request of one of their keys, and reads it back.
func (h *Handler) decidePermission(ctx context.Context, publicID, digest string, d store.PermissionDecision) (dash.PermissionRequest, error) {
	p, now := caller(ctx), h.Now()
	r, err := h.ownRequest(ctx, publicID)
	if err != nil {
		return dash.PermissionRequest{}, err
	}
	approved := d.Verdict == dash.RequestDecisionVerdictApproved
	if excess := access.Excess(r.Permissions, p.Permissions); approved && len(excess) > 0 {
		return dash.PermissionRequest{}, access.LacksRefusal(excess)
	}
	d.By, d.At = p.Person, now
	if d.Trail, err = h.trail(ctx); err != nil {
		return dash.PermissionRequest{}, err
	}
	failed := h.Store.DecidePermissionRequest(ctx, p.TeamID, publicID, digest, d, access.LiveSince(now))
	if failed == nil && approved {
		h.Wake.Wake(p.TeamID) // the key's streams end now
	}
	read := func() (store.PermissionRequest, error) { return h.ownRequest(ctx, publicID) }
	r, err = decided(failed, read, func(r store.PermissionRequest) error {
		status := approval.PermissionStatusAt(r.Status, r.ExpiresAt, now)
		if err := approval.Undecided(approval.Permission, status, r.Digest, digest); err != nil {
			return err
		}
		return ended(r.Key, now)
	})
	if err != nil {
		return dash.PermissionRequest{}, err
	}
	return permissionRequest(r, now), nil
}

// ended says that a key opens nothing any more; nil of one that does.
func ended(k store.Key, now time.Time) error {
	const next = ", so a grant would open nothing: have its agent request access again"
	switch {
	case !k.RevokedAt.IsZero():
		return dash.KeyNotLiveRefusal{Message: "the key was revoked" + next}
	case access.Lapsed(k.LastUsedAt, now):
		return dash.KeyNotLiveRefusal{Message: "the key lapsed" + next}
	}
	return nil
}

// ownRequest finds a request of a key that the caller owns. Another's is not there.
func (h *Handler) ownRequest(ctx context.Context, publicID string) (store.PermissionRequest, error) {
	p := caller(ctx)
	r, err := h.Store.PermissionRequest(ctx, p.TeamID, publicID)
	if err == nil && r.Key.OwnerID != p.Person.ID {
		err = store.ErrNotFound
	}
	if err != nil {
		return store.PermissionRequest{}, during("find a permission request", err)
	}
	return r, nil
}

// permissionRequest is what the wire shows of a request.
func permissionRequest(r store.PermissionRequest, now time.Time) dash.PermissionRequest {
	out := dash.PermissionRequest{
		PublicID:    r.PublicID,
		Status:      approval.PermissionStatusAt(r.Status, r.ExpiresAt, now),
		Key:         key(r.Key),
		Permissions: r.Permissions,
		Reason:      r.Reason,
		Address:     r.Address,
		ConfirmCode: r.ConfirmCode,
		Digest:      r.Digest,
		CreatedAt:   dash.At(r.CreatedAt),
		ExpiresAt:   dash.At(r.ExpiresAt),
	}
	if d := r.Decision; d != nil {
		out.Decision = &dash.RequestDecision{Verdict: d.Verdict, By: d.By, At: dash.At(d.At), Note: optional(d.Note)}
		if d.Verdict == dash.RequestDecisionVerdictApproved {
			out.Decision.Permissions = r.Permissions
		}
	}
	return out
}
