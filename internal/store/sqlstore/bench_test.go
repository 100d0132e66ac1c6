// SPDX-License-Identifier: Apache-2.0

package sqlstore_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/fiftyarms/platform/gen/dash"
	"github.com/fiftyarms/platform/internal/store"
	"github.com/fiftyarms/platform/internal/store/sqlstore"
	"github.com/fiftyarms/platform/internal/testkit"
)

// Every call of an agent looks its key up.
func BenchmarkKeyByHash(b *testing.B) {
	s := open(b, testkit.SQLite.Fresh(b))
	const keys = 1000
	for i := range keys {
		collectKey(b, s, i)
	}
	ctx := b.Context()
	for i := 0; b.Loop(); i++ {
		if _, _, err := s.KeyByHash(ctx, fmt.Sprint("hash ", i%keys)); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkCreateAccessRequest(b *testing.B) {
	s := open(b, testkit.SQLite.Fresh(b))
	ctx := b.Context()
	for i := 0; b.Loop(); i++ {
		if err := s.CreateAccessRequest(ctx, request(i)); err != nil {
			b.Fatal(err)
		}
	}
}

func request(i int) store.AccessRequest {
	host, project := "ada-laptop", "shop"
	return store.AccessRequest{
		PublicID: fmt.Sprintf("%032x", i), SecretHash: fmt.Sprintf("%064x", i), Title: "Mend the checkout",
		Client:  dash.AskingClient{Name: "claude-code", Host: &host, Project: &project},
		Address: "192.0.2.1", ConfirmCode: "KTRM-4829", Digest: "digest",
		CreatedAt: testkit.Start, ExpiresAt: testkit.Start.Add(time.Minute),
	}
}

// collectKey makes the key number i, as an agent gets it.
func collectKey(b *testing.B, s *sqlstore.Store, i int) {
	b.Helper()
	ctx := b.Context()
	team := store.Team{ID: "team", Slug: "acme", Name: "Acme", CreatedAt: testkit.Start}
	person := store.Person{ID: "person", TeamID: team.ID, Name: "Ada", Email: "ada@example.com", CreatedAt: testkit.Start}
	if i == 0 {
		if err := s.AddTeam(ctx, team); err != nil {
			b.Fatal(err)
		}
		if err := s.AddPerson(ctx, person); err != nil {
			b.Fatal(err)
		}
	}
	r := request(i)
	if err := s.CreateAccessRequest(ctx, r); err != nil {
		b.Fatal(err)
	}
	d := store.RequestDecision{Verdict: dash.RequestDecisionVerdictApproved, By: dash.PersonRef{ID: person.ID, Name: person.Name}, TeamID: team.ID, At: r.CreatedAt, Trail: store.Trail{ID: fmt.Sprint("decision ", i)}}
	if err := s.DecideAccessRequest(ctx, r.PublicID, r.Digest, d, r.ExpiresAt); err != nil {
		b.Fatal(err)
	}
	k := store.Key{
		ID: fmt.Sprint("key ", i), TeamID: team.ID, OwnerID: person.ID, Hash: fmt.Sprint("hash ", i), Title: r.Title,
		Permissions: dash.AllPermissions, CreatedAt: r.CreatedAt, LastUsedAt: r.CreatedAt, Trail: store.Trail{ID: fmt.Sprint("key ", i)},
	}
	if err := s.CollectKey(ctx, r.SecretHash, k); err != nil {
		b.Fatal(err)
	}
}
