// SPDX-License-Identifier: Apache-2.0

package handler_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/fiftyarms/platform/gen/dash"
	"github.com/fiftyarms/platform/internal/testkit"
)

// beyond holds the declared refusals that no call can cause, each with the reason.
var beyond = map[string]string{
	"getHealth internal":    "nothing in it can fail",
	"getReadiness internal": "what fails in it is not_ready",
}

// Every refusal that the contract declares for an operation can be caused, and is.
func TestEveryDeclaredRefusal(t *testing.T) {
	w := newWorld(t)
	for _, op := range dash.Operations {
		for _, code := range w.Contract.Refusals(op.ID) {
			name := op.ID + " " + code
			cause := w.cause(op, code)
			if reason := beyond[name]; reason != "" {
				if cause != nil {
					t.Errorf("%s can be caused after all", name)
				}
				continue
			}
			if cause == nil {
				t.Errorf("%s: no case causes it", name)
				continue
			}
			w.Clock.Advance(2 * time.Minute) // for the rates
			if a := cause(); a.Code() != code {
				t.Errorf("%s: answered %d %s", name, a.Status, a.Body)
			}
		}
	}
}

// world is what there is to call with.
type world struct {
	*testkit.Running
	t                     *testing.T
	fresh, broken         *testkit.Running // not set up; without a database
	ada, bob, agent, gone *testkit.Caller
}

func newWorld(t *testing.T, options ...testkit.Option) *world {
	w := &world{Running: testkit.Dashboard(t, options...), t: t, fresh: testkit.Dashboard(t), broken: testkit.Dashboard(t)}
	w.ada = w.SetUp()
	w.bob = w.Join("Bob")
	w.agent, w.gone = w.Agent(w.ada), w.Agent(w.ada)
	w.ada.Call("DELETE", "/api/keys/"+w.gone.Me.Key.ID, nil)
	k := &desk{Running: w.Running, T: t, ada: w.ada, agent: w.agent}
	k.board("SHOP")
	k.card("One", `"acceptance":["It holds."]`)
	k.card("Two", "")
	if err := w.broken.Store.Close(); err != nil {
		t.Fatal(err)
	}
	return w
}

// caller is somebody who may call an operation.
func (w *world) caller(op dash.Operation) *testkit.Caller {
	switch {
	case op.Permission == dash.Public:
		return w.Nobody()
	case op.Audience == dash.AudienceAgent:
		return w.agent
	}
	return w.ada
}

const nobody = "00000000000000000000000000000000"

func path(op dash.Operation) string {
	if call, ok := calls[op.ID]; ok {
		return call.path
	}
	return strings.NewReplacer("{publicId}", nobody, "{id}", nobody).Replace(op.Path)
}

// body is one that the contract takes; nil of an operation that takes none.
func (w *world) body(op dash.Operation) any {
	if body := calls[op.ID].body; body != "" {
		return body
	}
	switch op.ID {
	case "createAccessRequest":
		return asking
	case "claimAccessRequest":
		return dash.AccessRequestClaim{Secret: "nobody has this secret"}
	case "approveAccessRequest":
		return dash.AccessRequestApproval{Digest: noDigest}
	case "denyAccessRequest":
		return dash.RequestDenial{Digest: noDigest}
	case "requestAccessChanges":
		return dash.RequestRevision{Digest: noDigest, Note: "Why?"}
	case "setUp":
		return dash.Setup{Token: "wrong", Team: dash.NewTeam{Slug: "a", Name: "A"}, Name: "A", Email: "a@example.com", Password: testkit.Password}
	case "logIn":
		return dash.Login{Email: "ada@example.com", Password: "not this"}
	case "connectSession":
		return dash.SessionConnect{}
	}
	return nil
}

