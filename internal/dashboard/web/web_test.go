// SPDX-License-Identifier: Apache-2.0

package web_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/fiftyarms/platform/gen/dash"
	"github.com/fiftyarms/platform/internal/dashboard/web"
)

func TestNewWantsWhatThePagesTell(t *testing.T) {
	api := http.NotFoundHandler()
	for _, o := range []web.Options{
		{Command: []string{"platform-mcp"}},
		{PublicURL: "dash.example.com", Command: []string{"platform-mcp"}},
		{PublicURL: "ftp://dash.example.com", Command: []string{"platform-mcp"}},
		{PublicURL: "https://dash.example.com"},
	} {
		if _, err := web.New(api, o); err == nil {
			t.Errorf("%+v was taken", o)
		}
	}
	if _, err := web.New(api, web.Options{PublicURL: "http://127.0.0.1:5555/", Command: []string{"go", "run"}}); err != nil {
		t.Error(err)
	}
}

// TestHeaders holds the headers that keep a page from being framed, scripted, cached or told of.
func TestHeaders(t *testing.T) {
	for _, s := range states {
		got := s.send(t, s.api(t))
		want := map[string]string{
			"Content-Security-Policy":      "default-src 'none'; style-src 'self'; img-src 'self'; script-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
			"X-Content-Type-Options":       "nosniff",
			"X-Frame-Options":              "DENY",
			"Cross-Origin-Opener-Policy":   "same-origin",
			"Cross-Origin-Resource-Policy": "same-origin",
			"Referrer-Policy":              "same-origin",
			"Cache-Control":                "no-store",
		}
		if strings.HasPrefix(s.path, "/setup") {
			want["Referrer-Policy"] = "strict-origin"
		}
		for name, value := range want {
			if v := got.Header().Values(name); len(v) != 1 || v[0] != value {
				t.Errorf("%s: %s is %q, want %q", s.name, name, v, value)
			}
		}
	}
}

func TestEveryLinkedFileIsThere(t *testing.T) {
	seen := map[string]bool{}
	for _, s := range states {
		got := s.send(t, s.api(t))
		if got.doc == nil {
			continue
		}
		for _, n := range got.doc.Tags("link", "img", "script") {
			if path := n.Attr["href"] + n.Attr["src"]; !strings.HasPrefix(path, "/api/") { // a picture on a card is the API's
				seen[path] = true
			}
		}
	}
	if len(seen) != 11 {
		t.Errorf("the pages link to %d files: %v", len(seen), seen)
	}
	for path := range seen {
		got := get(t, signedOut(t), path)
		if got.Code != http.StatusOK || got.Body.Len() == 0 {
			t.Errorf("%s: status %d, %d bytes", path, got.Code, got.Body.Len())
		}
		if v := got.Header().Get("Cache-Control"); v != "public, max-age=31536000, immutable" {
			t.Errorf("%s: Cache-Control %q", path, v)
		}
		if kind := got.Header().Get("Content-Type"); !strings.HasPrefix(kind, "text/css") && !strings.HasPrefix(kind, "text/javascript") && kind != "image/svg+xml" {
			t.Errorf("%s: Content-Type %q", path, kind)
		}
		if strings.Contains(got.Body.String(), "url(") || strings.Contains(got.Body.String(), "@import") {
			t.Errorf("%s loads something", path)
		}
	}
}

