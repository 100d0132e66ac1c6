// SPDX-License-Identifier: Apache-2.0

package storetest

import (
	"fmt"
	"time"

	"github.com/fiftyarms/platform/gen/dash"
	"github.com/fiftyarms/platform/internal/store"
)

const (
	approve = dash.RequestDecisionVerdictApproved
	deny    = dash.RequestDecisionVerdictDenied
	revise  = dash.RequestDecisionVerdictRevisionRequested
)

var decisions = []test{
	{"a decision is kept with who made it", func(w *world) {
		f := w.team("acme")
		for _, v := range []dash.RequestDecisionVerdict{approve, deny, revise} {
			for _, team := range []store.Team{f.Team, {}} {
				r := w.request(team)
				d := verdict(f.Person, v)
				w.must(w.DecideAccessRequest(w.ctx(), r.PublicID, r.Digest, d, collectBy))
				// Decided or not, it named the team that it named.
				r.Status, r.Decision, r.ExpiresAt = dash.RequestStatus(v), &d, collectBy
				got, err := w.AccessRequest(w.ctx(), r.PublicID)
				w.must(err)
				w.same("the decided request", got, r)
			}
		}
	}},

	{"a request can be decided until the millisecond before it lapses", func(w *world) {
		f := w.team("acme")
		for _, v := range []dash.RequestDecisionVerdict{approve, deny, revise} {
			r := w.request(f.Team)
			d := verdict(f.Person, v)
			for _, late := range []time.Duration{0, time.Millisecond, time.Hour} {
				d.At = r.ExpiresAt.Add(late)
				w.refused(w.DecideAccessRequest(w.ctx(), r.PublicID, r.Digest, d, after(time.Hour)), store.ErrConflict)
			}
			d.At = r.ExpiresAt.Add(-time.Millisecond)
			w.must(w.DecideAccessRequest(w.ctx(), r.PublicID, r.Digest, d, after(time.Hour)))
		}
	}},

	{"a decision on what the person did not see changes nothing", func(w *world) {
		f := w.team("acme")
		r := w.request(f.Team)
		for _, digest := range []string{"", "another", r.Digest + " ", r.PublicID} {
			w.refused(w.DecideAccessRequest(w.ctx(), r.PublicID, digest, verdict(f.Person, approve), collectBy), store.ErrConflict)
		}
		got, err := w.AccessRequest(w.ctx(), r.PublicID)
		w.must(err)
		w.same("the request", got, r)
	}},

	{"the first decision stays", func(w *world) {
		f := w.team("acme")
		for _, first := range []dash.RequestDecisionVerdict{approve, deny, revise} {
			for _, second := range []dash.RequestDecisionVerdict{approve, deny, revise} {
				r := w.request(f.Team)
				d := verdict(f.Person, first)
				w.must(w.DecideAccessRequest(w.ctx(), r.PublicID, r.Digest, d, collectBy))
				w.refused(w.DecideAccessRequest(w.ctx(), r.PublicID, r.Digest, verdict(f.Person, second), after(time.Hour)), store.ErrConflict)
				r.Status, r.Decision, r.ExpiresAt = dash.RequestStatus(first), &d, collectBy
				got, err := w.AccessRequest(w.ctx(), r.PublicID)
				w.must(err)
				w.same("the request", got, r)
			}
		}
	}},

	{"a request is there for the team that it named, and for everyone if it named none", func(w *world) {
		acme, bolt := w.team("acme"), w.team("bolt")
		w.refused(w.DecideAccessRequest(w.ctx(), "none", "none", verdict(acme.Person, approve), collectBy), store.ErrNotFound)
		named := w.request(acme.Team)
		w.refused(w.DecideAccessRequest(w.ctx(), named.PublicID, named.Digest, verdict(bolt.Person, approve), collectBy), store.ErrNotFound)
		got, err := w.AccessRequest(w.ctx(), named.PublicID)
		w.must(err)
		w.same("the request that another team decided", got, named)

		linked := w.request(store.Team{})
		w.must(w.DecideAccessRequest(w.ctx(), linked.PublicID, linked.Digest, verdict(bolt.Person, approve), collectBy))
		w.refused(w.DecideAccessRequest(w.ctx(), linked.PublicID, linked.Digest, verdict(acme.Person, deny), collectBy), store.ErrConflict)
	}},

	{"a decider is a person of the team", func(w *world) {
		acme, bolt := w.team("acme"), w.team("bolt")
		r := w.request(store.Team{})
		nobody := verdict(acme.Person, approve)
		nobody.By.ID = "nobody"
		w.refused(w.DecideAccessRequest(w.ctx(), r.PublicID, r.Digest, nobody, collectBy), store.ErrNotFound)
		borrowed := verdict(acme.Person, approve)
		borrowed.TeamID = bolt.Team.ID
		w.refused(w.DecideAccessRequest(w.ctx(), r.PublicID, r.Digest, borrowed, collectBy), store.ErrNotFound)
		got, err := w.AccessRequest(w.ctx(), r.PublicID)
		w.must(err)
		w.same("the request", got, r)
	}},

	{"of decisions that race one wins, and only one that names the digest", func(w *world) {
		f := w.team("acme")
		for round := range 3 {
			r := w.request(store.Team{})
			made := make([]store.RequestDecision, racers)
			digests := make([]string, racers)
			for i := range made {
				made[i] = verdict(f.Person, []dash.RequestDecisionVerdict{approve, deny, revise}[i%3])
				made[i].Note = fmt.Sprint("note ", i)
				digests[i] = r.Digest
				if i%2 == round%2 {
					digests[i] = "what was there before"
				}
			}
			winner := w.won(race(racers, func(i int) error {
				return w.DecideAccessRequest(w.ctx(), r.PublicID, digests[i], made[i], after(time.Duration(i)*time.Minute))
			}), store.ErrConflict)
			w.same("the winner's digest", digests[winner], r.Digest)
			r.Status, r.Decision, r.ExpiresAt = dash.RequestStatus(made[winner].Verdict), &made[winner], after(time.Duration(winner)*time.Minute)
			got, err := w.AccessRequest(w.ctx(), r.PublicID)
			w.must(err)
			w.same("the decided request", got, r)
		}
	}},
}

