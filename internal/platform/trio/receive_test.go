// SPDX-License-Identifier: Apache-2.0

package trio_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

// result is an answer of 50arms_api.
type result struct {
	OK          bool            `json:"ok"`
	Status      int             `json:"status"`
	Body        json.RawMessage `json:"body"`
	Truncated   bool            `json:"truncated"`
	Bytes       int64           `json:"bytes"`
	File        string          `json:"file"`
	ContentType string          `json:"content_type"`
	Preview     *string         `json:"preview"`
	SelectError string          `json:"select_error"`
	Drift       string          `json:"drift"`
}

// read calls a route that only the dashboard knows, and reads the answer.
func (d *dashboard) read(more string) result {
	d.t.Helper()
	d.routes = append(d.routes, "GET /api/newer")
	return d.readAt("/api/newer", more)
}

func (d *dashboard) readAt(path, more string) (r result) {
	d.t.Helper()
	if err := json.Unmarshal([]byte(d.mustCall(fmt.Sprintf(`{"method":"GET","path":%q%s}`, path, more))), &r); err != nil {
		d.t.Fatal(err)
	}
	return r
}

// left are the files that are kept.
func (d *dashboard) left() (names []string) {
	entries, _ := os.ReadDir(d.files.Path())
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

// TestSpills: what is long, or no text, is a file of this user's with what came in it.
func TestSpills(t *testing.T) {
	cards := func(n int) string {
		return `{"cards":[` + strings.TrimSuffix(strings.Repeat(`{"id":9007199254740993,"é":"<"},`, n), ",") + `]}`
	}
	for _, tt := range []struct {
		name, kind, body string
		ending, says     string // of the file; its content type
		preview          bool
	}{
		{"long JSON", "application/json", cards(3000), ".json", "", true},
		{"longer JSON", "application/problem+json", cards(60_000), ".json", "", true},
		{"untyped JSON", "", cards(3000), ".json", "", true},
		{"long text", "text/plain; charset=utf-8", strings.Repeat("é\n", 40_000), ".txt", "text/plain", true},
		{"longer text", "text/markdown", strings.Repeat("é\n", 900_000), ".md", "text/markdown", true},
		{"untyped text", "", strings.Repeat("notes ", 20_000), ".txt", "application/octet-stream", true},
		{"csv", "text/csv", strings.Repeat("a,b\n", 20_000), ".csv", "text/csv", true},
		{"image", "image/png", "\x89PNG\r\n\x1a\n", ".png", "image/png", false},
		{"large image", "image/jpeg", strings.Repeat("\xff\xd8\x00", 1<<20), ".jpg", "image/jpeg", false},
		{"bytes", "application/octet-stream", "text", ".bin", "application/octet-stream", false},
		{"untyped bytes", "", "a\x00b", ".bin", "application/octet-stream", false},
		{"text that is none", "text/plain", "caf\xe9", ".txt", "text/plain", false},
		{"odd type", "application/x-thing", "x", ".bin", "application/x-thing", false},
		{"a path as a type", "application/../../x", "\x00", ".bin", "application/octet-stream", false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			d := newDashboard(t, says(200, tt.kind, tt.body))
			r := d.read("")
			got, err := os.ReadFile(r.File)
			if err != nil || string(got) != tt.body || r.Bytes != int64(len(tt.body)) || !r.OK || r.Status != 200 || !r.Truncated || r.Body != nil || r.SelectError+r.Drift != "" {
				t.Errorf("%+v, %d bytes, %v", r, len(got), err)
			}
			info, err := os.Lstat(r.File)
			if err != nil || info.Mode() != 0o600 || filepath.Ext(r.File) != tt.ending || filepath.Dir(r.File) != d.files.Path() || len(d.left()) != 1 {
				t.Errorf("%v, %v, %v", info, err, d.left())
			}
			if r.ContentType != tt.says || (r.Preview != nil) != tt.preview {
				t.Errorf("%q, %v", r.ContentType, r.Preview)
			}
			if r.Preview != nil && (utf8.RuneCountInString(*r.Preview) != 2000 || !strings.HasPrefix(tt.body, *r.Preview)) {
				t.Errorf("%d characters: %.50q", utf8.RuneCountInString(*r.Preview), *r.Preview)
			}
		})
	}
}

