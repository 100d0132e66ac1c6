// SPDX-License-Identifier: Apache-2.0

package storetest

import (
	"reflect"
	"slices"
	"time"

	"github.com/fiftyarms/platform/gen/dash"
	"github.com/fiftyarms/platform/internal/store"
)

// A side is a team with a row of each kind.
type side struct {
	store.Founding
	pending store.AccessRequest // named the team
	decided store.AccessRequest // named none
	key     store.Key
	wanted  store.PermissionRequest // pending, of the key
	session store.PlanSession
	desk    *desk
}

func (w *world) side(slug string) side {
	w.Helper()
	f := w.team(slug)
	s := side{Founding: f, pending: w.request(f.Team), decided: w.approved(f.Person, store.Team{}), key: w.key(f.Person)}
	s.wanted = w.wanted(s.key, edits)
	s.session = w.connected(s.key, alive, 1)
	s.desk = w.deskOf(f, "P"+slug)
	s.desk.furnish()
	return s
}

// state is what can be read of a side, for comparing before and after.
func (w *world) state(s side) map[string]any {
	w.Helper()
	state := map[string]any{}
	note := func(what string, v any, err error) {
		w.must(err)
		state[what] = v
	}
	keys, err := w.ListKeys(w.ctx(), store.KeyQuery{TeamID: s.Team.ID, Limit: 100})
	note("keys", keys, err)
	requests, err := w.ListAccessRequests(w.ctx(), store.AccessRequestQuery{TeamID: s.Team.ID, Now: start, Limit: 100})
	note("requests", requests, err)
	wanted, err := w.ListPermissionRequests(w.ctx(), store.PermissionRequestQuery{TeamID: s.Team.ID, OwnerID: s.Person.ID, Now: start, Limit: 100})
	note("permission requests", wanted, err)
	audit, err := w.ListAudit(w.ctx(), store.AuditQuery{TeamID: s.Team.ID, Limit: 100})
	note("audit", audit, err)
	login, person, team, err := w.Login(w.ctx(), s.Login.TokenHash, start)
	note("login", []any{login, person, team}, err)
	state["work"] = s.desk.everything()
	return state
}

