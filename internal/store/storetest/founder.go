// SPDX-License-Identifier: Apache-2.0

package storetest

import (
	"fmt"

	"github.com/fiftyarms/platform/internal/store"
)

var founder = []test{
	{"a new store answers, has a name and no team", func(w *world) {
		w.must(w.Ping(w.ctx()))
		name, err := w.Instance(w.ctx())
		w.must(err)
		if len(name) < 16 {
			w.Errorf("the instance is named %q, which others could be named too", name)
		}
		again, err := w.Instance(w.ctx())
		w.must(err)
		w.same("the instance's name", again, name)
		done, err := w.IsSetUp(w.ctx())
		w.must(err)
		w.same("set up", done, false)
	}},

	{"only the last token on offer sets up", func(w *world) {
		f := w.founding("acme")
		w.refused(w.SetUp(w.ctx(), "first", f), store.ErrNotFound)
		w.refused(w.SetUp(w.ctx(), "", f), store.ErrNotFound)
		w.must(w.OfferSetup(w.ctx(), "first"))
		w.must(w.OfferSetup(w.ctx(), "second"))
		w.refused(w.SetUp(w.ctx(), "first", f), store.ErrNotFound)
		done, err := w.IsSetUp(w.ctx())
		w.must(err)
		w.same("set up by a token that is not on offer", done, false)

		w.must(w.SetUp(w.ctx(), "second", f))
		done, err = w.IsSetUp(w.ctx())
		w.must(err)
		w.same("set up", done, true)
		login, person, team, err := w.Login(w.ctx(), f.Login.TokenHash, start)
		w.must(err)
		w.same("what was founded", store.Founding{Team: team, Person: person, Login: login}, f)
	}},

	{"a store is set up once, and says so before it looks at the token", func(w *world) {
		w.team("acme")
		late := w.founding("late")
		w.refused(w.SetUp(w.ctx(), "offer", late), store.ErrConflict)
		w.refused(w.SetUp(w.ctx(), "never offered", late), store.ErrConflict)
		w.must(w.OfferSetup(w.ctx(), "again"))
		w.refused(w.SetUp(w.ctx(), "again", late), store.ErrConflict)
		_, err := w.TeamByRef(w.ctx(), "late")
		w.refused(err, store.ErrNotFound)
	}},

	{"a setup that fails leaves nothing, and the offer stands", func(w *world) {
		f := w.founding("acme")
		broken := f
		broken.Login.PersonID = "nobody"
		w.must(w.OfferSetup(w.ctx(), "offer"))
		w.refused(w.SetUp(w.ctx(), "offer", broken), store.ErrNotFound)
		_, err := w.TeamByRef(w.ctx(), "acme")
		w.refused(err, store.ErrNotFound)
		_, err = w.PersonByEmail(w.ctx(), f.Person.Email)
		w.refused(err, store.ErrNotFound)
		w.must(w.SetUp(w.ctx(), "offer", f))
	}},

	{"of setups that race one makes its team", func(w *world) {
		w.must(w.OfferSetup(w.ctx(), "offer"))
		foundings := make([]store.Founding, racers)
		for i := range foundings {
			foundings[i] = w.founding(fmt.Sprintf("team-%d", i))
		}
		winner := w.won(race(racers, func(i int) error { return w.SetUp(w.ctx(), "offer", foundings[i]) }), store.ErrConflict)
		for i, f := range foundings {
			_, err := w.TeamByRef(w.ctx(), f.Team.Slug)
			_, _, _, loginErr := w.Login(w.ctx(), f.Login.TokenHash, start)
			if (err == nil) != (i == winner) || (loginErr == nil) != (i == winner) {
				w.Errorf("call %d won, and of call %d there is: team %v, login %v", winner, i, err, loginErr)
			}
		}
	}},
}