// TestShown: what is just short enough is answered as it is.
func TestShown(t *testing.T) {
	for kind, body := range map[string]string{"application/json": `"` + strings.Repeat("x", 59_998) + `"`, "text/plain": strings.Repeat("x", 60_000)} {
		d := newDashboard(t, says(200, kind, body))
		if r := d.read(""); r.Truncated || !strings.Contains(string(r.Body), strings.Trim(body, `"`)) || len(d.left()) > 0 {
			t.Errorf("%s: %+v", kind, r.File)
		}
		d = newDashboard(t, says(200, kind, strings.Replace(body, "x", "xx", 1)))
		if r := d.read(""); !r.Truncated || r.Body != nil || r.Bytes != 60_001 {
			t.Errorf("%s: %d bytes", kind, r.Bytes)
		}
	}
}

// TestCut: a body that breaks off is an error, and leaves nothing.
func TestCut(t *testing.T) {
	for _, length := range []int{1000, 3 << 20} {
		d := newDashboard(t, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "image/png")
			w.Header().Set("Content-Length", fmt.Sprint(length))
			_, _ = w.Write(make([]byte, length-1))
		})
		got, err := d.call(`{"method":"GET","path":"/api/issues/SHOP-1/attachments/` + strings.Repeat("0a", 16) + `","board":1}`)
		if err == nil || !strings.Contains(err.Error(), fmt.Sprintf("broke off after %d bytes", length-1)) || len(d.left()) > 0 {
			t.Errorf("%s, %v, %v", got, err, d.left())
		}
	}
}

// TestNoRoom: a folder that is not ours is told of.
func TestNoRoom(t *testing.T) {
	d := newDashboard(t, says(200, "image/png", "x"))
	if err := os.Symlink(t.TempDir(), d.files.Path()); err != nil {
		t.Fatal(err)
	}
	d.routes = append(d.routes, "GET /api/newer")
	if got, err := d.call(`{"method":"GET","path":"/api/newer"}`); err == nil || !strings.Contains(err.Error(), "is no folder") {
		t.Errorf("%s, %v", got, err)
	}
}

// TestDownloads: a card's file may be anything, a page too.
func TestDownloads(t *testing.T) {
	path := "/api/issues/SHOP-1/attachments/" + strings.Repeat("0a", 16)
	for _, tt := range []struct{ kind, body, want string }{
		{"text/html", "<html>x", `"<html>x"`}, {"application/json", `{"a":`, `"{\"a\":"`}, {"application/json", `{"a":1}`, `{"a":1}`}, {"text/plain", "", "null"}, {"text/plain", "\n", `"\n"`}, {"image/svg+xml", "<svg/>", `"<svg/>"`},
	} {
		d := newDashboard(t, func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Disposition", `attachment; filename="a"`)
			says(200, tt.kind, tt.body)(w, r)
		})
		if r := d.readAt(path, `,"board":1`); string(r.Body) != tt.want || r.Drift != "" {
			t.Errorf("%s %q: %+v", tt.kind, tt.body, r)
		}
	}
}

