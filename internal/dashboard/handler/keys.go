// SPDX-License-Identifier: Apache-2.0

package handler

import (
	"context"

	"github.com/fiftyarms/platform/gen/dash"
	"github.com/fiftyarms/platform/internal/access"
	"github.com/fiftyarms/platform/internal/store"
)

// ListKeys lists the keys that are in the caller's hands.
func (h *Handler) ListKeys(ctx context.Context, request dash.ListKeysRequestObject) (dash.ListKeysResponseObject, error) {
	p := caller(ctx)
	list, err := newListing(byTime, request.Params.Limit, request.Params.Cursor)
	if err != nil {
		return nil, err
	}
	rows, err := h.Store.ListKeys(ctx, store.KeyQuery{TeamID: p.TeamID, OwnerID: ownerIn(p), After: list.after, Limit: list.fetch()})
	if err != nil {
		return nil, during("list keys", err)
	}
	rows, next := cut(list, rows, func(k store.Key) store.Position { return store.Position{At: k.CreatedAt, ID: k.ID} })
	page := dash.ListKeys200JSONResponse{Keys: make([]dash.Key, len(rows)), NextCursor: next}
	for i, k := range rows {
		page.Keys[i] = key(k)
	}
	return page, nil
}

// RevokeKey ends a key that is in the caller's hands.
func (h *Handler) RevokeKey(ctx context.Context, request dash.RevokeKeyRequestObject) (dash.RevokeKeyResponseObject, error) {
	p := caller(ctx)
	trail, err := h.trail(ctx)
	if err != nil {
		return nil, err
	}
	err = h.Store.RevokeKey(ctx, store.Revocation{
		KeyID: request.ID, TeamID: p.TeamID, OwnerID: ownerIn(p), By: p.Person, At: h.Now(), Trail: trail,
	})
	if err != nil {
		return nil, during("revoke a key", err)
	}
	h.Wake.Wake(p.TeamID) // its streams end now
	return dash.RevokeKey204Response{}, nil
}

// ownerIn is whose keys are in a person's hands: their own, or for an admin everyone's.
func ownerIn(p *access.Principal) string {
	if p.Holds(dash.PermissionTeamAdmin) {
		return ""
	}
	return p.Person.ID
}

// key is what the wire shows of a key.
func key(k store.Key) dash.Key {
	out := dash.Key{
		ID:          k.ID,
		Prefix:      k.Prefix,
		Title:       k.Title,
		Owner:       dash.PersonRef{ID: k.OwnerID, Name: k.OwnerName},
		Permissions: access.Sorted(k.Permissions),
		CreatedAt:   dash.At(k.CreatedAt),
		LastUsedAt:  dash.At(k.LastUsedAt),
		LapsesAt:    dash.At(k.LastUsedAt.Add(access.IdleLapse)),
	}
	if !k.RevokedAt.IsZero() {
		at := dash.At(k.RevokedAt)
		out.RevokedAt, out.RevokedBy = &at, &k.RevokedBy
	}
	return out
}
