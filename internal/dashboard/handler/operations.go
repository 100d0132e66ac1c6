// SPDX-License-Identifier: Apache-2.0

package handler

import (
	"context"
	"time"

	"github.com/fiftyarms/platform/gen/dash"
)

// readyWithin is how long the database may take to answer before the server says that it cannot serve.
const readyWithin = 2 * time.Second

// GetHealth says that the process answers.
func (h *Handler) GetHealth(context.Context, dash.GetHealthRequestObject) (dash.GetHealthResponseObject, error) {
	return dash.GetHealth200JSONResponse{Status: dash.HealthStatusOk, Version: h.Version}, nil
}

// GetReadiness says whether calls should come here.
func (h *Handler) GetReadiness(ctx context.Context, _ dash.GetReadinessRequestObject) (dash.GetReadinessResponseObject, error) {
	if h.Draining() {
		return nil, dash.NotReadyRefusal{Message: "the server is about to end"}
	}
	ctx, cancel := context.WithTimeout(ctx, readyWithin)
	defer cancel()
	if err := h.Store.Ping(ctx); err != nil {
		return nil, dash.NotReadyRefusal{Message: "the database does not answer"}
	}
	return dash.GetReadiness200JSONResponse{Status: dash.HealthStatusOk, Version: h.Version}, nil
}
