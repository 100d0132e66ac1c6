// SPDX-License-Identifier: Apache-2.0

package handler

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/fiftyarms/platform/gen/dash"
	"github.com/fiftyarms/platform/internal/access"
	"github.com/fiftyarms/platform/internal/approval"
	"github.com/fiftyarms/platform/internal/dashboard/guard"
	"github.com/fiftyarms/platform/internal/store"
)

// CreateAccessRequest asks a person for a key.
func (h *Handler) CreateAccessRequest(ctx context.Context, request dash.CreateAccessRequestRequestObject) (dash.CreateAccessRequestResponseObject, error) {
	body, now := request.Body, h.Now()
	team, err := h.namedTeam(ctx, body.Team)
	if err != nil {
		return nil, err
	}
	if err := h.forget(ctx, now); err != nil {
		return nil, err
	}
	r := store.AccessRequest{
		Team:      team,
		Title:     value(body.Title),
		Client:    body.Client,
		Address:   guard.From(ctx).Address,
		Status:    dash.RequestStatusPending,
		CreatedAt: now,
		ExpiresAt: now.Add(approval.DecideWithin),
	}
	var secret string
	if err := h.tokens(&secret); err != nil {
		return nil, err
	}
	if r.PublicID, r.ConfirmCode, err = h.naming(); err != nil {
		return nil, err
	}
	r.SecretHash = access.Hash(secret)
	if r.Digest, err = approval.Digest(asked(r, now)); err != nil {
		return nil, err
	}
	if err := h.Store.CreateAccessRequest(ctx, r); err != nil {
		return nil, during("create an access request", err)
	}
	return dash.CreateAccessRequest201JSONResponse{
		PublicID:    r.PublicID,
		Secret:      secret,
		ConfirmCode: r.ConfirmCode,
		ApprovalURL: h.PublicURL.String() + "/approvals/" + r.PublicID,
		ExpiresAt:   dash.At(r.ExpiresAt),
		PollMs:      int32(pollEvery / time.Millisecond),
	}, nil
}

func (h *Handler) namedTeam(ctx context.Context, name *string) (store.Team, error) {
	if name == nil {
		return store.Team{}, nil
	}
	team, err := h.Store.TeamByRef(ctx, *name)
	if errors.Is(err, store.ErrNotFound) {
		return store.Team{}, dash.UnknownTeamRefusal{Message: "there is no team " + *name, Team: *name}
	}
	return team, during("find a team", err)
}

// ClaimAccessRequest says what became of a request. The key of an approved one is made now: until it is collected,
// there is none that could leak.
func (h *Handler) ClaimAccessRequest(ctx context.Context, request dash.ClaimAccessRequestRequestObject) (dash.ClaimAccessRequestResponseObject, error) {
	secretHash, now := access.Hash(request.Body.Secret), h.Now()
	r, err := h.Store.AccessRequestBySecret(ctx, secretHash)
	if err != nil {
		return nil, during("find an access request", err)
	}
	status := approval.StatusAt(r.Status, r.ExpiresAt, now)
	if status == dash.RequestStatusApproved {
		apiKey, err := h.collect(ctx, secretHash, r, now)
		if !errors.Is(err, store.ErrConflict) {
			return dash.ClaimAccessRequest200JSONResponse{Status: status, APIKey: &apiKey}, err
		}
		if r, err = h.Store.AccessRequestBySecret(ctx, secretHash); err != nil { // another claim was first
			return nil, during("find an access request", err)
		}
		if status = approval.StatusAt(r.Status, r.ExpiresAt, now); status == dash.RequestStatusApproved {
			return nil, fmt.Errorf("access request %s: approved, and its key cannot be collected", r.PublicID)
		}
	}
	claimed := dash.ClaimAccessRequest200JSONResponse{Status: status}
	if r.Decision != nil {
		claimed.Note = optional(r.Decision.Note)
	}
	return claimed, nil
}

