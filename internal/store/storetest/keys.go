// SPDX-License-Identifier: Apache-2.0

package storetest

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/fiftyarms/platform/gen/dash"
	"github.com/fiftyarms/platform/internal/store"
)

var keys = []test{
	{"a key is found by its hash, with its team and its owner's name", func(w *world) {
		f := w.team("acme")
		k := w.key(f.Person)
		w.key(f.Person)
		got, team, err := w.KeyByHash(w.ctx(), k.Hash)
		w.must(err)
		w.same("the key", got, k)
		w.same("its team", team, f.Team)
		for _, hash := range []string{"", k.ID, k.Prefix, strings.ToUpper(k.Hash)} {
			_, _, err := w.KeyByHash(w.ctx(), hash)
			w.refused(err, store.ErrNotFound)
		}
	}},

	{"the last use only moves forward", func(w *world) {
		k := w.key(w.team("acme").Person)
		for _, use := range []struct{ at, want time.Duration }{
			{3 * time.Minute, 3 * time.Minute},
			{3*time.Minute - time.Millisecond, 3 * time.Minute},
			{3 * time.Minute, 3 * time.Minute},
			{3*time.Minute + time.Millisecond, 3*time.Minute + time.Millisecond},
			{0, 3*time.Minute + time.Millisecond},
		} {
			w.must(w.TouchKey(w.ctx(), k.ID, after(use.at)))
			got, _, err := w.KeyByHash(w.ctx(), k.Hash)
			w.must(err)
			w.same("the last use", got.LastUsedAt, after(use.want))
		}
		w.must(w.TouchKey(w.ctx(), "no such key", after(time.Hour)))
	}},

	{"of uses that race the latest is noted", func(w *world) {
		k := w.key(w.team("acme").Person)
		for _, err := range race(racers, func(i int) error {
			return w.TouchKey(w.ctx(), k.ID, after(time.Hour+time.Duration(i*7%racers)*time.Millisecond))
		}) {
			w.must(err)
		}
		got, _, err := w.KeyByHash(w.ctx(), k.Hash)
		w.must(err)
		w.same("the last use", got.LastUsedAt, after(time.Hour+(racers-1)*time.Millisecond))
	}},

	{"pages of every size hold each key once, newest first, whoever shares a millisecond", func(w *world) {
		f := w.team("acme")
		w.key(w.team("bolt").Person)
		var want []store.Key
		for _, at := range []time.Duration{2, 2, 2, 1, 3, 3, 2} {
			want = append(want, w.keyMade(f.Person, after(at*time.Minute)))
		}
		slices.SortFunc(want, func(a, b store.Key) int {
			if c := b.CreatedAt.Compare(a.CreatedAt); c != 0 {
				return c
			}
			return strings.Compare(b.ID, a.ID)
		})
		for limit := 1; limit <= len(want)+1; limit++ {
			var got []store.Key
			q := store.KeyQuery{TeamID: f.Team.ID, Limit: limit}
			for {
				page, err := w.ListKeys(w.ctx(), q)
				w.must(err)
				if len(page) > limit {
					w.Fatalf("a page of %d keys, want at most %d", len(page), limit)
				}
				got = append(got, page...)
				if len(page) < limit || len(got) > len(want) {
					break
				}
				last := page[len(page)-1]
				q.After = store.Position{At: last.CreatedAt, ID: last.ID}
			}
			w.same(fmt.Sprintf("keys by %d", limit), got, want)
		}
	}},

	{"ids compare byte by byte", func(w *world) {
		f := w.team("acme")
		ids := []string{"Z", "a", "_", "ä", "9"}
		for _, id := range ids {
			r := w.approved(f.Person, f.Team)
			k := w.handedOut(f.Person)
			k.ID = id
			w.must(w.CollectKey(w.ctx(), r.SecretHash, k))
		}
		slices.Sort(ids)
		slices.Reverse(ids)
		page, err := w.ListKeys(w.ctx(), store.KeyQuery{TeamID: f.Team.ID, Limit: 10})
		w.must(err)
		w.same("the keys", keyIDs(page), ids)
	}},

	{"a page goes on where its cursor's row is gone", func(w *world) {
		f := w.team("acme")
		older := w.keyMade(f.Person, after(time.Minute))
		w.keyMade(f.Person, after(3*time.Minute))
		page, err := w.ListKeys(w.ctx(), store.KeyQuery{TeamID: f.Team.ID, After: store.Position{At: after(2 * time.Minute), ID: "gone"}, Limit: 10})
		w.must(err)
		w.same("the keys after it", keyIDs(page), []string{older.ID})
	}},

	{"a list is of one owner if it says so, and holds the revoked", func(w *world) {
		f := w.team("acme")
		grace := w.person(f.Team, "grace@example.com")
		mine, hers := w.key(f.Person), w.key(grace)
		w.must(w.RevokeKey(w.ctx(), store.Revocation{KeyID: hers.ID, TeamID: f.Team.ID, By: dash.PersonRef{ID: grace.ID, Name: grace.Name}, At: after(time.Hour)}))
		for owner, want := range map[string][]string{
			"": {hers.ID, mine.ID}, f.Person.ID: {mine.ID}, grace.ID: {hers.ID}, "nobody": {},
		} {
			page, err := w.ListKeys(w.ctx(), store.KeyQuery{TeamID: f.Team.ID, OwnerID: owner, Limit: 10})
			w.must(err)
			w.same("the keys of "+owner, keyIDs(page), want)
		}
	}},

	{"no limit is no keys", func(w *world) {
		f := w.team("acme")
		w.key(f.Person)
		for _, limit := range []int{0, -1} {
			page, err := w.ListKeys(w.ctx(), store.KeyQuery{TeamID: f.Team.ID, Limit: limit})
			w.must(err)
			w.same("the keys", keyIDs(page), []string{})
		}
	}},
}