func TestSelect(t *testing.T) {
	const body = `{"cards":[{"id":"A","n":9007199254740993},{"id":"B","n":1}],"next_cursor":null}`
	for _, tt := range []struct {
		name, kind, body, query string
		status                  int
		want                    string
	}{
		{"one", "application/json", body, ".cards[0].n", 200, `{"ok":true,"status":200,"body":9007199254740993}`},
		{"none", "application/json", body, ".cards[] | select(.id == \"Z\")", 200, `{"ok":true,"status":200,"body":null}`},
		{"several", "application/json", body, ".cards[].id", 200, `{"ok":true,"status":200,"body":["A","B"]}`},
		{"a refusal stays as it is", "application/json", `{"error":"gate","n":1}`, ".n", 409, `{"ok":false,"status":409,"body":{"error":"gate","n":1}}`},
		{"nothing", "", "", ".n", 204, `{"ok":true,"status":204,"body":null}`},
		{"text", "text/plain", "7", ".n", 200, `{"ok":true,"status":200,"body":"7","select_error":"the body is not JSON, and an expression is run over JSON only"}`},
		{"a run that fails", "application/json", `{"a":1}`, ".a.b", 200, `{"ok":true,"status":200,"body":{"a":1},"select_error":"expected an object but got: number (1)"}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			d := newDashboard(t, says(tt.status, tt.kind, tt.body))
			d.routes = append(d.routes, "GET /api/newer")
			if got := d.mustCall(fmt.Sprintf(`{"method":"GET","path":"/api/newer","select":%q}`, tt.query)); got != tt.want {
				t.Errorf("got  %s\nwant %s", got, tt.want)
			}
		})
	}
}

// TestBadSelect: an expression that cannot be run costs no call.
func TestBadSelect(t *testing.T) {
	for query, says := range map[string]string{".[": "ends too early", "$ENV": "not available", "input": "not available", "import \"a\" as a; .": "modules", "nothing": "nothing/0"} {
		d := newDashboard(t, nil)
		got, err := d.call(fmt.Sprintf(`{"method":"GET","path":"/api/auth/me","select":%q}`, query))
		if err == nil || !strings.Contains(err.Error(), says) || !strings.Contains(err.Error(), "not sent") || len(d.calls)+d.lists > 0 {
			t.Errorf("%s: %s, %v", query, got, err)
		}
	}
}

// TestSelectLarge: an expression is run over bodies that would not be shown, up to a limit, and no answer is lost.
func TestSelectLarge(t *testing.T) {
	body := func(n int) string { return `{"n":7,"text":"` + strings.Repeat("x", n) + `"}` }
	d := newDashboard(t, says(200, "application/json", body(15<<20)))
	if r := d.read(`,"select":".n"`); string(r.Body) != "7" || r.Truncated || r.SelectError != "" || len(d.left()) > 0 {
		t.Errorf("%+v", r)
	}
	d = newDashboard(t, says(200, "application/json", body(100_000)))
	if r := d.read(`,"select":"[.text]"`); r.Bytes != 100_004 || !strings.HasSuffix(r.File, ".json") || r.SelectError != "" {
		t.Errorf("%+v", r)
	}
	d = newDashboard(t, says(200, "application/json", body(100_000)))
	if r := d.read(`,"select":".n.x"`); r.Bytes != 100_017 || r.SelectError == "" || r.Body != nil {
		t.Errorf("%+v", r)
	}
	d = newDashboard(t, says(200, "application/json", body(16<<20)))
	r := d.read(`,"select":".n"`)
	if r.Bytes != 16<<20+17 || !strings.Contains(r.SelectError, "over 16777216 bytes") || !r.Truncated {
		t.Errorf("%+v", r)
	}
}

// TestDrift: an answer that is not as this build's contract has it is handed on whole, with a note.
func TestDrift(t *testing.T) {
	const path = "/api/issues/SHOP-1/attachments"
	file := func(change string) string {
		members := map[string]json.RawMessage{}
		whole := `{"id":"a","filename":"a.txt","content_type":"text/plain","bytes":1,"sha256":"x","url":"/x","is_primary":false,"by":{"kind":"person","name":"Ada","person":{"id":"x","name":"Ada"}},"at":"2026-01-02T03:04:05.000Z"}`
		for _, text := range []string{whole, change} {
			if err := json.Unmarshal([]byte(text), &members); err != nil {
				t.Fatal(err)
			}
		}
		for name, value := range members {
			if string(value) == `"gone"` {
				delete(members, name)
			}
		}
		text, err := json.Marshal(map[string]any{"attachments": []any{members}})
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	for _, tt := range []struct{ name, body, want string }{
		{"as it should be", file("{}"), ""},
		{"what a newer dashboard knows", file(`{"newer":{"a":1}}`), ""},
		{"missing", file(`{"url":"gone"}`), "GET " + path + " 200: /attachments/0/url is required"},
		{"of another type", file(`{"bytes":"1"}`), "GET " + path + " 200: /attachments/0/bytes must be an integer, got a string"},
		{"another value", file(`{"by":{"kind":"robot","name":"x"}}`), "GET " + path + ` 200: /attachments/0/by/kind must be one of "person", "agent"`},
		{"two and more", file(`{"bytes":"1","id":"gone","url":7,"sha256":7}`), "GET " + path + " 200: /attachments/0/bytes must be an integer, got a string; /attachments/0/id is required; and more"},
		{"another whole", `[]`, "GET " + path + " 200: must be an object, got an array"},
	} {
		d := newDashboard(t, says(200, "application/json", tt.body))
		r := d.readAt(path, `,"board":1`)
		if diff := cmp.Diff(tt.want, r.Drift); diff != "" && !(tt.name == "another value" && strings.HasPrefix(r.Drift, "GET "+path+" 200: /attachments/0/by/kind must be")) {
			t.Errorf("%s:\n%s", tt.name, diff)
		}
		if string(r.Body) != tt.body || !r.OK || utf8.RuneCountInString(r.Drift) > 301 {
			t.Errorf("%s: %+v", tt.name, r)
		}
	}
	d := newDashboard(t, says(200, "application/json", `{"attachments":7}`))
	if r := d.readAt(path, `,"board":1,"select":".attachments"`); string(r.Body) != "7" || r.Drift == "" {
		t.Errorf("%+v", r)
	}
	d = newDashboard(t, says(404, "application/json", `{}`))
	if r := d.readAt(path, `,"board":1`); r.Drift != "" {
		t.Errorf("%+v", r)
	}
}