// apart says for each method that touches a team's rows how it keeps to one team. Both sides have the same rows.
var apart = map[string]func(w *world, mine, theirs side){
	"TeamByRef": func(w *world, mine, _ side) {
		got, err := w.TeamByRef(w.ctx(), mine.Team.Slug)
		w.must(err)
		w.same("the team", got, mine.Team)
	},
	"AddPerson": func(w *world, mine, _ side) {
		p := w.person(mine.Team, "grace@example.com")
		got, err := w.PersonByEmail(w.ctx(), p.Email)
		w.must(err)
		w.same("the person's team", got.TeamID, mine.Team.ID)
	},
	"PersonByEmail": func(w *world, mine, _ side) {
		got, err := w.PersonByEmail(w.ctx(), mine.Person.Email)
		w.must(err)
		w.same("the person", got, mine.Person)
	},
	"Owner": func(w *world, mine, theirs side) {
		got, err := w.Owner(w.ctx(), mine.Team.ID, mine.Person.ID)
		w.must(err)
		w.same("the person", got, mine.Person)
		_, err = w.Owner(w.ctx(), mine.Team.ID, theirs.Person.ID)
		w.refused(err, store.ErrNotFound)
	},
	"CreateLogin": func(w *world, mine, theirs side) {
		l := w.session(theirs.Person)
		l.TeamID = mine.Team.ID
		w.refused(w.CreateLogin(w.ctx(), l), store.ErrNotFound)
	},
	"Login": func(w *world, mine, _ side) {
		_, p, team, err := w.Login(w.ctx(), mine.Login.TokenHash, start)
		w.must(err)
		w.same("the person", p, mine.Person)
		w.same("the team", team, mine.Team)
	},
	"DeleteLogin": func(w *world, mine, _ side) { w.must(w.DeleteLogin(w.ctx(), mine.Login.TokenHash)) },
	"KeyByHash": func(w *world, mine, _ side) {
		k, team, err := w.KeyByHash(w.ctx(), mine.key.Hash)
		w.must(err)
		w.same("the key's team", k.TeamID, mine.Team.ID)
		w.same("the team", team, mine.Team)
	},
	"TouchKey": func(w *world, mine, _ side) { w.must(w.TouchKey(w.ctx(), mine.key.ID, after(time.Hour))) },
	"ListKeys": func(w *world, mine, theirs side) {
		for owner, want := range map[string][]string{"": {mine.key.ID}, mine.Person.ID: {mine.key.ID}, theirs.Person.ID: {}} {
			page, err := w.ListKeys(w.ctx(), store.KeyQuery{TeamID: mine.Team.ID, OwnerID: owner, Limit: 100})
			w.must(err)
			w.same("the keys of owner "+owner, keyIDs(page), want)
		}
		page, err := w.ListKeys(w.ctx(), store.KeyQuery{Limit: 100})
		w.must(err)
		w.same("the keys of no team", keyIDs(page), []string{})
	},
	"RevokeKey": func(w *world, mine, theirs side) {
		r := store.Revocation{KeyID: theirs.key.ID, TeamID: mine.Team.ID, By: dash.PersonRef{ID: mine.Person.ID}, At: start}
		w.refused(w.RevokeKey(w.ctx(), r), store.ErrNotFound)
		r.OwnerID = theirs.Person.ID
		w.refused(w.RevokeKey(w.ctx(), r), store.ErrNotFound)
		w.revoked(mine.key)
	},
	"CreateAccessRequest": func(w *world, mine, _ side) { w.request(mine.Team) },
	"AccessRequest": func(w *world, mine, _ side) {
		got, err := w.AccessRequest(w.ctx(), mine.pending.PublicID)
		w.must(err)
		w.same("the request's team", got.Team, mine.Team)
		got, err = w.AccessRequest(w.ctx(), mine.decided.PublicID)
		w.must(err)
		w.same("the deciding team", got.Decision.TeamID, mine.Team.ID)
	},
	"AccessRequestBySecret": func(w *world, mine, _ side) {
		got, err := w.AccessRequestBySecret(w.ctx(), mine.pending.SecretHash)
		w.must(err)
		w.same("the request's team", got.Team, mine.Team)
	},
	"ListAccessRequests": func(w *world, mine, theirs side) {
		w.request(store.Team{})
		page, err := w.ListAccessRequests(w.ctx(), store.AccessRequestQuery{TeamID: mine.Team.ID, Now: start, Limit: 100})
		w.must(err)
		for _, r := range page {
			if r.Team.ID == theirs.Team.ID || (r.Team.ID == "" && r.Decision == nil) || (r.Decision != nil && r.Decision.TeamID != mine.Team.ID) {
				w.Errorf("a list of %s holds %+v", mine.Team.Slug, r)
			}
		}
		page, err = w.ListAccessRequests(w.ctx(), store.AccessRequestQuery{Now: start, Limit: 100})
		w.must(err)
		w.same("the requests of no team", requestIDs(page), []string{})
	},
	"DecideAccessRequest": func(w *world, mine, theirs side) {
		d := verdict(mine.Person, approve)
		w.refused(w.DecideAccessRequest(w.ctx(), theirs.pending.PublicID, theirs.pending.Digest, d, collectBy), store.ErrNotFound)
		w.must(w.DecideAccessRequest(w.ctx(), mine.pending.PublicID, mine.pending.Digest, d, collectBy))
	},
	"CollectKey": func(w *world, mine, theirs side) {
		w.refused(w.CollectKey(w.ctx(), theirs.decided.SecretHash, w.handedOut(mine.Person)), store.ErrConflict)
		w.must(w.CollectKey(w.ctx(), mine.decided.SecretHash, w.handedOut(mine.Person)))
	},
	"CreatePermissionRequest": func(w *world, mine, theirs side) {
		r := w.wanting(theirs.key, edits)
		r.Key.TeamID = mine.Team.ID
		w.refused(w.CreatePermissionRequest(w.ctx(), r, alive), store.ErrNotFound)
		w.wanted(mine.key, edits)
	},
	"PermissionRequest": func(w *world, mine, theirs side) {
		_, err := w.PermissionRequest(w.ctx(), mine.Team.ID, theirs.wanted.PublicID)
		w.refused(err, store.ErrNotFound)
	},
	"ListPermissionRequests": func(w *world, mine, theirs side) {
		page, err := w.ListPermissionRequests(w.ctx(), store.PermissionRequestQuery{TeamID: mine.Team.ID, OwnerID: theirs.Person.ID, Now: start, Limit: 100})
		w.must(err)
		w.same("how many of the other team's", len(page), 0)
	},
	"DecidePermissionRequest": func(w *world, mine, theirs side) {
		d := answer(mine.key, approve)
		w.refused(w.DecidePermissionRequest(w.ctx(), mine.Team.ID, theirs.wanted.PublicID, theirs.wanted.Digest, d, alive), store.ErrNotFound)
		w.refused(w.DecidePermissionRequest(w.ctx(), theirs.Team.ID, theirs.wanted.PublicID, theirs.wanted.Digest, d, alive), store.ErrNotFound)
		w.must(w.decides(mine.wanted, d))
	},
	"ListAudit": func(w *world, mine, theirs side) {
		page, err := w.ListAudit(w.ctx(), store.AuditQuery{TeamID: mine.Team.ID, Limit: 100})
		w.must(err)
		for _, e := range page {
			if e.By.ID == theirs.Person.ID {
				w.Errorf("the audit log of %s holds %+v", mine.Team.Slug, e)
			}
		}
	},
	"Connect": func(w *world, mine, theirs side) {
		s := w.connecting(theirs.key)
		s.TeamID = mine.Team.ID
		_, err := w.Connect(w.ctx(), s, alive)
		w.refused(err, store.ErrNotFound)
		w.connected(w.keyMade(mine.Person, after(2*time.Minute)), alive, 2)
	},
	"SessionByKey": func(w *world, mine, _ side) {
		got, err := w.SessionByKey(w.ctx(), mine.key.ID)
		w.must(err)
		w.same("the session", got.ID, mine.session.ID)
	},
	"Leave": func(w *world, mine, theirs side) {
		w.must(w.Leave(w.ctx(), mine.key.ID))
		again := w.connecting(theirs.key)
		got, err := w.Connect(w.ctx(), again, alive)
		w.must(err)
		w.same("the other team's session", got.ID, theirs.session.ID)
	},
	"Of":     readsApart,
	"Change": changesApart,
}

