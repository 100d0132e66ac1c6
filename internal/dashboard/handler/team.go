// SPDX-License-Identifier: Apache-2.0

package handler

import (
	"context"

	"github.com/fiftyarms/platform/gen/dash"
)

// ListPeople lists the people of the caller's team.
func (h *Handler) ListPeople(ctx context.Context, _ dash.ListPeopleRequestObject) (dash.ListPeopleResponseObject, error) {
	people, err := h.team(ctx).People(ctx)
	return dash.ListPeople200JSONResponse{People: some(people)}, during("list people", err)
}

// ListAgents lists the agents of the caller's team.
func (h *Handler) ListAgents(ctx context.Context, _ dash.ListAgentsRequestObject) (dash.ListAgentsResponseObject, error) {
	agents, err := h.team(ctx).Agents(ctx)
	return dash.ListAgents200JSONResponse{Agents: some(agents)}, during("list agents", err)
}
