// SPDX-License-Identifier: Apache-2.0

package storetest

import (
	"context"
	"errors"
	"reflect"
	"time"

	"github.com/fiftyarms/platform/gen/dash"
	"github.com/fiftyarms/platform/internal/store"
)

// calls are a call of each method that takes a context, which would succeed and change what a side sees.
func (w *world) calls(s side) map[string]func(context.Context) error {
	return map[string]func(context.Context) error{
		"Ping":       func(ctx context.Context) error { return w.Ping(ctx) },
		"Instance":   func(ctx context.Context) error { _, err := w.Instance(ctx); return err },
		"IsSetUp":    func(ctx context.Context) error { _, err := w.IsSetUp(ctx); return err },
		"OfferSetup": func(ctx context.Context) error { return w.OfferSetup(ctx, "offer") },
		"SetUp":      func(ctx context.Context) error { return w.SetUp(ctx, "offer", w.founding("bolt")) },
		"TeamByRef":  func(ctx context.Context) error { _, err := w.TeamByRef(ctx, s.Team.ID); return err },
		"AddPerson": func(ctx context.Context) error {
			return w.AddPerson(ctx, w.somebody(s.Team, "grace@example.com"))
		},
		"PersonByEmail": func(ctx context.Context) error { _, err := w.PersonByEmail(ctx, s.Person.Email); return err },
		"Owner":         func(ctx context.Context) error { _, err := w.Owner(ctx, s.Team.ID, s.Person.ID); return err },
		"CreateLogin":   func(ctx context.Context) error { return w.CreateLogin(ctx, w.session(s.Person)) },
		"Login": func(ctx context.Context) error {
			_, _, _, err := w.Login(ctx, s.Login.TokenHash, start)
			return err
		},
		"DeleteLogin": func(ctx context.Context) error { return w.DeleteLogin(ctx, s.Login.TokenHash) },
		"KeyByHash":   func(ctx context.Context) error { _, _, err := w.KeyByHash(ctx, s.key.Hash); return err },
		"TouchKey":    func(ctx context.Context) error { return w.TouchKey(ctx, s.key.ID, after(time.Hour)) },
		"ListKeys": func(ctx context.Context) error {
			_, err := w.ListKeys(ctx, store.KeyQuery{TeamID: s.Team.ID, Limit: 1})
			return err
		},
		"RevokeKey": func(ctx context.Context) error {
			return w.RevokeKey(ctx, store.Revocation{KeyID: s.key.ID, TeamID: s.Team.ID, By: dash.PersonRef{ID: "x"}, At: start})
		},
		"CreateAccessRequest": func(ctx context.Context) error { return w.CreateAccessRequest(ctx, w.asking(s.Team)) },
		"AccessRequest": func(ctx context.Context) error {
			_, err := w.AccessRequest(ctx, s.pending.PublicID)
			return err
		},
		"AccessRequestBySecret": func(ctx context.Context) error {
			_, err := w.AccessRequestBySecret(ctx, s.pending.SecretHash)
			return err
		},
		"ListAccessRequests": func(ctx context.Context) error {
			_, err := w.ListAccessRequests(ctx, store.AccessRequestQuery{TeamID: s.Team.ID, Now: start, Limit: 1})
			return err
		},
		"DecideAccessRequest": func(ctx context.Context) error {
			return w.DecideAccessRequest(ctx, s.pending.PublicID, s.pending.Digest, verdict(s.Person, deny), collectBy)
		},
		"CollectKey": func(ctx context.Context) error {
			return w.CollectKey(ctx, s.decided.SecretHash, w.handedOut(s.Person))
		},
		"ForgetAccessRequests": func(ctx context.Context) error {
			_, err := w.ForgetAccessRequests(ctx, after(1000*time.Hour))
			return err
		},
		"CreatePermissionRequest": func(ctx context.Context) error {
			return w.CreatePermissionRequest(ctx, w.wanting(s.key, edits), alive)
		},
		"PermissionRequest": func(ctx context.Context) error {
			_, err := w.PermissionRequest(ctx, s.Team.ID, s.wanted.PublicID)
			return err
		},
		"ListPermissionRequests": func(ctx context.Context) error {
			_, err := w.ListPermissionRequests(ctx, store.PermissionRequestQuery{TeamID: s.Team.ID, OwnerID: s.Person.ID, Now: start, Limit: 1})
			return err
		},
		"DecidePermissionRequest": func(ctx context.Context) error {
			return w.DecidePermissionRequest(ctx, s.Team.ID, s.wanted.PublicID, s.wanted.Digest, answer(s.key, approve), alive)
		},
		"ForgetPermissionRequests": func(ctx context.Context) error {
			_, err := w.ForgetPermissionRequests(ctx, after(1000*time.Hour))
			return err
		},
		"ListAudit": func(ctx context.Context) error {
			_, err := w.ListAudit(ctx, store.AuditQuery{TeamID: s.Team.ID, Limit: 1})
			return err
		},
		"Connect": func(ctx context.Context) error { _, err := w.Connect(ctx, w.connecting(s.key), alive); return err },
		"Leave":   func(ctx context.Context) error { return w.Leave(ctx, s.key.ID) },
		"Change": func(ctx context.Context) error {
			return w.Change(ctx, s.Team.ID, func(tx store.WorkTx) error { return s.desk.writes(w.ctx())["SaveIssue"](tx) })
		},
		"SessionByKey": func(ctx context.Context) error {
			_, err := w.SessionByKey(ctx, s.key.ID)
			return err
		},
	}
}

