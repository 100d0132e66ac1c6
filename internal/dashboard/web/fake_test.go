// SPDX-License-Identifier: Apache-2.0

package web_test

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/oapi-codegen/nullable"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/fiftyarms/platform/gen/dash"
	"github.com/fiftyarms/platform/internal/dashboard/web"
	"github.com/fiftyarms/platform/internal/dashboard/web/htmlcheck"
)

var now = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

const (
	publicID = "3b7f0c4b1e2a9d4c5fb1a2c3d4e5f607"
	digest   = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"
	formMark = "the-form-token-of-ada"
)

// script is an API that answers each operation as the test says, and notes what it was asked.
type script struct {
	t       *testing.T
	answers map[string]any // by operation: a value of the contract, a dash.Refusal, or a func(*http.Request) any
	calls   []call         // but those for the header
	header  []call         // those for the header of a page, which every page has
	headers http.Header    // added to each answer
}

type call struct {
	Op     string
	Query  string
	Body   string
	CSRF   string
	header http.Header
}

// signedIn answers who calls, and nothing waiting.
func signedIn(t *testing.T) *script {
	token := formMark
	return &script{t: t, headers: http.Header{"X-Request-Id": {"req-1"}}, answers: map[string]any{
		"getMe":                  dash.Me{Kind: "person", Team: dash.TeamRef{Slug: "acme", Name: "Acme"}, Person: ada, CsrfToken: &token},
		"listKeys":               dash.KeyPage{Keys: []dash.Key{}, NextCursor: nullable.NewNullNullable[string]()},
		"listAccessRequests":     listing(nil, ""),
		"listPermissionRequests": wants(nil, ""),
		"getPermissions":         dash.Permissions{Permissions: []dash.Permission{}},
		"getAccessRequest":       pending(),
	}}
}

func signedOut(t *testing.T) *script {
	return &script{t: t, answers: map[string]any{"getMe": dash.UnauthenticatedRefusal{Message: "sign in first"}}}
}

// with changes one answer.
func (s *script) with(op string, answer any) *script {
	s.answers[op] = answer
	return s
}

var ada = dash.PersonRef{ID: "7f0c4b1e2a9d4c5fb1a2c3d4e5f60718", Name: "Ada"}

func listing(requests []dash.AccessRequest, next string) dash.AccessRequestPage {
	page := dash.AccessRequestPage{Requests: requests, NextCursor: nullable.NewNullNullable[string]()}
	if requests == nil {
		page.Requests = []dash.AccessRequest{}
	}
	if next != "" {
		page.NextCursor = nullable.NewNullableWithValue(next)
	}
	return page
}

func pending() dash.AccessRequest {
	return dash.AccessRequest{
		PublicID: publicID, Status: "pending", Title: p("Mend the checkout"), Address: "192.0.2.7",
		Client:      dash.AskingClient{Name: "claude-code", Version: p("2.1.0"), Host: p("ada-laptop"), Project: p("shop")},
		ConfirmCode: "KTRM-4829", Digest: digest, Grants: []dash.Permission{"cards.view", "cards.edit", "docs.view"},
		CreatedAt: dash.At(now.Add(-3 * time.Minute)), ExpiresAt: dash.At(now.Add(7 * time.Minute)),
	}
}

func decided(status dash.RequestStatus, d dash.RequestDecision) dash.AccessRequest {
	r := pending()
	d.At = dash.At(now.Add(-time.Minute))
	if d.By.ID == "" {
		d.By = ada
	}
	r.Status, r.Decision = status, &d
	return r
}

func p[T any](v T) *T { return &v }

// ServeHTTP answers for the operation of the contract that the request is for.
func (s *script) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	mux := http.NewServeMux()
	for _, op := range dash.Operations {
		mux.HandleFunc(op.Route(), func(w http.ResponseWriter, r *http.Request) { s.answer(op, w, r) })
	}
	mux.ServeHTTP(w, r)
}

