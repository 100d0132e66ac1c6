// SPDX-License-Identifier: Apache-2.0

package storetest

import (
	"fmt"
	"strings"
	"time"

	"github.com/fiftyarms/platform/gen/dash"
	"github.com/fiftyarms/platform/internal/store"
)

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
		d.Trail = note(dash.AuditEntry{Action: dash.AuditActionAccessApproved, Subject: subject("access_request", r.PublicID, r.Title), Permissions: d.Permissions, Note: new(d.Note)})
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
			a.Trail = note(dash.AuditEntry{Action: v.action, Subject: subject("permission_request", p.PublicID, "50a_Zk3v Mend the checkout"), Permissions: p.Permissions, Note: new(a.Note)})
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

	{"a refusal tells of no permissions, whatever it names", func(w *world) {
		f := w.team("acme")
		for v, action := range map[dash.RequestDecisionVerdict]dash.AuditAction{
			deny: dash.AuditActionAccessDenied, revise: dash.AuditActionAccessSentBack,
		} {
			r := w.asking(f.Team)
			r.Title = ""
			w.must(w.CreateAccessRequest(w.ctx(), r))
			d := verdict(f.Person, v)
			d.Permissions = []dash.Permission{edits}
			w.must(w.DecideAccessRequest(w.ctx(), r.PublicID, r.Digest, d, collectBy))
			page, err := w.ListAudit(w.ctx(), store.AuditQuery{TeamID: f.Team.ID, Action: action, Limit: 10})
			w.must(err)
			w.same("how many entries", len(page), 1)
			w.same("the permissions", page[0].Permissions, []dash.Permission(nil))
			w.same("the name of what has no title", page[0].Subject.Name, r.Client.Name)
		}
	}},

	{"what is audited leaves a trail of its own, or does not happen", func(w *world) {
		w.must(w.OfferSetup(w.ctx(), "offer"))
		f := w.founding("acme")
		if err := w.Store.SetUp(w.ctx(), "offer", f); !trailless(err) {
			w.Fatal("a setup without a trail:", err)
		}
		w.must(w.SetUp(w.ctx(), "offer", f))
		grace := w.person(f.Team, "grace@example.com")
		used := w.audited(f.Team)[0].ID
		approved, asked, k := w.approved(f.Person, f.Team), w.request(f.Team), w.key(f.Person)
		wanted := w.wanted(k, edits)
		l, handedOut, head := w.session(grace), w.handedOut(f.Person), w.Of(f.Team.ID)
		changes := map[string]func(t store.Trail) error{
			"CreateLogin": func(t store.Trail) error { l.Trail = t; return w.Store.CreateLogin(w.ctx(), l) },
			"DecideAccessRequest": func(t store.Trail) error {
				d := verdict(f.Person, approve)
				d.Trail = t
				return w.Store.DecideAccessRequest(w.ctx(), asked.PublicID, asked.Digest, d, collectBy)
			},
			"CollectKey": func(t store.Trail) error {
				handedOut.Trail = t
				return w.Store.CollectKey(w.ctx(), approved.SecretHash, handedOut)
			},
			"RevokeKey": func(t store.Trail) error {
				return w.Store.RevokeKey(w.ctx(), store.Revocation{KeyID: k.ID, TeamID: k.TeamID, By: answer(k, deny).By, At: start, Trail: t})
			},
			"DecidePermissionRequest": func(t store.Trail) error {
				d := answer(k, approve)
				d.Trail = t
				return w.Store.DecidePermissionRequest(w.ctx(), k.TeamID, wanted.PublicID, wanted.Digest, d, alive)
			},
		}
		state := func() []any {
			one, err := w.AccessRequest(w.ctx(), asked.PublicID)
			w.must(err)
			two, err := w.AccessRequest(w.ctx(), approved.PublicID)
			w.must(err)
			three, err := w.PermissionRequest(w.ctx(), k.TeamID, wanted.PublicID)
			w.must(err)
			keys, err := w.ListKeys(w.ctx(), store.KeyQuery{TeamID: k.TeamID, Limit: 10})
			w.must(err)
			at, err := head.EventHead(w.ctx())
			w.must(err)
			_, _, _, err = w.Login(w.ctx(), l.TokenHash, start)
			w.refused(err, store.ErrNotFound)
			return []any{one, two, three, keys, at, w.audited(f.Team)}
		}
		before := state()
		for method, change := range changes {
			if err := change(store.Trail{Address: "192.0.2.7"}); !trailless(err) {
				w.Errorf("%s without a trail: %v", method, err)
			}
			w.refused(change(store.Trail{ID: used}), store.ErrDuplicate) // of another change
			w.same("what there is after "+method, state(), before)
		}
		for _, method := range []string{"CreateLogin", "DecideAccessRequest", "CollectKey", "DecidePermissionRequest", "RevokeKey"} {
			w.must(changes[method](store.Trail{ID: w.id("trail")}))
		}
	}},
}

// trailless says whether err tells its reader what is missing.
func trailless(err error) bool { return err != nil && strings.Contains(err.Error(), "needs a trail") }

func (w *world) audited(t store.Team) []dash.AuditEntry {
	w.Helper()
	all, err := w.ListAudit(w.ctx(), store.AuditQuery{TeamID: t.ID, Limit: 1000})
	w.must(err)
	return all
}
