// SPDX-License-Identifier: Apache-2.0

package web_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/oapi-codegen/nullable"

	"github.com/fiftyarms/platform/gen/dash"
)

// seen is the mark of a value, as a page carries it.
func seen(value string) string {
	sum := sha256.Sum256([]byte(value))
	return hex.EncodeToString(sum[:8])
}

// TestWorkFormsBecomeCalls holds what each form of boards and cards sends to the API, and where the browser goes after it.
func TestWorkFormsBecomeCalls(t *testing.T) {
	const query = "board=1"
	tests := []struct {
		name, path string
		form       url.Values
		op         string
		answer     any
		query      string
		body       string
		location   string
	}{
		{"a card", "/boards/1/cards", newCardForm, "createIssue", cardOne(), "",
			`{"board":1,"title":"Mend the checkout","type":"Bug","status":"Review","description":"The total."}`, "/boards/1?q=mend&type=Bug"},
		{"to another column", "/boards/1/move", with(with(moveForm, "place", "end"), "after", ""), "transitionIssue", cardOne(), query, `{"status":"Done","version":2}`, "/boards/1?q=mend"},
		{"to the top", "/boards/1/move", with(moveForm, "place", "top"), "transitionIssue", cardOne(), query, `{"status":"Done","version":2,"after":null}`, "/boards/1?q=mend"},
		{"after a card", "/boards/1/move", with(moveForm, "filter", ""), "transitionIssue", cardOne(), query, `{"status":"Done","version":2,"after":"SHOP-2"}`, "/boards/1"},
		{"a filter that is none", "/boards/1/move", with(moveForm, "filter", "//evil.example"), "transitionIssue", cardOne(), query, `{"status":"Done","version":2,"after":"SHOP-2"}`, "/boards/1"},
		{"to the end of its own column", "/boards/1/move", with(with(moveForm, "status", "ToDo"), "place", "end"), "transitionIssue", cardOne(), query, `{"status":"ToDo","version":2,"after":null}`, "/boards/1?q=mend"},
		{"on the card's page", cardPath + "/move", formOf("status", "Backlog", "place", "end", "from", "ToDo"), "transitionIssue", cardOne(), query, `{"status":"Backlog","version":2}`, cardPath + "#move"},
		{"everything of a card", cardPath + "/edit", formOf("title", "T", "seen-title", "x", "type", "Bug", "seen-type", "x", "description", "", "seen-description", "x", "priority", "2,5", "seen-priority", "x",
			"effort", "max", "seen-effort", "x", "agent", "1", "seen-agent", "x", "parent", "shop-9", "seen-parent", "x", "blocked", "Stuck.", "seen-blocked", "x", "human", "Yours.", "seen-human", "x", "steps", "One.\r\n\r\n Two. ", "seen-steps", "x"),
			"editIssue", cardOne(), query, `{"version":2,"title":"T","type":"Bug","description":"","priority":2.5,"effort":"max","assigned_agent":1,"parent_id":"SHOP-9","blocked":{"reason":"Stuck."},"requires_human":{"reason":"Yours.","steps":["One.","Two."]}}`, cardPath + "#edit"},
		{"nothing of a card any more", cardPath + "/edit", formOf("effort", "", "seen-effort", "x", "agent", "", "seen-agent", "x", "parent", "", "seen-parent", "x", "blocked", "", "seen-blocked", "x", "human", "", "seen-human", "x", "steps", "", "seen-steps", "x"),
			"editIssue", cardOne(), query, `{"version":2,"effort":null,"assigned_agent":null,"parent_id":null,"blocked":null,"requires_human":null}`, cardPath + "#edit"},
		{"what was changed alone", cardPath + "/edit", formOf("title", "Mend the checkout", "seen-title", seen("Mend the checkout"), "description", "a\r\nb", "seen-description", seen("a\nb"), "priority", "4", "seen-priority", seen("3")),
			"editIssue", cardOne(), query, `{"version":2,"priority":4}`, cardPath + "#edit"},
		{"an item", cardPath + "/acceptance", formOf("item", " It holds. "), "addAcceptanceItem", dash.AcceptanceItem{ID: 1, Title: "It holds.", Version: 1}, query, `{"title":"It holds."}`, cardPath + "#acceptance"},
		{"an item is checked", cardPath + "/acceptance/1", formOf("checked", "true"), "editAcceptanceItem", dash.AcceptanceItem{ID: 1, Title: "x", Version: 1}, query, `{"checked":true,"version":2}`, cardPath + "#acceptance"},
		{"an item is removed", cardPath + "/acceptance/1/remove", marked, "removeAcceptanceItem", nil, query, "", cardPath + "#acceptance"},
		{"a comment", cardPath + "/comments", formOf("comment", "One.\r\nTwo."), "addComment", dash.Comment{ID: 1, Body: "x", By: adaActor, At: dash.At(now)}, query, `{"body":"One.\nTwo."}`, cardPath + "#comments"},
		{"cards to wait for", cardPath + "/waits", formOf("waits_for", "shop-2,  SHOP-3;tool-1", "waits_reason", "Because."), "setDependencies", cardOne(), query, `{"by":["SHOP-2","SHOP-3","TOOL-1"],"reason":"Because.","version":2}`, cardPath + "#waits"},
		{"no cards to wait for", cardPath + "/waits/clear", marked, "clearDependencies", nil, query, "", cardPath + "#waits"},
		{"a conflict", cardPath + "/conflicts", formOf("other", " tool-7 ", "conflict_reason", "One saw."), "setConflict", dash.ConflictList{Conflicts: []dash.Conflict{}}, query, `{"reason":"One saw."}`, cardPath + "#conflicts"},
		{"no conflict", cardPath + "/conflicts/TOOL-7/clear", marked, "clearConflict", nil, query, "", cardPath + "#conflicts"},
		{"a board", "/boards", with(newBoardForm, "prefix", " shop "), "createBoard", http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(http.StatusCreated)
			_, _ = w.Write([]byte(`{"ref":7}`))
		}), "", `{"name":"Shop","prefix":"SHOP","repo":"acme/shop"}`, "/boards/7"},
		{"what a board says", "/boards/1/edit", editBoardForm, "editBoard", shop(), "", `{"version":2,"name":"The shop","repo":null}`, "/boards/1"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			api := working(t).with(tt.op, tt.answer)
			got := post(t, api, tt.path, tt.form)
			if got.Code != http.StatusSeeOther || got.Header().Get("Location") != tt.location {
				t.Errorf("status %d to %q, want 303 to %q\n%s", got.Code, got.Header().Get("Location"), tt.location, got.Body)
			}
			call := api.last(tt.op)
			if call.CSRF != formMark {
				t.Errorf("token %q", call.CSRF)
			}
			if call.Query != tt.query {
				t.Errorf("query %q, want %q", call.Query, tt.query)
			}
			if key := call.header.Get("Idempotency-Key"); (key == "o-1") != strings.Contains("createIssue createBoard addComment addAcceptanceItem", tt.op) {
				t.Errorf("idempotency key %q", key)
			}
			if diff := cmp.Diff(object(t, tt.body), object(t, call.Body)); diff != "" {
				t.Errorf("body (-want +got):\n%s", diff)
			}
		})
	}
}

