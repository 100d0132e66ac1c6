// SPDX-License-Identifier: Apache-2.0

package guard_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/fiftyarms/platform/gen/dash"
	"github.com/fiftyarms/platform/internal/dashboard"
	"github.com/fiftyarms/platform/internal/store"
	"github.com/fiftyarms/platform/internal/testkit"
)

func TestHeaders(t *testing.T) {
	d := testkit.Dashboard(t)
	ids := map[string]bool{}
	for _, path := range []string{"/healthz", "/api/auth/me", "/api/nothing", "/nothing"} {
		r := d.Nobody().Request("GET", path, nil)
		r.Header.Set("X-Request-Id", "mine")
		a := d.Nobody().Do(r)
		for name, want := range map[string]string{
			"X-Mcp-Min-Version": dash.MinMCPVersion, "Cache-Control": "no-store", "X-Content-Type-Options": "nosniff",
			"Content-Type": "application/json", "Access-Control-Allow-Origin": "",
		} {
			if got := a.Header.Get(name); got != want {
				t.Errorf("%s: %s is %q, want %q", path, name, got, want)
			}
		}
		id := a.Header.Get("X-Request-Id")
		if !regexp.MustCompile(`^[0-9a-f]{16}$`).MatchString(id) || ids[id] {
			t.Errorf("%s: request id %q", path, id)
		}
		ids[id] = true
	}
}

func TestUnknownRoutes(t *testing.T) {
	d := testkit.Dashboard(t)
	ada := d.SetUp()
	agent := d.Agent(ada)
	tests := []struct {
		name         string
		as           *testkit.Caller
		method, path string
		nearest      string
	}{
		{"a typo", agent, "GET", "/api/auth/mee", "GET /api/auth/me"},
		{"another method", agent, "PUT", "/api/plan-sessions", "POST /api/plan-sessions"},
		{"an operation without API before it", ada, "GET", "/key", "GET /api/keys"},
		{"a slash too many", agent, "GET", "/api/auth/me/", "GET /api/auth/me"},
		{"an empty segment", agent, "GET", "/api//auth/me", ""},
		{"dots", agent, "GET", "/api/x/../auth/me", ""},
		{"encoded dots", agent, "GET", "/api/%2e%2e/auth/me", ""},
		{"case", agent, "GET", "/API/auth/me", ""},
		{"nobody, one that is public", d.Nobody(), "POST", "/api/auth/logon", "POST /api/auth/login"},
		{"very long", agent, "GET", "/api/" + strings.Repeat("x/", 5000), ""},
		{"an unknown method", agent, "BREW", "/api/auth/me", "GET /api/auth/me"},
	}
	for _, tt := range tests {
		r := tt.as.Request(tt.method, "/", nil)
		r.URL.Opaque = "//" + r.URL.Host + tt.path // as it is, not cleaned
		got := testkit.Decode[dash.NotFoundRefusal](t, tt.as.Do(r), http.StatusNotFound)
		if got.Code != "not_found" || tt.nearest != "" && !slices.Contains(got.Nearest, tt.nearest) {
			t.Errorf("%s: got %+v, want %s among the nearest", tt.name, got, tt.nearest)
		}
	}
	nobody := testkit.Decode[dash.NotFoundRefusal](t, d.Nobody().Call("GET", "/api/key", nil), http.StatusNotFound)
	if slices.Contains(nobody.Nearest, "GET /api/keys") {
		t.Errorf("nobody is told of %v", nobody.Nearest)
	}
	forged := *agent
	forged.Key += "x"
	if a := forged.Call("GET", "/api/nothing", nil); a.Status != http.StatusNotFound {
		t.Errorf("with a key that does not hold: %d", a.Status)
	}
}

func TestHeadAndOptions(t *testing.T) {
	d := testkit.Dashboard(t)
	ada := d.SetUp()
	agent := d.Agent(ada)
	if a := agent.Call("HEAD", "/api/auth/me", nil); a.Status != 200 || len(a.Body) != 0 {
		t.Errorf("HEAD: %d %s", a.Status, a.Body)
	}
	if a := d.Nobody().Call("HEAD", "/api/auth/me", nil); a.Status != http.StatusUnauthorized {
		t.Errorf("HEAD by nobody: %d", a.Status)
	}
	if a := ada.Call("HEAD", "/api/auth/logout", nil); a.Status != http.StatusNotFound {
		t.Errorf("HEAD of what only writes: %d", a.Status)
	}
	for _, tt := range []struct {
		as    *testkit.Caller
		path  string
		allow string
	}{
		{ada, "/api/access-requests", "GET, HEAD"},
		{d.Nobody(), "/api/access-requests", "POST"},
		{agent, "/api/access-requests", ""},
		{agent, "/api/plan-sessions", "POST, DELETE"},
		{agent, "/api/keys", ""},
		{d.Nobody(), "/api/nothing", ""},
	} {
		a := tt.as.Call("OPTIONS", tt.path, nil)
		if want := map[bool]int{true: 204, false: 404}[tt.allow != ""]; a.Status != want || a.Header.Get("Allow") != tt.allow {
			t.Errorf("OPTIONS %s: %d, %q", tt.path, a.Status, a.Header.Get("Allow"))
		}
	}
}

