// SPDX-License-Identifier: Apache-2.0

package platform_test

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/fiftyarms/platform/gen/dash"
	"github.com/fiftyarms/platform/internal/platform"
	"github.com/fiftyarms/platform/internal/platform/secret"
	"github.com/fiftyarms/platform/internal/testkit"
)

// These tests meet the real dashboard, which holds every message to the contract.

// session runs one as a person's client would start it.
func session(t *testing.T, d *testkit.Running, config, id string) *peer {
	return start(t, d.URL, func(o *platform.Options) { o.Config.ConfigDir, o.Config.SessionID = config, id })
}

// seen is the request behind plan_connect's link, as a person sees it.
func seen(t *testing.T, person *testkit.Caller, asked map[string]any) dash.AccessRequest {
	t.Helper()
	link, ok := asked["approvalUrl"].(string)
	if !ok {
		t.Fatalf("no link: %v", asked)
	}
	a := person.Call("GET", "/api/access-requests/"+link[strings.LastIndexByte(link, '/')+1:], nil)
	r := testkit.Decode[dash.AccessRequest](t, a, 200)
	if r.ConfirmCode != asked["confirmCode"] {
		t.Errorf("the person sees code %s, the agent %v", r.ConfirmCode, asked["confirmCode"])
	}
	return r
}

func decide(t *testing.T, person *testkit.Caller, r dash.AccessRequest, verb string, body any) {
	t.Helper()
	testkit.Decode[dash.AccessRequest](t, person.Call("POST", "/api/access-requests/"+r.PublicID+"/"+verb, body), 200)
}

func approve(t *testing.T, person *testkit.Caller, asked map[string]any) {
	t.Helper()
	r := seen(t, person, asked)
	decide(t, person, r, "approve", dash.AccessRequestApproval{Digest: r.Digest})
}