// TestAFileIsStreamedOn: the API reads a file while it comes, and no more than it wants.
func TestAFileIsStreamedOn(t *testing.T) {
	body, kind := upload{"notes.md", strings.Repeat("x", 1<<20)}.encode(t, marked)
	sent := 0
	reader := readerFunc(func(p []byte) (int, error) {
		if sent > 600_000 {
			t.Error("more is read than the API wants")
		}
		n := copy(p, body[sent:])
		sent += n
		return n, nil
	})
	r := httptest.NewRequest("POST", cardPath+"/files", reader)
	r.Header.Set("Content-Type", kind)
	var got []byte
	api := working(t)
	s := send(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != "POST" {
			api.ServeHTTP(w, r)
			return
		}
		if r.ContentLength != -1 || r.Header.Get("Content-Type") != "application/octet-stream" || r.Header.Get("X-CSRF-Token") != formMark || r.URL.Query().Get("filename") != "notes.md" {
			t.Errorf("length %d, header %v, query %s", r.ContentLength, r.Header, r.URL.RawQuery)
		}
		got = make([]byte, 1000)
		if n, err := r.Body.Read(got); err != nil || n == 0 {
			t.Errorf("read %d bytes: %v", n, err)
		}
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusConflict)
		_, _ = w.Write([]byte(`{"error":"limit_reached","message":"a card has at most 100 files","limit":100}`))
	}), r)
	if s.Code != http.StatusConflict || !bytes.HasPrefix(got, []byte("xxx")) {
		t.Errorf("status %d after %q", s.Code, got)
	}
}

