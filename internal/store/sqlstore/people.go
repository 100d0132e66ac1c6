// SPDX-License-Identifier: Apache-2.0

package sqlstore

import (
	"context"
	"strings"
	"time"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"github.com/fiftyarms/platform/gen/dash"
	"github.com/fiftyarms/platform/gen/sqldb"
	"github.com/fiftyarms/platform/internal/store"
)

// TeamByRef finds a team by its slug or its id.
func (s *Store) TeamByRef(ctx context.Context, ref string) (store.Team, error) {
	t, err := s.reads.TeamByRef(ctx, sqldb.TeamByRefParams{Ref: ref})
	if err != nil {
		return store.Team{}, fail(ctx, "find a team", err)
	}
	return team(t), nil
}

// AddPerson adds a person to a team.
func (s *Store) AddPerson(ctx context.Context, p store.Person) error {
	return fail(ctx, "add a person", createPerson(ctx, s.writes, p))
}

// PersonByEmail finds a person by their address, in whatever case.
func (s *Store) PersonByEmail(ctx context.Context, email string) (store.Person, error) {
	const doing = "find a person"
	if err := storable(email); err != nil { // its key would be: folding mends what is not UTF-8
		return store.Person{}, fail(ctx, doing, err)
	}
	p, err := s.reads.PersonByEmail(ctx, sqldb.PersonByEmailParams{EmailKey: caseless(email)})
	if err != nil {
		return store.Person{}, fail(ctx, doing, err)
	}
	found, err := person(p)
	return found, fail(ctx, "read a person", err)
}

// Owner finds a person of a team by their id.
func (s *Store) Owner(ctx context.Context, teamID, personID string) (store.Person, error) {
	p, err := s.reads.PersonByID(ctx, sqldb.PersonByIDParams{TeamID: teamID, ID: personID})
	if err != nil {
		return store.Person{}, fail(ctx, "find a person", err)
	}
	found, err := person(p)
	return found, fail(ctx, "read a person", err)
}

// CreateLogin keeps a browser session, and forgets those that had lapsed when it began.
func (s *Store) CreateLogin(ctx context.Context, l store.Login) error {
	return fail(ctx, "keep a browser session", s.inTx(ctx, func(q *sqldb.Queries) error {
		if err := q.ForgetLogins(ctx, sqldb.ForgetLoginsParams{Now: ms(l.CreatedAt)}); err != nil {
			return err
		}
		if err := createLogin(ctx, q, l); err != nil {
			return err
		}
		p, err := q.PersonByID(ctx, sqldb.PersonByIDParams{TeamID: l.TeamID, ID: l.PersonID})
		if err != nil {
			return err
		}
		return leave(ctx, q, l.TeamID, l.Trail, dash.AuditEntry{
			At: dash.At(l.CreatedAt), Action: dash.AuditActionPersonSignedIn, By: dash.PersonRef{ID: p.ID, Name: p.Name},
			Subject: dash.AuditSubject{Kind: dash.AuditSubjectKindPerson, ID: p.ID, Name: p.Name},
		})
	}))
}

// Login finds a browser session that holds at now.
func (s *Store) Login(ctx context.Context, tokenHash string, now time.Time) (store.Login, store.Person, store.Team, error) {
	row, err := s.reads.LoginByToken(ctx, sqldb.LoginByTokenParams{TokenHash: tokenHash, Now: ms(now)})
	if err != nil {
		return store.Login{}, store.Person{}, store.Team{}, fail(ctx, "find a browser session", err)
	}
	p, err := person(row.Person)
	if err != nil {
		return store.Login{}, store.Person{}, store.Team{}, fail(ctx, "read a person", err)
	}
	l := row.Login
	login := store.Login{
		TokenHash: l.TokenHash, PersonID: l.PersonID, TeamID: l.TeamID, CSRFToken: l.CSRFToken,
		CreatedAt: at(l.CreatedAt), ExpiresAt: at(l.ExpiresAt),
	}
	return login, p, team(row.Team), nil
}

// DeleteLogin ends a browser session.
func (s *Store) DeleteLogin(ctx context.Context, tokenHash string) error {
	return fail(ctx, "end a browser session", s.writes.DeleteLogin(ctx, sqldb.DeleteLoginParams{TokenHash: tokenHash}))
}

func createPerson(ctx context.Context, q *sqldb.Queries, p store.Person) error {
	permissions, err := permissionsToJSON(p.Permissions)
	if err != nil {
		return err
	}
	return q.CreatePerson(ctx, sqldb.CreatePersonParams{
		ID: p.ID, TeamID: p.TeamID, Name: p.Name, Email: p.Email, EmailKey: caseless(p.Email),
		PasswordHash: p.PasswordHash, Permissions: permissions, CreatedAt: ms(p.CreatedAt),
	})
}

func createLogin(ctx context.Context, q *sqldb.Queries, l store.Login) error {
	return q.CreateLogin(ctx, sqldb.CreateLoginParams{
		TokenHash: l.TokenHash, TeamID: l.TeamID, PersonID: l.PersonID, CSRFToken: l.CSRFToken,
		CreatedAt: ms(l.CreatedAt), ExpiresAt: ms(l.ExpiresAt),
	})
}

func person(p sqldb.Person) (store.Person, error) {
	permissions, err := fromJSON[[]dash.Permission](p.Permissions)
	return store.Person{
		ID: p.ID, TeamID: p.TeamID, Name: p.Name, Email: p.Email, PasswordHash: p.PasswordHash,
		Permissions: permissions, CreatedAt: at(p.CreatedAt),
	}, err
}

// caseless is the same of texts that differ in case alone, or in how an accented letter is put together. SQLite's and
// PostgreSQL's own lower() disagree beyond ASCII, so neither is asked.
func caseless(text string) string {
	return strings.Map(fold, norm.NFC.String(text))
}

// fold is the least of the letters that are r in some case.
func fold(r rune) rune {
	least := r
	for f := unicode.SimpleFold(r); f != r; f = unicode.SimpleFold(f) {
		least = min(least, f)
	}
	return least
}