// What a page of another site can make a browser send does nothing.
func TestCrossSite(t *testing.T) {
	d := testkit.Dashboard(t)
	ada := d.SetUp()
	created := d.Ask(dash.AccessRequestCreate{Client: dash.AskingClient{Name: "x"}})
	path := "/api/access-requests/" + created.PublicID + "/deny"
	body := dash.RequestDenial{Digest: ada.See(created).Digest}
	set := func(pairs ...string) func(*http.Request) {
		return func(r *http.Request) {
			for i := 0; i < len(pairs); i += 2 {
				if r.Header.Del(pairs[i]); pairs[i+1] != "" {
					r.Header.Set(pairs[i], pairs[i+1])
				}
			}
		}
	}
	other := d.SignIn("ada@example.com")
	attacks := map[string]func(*http.Request){
		"no token":             set("X-CSRF-Token", ""),
		"another's token":      set("X-CSRF-Token", other.CSRF),
		"a guess":              set("X-CSRF-Token", "x"),
		"another site":         set("Sec-Fetch-Site", "cross-site"),
		"a sister site":        set("Sec-Fetch-Site", "same-site"),
		"another origin":       set("Origin", "https://evil.example"),
		"no origin to be told": set("Origin", "null"),
	}
	for name, attack := range attacks {
		r := ada.Request("POST", path, body)
		attack(r)
		if a := ada.Do(r); a.Code() != "cross_site" {
			t.Errorf("%s: %d %s", name, a.Status, a.Body)
		}
	}
	login := dash.Login{Email: "ada@example.com", Password: testkit.Password}
	for _, name := range []string{"another site", "another origin"} {
		r := d.Nobody().Request("POST", "/api/auth/login", login)
		attacks[name](r)
		if a := d.Nobody().Do(r); a.Code() != "cross_site" {
			t.Errorf("signing in from %s: %d %s", name, a.Status, a.Body)
		}
	}
	for name, fine := range map[string]func(*http.Request){
		"this site":   set("Sec-Fetch-Site", "same-origin"),
		"this origin": set("Origin", d.URL),
		"no browser":  set(),
	} {
		r := d.Nobody().Request("POST", "/api/auth/login", login)
		fine(r)
		if a := d.Nobody().Do(r); a.Status != 200 {
			t.Errorf("signing in from %s: %d %s", name, a.Status, a.Body)
		}
	}
	// A form cannot send JSON, and a key goes along with nothing by itself.
	r := ada.Request("POST", path, `digest=x`)
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	if a := ada.Do(r); a.Code() != "unsupported_media_type" {
		t.Errorf("a form: %d %s", a.Status, a.Body)
	}
	agent := d.Agent(ada)
	r = agent.Request("POST", "/api/plan-sessions", dash.SessionConnect{})
	r.Header.Set("Origin", "https://evil.example")
	if a := agent.Do(r); a.Status != 200 {
		t.Errorf("a key from wherever: %d %s", a.Status, a.Body)
	}
	if got := ada.See(created); got.Status != dash.RequestStatusPending {
		t.Errorf("the request is %s", got.Status)
	}
}

// Behind a proxy the server sees another host than the browser does.
func TestPublicOrigin(t *testing.T) {
	d := testkit.Dashboard(t, testkit.With(func(cfg *dashboard.Config) { cfg.PublicURL = "https://dash.example.com" }))
	ada := d.SetUp()
	r := ada.Request("POST", "/api/auth/logout", nil)
	r.Header.Set("Origin", "https://dash.example.com")
	if a := ada.Do(r); a.Status != http.StatusNoContent {
		t.Errorf("from the public origin: %d %s", a.Status, a.Body)
	}
}