// TestFormsBecomeCalls holds what each form sends to the API, and where the browser goes after it.
func TestFormsBecomeCalls(t *testing.T) {
	tests := []struct {
		name, path string
		form       url.Values
		op         string
		answer     any
		body       string
		csrf       string
		location   string
	}{
		{"approve what is ticked", approvalPath + "/approve", approveForm, "approveAccessRequest", pending(),
			`{"digest":"` + digest + `","permissions":["cards.view","docs.view"]}`, formMark, approvalPath},
		{"ask for changes", approvalPath + "/request-changes", with(changesForm, "changes_note", "  Say which card.\r\nAnd why. "), "requestAccessChanges", pending(),
			`{"digest":"` + digest + `","note":"Say which card.\nAnd why."}`, formMark, approvalPath},
		{"deny with a reason", approvalPath + "/deny", denyForm, "denyAccessRequest", pending(),
			`{"digest":"` + digest + `","note":"Not on this machine."}`, formMark, approvalPath},
		{"deny without one", approvalPath + "/deny", with(denyForm, "deny_note", " \r\n"), "denyAccessRequest", pending(),
			`{"digest":"` + digest + `"}`, formMark, approvalPath},
		{"deny without a token", approvalPath + "/deny", with(denyForm, "csrf_token", ""), "denyAccessRequest", pending(),
			`{"digest":"` + digest + `","note":"Not on this machine."}`, "", approvalPath},
		{"sign out", "/signout", url.Values{"csrf_token": {formMark}}, "logOut", nil, "", formMark, "/signin?signed-out"},
		{"sign out twice", "/signout", url.Values{"csrf_token": {formMark}}, "logOut", dash.UnauthenticatedRefusal{Message: "no"}, "", formMark, "/signin?signed-out"},
		{"sign in", "/signin", signinForm, "logIn", signedIn(t).answers["getMe"],
			`{"email":"ada@example.com","password":"correct horse battery"}`, "", "/"},
		{"sign in to a request", "/signin", with(signinForm, "next", approvalPath), "logIn", signedIn(t).answers["getMe"],
			`{"email":"ada@example.com","password":"correct horse battery"}`, "", approvalPath},
		{"set up", "/setup", setupForm, "setUp", signedIn(t).answers["getMe"],
			`{"email":"ada@example.com","name":"Ada","password":"correct horse battery","team":{"name":"Acme","slug":"acme"},"token":"from-the-link"}`, "", "/"},
		{"set up with a short name", "/setup", with(setupForm, "team_slug", "tools"), "setUp", signedIn(t).answers["getMe"],
			`{"email":"ada@example.com","name":"Ada","password":"correct horse battery","team":{"name":"Acme","slug":"tools"},"token":"from-the-link"}`, "", "/"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			api := signedIn(t).with(tt.op, tt.answer)
			api.headers.Set("Set-Cookie", "session=fresh; HttpOnly")
			got := post(t, api, tt.path, tt.form)
			if got.Code != http.StatusSeeOther || got.Header().Get("Location") != tt.location {
				t.Errorf("status %d to %q, want 303 to %q", got.Code, got.Header().Get("Location"), tt.location)
			}
			if c := got.Header().Get("Set-Cookie"); c != "session=fresh; HttpOnly" {
				t.Errorf("cookie %q", c)
			}
			call := api.last(tt.op)
			if call.CSRF != tt.csrf {
				t.Errorf("token %q, want %q", call.CSRF, tt.csrf)
			}
			if diff := cmp.Diff(object(t, tt.body), object(t, call.Body)); diff != "" {
				t.Errorf("body (-want +got):\n%s", diff)
			}
			if len(api.calls) != 1 {
				t.Errorf("calls %v, want one", api.ops())
			}
		})
	}
}

func with(form url.Values, name, value string) url.Values {
	out := url.Values{}
	for k, v := range form {
		out[k] = v
	}
	out.Set(name, value)
	return out
}

func object(t *testing.T, s string) (v any) {
	t.Helper()
	if s == "" {
		return nil
	}
	if err := json.Unmarshal([]byte(s), &v); err != nil {
		t.Fatal(err)
	}
	return v
}

// TestAFormComesBackAsItWasLeft: what was filled in is still there when something has to be mended, but no password.
func TestAFormComesBackAsItWasLeft(t *testing.T) {
	got := post(t, signedIn(t).with("approveAccessRequest", dash.DigestMismatchRefusal{Message: "no", Digest: digest, Next: "read"}), approvalPath+"/approve", approveForm)
	ticked := map[string]bool{}
	for _, n := range got.doc.With("type", "checkbox") {
		_, ticked[n.Attr["value"]] = n.Attr["checked"]
	}
	if diff := cmp.Diff(map[string]bool{"cards.view": true, "cards.edit": false, "docs.view": true}, ticked); diff != "" {
		t.Errorf("ticks (-want +got):\n%s", diff)
	}
	got = post(t, signedIn(t).with("requestAccessChanges", invalid("body", "/note", "too long")), approvalPath+"/request-changes", changesForm)
	if note := got.doc.With("id", "changes_note")[0].Text(); note != "Say which card." {
		t.Errorf("the note is %q", note)
	}
	got = post(t, signedIn(t).with("setUp", invalid("body", "/team/slug", "must match")), "/setup", with(setupForm, "team_slug", "A B"))
	for id, want := range map[string]string{"team_name": "Acme", "team_slug": "A B", "name": "Ada", "email": "ada@example.com", "password": ""} {
		if v := got.doc.With("id", id)[0].Attr["value"]; v != want {
			t.Errorf("%s is %q, want %q", id, v, want)
		}
	}
	if links := got.doc.With("href", "#team_slug"); len(links) != 1 {
		t.Errorf("%d links lead to the field to mend", len(links))
	}
}

