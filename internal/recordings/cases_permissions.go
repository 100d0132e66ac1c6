// SPDX-License-Identifier: Apache-2.0

package recordings

import "net/http"

// The cases of a key that asks for more, and of what is kept of who let whom do what.
var permissionCases = []Case{
	{"createPermissionRequest", "created", 201, script(askMore)},
	{"createPermissionRequest", "invalid_request", 400, script(`POST /api/permission-requests {"permissions":["boards.edit"],"reason":" "}`)},
	{"createPermissionRequest", "unknown_permission", 400, script(`POST /api/permission-requests {"permissions":["cards.delete","boards.edit"],"reason":"To tidy up."}`)},
	{"createPermissionRequest", "key_required", 403, script("ada " + askMore)},
	{"createPermissionRequest", "already_held", 409, script(`POST /api/permission-requests {"permissions":["cards.view","cards.edit"],"reason":"To mend the checkout."}`)},
	{"createPermissionRequest", "owner_lacks_permission", 422, script(`POST /api/permission-requests {"permissions":["team.admin"],"reason":"To decide by myself."}`)},
	{"createPermissionRequest", "rate_limited", 429, func(w *world) *http.Request {
		w.play()
		for range burst("createPermissionRequest") {
			w.answer(w.line(askMore), nil)
		}
		return w.line(askMore)
	}},
	{"listPermissionRequests", "page", 200, script(askMore, askMore, seeMore, refuse, "ada GET /api/permission-requests?limit=1")},
	{"listPermissionRequests", "waiting", 200, script(askMore, seeMore, refuse, askMore, "ada GET /api/permission-requests?waiting=true")},
	{"listPermissionRequests", "person_required", 403, script("GET /api/permission-requests")},
	{"getPermissionRequest", "pending", 200, script(askMore, seeMore)},
	{"getPermissionRequest", "approved", 200, script(askMore, seeMore, grant, seeMore)},
	{"getPermissionRequest", "not_found", 404, script("ada GET /api/permission-requests/" + noID)},
	{"claimPermissionRequest", "pending", 200, script(askMore, "POST /api/permission-requests/{request}/claim")},
	{"claimPermissionRequest", "approved", 200, script(askMore, seeMore, grant, "POST /api/permission-requests/{request}/claim")},
	{"claimPermissionRequest", "denied", 200, script(askMore, seeMore, refuse, "POST /api/permission-requests/{request}/claim")},
	{"claimPermissionRequest", "revision_requested", 200, script(askMore, seeMore, sendOff, "POST /api/permission-requests/{request}/claim")},
	{"claimPermissionRequest", "not_found", 404, script("POST /api/permission-requests/" + noID + "/claim")},
	{"approvePermissionRequest", "approved", 200, script(askMore, seeMore, grant)},
	{"approvePermissionRequest", "person_required", 403, script(askMore, seeMore, `POST /api/permission-requests/{request}/approve {"digest":"{digest}"}`)},
	{"approvePermissionRequest", "not_pending", 409, script(askMore, seeMore, grant, grant)},
	{"approvePermissionRequest", "digest_mismatch", 409, script(askMore, `ada POST /api/permission-requests/{request}/approve {"digest":"`+noDigest+`"}`)},
	{"approvePermissionRequest", "key_not_live", 409, func(w *world) *http.Request {
		w.play(askMore, seeMore)
		w.answer(w.line("ada DELETE /api/keys/"+w.keyID()), nil)
		return w.line(grant)
	}},
	{"denyPermissionRequest", "denied", 200, script(askMore, seeMore, refuse)},
	{"denyPermissionRequest", "not_pending", 409, script(askMore, seeMore, grant, refuse)},
	{"requestPermissionChanges", "revision_requested", 200, script(askMore, seeMore, sendOff)},
	{"requestPermissionChanges", "not_found", 404, script(`ada POST /api/permission-requests/` + noID + `/request-changes {"digest":"` + noDigest + `","note":"Say which board."}`)},
	{"streamEvents", "granted", 200, until("event: key.granted", script(askMore, seeMore, grant, "GET /api/stream?topics=key:self&after=0"))},
	{"listAudit", "page", 200, script(askMore, seeMore, grant, "ada GET /api/audit?limit=3")},
	{"listAudit", "of_one_action", 200, script("ada GET /api/audit?action=key.issued")},
	{"listAudit", "person_required", 403, script("GET /api/audit")},
}
