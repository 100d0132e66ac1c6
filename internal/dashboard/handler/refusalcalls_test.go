// SPDX-License-Identifier: Apache-2.0

package handler_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"

	"github.com/fiftyarms/platform/gen/dash"
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
	"listPeople":           {"/api/people", ""},
	"listAgents":           {"/api/agents", ""},
	"getResourceFields":    {"/api/resources/issue/fields", ""},
	"streamEvents":         {"/api/stream?topics=board:1", ""},
	"getStreamCursor":      {"/api/stream/cursor", ""},
}

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