func TestCredentials(t *testing.T) {
	d := testkit.Dashboard(t)
	ada := d.SetUp()
	agent := d.Agent(ada)
	try := func(authorization ...string) testkit.Answer {
		r := ada.Request("GET", "/api/auth/me", nil) // with a cookie that holds
		r.Header["Authorization"] = authorization
		return ada.Do(r)
	}
	for _, bad := range [][]string{
		{""}, {"Bearer"}, {"Bearer "}, {agent.Key}, {"Basic " + agent.Key}, {"Bearer " + agent.Key + "x"}, {"Bearer  " + agent.Key},
		{"Bearer " + agent.Key, "Bearer " + agent.Key}, {"Bearer " + agent.Key[:20]}, {"Bearer " + ada.Cookie.Value},
	} {
		a := try(bad...)
		if a.Code() != "unauthenticated" || a.Header.Get("WWW-Authenticate") != "Bearer" {
			t.Errorf("%q: %d %s", bad, a.Status, a.Body)
		}
		for _, secret := range []string{agent.Key, ada.Cookie.Value} {
			if bytes.Contains(a.Body, []byte(secret)) {
				t.Errorf("%q: the answer holds the credential: %s", bad, a.Body)
			}
		}
	}
	for _, good := range []string{"Bearer " + agent.Key, "bearer " + agent.Key} {
		if me := testkit.Decode[dash.Me](t, try(good), 200); me.Kind != dash.MeKindKey {
			t.Errorf("%q: a call with both is the key's, not %s's", good, me.Kind)
		}
	}
	cookie := d.Nobody()
	cookie.Cookie = &http.Cookie{Name: "50arms_session_ffffffff", Value: ada.Cookie.Value}
	if a := cookie.Call("GET", "/api/auth/me", nil); a.Code() != "unauthenticated" {
		t.Errorf("the cookie of another instance: %d", a.Status)
	}
}

// What is public does not ask who calls: a credential that does not hold is in nobody's way.
func TestPublicAsksNobody(t *testing.T) {
	d := testkit.Dashboard(t)
	d.SetUp()
	c := d.Nobody()
	c.Key = "nonsense"
	if a := c.Call("GET", "/healthz", nil); a.Status != 200 {
		t.Errorf("with a key that does not hold: %d %s", a.Status, a.Body)
	}
	c.Key, c.Cookie = "", &http.Cookie{Name: "50arms_session_00000000", Value: "nonsense"}
	if a := c.Call("GET", "/healthz", nil); a.Status != 200 {
		t.Errorf("with a cookie that does not hold: %d %s", a.Status, a.Body)
	}
}

// counting counts the notes of a key's use.
type counting struct {
	store.Store
	touched *atomic.Int32
}

func (c counting) TouchKey(ctx context.Context, id string, at time.Time) error {
	c.touched.Add(1)
	return c.Store.TouchKey(ctx, id, at)
}

// The use of a key is noted once a minute, however often it is used.
func TestTouches(t *testing.T) {
	var touched atomic.Int32
	d := testkit.Dashboard(t, testkit.With(func(cfg *dashboard.Config) { cfg.Store = counting{cfg.Store, &touched} }))
	agent := d.Agent(d.SetUp())
	for range 6 {
		d.Clock.Advance(20 * time.Second)
		for range 2 {
			agent.Call("GET", "/api/auth/me", nil)
		}
	}
	if touched.Load() != 2 {
		t.Errorf("in two minutes it was noted %d times", touched.Load())
	}
}

