// SPDX-License-Identifier: Apache-2.0

package storetest

import (
	"fmt"
	"slices"
	"time"

	"github.com/fiftyarms/platform/gen/dash"
	"github.com/fiftyarms/platform/internal/store"
)

// wanting is a pending permission request of a key, made three minutes in. It expires after ten minutes more.
func (w *world) wanting(k store.Key, permissions ...dash.Permission) store.PermissionRequest {
	return store.PermissionRequest{
		PublicID: w.id("wanted"), Key: k, Permissions: permissions, Reason: "The checkout needs a board.", Address: "192.0.2.2",
		ConfirmCode: "MRXN-2745", Digest: w.id("digest"), Status: dash.RequestStatusPending,
		CreatedAt: after(3 * time.Minute), ExpiresAt: after(13 * time.Minute),
	}
}

func (w *world) wanted(k store.Key, permissions ...dash.Permission) store.PermissionRequest {
	w.Helper()
	r := w.wanting(k, permissions...)
	w.must(w.CreatePermissionRequest(w.ctx(), r, alive))
	return r
}

// answer is a decision of the owner of a key, four minutes in.
func answer(k store.Key, v dash.RequestDecisionVerdict) store.PermissionDecision {
	return store.PermissionDecision{Verdict: v, By: dash.PersonRef{ID: k.OwnerID, Name: k.OwnerName}, At: after(4 * time.Minute), Note: "as agreed"}
}

func (w *world) decides(r store.PermissionRequest, d store.PermissionDecision) error {
	return w.DecidePermissionRequest(w.ctx(), r.Key.TeamID, r.PublicID, r.Digest, d, alive)
}

func (w *world) holds(k store.Key) []dash.Permission {
	w.Helper()
	got, _, err := w.KeyByHash(w.ctx(), k.Hash)
	w.must(err)
	return got.Permissions
}

const edits, reads = dash.PermissionCardsEdit, dash.PermissionDocsView

