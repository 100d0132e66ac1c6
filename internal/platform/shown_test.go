// SPDX-License-Identifier: Apache-2.0

package platform_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/fiftyarms/platform/gen/dash"
	"github.com/fiftyarms/platform/gen/mcptools"
	"github.com/fiftyarms/platform/internal/platform"
	"github.com/fiftyarms/platform/internal/testkit"
)

// TestSigningInShowsTools before plan_connect answers, and the notification comes before the answer; a key that lapses
// takes them away.
func TestSigningInShowsTools(t *testing.T) {
	testkit.NoLeaks(t)
	d := testkit.Dashboard(t)
	ada := d.SetUp()
	p := start(t, d.URL, nil)
	if diff := cmp.Diff(bootstrap, p.tools()); diff != "" {
		t.Errorf("signed out (-want +got):\n%s", diff)
	}
	approve(t, ada, p.connect("approval_required"))
	p.connect("connected")
	if n := p.told(listChanged); n != 1 {
		t.Errorf("%d notifications by the time of the answer, want 1", n)
	}
	if tools := p.tools(); !slices.Contains(tools, "attach_file") {
		t.Errorf("signed in: %q", tools)
	}
	for range 3 {
		p.connect("connected")
	}
	if n := p.told(listChanged); n != 1 {
		t.Errorf("%d notifications, want 1", n)
	}
	d.Clock.Advance(25 * time.Hour)
	if a := p.call("50arms_api", goodArgs["50arms_api"]); !a.isError || !strings.Contains(a.text, "Not signed in") {
		t.Errorf("%+v", a)
	}
	testkit.Until(t, "the second notification", func() bool { return p.told(listChanged) == 2 })
	if diff := cmp.Diff(bootstrap, p.tools()); diff != "" {
		t.Errorf("signed out again (-want +got):\n%s", diff)
	}
}

// TestAskedForMore is a person's agent that is refused, asks, and goes on with the same key.
func TestAskedForMore(t *testing.T) {
	testkit.NoLeaks(t)
	d := testkit.Dashboard(t)
	ada := d.SetUp()
	p := start(t, d.URL, nil)
	r := seen(t, ada, p.connect("approval_required"))
	decide(t, ada, r, "approve", dash.AccessRequestApproval{Digest: r.Digest, Permissions: []dash.Permission{dash.PermissionCardsView}})
	p.connect("connected")
	newBoard := `{"method":"POST","path":"/api/boards","body":{"name":"Shop","prefix":"SHOP"}}`
	var refused mcptools.APIResult
	if err := json.Unmarshal([]byte(p.want("50arms_api", newBoard)), &refused); err != nil {
		t.Fatal(err)
	}
	if refused.Status != 403 || len(refused.Reminders) != 1 || !strings.Contains(refused.Reminders[0], "boards.edit") {
		t.Fatalf("%+v", refused)
	}
	asked := permissionAsked(t, p, `{"permissions":["boards.edit","cards.edit"],"reason":"The checkout work needs a board of its own."}`)
	made := testkit.Decode[dash.PermissionRequest](t, ada.Call("GET", "/api/permission-requests/"+(*asked.ApprovalURL)[strings.LastIndexByte(*asked.ApprovalURL, '/')+1:], nil), 200)
	if made.ConfirmCode != *asked.ConfirmCode || made.Reason != "The checkout work needs a board of its own." {
		t.Errorf("the person sees %+v", made)
	}
	answerTo(t, ada, made.PublicID, "approve", "")
	testkit.Until(t, "the tool", func() bool { return slices.Contains(p.tools(), "attach_file") })
	said[dash.Board](t, p, newBoard, 201)
	if n := p.told(listChanged); n != 1 {
		t.Errorf("%d notifications, want 1", n)
	}
	var again mcptools.RequestPermissionResult
	testkit.Until(t, "the end of the request", func() bool { // which the session may learn after it has the tool
		again = permissionAsked(t, p, `{"permissions":["boards.edit","cards.edit"],"reason":"Once more."}`)
		return again.Status != nil
	})
	if *again.Status != 409 {
		t.Errorf("%+v %s", again, again.Body)
	}
}

// TestGrantsDuringAnOutage are one notification, however many they are.
func TestGrantsDuringAnOutage(t *testing.T) {
	testkit.NoLeaks(t)
	d := testkit.Dashboard(t)
	ada := d.SetUp()
	agent := d.Agent(ada, dash.PermissionCardsView)
	l := newLine(t, d.URL)
	p := watched(t, l, agent)
	l.cut()
	grants(t, ada, agent, "docs.view")
	grants(t, ada, agent, "cards.edit")
	grants(t, ada, agent, "boards.edit")
	reads := l.count("GET /api/auth/permissions")
	l.restore()
	testkit.Until(t, "the notification", func() bool { return p.told(listChanged) > 0 && l.count("GET /api/auth/permissions") > reads })
	p.connect("connected")
	if n := p.told(listChanged); n != 1 {
		t.Errorf("%d notifications, want 1", n)
	}
}

