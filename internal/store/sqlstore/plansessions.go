// SPDX-License-Identifier: Apache-2.0

package sqlstore

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"github.com/fiftyarms/platform/gen/dash"
	"github.com/fiftyarms/platform/gen/sqldb"
	"github.com/fiftyarms/platform/internal/store"
)

// Connect connects the session of a key.
func (s *Store) Connect(ctx context.Context, p store.PlanSession, liveSince time.Time) (store.PlanSession, error) {
	var connected store.PlanSession
	err := s.inTx(ctx, func(q *sqldb.Queries) error {
		locked, err := q.LockTeamOfKey(ctx, sqldb.LockTeamOfKeyParams{TeamID: p.TeamID, KeyID: p.KeyID})
		if err != nil {
			return err
		}
		if locked == 0 {
			return store.ErrNotFound
		}
		kept, err := q.RetitlePlanSession(ctx, sqldb.RetitlePlanSessionParams{KeyID: p.KeyID, Title: p.Title})
		if err == nil && kept == 0 {
			err = createPlanSession(ctx, q, p, liveSince)
		}
		if err != nil {
			return err
		}
		row, err := q.PlanSessionByKey(ctx, sqldb.PlanSessionByKeyParams{KeyID: p.KeyID})
		connected = planSession(row)
		return err
	})
	if err != nil {
		return store.PlanSession{}, fail(ctx, "connect a session", err)
	}
	return connected, nil
}

// SessionByKey is the session that a key has connected.
func (s *Store) SessionByKey(ctx context.Context, keyID string) (store.PlanSession, error) {
	row, err := s.reads.PlanSessionByKey(ctx, sqldb.PlanSessionByKeyParams{KeyID: keyID})
	if err != nil {
		return store.PlanSession{}, fail(ctx, "find a session", err)
	}
	return planSession(row), nil
}

// Leave ends the session of a key.
func (s *Store) Leave(ctx context.Context, keyID string) error {
	ended, err := s.writes.EndPlanSession(ctx, sqldb.EndPlanSessionParams{KeyID: keyID})
	if err == nil && ended == 0 {
		err = store.ErrNotFound
	}
	return fail(ctx, "end a session", err)
}

func createPlanSession(ctx context.Context, q *sqldb.Queries, p store.PlanSession, liveSince time.Time) error {
	agent, err := takeAgent(ctx, q, p.TeamID, liveSince)
	if err != nil {
		return err
	}
	return q.CreatePlanSession(ctx, sqldb.CreatePlanSessionParams{
		ID: p.ID, TeamID: p.TeamID, KeyID: p.KeyID, AgentNumber: agent, Title: p.Title, ConnectedAt: ms(p.ConnectedAt),
	})
}

// takeAgent is the number of an agent that no session holds any more. A session whose key is dead loses it, for good:
// should the key live again, its next Connect takes another, and never one that someone else acts as.
func takeAgent(ctx context.Context, q *sqldb.Queries, teamID string, liveSince time.Time) (int64, error) {
	number, err := q.FreeAgent(ctx, sqldb.FreeAgentParams{TeamID: teamID, LiveSince: ms(liveSince)})
	if err == nil {
		return number, q.EndPlanSessionOfAgent(ctx, sqldb.EndPlanSessionOfAgentParams{TeamID: teamID, AgentNumber: number})
	}
	if !errors.Is(err, sql.ErrNoRows) {
		return 0, err
	}
	number, err = q.NextAgentNumber(ctx, sqldb.NextAgentNumberParams{TeamID: teamID})
	if err != nil {
		return 0, err
	}
	return number, q.CreateAgent(ctx, sqldb.CreateAgentParams{TeamID: teamID, Number: number, Name: fmt.Sprintf("Agent %d", number)})
}

func planSession(row sqldb.PlanSessionByKeyRow) store.PlanSession {
	p := row.PlanSession
	return store.PlanSession{
		ID: p.ID, TeamID: p.TeamID, KeyID: p.KeyID, Title: p.Title,
		Agent: dash.AgentRef{ID: p.AgentNumber, Name: row.AgentName}, ConnectedAt: at(p.ConnectedAt),
	}
}
