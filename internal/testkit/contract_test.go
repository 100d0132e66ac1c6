// SPDX-License-Identifier: Apache-2.0

package testkit_test

import (
	"encoding/json"
	"fmt"
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
