// SPDX-License-Identifier: Apache-2.0

package storetest

import (
	"fmt"
	"slices"
	"time"

	"github.com/fiftyarms/platform/gen/dash"
	"github.com/fiftyarms/platform/internal/store"
)

// alive is a liveSince that every key of the suite satisfies.
var alive = start

// connecting is a session of a key that has not been connected.
func (w *world) connecting(k store.Key) store.PlanSession {
	return store.PlanSession{ID: w.id("session"), TeamID: k.TeamID, KeyID: k.ID, Title: "Mend the checkout", ConnectedAt: after(3 * time.Minute)}
}

// connected is a new session of a key, which must get the agent with that number.
func (w *world) connected(k store.Key, liveSince time.Time, number int64) store.PlanSession {
	w.Helper()
	want := w.connecting(k)
	got, err := w.Connect(w.ctx(), want, liveSince)
	w.must(err)
	want.Agent = dash.AgentRef{ID: number, Name: fmt.Sprint("Agent ", number)}
	w.same("the session", got, want)
	return got
}

func (w *world) revoked(k store.Key) {
	w.Helper()
	w.must(w.RevokeKey(w.ctx(), store.Revocation{KeyID: k.ID, TeamID: k.TeamID, By: dash.PersonRef{ID: k.OwnerID, Name: k.OwnerName}, At: after(time.Hour)}))
}

