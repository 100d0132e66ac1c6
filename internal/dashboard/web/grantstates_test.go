// SPDX-License-Identifier: Apache-2.0

package web_test

import (
	"net/url"
	"testing"
	"time"

	"github.com/oapi-codegen/nullable"

	"github.com/fiftyarms/platform/gen/dash"
)

const (
	permissionPath = "/permissions/" + publicID
	keyID          = "0c4b1e2a9d4c5fb1a2c3d4e5f607183b"
)

func aKey() dash.Key {
	return dash.Key{
		ID: keyID, Prefix: "50a_Zk3v", Title: "Mend the checkout", Owner: ada, Permissions: []dash.Permission{"cards.view"},
		CreatedAt: dash.At(now.Add(-2 * time.Hour)), LastUsedAt: dash.At(now.Add(-time.Minute)), LapsesAt: dash.At(now.Add(24*time.Hour - time.Minute)),
	}
}

var other = func() dash.Key { k := aKey(); k.ID = publicID; return k }()

func revoked(k dash.Key) dash.Key {
	at := dash.At(now.Add(-time.Minute))
	k.RevokedAt, k.RevokedBy = &at, &dash.PersonRef{ID: "x", Name: "Grace"}
	return k
}

func keyPage(keys ...dash.Key) dash.KeyPage {
	if keys == nil {
		keys = []dash.Key{}
	}
	return dash.KeyPage{Keys: keys, NextCursor: nullable.NewNullNullable[string]()}
}

func wants(requests []dash.PermissionRequest, next string) dash.PermissionRequestPage {
	page := dash.PermissionRequestPage{Requests: requests, NextCursor: nullable.NewNullNullable[string]()}
	if requests == nil {
		page.Requests = []dash.PermissionRequest{}
	}
	if next != "" {
		page.NextCursor = nullable.NewNullableWithValue(next)
	}
	return page
}

func wanting() dash.PermissionRequest {
	return dash.PermissionRequest{
		PublicID: publicID, Status: "pending", Key: aKey(), Permissions: []dash.Permission{"cards.edit", "docs.edit"},
		Reason: "The total has to be mended.\nIt is on the card.", Address: "192.0.2.8", ConfirmCode: "MRXN-2745", Digest: digest,
		CreatedAt: dash.At(now.Add(-3 * time.Minute)), ExpiresAt: dash.At(now.Add(7 * time.Minute)),
	}
}

func answered(status dash.RequestStatus, note string) func(*testing.T) *script {
	r := wanting()
	r.Status = status
	if status != "expired" {
		r.Decision = &dash.RequestDecision{Verdict: dash.RequestDecisionVerdict(status), By: ada, At: dash.At(now.Add(-time.Minute))}
		if note != "" {
			r.Decision.Note = &note
		}
		if status == "approved" {
			r.Decision.Permissions = r.Permissions
			r.Key.Permissions = append(r.Key.Permissions, r.Permissions...)
		}
	}
	return answers("getPermissionRequest", r)
}

// asks answers the permission request that waits, and what a decision on it ends with.
func asks(op string, answer any) func(*testing.T) *script {
	return func(t *testing.T) *script {
		s := signedIn(t).with("getPermissionRequest", wanting())
		if op != "" {
			s.with(op, answer)
		}
		return s
	}
}

// may answers what the person holds.
func may(s *script, held ...dash.Permission) *script {
	if held == nil {
		held = []dash.Permission{}
	}
	return s.with("getPermissions", dash.Permissions{Permissions: held})
}

func keysOf(keys dash.KeyPage, held ...dash.Permission) func(*testing.T) *script {
	return func(t *testing.T) *script { return may(signedIn(t).with("listKeys", keys), held...) }
}

var grantForm = url.Values{"csrf_token": {formMark}, "digest": {digest}}