// TestNextStaysOnThisSite: no link to the sign-in page may send people to another site after they signed in.
func TestNextStaysOnThisSite(t *testing.T) {
	away := []string{
		"https://evil.example/", "//evil.example", `/\evil.example`, `\\evil.example`, "/\t/evil.example", "/\n/evil.example", "\t//evil.example",
		"javascript:alert(1)", "data:text/html,x", "evil.example", "", "/%zz", "//", "///evil.example", "https:evil.example", "/ /evil.example", "/\u2028", "/" + strings.Repeat("x", 3000),
	}
	for _, next := range away {
		api := signedIn(t).with("logIn", signedIn(t).answers["getMe"])
		if got := post(t, api, "/signin", with(signinForm, "next", next)); got.Header().Get("Location") != "/" {
			t.Errorf("after signing in, %q leads to %q", next, got.Header().Get("Location"))
		}
		if got := get(t, signedIn(t), "/signin?next="+url.QueryEscape(next)); got.Header().Get("Location") != "/" {
			t.Errorf("signed in already, %q leads to %q", next, got.Header().Get("Location"))
		}
		if got := get(t, signedOut(t), "/signin?next="+url.QueryEscape(next)); len(got.doc.With("name", "next")) != 0 {
			t.Errorf("the form keeps %q", next)
		}
	}
	for _, next := range []string{approvalPath, "/approvals?answered=abc%2Fd", "/"} {
		if got := get(t, signedIn(t), "/signin?next="+url.QueryEscape(next)); got.Header().Get("Location") != next {
			t.Errorf("%q leads to %q", next, got.Header().Get("Location"))
		}
	}
}

// TestSignedOutLeadsBack: whoever has to sign in comes back to the page, never to the address of a form.
func TestSignedOutLeadsBack(t *testing.T) {
	tests := []struct{ method, path, location string }{
		{"GET", "/", "/signin"},
		{"GET", "/approvals?answered=a%26b", "/signin?next=%2Fapprovals%3Fanswered%3Da%2526b"},
		{"GET", approvalPath, "/signin?next=" + url.QueryEscape(approvalPath)},
		{"POST", approvalPath + "/approve", "/signin?next=" + url.QueryEscape(approvalPath) + "&unsent"},
		{"POST", approvalPath + "/deny", "/signin?next=" + url.QueryEscape(approvalPath) + "&unsent"},
		{"GET", approvalPath + "/deny", approvalPath},
		{"GET", "/signout", "/"},
	}
	for _, tt := range tests {
		api := signedOut(t)
		no := dash.UnauthenticatedRefusal{Message: "sign in first"}
		api.with("approveAccessRequest", no).with("denyAccessRequest", no)
		var got shown
		if tt.method == "POST" {
			got = post(t, api, tt.path, approveForm)
		} else {
			got = get(t, api, tt.path)
		}
		if got.Code != http.StatusSeeOther || got.Header().Get("Location") != tt.location {
			t.Errorf("%s %s: %d to %q, want %q", tt.method, tt.path, got.Code, got.Header().Get("Location"), tt.location)
		}
	}
}

