// SPDX-License-Identifier: Apache-2.0

package storetest

import (
	"cmp"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/fiftyarms/platform/gen/dash"
	"github.com/fiftyarms/platform/internal/store"
)

// harmful is text that a store keeps as it is.
var harmful = []string{
	`Robert'); DROP TABLE person; --`,
	`" ' \ \\ \' "" '' \n`,
	`$1 ?1 :a @b %s %_*?[] ${HOME} {{.}} <script>&amp;</script>`,
	"\n\r\t\x01\x1b[31m\x7f",
	"🦾 👩‍👩‍👧‍👦 e\u0301 \u202eltr\u202c \u2028 \ufeff \ufffd \U0010ffff",
	" leading and trailing ",
}

// unstorable is text that PostgreSQL cannot hold, so that no store may take it.
var unstorable = []string{"\x00", "a\x00b", "\xff", "cut \xc3"}

var text = []test{
	{"text that means harm is kept as it is, everywhere", func(w *world) {
		w.must(w.OfferSetup(w.ctx(), "offer"))
		for i, s := range harmful {
			w.story(i == 0, s, func(word string) string { return word + s })
		}
	}},

	{"64 kB are kept wherever text is not looked up by", func(w *world) {
		w.must(w.OfferSetup(w.ctx(), "offer"))
		w.story(true, strings.Repeat("64 kB ü ", 64<<10/9), w.id)
	}},

	{"an empty text is an empty text", func(w *world) {
		w.must(w.OfferSetup(w.ctx(), "offer"))
		w.story(true, "", w.id)
	}},

	{"a setup refuses text that no store may take", func(w *world) {
		w.must(w.OfferSetup(w.ctx(), "offer"))
		args := struct {
			Token    string
			Founding store.Founding
		}{"offer", w.founding("acme")}
		w.plant(&args, []string{"Founding.Login.Trail.ID", "Founding.Login.Trail.Address"}, func() error { return w.SetUp(w.ctx(), args.Token, args.Founding) })
		w.must(w.SetUp(w.ctx(), args.Token, args.Founding))
	}},

	{"so does everything else, and changes nothing", func(w *world) {
		s := w.side("acme")
		before := w.state(s)
		w.refuseText(s)
		w.same("what the team sees", w.state(s), before)
	}},
}

// story makes a row of each kind with text in every field that is not looked up by, and named text in the others, and
// reads each back.
func (w *world) story(first bool, text string, name func(word string) string) {
	w.Helper()
	f := w.founding(name("slug"))
	f.Team.ID, f.Team.Name = name("team"), text
	f.Person.ID, f.Person.TeamID, f.Person.Email = name("person"), f.Team.ID, name("email")
	f.Person.Name, f.Person.PasswordHash = text, text
	f.Login = store.Login{TokenHash: name("token"), PersonID: f.Person.ID, TeamID: f.Team.ID, CSRFToken: text, CreatedAt: start, ExpiresAt: after(time.Hour)}
	if first {
		w.must(w.SetUp(w.ctx(), "offer", f))
	} else {
		w.must(w.AddTeam(w.ctx(), f.Team))
		w.must(w.AddPerson(w.ctx(), f.Person))
		w.must(w.CreateLogin(w.ctx(), f.Login))
	}
	login, person, team, err := w.Login(w.ctx(), f.Login.TokenHash, start)
	w.must(err)
	w.same("what was founded", store.Founding{Team: team, Person: person, Login: login}, f)
	person, err = w.PersonByEmail(w.ctx(), f.Person.Email)
	w.must(err)
	w.same("the person", person, f.Person)
	team, err = w.TeamByRef(w.ctx(), f.Team.Slug)
	w.must(err)
	w.same("the team", team, f.Team)

	r := w.asking(f.Team)
	r.PublicID, r.SecretHash = name("request"), name("secret")
	r.Title, r.Address, r.ConfirmCode, r.Digest = text, text, text, text
	r.Client = dash.AskingClient{Name: text, Version: &text, Host: &text, Project: &text}
	w.must(w.CreateAccessRequest(w.ctx(), r))
	d := verdict(f.Person, approve)
	d.Note = text
	w.must(w.DecideAccessRequest(w.ctx(), r.PublicID, r.Digest, d, collectBy))
	r.Status, r.Decision, r.ExpiresAt = dash.RequestStatusApproved, &d, collectBy
	got, err := w.AccessRequestBySecret(w.ctx(), r.SecretHash)
	w.must(err)
	w.same("the request", got, r)

	k := w.handedOut(f.Person)
	k.ID, k.Hash, k.Prefix, k.Title = name("key"), name("hash"), text, text
	w.must(w.CollectKey(w.ctx(), r.SecretHash, k))
	w.grantStory(k, text, name)
	by := dash.PersonRef{ID: text, Name: text}
	w.must(w.RevokeKey(w.ctx(), store.Revocation{KeyID: k.ID, TeamID: f.Team.ID, By: by, At: after(time.Hour)}))
	k.RevokedAt, k.RevokedBy = after(time.Hour), by
	page, err := w.ListKeys(w.ctx(), store.KeyQuery{TeamID: f.Team.ID, OwnerID: f.Person.ID, Limit: 10})
	w.must(err)
	w.same("the keys", page, []store.Key{k})

	session := w.connecting(k)
	session.ID, session.Title = name("session"), text
	connected, err := w.Connect(w.ctx(), session, alive)
	w.must(err)
	session.Agent = dash.AgentRef{ID: 1, Name: "Agent 1"}
	w.same("the session", connected, session)
	w.must(w.Leave(w.ctx(), k.ID))

	w.workStory(f, text, name)
}