type readerFunc func([]byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }

// TestThePageBeginsWhereItsDataDoes: the cursor is read before anything that events could change.
func TestThePageBeginsWhereItsDataDoes(t *testing.T) {
	for path, topics := range map[string]string{"/boards": "team", "/boards/1": "board:1", cardPath: "card:SHOP-1"} {
		api := working(t)
		got := get(t, api, path)
		if api.calls[0].Op != "getStreamCursor" {
			t.Errorf("%s asks for %v", path, api.ops())
		}
		main := got.doc.Tags("main")[0]
		if main.Attr["data-topics"] != topics || main.Attr["data-cursor"] != "41" {
			t.Errorf("%s: %v", path, main.Attr)
		}
		for _, kind := range []string{"board.created", "issue.gates_changed", "issue.attached"} {
			if !strings.Contains(" "+main.Attr["data-kinds"]+" ", " "+kind+" ") {
				t.Errorf("%s does not follow %s", path, kind)
			}
		}
	}
}

// TestARegionAloneAsksForWhatItShows: what an event costs.
func TestARegionAloneAsksForWhatItShows(t *testing.T) {
	tests := []struct {
		path, regions string
		ops           []string
		want          []string // ids
	}{
		{"/boards/1?q=mend", "column-todo", []string{"getMe", "getPermissions", "getBoard", "listAgents", "listIssues"}, []string{"column-todo"}},
		{"/boards/1", "column-todo column-done", []string{"getMe", "getPermissions", "getBoard", "listAgents", "listIssues", "listIssues"}, []string{"column-todo", "column-done"}},
		{"/boards/1", "nonsense", []string{"getMe", "getPermissions", "getBoard", "listAgents"}, nil},
		{"/boards", "new-board", []string{"getMe", "getPermissions"}, []string{"new-board"}},
		{cardPath, "comments history", []string{"getMe", "getPermissions", "getIssue", "getBoard", "listAgents", "listComments", "listHistory"}, []string{"comments", "history"}},
	}
	for _, tt := range tests {
		api := working(t)
		r := httptest.NewRequest("GET", tt.path, nil)
		r.Header.Set("X-Fragment", tt.regions)
		w := httptest.NewRecorder()
		pagesOf(t, api).ServeHTTP(w, r)
		if diff := cmp.Diff(tt.ops, api.ops()); diff != "" {
			t.Errorf("%s %s (-want +got):\n%s", tt.path, tt.regions, diff)
		}
		doc := shownDoc(t, w.Body.String())
		var got []string
		for _, n := range doc.Children {
			if n.Tag != "" && n.Tag != "title" {
				got = append(got, n.Attr["id"])
			}
		}
		if diff := cmp.Diff(tt.want, got); diff != "" || w.Code != http.StatusOK || len(doc.Tags("title")) != 1 {
			t.Errorf("%s %s: status %d (-want +got):\n%s", tt.path, tt.regions, w.Code, diff)
		}
		if strings.HasPrefix(tt.regions, "column") && !strings.Contains(api.last("listIssues").Query, "limit=50") {
			t.Errorf("asked for %q", api.last("listIssues").Query)
		}
	}
}

// TestEveryRegionCanBeAskedFor: what a page marks as a region, it also answers alone, and the same.
func TestEveryRegionCanBeAskedFor(t *testing.T) {
	for path, api := range map[string]*script{"/boards": working(t), "/boards/1": working(t), cardPath: told(t)} {
		whole := get(t, api, path)
		for _, n := range whole.doc.All(isRegion) {
			r := httptest.NewRequest("GET", path, nil)
			r.Header.Set("X-Fragment", n.Attr["id"])
			w := httptest.NewRecorder()
			pagesOf(t, api).ServeHTTP(w, r)
			alone := shownDoc(t, w.Body.String()).With("id", n.Attr["id"])
			if len(alone) != 1 || alone[0].Text() != n.Text() {
				t.Errorf("%s: the region %s is not the same alone", path, n.Attr["id"])
			}
		}
	}
}