// TestTheSetupTokenStaysInItsField: in no link, no header and no call but the one that spends it.
func TestTheSetupTokenStaysInItsField(t *testing.T) {
	const token = "one-time-mark"
	api := signedOut(t)
	got := get(t, api, "/setup?token="+token)
	if n := strings.Count(got.Body.String(), token); n != 1 {
		t.Errorf("the token is on the page %d times", n)
	}
	if f := got.doc.With("value", token); len(f) != 1 || f[0].Attr["type"] != "hidden" {
		t.Error("the token is not in a hidden field")
	}
	for name, values := range got.Header() {
		if strings.Contains(strings.Join(values, " "), token) {
			t.Errorf("the header %s tells the token", name)
		}
	}
	for _, c := range api.calls {
		if strings.Contains(fmt.Sprint(c), token) {
			t.Errorf("the call of %s tells the token: %+v", c.Op, c)
		}
	}
	got = post(t, signedOut(t).with("setUp", dash.InternalRefusal{Message: "no", RequestID: "1"}), "/setup", with(setupForm, "token", token))
	if got.Code != http.StatusInternalServerError || strings.Contains(got.Body.String(), token) {
		t.Errorf("status %d; the error page tells the token", got.Code)
	}
}

// TestTheBrowsersOriginReachesTheAPI: the API judges a form by where it came from.
func TestTheBrowsersOriginReachesTheAPI(t *testing.T) {
	api := signedOut(t).with("logIn", dash.CrossSiteRefusal{Message: "no"})
	r := httptest.NewRequest("POST", "http://dash.example.com/signin", strings.NewReader(signinForm.Encode()))
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	r.Header.Set("Origin", "https://evil.example")
	r.Header.Set("Sec-Fetch-Site", "cross-site")
	send(t, api, r)
	h := api.last("logIn").header
	if h.Get("Origin") != "https://evil.example" || h.Get("Sec-Fetch-Site") != "cross-site" {
		t.Errorf("the API saw the origin %q and the site %q", h.Get("Origin"), h.Get("Sec-Fetch-Site"))
	}
}

func TestOnlyFormsAreRead(t *testing.T) {
	for _, kind := range []string{"", "text/plain", "application/json", "multipart/form-data; boundary=x"} {
		r := httptest.NewRequest("POST", approvalPath+"/approve", strings.NewReader(approveForm.Encode()))
		if kind != "" {
			r.Header.Set("Content-Type", kind)
		}
		api := signedIn(t)
		if got := send(t, api, r); got.Code != http.StatusUnsupportedMediaType || len(api.calls) != 0 {
			t.Errorf("%q: status %d, calls %v", kind, got.Code, api.ops())
		}
	}
}

// TestFieldsComeFromTheBodyAlone: a link cannot carry a decision.
func TestFieldsComeFromTheBodyAlone(t *testing.T) {
	api := signedIn(t).with("denyAccessRequest", invalid("body", "/digest", "must match"))
	post(t, api, approvalPath+"/deny?"+denyForm.Encode(), url.Values{"x": {"y"}})
	if c := api.last("denyAccessRequest"); c.CSRF != "" || c.Body != `{"digest":""}` {
		t.Errorf("token %q, body %s", c.CSRF, c.Body)
	}
}

func TestHomeAsksForWhatItShows(t *testing.T) {
	api := signedIn(t)
	get(t, api, "/")
	if diff := cmp.Diff([]string{"getMe", "listKeys", "listAccessRequests", "listPermissionRequests", "getPermissions"}, api.ops()); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if q := api.last("listAccessRequests").Query; q != "waiting=true&limit=25" {
		t.Errorf("query %q", q)
	}
}

func TestOlderPagesAreLinked(t *testing.T) {
	got := get(t, signedIn(t).with("listAccessRequests", listing([]dash.AccessRequest{pending()}, "a b&c")), "/approvals")
	for _, want := range []string{"/approvals?waiting=a+b%26c", "/approvals?answered=a+b%26c"} {
		links := got.doc.With("href", want)
		if len(links) != 1 {
			t.Fatalf("%d links to %s", len(links), want)
		}
		api := signedIn(t)
		get(t, api, want)
		if asked := api.last("listAccessRequests").Query; !strings.Contains(asked, fmt.Sprintf("waiting=%t", strings.Contains(want, "?waiting="))) {
			t.Errorf("%s asks for %s", want, asked)
		}
		if diff := cmp.Diff([]string{"getMe", "listAccessRequests", "getPermissions"}, api.ops()); diff != "" || !strings.Contains(api.last("listAccessRequests").Query, "cursor=a+b%26c") {
			t.Errorf("%s asks %+v (-want +got):\n%s", want, api.calls, diff)
		}
	}
}

