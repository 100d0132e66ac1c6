// SPDX-License-Identifier: Apache-2.0

package recordings

import (
	"cmp"
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

	askMore = `POST /api/permission-requests {"permissions":["cards.view","boards.edit"],"reason":"The checkout work needs a board of its own."}`
	seeMore = "ada GET /api/permission-requests/{request}"
	grant   = `ada POST /api/permission-requests/{request}/approve {"digest":"{digest}"}`
	refuse  = `ada POST /api/permission-requests/{request}/deny {"digest":"{digest}","note":"Not for this card."}`
	sendOff = `ada POST /api/permission-requests/{request}/request-changes {"digest":"{digest}","note":"Say which board."}`
)

// cover attaches an image as the cover of the first card.
const cover = "POST /api/issues/SHOP-1/attachments?board=1&filename=shot.png&primary=true " + pixel

// pixel is a PNG of one red pixel.
const pixel = "\x89PNG\r\n\x1a\n" +
	"\x00\x00\x00\rIHDR\x00\x00\x00\x01\x00\x00\x00\x01\x08\x02\x00\x00\x00\x90wS\xde" +
	"\x00\x00\x00\fIDATx\x9cc\xf8\xcf\xc0\x00\x00\x03\x01\x01\x00\xc9\xfe\x92\xef" +
	"\x00\x00\x00\x00IEND\xaeB`\x82"

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
		var made names
		w.answer(w.line(line), &made)
		w.names.learn(made)
	}
}

// names are the ids and digests that a script cannot know: an answer gives them, and later lines name them.
type names struct {
	Request    string `json:"publicId"`
	Digest     string `json:"digest"`
	Image      string `json:"url"`
	Attachment struct {
		ID string `json:"id"`
	} `json:"attachment"`
}

// learn takes what an answer names.
func (n *names) learn(from names) {
	n.Request, n.Digest = cmp.Or(from.Request, n.Request), cmp.Or(from.Digest, n.Digest)
	n.Image, n.Attachment.ID = cmp.Or(from.Image, n.Image), cmp.Or(from.Attachment.ID, n.Attachment.ID)
}

func (n *names) in(line string) string {
	return strings.NewReplacer("{request}", n.Request, "{digest}", n.Digest, "{image}", n.Image, "{file}", n.Attachment.ID).Replace(line)
}

// line is a call as a script has it: method, path and body with a space between. It is the agent's, or Ada's or nobody's
// if that stands before it, and with once before that it has an Idempotency-Key. {request}, {digest}, {image} and {file}
// are what the lines before came to know.
func (w *world) line(text string) *http.Request {
	text = w.names.in(text)
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
