// SPDX-License-Identifier: Apache-2.0

package handler

import (
	"context"

	"github.com/fiftyarms/platform/gen/dash"
	"github.com/fiftyarms/platform/internal/store"
)

// ListAudit lists who let whom do what in the caller's team.
func (h *Handler) ListAudit(ctx context.Context, request dash.ListAuditRequestObject) (dash.ListAuditResponseObject, error) {
	list, err := newListing(byTime, request.Params.Limit, request.Params.Cursor)
	if err != nil {
		return nil, err
	}
	rows, err := h.Store.ListAudit(ctx, store.AuditQuery{
		TeamID: caller(ctx).TeamID, Action: value(request.Params.Action), After: list.after, Limit: list.fetch(),
	})
	if err != nil {
		return nil, during("list the audit log", err)
	}
	rows, next := cut(list, rows, func(e dash.AuditEntry) store.Position { return store.Position{At: e.At.Time, ID: e.ID} })
	return dash.ListAudit200JSONResponse{Entries: some(rows), NextCursor: next}, nil
}
