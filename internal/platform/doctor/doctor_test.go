// SPDX-License-Identifier: Apache-2.0

package doctor_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/fiftyarms/platform/gen/dash"
	"github.com/fiftyarms/platform/internal/openapi"
	"github.com/fiftyarms/platform/internal/platform/doctor"
	"github.com/fiftyarms/platform/internal/platform/env"
	"github.com/fiftyarms/platform/internal/platform/keyfile"
	"github.com/fiftyarms/platform/internal/platform/secret"
	"github.com/fiftyarms/platform/internal/testkit"
)

var key = "50a_" + strings.Repeat("k", 30)

// moment is when the tests are.
var moment = time.Date(2026, time.January, 2, 3, 4, 5, 0, time.UTC)

// answers are what a dashboard says, by route; a route without one is 404. Each is a status, and a body after a blank.
type answers map[string]string

var fine = answers{
	"GET /healthz":              `200 {"status":"ok","version":"0.1.0"}`,
	"GET /readyz":               `200 {"status":"ok","version":"0.1.0"}`,
	"GET /api/openapi":          `200 {"openapi":"3.1.0","info":{"title":"d","version":"` + dash.ContractVersion + `"},"paths":{}}`,
	"GET /api/auth/permissions": `200 {"permissions":["cards.view","cards.edit"]}`,
	"GET /api/auth/me":          `200 {"kind":"key","team":{"slug":"acme","name":"Acme"},"person":{"id":"7f0c4b1e2a9d4c5fb1a2c3d4e5f60718","name":"Ada"},"key":{"id":"0c4b1e2a9d4c5fb1a2c3d4e5f607183b","prefix":"50a_Zk3v","title":"Mend it","owner":{"id":"7f0c4b1e2a9d4c5fb1a2c3d4e5f60718","name":"Ada"},"permissions":["cards.view"],"created_at":"2026-01-02T03:04:05.000Z","last_used_at":"2026-01-02T03:04:05.000Z","lapses_at":"2026-01-03T03:04:05.000Z"}}`,
	"GET /api/boards/1":         `200 {"ref":1,"name":"Shop","prefix":"SHOP"}`,
}

func (a answers) with(route, answer string) answers {
	out := answers{}
	for r, said := range a {
		out[r] = said
	}
	out[route] = answer
	return out
}

// patient is one run's surroundings.
type patient struct {
	t      *testing.T
	vars   map[string]string
	config string
	floor  string
	asked  []string
	mu     sync.Mutex
}

// meet is a dashboard that says these, and an environment that names it.
func meet(t *testing.T, says answers) *patient {
	t.Helper()
	testkit.NoLeaks(t)
	p := &patient{t: t, config: t.TempDir(), floor: "0.1.0"}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		p.mu.Lock()
		p.asked = append(p.asked, r.Method+" "+r.URL.Path)
		p.mu.Unlock()
		status, body, _ := strings.Cut(says[r.Method+" "+r.URL.Path], " ")
		code := 404
		if status != "" {
			if _, err := fmt.Sscan(status, &code); err != nil {
				t.Error(err)
			}
		} else {
			body = `{"error":"not_found","message":"no such board"}`
		}
		if p.floor != "" {
			w.Header().Set("X-Mcp-Min-Version", p.floor)
		}
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(code)
		_, _ = w.Write([]byte(body))
	}))
	t.Cleanup(server.Close)
	p.vars = map[string]string{env.DashboardURL: server.URL, env.ConfigHome: p.config, env.SessionID: "s1"}
	return p
}

func (p *patient) store() keyfile.Store {
	return keyfile.At(p.config, p.vars[env.DashboardURL], "s1", func() time.Time { return moment })
}

func (p *patient) signedIn() *patient {
	p.t.Helper()
	if err := p.store().Save(secret.New(key)); err != nil {
		p.t.Fatal(err)
	}
	return p
}