// streamless is a dashboard that knows its keys' permissions and has no stream: it answers with a status, or never.
func streamless(t *testing.T, status int, reads *atomic.Int32) string {
	return serveAll(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		switch r.URL.Path {
		case "/api/auth/permissions":
			reads.Add(1)
			_, _ = io.WriteString(w, `{"permissions":["cards.edit"]}`)
		case "/api/stream":
			if status == 0 {
				<-r.Context().Done()
				return
			}
			w.WriteHeader(status)
			_, _ = io.WriteString(w, `{"error":"not_found","message":"no"}`)
		default:
			_, _ = io.WriteString(w, connectedBody)
		}
	})
}

const connectedBody = `{"session":{"id":"s","title":"","connected_at":"2026-01-02T03:04:05.000Z"},"agent":{"id":1,"name":"Agent 1"},"team":{"slug":"acme","name":"Acme"}}`

// TestWithoutAStream: a key that is found shows its tools, whatever becomes of the stream.
func TestWithoutAStream(t *testing.T) {
	testkit.NoLeaks(t)
	for name, status := range map[string]int{"it is held back on its way": 0, "the dashboard has none": 404, "it fails": 503} {
		t.Run(name, func(t *testing.T) {
			var reads atomic.Int32
			p := start(t, streamless(t, status, &reads), signedIn(t))
			testkit.Until(t, "the tool", func() bool { return slices.Contains(p.tools(), "attach_file") })
			if status == 404 {
				testkit.Until(t, "the line on it", func() bool { return strings.Contains(p.log.String(), "refused the stream") })
				before := reads.Load()
				p.connect("connected") // looks again by itself
				if reads.Load() != before+1 || strings.Count(p.log.String(), "refused the stream") != 1 {
					t.Errorf("%d reads; %s", reads.Load()-before, p.log)
				}
			}
			if err := p.end(); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestSlowPermissions hold up no plan_connect.
func TestSlowPermissions(t *testing.T) {
	testkit.NoLeaks(t)
	p := start(t, serveAll(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/api/auth/permissions" || r.URL.Path == "/api/stream" {
			<-r.Context().Done()
			return
		}
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, connectedBody)
	}), func(o *platform.Options) {
		signedIn(t)(o)
		o.Config.Board = 7
		o.After = func(d time.Duration) <-chan time.Time { return time.After(d / 100) }
	})
	if got := p.connect("connected"); got["board"] != 7.0 {
		t.Errorf("board %v, want 7", got["board"])
	}
	if !strings.Contains(p.log.String(), "the permissions were not read") {
		t.Error(p.log)
	}
	if diff := cmp.Diff(bootstrap, p.tools()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if err := p.end(); err != nil { // with a read and a stream under way
		t.Error(err)
	}
}

// TestUnknownOptIns are one line each, and nothing else.
func TestUnknownOptIns(t *testing.T) {
	testkit.NoLeaks(t)
	p := start(t, serve(t, http.NotFound), func(o *platform.Options) {
		o.Config.Credential, o.Config.ExtraTools = aKey(), []string{"attach_file", "attach_flie"}
	})
	if tools := p.tools(); !slices.Contains(tools, "attach_file") {
		t.Error(tools)
	}
	if n := strings.Count(p.log.String(), "DANXBOT_EXTRA_TOOLS names attach_flie"); n != 1 || strings.Contains(p.log.String(), "names attach_file") {
		t.Errorf("told %d times: %s", n, p.log)
	}
	// What a dispatch was not given is said to be so.
	p = start(t, serve(t, http.NotFound), func(o *platform.Options) { o.Config.Credential = aKey() })
	if a := p.call("attach_file", goodArgs["attach_file"]); !a.isError || !strings.Contains(a.text, "not among the tools") {
		t.Errorf("%+v", a)
	}
	if tools := p.tools(); slices.Contains(tools, "attach_file") {
		t.Errorf("shown: %q", tools)
	}
}

// TestRefusedFile: a file that is refused for want of a permission is hinted at as any call is.
func TestRefusedFile(t *testing.T) {
	testkit.NoLeaks(t)
	p := start(t, serve(t, func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		w.Header().Set("Content-Type", "application/json")
		if r.Method == http.MethodGet {
			_, _ = io.WriteString(w, `{"boards":[{"id":1,"name":"Shop","prefix":"SHOP"}],"next_cursor":null}`)
			return
		}
		w.WriteHeader(403)
		_, _ = io.WriteString(w, `{"error":"forbidden","message":"no","permission":"docs.edit"}`)
	}), dispatch)
	var got mcptools.AttachFileResult
	if err := json.Unmarshal([]byte(p.want("attach_file", goodArgs["attach_file"])), &got); err != nil {
		t.Fatal(err)
	}
	if got.Status == nil || *got.Status != 403 || len(got.Reminders) != 1 || !strings.Contains(got.Reminders[0], "docs.edit") {
		t.Errorf("%s", fmt.Sprint(got.Reminders))
	}
}