func TestBodies(t *testing.T) {
	d := testkit.Dashboard(t)
	d.SetUp()
	post := func(contentType string, body io.Reader) testkit.Answer {
		r := d.Nobody().Request("POST", "/api/access-requests/claim", nil)
		if r.Body = io.NopCloser(body); body == nil {
			r.Body = nil
		}
		r.ContentLength = -1 // it does not say how much comes
		if contentType != "" {
			r.Header.Set("Content-Type", contentType)
		}
		return d.Nobody().Do(r)
	}
	text := func(s string) io.Reader { return strings.NewReader(s) }
	const good = `{"secret":"nobody has this secret"}`
	tests := []struct {
		name, contentType string
		body              io.Reader
		want              string
	}{
		{"good", "application/json", text(good), "not_found"},
		{"good, with a charset", "application/json; charset=utf-8", text(good), "not_found"},
		{"good, in capitals", "Application/JSON", text(good), "not_found"},
		{"good, and blanks around it", "application/json", text(" \n" + good + "\n"), "not_found"},
		{"no type", "", text(good), "unsupported_media_type"},
		{"a broken type", "application/", text(good), "unsupported_media_type"},
		{"something like it", "application/json5", text(good), "unsupported_media_type"},
		{"empty", "application/json", text(""), "invalid_request"},
		{"not JSON", "application/json", text("secret"), "invalid_request"},
		{"cut off", "application/json", text(good[:20]), "invalid_request"},
		{"two values", "application/json", text(good + good), "invalid_request"},
		{"a key twice", "application/json", text(`{"secret":"nobody has this secret","secret":"nobody has this secret"}`), "invalid_request"},
		{"a key in capitals", "application/json", text(`{"SECRET":"nobody has this secret"}`), "invalid_request"},
		{"an unknown key", "application/json", text(`{"secret":"nobody has this secret","x":1}`), "invalid_request"},
		{"another type", "application/json", text(`{"secret":12345678901234567890}`), "invalid_request"},
		{"null", "application/json", text(`null`), "invalid_request"},
		{"not UTF-8", "application/json", text("{\"secret\":\"nobody has this secret\xff\"}"), "invalid_request"},
		{"very deep", "application/json", text(strings.Repeat("[", 10000)), "invalid_request"},
		{"too large, without saying so", "application/json", io.LimitReader(zeros{}, 2<<20), "too_large"},
	}
	for _, tt := range tests {
		if a := post(tt.contentType, tt.body); a.Code() != tt.want {
			t.Errorf("%s: %d %s, want %s", tt.name, a.Status, a.Body, tt.want)
		}
	}
	if a := d.Nobody().Call("POST", "/api/access-requests/claim", nil); a.Code() != "invalid_request" {
		t.Errorf("none: %d %s", a.Status, a.Body)
	}
	nul := d.Nobody().Call("POST", "/api/access-requests", `{"client":{"name":"a\u0000b"}}`)
	if nul.Code() != "invalid_request" {
		t.Errorf("text that no database keeps: %d %s", nul.Status, nul.Body)
	}
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = '0'
	}
	return len(p), nil
}

// Who may not call a route learns nothing of its body.
func TestOrder(t *testing.T) {
	d := testkit.Dashboard(t)
	ada := d.SetUp()
	agent := d.Agent(ada)
	path := "/api/access-requests/nonsense/deny"
	for _, body := range []any{nil, "nonsense", strings.Repeat("x", 2<<20)} {
		if a := d.Nobody().Call("POST", path, body); a.Code() != "unauthenticated" {
			t.Errorf("nobody: %d %s", a.Status, a.Body)
		}
		if a := agent.Call("POST", path, body); a.Code() != "person_required" {
			t.Errorf("a key: %d %s", a.Status, a.Body)
		}
	}
	if a := d.Nobody().Call("GET", "/api/keys?limit=nonsense", nil); a.Code() != "unauthenticated" {
		t.Errorf("parameters: %d %s", a.Status, a.Body)
	}
	for _, query := range []string{"limit=0", "limit=201", "limit=1.5", "limit=x", "limit=", "cursor=x", "x=1", "limit=1&limit=2", "%zz"} {
		if a := ada.Call("GET", "/api/keys?"+query, nil); a.Code() != "invalid_request" {
			t.Errorf("?%s: %d %s", query, a.Status, a.Body)
		}
	}
}

// faulty fails where a test wants it to.
type faulty struct {
	store.Store
	fault func(context.Context) error
}

func (f faulty) ListKeys(ctx context.Context, _ store.KeyQuery) ([]store.Key, error) {
	return nil, f.fault(ctx)
}

// What fails inside is told as a number, and logged once with its cause.
func TestFailures(t *testing.T) {
	const secret = "the password of the database"
	for name, fault := range map[string]func(context.Context) error{
		"an error": func(context.Context) error { return errors.New(secret) },
		"a panic":  func(context.Context) error { panic(secret) },
	} {
		t.Run(name, func(t *testing.T) {
			var log bytes.Buffer
			d := testkit.Dashboard(t, testkit.With(func(cfg *dashboard.Config) {
				cfg.Store, cfg.Log = faulty{cfg.Store, fault}, slog.New(slog.NewTextHandler(&log, nil))
			}))
			ada := d.SetUp()
			log.Reset()
			a := ada.Call("GET", "/api/keys", nil)
			got := testkit.Decode[dash.InternalRefusal](t, a, http.StatusInternalServerError)
			if got.RequestID != a.Header.Get("X-Request-Id") || strings.Contains(string(a.Body), secret) {
				t.Errorf("answered %s", a.Body)
			}
			lines := strings.Split(strings.TrimSpace(log.String()), "\n")
			if len(lines) != 1 || !strings.Contains(lines[0], secret) || !strings.Contains(lines[0], got.RequestID) || !strings.Contains(lines[0], "listKeys") {
				t.Errorf("logged %q", lines)
			}
			if a := ada.Call("GET", "/api/auth/me", nil); a.Status != 200 {
				t.Errorf("the server is no more: %d", a.Status)
			}
		})
	}
}