func (h *Handler) collect(ctx context.Context, secretHash string, r store.AccessRequest, now time.Time) (string, error) {
	apiKey, prefix, err := access.NewKey(h.Random)
	if err != nil {
		return "", err
	}
	k := store.Key{
		TeamID:      r.Decision.TeamID,
		Hash:        access.Hash(apiKey),
		Prefix:      prefix,
		Title:       r.Title,
		OwnerID:     r.Decision.By.ID,
		Permissions: r.Decision.Permissions,
		CreatedAt:   now,
		LastUsedAt:  now,
	}
	if k.Title == "" {
		k.Title = r.Client.Name
	}
	if err := h.ids(&k.ID); err != nil {
		return "", err
	}
	if k.Trail, err = h.trail(ctx); err != nil {
		return "", err
	}
	return apiKey, during("collect a key", h.Store.CollectKey(ctx, secretHash, k))
}

// ListAccessRequests lists what the caller's team was asked or has decided.
func (h *Handler) ListAccessRequests(ctx context.Context, request dash.ListAccessRequestsRequestObject) (dash.ListAccessRequestsResponseObject, error) {
	p, now := caller(ctx), h.Now()
	list, err := newListing(byTime, request.Params.Limit, request.Params.Cursor)
	if err != nil {
		return nil, err
	}
	q := store.AccessRequestQuery{TeamID: p.TeamID, Waiting: request.Params.Waiting, Now: now, After: list.after, Limit: list.fetch()}
	if request.Params.Status != nil {
		q.Status = *request.Params.Status
	}
	rows, err := h.Store.ListAccessRequests(ctx, q)
	if err != nil {
		return nil, during("list access requests", err)
	}
	rows, next := cut(list, rows, func(r store.AccessRequest) store.Position { return store.Position{At: r.CreatedAt, ID: r.PublicID} })
	page := dash.ListAccessRequests200JSONResponse{Requests: make([]dash.AccessRequest, len(rows)), NextCursor: next}
	for i, r := range rows {
		page.Requests[i] = shown(r, p, now)
	}
	return page, nil
}

// GetAccessRequest reads a request as the caller may see it.
func (h *Handler) GetAccessRequest(ctx context.Context, request dash.GetAccessRequestRequestObject) (dash.GetAccessRequestResponseObject, error) {
	r, err := h.visibleRequest(ctx, request.PublicID)
	if err != nil {
		return nil, err
	}
	return dash.GetAccessRequest200JSONResponse(shown(r, caller(ctx), h.Now())), nil
}

// ApproveAccessRequest grants a key.
func (h *Handler) ApproveAccessRequest(ctx context.Context, request dash.ApproveAccessRequestRequestObject) (dash.ApproveAccessRequestResponseObject, error) {
	body, held := request.Body, caller(ctx).Permissions
	d := store.RequestDecision{Verdict: dash.RequestDecisionVerdictApproved, Permissions: access.FirstGrant(held)}
	if body.Permissions != nil {
		d.Permissions = access.Sorted(body.Permissions)
	}
	decided, err := h.decide(ctx, request.PublicID, body.Digest, d)
	return dash.ApproveAccessRequest200JSONResponse(decided), err
}

// DenyAccessRequest refuses a key.
func (h *Handler) DenyAccessRequest(ctx context.Context, request dash.DenyAccessRequestRequestObject) (dash.DenyAccessRequestResponseObject, error) {
	d := store.RequestDecision{Verdict: dash.RequestDecisionVerdictDenied, Note: value(request.Body.Note)}
	decided, err := h.decide(ctx, request.PublicID, request.Body.Digest, d)
	return dash.DenyAccessRequest200JSONResponse(decided), err
}

