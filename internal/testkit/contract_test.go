// SPDX-License-Identifier: Apache-2.0

package testkit_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/fiftyarms/platform/gen/dash"
	"github.com/fiftyarms/platform/internal/testkit"
)

// failures takes what would fail a test.
type failures struct {
	testing.TB
	said []string
}

func (f *failures) Errorf(format string, args ...any) {
	f.said = append(f.said, fmt.Sprintf(format, args...))
}

// example is the first that the contract gives of a schema, so that these tests do not list its members. Each change is
// a member and its value in JSON, "" to take it out.
func example(t *testing.T, schema string, changes ...[2]string) string {
	t.Helper()
	var doc struct {
		Components struct {
			Schemas map[string]struct{ Examples []json.RawMessage }
		}
	}
	if err := json.Unmarshal(dash.Document, &doc); err != nil {
		t.Fatal(err)
	}
	examples := doc.Components.Schemas[schema].Examples
	if len(examples) == 0 {
		t.Fatalf("the contract gives no example of %s", schema)
	}
	members := map[string]json.RawMessage{}
	if err := json.Unmarshal(examples[0], &members); err != nil {
		t.Fatal(err)
	}
	for _, c := range changes {
		delete(members, c[0])
		if c[1] != "" {
			members[c[0]] = json.RawMessage(c[1])
		}
	}
	body, err := json.Marshal(members)
	if err != nil {
		t.Fatal(err)
	}
	return string(body)
}

// The checker fails a test that makes the server say what the contract does not know. Each case is a handler that lies.
func TestContractCatches(t *testing.T) {
	me, revoked := example(t, "Me"), example(t, "KeyRevokedRefusal")
	tests := []struct {
		name, method, path, request string
		status                      int
		body                        string
		want                        string // in what fails; "" for nothing
	}{
		{"as it should be", "GET", "/api/auth/me", "", 200, me, ""},
		{"a refusal as it should be", "GET", "/api/auth/me", "", 401, revoked, ""},
		{"a page, which is none of its business", "GET", "/signin", "", 418, "<html>", ""},
		{"an unknown route, refused", "GET", "/api/x", "", 404, `{"error":"not_found","message":"m"}`, ""},
		{"a refused request may be anything", "POST", "/api/auth/login", `{"x":1}`, 400, example(t, "InvalidRequestRefusal"), ""},
		{"an undeclared status", "GET", "/api/auth/me", "", 403, `{"error":"forbidden","message":"m"}`, "getMe answered 403"},
		{"another undeclared status", "GET", "/api/auth/me", "", 202, me, "getMe answered 202"},
		{"a missing key", "GET", "/api/auth/me", "", 200, example(t, "Me", [2]string{"kind", ""}), "getMe answered 200"},
		{"an unknown key", "GET", "/api/auth/me", "", 200, example(t, "Me", [2]string{"x", "1"}), "getMe answered 200"},
		{"another type", "GET", "/api/auth/me", "", 200, example(t, "Me", [2]string{"person", "1"}), "getMe answered 200"},
		{"a refusal of another operation", "GET", "/api/auth/me", "", 401, `{"error":"wrong_credentials","message":"m"}`, "getMe answered 401"},
		{"a time that is none", "GET", "/api/auth/me", "", 401, example(t, "KeyRevokedRefusal", [2]string{"revoked_at", `"yesterday"`}), "getMe answered 401"},
		{"no JSON", "GET", "/api/auth/me", "", 200, `<html>`, "getMe answered 200"},
		{"nothing at all", "GET", "/api/auth/me", "", 200, ``, "getMe answered 200"},
		{"a body where there is none", "DELETE", "/api/plan-sessions", "", 204, `{}`, "leaveSession answered 204"},
		{"a route without contract", "GET", "/api/x", "", 200, `{}`, "no such route"},
		{"a served request outside the contract", "POST", "/api/auth/login", `{"x":1}`, 200, me, "logIn was served a request"},
		{"a served parameter outside the contract", "GET", "/api/keys?limit=1000", "", 200, example(t, "KeyPage"), "listKeys was served a request"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			said := &failures{TB: t}
			lies := testkit.NewContract(said).Check(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if n, err := r.Body.Read(make([]byte, 1000)); n != len(tt.request) && err != nil {
					t.Errorf("the handler read %d bytes, %v", n, err)
				}
				w.Header().Set("Content-Type", "application/json")
				w.Header().Set("X-Request-Id", "1")
				w.Header().Set("X-Mcp-Min-Version", "1")
				w.WriteHeader(tt.status)
				fmt.Fprint(w, tt.body)
			}))
			r := httptest.NewRequest(tt.method, tt.path, strings.NewReader(tt.request))
			r.Header.Set("Content-Type", "application/json")
			w := httptest.NewRecorder()
			lies.ServeHTTP(w, r)
			if w.Code != tt.status || w.Body.String() != tt.body {
				t.Errorf("passed on %d %s", w.Code, w.Body)
			}
			all := strings.Join(said.said, "\n")
			if (all != "") != (tt.want != "") || !strings.Contains(all, tt.want) {
				t.Errorf("said %q, want %q", all, tt.want)
			}
		})
	}
}

