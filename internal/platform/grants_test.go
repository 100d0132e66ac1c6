// SPDX-License-Identifier: Apache-2.0

package platform_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httputil"
	"net/url"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/fiftyarms/platform/gen/dash"
	"github.com/fiftyarms/platform/gen/mcptools"
	"github.com/fiftyarms/platform/internal/platform"
	"github.com/fiftyarms/platform/internal/platform/secret"
	"github.com/fiftyarms/platform/internal/testkit"
)

const listChanged = "notifications/tools/list_changed"

// told is how many notifications of a method have come.
func (p *peer) told(method string) (n int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, frame := range p.other {
		if strings.Contains(frame, `"method":"`+method+`"`) {
			n++
		}
	}
	return n
}

func (p *peer) tools() (names []string) {
	p.t.Helper()
	raw, err := p.request("tools/list", "{}")
	if err != nil {
		p.t.Fatal(err)
	}
	var list struct{ Tools []struct{ Name string } }
	if err := json.Unmarshal(raw, &list); err != nil {
		p.t.Fatal(err)
	}
	for _, tool := range list.Tools {
		names = append(names, tool.Name)
	}
	return names
}

// A line is a front before a dashboard whose streams can be cut, and which counts what passes.
type line struct {
	URL     string
	mu      sync.Mutex
	down    bool
	streams map[chan struct{}]struct{}
	calls   map[string]int
}

func newLine(t *testing.T, to string) *line {
	l := &line{streams: map[chan struct{}]struct{}{}, calls: map[string]int{}}
	target, err := url.Parse(to)
	if err != nil {
		t.Fatal(err)
	}
	proxy := &httputil.ReverseProxy{FlushInterval: -1, Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(target) }, ErrorLog: log.New(io.Discard, "", 0)}
	l.URL = serveAll(t, func(w http.ResponseWriter, r *http.Request) {
		cut := make(chan struct{})
		stream := r.URL.Path == "/api/stream"
		l.mu.Lock()
		l.calls[r.Method+" "+r.URL.Path]++
		down := l.down && stream
		if stream && !down {
			l.streams[cut] = struct{}{}
		}
		l.mu.Unlock()
		if down {
			panic(http.ErrAbortHandler)
		}
		if !stream {
			proxy.ServeHTTP(w, r)
			return
		}
		ctx, end := context.WithCancel(r.Context())
		defer end()
		go func() {
			select {
			case <-cut:
				end() // the proxy then drops the connection
			case <-ctx.Done():
			}
		}()
		defer func() {
			l.mu.Lock()
			delete(l.streams, cut)
			l.mu.Unlock()
		}()
		proxy.ServeHTTP(w, r.WithContext(ctx))
	})
	return l
}

func (l *line) count(route string) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.calls[route]
}

// cut breaks the streams that are open, and those that are opened until restore.
func (l *line) cut() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.down = true
	for c := range l.streams {
		close(c)
		delete(l.streams, c)
	}
}

func (l *line) restore() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.down = false
}

func (l *line) open() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.streams)
}

// grants has the person give a key more, which the key asked for by itself.
func grants(t *testing.T, person, agent *testkit.Caller, names ...dash.PermissionName) {
	t.Helper()
	made := testkit.Decode[dash.PermissionRequestCreated](t, agent.Call("POST", "/api/permission-requests", dash.PermissionRequestCreate{Permissions: names, Reason: "It is needed."}), 201)
	answerTo(t, person, made.PublicID, "approve", "")
}

func answerTo(t *testing.T, person *testkit.Caller, publicID, verb, note string) {
	t.Helper()
	r := testkit.Decode[dash.PermissionRequest](t, person.Call("GET", "/api/permission-requests/"+publicID, nil), 200)
	body := map[string]string{"digest": r.Digest}
	if note != "" {
		body["note"] = note
	}
	testkit.Decode[dash.PermissionRequest](t, person.Call("POST", "/api/permission-requests/"+publicID+"/"+verb, body), 200)
}