var collection = []test{
	{"an approved request hands out its key once", func(w *world) {
		f := w.team("acme")
		r := w.approved(f.Person, f.Team)
		before, err := w.AccessRequest(w.ctx(), r.PublicID)
		w.must(err)
		k := w.handedOut(f.Person)
		w.must(w.CollectKey(w.ctx(), r.SecretHash, k))
		got, _, err := w.KeyByHash(w.ctx(), k.Hash)
		w.must(err)
		w.same("the key", got, k)
		after, err := w.AccessRequest(w.ctx(), r.PublicID)
		w.must(err)
		before.Status, before.KeyID = dash.RequestStatusClaimed, k.ID
		w.same("the claimed request", after, before)

		second := w.handedOut(f.Person)
		w.refused(w.CollectKey(w.ctx(), r.SecretHash, second), store.ErrConflict)
		w.noKey(second)
	}},

	{"a request that is not approved hands out nothing", func(w *world) {
		f := w.team("acme")
		pending, linked := w.request(f.Team), w.request(store.Team{})
		denied, revised := w.request(f.Team), w.request(store.Team{})
		w.must(w.DecideAccessRequest(w.ctx(), denied.PublicID, denied.Digest, verdict(f.Person, deny), collectBy))
		w.must(w.DecideAccessRequest(w.ctx(), revised.PublicID, revised.Digest, verdict(f.Person, revise), collectBy))
		k := w.handedOut(f.Person)
		for _, r := range []store.AccessRequest{pending, linked, denied, revised} {
			w.refused(w.CollectKey(w.ctx(), r.SecretHash, k), store.ErrConflict)
		}
		w.refused(w.CollectKey(w.ctx(), "no such secret", k), store.ErrNotFound)
		w.refused(w.CollectKey(w.ctx(), pending.PublicID, k), store.ErrNotFound)
		w.noKey(k)
	}},

	{"a key can be collected until the millisecond before its request lapses", func(w *world) {
		f := w.team("acme")
		r := w.approved(f.Person, f.Team)
		k := w.handedOut(f.Person)
		for _, late := range []time.Duration{0, time.Millisecond, time.Hour} {
			k.CreatedAt = collectBy.Add(late)
			w.refused(w.CollectKey(w.ctx(), r.SecretHash, k), store.ErrConflict)
		}
		w.noKey(k)
		k.CreatedAt = collectBy.Add(-time.Millisecond)
		w.must(w.CollectKey(w.ctx(), r.SecretHash, k))
	}},

	{"a key is the deciding team's, and its owner is of that team", func(w *world) {
		acme, bolt := w.team("acme"), w.team("bolt")
		r := w.approved(acme.Person, store.Team{})
		foreign := w.handedOut(bolt.Person)
		w.refused(w.CollectKey(w.ctx(), r.SecretHash, foreign), store.ErrConflict)
		w.noKey(foreign)
		borrowed := w.handedOut(acme.Person)
		borrowed.OwnerID = bolt.Person.ID
		w.refused(w.CollectKey(w.ctx(), r.SecretHash, borrowed), store.ErrNotFound)
		w.noKey(borrowed)
		w.must(w.CollectKey(w.ctx(), r.SecretHash, w.handedOut(acme.Person)))
	}},

	{"a key whose id or hash is taken is not made, and can be made anew", func(w *world) {
		f := w.team("acme")
		taken := w.key(f.Person)
		r := w.approved(f.Person, f.Team)
		for _, twin := range []func(*store.Key){
			func(k *store.Key) { k.ID = taken.ID },
			func(k *store.Key) { k.Hash = taken.Hash },
		} {
			k := w.handedOut(f.Person)
			twin(&k)
			w.refused(w.CollectKey(w.ctx(), r.SecretHash, k), store.ErrDuplicate)
		}
		got, err := w.AccessRequest(w.ctx(), r.PublicID)
		w.must(err)
		w.same("its state", got.Status, dash.RequestStatusApproved)
		w.must(w.CollectKey(w.ctx(), r.SecretHash, w.handedOut(f.Person)))
	}},

	{"of calls that race one makes its key", func(w *world) {
		f := w.team("acme")
		r := w.approved(f.Person, f.Team)
		made := make([]store.Key, racers)
		for i := range made {
			made[i] = w.handedOut(f.Person)
		}
		winner := w.won(race(racers, func(i int) error { return w.CollectKey(w.ctx(), r.SecretHash, made[i]) }), store.ErrConflict)
		page, err := w.ListKeys(w.ctx(), store.KeyQuery{TeamID: f.Team.ID, Limit: racers})
		w.must(err)
		w.same("the keys", page, []store.Key{made[winner]})
		got, err := w.AccessRequest(w.ctx(), r.PublicID)
		w.must(err)
		w.same("the request's key", got.KeyID, made[winner].ID)
	}},

	{"one call repeated at once is one key and the rest are told", func(w *world) {
		f := w.team("acme")
		r := w.approved(f.Person, f.Team)
		k := w.handedOut(f.Person)
		w.won(race(racers, func(int) error { return w.CollectKey(w.ctx(), r.SecretHash, k) }), store.ErrConflict)
	}},
}

// noKey wants k not to be there.
func (w *world) noKey(k store.Key) {
	w.Helper()
	_, _, err := w.KeyByHash(w.ctx(), k.Hash)
	w.refused(err, store.ErrNotFound)
}