// run is a report, which keeps to its schema, changes nothing and shows no secret.
func (p *patient) run(change func(*doctor.Options)) dash.DoctorReport {
	p.t.Helper()
	before := files(p.t, p.config)
	o := doctor.Options{
		Lookup: func(name string) (string, bool) { v, ok := p.vars[name]; return v, ok },
		Home:   func() (string, error) { return "/home/ada", nil }, Version: "0.1.0", Now: func() time.Time { return moment },
	}
	if change != nil {
		change(&o)
	}
	report := doctor.Run(p.t.Context(), o)
	if diff := cmp.Diff(before, files(p.t, p.config)); diff != "" {
		p.t.Errorf("files changed:\n%s", diff)
	}
	for _, route := range p.asked {
		if !strings.HasPrefix(route, "GET ") {
			p.t.Errorf("it called %s", route)
		}
	}
	data, err := json.Marshal(report)
	if err != nil {
		p.t.Fatal(err)
	}
	doc, err := openapi.Load(dash.Document)
	if err != nil {
		p.t.Fatal(err)
	}
	schema, err := doc.Schema("#/components/schemas/DoctorReport")
	if err != nil {
		p.t.Fatal(err)
	}
	if issues := schema.Check(data, "report"); len(issues) > 0 {
		p.t.Errorf("%s\nis not as its schema wants it: %v", data, issues)
	}
	for _, hidden := range []string{key, p.vars[env.HTTPToken], p.vars[env.Credential]} {
		if len(hidden) > 8 && (bytes.Contains(data, []byte(hidden)) || strings.Contains(printed(p.t, report), hidden)) {
			p.t.Errorf("it shows a secret: %s", data)
		}
	}
	return report
}

