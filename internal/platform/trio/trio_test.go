// SPDX-License-Identifier: Apache-2.0

package trio_test

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/fiftyarms/platform/gen/mcptools"
	"github.com/fiftyarms/platform/internal/openapi"
	"github.com/fiftyarms/platform/internal/platform/client"
	"github.com/fiftyarms/platform/internal/platform/contract"
	"github.com/fiftyarms/platform/internal/platform/secret"
	"github.com/fiftyarms/platform/internal/platform/spill"
	"github.com/fiftyarms/platform/internal/platform/trio"
)

// sent is one call as it came to the dashboard.
type sent struct {
	Method, Path, Query, Body string
}

// dashboard is a server that answers each call with answer, and notes it.
type dashboard struct {
	*trio.Trio
	t      *testing.T
	url    string
	routes []string // answer of the route list
	answer http.HandlerFunc
	now    time.Time
	files  *spill.Folder

	mu    sync.Mutex
	calls []sent
	lists int
}

// session calls with a key and never halts.
type session struct{ *client.Client }

func (s session) Do(ctx context.Context, call client.Call) (*client.Response, error) {
	call.Key = secret.New("key")
	return s.Client.Do(ctx, call)
}

func newDashboard(t *testing.T, answer http.HandlerFunc) *dashboard {
	t.Helper()
	return onBoard(t, 0, answer)
}

// onBoard is a dashboard at which the session has a board of its own.
func onBoard(t *testing.T, board int64, answer http.HandlerFunc) *dashboard {
	t.Helper()
	d := &dashboard{t: t, answer: answer, now: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC), routes: []string{"GET /api/auth/me", "GET /api/keys", "DELETE /api/keys/{id}"}}
	server := httptest.NewServer(http.HandlerFunc(d.serve))
	t.Cleanup(server.Close)
	// Each call on a connection of its own: on one that was idle, net/http makes a lost call again by itself.
	c, err := client.New(client.Options{Dashboard: server.URL, Version: "0.1.0", Transport: &http.Transport{DisableKeepAlives: true}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	d.url = server.URL
	d.files = spill.New(spill.Options{Parent: t.TempDir(), Now: time.Now, Random: rand.Reader})
	d.Trio = trio.New(trio.Options{Session: session{c}, Client: c, Contract: contract.Document, Board: board, Now: func() time.Time { return d.now }, Random: rand.Reader, Spill: d.files})
	return d
}

func (d *dashboard) serve(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	d.mu.Lock()
	list := r.URL.Path == "/api/openapi/routes" && d.routes != nil
	if list {
		d.lists++
	} else {
		d.calls = append(d.calls, sent{r.Method, r.URL.EscapedPath(), r.URL.RawQuery, string(body)})
	}
	d.mu.Unlock()
	if list {
		_ = json.NewEncoder(w).Encode(map[string]any{"routes": d.routes})
		return
	}
	d.answer(w, r)
}

// says answers with a status, a content type ("" leaves it out) and a body.
func says(status int, kind, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header()["Content-Type"] = nil // else the server guesses one
		if kind != "" {
			w.Header().Set("Content-Type", kind)
		}
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	}
}