// TestAConflictKeepsBoth: what was typed stays, what was not touched is as it is now, and the version is that of now.
func TestAConflictKeepsBoth(t *testing.T) {
	form := formOf("title", "Typed", "seen-title", seen("Before"), "description", "Before.", "seen-description", seen("Before."), "priority", "3", "seen-priority", seen("3"))
	form.Set("version", "1")
	got := post(t, working(t).with("editIssue", conflicting(dash.Current{Version: 2, Issue: p(cardOne())})), cardPath+"/edit", form)
	edit := got.doc.With("id", "edit")[0]
	value := func(id string) string {
		n := edit.With("id", id)[0]
		if n.Tag == "textarea" {
			return n.Text()
		}
		return n.Attr["value"]
	}
	if value("edit-title") != "Typed" || value("edit-description") != "The total ignores the **voucher**." {
		t.Errorf("title %q, description %q", value("edit-title"), value("edit-description"))
	}
	if now := edit.With("id", "edit-title-now"); len(now) != 1 || now[0].Text() != "Now there is: Mend the checkout" {
		t.Errorf("beside the title stands %v", now)
	}
	if len(edit.With("id", "edit-description-now")) != 0 || len(edit.With("id", "edit-priority-now")) != 0 {
		t.Error("something stands beside what nobody touched")
	}
	if v := edit.With("name", "version")[0].Attr["value"]; v != "2" {
		t.Errorf("version %s", v)
	}
	if s := edit.With("name", "seen-title")[0].Attr["value"]; s != seen("Mend the checkout") {
		t.Errorf("the mark %s is not of what is there now", s)
	}
}

// TestUploadsAreBounded: before the file come a few short fields, and then there is a file.
func TestUploadsAreBounded(t *testing.T) {
	many := url.Values{}
	for i := range 30 {
		many.Set(strings.Repeat("a", i+1), "x")
	}
	broken := func(body string) *http.Request {
		r := httptest.NewRequest("POST", cardPath+"/files", strings.NewReader(body))
		r.Header.Set("Content-Type", `multipart/form-data; boundary=x`)
		return r
	}
	tests := map[string]*http.Request{
		"many fields":        nil,
		"no file":            broken("--x\r\nContent-Disposition: form-data; name=csrf_token\r\n\r\nt\r\n--x--\r\n"),
		"a long field":       broken("--x\r\nContent-Disposition: form-data; name=once\r\n\r\n" + strings.Repeat("y", 1<<16) + "\r\n--x--\r\n"),
		"what nobody types":  broken("--x\r\nContent-Disposition: form-data; name=once\r\n\r\n\x00\r\n--x--\r\n"),
		"an end too early":   broken("--x\r\nContent-Disposition: form-data; name=once\r\n\r\nt"),
		"no part at all":     broken("--x--\r\n"),
		"nothing whatsoever": broken(""),
	}
	for name, r := range tests {
		api := working(t)
		var got shown
		if r == nil {
			got = upload{"notes.md", "x"}.send(t, api, cardPath+"/files", many)
		} else {
			got = send(t, api, r)
		}
		if got.Code != http.StatusBadRequest || len(api.calls) != 0 || !strings.Contains(got.text(), "Nothing was changed.") {
			t.Errorf("%s: status %d, calls %v: %s", name, got.Code, api.ops(), got.text())
		}
	}
}

// TestTheEndOfALongColumn is after its last card, on whatever page that is, and not after the card itself.
func TestTheEndOfALongColumn(t *testing.T) {
	cards := func(ids ...string) (out []dash.Issue) {
		for _, id := range ids {
			i := cardOne()
			i.ID = id
			out = append(out, i)
		}
		return out
	}
	api := working(t).with("transitionIssue", cardOne()).with("listIssues", func(r *http.Request) any {
		if r.URL.Query().Get("cursor") == "" {
			return dash.IssuePage{Issues: cards("SHOP-5", "SHOP-6"), NextCursor: nullable.NewNullableWithValue("2")}
		}
		return dash.IssuePage{Issues: cards("SHOP-7", "SHOP-1"), NextCursor: nullable.NewNullNullable[string]()}
	})
	post(t, api, "/boards/1/move", with(with(moveForm, "status", "ToDo"), "place", "end"))
	if diff := cmp.Diff(object(t, `{"status":"ToDo","version":2,"after":"SHOP-7"}`), object(t, api.last("transitionIssue").Body)); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}
