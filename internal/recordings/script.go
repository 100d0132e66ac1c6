// SPDX-License-Identifier: Apache-2.0

package recordings

import (
	"fmt"
	"net/http"
	"strings"
)

// Lines of scripts. The first card of a script is SHOP-1, at version 1.
const (
	docs   = `{"name":"Documents","prefix":"DOCS"}`
	mend   = `POST /api/issues?board=1 {"title":"Mend the checkout","type":"Bug","status":"ToDo","description":"The total ignores the voucher.","acceptance":["A voucher lowers the total."]}`
	prices = `POST /api/issues?board=1 {"title":"Read the price list","status":"ToDo"}`
	epic   = `POST /api/issues?board=1 {"title":"The checkout","type":"Epic"}`
	child  = `POST /api/issues?board=1 {"title":"Mend the checkout","parent_id":"SHOP-1","acceptance":["A voucher lowers the total."]}`
	say    = `POST /api/issues/SHOP-1/comments?board=1 {"body":"The voucher is read *too late*."}`
	item   = `POST /api/issues/SHOP-1/acceptance?board=1 {"title":"A voucher counts once."}`
	attach = "POST /api/issues/SHOP-1/attachments?board=1&filename=notes.md # Notes"
)

func edit(card, version int, members string) string {
	return fmt.Sprintf(`PATCH /api/issues/SHOP-%d/edit?board=1 {"version":%d,%s}`, card, version, members)
}

func move(card, version int, to string) string {
	return fmt.Sprintf(`POST /api/issues/SHOP-%d/transition?board=1 {"version":%d,"status":%q}`, card, version, to)
}

func wait(card, version, on int) string {
	return fmt.Sprintf(`PUT /api/issues/SHOP-%d/dependencies?board=1 {"version":%d,"reason":"The prices have to be there.","by":["SHOP-%d"]}`, card, version, on)
}

func conflict(one, other int) string {
	return fmt.Sprintf(`PUT /api/issues/SHOP-%d/conflicts/SHOP-%d?board=1 {"reason":"Both rewrite basket.go."}`, one, other)
}

func check(version int, checked bool) string {
	return fmt.Sprintf(`PATCH /api/issues/SHOP-1/acceptance/1?board=1 {"version":%d,"checked":%t}`, version, checked)
}

// script plays calls on the board SHOP of a team with a connected agent, and records the last.
func script(lines ...string) func(*world) *http.Request {
	last := len(lines) - 1
	return func(w *world) *http.Request {
		w.play(lines[:last]...)
		return w.line(lines[last])
	}
}

// play brings a team with a board and a connected agent about, and plays calls there.
func (w *world) play(lines ...string) {
	w.signedIn().approvedKey()
	before := []string{"POST /api/plan-sessions {}", `ada POST /api/boards {"name":"Shop","prefix":"SHOP","repo":"acme/shop"}`}
	for _, line := range append(before, lines...) {
		w.answer(w.line(line), nil)
	}
}

// line is a call as a script has it: method, path and body with a space between. It is the agent's, or Ada's or nobody's
// if that stands before it, and with once before that it has an Idempotency-Key.
func (w *world) line(text string) *http.Request {
	text, once := strings.CutPrefix(text, "once ")
	text, person := strings.CutPrefix(text, "ada ")
	text, nobody := strings.CutPrefix(text, "nobody ")
	method, rest, _ := strings.Cut(text, " ")
	path, content, has := strings.Cut(rest, " ")
	var body any
	if has {
		body = content
	}
	r := w.request(method, path, body)
	if has && !strings.HasPrefix(content, "{") {
		r.Header.Set("Content-Type", "application/octet-stream")
	}
	if once {
		r.Header.Set("Idempotency-Key", "the-same-call")
	}
	switch {
	case nobody:
		return r
	case person:
		return w.byPerson(r)
	}
	return w.byKey(r)
}

// until records a stream as far as a frame that holds a text: of itself it has no end.
func until(text string, from func(*world) *http.Request) func(*world) *http.Request {
	return func(w *world) *http.Request {
		r := from(w)
		w.until = text
		return r
	}
}
