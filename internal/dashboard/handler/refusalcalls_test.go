// SPDX-License-Identifier: Apache-2.0

package handler_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/fiftyarms/platform/gen/dash"
	"github.com/fiftyarms/platform/internal/access"
	"github.com/fiftyarms/platform/internal/dashboard"
	"github.com/fiftyarms/platform/internal/store"
	"github.com/fiftyarms/platform/internal/testkit"
)

// calls are a call of each operation on boards, cards and what is around them. In a world each would be served.
var calls = map[string]struct{ path, body string }{
	"listBoards":           {"/api/boards", ""},
	"createBoard":          {"/api/boards", `{"name":"Fresh","prefix":"FRESH"}`},
	"getBoard":             {"/api/boards/1", ""},
	"editBoard":            {"/api/boards/1", `{"version":1,"name":"Board SHOP"}`},
	"listIssues":           {"/api/issues?board=1", ""},
	"createIssue":          {"/api/issues?board=1", `{"title":"x"}`},
	"batchIssues":          {"/api/issues/batch?board=1&ids=SHOP-1", ""},
	"getIssue":             {"/api/issues/SHOP-1?board=1", ""},
	"editIssue":            {"/api/issues/SHOP-1/edit?board=1", `{"version":1,"title":"x"}`},
	"transitionIssue":      {"/api/issues/SHOP-1/transition?board=1", `{"version":1,"status":"ToDo"}`},
	"listComments":         {"/api/issues/SHOP-1/comments?board=1", ""},
	"addComment":           {"/api/issues/SHOP-1/comments?board=1", `{"body":"x"}`},
	"getDependencies":      {"/api/issues/SHOP-1/dependencies?board=1", ""},
	"setDependencies":      {"/api/issues/SHOP-1/dependencies?board=1", `{"version":1,"reason":"x","by":["SHOP-2"]}`},
	"clearDependencies":    {"/api/issues/SHOP-1/dependencies?board=1", ""},
	"listConflicts":        {"/api/issues/SHOP-1/conflicts?board=1", ""},
	"setConflict":          {"/api/issues/SHOP-1/conflicts/SHOP-2?board=1", `{"reason":"x"}`},
	"clearConflict":        {"/api/issues/SHOP-1/conflicts/SHOP-2?board=1", ""},
	"addAcceptanceItem":    {"/api/issues/SHOP-1/acceptance?board=1", `{"title":"x"}`},
	"editAcceptanceItem":   {"/api/issues/SHOP-1/acceptance/1?board=1", `{"version":1,"checked":true}`},
	"removeAcceptanceItem": {"/api/issues/SHOP-1/acceptance/1?board=1", ""},
	"listHistory":          {"/api/issues/SHOP-1/history?board=1", ""},
	"listAttachments":      {"/api/issues/SHOP-1/attachments?board=1", ""},
	"addAttachment":        {"/api/issues/SHOP-1/attachments?board=1&filename=notes.md", "notes"},
	"downloadAttachment":   {"/api/issues/SHOP-1/attachments/" + nobody + "?board=1", ""},
	"replaceAttachment":    {"/api/issues/SHOP-1/attachments/" + nobody + "?board=1", "notes"},
	"editAttachment":       {"/api/issues/SHOP-1/attachments/" + nobody + "?board=1", `{"is_primary":true}`},
	"removeAttachment":     {"/api/issues/SHOP-1/attachments/" + nobody + "?board=1", ""},
	"getThumbnail":         {"/api/issues/SHOP-1/attachments/" + nobody + "/thumbnail?board=1", ""},
	"uploadImage":          {"/api/uploads/images?filename=shot.png", pngMark},
	"getImage":             {"/api/uploads/images/" + nobody, ""},
	"listPeople":           {"/api/people", ""},
	"listAgents":           {"/api/agents", ""},
	"getResourceFields":    {"/api/resources/issue/fields", ""},
	"streamEvents":         {"/api/stream?topics=board:1", ""},
	"getStreamCursor":      {"/api/stream/cursor", ""},

	"createPermissionRequest":  {"/api/permission-requests", `{"permissions":["boards.edit"],"reason":"x"}`},
	"listPermissionRequests":   {"/api/permission-requests", ""},
	"getPermissionRequest":     {"/api/permission-requests/" + nobody, ""},
	"claimPermissionRequest":   {"/api/permission-requests/" + nobody + "/claim", ""},
	"approvePermissionRequest": {"/api/permission-requests/" + nobody + "/approve", `{"digest":"` + noDigest + `"}`},
	"denyPermissionRequest":    {"/api/permission-requests/" + nobody + "/deny", `{"digest":"` + noDigest + `"}`},
	"requestPermissionChanges": {"/api/permission-requests/" + nobody + "/request-changes", `{"digest":"` + noDigest + `","note":"x"}`},
	"listAudit":                {"/api/audit", ""},
}

