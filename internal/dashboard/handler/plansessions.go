// SPDX-License-Identifier: Apache-2.0

package handler

import (
	"context"

	"github.com/fiftyarms/platform/gen/dash"
	"github.com/fiftyarms/platform/internal/access"
	"github.com/fiftyarms/platform/internal/dashboard/guard"
	"github.com/fiftyarms/platform/internal/store"
)

// ConnectSession connects the session of the key that calls.
func (h *Handler) ConnectSession(ctx context.Context, request dash.ConnectSessionRequestObject) (dash.ConnectSessionResponseObject, error) {
	p, now := caller(ctx), h.Now()
	s := store.PlanSession{TeamID: p.TeamID, KeyID: p.KeyID, Title: value(request.Body.Title), ConnectedAt: now}
	if s.Title == "" {
		s.Title = guard.From(ctx).Key.Title
	}
	if err := h.ids(&s.ID); err != nil {
		return nil, err
	}
	s, err := h.Store.Connect(ctx, s, access.LiveSince(now))
	if err != nil {
		return nil, during("connect a session", err)
	}
	return dash.ConnectSession200JSONResponse{
		Session: dash.PlanSession{ID: s.ID, Title: s.Title, ConnectedAt: dash.At(s.ConnectedAt)},
		Agent:   s.Agent,
		Team:    p.Team,
	}, nil
}

// LeaveSession ends the session of the key that calls, and frees its agent.
func (h *Handler) LeaveSession(ctx context.Context, _ dash.LeaveSessionRequestObject) (dash.LeaveSessionResponseObject, error) {
	return dash.LeaveSession204Response{}, during("leave a session", h.Store.Leave(ctx, caller(ctx).KeyID))
}
