// SPDX-License-Identifier: Apache-2.0

package sqlstore

import (
	"cmp"
	"context"
	"slices"

	"github.com/fiftyarms/platform/gen/dash"
	"github.com/fiftyarms/platform/gen/sqldb"
)

// People lists the people of a team by name. PostgreSQL would sort the names by its own language, and so is not asked.
func (w work) People(ctx context.Context) ([]dash.PersonRef, error) {
	rows, err := w.q.ListPeople(ctx, sqldb.ListPeopleParams{TeamID: w.teamID})
	if err != nil {
		return nil, w.fail(ctx, "list the people", err)
	}
	people := make([]dash.PersonRef, len(rows))
	for i, row := range rows {
		people[i] = dash.PersonRef{ID: row.ID, Name: row.Name}
	}
	slices.SortFunc(people, func(a, b dash.PersonRef) int { return cmp.Or(cmp.Compare(a.Name, b.Name), cmp.Compare(a.ID, b.ID)) })
	return people, nil
}

// Agents lists the agents of a team by number.
func (w work) Agents(ctx context.Context) ([]dash.AgentRef, error) {
	rows, err := w.q.ListAgents(ctx, sqldb.ListAgentsParams{TeamID: w.teamID})
	if err != nil {
		return nil, w.fail(ctx, "list the agents", err)
	}
	agents := make([]dash.AgentRef, len(rows))
	for i, row := range rows {
		agents[i] = dash.AgentRef{ID: row.Number, Name: row.Name}
	}
	return agents, nil
}
