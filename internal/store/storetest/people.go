// SPDX-License-Identifier: Apache-2.0

package storetest

import (
	"time"

	"github.com/fiftyarms/platform/internal/store"
)

var people = []test{
	{"a team is found by its slug and by its id", func(w *world) {
		acme, bolt := w.team("acme").Team, w.team("bolt").Team
		for _, team := range []store.Team{acme, bolt} {
			for _, ref := range []string{team.Slug, team.ID} {
				got, err := w.TeamByRef(w.ctx(), ref)
				w.must(err)
				w.same("the team "+ref, got, team)
			}
		}
		for _, ref := range []string{"", "ACME", "acm", "acme ", "%", acme.Name} {
			_, err := w.TeamByRef(w.ctx(), ref)
			w.refused(err, store.ErrNotFound)
		}
	}},

	{"a slug that looks like another team's id does not stand in for it", func(w *world) {
		victim := store.Team{ID: "victim", Slug: "acme", Name: "Acme", CreatedAt: start}
		impostor := store.Team{ID: "impostor", Slug: "victim", Name: "Impostor", CreatedAt: start}
		later := store.Team{ID: "later", Slug: "impostor", Name: "Later", CreatedAt: start}
		for _, team := range []store.Team{impostor, victim, later} { // one before whom it looks like, one after
			w.must(w.AddTeam(w.ctx(), team))
		}
		for _, team := range []store.Team{impostor, victim, later} {
			got, err := w.TeamByRef(w.ctx(), team.ID)
			w.must(err)
			w.same("the team with the id "+team.ID, got, team)
		}
	}},

	{"a slug and an id are taken once", func(w *world) {
		acme := w.team("acme").Team
		w.refused(w.AddTeam(w.ctx(), store.Team{ID: "other", Slug: "acme", CreatedAt: start}), store.ErrDuplicate)
		w.refused(w.AddTeam(w.ctx(), store.Team{ID: acme.ID, Slug: "other", CreatedAt: start}), store.ErrDuplicate)
	}},

	{"an address is taken in any case, in any team, and kept as it was given", func(w *world) {
		acme, bolt := w.team("acme").Team, w.team("bolt").Team
		grace := w.person(acme, "Grace@Example.COM")
		for _, team := range []store.Team{acme, bolt} {
			w.refused(w.AddPerson(w.ctx(), w.somebody(team, "grace@example.com")), store.ErrDuplicate)
			w.refused(w.AddPerson(w.ctx(), w.somebody(team, "Grace@Example.COM")), store.ErrDuplicate)
		}
		for _, email := range []string{"grace@example.com", "GRACE@EXAMPLE.COM", grace.Email} {
			got, err := w.PersonByEmail(w.ctx(), email)
			w.must(err)
			w.same("the person at "+email, got, grace)
		}
		for _, email := range []string{"", "grace", "grace@example.co", "%@example.com", "grace@example.com "} {
			_, err := w.PersonByEmail(w.ctx(), email)
			w.refused(err, store.ErrNotFound)
		}
	}},

	{"case is that of every script, and a letter in two pieces is the letter", func(w *world) {
		acme := w.team("acme").Team
		for _, same := range [][]string{
			{"élodie@exämple.de", "ÉLODIE@EXÄMPLE.DE", "e\u0301lodie@exa\u0308mple.de", "E\u0301LODIE@EXA\u0308MPLE.DE"},
			{"σίσυφος@example.gr", "ΣΊΣΥΦΟΣ@example.gr", "ΣΊΣΥΦΟσ@example.gr"},
			{"иван@example.ru", "ИВАН@EXAMPLE.RU"},
		} {
			p := w.person(acme, same[0])
			for _, email := range same {
				got, err := w.PersonByEmail(w.ctx(), email)
				w.must(err)
				w.same("the person at "+email, got, p)
				w.refused(w.AddPerson(w.ctx(), w.somebody(acme, email)), store.ErrDuplicate)
			}
		}
		// These look alike and are not the same letters.
		for _, email := range []string{"ida@example.com", "ıda@example.com", "İda@example.com", "strasse@example.com", "straße@example.com", "ivan@example.com", "іvan@example.com"} {
			w.person(acme, email)
		}
	}},

	{"a person belongs to a team that is there", func(w *world) {
		p := w.somebody(store.Team{ID: "none"}, "ada@example.com")
		w.refused(w.AddPerson(w.ctx(), p), store.ErrNotFound)
		acme := w.team("acme")
		twin := w.somebody(acme.Team, "twin@example.com")
		twin.ID = acme.Person.ID
		w.refused(w.AddPerson(w.ctx(), twin), store.ErrDuplicate)
	}},

	{"a person with no permission has an empty list of them", func(w *world) {
		p := w.somebody(w.team("acme").Team, "guest@example.com")
		p.Permissions = nil
		w.must(w.AddPerson(w.ctx(), p))
		got, err := w.PersonByEmail(w.ctx(), p.Email)
		w.must(err)
		if got.Permissions == nil || len(got.Permissions) != 0 {
			w.Errorf("the permissions are %#v, want an empty list, which is [] in JSON", got.Permissions)
		}
	}},

	{"of people that race for an address one gets it", func(w *world) {
		acme := w.team("acme").Team
		rivals := make([]store.Person, racers)
		for i := range rivals {
			rivals[i] = w.somebody(acme, "Same@Example.com")
		}
		winner := w.won(race(racers, func(i int) error { return w.AddPerson(w.ctx(), rivals[i]) }), store.ErrDuplicate)
		got, err := w.PersonByEmail(w.ctx(), "same@example.com")
		w.must(err)
		w.same("the person at the address", got, rivals[winner])
	}},
}