var sessions = []test{
	{"each key gets an agent of its own, numbered from 1 in each team", func(w *world) {
		acme, bolt := w.team("acme"), w.team("bolt")
		for n := range int64(3) {
			w.connected(w.key(acme.Person), alive, n+1)
		}
		w.connected(w.key(bolt.Person), alive, 1)
		w.connected(w.key(acme.Person), alive, 4)
	}},

	{"connecting again keeps all but the title", func(w *world) {
		f := w.team("acme")
		k := w.key(f.Person)
		first := w.connected(k, alive, 1)
		w.connected(w.key(f.Person), alive, 2)

		again := w.connecting(k)
		again.Title, again.ConnectedAt, again.Agent = "Another thing", after(time.Hour), dash.AgentRef{ID: 9, Name: "Smuggled"}
		got, err := w.Connect(w.ctx(), again, alive)
		w.must(err)
		first.Title = again.Title
		w.same("the session", got, first)
		// Even where nobody else would find its key live.
		got, err = w.Connect(w.ctx(), again, after(100*time.Hour))
		w.must(err)
		w.same("the session", got, first)
	}},

	{"who leaves lets the agent go, and the lowest is taken first", func(w *world) {
		f := w.team("acme")
		held := make([]store.Key, 3)
		for i := range held {
			held[i] = w.key(f.Person)
			w.connected(held[i], alive, int64(i+1))
		}
		w.must(w.Leave(w.ctx(), held[2].ID))
		w.must(w.Leave(w.ctx(), held[0].ID))
		w.refused(w.Leave(w.ctx(), held[0].ID), store.ErrNotFound)
		w.refused(w.Leave(w.ctx(), "no such key"), store.ErrNotFound)
		w.connected(w.key(f.Person), alive, 1)
		w.connected(held[0], alive, 3)
		w.connected(w.key(f.Person), alive, 4)
	}},

	{"a key finds its session until it leaves", func(w *world) {
		f := w.team("acme")
		k, other := w.key(f.Person), w.key(f.Person)
		w.connected(other, alive, 1)
		_, err := w.SessionByKey(w.ctx(), k.ID)
		w.refused(err, store.ErrNotFound)
		want := w.connected(k, alive, 2)
		got, err := w.SessionByKey(w.ctx(), k.ID)
		w.must(err)
		w.same("the session", got, want)
		w.must(w.Leave(w.ctx(), k.ID))
		_, err = w.SessionByKey(w.ctx(), k.ID)
		w.refused(err, store.ErrNotFound)
	}},

	{"a revoked key holds no agent", func(w *world) {
		f := w.team("acme")
		first, second := w.key(f.Person), w.key(f.Person)
		w.connected(first, alive, 1)
		w.connected(second, alive, 2)
		w.revoked(first)
		w.connected(w.key(f.Person), alive, 1)
	}},

	{"a key that was last used a millisecond too long ago holds no agent", func(w *world) {
		f := w.team("acme")
		k := w.key(f.Person)
		w.connected(k, alive, 1)
		third := w.key(f.Person)
		w.must(w.TouchKey(w.ctx(), third.ID, after(time.Hour)))
		w.connected(third, k.LastUsedAt, 2)
		fourth := w.key(f.Person)
		w.connected(fourth, k.LastUsedAt.Add(time.Millisecond), 1)
	}},

	{"a key that lives again takes another agent, never one that is taken", func(w *world) {
		f := w.team("acme")
		sleeper, other := w.key(f.Person), w.key(f.Person)
		w.connected(sleeper, alive, 1)
		w.must(w.TouchKey(w.ctx(), other.ID, after(time.Hour)))
		w.connected(other, after(time.Hour), 1)
		w.refused(w.Leave(w.ctx(), sleeper.ID), store.ErrNotFound) // its session ended with the agent
		w.must(w.TouchKey(w.ctx(), sleeper.ID, after(time.Hour)))
		w.connected(sleeper, after(time.Hour), 2)
		w.must(w.Leave(w.ctx(), other.ID))
	}},

	{"a session is of a key of its team, and its id its own", func(w *world) {
		acme, bolt := w.team("acme"), w.team("bolt")
		k := w.key(acme.Person)
		foreign := w.connecting(k)
		foreign.TeamID = bolt.Team.ID
		unknown := w.connecting(k)
		unknown.KeyID = "no such key"
		for range 2 { // before the key has a session, and after
			_, err := w.Connect(w.ctx(), foreign, alive)
			w.refused(err, store.ErrNotFound)
			_, err = w.Connect(w.ctx(), unknown, alive)
			w.refused(err, store.ErrNotFound)
			_, err = w.Connect(w.ctx(), w.connecting(k), alive)
			w.must(err)
		}
		w.connected(w.key(bolt.Person), alive, 1)

		first, err := w.Connect(w.ctx(), w.connecting(k), alive)
		w.must(err)
		twin := w.connecting(w.key(acme.Person))
		twin.ID = first.ID
		_, err = w.Connect(w.ctx(), twin, alive)
		w.refused(err, store.ErrDuplicate)
		w.connected(w.key(acme.Person), alive, 2) // what the refused one would have taken
	}},

	{"keys that connect at once get an agent each", func(w *world) {
		f := w.team("acme")
		asking := make([]store.PlanSession, racers)
		for i := range asking {
			asking[i] = w.connecting(w.key(f.Person))
		}
		numbers := make([]int64, racers)
		for _, err := range race(racers, func(i int) error {
			got, err := w.Connect(w.ctx(), asking[i], alive)
			numbers[i] = got.Agent.ID
			return err
		}) {
			w.must(err)
		}
		slices.Sort(numbers)
		for i, n := range numbers {
			w.same("the agents' numbers in order", n, int64(i+1))
		}
	}},

	{"one key that connects at once has one session", func(w *world) {
		f := w.team("acme")
		k := w.key(f.Person)
		asking, got := make([]store.PlanSession, racers), make([]store.PlanSession, racers)
		for i := range asking {
			asking[i] = w.connecting(k)
		}
		for _, err := range race(racers, func(i int) (err error) {
			got[i], err = w.Connect(w.ctx(), asking[i], alive)
			return err
		}) {
			w.must(err)
		}
		for _, s := range got {
			w.same("the session", s, got[0])
		}
		w.must(w.Leave(w.ctx(), k.ID))
		w.refused(w.Leave(w.ctx(), k.ID), store.ErrNotFound)
	}},
}