// whole are the methods that are of the instance, not of a team.
var whole = []string{"Ping", "Instance", "Close", "IsSetUp", "OfferSetup", "SetUp", "ForgetAccessRequests", "ForgetPermissionRequests"}

var tenancy = []test{
	{"every method keeps to one team", func(w *world) {
		mine, theirs := w.side("acme"), w.side("bolt")
		w.connected(w.key(theirs.Person), alive, 2)
		theirs.desk.board = theirs.desk.newBoard("ONLY").Ref // as no other team has
		theirs.desk.furnish()
		for method := range methods() {
			keeps, known := apart[method]
			switch {
			case slices.Contains(whole, method):
				continue
			case !known:
				w.Fatalf("nobody says how %s keeps to one team: add it to the table", method)
			}
			before := w.state(theirs)
			keeps(w, mine, theirs)
			w.same("what the other team sees after "+method, w.state(theirs), before)
			mine = w.side(w.id("")) // with new rows: this method may have spent the others
		}
	}},
}

// methods are those of a store.Store, with their types.
func methods() map[string]reflect.Type { return methodsOf[store.Store]() }

func methodsOf[T any]() map[string]reflect.Type {
	all := map[string]reflect.Type{}
	t := reflect.TypeFor[T]()
	for m := range t.NumMethod() {
		all[t.Method(m).Name] = t.Method(m).Type
	}
	return all
}
