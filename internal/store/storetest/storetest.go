// SPDX-License-Identifier: Apache-2.0

// Package storetest is the suite that every store passes: each method, each promise of package store, under races, at
// the millisecond where things lapse, with two teams side by side and with text that means harm.
package storetest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/fiftyarms/platform/gen/dash"
	"github.com/fiftyarms/platform/internal/store"
)

// Store is a store under test. No operation makes a second team yet; the suite has to, to show that teams are apart.
type Store interface {
	store.Store
	AddTeam(ctx context.Context, t store.Team) error
}

// Run runs the suite. open gives a new, empty store and closes it when the test that it is given ends.
func Run(t *testing.T, open func(testing.TB) Store) {
	for _, area := range []struct {
		name  string
		tests []test
	}{
		{"founder", founder}, {"people", people}, {"logins", logins}, {"keys", keys}, {"revocation", revocation},
		{"requests", requests}, {"decisions", decisions}, {"collection", collection}, {"grants", grants}, {"audits", audits}, {"sessions", sessions},
		{"boards", boards}, {"issues", issues}, {"lists", lists}, {"places", places}, {"links", links}, {"items", items},
		{"log", log}, {"changes", changes}, {"once", once},
		{"tenancy", tenancy}, {"text", text}, {"contexts", contexts},
	} {
		t.Run(area.name, func(t *testing.T) {
			for _, tt := range area.tests {
				t.Run(tt.name, func(t *testing.T) {
					t.Parallel()
					tt.run(&world{Store: open(t), TB: t})
				})
			}
		})
	}
}

type test struct {
	name string
	run  func(*world)
}

// start is when everything in the suite begins. It has milliseconds, so that a store that drops them is found out.
var start = time.Date(2026, 1, 2, 3, 4, 5, 678e6, time.UTC)

// after is d after the start.
func after(d time.Duration) time.Time { return start.Add(d) }

// racers is how many calls race where one may win.
const racers = 20

// A world is a store and the rows that a test has made in it. Its makers fail the test where the store refuses.
type world struct {
	Store
	testing.TB

	mu   sync.Mutex
	last int
}

func (w *world) ctx() context.Context { return w.Context() }

// id is an id that was not there before, shaped like the product's, with a word for the reader.
func (w *world) id(word string) string {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.last++
	return fmt.Sprintf("%s%0*x", word, 32-len(word), w.last)
}

// founding is what SetUp makes of a slug; the suite's people are called after their team.
func (w *world) founding(slug string) store.Founding {
	team := store.Team{ID: w.id("team"), Slug: slug, Name: "Team " + slug, CreatedAt: start}
	p := w.somebody(team, "founder@"+slug+".example")
	return store.Founding{Team: team, Person: p, Login: w.session(p)}
}

func (w *world) somebody(team store.Team, email string) store.Person {
	return store.Person{
		ID: w.id("person"), TeamID: team.ID, Name: "Ada of " + team.Slug, Email: email, PasswordHash: "phc-" + email,
		Permissions: []dash.Permission{dash.PermissionCardsView, dash.PermissionTeamAdmin}, CreatedAt: start,
	}
}

func (w *world) session(p store.Person) store.Login {
	return store.Login{
		TokenHash: w.id("token"), PersonID: p.ID, TeamID: p.TeamID, CSRFToken: w.id("csrf"),
		CreatedAt: start, ExpiresAt: after(time.Hour),
	}
}

// team makes a team with its first person: by SetUp the first time, as a store of ours would get it.
func (w *world) team(slug string) store.Founding {
	w.Helper()
	f := w.founding(slug)
	done, err := w.IsSetUp(w.ctx())
	w.must(err)
	if !done {
		w.must(w.OfferSetup(w.ctx(), "offer"))
		w.must(w.SetUp(w.ctx(), "offer", f))
		return f
	}
	w.must(w.AddTeam(w.ctx(), f.Team))
	w.must(w.AddPerson(w.ctx(), f.Person))
	w.must(w.CreateLogin(w.ctx(), f.Login))
	return f
}

func (w *world) person(team store.Team, email string) store.Person {
	w.Helper()
	p := w.somebody(team, email)
	w.must(w.AddPerson(w.ctx(), p))
	return p
}