var grants = []test{
	{"a permission request is read back with its key", func(w *world) {
		f := w.team("acme")
		k := w.key(f.Person)
		r := w.wanted(k, edits, reads)
		got, err := w.PermissionRequest(w.ctx(), f.Team.ID, r.PublicID)
		w.must(err)
		w.same("the request", got, r)
		_, err = w.PermissionRequest(w.ctx(), f.Team.ID, "none")
		w.refused(err, store.ErrNotFound)
		twin := w.wanting(k, edits)
		twin.PublicID = r.PublicID
		w.refused(w.CreatePermissionRequest(w.ctx(), twin, alive), store.ErrDuplicate)
	}},

	{"only a live key of its owner asks", func(w *world) {
		f := w.team("acme")
		grace := w.person(f.Team, "grace@example.com")
		k := w.key(f.Person)
		foreign := w.wanting(k, edits)
		foreign.Key.OwnerID = grace.ID
		w.refused(w.CreatePermissionRequest(w.ctx(), foreign, alive), store.ErrNotFound)
		w.must(w.CreatePermissionRequest(w.ctx(), w.wanting(k, edits), k.LastUsedAt))
		w.refused(w.CreatePermissionRequest(w.ctx(), w.wanting(k, edits), k.LastUsedAt.Add(time.Millisecond)), store.ErrConflict)
		w.must(w.RevokeKey(w.ctx(), store.Revocation{KeyID: k.ID, TeamID: k.TeamID, By: answer(k, approve).By, At: after(time.Hour)}))
		w.refused(w.CreatePermissionRequest(w.ctx(), w.wanting(k, edits), alive), store.ErrConflict)
	}},

	{"an approval gives the key what was asked for, and tells its streams", func(w *world) {
		d := w.desk("acme", "SHOP")
		k := w.key(d.Person)
		r := w.wanted(k, edits, reads)
		head, err := d.EventHead(w.ctx())
		w.must(err)
		w.must(w.decides(r, answer(k, approve)))
		w.same("what the key holds", w.holds(k), []dash.Permission{dash.PermissionCardsView, edits, reads})
		got, err := w.PermissionRequest(w.ctx(), d.Team.ID, r.PublicID)
		w.must(err)
		decision := answer(k, approve)
		r.Status, r.Decision = dash.RequestStatusApproved, &decision
		r.Key.Permissions = w.holds(k)
		w.same("the request", got, r)
		events, err := d.Events(w.ctx(), head, 10)
		w.must(err)
		if len(events) != 1 || events[0].Kind != dash.EventKindKeyGranted || events[0].KeyID != k.ID || events[0].By.Person.ID != k.OwnerID {
			w.Fatalf("events %+v", events)
		}
		names := string(edits) + ", " + string(reads)
		w.same("what changed", events[0].Changes, []dash.Change{{Field: "permissions", To: &names}})
	}},

	{"a refusal changes nothing but the request", func(w *world) {
		for _, v := range []dash.RequestDecisionVerdict{deny, revise} {
			d := w.desk("t"+w.id("")[20:], "SHOP")
			k := w.key(d.Person)
			r := w.wanted(k, edits)
			head, err := d.EventHead(w.ctx())
			w.must(err)
			w.must(w.decides(r, answer(k, v)))
			w.same("what the key holds", w.holds(k), k.Permissions)
			got, err := w.PermissionRequest(w.ctx(), d.Team.ID, r.PublicID)
			w.must(err)
			w.same("the status", got.Status, dash.RequestStatus(v))
			now, err := d.EventHead(w.ctx())
			w.must(err)
			w.same("the log's head", now, head)
			for _, again := range []dash.RequestDecisionVerdict{approve, deny, revise} {
				w.refused(w.decides(r, answer(k, again)), store.ErrConflict)
			}
		}
	}},

	{"a decision is the owner's, on what they saw, in time, of a live key", func(w *world) {
		f := w.team("acme")
		grace := w.person(f.Team, "grace@example.com")
		k := w.key(f.Person)
		r := w.wanted(k, edits)
		hers := answer(k, approve)
		hers.By = dash.PersonRef{ID: grace.ID, Name: grace.Name}
		w.refused(w.decides(r, hers), store.ErrNotFound)
		other := r
		other.Digest = "another"
		w.refused(w.decides(other, answer(k, approve)), store.ErrConflict)
		late := answer(k, approve)
		late.At = r.ExpiresAt
		w.refused(w.decides(r, late), store.ErrConflict)
		w.refused(w.DecidePermissionRequest(w.ctx(), f.Team.ID, r.PublicID, r.Digest, answer(k, approve), k.LastUsedAt.Add(time.Millisecond)), store.ErrConflict)
		w.same("what the key holds", w.holds(k), k.Permissions)
		got, err := w.PermissionRequest(w.ctx(), f.Team.ID, r.PublicID)
		w.must(err)
		w.same("the request after all that", got, r)
		late.At = r.ExpiresAt.Add(-time.Millisecond)
		w.must(w.decides(r, late))
		second := w.wanted(k, reads)
		w.must(w.RevokeKey(w.ctx(), store.Revocation{KeyID: k.ID, TeamID: k.TeamID, By: late.By, At: after(time.Hour)}))
		w.refused(w.decides(second, answer(k, approve)), store.ErrConflict)
		w.must(w.decides(second, answer(k, deny)))
	}},

	{"of racing decisions one counts", func(w *world) {
		f := w.team("acme")
		k := w.key(f.Person)
		r := w.wanted(k, edits)
		verdicts := []dash.RequestDecisionVerdict{approve, deny, revise}
		winner := w.won(race(racers, func(i int) error { return w.decides(r, answer(k, verdicts[i%3])) }), store.ErrConflict)
		got, err := w.PermissionRequest(w.ctx(), f.Team.ID, r.PublicID)
		w.must(err)
		w.same("the verdict", got.Decision.Verdict, verdicts[winner%3])
		w.same("whether the key holds it", slices.Contains(w.holds(k), edits), winner%3 == 0)
		told := 0
		for _, e := range w.audited(f.Team) {
			if e.Subject.ID == r.PublicID {
				told++
			}
		}
		w.same("how many entries tell of it", told, 1)
	}},

	{"a grant that races with a revocation comes before it or not at all", func(w *world) {
		d := w.desk("acme", "SHOP")
		for range 10 {
			k := w.key(d.Person)
			r := w.wanted(k, edits)
			head := d.head()
			ended := race(2, func(i int) error {
				if i == 0 {
					return w.decides(r, answer(k, approve))
				}
				return w.RevokeKey(w.ctx(), store.Revocation{KeyID: k.ID, TeamID: k.TeamID, By: answer(k, approve).By, At: after(4 * time.Minute)})
			})
			w.must(ended[1])
			want := []dash.EventKind{dash.EventKindKeyGranted, dash.EventKindKeyRevoked}
			if ended[0] != nil {
				w.refused(ended[0], store.ErrConflict)
				want = want[1:]
			}
			var kinds []dash.EventKind
			for _, e := range d.log(head) {
				kinds = append(kinds, e.Kind)
			}
			w.same("the log", kinds, want)
			w.same("whether the key holds it", slices.Contains(w.holds(k), edits), ended[0] == nil)
		}
	}},

	{"racing grants to one key are both held", func(w *world) {
		f := w.team("acme")
		k := w.key(f.Person)
		asked := dash.AllPermissions[1:9]
		var requests []store.PermissionRequest
		for _, p := range asked {
			requests = append(requests, w.wanted(k, p))
		}
		for _, err := range race(len(requests), func(i int) error { return w.decides(requests[i], answer(k, approve)) }) {
			w.must(err)
		}
		held := w.holds(k)
		for _, p := range asked {
			if !slices.Contains(held, p) {
				w.Errorf("%s was granted and is not among %v", p, held)
			}
		}
	}},

	{"lists are an owner's, newest first, in pages, by state and by what waits", func(w *world) {
		f := w.team("acme")
		grace := w.person(f.Team, "grace@example.com")
		k, hers := w.key(f.Person), w.key(grace)
		w.wanted(hers, edits)
		var want []string
		for i := range 5 {
			r := w.wanting(k, edits)
			r.CreatedAt = r.CreatedAt.Add(time.Duration(i/2) * time.Millisecond)
			w.must(w.CreatePermissionRequest(w.ctx(), r, alive))
			if i == 4 {
				w.must(w.decides(r, answer(k, deny)))
			}
			want = append(want, r.PublicID)
		}
		slices.Reverse(want)
		list := func(q store.PermissionRequestQuery) (ids []string) {
			q.TeamID, q.OwnerID = f.Team.ID, f.Person.ID
			if q.Now.IsZero() {
				q.Now = after(5 * time.Minute)
			}
			page, err := w.ListPermissionRequests(w.ctx(), q)
			w.must(err)
			for _, r := range page {
				ids = append(ids, r.PublicID)
			}
			return ids
		}
		w.same("all", list(store.PermissionRequestQuery{Limit: 10}), want)
		for limit := 1; limit <= 6; limit++ {
			var got []string
			q := store.PermissionRequestQuery{Limit: limit}
			for page := list(q); len(page) > 0; page = list(q) {
				got = append(got, page...)
				last, err := w.PermissionRequest(w.ctx(), f.Team.ID, page[len(page)-1])
				w.must(err)
				q.After = store.Position{At: last.CreatedAt, ID: last.PublicID}
			}
			w.same(fmt.Sprint("by ", limit), got, want)
		}
		yes, no := true, false
		w.same("waiting", list(store.PermissionRequestQuery{Waiting: &yes, Limit: 10}), want[1:])
		w.same("not waiting", list(store.PermissionRequestQuery{Waiting: &no, Limit: 10}), want[:1])
		w.same("denied", list(store.PermissionRequestQuery{Status: dash.RequestStatusDenied, Limit: 10}), want[:1])
		w.same("expired later", list(store.PermissionRequestQuery{Status: dash.RequestStatusExpired, Now: after(time.Hour), Limit: 10}), want[1:])
		w.same("without a limit", list(store.PermissionRequestQuery{}), []string(nil))
	}},

	{"what ended long ago is forgotten", func(w *world) {
		f := w.team("acme")
		k := w.key(f.Person)
		pending, decided := w.wanted(k, edits), w.wanted(k, reads)
		w.must(w.decides(decided, answer(k, approve)))
		forget := func(before time.Time, want int64) {
			w.Helper()
			n, err := w.ForgetPermissionRequests(w.ctx(), before)
			w.must(err)
			w.same("how many are forgotten", n, want)
		}
		forget(after(4*time.Minute), 0)
		forget(after(4*time.Minute+time.Millisecond), 1)
		forget(pending.ExpiresAt, 0)
		forget(pending.ExpiresAt.Add(time.Millisecond), 1)
		w.same("what the key holds still", w.holds(k), []dash.Permission{dash.PermissionCardsView, reads})
	}},
}