var logins = []test{
	{"a session holds until the millisecond before it lapses", func(w *world) {
		f := w.team("acme")
		for _, now := range []time.Time{start, f.Login.ExpiresAt.Add(-time.Millisecond)} {
			login, person, team, err := w.Login(w.ctx(), f.Login.TokenHash, now)
			w.must(err)
			w.same("the session", store.Founding{Team: team, Person: person, Login: login}, f)
		}
		for _, now := range []time.Time{f.Login.ExpiresAt, f.Login.ExpiresAt.Add(time.Hour)} {
			_, _, _, err := w.Login(w.ctx(), f.Login.TokenHash, now)
			w.refused(err, store.ErrNotFound)
		}
	}},

	{"a session ends once and alone", func(w *world) {
		f := w.team("acme")
		other := w.session(f.Person)
		w.must(w.CreateLogin(w.ctx(), other))
		for range 2 {
			w.must(w.DeleteLogin(w.ctx(), f.Login.TokenHash))
			_, _, _, err := w.Login(w.ctx(), f.Login.TokenHash, start)
			w.refused(err, store.ErrNotFound)
		}
		_, _, _, err := w.Login(w.ctx(), other.TokenHash, start)
		w.must(err)
		w.must(w.DeleteLogin(w.ctx(), "never there"))
	}},

	{"a session is of a person of its team, and its token its own", func(w *world) {
		acme, bolt := w.team("acme"), w.team("bolt")
		stranger := w.session(acme.Person)
		stranger.PersonID = "nobody"
		w.refused(w.CreateLogin(w.ctx(), stranger), store.ErrNotFound)
		foreign := w.session(acme.Person)
		foreign.TeamID = bolt.Team.ID
		w.refused(w.CreateLogin(w.ctx(), foreign), store.ErrNotFound)
		w.refused(w.CreateLogin(w.ctx(), acme.Login), store.ErrDuplicate)
	}},

	{"a new session forgets those that had lapsed, and no other", func(w *world) {
		f := w.team("acme")
		next := w.session(f.Person)
		next.CreatedAt, next.ExpiresAt = f.Login.ExpiresAt.Add(-time.Millisecond), after(48*time.Hour)
		w.must(w.CreateLogin(w.ctx(), next))
		_, _, _, err := w.Login(w.ctx(), f.Login.TokenHash, start)
		w.must(err)

		third := w.session(f.Person)
		third.CreatedAt, third.ExpiresAt = f.Login.ExpiresAt, after(48*time.Hour)
		w.must(w.CreateLogin(w.ctx(), third))
		_, _, _, err = w.Login(w.ctx(), f.Login.TokenHash, start)
		w.refused(err, store.ErrNotFound)
		_, _, _, err = w.Login(w.ctx(), next.TokenHash, start)
		w.must(err)
	}},
}