func TestContractWantsItsHeaders(t *testing.T) {
	said := &failures{TB: t}
	health := example(t, "Health")
	bare := testkit.NewContract(said).Check(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprint(w, health)
	}))
	bare.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest("GET", "/healthz", nil))
	if len(said.said) != 2 {
		t.Errorf("said %q", said.said)
	}
}

// Of files and streams the checker looks at what comes before their bytes, and keeps none of them.
func TestContractOfFilesAndStreams(t *testing.T) {
	const file, stream, board = "application/octet-stream", "text/event-stream", "/api/issues/SHOP-1/attachments"
	for _, tt := range []struct {
		name, method, path, sends, answers string
		status                             int
		body                               string
		leaves                             bool // whoever reads it, before it ends
		want                               string
	}{
		{name: "a stream", method: "GET", path: "/api/stream?topics=team", answers: stream, status: 200, body: "data: x\n\n"},
		{name: "a stream that nobody reads on", method: "GET", path: "/api/stream?topics=team", answers: stream, status: 200, leaves: true},
		{name: "a stream where none is", method: "GET", path: "/api/auth/me", answers: stream, status: 200, want: "getMe answered 200"},
		{name: "no stream", method: "GET", path: "/api/stream?topics=team", answers: "application/json", status: 200, body: "{}", want: "streamEvents answered 200"},
		{name: "a stream with another status", method: "GET", path: "/api/stream?topics=team", answers: stream, status: 201, want: "streamEvents answered 201"},
		{name: "a refused stream", method: "GET", path: "/api/stream?topics=team", answers: "application/json", status: 429, body: example(t, "TooManyStreamsRefusal")},
		{name: "a stream without topics", method: "GET", path: "/api/stream", answers: stream, status: 200, leaves: true, want: "streamEvents was served a request"},
		{name: "a file comes", method: "POST", path: board + "?board=1&filename=a", sends: file, answers: "application/json", status: 201, body: example(t, "AttachmentKept")},
		{name: "a file comes as something else", method: "POST", path: board + "?board=1&filename=a", sends: "text/html", answers: "application/json", status: 201, body: example(t, "AttachmentKept"), want: "addAttachment was served a request"},
		{name: "a file goes", method: "GET", path: board + "/0123456789abcdef0123456789abcdef?board=1", answers: "image/png", status: 200, body: "\x89PNG"},
		{name: "a file where none is", method: "GET", path: board + "?board=1", answers: file, status: 200, body: "x", want: "listAttachments answered 200"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			said := &failures{TB: t}
			ctx, leave := context.WithCancel(t.Context())
			defer leave()
			lies := testkit.NewContract(said).Check(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				io.Copy(io.Discard, r.Body)
				w.Header().Set("Content-Type", tt.answers)
				w.Header().Set("X-Request-Id", "1")
				w.Header().Set("X-Mcp-Min-Version", "1")
				w.WriteHeader(tt.status)
				fmt.Fprint(w, tt.body)
				if err := http.NewResponseController(w).Flush(); err != nil {
					t.Errorf("flush: %v", err)
				}
				if tt.leaves {
					leave()
				}
			}))
			r := httptest.NewRequestWithContext(ctx, tt.method, tt.path, strings.NewReader("a file"))
			r.Header.Set("Content-Type", tt.sends)
			w := httptest.NewRecorder()
			lies.ServeHTTP(w, r)
			if w.Body.String() != tt.body || !w.Flushed {
				t.Errorf("it passed on %q", w.Body)
			}
			if got := strings.Join(said.said, "\n"); (got == "") != (tt.want == "") || !strings.Contains(got, tt.want) {
				t.Errorf("it says %q, want %q", got, tt.want)
			}
		})
	}
}