// RequestAccessChanges sends a request back.
func (h *Handler) RequestAccessChanges(ctx context.Context, request dash.RequestAccessChangesRequestObject) (dash.RequestAccessChangesResponseObject, error) {
	d := store.RequestDecision{Verdict: dash.RequestDecisionVerdictRevisionRequested, Note: request.Body.Note}
	decided, err := h.decide(ctx, request.PublicID, request.Body.Digest, d)
	return dash.RequestAccessChanges200JSONResponse(decided), err
}

// decide writes the caller's decision on a request that they may see, and reads it back.
func (h *Handler) decide(ctx context.Context, publicID, digest string, d store.RequestDecision) (dash.AccessRequest, error) {
	p, now := caller(ctx), h.Now()
	if _, err := h.visibleRequest(ctx, publicID); err != nil {
		return dash.AccessRequest{}, err
	}
	if excess := access.Excess(d.Permissions, p.Permissions); len(excess) > 0 {
		return dash.AccessRequest{}, access.LacksRefusal(excess)
	}
	if d.Verdict == dash.RequestDecisionVerdictApproved && len(d.Permissions) == 0 {
		return dash.AccessRequest{}, dash.OwnerLacksPermissionRefusal{
			Message:     "you hold none of the permissions that a key usually gets, and a key without any opens nothing",
			Permissions: access.Usual(),
		}
	}
	d.By, d.TeamID, d.At = p.Person, p.TeamID, now
	var err error
	if d.Trail, err = h.trail(ctx); err != nil {
		return dash.AccessRequest{}, err
	}
	ends := now
	if d.Verdict == dash.RequestDecisionVerdictApproved {
		ends = now.Add(approval.CollectWithin)
	}
	failed := h.Store.DecideAccessRequest(ctx, publicID, digest, d, ends)
	read := func() (store.AccessRequest, error) { return h.visibleRequest(ctx, publicID) }
	r, err := decided(failed, read, func(r store.AccessRequest) error {
		return approval.Undecided(approval.Access, approval.StatusAt(r.Status, r.ExpiresAt, now), r.Digest, digest)
	})
	if err != nil {
		return dash.AccessRequest{}, err
	}
	return shown(r, p, now), nil
}

// visibleRequest finds a request. One that is another team's is not there.
func (h *Handler) visibleRequest(ctx context.Context, publicID string) (store.AccessRequest, error) {
	r, err := h.Store.AccessRequest(ctx, publicID)
	if err != nil {
		return store.AccessRequest{}, during("find an access request", err)
	}
	decidedBy := ""
	if r.Decision != nil {
		decidedBy = r.Decision.TeamID
	}
	if !approval.VisibleTo(caller(ctx).TeamID, r.Team.ID, decidedBy) {
		return store.AccessRequest{}, store.ErrNotFound
	}
	return r, nil
}

// asked is what the wire shows of a request, whoever looks.
func asked(r store.AccessRequest, now time.Time) dash.AccessRequest {
	out := dash.AccessRequest{
		PublicID:    r.PublicID,
		Status:      approval.StatusAt(r.Status, r.ExpiresAt, now),
		Title:       optional(r.Title),
		Client:      r.Client,
		Address:     r.Address,
		ConfirmCode: r.ConfirmCode,
		Digest:      r.Digest,
		CreatedAt:   dash.At(r.CreatedAt),
		ExpiresAt:   dash.At(r.ExpiresAt),
	}
	if r.Team.ID != "" {
		team := ref(r.Team)
		out.Team = &team
	}
	if d := r.Decision; d != nil {
		out.Decision = &dash.RequestDecision{
			Verdict: d.Verdict, By: d.By, At: dash.At(d.At), Note: optional(d.Note), Permissions: d.Permissions,
		}
	}
	return out
}

// shown is a request with what an approval by this viewer would grant.
func shown(r store.AccessRequest, viewer *access.Principal, now time.Time) dash.AccessRequest {
	out := asked(r, now)
	out.Grants = access.FirstGrant(viewer.Permissions)
	return out
}