var revocation = []test{
	{"the first revocation stays", func(w *world) {
		f := w.team("acme")
		grace := w.person(f.Team, "grace@example.com")
		k := w.key(f.Person)
		first := store.Revocation{KeyID: k.ID, TeamID: f.Team.ID, By: dash.PersonRef{ID: grace.ID, Name: grace.Name}, At: after(time.Hour)}
		w.must(w.RevokeKey(w.ctx(), first))
		k.RevokedAt, k.RevokedBy = first.At, first.By

		again := first
		again.By, again.At = dash.PersonRef{ID: f.Person.ID, Name: f.Person.Name}, after(2*time.Hour)
		w.must(w.RevokeKey(w.ctx(), again))
		got, _, err := w.KeyByHash(w.ctx(), k.Hash)
		w.must(err)
		w.same("the revoked key", got, k)
	}},

	{"a key is there for its team, and for its owner where that is asked", func(w *world) {
		acme, bolt := w.team("acme"), w.team("bolt")
		grace := w.person(acme.Team, "grace@example.com")
		k := w.key(acme.Person)
		by := dash.PersonRef{ID: grace.ID, Name: grace.Name}
		for _, r := range []store.Revocation{
			{KeyID: "no such key", TeamID: acme.Team.ID},
			{KeyID: k.ID, TeamID: bolt.Team.ID},
			{KeyID: k.ID, TeamID: ""},
			{KeyID: k.ID, TeamID: acme.Team.ID, OwnerID: grace.ID},
			{KeyID: k.ID, TeamID: bolt.Team.ID, OwnerID: acme.Person.ID},
			{KeyID: k.Hash, TeamID: acme.Team.ID},
		} {
			r.By, r.At = by, after(time.Hour)
			w.refused(w.RevokeKey(w.ctx(), r), store.ErrNotFound)
		}
		got, _, err := w.KeyByHash(w.ctx(), k.Hash)
		w.must(err)
		w.same("the key that nobody could revoke", got, k)

		own := store.Revocation{KeyID: k.ID, TeamID: acme.Team.ID, OwnerID: acme.Person.ID, By: by, At: after(time.Hour)}
		w.must(w.RevokeKey(w.ctx(), own))
		foreign := own
		foreign.OwnerID = grace.ID
		w.refused(w.RevokeKey(w.ctx(), foreign), store.ErrNotFound) // revoked already, and still not hers
	}},

	{"revocations that race all succeed and one is kept", func(w *world) {
		f := w.team("acme")
		k := w.key(f.Person)
		revocations := make([]store.Revocation, racers)
		for i := range revocations {
			revocations[i] = store.Revocation{
				KeyID: k.ID, TeamID: f.Team.ID, At: after(time.Duration(i) * time.Hour),
				By: dash.PersonRef{ID: fmt.Sprint(i), Name: fmt.Sprint("Person ", i)},
			}
		}
		for _, err := range race(racers, func(i int) error { return w.RevokeKey(w.ctx(), revocations[i]) }) {
			w.must(err)
		}
		got, _, err := w.KeyByHash(w.ctx(), k.Hash)
		w.must(err)
		if !slices.ContainsFunc(revocations, func(r store.Revocation) bool { return r.By == got.RevokedBy && r.At.Equal(got.RevokedAt) }) {
			w.Errorf("revoked by %v at %v, which is none of the calls", got.RevokedBy, got.RevokedAt)
		}
	}},
}

func keyIDs(keys []store.Key) []string {
	ids := make([]string, len(keys))
	for i, k := range keys {
		ids[i] = k.ID
	}
	return ids
}