// asking is a pending request that names a team, or none if it is the zero Team. It expires after ten minutes.
func (w *world) asking(team store.Team) store.AccessRequest {
	host, project := "ada-laptop", "shop"
	return store.AccessRequest{
		PublicID: w.id("request"), SecretHash: w.id("secret"), Team: team, Title: "Mend the checkout",
		Client:  dash.AskingClient{Name: "claude-code", Host: &host, Project: &project},
		Address: "192.0.2.1", ConfirmCode: "KTRM-4829", Digest: w.id("digest"),
		Status: dash.RequestStatusPending, CreatedAt: start, ExpiresAt: after(10 * time.Minute),
	}
}

func (w *world) request(team store.Team) store.AccessRequest {
	w.Helper()
	r := w.asking(team)
	w.must(w.CreateAccessRequest(w.ctx(), r))
	return r
}

// verdict is a decision of p, one minute in.
func verdict(p store.Person, v dash.RequestDecisionVerdict) store.RequestDecision {
	d := store.RequestDecision{
		Verdict: v, By: dash.PersonRef{ID: p.ID, Name: p.Name}, TeamID: p.TeamID, At: after(time.Minute), Note: "as agreed",
	}
	if v == dash.RequestDecisionVerdictApproved {
		d.Permissions = []dash.Permission{dash.PermissionCardsView, dash.PermissionDocsView}
	}
	return d
}

// collectBy is until when the suite's approved requests hand out their keys.
var collectBy = after(5 * time.Minute)

func (w *world) approved(p store.Person, team store.Team) store.AccessRequest {
	w.Helper()
	r := w.request(team)
	w.must(w.DecideAccessRequest(w.ctx(), r.PublicID, r.Digest, verdict(p, dash.RequestDecisionVerdictApproved), collectBy))
	return r
}

// handedOut is the key that p approved, two minutes in.
func (w *world) handedOut(p store.Person) store.Key {
	return store.Key{
		ID: w.id("key"), TeamID: p.TeamID, Hash: w.id("hash"), Prefix: "50a_Zk3v", Title: "Mend the checkout",
		OwnerID: p.ID, OwnerName: p.Name, Permissions: []dash.Permission{dash.PermissionCardsView},
		CreatedAt: after(2 * time.Minute), LastUsedAt: after(2 * time.Minute),
	}
}

func (w *world) key(p store.Person) store.Key {
	w.Helper()
	return w.keyMade(p, after(2*time.Minute))
}

func (w *world) keyMade(p store.Person, at time.Time) store.Key {
	w.Helper()
	r := w.approved(p, store.Team{ID: p.TeamID})
	k := w.handedOut(p)
	k.CreatedAt, k.LastUsedAt = at, at
	w.must(w.CollectKey(w.ctx(), r.SecretHash, k))
	return k
}

func (w *world) must(err error) {
	w.Helper()
	if err != nil {
		w.Fatal(err)
	}
}

// refused wants an error of a kind.
func (w *world) refused(err, kind error) {
	w.Helper()
	if !errors.Is(err, kind) {
		w.Fatalf("got error %v, want %v", err, kind)
	}
}

// same wants got to be want.
func (w *world) same(what string, got, want any) {
	w.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		w.Fatalf("%s (-want +got):\n%s", what, diff)
	}
}

// race runs do at once, n times over, and returns how each call ended.
func race(n int, do func(i int) error) []error {
	ended := make([]error, n)
	var ready, done sync.WaitGroup
	ready.Add(n)
	for i := range n {
		done.Go(func() {
			ready.Done()
			ready.Wait()
			ended[i] = do(i)
		})
	}
	done.Wait()
	return ended
}

// won wants one call of a race to have succeeded, the others refused, and says which it was.
func (w *world) won(ended []error, refusal error) int {
	w.Helper()
	winner := slices.Index(ended, nil)
	for i, err := range ended {
		switch {
		case err == nil && i != winner:
			w.Fatalf("calls %d and %d of a race both won", winner, i)
		case err != nil && !errors.Is(err, refusal):
			w.Fatalf("call %d of a race ended with %v, want %v", i, err, refusal)
		}
	}
	if winner < 0 {
		w.Fatal("nobody won a race")
	}
	return winner
}