func printed(t *testing.T, r dash.DoctorReport) string {
	t.Helper()
	var b bytes.Buffer
	if err := doctor.Print(&b, r); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func files(t *testing.T, dir string) map[string]string {
	t.Helper()
	held := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, e os.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		held[path] = string(data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return held
}

// levels are the checks that were made, each with its level.
func levels(r dash.DoctorReport) (said []string) {
	for _, c := range r.Checks {
		said = append(said, c.Name+" "+string(c.Level))
	}
	return said
}

// TestFine: everything works, and this is how it is printed.
func TestFine(t *testing.T) {
	p := meet(t, fine).signedIn()
	p.vars[env.BoardID], p.vars[env.Team], p.vars[env.HTTPToken] = "1", "acme", strings.Repeat("t", 40)
	p.vars[env.SlackReplyURL] = "https://hooks.example/reply?code=" + strings.Repeat("s", 20)
	report := p.run(nil)
	if !report.Ok {
		t.Error("not ok")
	}
	text := strings.NewReplacer(p.vars[env.DashboardURL], "http://dash.example", p.config, "/home/ada/.config", filepath.Base(filepath.Dir(p.store().Path())), "0123456789ab").Replace(printed(t, report))
	testkit.Golden(t, "testdata/fine.txt", []byte(text))
	if strings.Contains(text, strings.Repeat("s", 20)) {
		t.Error("the query of a URL is shown")
	}
}

func TestCases(t *testing.T) {
	before := []string{"dashboard ok", "version ok", "ready ok"}
	keyed := slices.Concat(before, []string{"key ok", "team ok", "permissions ok", "contract ok"})
	dispatch := func(p *patient) { p.vars[env.Credential] = key }
	stored := func(p *patient) { p.signedIn() }
	revoked := `401 {"error":"key_revoked","message":"revoked","revoked_by":"Ada","revoked_at":"2026-01-02T03:04:05.000Z"}`
	unknown := `401 {"error":"unauthenticated","message":"sign in"}`
	for _, tt := range []struct {
		name   string
		says   answers
		set    func(*patient)
		levels []string
		state  dash.DoctorKeyState
		says1  string // somewhere in the print
	}{
		{name: "signed out", says: fine, levels: slices.Concat([]string{"key warn"}, before), state: "none", says1: "call plan_connect"},
		{name: "no session", says: fine, set: func(p *patient) { delete(p.vars, env.SessionID) }, levels: slices.Concat([]string{"key warn"}, before), state: "none", says1: "memory"},
		{name: "dispatch", says: fine, set: dispatch, levels: keyed, state: "live", says1: "dispatch's credential"},
		{name: "lapsed", says: fine.with("GET /api/auth/me", unknown), set: stored, levels: slices.Concat(before, []string{"key warn"}), state: "lapsed", says1: "plan_connect"},
		{name: "revoked", says: fine.with("GET /api/auth/me", revoked), set: stored, levels: slices.Concat(before, []string{"key fail"}), state: "revoked", says1: "revoked by Ada at 2026-01-02T03:04:05.000Z"},
		{name: "dispatch refused", says: fine.with("GET /api/auth/me", unknown), set: dispatch, levels: slices.Concat(before, []string{"key fail"}), state: "refused", says1: env.Credential},
		{name: "damaged file", says: fine, set: func(p *patient) {
			p.signedIn()
			if err := os.WriteFile(p.store().Path(), []byte("{"), 0o600); err != nil {
				p.t.Fatal(err)
			}
		}, levels: slices.Concat([]string{"key warn"}, before), state: "unreadable", says1: "damaged"},
		{name: "the key echoed", says: fine.with("GET /api/auth/me", `403 {"error":"x","message":"`+key+`"}`), set: stored, levels: slices.Concat(before, []string{"key fail"}), state: "unchecked", says1: "[secret]"},
		{name: "a stranger for a key", says: fine.with("GET /api/auth/me", `200 {}`), set: stored, levels: slices.Concat(before, []string{"key fail"}), state: "unchecked", says1: "something else"},
		{name: "no board", says: fine, set: func(p *patient) { p.signedIn(); p.vars[env.BoardID] = "7" }, levels: append(slices.Clone(keyed), "board fail"), state: "live", says1: "no such board"},
		{name: "board not to be seen", says: fine.with("GET /api/boards/7", `403 {"error":"forbidden","message":"no","permission":"cards.view"}`), set: func(p *patient) { p.signedIn(); p.vars[env.BoardID] = "7" }, levels: append(slices.Clone(keyed), "board warn"), state: "live", says1: "request_permission"},
		{name: "another team", says: fine, set: func(p *patient) { p.signedIn(); p.vars[env.Team] = "other" }, levels: slices.Concat(before, []string{"key ok", "team warn", "permissions ok", "contract ok"}), state: "live", says1: "DANXBOT_TEAM names other"},
		{name: "another contract", says: fine.with("GET /api/openapi", `200 {"info":{"version":"9.0.0"}}`), set: stored, levels: slices.Concat(before, []string{"key ok", "team ok", "permissions ok", "contract warn"}), state: "live", says1: "9.0.0"},
		{name: "no permissions", says: fine.with("GET /api/auth/permissions", `200 {"permissions":[]}`), set: stored, levels: slices.Concat(before, []string{"key ok", "team ok", "permissions warn", "contract ok"}), state: "live", says1: "attach_file: needs permission cards.edit"},
		{name: "not ready", says: fine.with("GET /readyz", `503 {"error":"not_ready","message":"the database does not answer"}`), levels: []string{"key warn", "dashboard ok", "version ok", "ready fail"}, state: "none", says1: "the database does not answer"},
		{name: "no dashboard", says: answers{"GET /healthz": "200 <html>"}, set: stored, levels: []string{"dashboard fail"}, state: "unchecked", says1: "not as a dashboard does"},
		{name: "moved", says: answers{"GET /healthz": "301 "}, set: stored, levels: []string{"dashboard fail"}, state: "unchecked", says1: "redirect"},
		{name: "nothing there", says: fine, set: func(p *patient) { p.vars[env.DashboardURL] = "http://127.0.0.1:1" }, levels: []string{"key warn", "dashboard fail"}, state: "none", says1: "start the dashboard"},
		{name: "too old", says: fine, set: func(p *patient) { p.floor = "0.2.0" }, levels: []string{"key warn", "dashboard ok", "version fail"}, state: "none", says1: "update platform-mcp"},
		{name: "no floor", says: fine, set: func(p *patient) { p.floor = "" }, levels: []string{"key warn", "dashboard ok", "version warn", "ready ok"}, state: "none", says1: "does not say"},
		{name: "a bell in what it says", says: fine.with("GET /healthz", `200 {"status":"ok","version":"1\u0007"}`), levels: slices.Concat([]string{"key warn"}, before), state: "none", says1: `\a`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := meet(t, tt.says)
			if tt.set != nil {
				tt.set(p)
			}
			report := p.run(nil)
			if diff := cmp.Diff(tt.levels, levels(report)); diff != "" {
				t.Errorf("checks (-want +got):\n%s", diff)
			}
			if text := printed(t, report); report.Key == nil || report.Key.State != tt.state || !strings.Contains(text, tt.says1) {
				t.Errorf("key %+v, want %s; and %q in\n%s", report.Key, tt.state, tt.says1, text)
			}
			if broken := strings.Contains(strings.Join(tt.levels, ","), "fail"); report.Ok == broken {
				t.Errorf("ok is %v", report.Ok)
			}
			for _, c := range report.Checks {
				if strings.ContainsAny(c.Detail, "\n\a") {
					t.Errorf("%q", c.Detail)
				}
			}
		})
	}
}

// TestSettings: every variable that is refused is told, and the dashboard is asked all the same if it is none of them.
func TestSettings(t *testing.T) {
	p := meet(t, fine)
	p.vars[env.Team], p.vars[env.BoardID] = "Acme Inc", "007"
	if diff := cmp.Diff([]string{"settings fail", "settings fail", "key warn", "dashboard ok", "version ok", "ready ok"}, levels(p.run(nil))); diff != "" {
		t.Error(diff)
	}
	p.asked = nil
	if tools := p.run(nil).Tools; len(tools.Shown)+len(tools.Hidden) > 0 {
		t.Errorf("no session starts, and its tools are %+v", tools)
	}
	p.asked = nil
	p.vars[env.DashboardURL], p.vars[env.HTTPToken] = "dash", "short"
	if diff := cmp.Diff([]string{"settings fail", "settings fail", "settings fail", "settings fail"}, levels(p.run(nil))); diff != "" || len(p.asked) > 0 {
		t.Error(diff, p.asked)
	}
	p.vars = map[string]string{env.ConfigHome: p.config}
	if diff := cmp.Diff([]string{"settings fail"}, levels(p.run(nil))); diff != "" {
		t.Error(diff)
	}
	p.vars = map[string]string{env.DashboardURL: "http://127.0.0.1:1", env.ConfigHome: p.config}
	if text := printed(t, p.run(nil)); !strings.Contains(text, "-> set CLAUDE_CODE_SESSION_ID to look at one session") {
		t.Error(text)
	}
	p.vars = map[string]string{env.DashboardURL: "http://127.0.0.1:1", env.ConfigHome: "relative"}
	if diff := cmp.Diff([]string{"settings warn", "key warn", "dashboard fail"}, levels(p.run(nil))); diff != "" {
		t.Error(diff)
	}
}

// TestTools: the tools are those that the session's server would show; what hides one is all told.
func TestTools(t *testing.T) {
	for _, tt := range []struct {
		name  string
		set   func(*patient)
		needs []string // of attach_file; none where it is shown
	}{
		{"signed out", func(*patient) {}, []string{"a session that is signed in", "permission cards.edit"}},
		{"signed in", func(p *patient) { p.signedIn() }, nil},
		{"a dispatch without it", func(p *patient) { p.vars[env.Credential] = key }, []string{"its name in DANXBOT_EXTRA_TOOLS"}},
		{"a dispatch with it", func(p *patient) { p.vars[env.Credential], p.vars[env.ExtraTools] = key, "attach_file" }, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := meet(t, fine)
			tt.set(p)
			tools := p.run(nil).Tools
			shown := slices.Contains(tools.Shown, "attach_file")
			var needs []string
			for _, hidden := range tools.Hidden {
				if hidden.Name == "attach_file" {
					needs = hidden.Needs
				}
			}
			if shown != (tt.needs == nil) || !slices.Equal(needs, tt.needs) || !slices.Contains(tools.Shown, "plan_connect") {
				t.Errorf("%+v", tools)
			}
		})
	}
}

// roundTrip answers calls in this process.
type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// TestBounds: no call may take longer than 5 s, and none past 15 s from the start.
func TestBounds(t *testing.T) {
	p := meet(t, fine).signedIn()
	p.vars[env.BoardID] = "1"
	begun, calls := time.Now(), 0
	p.run(func(o *doctor.Options) {
		o.Transport = roundTrip(func(r *http.Request) (*http.Response, error) {
			calls++
			deadline, ok := r.Context().Deadline()
			if took := time.Since(begun); !ok || time.Until(deadline) > 5*time.Second || deadline.Sub(begun) > 15*time.Second+took {
				t.Errorf("%s: until %v, %v", r.URL.Path, deadline.Sub(begun), ok)
			}
			return http.DefaultTransport.RoundTrip(r)
		})
	})
	http.DefaultTransport.(*http.Transport).CloseIdleConnections()
	if calls != 6 {
		t.Errorf("%d calls", calls)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if r := doctor.Run(ctx, doctor.Options{Lookup: func(name string) (string, bool) { return p.vars[name], true }, Home: func() (string, error) { return "/", nil }, Version: "0.1.0", Now: time.Now}); r.Ok {
		t.Error("nothing was looked at, and all is well")
	}
}