// TestTheHeaderTellsWhatWaits of both kinds, to whom it waits for, and leads nobody to what is not theirs.
func TestTheHeaderTellsWhatWaits(t *testing.T) {
	many := func(next string) *script {
		return signedIn(t).with("listAccessRequests", listing([]dash.AccessRequest{pending()}, next)).with("listPermissionRequests", wants([]dash.PermissionRequest{wanting(), wanting()}, ""))
	}
	tests := []struct {
		name  string
		api   *script
		want  string
		calls int // for the header
	}{
		{"who runs the team", may(many(""), "team.admin"), "Boards Approvals 3 waiting Keys Audit", 2},
		{"more than is counted", may(many("next"), "team.admin"), "Boards Approvals 3+ waiting Keys Audit", 2},
		{"who runs no team", many(""), "Boards Approvals 2 waiting Keys", 1},
		{"nothing waits", may(signedIn(t), "team.admin"), "Boards Approvals Keys Audit", 2},
		{"the API fails", may(many(""), "team.admin").with("listPermissionRequests", func(r *http.Request) any {
			if strings.HasSuffix(r.URL.RawQuery, "limit=99") {
				return dash.InternalRefusal{Message: "no", RequestID: "1"}
			}
			return wants(nil, "")
		}), "Boards Approvals Keys Audit", 1},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := get(t, tt.api, "/approvals")
			if nav := strings.Join(strings.Fields(got.doc.Tags("nav")[0].Text()), " "); got.Code != http.StatusOK || nav != tt.want {
				t.Errorf("status %d, the header says %q, want %q", got.Code, nav, tt.want)
			}
			if len(tt.api.header) != tt.calls {
				t.Errorf("it takes %d calls, want %d", len(tt.api.header), tt.calls)
			}
		})
	}
}

// TestWhatFailsIsLoggedOnce with its request id; what the API has logged is not logged again.
func TestWhatFailsIsLoggedOnce(t *testing.T) {
	tests := []struct {
		name   string
		answer any
		lines  int
	}{
		{"the API's own failure", dash.InternalRefusal{Message: "no", RequestID: "1"}, 0},
		{"an answer that the contract does not know", http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusTeapot) }), 1},
		{"a refusal", dash.NotFoundRefusal{Message: "no"}, 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var log bytes.Buffer
			h, err := web.New(signedIn(t).with("getAccessRequest", tt.answer), web.Options{
				PublicURL: "http://x.example", Command: []string{"c"}, Now: func() time.Time { return now }, Log: slog.New(slog.NewTextHandler(&log, nil)),
			})
			if err != nil {
				t.Fatal(err)
			}
			h.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest("GET", approvalPath, nil))
			if n := strings.Count(log.String(), "\n"); n != tt.lines {
				t.Errorf("%d lines: %s", n, log.String())
			}
			if tt.lines > 0 && !strings.Contains(log.String(), "request_id=req-1") {
				t.Errorf("no request id in %s", log.String())
			}
		})
	}
}

func TestNobodyReadsAPageAfterLeaving(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	api := signedIn(t).with("getMe", func(*http.Request) any { cancel(); return dash.InternalRefusal{Message: "no", RequestID: "1"} })
	w := httptest.NewRecorder()
	pagesOf(t, api).ServeHTTP(w, httptest.NewRequest("GET", "/", nil).WithContext(ctx))
	if w.Body.Len() != 0 {
		t.Errorf("%d bytes for nobody", w.Body.Len())
	}
	if w.Code != http.StatusBadRequest {
		t.Errorf("status %d", w.Code)
	}
}

func TestHeadHasNoSurprises(t *testing.T) {
	got := httptest.NewRecorder()
	pagesOf(t, signedIn(t)).ServeHTTP(got, httptest.NewRequest("HEAD", approvalPath, nil))
	if got.Code != http.StatusOK || got.Header().Get("Content-Length") == "" {
		t.Errorf("status %d, headers %v", got.Code, got.Header())
	}
}