// call is 50arms_api with its arguments as JSON, and its answer as JSON.
func (d *dashboard) call(args string) (string, error) {
	d.t.Helper()
	var a mcptools.APIArgs
	if err := json.Unmarshal([]byte(args), &a); err != nil {
		d.t.Fatal(err)
	}
	result, err := d.API(d.t.Context(), a)
	if err != nil {
		return "", err
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(result); err != nil {
		d.t.Fatal(err)
	}
	return strings.TrimSpace(b.String()), nil
}

func (d *dashboard) mustCall(args string) string {
	d.t.Helper()
	answer, err := d.call(args)
	if err != nil {
		d.t.Fatalf("%s: %v", args, err)
	}
	return answer
}

func TestAnswers(t *testing.T) {
	refusal := `{"z":1,"error":"gate","failed_gate":{"b":9007199254740993,"a":[1.10,1e400]},"offending_keys":["<x>","é"]}`
	for _, tt := range []struct {
		name, kind, body string
		status           int
		want             string // the answer
	}{
		{"json", "application/json", `{"b":1,"a":9007199254740993,"<":"&"}`, 200, `{"ok":true,"status":200,"body":{"b":1,"a":9007199254740993,"<":"&"}}`},
		{"problem", "application/problem+json; charset=utf-8", `{"x":1}`, 422, `{"ok":false,"status":422,"body":{"x":1}}`},
		{"refusal verbatim", "application/json", refusal, 409, `{"ok":false,"status":409,"body":` + refusal + `}`},
		{"created", "application/json", `[]`, 201, `{"ok":true,"status":201,"body":[]}`},
		{"no content", "", "", 204, `{"ok":true,"status":204,"body":null}`},
		{"empty", "application/json", "", 200, `{"ok":true,"status":200,"body":null}`},
		{"empty refusal", "", " \n", 404, `{"ok":false,"status":404,"body":null}`},
		{"text", "text/plain; charset=utf-8", "a\n<b> \"é\"", 200, `{"ok":true,"status":200,"body":"a\n<b> \"é\""}`},
		{"text that looks like JSON", "text/plain", "7", 200, `{"ok":true,"status":200,"body":"7"}`},
		{"csv", "text/csv", "a,b\r\n", 200, `{"ok":true,"status":200,"body":"a,b\r\n"}`},
		{"lines of JSON", "application/x-ndjson", "{}\n{}\n", 200, `{"ok":true,"status":200,"body":"{}\n{}\n"}`},
		{"untyped JSON", "", `{"a":1}`, 200, `{"ok":true,"status":200,"body":{"a":1}}`},
		{"untyped text", "", "hello", 400, `{"ok":false,"status":400,"body":"hello"}`},
		{"page refusal", "text/html", "<html>404 nginx", 404, `{"ok":false,"status":404,"body":"<html>404 nginx"}`},
		{"untyped page refusal", "", "<!doctype html>", 403, `{"ok":false,"status":403,"body":"<!doctype html>"}`},
		{"refusal that is half JSON", "application/json", `{"error":`, 400, `{"ok":false,"status":400,"body":"{\"error\":"}`},
		{"long page refusal", "text/html", "<html>" + strings.Repeat("é", 500), 404, `{"ok":false,"status":404,"body":"<html>` + strings.Repeat("é", 494) + `… [cut: 1006 bytes in all]"}`},
		{"page refusal of 500", "text/html", "<html>" + strings.Repeat("é", 494), 404, `{"ok":false,"status":404,"body":"<html>` + strings.Repeat("é", 494) + `"}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			d := newDashboard(t, says(tt.status, tt.kind, tt.body))
			d.routes = append(d.routes, "GET /api/newer") // this build knows no shape of its answers
			if got := d.mustCall(`{"method":"GET","path":"/api/newer"}`); got != tt.want {
				t.Errorf("got  %s\nwant %s", got, tt.want)
			}
		})
	}
}

// TestNoAnswers: what cannot be handed on is an error that says what came.
func TestNoAnswers(t *testing.T) {
	for _, tt := range []struct {
		name, kind, body string
		status           int
		want             []string
	}{
		{"page", "text/html; charset=utf-8", "<html>\n<title>Sign in</title>", 200, []string{"GET /api/auth/me: answered 200", "HTML", "DANXBOT_DASHBOARD_URL", `<html>\n<title>Sign in`}},
		{"binary page refusal", "text/html", "<html>\xff", 404, []string{"answered 404", "HTML"}},
		{"binary refusal", "image/png", "\x89PNG", 404, []string{"answered 404", "4 bytes of image/png"}},
		{"binary JSON refusal", "application/json", "{\x00", 400, []string{"answered 400", "not JSON"}},
		{"untyped page", "", "  <!DOCTYPE html><html>", 200, []string{"HTML"}},
		{"page called JSON", "application/json", "<html>", 200, []string{"not JSON", "<html>"}},
		{"long page called JSON", "application/json", "<html>" + strings.Repeat("x", 2<<20), 200, []string{"not JSON", "<html>"}},
		{"long page", "text/html", "<html>" + strings.Repeat("x", 2<<20), 200, []string{"HTML"}},
		{"half JSON", "application/json", `{"a":`, 200, []string{"not JSON", `{"a":`}},
		{"fails", "text/html", "<html>\nBad Gateway", 502, []string{`GET /api/auth/me: answered 502: <html>\nBad Gateway`}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			d := newDashboard(t, says(tt.status, tt.kind, tt.body))
			got, err := d.call(`{"method":"GET","path":"/api/auth/me"}`)
			if err == nil {
				t.Fatalf("answered %s", got)
			}
			for _, part := range tt.want {
				if !strings.Contains(err.Error(), part) {
					t.Errorf("%q lacks %q", err, part)
				}
			}
		})
	}
}

func TestSent(t *testing.T) {
	id := strings.Repeat("0a", 16)
	for _, tt := range []struct {
		name, args string
		want       sent
	}{
		{"get", `{"method":"GET","path":"/api/auth/me"}`, sent{"GET", "/api/auth/me", "", ""}},
		{"query", `{"method":"GET","path":"/api/keys","query":{"limit":5,"cursor":"a b&c","x":null,"big":9007199254740993,"neg":-1.50,"exp":1e3,"yes":true,"empty":"","list":["a",7,false],"none":[]}}`,
			sent{"GET", "/api/keys", "big=9007199254740993&cursor=a+b%26c&empty=&exp=1e3&limit=5&list=a&list=7&list=false&neg=-1.50&yes=true", ""}},
		{"object as its text", `{"method":"GET","path":"/api/issues/SHOP-1","board":1,"query":{"fields":{"description": true, "n": 9007199254740993}}}`,
			sent{"GET", "/api/issues/SHOP-1", "board=1&fields=%7B%22description%22%3Atrue%2C%22n%22%3A9007199254740993%7D", ""}},
		{"number as text", `{"method":"GET","path":"/api/keys","query":{"limit":"5"}}`, sent{"GET", "/api/keys", "limit=5", ""}},
		{"parameter", `{"method":"DELETE","path":"/api/keys/` + id + `"}`, sent{"DELETE", "/api/keys/" + id, "", ""}},
		{"pattern is the server's to judge", `{"method":"DELETE","path":"/api/keys/7"}`, sent{"DELETE", "/api/keys/7", "", ""}},
		{"odd characters", `{"method":"DELETE","path":"/api/keys/a b%20é%25"}`, sent{"DELETE", "/api/keys/a%20b%20%C3%A9%25", "", ""}},
		{"null body where none is wanted", `{"method":"DELETE","path":"/api/keys/7","body":null}`, sent{"DELETE", "/api/keys/7", "", ""}},
		{"body keeps its bytes", `{"method":"POST","path":"/api/plan-sessions","body":{"z": 9007199254740993,"title":"<&>","a":1.0}}`,
			sent{"POST", "/api/plan-sessions", "", `{"z": 9007199254740993,"title":"<&>","a":1.0}`}},
		{"body as a string", `{"method":"POST","path":"/api/plan-sessions","body":"{\"title\":\"x\",\"n\":9007199254740993}"}`,
			sent{"POST", "/api/plan-sessions", "", `{"title":"x","n":9007199254740993}`}},
		{"unknown field", `{"method":"POST","path":"/api/plan-sessions","body":{"newer":1}}`, sent{"POST", "/api/plan-sessions", "", `{"newer":1}`}},
		{"too long is the server's to judge", `{"method":"POST","path":"/api/plan-sessions","body":{"title":""}}`, sent{"POST", "/api/plan-sessions", "", `{"title":""}`}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			d := newDashboard(t, says(200, "application/json", "{}"))
			d.mustCall(tt.args)
			if diff := cmp.Diff([]sent{tt.want}, d.calls); diff != "" || d.lists != 0 {
				t.Errorf("%d lists\n%s", d.lists, diff)
			}
		})
	}
}

// TestChecked: what this build's contract can tell is told before the network, in the dashboard's words.
func TestChecked(t *testing.T) {
	for _, tt := range []struct {
		name, args string
		in, path   string // of the first issue
		says       string
	}{
		{"query in path", `{"method":"GET","path":"/api/keys?limit=5"}`, "path", "", "query"},
		{"fragment", `{"method":"GET","path":"/api/keys#x"}`, "path", "", "fragment"},
		{"no slash", `{"method":"GET","path":"api/keys"}`, "path", "", `"/"`},
		{"another host", `{"method":"GET","path":"//evil.example/api/keys"}`, "path", "", "host"},
		{"scheme", `{"method":"GET","path":"https://evil.example/api/keys"}`, "path", "", "scheme"},
		{"dots", `{"method":"GET","path":"/api/keys/../auth/me"}`, "path", "", `".."`},
		{"encoded dots", `{"method":"GET","path":"/api/keys/%2e%2E/auth/me"}`, "path", "", `".."`},
		{"twice encoded dots", `{"method":"GET","path":"/api/keys/%252e%252e/x"}`, "path", "", `".."`},
		{"encoded slash", `{"method":"GET","path":"/api/keys/a%2fb"}`, "path", "", "slash"},
		{"backslash", `{"method":"GET","path":"/api\\keys"}`, "path", "", "backslash"},
		{"line end", `{"method":"GET","path":"/api/keys\r\nX: y"}`, "path", "", "control"},
		{"broken escape", `{"method":"GET","path":"/api/keys/%zz"}`, "path", "", "%"},
		{"template", `{"method":"DELETE","path":"/api/keys/{id}"}`, "path", "id", "not filled in"},
		{"encoded template", `{"method":"DELETE","path":"/api/keys/%7Bid%7D"}`, "path", "id", "not filled in"},
		{"colon template", `{"method":"DELETE","path":"/api/keys/:id"}`, "path", "id", "not filled in"},
		{"missing body", `{"method":"POST","path":"/api/plan-sessions"}`, "body", "", "required"},
		{"null body", `{"method":"POST","path":"/api/plan-sessions","body":null}`, "body", "", "object"},
		{"missing field", `{"method":"POST","path":"/api/access-requests","body":{}}`, "body", "/client", "required"},
		{"missing inner field", `{"method":"POST","path":"/api/access-requests","body":{"client":{}}}`, "body", "/client/name", "required"},
		{"wrong type", `{"method":"POST","path":"/api/plan-sessions","body":{"title":7}}`, "body", "/title", "string"},
		{"body of another type", `{"method":"POST","path":"/api/plan-sessions","body":[]}`, "body", "", "object"},
		{"string that holds no object", `{"method":"POST","path":"/api/plan-sessions","body":"[1]"}`, "body", "", "object"},
		{"wrong query type", `{"method":"GET","path":"/api/keys","query":{"limit":"many"}}`, "query", "limit", "integer"},
		{"object in query", `{"method":"GET","path":"/api/keys","query":{"limit":{"a":1}}}`, "query", "limit", "must be an integer"},
		{"list of objects", `{"method":"GET","path":"/api/keys","query":{"limit":[{"a":1}]}}`, "query", "limit", "JSON text"},
		{"list of lists", `{"method":"GET","path":"/api/keys","query":{"limit":[[1]]}}`, "query", "limit", "must be"},
		{"null in a list", `{"method":"GET","path":"/api/keys","query":{"limit":[1,null]}}`, "query", "limit", "must be"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			d := newDashboard(t, says(200, "application/json", "{}"))
			got := d.mustCall(tt.args)
			var answer struct {
				OK      bool
				Status  int
				Checked string
				Body    struct {
					Error, Message string
					Issues         []openapi.Issue
				}
			}
			if err := json.Unmarshal([]byte(got), &answer); err != nil {
				t.Fatal(err)
			}
			if answer.OK || answer.Status != 400 || answer.Checked != "client" || answer.Body.Error != "invalid_request" || answer.Body.Message == "" || len(answer.Body.Issues) == 0 {
				t.Fatal(got)
			}
			if issue := answer.Body.Issues[0]; issue.In != tt.in || issue.Path != tt.path || !strings.Contains(issue.Message, tt.says) {
				t.Errorf("issue %+v lacks %q", issue, tt.says)
			}
			if len(d.calls) != 0 || d.lists > 1 { // the list may be asked whether the dashboard means another route
				t.Errorf("called: %v", d.calls)
			}
		})
	}
}