var grantStates = []state{
	{name: "permission request, waiting", path: permissionPath, title: "An agent asks for more · MRXN-2745 · 50 Arms", api: asks("", nil), says: []string{
		"MRXN-2745", "exactly this one", "The total has to be mended.", "Mend the checkout", "Write and move cards", "cards.edit",
		"docs.edit opens nothing in this release", "50a_Zk3v", "It holds", "Read boards and cards", "192.0.2.8", "Not now", "This decides nothing."}},
	{name: "permission request, granted", path: permissionPath, title: "Permission granted · MRXN-2745 · 50 Arms", api: answered("approved", ""), says: []string{
		"Approved by Ada (you) 1 minute ago", "The key holds it since then", "Write and move cards"}, not: []string{"Not now"}},
	{name: "permission request, denied", path: permissionPath, title: "Permission denied · MRXN-2745 · 50 Arms", api: answered("denied", "Not now."), says: []string{"Denied by Ada", "Not now.", "nothing more"}},
	{name: "permission request, sent back", path: permissionPath, title: "Sent back for changes · MRXN-2745 · 50 Arms", api: answered("revision_requested", "Only docs."), says: []string{"Changes asked by Ada", "Only docs."}},
	{name: "permission request, lapsed", path: permissionPath, title: "This request has lapsed · MRXN-2745 · 50 Arms", api: answered("expired", ""), says: []string{"Nobody answered it in time"}},
	{name: "permission request that is not there", path: permissionPath, status: 404, title: "There is nothing here · 50 Arms",
		api: answers("getPermissionRequest", dash.NotFoundRefusal{Message: "there is no such thing"})},
	{name: "permission request, signed out", path: permissionPath, api: signedOut, status: 303},
	{name: "permission form, opened by hand", path: permissionPath + "/approve", api: signedIn, status: 303},
	{name: "permission form for changes, opened by hand", path: permissionPath + "/request-changes", api: signedIn, status: 303},
	{name: "permission form for a denial, opened by hand", path: permissionPath + "/deny", api: signedIn, status: 303},
	{name: "grant", method: "POST", path: permissionPath + "/approve", form: grantForm, api: asks("approvePermissionRequest", wanting()), status: 303},
	{name: "grant, too late", method: "POST", path: permissionPath + "/approve", form: grantForm, api: asks("approvePermissionRequest", notPending("denied")), status: 409,
		title: "Error: An agent asks for more · MRXN-2745 · 50 Arms", says: []string{"Your answer came too late"}},
	{name: "grant of another request", method: "POST", path: permissionPath + "/approve", form: grantForm, status: 409,
		api:   asks("approvePermissionRequest", dash.DigestMismatchRefusal{Message: "no", Digest: digest, Next: "read it again"}),
		title: "Error: An agent asks for more · MRXN-2745 · 50 Arms", says: []string{"not the one that your page showed"}},
	{name: "grant to a key that has ended", method: "POST", path: permissionPath + "/approve", form: grantForm, status: 409,
		api:   asks("approvePermissionRequest", dash.KeyNotLiveRefusal{Message: "the key was revoked or lapsed"}),
		title: "Error: An agent asks for more · MRXN-2745 · 50 Arms", says: []string{"was revoked or has lapsed"}},
	{name: "grant of what the person lacks", method: "POST", path: permissionPath + "/approve", form: grantForm, status: 422,
		api:   asks("approvePermissionRequest", dash.OwnerLacksPermissionRefusal{Message: "no", Permissions: []dash.Permission{"docs.edit"}}),
		title: "Error: An agent asks for more · MRXN-2745 · 50 Arms", says: []string{"You cannot grant what you do not hold: docs.edit"}},
	{name: "grant without a digest", method: "POST", path: permissionPath + "/approve", form: url.Values{"csrf_token": {formMark}}, status: 400,
		api:   asks("approvePermissionRequest", invalid("body", "/digest", "must match ^[0-9a-f]{64}$")),
		title: "Error: An agent asks for more · MRXN-2745 · 50 Arms", says: []string{"does not name the request"}},
	{name: "deny a permission", method: "POST", path: permissionPath + "/deny", form: denyForm, api: asks("denyPermissionRequest", wanting()), status: 303},
	{name: "deny a permission, too long", method: "POST", path: permissionPath + "/deny", form: denyForm, status: 400,
		api:   asks("denyPermissionRequest", invalid("body", "/note", "must be at most 500 characters long")),
		title: "Error: An agent asks for more · MRXN-2745 · 50 Arms", says: []string{"must be at most 500 characters long", "Not on this machine."}},
	{name: "send a permission back", method: "POST", path: permissionPath + "/request-changes", form: changesForm, api: asks("requestPermissionChanges", wanting()), status: 303},
	{name: "send a permission back without a word", method: "POST", path: permissionPath + "/request-changes", form: grantForm, api: asks("", nil), status: 400,
		title: "Error: An agent asks for more · MRXN-2745 · 50 Arms", says: []string{"Say what has to change"}},

	{name: "inbox with both kinds", path: "/approvals", title: "2 waiting · Approvals · 50 Arms", says: []string{
		"one of your keys asks for cards.edit, docs.edit", "asks for access", "MRXN-2745", "KTRM-4829"},
		api: func(t *testing.T) *script {
			return signedIn(t).with("listAccessRequests", listing([]dash.AccessRequest{pending()}, "")).with("listPermissionRequests", wants([]dash.PermissionRequest{wanting()}, ""))
		}},
	{name: "inbox of a person who runs no team, and whose key asks", path: "/approvals", title: "1 waiting · Approvals · 50 Arms", says: []string{
		"one of your keys asks for cards.edit", "Requests are answered by their link"},
		api: func(t *testing.T) *script {
			return signedIn(t).with("listAccessRequests", dash.ForbiddenRefusal{Message: "no", Permission: "team.admin"}).with("listPermissionRequests", wants([]dash.PermissionRequest{wanting()}, ""))
		}},
	{name: "inbox, older permission requests", path: "/approvals?permissions=next", title: "Approvals · 50 Arms", says: []string{"What your keys asked for before", "What they asked for earlier"},
		api: answers("listPermissionRequests", wants([]dash.PermissionRequest{wanting()}, "more"))},

	{name: "keys, none", path: "/keys", title: "Keys · 50 Arms", api: keysOf(keyPage()), says: []string{"There is no key yet"}},
	{name: "keys of the team", path: "/keys", title: "Keys · 50 Arms", api: keysOf(keyPage(aKey(), revoked(other)), "team.admin"), says: []string{
		"Every key of the team", "Mend the checkout", "Live", "Ada (you)", "Lapses unused", "Revoke", "Revoked", "By", "Grace", "Read boards and cards"}},
	{name: "keys, signed out", path: "/keys", api: signedOut, status: 303},
	{name: "revoke, asked first", path: "/keys/" + keyID + "/revoke", title: "Revoke a key · 50 Arms", api: keysOf(keyPage(aKey())), says: []string{"Revoke this key?", "It cannot be taken back", "Keep it"}},
	{name: "revoke what has ended", path: "/keys/" + keyID + "/revoke", title: "This key has ended · 50 Arms", api: keysOf(keyPage(revoked(aKey()))), says: []string{"This key has ended", "its open streams have ended", "The agent is told"}, not: []string{"Keep it"}},
	{name: "revoke what has lapsed", path: "/keys/" + keyID + "/revoke", title: "This key has ended · 50 Arms", says: []string{"It went unused for too long."}, not: []string{"Keep it"},
		api: func(t *testing.T) *script {
			k := aKey()
			k.LapsesAt = dash.At(now)
			return keysOf(keyPage(k))(t)
		}},
	{name: "revoke what is not there", path: "/keys/" + publicID + "/revoke", status: 404, title: "There is nothing here · 50 Arms", api: keysOf(keyPage(aKey()))},
	{name: "revoke", method: "POST", path: "/keys/" + keyID + "/revoke", form: url.Values{"csrf_token": {formMark}}, api: answers("revokeKey", nil), status: 303},
	{name: "revoke another's", method: "POST", path: "/keys/" + keyID + "/revoke", form: url.Values{"csrf_token": {formMark}}, status: 404, title: "There is nothing here · 50 Arms",
		api: answers("revokeKey", dash.NotFoundRefusal{Message: "there is no such thing"})},

	{name: "audit", path: "/audit", title: "Audit · 50 Arms", api: answers("listAudit", auditPage("next")), says: []string{
		"Ada signed in", "Ada approved the access request Mend the checkout", "cards.view, docs.view", "from 192.0.2.7", "As agreed.", "Ada granted more to the key", "Older entries"}},
	{name: "audit of one kind", path: "/audit?action=key.revoked", title: "Audit · 50 Arms", api: answers("listAudit", dash.AuditPage{Entries: []dash.AuditEntry{}, NextCursor: nullable.NewNullNullable[string]()}), says: []string{"Nothing of that kind"}},
	{name: "audit, later", path: "/audit?cursor=x", title: "Audit · 50 Arms", api: answers("listAudit", auditPage("")), says: []string{"Back to the newest"}, not: []string{"Older entries"}},
	{name: "audit for who runs no team", path: "/audit", title: "Audit · 50 Arms", api: answers("listAudit", dash.ForbiddenRefusal{Message: "no", Permission: "team.admin"}), says: []string{"for those who run the team"}},
}

func auditPage(next string) dash.AuditPage {
	note := "As agreed."
	entry := func(action dash.AuditAction, kind dash.AuditSubjectKind, name string) dash.AuditEntry {
		return dash.AuditEntry{ID: keyID, At: dash.At(now.Add(-time.Hour)), Action: action, By: ada, Address: "192.0.2.7", Subject: dash.AuditSubject{Kind: kind, ID: publicID, Name: name}}
	}
	approved := entry("access.approved", "access_request", "Mend the checkout")
	approved.Permissions, approved.Note = []dash.Permission{"cards.view", "docs.view"}, &note
	page := dash.AuditPage{NextCursor: nullable.NewNullNullable[string](), Entries: []dash.AuditEntry{
		entry("person.signed_in", "person", "Ada"), approved, entry("permission.approved", "permission_request", "50a_Zk3v Mend the checkout"),
	}}
	if next != "" {
		page.NextCursor = nullable.NewNullableWithValue(next)
	}
	return page
}
