// SPDX-License-Identifier: Apache-2.0

package handler_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fiftyarms/platform/gen/dash"
	"github.com/fiftyarms/platform/internal/testkit"
)

// A desk is a team at work: Ada, and her agent.
type desk struct {
	*testkit.Running
	*testing.T
	ada, agent *testkit.Caller
	read       int64 // the number of the last event that was looked at
}

func newDesk(t *testing.T, options ...testkit.Option) *desk {
	t.Helper()
	k := &desk{Running: testkit.Dashboard(t, options...), T: t}
	k.ada = k.SetUp()
	k.agent = k.Agent(k.ada)
	return k
}

// eachDesk runs a test on each engine, with the boards 1 (SHOP) and 2 (DOCS).
func eachDesk(t *testing.T, run func(k *desk)) {
	t.Helper()
	testkit.EachEngine(t, func(t *testing.T, e testkit.Engine) {
		k := newDesk(t, testkit.On(e))
		k.board("SHOP")
		k.board("DOCS")
		run(k)
	})
}

func (k *desk) board(prefix string) dash.Board {
	k.Helper()
	a := k.ada.Call("POST", "/api/boards", dash.BoardCreate{Name: "Board " + prefix, Prefix: prefix})
	return testkit.Decode[dash.Board](k.T, a, 201)
}

// create creates a card on board 1, with more members than its title in JSON.
func (k *desk) create(title, more string) testkit.Answer {
	k.Helper()
	if more != "" {
		more = "," + more
	}
	return k.agent.Call("POST", "/api/issues?board=1", fmt.Sprintf(`{"title":%q%s}`, title, more))
}

func (k *desk) card(title, more string) dash.Issue {
	k.Helper()
	return testkit.Decode[dash.Issue](k.T, k.create(title, more), 201)
}

// at is the path of a card, with what comes after it.
func at(i dash.Issue, rest string) string {
	rest, query, _ := strings.Cut(rest, "?")
	if query != "" {
		query = "&" + query
	}
	return fmt.Sprintf("/api/issues/%s%s?board=%d%s", i.ID, rest, i.Board, query)
}

// get reads a card, with what fields opts into.
func (k *desk) get(i dash.Issue, fields string) dash.Issue {
	k.Helper()
	if fields != "" {
		fields = "?fields=" + url.QueryEscape(fields)
	}
	return testkit.Decode[dash.Issue](k.T, k.agent.Call("GET", at(i, fields), nil), 200)
}

// direct is a call past the contract's checker, which takes most of a call's time.
func (k *desk) direct(r *http.Request) testkit.Answer {
	r.RemoteAddr = "127.0.0.1:1"
	if r.Body == nil {
		r.Body = http.NoBody
	}
	w := httptest.NewRecorder()
	k.Server.Handler().ServeHTTP(w, r)
	return testkit.Answer{Status: w.Code, Header: w.Header(), Body: w.Body.Bytes()}
}

// withVersion is a body with the version that a card has now.
func (k *desk) withVersion(i dash.Issue, body string) string {
	k.Helper()
	now := testkit.Decode[dash.Issue](k.T, k.direct(k.agent.Request("GET", at(i, ""), nil)), 200)
	return fmt.Sprintf(`{"version":%d,%s}`, now.Version, body)
}

func (k *desk) edit(i dash.Issue, body string) testkit.Answer {
	k.Helper()
	return k.agent.Call("PATCH", at(i, "/edit"), k.withVersion(i, body))
}

func (k *desk) move(i dash.Issue, to dash.IssueStatus) testkit.Answer {
	k.Helper()
	return k.agent.Call("POST", at(i, "/transition"), k.withVersion(i, fmt.Sprintf(`"status":%q`, to)))
}

func (k *desk) wait(i dash.Issue, on ...dash.Issue) testkit.Answer {
	k.Helper()
	var by []string
	for _, o := range on {
		by = append(by, o.ID)
	}
	raw, err := json.Marshal(by)
	if err != nil {
		k.Fatal(err)
	}
	return k.agent.Call("PUT", at(i, "/dependencies"), k.withVersion(i, `"reason":"It has to be.","by":`+string(raw)))
}

func (k *desk) conflict(one, other dash.Issue) testkit.Answer {
	k.Helper()
	return k.agent.Call("PUT", at(one, "/conflicts/"+other.ID), dash.ConflictSet{Reason: "Both rewrite it."})
}

// ok is an answer that has to be a success.
func (k *desk) ok(a testkit.Answer) testkit.Answer {
	k.Helper()
	if a.Status >= 300 {
		k.Fatalf("answered %d %s", a.Status, a.Body)
	}
	return a
}

// refused is an answer that has to be the refusal R.
func refused[R dash.Refusal](k *desk, a testkit.Answer) R {
	k.Helper()
	r, err := dash.DecodeRefusal(a.Body)
	if err != nil {
		k.Fatalf("answered %d %s", a.Status, a.Body)
	}
	got, ok := r.(R)
	if !ok {
		k.Fatalf("answered %d %s, want a %T", a.Status, a.Body, *new(R))
	}
	return got
}

// gate is the gate that an answer says is shut; "" of a success.
func (k *desk) gate(a testkit.Answer) string {
	k.Helper()
	if a.Status < 300 {
		return ""
	}
	r := refused[dash.GateFailedRefusal](k, a)
	if r.Message == "" || r.Next == "" {
		k.Errorf("it does not say what to do: %s", a.Body)
	}
	return string(r.FailedGate)
}

// events are those since the last look, as text.
func (k *desk) events() []string {
	k.Helper()
	rows, err := k.Store.Of(k.teamID()).Events(k.Context(), k.read, 1000)
	if err != nil {
		k.Fatal(err)
	}
	out := []string{}
	for _, e := range rows {
		if e.Number != k.read+1 {
			k.Errorf("event %d follows %d", e.Number, k.read)
		}
		k.read = e.Number
		var b strings.Builder
		fmt.Fprint(&b, e.Kind)
		if e.Issue != nil {
			fmt.Fprint(&b, " ", *e.Issue)
		}
		if e.Version != nil {
			fmt.Fprint(&b, " v", *e.Version)
		}
		for _, c := range e.Changes {
			fmt.Fprintf(&b, " %s:%s>%s", c.Field, text(c.From), text(c.To))
		}
		out = append(out, b.String())
	}
	return out
}

func text(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

// told are the events that have to have come since the last look.
func (k *desk) told(want ...string) {
	k.Helper()
	if want == nil {
		want = []string{}
	}
	if diff := cmp.Diff(want, k.events()); diff != "" {
		k.Errorf("events (-want +got):\n%s", diff)
	}
}

func (k *desk) teamID() string {
	k.Helper()
	ada, err := k.Store.PersonByEmail(k.Context(), "ada@example.com")
	if err != nil {
		k.Fatal(err)
	}
	return ada.TeamID
}
