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

var audits = []test{
	{"each change that is audited leaves one entry, and none where it does not happen", func(w *world) {
		f := w.team("acme")
		by := dash.PersonRef{ID: f.Person.ID, Name: f.Person.Name}
		var want []dash.AuditEntry
		n := 0
		note := func(e dash.AuditEntry) store.Trail {
			n++
			e.ID, e.Address, e.By, e.At = fmt.Sprintf("%032x", n), "192.0.2.9", by, dash.At(after(time.Duration(n)*time.Minute))
			want = append([]dash.AuditEntry{e}, want...)
			return store.Trail{ID: e.ID, Address: e.Address}
		}
		at := func() time.Time { return after(time.Duration(n) * time.Minute) }
		text := func(s string) *string { return &s }
		subject := func(kind dash.AuditSubjectKind, id, name string) dash.AuditSubject {
			return dash.AuditSubject{Kind: kind, ID: id, Name: name}
		}
		first, err := w.ListAudit(w.ctx(), store.AuditQuery{TeamID: f.Team.ID, Limit: 10})
		w.must(err)
		w.same("the first entry's action", first[0].Action, dash.AuditActionTeamSetUp)

		l := w.session(f.Person)
		l.Trail = note(dash.AuditEntry{Action: dash.AuditActionPersonSignedIn, Subject: subject("person", by.ID, by.Name)})
		l.CreatedAt = at()
		w.must(w.CreateLogin(w.ctx(), l))
		w.refused(w.CreateLogin(w.ctx(), l), store.ErrDuplicate)

		r := w.request(f.Team)
		d := verdict(f.Person, approve)
		d.Trail = note(dash.AuditEntry{Action: dash.AuditActionAccessApproved, Subject: subject("access_request", r.PublicID, r.Title), Permissions: d.Permissions, Note: text(d.Note)})
		d.At = at()
		w.must(w.DecideAccessRequest(w.ctx(), r.PublicID, r.Digest, d, after(time.Hour)))
		w.refused(w.DecideAccessRequest(w.ctx(), r.PublicID, r.Digest, d, after(time.Hour)), store.ErrConflict)

		k := w.handedOut(f.Person)
		k.Trail = note(dash.AuditEntry{Action: dash.AuditActionKeyIssued, Subject: subject("key", k.ID, "50a_Zk3v Mend the checkout"), Permissions: k.Permissions})
		k.CreatedAt, k.LastUsedAt = at(), at()
		w.must(w.CollectKey(w.ctx(), r.SecretHash, k))
		w.refused(w.CollectKey(w.ctx(), r.SecretHash, k), store.ErrConflict)

		for _, v := range []struct {
			verdict dash.RequestDecisionVerdict
			action  dash.AuditAction
		}{{deny, dash.AuditActionPermissionDenied}, {revise, dash.AuditActionPermissionSentBack}, {approve, dash.AuditActionPermissionApproved}} {
			p := w.wanted(k, edits)
			a := answer(k, v.verdict)
			a.Trail = note(dash.AuditEntry{Action: v.action, Subject: subject("permission_request", p.PublicID, "50a_Zk3v Mend the checkout"), Permissions: p.Permissions, Note: text(a.Note)})
			a.At = at()
			w.must(w.decides(p, a))
			w.refused(w.decides(p, a), store.ErrConflict)
		}

		v := store.Revocation{KeyID: k.ID, TeamID: f.Team.ID, By: by}
		v.Trail = note(dash.AuditEntry{Action: dash.AuditActionKeyRevoked, Subject: subject("key", k.ID, "50a_Zk3v Mend the checkout")})
		v.At = at()
		w.must(w.RevokeKey(w.ctx(), v))
		v.Trail = store.Trail{ID: "again", Address: "x"}
		w.must(w.RevokeKey(w.ctx(), v)) // changes nothing, and leaves nothing

		got, err := w.ListAudit(w.ctx(), store.AuditQuery{TeamID: f.Team.ID, Limit: 100})
		w.must(err)
		w.same("the log", got, append(want, first...))
		for limit := 1; limit <= 3; limit++ {
			var paged []dash.AuditEntry
			q := store.AuditQuery{TeamID: f.Team.ID, Limit: limit}
			for {
				page, err := w.ListAudit(w.ctx(), q)
				w.must(err)
				if len(page) == 0 {
					break
				}
				paged = append(paged, page...)
				q.After = store.Position{At: page[len(page)-1].At.Time, ID: page[len(page)-1].ID}
			}
			w.same(fmt.Sprint("the log by ", limit), paged, got)
		}
		one, err := w.ListAudit(w.ctx(), store.AuditQuery{TeamID: f.Team.ID, Action: dash.AuditActionKeyRevoked, Limit: 100})
		w.must(err)
		w.same("one action", one, want[:1])
		none, err := w.ListAudit(w.ctx(), store.AuditQuery{TeamID: f.Team.ID})
		w.must(err)
		w.same("without a limit", len(none), 0)
	}},

	{"what is audited says where it came from, or does not happen", func(w *world) {
		f := w.team("acme")
		l := w.session(f.Person)
		if err := w.Store.CreateLogin(w.ctx(), l); err == nil {
			w.Error("a sign-in without a trail is kept")
		}
		_, _, _, err := w.Login(w.ctx(), l.TokenHash, start)
		w.refused(err, store.ErrNotFound)
	}},
}