func (s *script) answer(op dash.Operation, w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		s.t.Error(err)
	}
	calls := &s.calls
	if strings.HasSuffix(r.URL.RawQuery, "limit=99") {
		calls = &s.header
	}
	*calls = append(*calls, call{Op: op.ID, Query: r.URL.RawQuery, Body: strings.TrimSpace(string(body)), CSRF: r.Header.Get("X-CSRF-Token"), header: r.Header})
	answer, ok := s.answers[op.ID]
	if !ok {
		s.t.Errorf("the page calls %s, which the test does not expect", op.ID)
	}
	if f, ok := answer.(func(*http.Request) any); ok {
		answer = f(r)
	}
	for name, values := range s.headers {
		w.Header()[name] = values
	}
	if raw, ok := answer.(http.HandlerFunc); ok {
		raw(w, r)
		return
	}
	status := http.StatusOK
	if refusal, ok := answer.(dash.Refusal); ok {
		status, answer = refusal.RefusalStatus(), refusal.Coded()
	}
	if answer == nil {
		w.WriteHeader(http.StatusNoContent)
		return
	}
	b, err := json.Marshal(answer)
	if err != nil {
		s.t.Fatal(err)
	}
	valid(s.t, reflect.TypeOf(answer).Name(), b)
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(b)
}

// schemas compiles each schema of the contract once.
var schemas = struct {
	sync.Mutex
	compiler *jsonschema.Compiler
}{}

// valid holds a scripted answer against the contract: pages must not be tried on what no server says.
func valid(t *testing.T, name string, body []byte) {
	t.Helper()
	schemas.Lock()
	defer schemas.Unlock()
	if schemas.compiler == nil {
		doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(dash.Document))
		if err != nil {
			t.Fatal(err)
		}
		schemas.compiler = jsonschema.NewCompiler()
		schemas.compiler.AssertFormat()
		if err := schemas.compiler.AddResource("mem:///openapi.json", doc); err != nil {
			t.Fatal(err)
		}
	}
	schema, err := schemas.compiler.Compile("mem:///openapi.json#/components/schemas/" + name)
	if err != nil {
		t.Fatal(err)
	}
	v, err := jsonschema.UnmarshalJSON(bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	if err := schema.Validate(v); err != nil {
		t.Errorf("the script answers what the contract does not allow: %v", err)
	}
}

// ops are the operations that pages asked for, in order.
func (s *script) ops() (ops []string) {
	for _, c := range s.calls {
		ops = append(ops, c.Op)
	}
	return ops
}

// last is the last call of an operation.
func (s *script) last(op string) call {
	for i := len(s.calls) - 1; i >= 0; i-- {
		if s.calls[i].Op == op {
			return s.calls[i]
		}
	}
	s.t.Fatalf("no call of %s among %v", op, s.ops())
	return call{}
}

func pagesOf(t *testing.T, api http.Handler) http.Handler {
	t.Helper()
	h, err := web.New(api, web.Options{PublicURL: "https://dash.example.com", Command: []string{"platform-mcp"}, Now: func() time.Time { return now }})
	if err != nil {
		t.Fatal(err)
	}
	return h
}

// shown is an answer of the pages.
type shown struct {
	*httptest.ResponseRecorder
	doc *htmlcheck.Node
}

// text is what the page's main part says.
func (s shown) text() string { return s.doc.Tags("main")[0].Text() }

func get(t *testing.T, api http.Handler, path string) shown {
	t.Helper()
	return send(t, api, httptest.NewRequest("GET", path, nil))
}

func post(t *testing.T, api http.Handler, path string, form url.Values) shown {
	t.Helper()
	r := httptest.NewRequest("POST", path, strings.NewReader(form.Encode()))
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	return send(t, api, r)
}

// send asks the pages, and holds every page that comes back against the rules for pages.
func send(t *testing.T, api http.Handler, r *http.Request) shown {
	t.Helper()
	w := httptest.NewRecorder()
	pagesOf(t, api).ServeHTTP(w, r)
	s := shown{ResponseRecorder: w}
	if strings.HasPrefix(w.Header().Get("Content-Type"), "text/html") {
		for _, problem := range htmlcheck.Problems(w.Body.String()) {
			t.Errorf("%s %s: %s", r.Method, r.URL.Path, problem)
		}
		var err error
		if s.doc, err = htmlcheck.Parse(w.Body.String()); err != nil {
			t.Fatal(err)
		}
	}
	return s
}

// shownDoc reads a page, or a part of one.
func shownDoc(t *testing.T, html string) *htmlcheck.Node {
	t.Helper()
	doc, err := htmlcheck.Parse(html)
	if err != nil {
		t.Fatal(err)
	}
	return doc
}

func isRegion(n *htmlcheck.Node) bool { _, ok := n.Attr["data-region"]; return ok }