// watched is a session of a dispatch with this key behind a line, once its stream is open.
func watched(t *testing.T, l *line, agent *testkit.Caller) *peer {
	t.Helper()
	p := start(t, l.URL, func(o *platform.Options) {
		o.Config.Credential, o.Config.ExtraTools = secret.New(agent.Key), []string{"attach_file"}
	})
	testkit.Until(t, "the stream", func() bool { return l.open() == 1 })
	testkit.Until(t, "the read after it", func() bool { return l.count("GET /api/auth/permissions") >= 2 })
	return p
}

var bootstrap = []string{"50arms_api", "50arms_api_list", "50arms_api_spec", "plan_connect", "request_permission"}

// TestAGrantShowsItsTool: what a grant opens appears with one notification; what opens nothing sends none.
func TestAGrantShowsItsTool(t *testing.T) {
	testkit.NoLeaks(t)
	d := testkit.Dashboard(t)
	ada := d.SetUp()
	agent := d.Agent(ada, dash.PermissionCardsView)
	l := newLine(t, d.URL)
	p := watched(t, l, agent)
	if tools := p.tools(); slices.Contains(tools, "attach_file") {
		t.Errorf("before: %v", tools)
	}
	if a := p.call("attach_file", goodArgs["attach_file"]); !a.isError || !strings.Contains(a.text, "cards.edit") || !strings.Contains(a.text, "request_permission") {
		t.Errorf("a tool that is not shown: %+v", a)
	}

	reads := l.count("GET /api/auth/permissions")
	grants(t, ada, agent, "docs.view") // opens no tool
	testkit.Until(t, "the read after it", func() bool { return l.count("GET /api/auth/permissions") > reads })
	testkit.Until(t, "the stream again", func() bool { return l.open() == 1 })
	grants(t, ada, agent, "cards.edit", "boards.edit")
	testkit.Until(t, "the notification", func() bool { return p.told(listChanged) > 0 })
	if tools := p.tools(); !slices.Contains(tools, "attach_file") {
		t.Errorf("after: %v", tools)
	}
	reads = l.count("GET /api/auth/permissions")
	grants(t, ada, agent, "traces.view")
	testkit.Until(t, "the read after it", func() bool { return l.count("GET /api/auth/permissions") > reads })
	p.connect("connected") // and reads once more
	if n := p.told(listChanged); n != 1 {
		t.Errorf("%d notifications, want 1", n)
	}
}

// TestAGrantWhileTheStreamIsCut is seen once, after the reconnection; a reconnection without one is not.
func TestAGrantWhileTheStreamIsCut(t *testing.T) {
	testkit.NoLeaks(t)
	d := testkit.Dashboard(t)
	ada := d.SetUp()
	agent := d.Agent(ada, dash.PermissionCardsView)
	l := newLine(t, d.URL)
	p := watched(t, l, agent)

	l.cut()
	tries := l.count("GET /api/stream")
	testkit.Until(t, "two tries in vain", func() bool { return l.count("GET /api/stream") >= tries+2 })
	grants(t, ada, agent, "cards.edit")
	if n := p.told(listChanged); n != 0 {
		t.Fatalf("%d notifications while the line was cut", n)
	}
	l.restore()
	testkit.Until(t, "the notification", func() bool { return p.told(listChanged) > 0 })
	for range 2 {
		reads := l.count("GET /api/auth/permissions")
		l.cut()
		l.restore()
		testkit.Until(t, "the read after the reconnection", func() bool { return l.count("GET /api/auth/permissions") > reads && l.open() == 1 })
	}
	p.want("50arms_api_list", "{}")
	if n := p.told(listChanged); n != 1 {
		t.Errorf("%d notifications, want 1", n)
	}
}

// TestARevokedKeyEndsTheSession: word comes by the stream, before any call.
func TestARevokedKeyEndsTheSession(t *testing.T) {
	testkit.NoLeaks(t)
	d := testkit.Dashboard(t)
	ada := d.SetUp()
	agent := d.Agent(ada, dash.PermissionCardsView)
	l := newLine(t, d.URL)
	p := watched(t, l, agent)
	if a := ada.Call("DELETE", "/api/keys/"+agent.Me.Key.ID, nil); a.Status != 204 {
		t.Fatalf("%d %s", a.Status, a.Body)
	}
	testkit.Until(t, "the halt", func() bool { return strings.Contains(p.log.String(), "the key was revoked") })
	calls := l.count("GET /api/auth/me")
	if a := p.call("50arms_api", goodArgs["50arms_api"]); !a.isError || !strings.Contains(a.text, "Stop: Ada revoked") {
		t.Errorf("%+v", a)
	}
	if l.count("GET /api/auth/me") != calls {
		t.Error("a call was made with a key that is known to be revoked")
	}
}

