// SPDX-License-Identifier: Apache-2.0

package sqlstore

import (
	"context"

	"github.com/fiftyarms/platform/gen/dash"
	"github.com/fiftyarms/platform/gen/sqldb"
	"github.com/fiftyarms/platform/internal/store"
)

// IsSetUp says whether there is a team.
func (s *Store) IsSetUp(ctx context.Context) (bool, error) {
	teams, err := s.reads.CountTeams(ctx)
	return teams > 0, fail(ctx, "look for a team", err)
}

// OfferSetup makes tokenHash the one that SetUp takes.
func (s *Store) OfferSetup(ctx context.Context, tokenHash string) error {
	return fail(ctx, "offer the setup", s.writes.OfferSetup(ctx, sqldb.OfferSetupParams{SetupHash: tokenHash}))
}

// SetUp makes the first team. Taking the offer comes first: it makes a second SetUp wait for the end of this one.
func (s *Store) SetUp(ctx context.Context, tokenHash string, f store.Founding) error {
	return fail(ctx, "set up the first team", s.inTx(ctx, func(q *sqldb.Queries) error {
		taken, err := q.TakeSetupOffer(ctx, sqldb.TakeSetupOfferParams{SetupHash: tokenHash})
		if err != nil {
			return err
		}
		teams, err := q.CountTeams(ctx)
		switch {
		case err != nil:
			return err
		case teams > 0:
			return store.ErrConflict
		case taken == 0:
			return store.ErrNotFound
		}
		if err := createTeam(ctx, q, f.Team); err != nil {
			return err
		}
		if err := createPerson(ctx, q, f.Person); err != nil {
			return err
		}
		if err := createLogin(ctx, q, f.Login); err != nil {
			return err
		}
		return leave(ctx, q, f.Team.ID, f.Trail, dash.AuditEntry{
			At: dash.At(f.Team.CreatedAt), Action: dash.AuditActionTeamSetUp, By: dash.PersonRef{ID: f.Person.ID, Name: f.Person.Name},
			Subject: dash.AuditSubject{Kind: dash.AuditSubjectKindTeam, ID: f.Team.ID, Name: f.Team.Name},
		})
	}))
}

// AddTeam adds a team beside the first. No operation does yet; with it the suite shows that teams are kept apart.
func (s *Store) AddTeam(ctx context.Context, t store.Team) error {
	return fail(ctx, "add a team", s.inTx(ctx, func(q *sqldb.Queries) error { return createTeam(ctx, q, t) }))
}

func createTeam(ctx context.Context, q *sqldb.Queries, t store.Team) error {
	if err := q.CreateTeam(ctx, sqldb.CreateTeamParams{ID: t.ID, Slug: t.Slug, Name: t.Name, CreatedAt: ms(t.CreatedAt)}); err != nil {
		return err
	}
	return q.StartLog(ctx, sqldb.StartLogParams{TeamID: t.ID})
}

func team(t sqldb.Team) store.Team {
	return store.Team{ID: t.ID, Slug: t.Slug, Name: t.Name, CreatedAt: at(t.CreatedAt)}
}
