// SPDX-License-Identifier: Apache-2.0

package recordings

import (
	"net/http"
	"slices"
	"strings"

	"github.com/fiftyarms/platform/gen/dash"
	"github.com/fiftyarms/platform/internal/testkit"
)

// A Case is one call that is recorded: what has to have happened before, and the call itself.
type Case struct {
	Operation string
	Name      string // the file's; a refusal's is its code, with a dash and what tells it from others if there are more
	Status    int
	make      func(w *world) *http.Request
}

const (
	noID     = "00000000000000000000000000000000"
	noDigest = "0000000000000000000000000000000000000000000000000000000000000000"
)

// Cases are all recordings. Every operation of the contract has a success and a refusal here; a test says which lacks
// one.
var Cases = slices.Concat(accessCases, permissionCases, workCases, fileCases)

// The cases of who may do what, and of the server.
var accessCases = []Case{
	{"createAccessRequest", "created", 201, func(w *world) *http.Request { return w.request("POST", "/api/access-requests", asking) }},
	{"createAccessRequest", "invalid_request", 400, func(w *world) *http.Request {
		return w.request("POST", "/api/access-requests", `{"title":"","colour":"red"}`)
	}},
	{"createAccessRequest", "unknown_team", 400, func(w *world) *http.Request {
		r := asking
		r.Team = new("nobody")
		return w.request("POST", "/api/access-requests", r)
	}},
	{"createAccessRequest", "already_signed_in", 403, func(w *world) *http.Request {
		return w.signedIn().approvedKey().byKey(w.request("POST", "/api/access-requests", asking))
	}},
	{"listAccessRequests", "page", 200, func(w *world) *http.Request {
		w.signedIn()
		r := asking
		r.Team = new("acme")
		for range 2 {
			w.answer(w.request("POST", "/api/access-requests", r), nil)
		}
		return w.byPerson(w.request("GET", "/api/access-requests?limit=1&status=pending", nil))
	}},
	{"listAccessRequests", "no_longer_waiting", 200, func(w *world) *http.Request {
		w.signedIn()
		r := asking
		r.Team = new("acme")
		var denied, waits dash.AccessRequestCreated
		w.answer(w.request("POST", "/api/access-requests", r), &denied)
		w.answer(w.request("POST", "/api/access-requests", r), &waits)
		var shown dash.AccessRequest
		w.answer(w.byPerson(w.request("GET", "/api/access-requests/"+denied.PublicID, nil)), &shown)
		w.decide("deny", dash.RequestDenial{Digest: shown.Digest}, denied.PublicID)
		return w.byPerson(w.request("GET", "/api/access-requests?waiting=false", nil))
	}},
	{"listAccessRequests", "person_required", 403, func(w *world) *http.Request {
		return w.signedIn().approvedKey().byKey(w.request("GET", "/api/access-requests", nil))
	}},
	{"claimAccessRequest", "pending", 200, claim(func(*world, dash.AccessRequestCreated, dash.AccessRequest) {})},
	{"claimAccessRequest", "approved", 200, claim(func(w *world, c dash.AccessRequestCreated, r dash.AccessRequest) {
		w.decide("approve", dash.AccessRequestApproval{Digest: r.Digest}, c.PublicID)
	})},
	{"claimAccessRequest", "denied", 200, claim(func(w *world, c dash.AccessRequestCreated, r dash.AccessRequest) {
		w.decide("deny", dash.RequestDenial{Digest: r.Digest, Note: new("Not on this machine.")}, c.PublicID)
	})},
	{"claimAccessRequest", "revision_requested", 200, claim(func(w *world, c dash.AccessRequestCreated, r dash.AccessRequest) {
		w.decide("request-changes", dash.RequestRevision{Digest: r.Digest, Note: "Say which card this is for."}, c.PublicID)
	})},
	{"claimAccessRequest", "not_found", 404, func(w *world) *http.Request {
		return w.request("POST", "/api/access-requests/claim", dash.AccessRequestClaim{Secret: strings.Repeat("x", 40)})
	}},
	{"getAccessRequest", "pending", 200, func(w *world) *http.Request {
		_, r := w.signedIn().asked()
		return w.byPerson(w.request("GET", "/api/access-requests/"+r.PublicID, nil))
	}},
	{"getAccessRequest", "not_found", 404, func(w *world) *http.Request {
		return w.signedIn().byPerson(w.request("GET", "/api/access-requests/"+noID, nil))
	}},
	{"approveAccessRequest", "approved", 200, decision("approve", func(digest string) any { return dash.AccessRequestApproval{Digest: digest} })},
	{"approveAccessRequest", "digest_mismatch", 409, decision("approve", func(string) any { return dash.AccessRequestApproval{Digest: noDigest} })},
	{"approveAccessRequest", "owner_lacks_permission", 422, decision("approve", func(digest string) any {
		return dash.AccessRequestApproval{Digest: digest, Permissions: []dash.Permission{dash.PermissionTeamAdmin}}
	})},
	{"approveAccessRequest", "person_required", 403, func(w *world) *http.Request {
		_, r := w.signedIn().approvedKey().asked()
		return w.byKey(w.request("POST", "/api/access-requests/"+r.PublicID+"/approve", dash.AccessRequestApproval{Digest: r.Digest}))
	}},
	{"denyAccessRequest", "denied", 200, decision("deny", func(digest string) any {
		return dash.RequestDenial{Digest: digest, Note: new("Not on this machine.")}
	})},
	{"denyAccessRequest", "cross_site", 403, func(w *world) *http.Request {
		_, r := w.signedIn().asked()
		call := w.byPerson(w.request("POST", "/api/access-requests/"+r.PublicID+"/deny", dash.RequestDenial{Digest: r.Digest}))
		call.Header.Del("X-CSRF-Token")
		return call
	}},
	{"requestAccessChanges", "revision_requested", 200, decision("request-changes", func(digest string) any {
		return dash.RequestRevision{Digest: digest, Note: "Say which card this is for."}
	})},
	{"requestAccessChanges", "not_pending", 409, func(w *world) *http.Request {
		c, r := w.signedIn().asked()
		w.decide("deny", dash.RequestDenial{Digest: r.Digest}, c.PublicID)
		return w.byPerson(w.request("POST", "/api/access-requests/"+r.PublicID+"/request-changes", dash.RequestRevision{Digest: r.Digest, Note: "Say which card."}))
	}},
	{"setUp", "created", 201, func(w *world) *http.Request { return w.request("POST", "/api/auth/setup", w.setupBody()) }},
	{"setUp", "wrong_setup_token", 403, func(w *world) *http.Request {
		body := w.setupBody()
		body.Token = "a guess"
		return w.request("POST", "/api/auth/setup", body)
	}},
	{"setUp", "already_set_up", 409, func(w *world) *http.Request {
		body := w.setupBody()
		return w.signedIn().request("POST", "/api/auth/setup", body)
	}},
	{"logIn", "signed_in", 200, func(w *world) *http.Request {
		return w.signedIn().request("POST", "/api/auth/login", dash.Login{Email: "Ada@example.com", Password: testkit.Password})
	}},
	{"logIn", "wrong_credentials", 401, func(w *world) *http.Request {
		return w.signedIn().request("POST", "/api/auth/login", dash.Login{Email: "ada@example.com", Password: "a guess"})
	}},
	{"logOut", "signed_out", 204, func(w *world) *http.Request { return w.signedIn().byPerson(w.request("POST", "/api/auth/logout", nil)) }},
	{"logOut", "unauthenticated", 401, func(w *world) *http.Request { return w.request("POST", "/api/auth/logout", nil) }},
	{"getMe", "person", 200, func(w *world) *http.Request { return w.signedIn().byPerson(w.request("GET", "/api/auth/me", nil)) }},
	{"getMe", "key", 200, func(w *world) *http.Request {
		return w.signedIn().approvedKey().byKey(w.request("GET", "/api/auth/me", nil))
	}},
	{"getMe", "key_revoked", 401, func(w *world) *http.Request {
		id := w.signedIn().approvedKey().keyID()
		w.answer(w.byPerson(w.request("DELETE", "/api/keys/"+id, nil)), nil)
		return w.byKey(w.request("GET", "/api/auth/me", nil))
	}},
	{"getPermissions", "key", 200, func(w *world) *http.Request {
		return w.signedIn().approvedKey().byKey(w.request("GET", "/api/auth/permissions", nil))
	}},
	{"getPermissions", "unauthenticated", 401, func(w *world) *http.Request { return w.request("GET", "/api/auth/permissions", nil) }},
	{"listKeys", "page", 200, func(w *world) *http.Request {
		return w.signedIn().approvedKey().byPerson(w.request("GET", "/api/keys", nil))
	}},
	{"listKeys", "person_required", 403, func(w *world) *http.Request {
		return w.signedIn().approvedKey().byKey(w.request("GET", "/api/keys", nil))
	}},
	{"revokeKey", "revoked", 204, func(w *world) *http.Request {
		id := w.signedIn().approvedKey().keyID()
		return w.byPerson(w.request("DELETE", "/api/keys/"+id, nil))
	}},
	{"revokeKey", "not_found", 404, func(w *world) *http.Request {
		return w.signedIn().byPerson(w.request("DELETE", "/api/keys/"+noID, nil))
	}},
	{"getContract", "slice", 200, func(w *world) *http.Request {
		return w.signedIn().approvedKey().byKey(w.request("GET", "/api/openapi?endpoints=GET%20/api/auth/permissions", nil))
	}},
	{"getContract", "not_found", 404, func(w *world) *http.Request {
		return w.signedIn().approvedKey().byKey(w.request("GET", "/api/openapi?endpoints=GET%20/api/auth/permission", nil))
	}},
	{"listRoutes", "key", 200, func(w *world) *http.Request {
		return w.signedIn().approvedKey().byKey(w.request("GET", "/api/openapi/routes?tag=auth", nil))
	}},
	{"listRoutes", "unauthenticated", 401, func(w *world) *http.Request { return w.request("GET", "/api/openapi/routes", nil) }},
	{"connectSession", "connected", 200, func(w *world) *http.Request {
		return w.signedIn().approvedKey().byKey(w.request("POST", "/api/plan-sessions", dash.SessionConnect{Title: new("Mend the checkout")}))
	}},
	{"connectSession", "key_required", 403, func(w *world) *http.Request {
		return w.signedIn().byPerson(w.request("POST", "/api/plan-sessions", dash.SessionConnect{}))
	}},
	{"leaveSession", "left", 204, func(w *world) *http.Request {
		w.signedIn().approvedKey().answer(w.byKey(w.request("POST", "/api/plan-sessions", dash.SessionConnect{})), nil)
		return w.byKey(w.request("DELETE", "/api/plan-sessions", nil))
	}},
	{"leaveSession", "not_found", 404, func(w *world) *http.Request {
		return w.signedIn().approvedKey().byKey(w.request("DELETE", "/api/plan-sessions", nil))
	}},
	{"getHealth", "ok", 200, func(w *world) *http.Request { return w.request("GET", "/healthz", nil) }},
	{"getHealth", "rate_limited", 429, func(w *world) *http.Request { return w.tooOften("getHealth", "GET", "/healthz") }},
	{"getReadiness", "ok", 200, func(w *world) *http.Request { return w.request("GET", "/readyz", nil) }},
	{"getReadiness", "not_ready", 503, func(w *world) *http.Request {
		w.fail(w.store.Close()) // a database that went away
		return w.request("GET", "/readyz", nil)
	}},
}

// claim asks what became of a request after something happened to it.
func claim(after func(*world, dash.AccessRequestCreated, dash.AccessRequest)) func(*world) *http.Request {
	return func(w *world) *http.Request {
		created, shown := w.signedIn().asked()
		after(w, created, shown)
		return w.request("POST", "/api/access-requests/claim", dash.AccessRequestClaim{Secret: created.Secret})
	}
}

// decision decides on a request that waits.
func decision(verdict string, body func(digest string) any) func(*world) *http.Request {
	return func(w *world) *http.Request {
		_, shown := w.signedIn().asked()
		return w.byPerson(w.request("POST", "/api/access-requests/"+shown.PublicID+"/"+verdict, body(shown.Digest)))
	}
}

// burst is how many calls of an operation an address may make at once.
func burst(operation string) int {
	for _, op := range dash.Operations {
		if op.ID == operation {
			return op.RateLimit.Burst
		}
	}
	return 0
}

// tooOften makes as many calls as an address may make at once, and returns the one that is too many.
func (w *world) tooOften(operation, method, path string) *http.Request {
	for range burst(operation) {
		w.answer(w.request(method, path, nil), nil)
	}
	return w.request(method, path, nil)
}