// grantStory asks for more in words of text and has it refused in the same, and reads both back.
func (w *world) grantStory(k store.Key, text string, name func(word string) string) {
	w.Helper()
	r := w.wanting(k, edits)
	r.PublicID, r.Reason, r.Address, r.ConfirmCode, r.Digest = name("wanted"), text, text, text, text
	w.must(w.CreatePermissionRequest(w.ctx(), r, alive))
	d := answer(k, deny)
	d.Note, d.Trail = text, store.Trail{ID: name("trail"), Address: cmp.Or(text, "nowhere")}
	w.must(w.decides(r, d))
	entry := dash.AuditEntry{
		ID: d.Trail.ID, At: dash.At(d.At), Action: dash.AuditActionPermissionDenied, By: d.By, Address: d.Trail.Address, Permissions: r.Permissions,
		Subject: dash.AuditSubject{Kind: dash.AuditSubjectKindPermissionRequest, ID: r.PublicID, Name: k.Prefix + " " + k.Title},
	}
	if text != "" {
		entry.Note = &text
	}
	d.Trail = store.Trail{}
	r.Status, r.Decision = dash.RequestStatusDenied, &d
	got, err := w.PermissionRequest(w.ctx(), k.TeamID, r.PublicID)
	w.must(err)
	w.same("the permission request", got, r)
	told, err := w.ListAudit(w.ctx(), store.AuditQuery{TeamID: k.TeamID, Action: entry.Action, Limit: 10})
	w.must(err)
	w.same("its entry", told, []dash.AuditEntry{entry})
}

