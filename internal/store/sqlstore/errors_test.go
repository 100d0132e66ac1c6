// SPDX-License-Identifier: Apache-2.0

package sqlstore_test

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/fiftyarms/platform/internal/store"
	"github.com/fiftyarms/platform/internal/store/sqlstore"
	"github.com/fiftyarms/platform/internal/testkit"
)

// Errors go to logs. What a row holds, and the words of the driver that quote it, do not.
func TestErrorsTellNoValueAndNoSQL(t *testing.T) {
	const private = "private-value"
	testkit.EachEngine(t, func(t *testing.T, e testkit.Engine) {
		s := open(t, e.Fresh(t))
		ctx := t.Context()
		team := store.Team{ID: private, Slug: private, Name: private, CreatedAt: testkit.Start}
		person := store.Person{ID: private, TeamID: private, Email: private, CreatedAt: testkit.Start}
		if err := errors.Join(s.AddTeam(ctx, team), s.AddPerson(ctx, person)); err != nil {
			t.Fatal(err)
		}
		write, read := s.Pools()
		if _, err := write.Exec(`UPDATE person SET permissions = $1`, "{"+private); err != nil {
			t.Fatal(err)
		}
		_, unreadable := s.PersonByEmail(ctx, private)
		if _, err := write.Exec(`ALTER TABLE login RENAME COLUMN csrf_token TO gone`); err != nil {
			t.Fatal(err)
		}
		failures := []error{
			s.AddTeam(ctx, team),
			s.AddPerson(ctx, person),
			s.AddPerson(ctx, store.Person{ID: "other", TeamID: private + "?", Email: "other"}),
			s.AddPerson(ctx, store.Person{ID: "other", TeamID: private, Email: "other", Name: private + "\x00"}),
			s.CreateLogin(ctx, store.Login{TokenHash: private, PersonID: private, TeamID: private}),
			unreadable,
		}
		if err := errors.Join(write.Close(), read.Close()); err != nil {
			t.Fatal(err)
		}
		failures = append(failures, s.AddTeam(ctx, store.Team{ID: private + "2"}))
		words := regexp.MustCompile(`(?i)` + private + `|insert|select|csrf|_hash|email|constraint`)
		for i, err := range failures {
			if err == nil {
				t.Errorf("failure %d did not fail", i)
				continue
			}
			t.Log(err)
			if leak := words.FindString(err.Error()); leak != "" {
				t.Errorf("%q tells %q", err, leak)
			}
		}
	})
}

func TestReasons(t *testing.T) {
	for _, tt := range []struct {
		err  error
		kind error
		text string
	}{
		{&pgconn.PgError{Code: "23505", Message: "secret"}, store.ErrDuplicate, ""},
		{&pgconn.PgError{Code: "23503", Message: "secret"}, store.ErrNotFound, ""},
		{&pgconn.PgError{Code: "53300", Message: "secret"}, nil, "PostgreSQL answered SQLSTATE 53300"},
		{fmt.Errorf("secret: %w", context.Canceled), context.Canceled, "context canceled"},
		{fmt.Errorf("secret: %w", store.ErrConflict), store.ErrConflict, "conflict"},
		{fmt.Errorf("outer: %w", errors.New("secret")), nil, "the database's driver failed with a *errors.errorString"},
	} {
		got := sqlstore.Reason(tt.err)
		if tt.kind != nil && !errors.Is(got, tt.kind) {
			t.Errorf("%#v became %v, want %v", tt.err, got, tt.kind)
		}
		if tt.text != "" && got.Error() != tt.text {
			t.Errorf("%#v became %q, want %q", tt.err, got, tt.text)
		}
		if strings.Contains(got.Error(), "secret") {
			t.Errorf("%q tells the driver's words", got)
		}
	}
}
