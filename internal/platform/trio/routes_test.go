// SPDX-License-Identifier: Apache-2.0

package trio_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/fiftyarms/platform/gen/mcptools"
	"github.com/fiftyarms/platform/internal/testkit"
)

func TestUnknownRoute(t *testing.T) {
	d := newDashboard(t, says(200, "application/json", `{}`))
	d.routes = append(d.routes, "POST /api/widgets/:id/spin", "PURGE /api/cache", "not a route")
	for range 3 {
		got := d.mustCall(`{"method":"GET","path":"/api/key"}`)
		want := `{"ok":false,"status":404,"body":{"error":"not_found","message":"there is no route GET /api/key for this key; the call was not sent","nearest":["GET /api/keys","DELETE /api/keys/{id}","PURGE /api/cache"]},"checked":"client"}`
		if !sameJSON(t, got, want) {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}
	if d.lists != 1 || len(d.calls) != 0 {
		t.Errorf("%d lists, calls %v", d.lists, d.calls)
	}
	// What only the dashboard knows is let through, unchecked.
	d.mustCall(`{"method":"POST","path":"/api/widgets/7/spin","body":"{\"fast\":true}"}`)
	d.mustCall(`{"method":"POST","path":"/api/widgets/7/spin","body":null}`)
	want := []sent{{"POST", "/api/widgets/7/spin", "", `"{\"fast\":true}"`}, {"POST", "/api/widgets/7/spin", "", "null"}}
	if diff := cmp.Diff(want, d.calls); diff != "" || d.lists != 1 {
		t.Errorf("%d lists\n%s", d.lists, diff)
	}
	// Another method of a route it lists is not that route.
	if got := d.mustCall(`{"method":"GET","path":"/api/widgets/7/spin"}`); !strings.Contains(got, `"nearest":["POST /api/widgets/:id/spin"`) {
		t.Error(got)
	}
	// The list is not believed for long.
	d.now = d.now.Add(31 * time.Second)
	d.routes = append(d.routes, "GET /api/key")
	if got := d.mustCall(`{"method":"GET","path":"/api/key"}`); got != `{"ok":true,"status":200,"body":{}}` || d.lists != 2 {
		t.Errorf("%d lists: %s", d.lists, got)
	}
}

// TestListRefused: a dashboard that does not say what it lists is asked itself.
func TestListRefused(t *testing.T) {
	d := newDashboard(t, says(404, "application/json", `{"error":"not_found","message":"no such route"}`))
	d.routes = nil
	got := d.mustCall(`{"method":"GET","path":"/api/newer"}`)
	if got != `{"ok":false,"status":404,"body":{"error":"not_found","message":"no such route"}}` || len(d.calls) != 2 || d.calls[1].Path != "/api/newer" {
		t.Errorf("%s %v", got, d.calls)
	}
}

// TestListFails: without a list the dashboard judges a call itself; the list's own tool says what went wrong.
func TestListFails(t *testing.T) {
	for _, answer := range []http.HandlerFunc{says(500, "", "oops"), says(200, "text/html", "<html>"), says(200, "application/json", `{}`), says(200, "application/json", `{"routes":7}`)} {
		d := newDashboard(t, nil)
		d.answer = func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/api/newer" {
				answer = says(200, "application/json", "7")
			}
			answer(w, r)
		}
		d.routes = nil
		if got, err := d.APIList(t.Context(), mcptools.APIListArgs{}); err == nil || !strings.Contains(err.Error(), "GET /api/openapi/routes") {
			t.Errorf("%+v, %v", got, err)
		}
		if got := d.mustCall(`{"method":"GET","path":"/api/newer"}`); got != `{"ok":true,"status":200,"body":7}` {
			t.Error(got)
		}
	}
}

// TestListedLiterally: what the dashboard lists by this very name is not held to a template that happens to match it.
func TestListedLiterally(t *testing.T) {
	d := newDashboard(t, says(200, "application/json", `{}`))
	refused := func(args string) bool { return strings.Contains(d.mustCall(args), `"checked":"client"`) }
	literal, other := `{"method":"POST","path":"/api/access-requests/all/approve","body":[]}`, `{"method":"POST","path":"/api/access-requests/one/approve","body":[]}`
	cancel, unfilled := `{"method":"GET","path":"/api/x/:cancel"}`, `{"method":"DELETE","path":"/api/keys/:id"}`
	if !refused(literal) || !refused(cancel) {
		t.Error("let through, though nobody lists it")
	}
	d.now = d.now.Add(time.Minute)
	d.routes = append(d.routes, "POST /api/access-requests/all/approve", "GET /api/x/:cancel", "GET /api/x/:cancel/../y")
	if refused(literal) || refused(cancel) {
		t.Error("refused, though the dashboard lists it")
	}
	want := []sent{{"POST", "/api/access-requests/all/approve", "", "[]"}, {"GET", "/api/x/:cancel", "", ""}}
	if diff := cmp.Diff(want, d.calls); diff != "" || d.lists != 2 {
		t.Errorf("%d lists\n%s", d.lists, diff)
	}
	if !refused(other) || !refused(unfilled) || !refused(`{"method":"GET","path":"/api/x/:cancel/../y"}`) {
		t.Error("a call of another route was let through")
	}
}