const noDigest = nobody + nobody

// pngMark is what a PNG begins with.
const pngMark = "\x89PNG\r\n\x1a\n"

// lost makes of a call one of a thing that is not there.
var lost = strings.NewReplacer("SHOP-1", "SHOP-99", "/boards/1", "/boards/99", "?board=1", "?board=99", "/issue/fields", "/card/fields", "board:1", "board:99")

// send makes a call of an operation that takes what no JSON is as it takes it.
func (w *world) send(as *testkit.Caller, op dash.Operation, path string, body any) testkit.Answer {
	if op.BodyLimit == 0 {
		return as.Call(op.Method, path, body)
	}
	r := as.Request(op.Method, path, body)
	r.Header.Set("Content-Type", "application/octet-stream")
	return as.Do(r)
}

// tooLarge says that it brings more than an operation takes, and does not bring it.
func (w *world) tooLarge(op dash.Operation) testkit.Answer {
	r := w.caller(op).Request(op.Method, path(op), w.body(op))
	r.Header.Set("Content-Type", "application/octet-stream")
	r.ContentLength = op.BodyLimit + 1
	return (&desk{Running: w.Running}).direct(r)
}

// ruled are the refusals of the rules between cards, each from new cards of its own.
var ruled = map[string]func(k *desk) testkit.Answer{
	"createBoard prefix_taken": func(k *desk) testkit.Answer {
		return k.ada.Call("POST", "/api/boards", dash.BoardCreate{Name: "x", Prefix: "SHOP"})
	},
	"createBoard idempotency_key_reused": reused("/api/boards", `{"name":"%s","prefix":"ONCE"}`),
	"editBoard version_conflict":         func(k *desk) testkit.Answer { return k.ada.Call("PATCH", "/api/boards/1", `{"version":9,"name":"x"}`) },

	"createIssue gate_failed":            func(k *desk) testkit.Answer { return k.create("x", `"status":"Done","acceptance":["y"]`) },
	"createIssue idempotency_key_reused": reused("/api/issues?board=1", `{"title":"%s"}`),
	"createIssue unknown_issues":         func(k *desk) testkit.Answer { return k.create("x", `"parent_id":"SHOP-999"`) },
	"createIssue unknown_agent":          func(k *desk) testkit.Answer { return k.create("x", `"assigned_agent":99`) },
	"createIssue invalid_parent":         func(k *desk) testkit.Answer { return k.create("x", `"parent_id":"SHOP-1"`) },

	"editIssue version_conflict": func(k *desk) testkit.Answer {
		return k.agent.Call("PATCH", at(k.card("x", ""), "/edit"), `{"version":9,"title":"y"}`)
	},
	"editIssue gate_failed": func(k *desk) testkit.Answer {
		done := k.card("x", `"type":"Epic","status":"Done"`)
		return k.edit(k.card("y", ""), fmt.Sprintf(`"parent_id":%q`, done.ID))
	},
	"editIssue dependency_cycle": func(k *desk) testkit.Answer {
		epic, i := k.card("x", `"type":"Epic"`), k.card("y", "")
		k.ok(k.wait(i, epic))
		return k.edit(i, fmt.Sprintf(`"parent_id":%q`, epic.ID))
	},
	"editIssue unknown_issues": func(k *desk) testkit.Answer { return k.edit(k.card("x", ""), `"parent_id":"SHOP-999"`) },
	"editIssue unknown_agent":  func(k *desk) testkit.Answer { return k.edit(k.card("x", ""), `"assigned_agent":99`) },
	"editIssue invalid_parent": func(k *desk) testkit.Answer { return k.edit(k.card("x", ""), `"parent_id":"SHOP-1"`) },

	"transitionIssue version_conflict": func(k *desk) testkit.Answer {
		return k.agent.Call("POST", at(k.card("x", ""), "/transition"), `{"version":9,"status":"ToDo"}`)
	},
	"transitionIssue gate_failed": func(k *desk) testkit.Answer { return k.move(k.card("x", `"acceptance":["y"]`), "Done") },
	"transitionIssue unknown_issues": func(k *desk) testkit.Answer {
		return k.agent.Call("POST", at(k.card("x", ""), "/transition"), `{"version":1,"status":"ToDo","after":"SHOP-999"}`)
	},

	"addComment idempotency_key_reused": reused("/api/issues/SHOP-1/comments?board=1", `{"body":"%s"}`),

	"setDependencies version_conflict": func(k *desk) testkit.Answer {
		return k.agent.Call("PUT", at(k.card("x", ""), "/dependencies"), `{"version":9,"reason":"y","by":["SHOP-1"]}`)
	},
	"setDependencies dependency_cycle": func(k *desk) testkit.Answer {
		i := k.card("x", "")
		return k.wait(i, i)
	},
	"setDependencies unknown_issues": func(k *desk) testkit.Answer { return k.wait(k.card("x", ""), dash.Issue{ID: "SHOP-999"}) },

	"setConflict gate_failed": func(k *desk) testkit.Answer {
		return k.conflict(k.card("x", `"status":"In Progress"`), k.card("y", `"status":"In Progress"`))
	},
	"setConflict unknown_issues": func(k *desk) testkit.Answer { return k.conflict(k.card("x", ""), dash.Issue{ID: "SHOP-999"}) },

	"addAcceptanceItem gate_failed": func(k *desk) testkit.Answer {
		return k.agent.Call("POST", at(k.card("x", `"status":"Done"`), "/acceptance"), `{"title":"y"}`)
	},
	"addAcceptanceItem limit_reached": func(k *desk) testkit.Answer {
		full := k.card("x", `"acceptance":["y"`+strings.Repeat(`,"y"`, 99)+`]`)
		return k.agent.Call("POST", at(full, "/acceptance"), `{"title":"y"}`)
	},
	"addAcceptanceItem idempotency_key_reused": reused("/api/issues/SHOP-1/acceptance?board=1", `{"title":"%s"}`),
	"editAcceptanceItem version_conflict": func(k *desk) testkit.Answer {
		return k.agent.Call("PATCH", at(k.card("x", `"acceptance":["y"]`), "/acceptance/1"), `{"version":9,"checked":true}`)
	},
	"editAcceptanceItem gate_failed": func(k *desk) testkit.Answer {
		i := k.card("x", `"acceptance":["y"]`)
		k.ok(k.agent.Call("PATCH", at(i, "/acceptance/1"), `{"version":1,"checked":true}`))
		k.ok(k.move(i, "Done"))
		return k.agent.Call("PATCH", at(i, "/acceptance/1"), `{"version":2,"checked":false}`)
	},

	"addAttachment idempotency_key_reused": func(k *desk) testkit.Answer {
		k.ok(k.attach("SHOP-1", "one", "a-key"))
		return k.attach("SHOP-1", "two", "a-key")
	},
	"addAttachment limit_reached": func(k *desk) testkit.Answer {
		i := k.card("x", "")
		for {
			if a := k.attach(i.ID, "one", ""); a.Status != http.StatusCreated {
				return a
			}
		}
	},

	"addAttachment not_an_image": func(k *desk) testkit.Answer {
		r := k.agent.Request("POST", "/api/issues/SHOP-1/attachments?board=1&filename=x&primary=true", "text")
		r.Header.Set("Content-Type", "application/octet-stream")
		return k.agent.Do(r)
	},
	"replaceAttachment not_an_image": func(k *desk) testkit.Answer {
		file := testkit.Decode[dash.AttachmentKept](k.T, k.attach("SHOP-1", "x", ""), 201).Attachment
		r := k.agent.Request("PUT", file.URL+"&primary=true", "text")
		r.Header.Set("Content-Type", "application/octet-stream")
		return k.agent.Do(r)
	},
	"editAttachment not_an_image": func(k *desk) testkit.Answer {
		file := testkit.Decode[dash.AttachmentKept](k.T, k.attach("SHOP-1", "x", ""), 201).Attachment
		return k.agent.Call("PATCH", file.URL, `{"is_primary":true}`)
	},
	"uploadImage not_an_image": func(k *desk) testkit.Answer {
		r := k.agent.Request("POST", "/api/uploads/images", "text")
		r.Header.Set("Content-Type", "application/octet-stream")
		return k.agent.Do(r)
	},

	"createPermissionRequest already_held":           askFor("cards.view"),
	"createPermissionRequest unknown_permission":     askFor("cards.eat"),
	"createPermissionRequest owner_lacks_permission": askFor("team.admin"),
	"createPermissionRequest key_not_live": func(k *desk) testkit.Answer {
		db := &ending{}
		other := newDesk(k.T, testkit.With(func(cfg *dashboard.Config) { db.Store, cfg.Store = cfg.Store, db }))
		return askFor("boards.edit")(other)
	},
	"approvePermissionRequest owner_lacks_permission": func(k *desk) testkit.Answer {
		r := store.PermissionRequest{
			PublicID: access.Hash("more")[:32], Key: store.Key{ID: k.agent.Me.Key.ID, TeamID: k.teamID(), OwnerID: k.ada.Me.Person.ID},
			Permissions: []dash.Permission{"team.admin"}, Reason: "x", Address: "192.0.2.1", ConfirmCode: "KTRM-4829", Digest: noDigest,
			CreatedAt: k.Clock.Now(), ExpiresAt: k.Clock.Now().Add(time.Minute),
		}
		if err := k.Store.CreatePermissionRequest(k.Context(), r, time.Time{}); err != nil {
			k.Fatal(err)
		}
		return k.ada.Call("POST", morePath(r.PublicID, "/approve"), dash.PermissionApproval{Digest: r.Digest})
	},
	"approvePermissionRequest key_not_live": func(k *desk) testkit.Answer {
		agent := k.Agent(k.ada)
		id := askMore(k.T, agent, "boards.edit").PublicID
		k.ok(k.ada.Call("DELETE", "/api/keys/"+agent.Me.Key.ID, nil))
		return grant(k.T, k.ada, id)
	},

	"streamEvents too_many_streams": func(k *desk) testkit.Answer {
		ctx, end := context.WithCancel(k.Context())
		defer end()
		for {
			res, err := http.DefaultClient.Do(k.ada.Request("GET", "/api/stream?topics=team", nil).WithContext(ctx))
			if err != nil {
				k.Fatal(err)
			}
			defer res.Body.Close()
			if res.StatusCode == http.StatusOK {
				continue // it stays open
			}
			body, err := io.ReadAll(res.Body)
			if err != nil {
				k.Fatal(err)
			}
			return testkit.Answer{Status: res.StatusCode, Header: res.Header, Body: body}
		}
	},
	"streamEvents key_required": func(k *desk) testkit.Answer { return k.ada.Call("GET", "/api/stream?topics=key:self", nil) },
}