// cause is a call that an operation refuses in the given way; nil where there is none.
func (w *world) cause(op dash.Operation, code string) func() testkit.Answer {
	if rule := ruled[op.ID+" "+code]; rule != nil {
		return func() testkit.Answer { return rule(&desk{Running: w.Running, T: w.t, ada: w.ada, agent: w.agent}) }
	}
	as := func(c *testkit.Caller) func() testkit.Answer {
		return func() testkit.Answer { return w.send(c, op, path(op), w.body(op)) }
	}
	safe := op.Method == http.MethodGet
	body := w.body(op)
	switch code {
	case "unauthenticated":
		return as(w.Nobody())
	case "key_revoked":
		return as(w.gone)
	case "person_required":
		return as(w.agent)
	case "key_required":
		return as(w.ada)
	case "forbidden":
		return as(w.bob)
	case "already_signed_in":
		return as(w.agent)
	case "cross_site":
		if safe {
			return nil
		}
		return func() testkit.Answer {
			r := w.caller(op).Request(op.Method, path(op), body)
			r.Header.Set("Sec-Fetch-Site", "cross-site")
			return w.ada.Do(r)
		}
	case "rate_limited":
		return func() testkit.Answer {
			for range op.RateLimit.Burst { // past the contract's checker, which is slow
				r := w.Nobody().Request(op.Method, path(op), body)
				r.RemoteAddr = "127.0.0.1:1"
				w.Server.Handler().ServeHTTP(httptest.NewRecorder(), r)
			}
			return as(w.Nobody())()
		}
	case "too_large":
		return func() testkit.Answer {
			if op.BodyLimit > 0 {
				return w.tooLarge(op)
			}
			return w.caller(op).Call(op.Method, path(op), `{"x":"`+strings.Repeat("x", 1<<20)+`"}`)
		}
	case "unsupported_media_type":
		return func() testkit.Answer {
			r := w.caller(op).Request(op.Method, path(op), body)
			r.Header.Set("Content-Type", "text/plain")
			return w.ada.Do(r)
		}
	case "invalid_request":
		return func() testkit.Answer {
			if body != nil && op.BodyLimit == 0 {
				return w.caller(op).Call(op.Method, path(op), `{"nonsense":1}`)
			}
			sign := "?"
			if strings.Contains(path(op), "?") {
				sign = "&"
			}
			return w.send(w.caller(op), op, path(op)+sign+"nonsense=1", body)
		}
	case "internal":
		if op.Tag == "operations" {
			return nil
		}
		return func() testkit.Answer {
			c := w.broken.Nobody()
			if op.Permission != dash.Public {
				c.Key = w.agent.Key
			}
			return w.send(c, op, path(op), body)
		}
	case "not_ready":
		return func() testkit.Answer { return w.broken.Nobody().Call(op.Method, op.Path, nil) }
	case "not_found":
		if op.ID == "getContract" {
			return func() testkit.Answer { return w.ada.Call("GET", op.Path+"?endpoints=GET+/api/nothing", nil) }
		}
		return func() testkit.Answer { return w.send(w.caller(op), op, lost.Replace(path(op)), body) }
	case "not_pending", "digest_mismatch", "owner_lacks_permission":
		return func() testkit.Answer { return w.undecidable(op, code) }
	case "wrong_setup_token":
		return func() testkit.Answer { return w.fresh.Nobody().Call(op.Method, op.Path, body) }
	case "already_set_up", "wrong_credentials":
		return as(w.Nobody())
	case "unknown_team":
		return func() testkit.Answer { return w.Nobody().Call(op.Method, op.Path, asked("nobody")) }
	}
	return nil
}

// undecidable has Ada decide on a request that she cannot decide like that.
func (w *world) undecidable(op dash.Operation, code string) testkit.Answer {
	if op.Tag == "permissions" {
		id := askMore(w.t, w.agent, "boards.edit").PublicID
		if code == "not_pending" {
			w.ada.Call("POST", morePath(id, "/deny"), dash.RequestDenial{Digest: seeMore(w.t, w.ada, id).Digest})
		}
		return w.ada.Call(op.Method, strings.Replace(op.Path, "{publicId}", id, 1), w.body(op))
	}
	created := w.Ask(asking)
	digest := w.ada.See(created).Digest
	switch code {
	case "not_pending":
		decide(w.ada, created.PublicID, "deny", dash.RequestDenial{Digest: digest})
	case "owner_lacks_permission":
		return decide(w.ada, created.PublicID, "approve", dash.AccessRequestApproval{Digest: digest, Permissions: []dash.Permission{"team.admin"}})
	}
	return w.ada.Call(op.Method, strings.Replace(op.Path, "{publicId}", created.PublicID, 1), w.body(op))
}
