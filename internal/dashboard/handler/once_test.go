// SPDX-License-Identifier: Apache-2.0

package handler_test

import (
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/fiftyarms/platform/gen/dash"
	"github.com/fiftyarms/platform/internal/testkit"
)

// creating are the calls that create once, however often they come: a call, the same with another body, and one of the
// same operation elsewhere.
var creating = map[string]struct{ path, body, same, otherBody, elsewhere string }{
	"createBoard":       {"/api/boards", `{"name":"Once","prefix":"ONCE"}`, `{ "prefix":"ONCE", "name":"Once" }`, `{"name":"Once more","prefix":"TWICE"}`, ""},
	"createIssue":       {"/api/issues?board=1", `{"title":"Once"}`, `{"board":1,"title":"Once"}`, `{"title":"Twice"}`, "/api/issues?board=2"},
	"addComment":        {"/api/issues/SHOP-1/comments?board=1", `{"body":"Once"}`, `{"body":"Once" }`, `{"body":"Twice"}`, "/api/issues/SHOP-2/comments?board=1"},
	"addAcceptanceItem": {"/api/issues/SHOP-1/acceptance?board=1", `{"title":"Once"}`, `{"title" :"Once"}`, `{"title":"Twice"}`, "/api/issues/SHOP-2/acceptance?board=1"},
}

func TestIdempotencyKeys(t *testing.T) {
	for _, op := range dash.Operations {
		if op.Idempotent && creating[op.ID].path == "" && op.BodyLimit == 0 {
			t.Errorf("%s takes an Idempotency-Key, and nothing here repeats it", op.ID)
		}
	}
	for id, call := range creating {
		t.Run(id, func(t *testing.T) {
			eachDesk(t, func(k *desk) {
				k.card("One", "")
				k.card("Two", "")
				all := k.Agent(k.ada, "cards.edit", "cards.view", "boards.edit")
				send := func(as *testkit.Caller, path, body, key string) testkit.Answer {
					r := as.Request("POST", path, body)
					if key != "" {
						r.Header.Set("Idempotency-Key", key)
					}
					return as.Do(r)
				}
				k.events()
				first := k.ok(send(all, call.path, call.body, "a-key"))
				if got := len(k.events()); got != 1 {
					k.Errorf("told %d events", got)
				}
				for _, body := range []string{call.body, call.same} {
					again := send(all, call.path, body, "a-key")
					if again.Status != 201 || string(again.Body) != string(first.Body) {
						k.Errorf("again: %d %s, first %s", again.Status, again.Body, first.Body)
					}
				}
				if a := send(all, call.path, call.otherBody, "a-key"); a.Code() != "idempotency_key_reused" {
					k.Errorf("with another body: %d %s", a.Status, a.Body)
				}
				if call.elsewhere != "" {
					if a := send(all, call.elsewhere, call.body, "a-key"); a.Code() != "idempotency_key_reused" {
						k.Errorf("elsewhere: %d %s", a.Status, a.Body)
					}
				}
				k.told()

				creates := func(what string, a testkit.Answer) {
					k.Helper()
					if id == "createBoard" { // its prefix is taken: that it is refused shows that it was tried
						if a.Code() != "prefix_taken" {
							k.Errorf("%s: %d %s", what, a.Status, a.Body)
						}
					} else if a.Status != 201 || string(a.Body) == string(first.Body) {
						k.Errorf("%s: %d %s", what, a.Status, a.Body)
					}
				}
				creates("another key", send(all, call.path, call.body, "b-key"))
				creates("no key", send(all, call.path, call.body, ""))
				creates("another caller", send(k.ada, call.path, call.body, "a-key"))
				k.Clock.Advance(23 * time.Hour)
				if again := send(all, call.path, call.body, "a-key"); string(again.Body) != string(first.Body) {
					k.Errorf("within a day: %s", again.Body)
				}
				k.Clock.Advance(time.Hour + time.Millisecond)
				creates("after a day", send(all, call.path, call.body, "a-key"))
			})
		})
	}
}

// A repeated call answers what is there now, and a call that was refused is free to come again.
func TestIdempotencyKeysAnswerWhatIsThere(t *testing.T) {
	eachDesk(t, func(k *desk) {
		send := func(method, path, body string) testkit.Answer {
			r := k.agent.Request(method, path, body)
			r.Header.Set("Idempotency-Key", "a-key")
			return k.agent.Do(r)
		}
		i := testkit.Decode[dash.Issue](k.T, send("POST", "/api/issues?board=1", `{"title":"Once"}`), 201)
		k.ok(k.edit(i, `"title":"Otherwise"`))
		again := send("POST", "/api/issues?board=1", `{"title":"Once"}`)
		if got := testkit.Decode[dash.Issue](k.T, again, 201); got.Title != "Otherwise" || got.Version != 2 || again.Header.Get("ETag") != `"2"` {
			k.Errorf("again: %+v, ETag %s", got, again.Header.Get("ETag"))
		}

		item := at(i, "/acceptance")
		k.ok(k.move(i, "Done"))
		if a := send("POST", item, `{"title":"It holds."}`); k.gate(a) != "acceptance" {
			k.Errorf("on a card that is Done: %d %s", a.Status, a.Body)
		}
		k.ok(k.move(i, "ToDo"))
		if got := testkit.Decode[dash.AcceptanceItem](k.T, send("POST", item, `{"title":"It shines."}`), 201); got.ID != 1 {
			k.Errorf("after a refusal, with another body: %+v", got)
		}
		k.ok(k.agent.Call("DELETE", at(i, "/acceptance/1"), nil))
		if a := send("POST", item, `{"title":"It shines."}`); a.Code() != "not_found" {
			k.Errorf("an item that is gone: %d %s", a.Status, a.Body)
		}
	})
}

// Calls that come at once with one key create once, and all are told of it.
func TestIdempotencyKeysRace(t *testing.T) {
	eachDesk(t, func(k *desk) {
		answers := make([]testkit.Answer, 8)
		var wg sync.WaitGroup
		for n := range answers {
			r := k.agent.Request(http.MethodPost, "/api/issues?board=1", `{"title":"Once"}`)
			r.Header.Set("Idempotency-Key", "a-key")
			wg.Go(func() { answers[n] = k.agent.Do(r) })
		}
		wg.Wait()
		for _, a := range answers {
			if got := testkit.Decode[dash.Issue](k.T, a, 201); got.ID != "SHOP-1" {
				k.Errorf("created %s", got.ID)
			}
		}
		if got := idsOf(k.list("board=1").Issues); got != "SHOP-1" {
			k.Errorf("there are %s", got)
		}
	})
}