// reused sends two bodies with one Idempotency-Key.
func reused(path, body string) func(k *desk) testkit.Answer {
	return func(k *desk) (last testkit.Answer) {
		for _, what := range []string{"one", "two"} {
			r := k.ada.Request("POST", path, fmt.Sprintf(body, what))
			r.Header.Set("Idempotency-Key", "a-key")
			last = k.ada.Do(r)
		}
		return last
	}
}

func (k *desk) attach(id, content, key string) testkit.Answer {
	k.Helper()
	r := k.agent.Request("POST", "/api/issues/"+id+"/attachments?board=1&filename=notes.md", content)
	r.Header.Set("Content-Type", "application/octet-stream")
	if key != "" {
		r.Header.Set("Idempotency-Key", key)
	}
	return k.agent.Do(r)
}

// askFor asks for one permission.
func askFor(name string) func(k *desk) testkit.Answer {
	return func(k *desk) testkit.Answer {
		return k.agent.Call("POST", "/api/permission-requests", dash.PermissionRequestCreate{Permissions: []string{name}, Reason: "x"})
	}
}

// ending is a store in which a key is revoked while it asks for more.
type ending struct{ store.Store }

func (e *ending) CreatePermissionRequest(ctx context.Context, r store.PermissionRequest, liveSince time.Time) error {
	err := e.RevokeKey(ctx, store.Revocation{
		KeyID: r.Key.ID, TeamID: r.Key.TeamID, By: dash.PersonRef{ID: r.Key.OwnerID, Name: "Ada"}, At: r.CreatedAt, Trail: store.Trail{ID: r.PublicID},
	})
	return errors.Join(err, e.Store.CreatePermissionRequest(ctx, r, liveSince))
}