var contexts = []test{
	{"a call whose context is over does nothing and says why", func(w *world) {
		s := w.side("acme")
		before := w.state(s)
		cancelled, cancel := context.WithCancel(w.ctx())
		cancel()
		late, cancelLate := context.WithDeadline(w.ctx(), time.Unix(0, 0))
		defer cancelLate()
		calls := w.calls(s)
		for method, of := range methods() {
			if of.NumIn() == 0 || of.In(0) != reflect.TypeFor[context.Context]() {
				continue
			}
			call := calls[method]
			if call == nil {
				w.Fatalf("nobody calls %s: add it to the table", method)
			}
			if err := call(cancelled); !errors.Is(err, context.Canceled) {
				w.Errorf("%s with a cancelled context: %v", method, err)
			}
			if err := call(late); !errors.Is(err, context.DeadlineExceeded) {
				w.Errorf("%s past its deadline: %v", method, err)
			}
		}
		for method, read := range s.desk.reads(cancelled, s.desk.cards[0]) {
			if _, err := read(s.desk.WorkReader); !errors.Is(err, context.Canceled) {
				w.Errorf("%s with a cancelled context: %v", method, err)
			}
		}
		w.same("what the team sees", w.state(s), before)
		w.connected(w.key(s.Person), alive, 2) // agent 1 is still held
	}},

	{"a call that is cancelled on its way happens or does not", func(w *world) {
		f := w.team("acme")
		for i := range 40 {
			r := w.approved(f.Person, f.Team)
			k := w.handedOut(f.Person)
			ctx, cancel := context.WithCancel(w.ctx())
			ended := race(2, func(who int) error {
				if who == 1 {
					for range i * 200 { // later each time; a clock would be too coarse
						_ = ctx.Err()
					}
					cancel()
					return nil
				}
				return w.CollectKey(ctx, r.SecretHash, k)
			})
			cancel()
			got, err := w.AccessRequest(w.ctx(), r.PublicID)
			w.must(err)
			_, _, err = w.KeyByHash(w.ctx(), k.Hash)
			claimed := got.Status == dash.RequestStatusClaimed
			if claimed != (err == nil) || (claimed && got.KeyID != k.ID) {
				w.Fatalf("half a change: the request is %s with key %q, and its key: %v", got.Status, got.KeyID, err)
			}
			switch {
			case ended[0] == nil && !claimed:
				w.Fatal("a call succeeded and did nothing")
			case ended[0] != nil && !errors.Is(ended[0], context.Canceled):
				w.Fatalf("a cancelled call ended with %v", ended[0])
			}
		}
	}},
}