func permissionAsked(t *testing.T, p *peer, args string) mcptools.RequestPermissionResult {
	t.Helper()
	var out mcptools.RequestPermissionResult
	if err := json.Unmarshal([]byte(p.want("request_permission", args)), &out); err != nil {
		t.Fatal(err)
	}
	return out
}

// TestOneRequestASet: however often and however spelled a set is asked for, it is asked once while it waits.
func TestOneRequestASet(t *testing.T) {
	testkit.NoLeaks(t)
	d := testkit.Dashboard(t)
	ada := d.SetUp()
	agent := d.Agent(ada, dash.PermissionCardsView)
	l := newLine(t, d.URL)
	p := watched(t, l, agent)
	const posts = "POST /api/permission-requests"
	spellings := []string{`["cards.edit","docs.view"]`, `["docs.view","cards.edit"]`, `["docs.view","cards.edit","docs.view"]`}
	answers := make([]mcptools.RequestPermissionResult, 9)
	var all sync.WaitGroup
	for i := range answers {
		all.Go(func() {
			a := p.call("request_permission", fmt.Sprintf(`{"permissions":%s,"reason":"For SHOP-1."}`, spellings[i%3]))
			if err := json.Unmarshal([]byte(a.text), &answers[i]); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	required := 0
	for _, a := range answers {
		if a.State == nil || a.ConfirmCode == nil || *a.ConfirmCode != *answers[0].ConfirmCode || *a.ApprovalURL != *answers[0].ApprovalURL {
			t.Fatalf("%+v", a)
		}
		if *a.State == mcptools.RequestPermissionResultStateApprovalRequired {
			required++
		}
	}
	if n := l.count(posts); n != 1 || required != 1 {
		t.Errorf("%d requests, %d of the answers say that one was made", n, required)
	}
	if other := permissionAsked(t, p, `{"permissions":["docs.view"],"reason":"For SHOP-1."}`); *other.ConfirmCode == *answers[0].ConfirmCode {
		t.Error("another set is the same request")
	}

	// A denial is told once, with what the person said, and frees the set.
	id := (*answers[0].ApprovalURL)[strings.LastIndexByte(*answers[0].ApprovalURL, '/')+1:]
	answerTo(t, ada, id, "deny", "Not\u202e for this card.")
	var told []string
	testkit.Until(t, "the reminder", func() bool {
		var a mcptools.APIResult
		if err := json.Unmarshal([]byte(p.want("50arms_api", goodArgs["50arms_api"])), &a); err != nil {
			t.Fatal(err)
		}
		told = append(told, a.Reminders...)
		return len(told) > 0
	})
	if len(told) != 1 || !strings.Contains(told[0], "for this card.") || !strings.Contains(told[0], "cards.edit") || strings.Contains(told[0], "\u202e") {
		t.Errorf("%q", told)
	}
	if again := permissionAsked(t, p, `{"permissions":["cards.edit","docs.view"],"reason":"For SHOP-1."}`); *again.State != mcptools.RequestPermissionResultStateApprovalRequired || *again.ConfirmCode == *answers[0].ConfirmCode {
		t.Errorf("%+v", again)
	}
}

// TestPermissionRefusals come as the dashboard gives them.
func TestPermissionRefusals(t *testing.T) {
	testkit.NoLeaks(t)
	d := testkit.Dashboard(t)
	ada := d.SetUp()
	p := watched(t, newLine(t, d.URL), d.Agent(ada, dash.PermissionCardsView))
	for args, want := range map[string]string{
		`{"permissions":["cards.delete"],"reason":"x"}`: `400 unknown_permission`,
		`{"permissions":["cards.view"],"reason":"x"}`:   `409 already_held`,
		`{"permissions":["team.admin"],"reason":"x"}`:   `422 owner_lacks_permission`,
		`{"permissions":["cards.edit"],"reason":" "}`:   `400 invalid_request`,
	} {
		got := permissionAsked(t, p, args)
		var refusal struct{ Error string }
		if got.Ok == nil || *got.Ok || got.Status == nil || json.Unmarshal(got.Body, &refusal) != nil || fmt.Sprintf("%d %s", *got.Status, refusal.Error) != want {
			t.Errorf("%s: %+v %s, want %s", args, got, got.Body, want)
		}
	}
}

// TestTheForbiddenHint stands beside a refusal for want of a permission, and beside nothing else.
func TestTheForbiddenHint(t *testing.T) {
	testkit.NoLeaks(t)
	url := serve(t, func(w http.ResponseWriter, r *http.Request) {
		status, body := http.StatusForbidden, r.Header.Get("User-Agent")
		switch r.URL.Path {
		case "/api/auth/me":
			body = `{"error":"forbidden","message":"no","permission":"boards.edit"}`
		case "/api/keys":
			body = `{"error":"person_required","message":"no"}`
		case "/api/people":
			status, body = http.StatusNotFound, `{"error":"forbidden","permission":"boards.edit"}`
		case "/api/agents":
			status, body = http.StatusOK, `{"error":"forbidden","permission":"boards.edit"}`
		case "/api/boards":
			body = `{"error":"forbidden","permission":7}`
		}
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		_, _ = w.Write([]byte(body))
	})
	p := start(t, url, dispatch)
	for path, hinted := range map[string]bool{"/api/auth/me": true, "/api/keys": false, "/api/people": false, "/api/agents": false, "/api/boards": false} {
		var a mcptools.APIResult
		if err := json.Unmarshal([]byte(p.want("50arms_api", fmt.Sprintf(`{"method":"GET","path":%q}`, path))), &a); err != nil {
			t.Fatal(err)
		}
		if got := len(a.Reminders) == 1 && strings.Contains(a.Reminders[0], "boards.edit") && strings.Contains(a.Reminders[0], "request_permission"); got != hinted || len(a.Reminders) > 1 {
			t.Errorf("%s: reminders %q", path, a.Reminders)
		}
	}
}

// TestADispatchTriesThreeTimes to read what it may, and fails its start rather than to narrow its tools.
func TestADispatchTriesThreeTimes(t *testing.T) {
	testkit.NoLeaks(t)
	for _, tt := range []struct {
		name   string
		status []int // of each try
		want   string
	}{
		{"the third answers", []int{503, 500, 200}, ""},
		{"none answers", []int{503, 503, 503}, "answered 503"},
		{"it is refused", []int{403}, "403"},
		{"it is asked to wait", []int{429, 429, 429}, "429"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var tries atomic.Int32
			var mu sync.Mutex
			var waits []time.Duration
			url := serveAll(t, func(w http.ResponseWriter, r *http.Request) {
				if r.URL.Path != "/api/auth/permissions" {
					http.NotFound(w, r)
					return
				}
				w.Header().Set("Content-Type", "application/json")
				n := int(tries.Add(1))
				w.WriteHeader(tt.status[min(n, len(tt.status))-1])
				_, _ = w.Write([]byte(`{"permissions":["cards.edit"],"error":"no","message":"no"}`))
			})
			change := func(o *platform.Options) {
				dispatch(o)
				o.After = func(d time.Duration) <-chan time.Time {
					mu.Lock()
					defer mu.Unlock()
					waits = append(waits, d)
					return time.After(d / 100)
				}
			}
			if tt.want == "" {
				p := start(t, url, change)
				if tools := p.tools(); !slices.Contains(tools, "attach_file") || p.told(listChanged) != 0 {
					t.Errorf("%v after %d notifications", tools, p.told(listChanged))
				}
			} else if err := boot(t, url, change); err == nil || !strings.Contains(err.Error(), tt.want) || strings.Contains(err.Error(), aKey().Reveal()) {
				t.Errorf("got %v, want %s", err, tt.want)
			}
			mu.Lock()
			defer mu.Unlock()
			if n := int(tries.Load()); n < len(tt.status) || tt.want != "" && n != len(tt.status) {
				t.Errorf("%d tries, want %d", n, len(tt.status))
			}
			if between := []time.Duration{500 * time.Millisecond, time.Second}; len(tt.status) == 3 && !slices.Equal(waits[:2], between) {
				t.Errorf("waits %v, want %v", waits, between)
			}
		})
	}
}
