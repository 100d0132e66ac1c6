// SPDX-License-Identifier: Apache-2.0

package testkit_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

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

// The checker fails a test that makes the server say what the contract does not know. Each case is a handler that lies.
func TestContractCatches(t *testing.T) {
	const me = `{"kind":"person","team":{"slug":"acme","name":"Acme"},"person":{"id":"1","name":"Ada"}}`
	const revoked = `{"error":"key_revoked","message":"m","revoked_by":"Ada","revoked_at":"2026-01-02T03:04:05.000Z"}`
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
		{"a refused request may be anything", "POST", "/api/auth/login", `{"x":1}`, 400, `{"error":"invalid_request","message":"m","issues":[]}`, ""},
		{"an undeclared status", "GET", "/api/auth/me", "", 403, `{"error":"forbidden","message":"m"}`, "getMe answered 403"},
		{"another undeclared status", "GET", "/api/auth/me", "", 202, me, "getMe answered 202"},
		{"a missing key", "GET", "/api/auth/me", "", 200, `{"kind":"person"}`, "getMe answered 200"},
		{"an unknown key", "GET", "/api/auth/me", "", 200, me[:len(me)-1] + `,"x":1}`, "getMe answered 200"},
		{"another type", "GET", "/api/auth/me", "", 200, strings.Replace(me, `"1"`, `1`, 1), "getMe answered 200"},
		{"a refusal of another operation", "GET", "/api/auth/me", "", 401, `{"error":"wrong_credentials","message":"m"}`, "getMe answered 401"},
		{"a time that is none", "GET", "/api/auth/me", "", 401, strings.Replace(revoked, "2026-01-02T", "yesterday ", 1), "getMe answered 401"},
		{"no JSON", "GET", "/api/auth/me", "", 200, `<html>`, "getMe answered 200"},
		{"nothing at all", "GET", "/api/auth/me", "", 200, ``, "getMe answered 200"},
		{"a body where there is none", "DELETE", "/api/plan-sessions", "", 204, `{}`, "leaveSession answered 204"},
		{"a route without contract", "GET", "/api/x", "", 200, `{}`, "no such route"},
		{"a served request outside the contract", "POST", "/api/auth/login", `{"x":1}`, 200, me, "logIn was served a request"},
		{"a served parameter outside the contract", "GET", "/api/keys?limit=1000", "", 200, `{"keys":[],"next_cursor":null}`, "listKeys was served a request"},
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
	bare := testkit.NewContract(said).Check(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprint(w, `{"status":"ok","version":"0.1.0"}`)
	}))
	bare.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest("GET", "/healthz", nil))
	if len(said.said) != 2 {
		t.Errorf("said %q", said.said)
	}
}