// Without chance there is no id and no secret: every call fails, and the process lives.
func TestWithoutChance(t *testing.T) {
	d := testkit.Dashboard(t)
	s, err := dashboard.New(t.Context(), dashboard.Config{
		Store: d.Store, PublicURL: d.URL, Random: io.LimitReader(zeros{}, 32), // enough for the setup token
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{"/healthz", "/api/auth/me"} {
		w := httptest.NewRecorder()
		s.Handler().ServeHTTP(w, httptest.NewRequest("GET", path, nil))
		if w.Code != http.StatusInternalServerError || !strings.Contains(w.Body.String(), `"internal"`) {
			t.Errorf("%s: %d %s", path, w.Code, w.Body)
		}
	}
}

// A caller who hung up is no failure of the server, and no success either.
func TestHungUp(t *testing.T) {
	var log bytes.Buffer
	d := testkit.Dashboard(t, testkit.With(func(cfg *dashboard.Config) {
		cfg.Log = slog.New(slog.NewTextHandler(&log, nil))
	}))
	ada := d.SetUp()
	log.Reset()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	w := httptest.NewRecorder()
	d.Server.Handler().ServeHTTP(w, ada.Request("GET", "/api/keys", nil).WithContext(ctx))
	if w.Code < 500 || log.Len() != 0 {
		t.Errorf("answered %d, logged %q", w.Code, &log)
	}
}

// No secret reaches the log, at any level.
func TestLogHoldsNoSecrets(t *testing.T) {
	var log bytes.Buffer
	d := testkit.Dashboard(t, testkit.With(func(cfg *dashboard.Config) {
		cfg.Log = slog.New(slog.NewJSONHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	}))
	ada := d.SetUp()
	agent := d.Agent(ada)
	ada.Call("GET", "/api/keys?cursor="+agent.Key, nil)
	ada.Call("GET", "/api/nothing/"+agent.Key, nil)
	ada.Call("POST", "/api/auth/logout", nil)
	for _, secret := range []string{d.Server.SetupToken(), ada.Cookie.Value, ada.CSRF, agent.Key, testkit.Password} {
		if bytes.Contains(log.Bytes(), []byte(secret)) {
			t.Errorf("the log holds %q", secret)
		}
	}
	if !bytes.Contains(log.Bytes(), []byte(`"operation":"approveAccessRequest"`)) || !bytes.Contains(log.Bytes(), []byte(ada.Me.Person.ID)) {
		t.Errorf("the log does not say who approved: %s", &log)
	}
}

// A page of another site that a person has open does not use up their tries.
func TestCrossSiteTriesDoNotCount(t *testing.T) {
	d := testkit.Dashboard(t)
	d.SetUp()
	login := dash.Login{Email: "ada@example.com", Password: testkit.Password}
	for range 50 {
		r := d.Nobody().Request("POST", "/api/auth/login", login)
		r.Header.Set("Sec-Fetch-Site", "cross-site")
		if a := d.Nobody().Do(r); a.Code() != "cross_site" {
			t.Fatalf("from another site: %d %s", a.Status, a.Body)
		}
	}
	if a := d.Nobody().Call("POST", "/api/auth/login", login); a.Status != 200 {
		t.Errorf("the person: %d %s", a.Status, a.Body)
	}
}

// A cookie of the session's name that another server on the host has planted does not hide the good one.
func TestPlantedCookie(t *testing.T) {
	d := testkit.Dashboard(t)
	ada := d.SetUp()
	r := ada.Request("POST", "/api/auth/logout", nil)
	r.Header.Set("Cookie", ada.Cookie.Name+"=planted; "+ada.Cookie.Name+"="+ada.Cookie.Value)
	if a := d.Nobody().Do(r); a.Status != http.StatusNoContent {
		t.Errorf("signing out: %d %s", a.Status, a.Body)
	}
	if a := ada.Call("GET", "/api/auth/me", nil); a.Code() != "unauthenticated" {
		t.Errorf("after signing out: %d", a.Status)
	}
}

// unwritable is a database that takes no writes.
type unwritable struct{ store.Store }

func (unwritable) TouchKey(context.Context, string, time.Time) error { return errors.New("disk full") }

// A database that takes no writes still answers what only reads.
func TestReadsWithoutWrites(t *testing.T) {
	d := testkit.Dashboard(t, testkit.With(func(cfg *dashboard.Config) { cfg.Store = unwritable{cfg.Store} }))
	agent := d.Agent(d.SetUp())
	d.Clock.Advance(2 * time.Minute)
	if a := agent.Call("GET", "/api/auth/me", nil); a.Status != 200 {
		t.Errorf("answered %d %s", a.Status, a.Body)
	}
}