func keyFiles(t *testing.T, config string) (files []string) {
	t.Helper()
	err := filepath.WalkDir(config, func(path string, e fs.DirEntry, err error) error {
		if err == nil && !e.IsDir() {
			files = append(files, filepath.Base(path))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// TestMainJob is what the product is for: ask, be approved, look around, call, restart, be revoked.
func TestMainJob(t *testing.T) {
	testkit.NoLeaks(t)
	d := testkit.Dashboard(t)
	ada := d.SetUp()
	config := t.TempDir()
	p := session(t, d, config, "s1")

	for _, tool := range allTools {
		if tool == "plan_connect" {
			continue // it is the way in
		}
		if a := p.call(tool, goodArgs[tool]); !a.isError || !strings.Contains(a.text, "Not signed in to "+d.URL) {
			t.Errorf("%s signed out: %+v", tool, a)
		}
	}
	asked := p.connect("approval_required")
	r := seen(t, ada, asked)
	want := dash.AskingClient{Name: "claude-code", Version: new("2.1.0"), Host: new("ada-laptop"), Project: new("shop")}
	if diff := cmp.Diff(want, r.Client); diff != "" || r.Title == nil || *r.Title != "Mend the checkout" {
		t.Errorf("the person sees %v\n%s", r.Title, diff)
	}
	approve(t, ada, asked)
	in := p.connect("connected")
	if agent, ok := in["agent"].(map[string]any); !ok || agent["name"] == nil || in["team"] == nil || in["session"] == nil {
		t.Errorf("%v", in)
	}
	if diff := cmp.Diff([]string{"s1.json"}, keyFiles(t, config)); diff != "" {
		t.Errorf("files:\n%s", diff)
	}

	var list struct{ Routes []string }
	if err := json.Unmarshal([]byte(p.want("50arms_api_list", `{"filter":"AUTH"}`)), &list); err != nil || !cmp.Equal(list.Routes, []string{"GET /api/auth/me", "GET /api/auth/permissions"}) {
		t.Errorf("%v, %v", list.Routes, err)
	}
	if got := p.want("50arms_api_list", `{"tag":"plan-sessions"}`); got != `{"routes":["POST /api/plan-sessions","DELETE /api/plan-sessions"]}` {
		t.Error(got)
	}
	var spec struct{ Paths map[string]map[string]any }
	if err := json.Unmarshal([]byte(p.want("50arms_api_spec", `{"endpoints":"POST /api/plan-sessions,get /api/auth/me"}`)), &spec); err != nil || len(spec.Paths) != 2 || spec.Paths["/api/plan-sessions"]["post"] == nil {
		t.Errorf("%v, %v", spec, err)
	}
	if a := p.call("50arms_api_spec", `{"endpoints":"GET /api/auth/mee"}`); !a.isError || !strings.Contains(a.text, "nearest: GET /api/auth/me") {
		t.Errorf("%+v", a)
	}
	if a := p.call("50arms_api_spec", `{"endpoints":"GET /api/keys/:id"}`); !a.isError || !strings.Contains(a.text, "404 not_found") {
		t.Errorf("%+v", a)
	}
	var me struct {
		OK   bool
		Body dash.Me
	}
	if err := json.Unmarshal([]byte(p.want("50arms_api", `{"method":"GET","path":"/api/auth/me"}`)), &me); err != nil || !me.OK || me.Body.Kind != "key" {
		t.Errorf("%+v, %v", me, err)
	}
	// A refusal of the dashboard's, of this build's, and of neither's route.
	for args, want := range map[string]string{
		`{"method":"GET","path":"/api/keys"}`:                                  `"error":"person_required"`,
		`{"method":"POST","path":"/api/plan-sessions","body":{"title":7}}`:     `"checked":"client"`,
		`{"method":"GET","path":"/api/auth/mee"}`:                              `"nearest":["GET /api/auth/me"`,
		`{"method":"POST","path":"/api/plan-sessions","body":{"unknown":"x"}}`: `"error":"invalid_request"`,
	} {
		if got := p.want("50arms_api", args); !strings.Contains(got, want) || !strings.Contains(got, `"ok":false`) {
			t.Errorf("%s: %s", args, got)
		}
	}
	if got := p.want("50arms_api", `{"method":"DELETE","path":"/api/plan-sessions"}`); got != `{"ok":true,"status":204,"body":null}` {
		t.Error(got)
	}
	if err := p.end(); err != nil {
		t.Error(err)
	}

	// The session's next process finds its key; another session does not.
	again, other := session(t, d, config, "s1"), session(t, d, config, "s2")
	again.want("50arms_api_list", "{}")
	if a := other.call("50arms_api_list", "{}"); !a.isError {
		t.Errorf("another session is signed in: %s", a.text)
	}
	d.Clock.Advance(time.Minute) // so that the keys have an order
	approve(t, ada, other.connect("approval_required"))
	other.connect("connected")

	// Ada revokes the first session's key: that session stops for good, the other goes on.
	keys := testkit.Decode[dash.KeyPage](t, ada.Call("GET", "/api/keys", nil), 200).Keys
	if len(keys) != 2 {
		t.Fatalf("%d keys", len(keys))
	}
	first := keys[1].ID // newest first
	if a := ada.Call("DELETE", "/api/keys/"+first, nil); a.Status != 204 {
		t.Fatalf("%d %s", a.Status, a.Body)
	}
	halt := again.call("50arms_api_list", "{}")
	if !halt.isError || !strings.Contains(halt.text, "Stop: Ada revoked") {
		t.Fatalf("%+v", halt)
	}
	for _, tool := range allTools {
		if a := again.call(tool, goodArgs[tool]); a != halt {
			t.Errorf("%s after the revocation: %+v", tool, a)
		}
	}
	other.want("50arms_api_list", "{}")
	if diff := cmp.Diff([]string{"s2.json"}, keyFiles(t, config)); diff != "" {
		t.Errorf("files:\n%s", diff)
	}
}

// TestDecisions: what a person decides other than yes is told once; the next call asks anew.
func TestDecisions(t *testing.T) {
	testkit.NoLeaks(t)
	d := testkit.Dashboard(t)
	ada := d.SetUp()
	p := start(t, d.URL, nil)
	r := seen(t, ada, p.connect("approval_required"))
	decide(t, ada, r, "deny", dash.RequestDenial{Digest: r.Digest, Note: new("Not on this machine.")})
	if got := p.connect("denied"); got["note"] != "Not on this machine." {
		t.Error(got)
	}
	r = seen(t, ada, p.connect("approval_required"))
	decide(t, ada, r, "request-changes", dash.RequestRevision{Digest: r.Digest, Note: "Say which card."})
	if got := p.connect("changes_requested"); got["note"] != "Say which card." {
		t.Error(got)
	}
	asked := p.connect("approval_required")
	d.Clock.Advance(24 * time.Hour) // the request lapses, and nobody is told more than a fresh one
	ada = d.SignIn("ada@example.com")
	fresh := p.connect("approval_required")
	if fresh["confirmCode"] == asked["confirmCode"] {
		t.Errorf("the lapsed request again: %v", fresh)
	}
	approve(t, ada, fresh)
	p.connect("connected")
}

// TestLapsedKey: a key that was not used for long signs out, and plan_connect asks in the same call.
func TestLapsedKey(t *testing.T) {
	testkit.NoLeaks(t)
	d := testkit.Dashboard(t)
	ada := d.SetUp()
	config := t.TempDir()
	p := session(t, d, config, "s1")
	approve(t, ada, p.connect("approval_required"))
	p.connect("connected")
	d.Clock.Advance(25 * time.Hour)
	asked := p.connect("approval_required")
	if files := keyFiles(t, config); len(files) != 0 {
		t.Errorf("files: %v", files)
	}
	approve(t, d.SignIn("ada@example.com"), asked)
	p.connect("connected")
}

func TestTeam(t *testing.T) {
	testkit.NoLeaks(t)
	d := testkit.Dashboard(t)
	ada := d.SetUp()
	p := start(t, d.URL, func(o *platform.Options) { o.Config.Team = "acme" })
	if r := seen(t, ada, p.connect("approval_required")); r.Team == nil || r.Team.Slug != "acme" {
		t.Errorf("%+v", r.Team)
	}
	p = start(t, d.URL, func(o *platform.Options) { o.Config.Team = "nobody" })
	for range 2 {
		if got := p.connect("unknown_team"); !strings.Contains(got["instruction"].(string), "DANXBOT_TEAM") {
			t.Error(got)
		}
	}
}

// TestDispatch: a dispatch works with its credential, touches no key file, and is stopped by a revocation too.
func TestDispatch(t *testing.T) {
	testkit.NoLeaks(t)
	d := testkit.Dashboard(t)
	ada := d.SetUp()
	agent := d.Agent(ada)
	config := t.TempDir()
	p := start(t, d.URL, func(o *platform.Options) {
		o.Config.ConfigDir, o.Config.SessionID = config, "s1"
		o.Config.Credential = secret.New(agent.Key)
	})
	p.want("50arms_api", goodArgs["50arms_api"])
	p.connect("connected")
	if files := keyFiles(t, config); len(files) != 0 {
		t.Errorf("files: %v", files)
	}
	if a := ada.Call("DELETE", "/api/keys/"+agent.Me.Key.ID, nil); a.Status != 204 {
		t.Fatalf("%d %s", a.Status, a.Body)
	}
	for _, tool := range allTools {
		if a := p.call(tool, goodArgs[tool]); !a.isError || !strings.Contains(a.text, "Stop: Ada revoked") {
			t.Errorf("%s: %+v", tool, a)
		}
	}

	// A credential that the dashboard does not know, or has revoked, ends the start, in the dashboard's words.
	if err := boot(t, d.URL, dispatch); err == nil || !strings.Contains(err.Error(), "401") || !strings.Contains(err.Error(), "ask for access") {
		t.Error(err)
	}
	if err := boot(t, d.URL, func(o *platform.Options) { o.Config.Credential = secret.New(agent.Key) }); err == nil || !strings.Contains(err.Error(), "Ada revoked") {
		t.Error(err)
	}
}

// TestDamagedKeyFile: it is said once, left alone, and the session starts signed out.
func TestDamagedKeyFile(t *testing.T) {
	testkit.NoLeaks(t)
	d := testkit.Dashboard(t)
	ada := d.SetUp()
	config := t.TempDir()
	p := session(t, d, config, "s1")
	approve(t, ada, p.connect("approval_required"))
	p.connect("connected")
	if err := p.end(); err != nil {
		t.Fatal(err)
	}
	var path string
	err := filepath.WalkDir(config, func(p string, e fs.DirEntry, err error) error {
		if err == nil && !e.IsDir() {
			path = p
		}
		return err
	})
	if err = errors.Join(err, os.WriteFile(path, []byte(`{"v":1,"apiKey":"half`), 0o600)); err != nil {
		t.Fatal(err)
	}
	p = session(t, d, config, "s1")
	for range 3 {
		if a := p.call("50arms_api_list", "{}"); !a.isError || !strings.Contains(a.text, "Not signed in") {
			t.Errorf("%+v", a)
		}
	}
	if n := strings.Count(p.log.String(), "\n"); n != 1 || !strings.Contains(p.log.String(), path) {
		t.Errorf("%d lines: %s", n, p.log)
	}
	if data, err := os.ReadFile(path); err != nil || string(data) != `{"v":1,"apiKey":"half` {
		t.Errorf("%s, %v", data, err)
	}
}