// refuseText puts what no store may take into each text of each argument of each method in turn.
func (w *world) refuseText(s side) {
	w.Helper()
	var arg string
	for _, look := range []func() error{
		func() error { return w.OfferSetup(w.ctx(), arg) },
		func() error { _, err := w.TeamByRef(w.ctx(), arg); return err },
		func() error { _, err := w.PersonByEmail(w.ctx(), arg); return err },
		func() error { _, err := w.Owner(w.ctx(), arg, s.Person.ID); return err },
		func() error { _, err := w.Owner(w.ctx(), s.Team.ID, arg); return err },
		func() error { _, err := w.PermissionRequest(w.ctx(), arg, "x"); return err },
		func() error { _, err := w.PermissionRequest(w.ctx(), s.Team.ID, arg); return err },
		func() error { _, _, _, err := w.Login(w.ctx(), arg, start); return err },
		func() error { return w.DeleteLogin(w.ctx(), arg) },
		func() error { _, _, err := w.KeyByHash(w.ctx(), arg); return err },
		func() error { return w.TouchKey(w.ctx(), arg, after(time.Hour)) },
		func() error { _, err := w.AccessRequest(w.ctx(), arg); return err },
		func() error { _, err := w.AccessRequestBySecret(w.ctx(), arg); return err },
		func() error { _, err := w.SessionByKey(w.ctx(), arg); return err },
		func() error { return w.Leave(w.ctx(), arg) },
	} {
		for _, arg = range unstorable {
			w.refused(look(), store.ErrText)
		}
	}

	team := store.Team{ID: "t", Slug: "s", Name: "n", CreatedAt: start}
	w.plant(&team, nil, func() error { return w.AddTeam(w.ctx(), team) })
	p := w.somebody(s.Team, "grace@example.com")
	w.plant(&p, nil, func() error { return w.AddPerson(w.ctx(), p) })
	l := w.session(s.Person)
	w.plant(&l, nil, func() error { return w.CreateLogin(w.ctx(), l) })
	place := store.Position{At: start, ID: "x"}
	keys := store.KeyQuery{TeamID: s.Team.ID, OwnerID: s.Person.ID, After: place, Limit: 1}
	w.plant(&keys, nil, func() error { _, err := w.ListKeys(w.ctx(), keys); return err })
	r := store.Revocation{KeyID: s.key.ID, TeamID: s.Team.ID, OwnerID: s.Person.ID, By: dash.PersonRef{ID: "p", Name: "n"}, At: start}
	w.plant(&r, nil, func() error { return w.RevokeKey(w.ctx(), r) })
	asking := w.asking(s.Team)
	asking.Client.Version = new(string)
	w.plant(&asking, []string{"Team.Slug", "Team.Name", "Status", "KeyID"}, func() error { return w.CreateAccessRequest(w.ctx(), asking) })
	list := store.AccessRequestQuery{TeamID: s.Team.ID, Status: "denied", Now: start, After: place, Limit: 1}
	w.plant(&list, nil, func() error { _, err := w.ListAccessRequests(w.ctx(), list); return err })
	decision := struct {
		ID, Digest string
		D          store.RequestDecision
	}{s.pending.PublicID, s.pending.Digest, verdict(s.Person, deny)}
	w.plant(&decision, nil, func() error {
		return w.DecideAccessRequest(w.ctx(), decision.ID, decision.Digest, decision.D, collectBy)
	})
	collect := struct {
		Secret string
		Key    store.Key
	}{s.decided.SecretHash, w.handedOut(s.Person)}
	w.plant(&collect, []string{"Key.OwnerName", "Key.RevokedBy.ID", "Key.RevokedBy.Name"}, func() error {
		return w.CollectKey(w.ctx(), collect.Secret, collect.Key)
	})
	wanting := w.wanting(s.key, edits)
	w.plant(&wanting, []string{"Key.Hash", "Key.Prefix", "Key.Title", "Key.OwnerName", "Key.RevokedBy.ID", "Key.RevokedBy.Name", "Key.Permissions.0", "Key.Trail.ID", "Key.Trail.Address", "Status"}, func() error {
		return w.CreatePermissionRequest(w.ctx(), wanting, alive)
	})
	asked := store.PermissionRequestQuery{TeamID: s.Team.ID, OwnerID: s.Person.ID, Status: "denied", Now: start, After: place, Limit: 1}
	w.plant(&asked, nil, func() error { _, err := w.ListPermissionRequests(w.ctx(), asked); return err })
	answered := struct {
		Team, ID, Digest string
		D                store.PermissionDecision
	}{s.Team.ID, s.wanted.PublicID, s.wanted.Digest, answer(s.key, deny)}
	w.plant(&answered, nil, func() error {
		return w.DecidePermissionRequest(w.ctx(), answered.Team, answered.ID, answered.Digest, answered.D, alive)
	})
	audit := store.AuditQuery{TeamID: s.Team.ID, Action: dash.AuditActionKeyRevoked, After: place, Limit: 1}
	w.plant(&audit, nil, func() error { _, err := w.ListAudit(w.ctx(), audit); return err })
	w.must(w.Leave(w.ctx(), s.key.ID))
	session := w.connecting(s.key)
	w.plant(&session, []string{"Agent.Name"}, func() error { _, err := w.Connect(w.ctx(), session, alive); return err })
	w.refuseWorkText(s.desk)
}

// plant puts what no store may take into each text of args in turn, but for those that the call does not read, and
// wants the call to refuse.
func (w *world) plant(args any, unread []string, call func() error) {
	w.Helper()
	fields := 0
	var walk func(v reflect.Value, path string)
	walk = func(v reflect.Value, path string) {
		switch {
		case v.Kind() == reflect.Pointer && !v.IsNil():
			walk(v.Elem(), path)
		case v.Kind() == reflect.Struct && v.Type() != reflect.TypeFor[time.Time]():
			for i := range v.NumField() {
				walk(v.Field(i), strings.TrimPrefix(path+"."+v.Type().Field(i).Name, "."))
			}
		case v.Kind() == reflect.Slice:
			for i := range v.Len() {
				walk(v.Index(i), fmt.Sprint(path, ".", i))
			}
		case v.Kind() == reflect.String && !slices.Contains(unread, path):
			fields++
			good := v.String()
			for _, bad := range unstorable {
				v.SetString(bad)
				if err := call(); !errors.Is(err, store.ErrText) {
					w.Errorf("%T takes %q as %s: %v", args, bad, path, err)
				}
			}
			v.SetString(good)
		}
	}
	walk(reflect.ValueOf(args).Elem(), "")
	if fields == 0 {
		w.Errorf("%T has no text", args)
	}
}