// TestOneList: calls at the same moment cost one list.
func TestOneList(t *testing.T) {
	testkit.NoLeaks(t)
	d := newDashboard(t, nil)
	d.routes = nil
	var lists atomic.Int32
	asked, listed := make(chan struct{}, 100), make(chan struct{})
	d.answer = func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/api/openapi/routes" {
			lists.Add(1)
			asked <- struct{}{}
			<-listed
			says(200, "application/json", `{"routes":["GET /api/newer"]}`)(w, r)
			return
		}
		says(200, "application/json", `7`)(w, r)
	}
	var calls sync.WaitGroup
	for range 20 {
		calls.Go(func() {
			if got, err := d.call(`{"method":"GET","path":"/api/newer"}`); err != nil || got != `{"ok":true,"status":200,"body":7}` {
				t.Errorf("%s, %v", got, err)
			}
		})
	}
	<-asked
	close(listed)
	calls.Wait()
	if n := lists.Load(); n != 1 {
		t.Errorf("%d lists", n)
	}
}

func TestList(t *testing.T) {
	d := newDashboard(t, nil)
	list := func(filter, tag string) mcptools.APIListResult {
		t.Helper()
		args := mcptools.APIListArgs{}
		if filter != "" {
			args.Filter = &filter
		}
		if tag != "" {
			args.Tag = &tag
		}
		got, err := d.APIList(t.Context(), args)
		if err != nil {
			t.Fatal(err)
		}
		return got
	}
	if got := list("", ""); !cmp.Equal(got.Routes, d.routes) || got.Hint != nil || got.Groups != nil {
		t.Errorf("%+v", got)
	}
	if got := list("KEYS", ""); !cmp.Equal(got.Routes, d.routes[1:]) {
		t.Errorf("%+v", got)
	}
	if got := list("get /api/k", ""); !cmp.Equal(got.Routes, d.routes[1:2]) {
		t.Errorf("%+v", got)
	}
	if got := list("nothing", ""); len(got.Routes) != 0 || got.Hint == nil {
		t.Errorf("%+v", got)
	}
	d.routes = append(d.routes, "GET /api/stream", "GET /api/newer")
	if got := list("", ""); !cmp.Equal(got.Routes, []string{"GET /api/auth/me", "GET /api/keys", "DELETE /api/keys/{id}", "GET /api/newer"}) {
		t.Errorf("a stream is listed, or a route that this build does not know is not: %+v", got)
	}
	all := d.routes
	d.routes, d.answer = nil, func(w http.ResponseWriter, r *http.Request) {
		routes := all
		if r.URL.Query().Has("tag") {
			routes = []string{}
		}
		_ = json.NewEncoder(w).Encode(map[string]any{"routes": routes})
	}
	if got := list("", "cards"); len(got.Routes) != 0 || got.Hint == nil || *got.Hint != `no route has the tag "cards"; tags: auth, keys` {
		t.Errorf("%+v %v", got, *got.Hint)
	}
	d.calls = nil
	d.routes = []string{}
	if got := list("", ""); len(got.Routes) != 0 || got.Hint == nil {
		t.Errorf("%+v", got)
	}
	for i := range 4000 {
		d.routes = append(d.routes, fmt.Sprintf("GET /api/things-%d/{id}/parts", i%40))
	}
	got := list("", "")
	if len(got.Routes) != 0 || len(got.Groups) != 40 || got.Groups[0].Routes != 100 || got.Hint == nil {
		t.Errorf("%d routes, %d groups, hint %v", len(got.Routes), len(got.Groups), got.Hint)
	}
	if got := list("things-7/", ""); len(got.Routes) != 100 {
		t.Errorf("%d routes", len(got.Routes))
	}

	d.routes = nil
	d.answer = says(200, "application/json", `{"routes":["GET /api/keys"]}`)
	list("", "a b&c")
	if want := (sent{"GET", "/api/openapi/routes", "tag=a%20b%26c", ""}); len(d.calls) != 1 || d.calls[0].Path != want.Path || query(t, d.calls[0]).Get("tag") != "a b&c" {
		t.Errorf("%+v", d.calls)
	}
	d.answer = says(403, "application/json", `{"error":"forbidden","message":"this needs cards.view"}`)
	if _, err := d.APIList(t.Context(), mcptools.APIListArgs{}); err == nil || !strings.Contains(err.Error(), "answered 403 forbidden: this needs cards.view") {
		t.Error(err)
	}
}

func sameJSON(t *testing.T, a, b string) bool {
	t.Helper()
	var x, y any
	if err := json.Unmarshal([]byte(a), &x); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal([]byte(b), &y); err != nil {
		t.Fatal(err)
	}
	return cmp.Equal(x, y)
}
