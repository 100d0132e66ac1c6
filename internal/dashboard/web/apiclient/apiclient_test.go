// SPDX-License-Identifier: Apache-2.0

package apiclient

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fiftyarms/platform/gen/dash"
)

// browser is a page request as a browser sends it.
func browser() *http.Request {
	r := httptest.NewRequest("POST", "http://dash.example:5555/approvals", nil)
	r.RemoteAddr = "192.0.2.7:1234"
	r.Header.Set("Cookie", "session=abc")
	r.Header.Set("User-Agent", "Browser/1")
	r.Header.Set("Origin", "http://elsewhere.example")
	r.Header.Set("Sec-Fetch-Site", "cross-site")
	r.Header.Set("X-Forwarded-For", "198.51.100.9")
	r.Header.Set("Authorization", "Bearer not-for-pages")
	r.Header.Set("X-CSRF-Token", "set-by-a-script")
	return r
}

func TestTheAPISeesTheBrowser(t *testing.T) {
	var got *http.Request
	var body string
	api := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		got = r
		b, _ := io.ReadAll(r.Body)
		body = string(b)
		w.WriteHeader(http.StatusNoContent)
	})
	client, err := New(api, httptest.NewRecorder(), browser(), "from-the-form")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Check(client.DenyAccessRequestWithResponse(t.Context(), "abc", dash.RequestDenial{Digest: "d"})); err != nil {
		t.Fatal(err)
	}
	h := got.Header
	seen := map[string]string{
		"host": got.Host, "remote": got.RemoteAddr, "uri": got.RequestURI, "url": got.URL.String(),
		"cookie": h.Get("Cookie"), "agent": h.Get("User-Agent"), "origin": h.Get("Origin"), "site": h.Get("Sec-Fetch-Site"),
		"for": h.Get("X-Forwarded-For"), "authorization": h.Get("Authorization"), "csrf": h.Get("X-CSRF-Token"),
		"type": h.Get("Content-Type"), "body": strings.TrimSpace(body),
	}
	want := map[string]string{
		"host": "dash.example:5555", "remote": "192.0.2.7:1234", "uri": "/api/access-requests/abc/deny", "url": "/api/access-requests/abc/deny",
		"cookie": "session=abc", "agent": "Browser/1", "origin": "http://elsewhere.example", "site": "cross-site",
		"for": "198.51.100.9", "authorization": "", "csrf": "from-the-form",
		"type": "application/json", "body": `{"digest":"d"}`,
	}
	if diff := cmp.Diff(want, seen); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func TestReadsCarryNoToken(t *testing.T) {
	api := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if v := r.Header.Get("X-CSRF-Token"); v != "" {
			t.Errorf("a read carries the token %q", v)
		}
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, `{}`)
	})
	client, err := New(api, httptest.NewRecorder(), browser(), "from-the-form")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Check(client.GetMeWithResponse(t.Context())); err != nil {
		t.Fatal(err)
	}
}

func TestCookiesAndRequestIDReachTheBrowser(t *testing.T) {
	calls := 0
	api := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		calls++
		w.Header().Set("X-Request-Id", "call-"+string(rune('0'+calls)))
		w.Header().Add("Set-Cookie", "session=new; HttpOnly")
		w.Header().Add("Set-Cookie", "other=1")
		w.WriteHeader(http.StatusNoContent)
		w.Header().Set("Set-Cookie", "late=1") // after the status: never sent
	})
	w := httptest.NewRecorder()
	client, err := New(api, w, browser(), "")
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if _, err := Check(client.LogOutWithResponse(t.Context())); err != nil {
			t.Fatal(err)
		}
	}
	want := []string{"session=new; HttpOnly", "other=1", "session=new; HttpOnly", "other=1"}
	if diff := cmp.Diff(want, w.Header().Values("Set-Cookie")); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if got := w.Header().Get("X-Request-Id"); got != "call-1" {
		t.Errorf("request id %q, want that of the first call", got)
	}
}

func TestAnswersAreBounded(t *testing.T) {
	var writeErr error
	api := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		chunk := bytes.Repeat([]byte("x"), 1<<20)
		for range 100 {
			if _, writeErr = w.Write(chunk); writeErr != nil {
				return
			}
		}
	})
	client, err := New(api, httptest.NewRecorder(), browser(), "")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Check(client.GetMeWithResponse(t.Context())); err == nil || !strings.Contains(err.Error(), "over 16777216 bytes") {
		t.Errorf("error %v", err)
	}
	if writeErr == nil {
		t.Error("the handler was not told to stop")
	}
}

func TestRefusals(t *testing.T) {
	tests := []struct {
		name   string
		status int
		body   string
		want   error
	}{
		{"of the contract", 409, `{"error":"not_pending","message":"already denied","status":"denied","next":"ask again"}`,
			dash.NotPendingRefusal{Code: "not_pending", Message: "already denied", Status: "denied", Next: "ask again"}},
		{"unknown code", 418, `{"error":"teapot","message":"no"}`, &Unexpected{Status: 418, Code: "teapot"}},
		{"no JSON", 502, `<html>`, &Unexpected{Status: 502}},
		{"a known code with a broken body", 429, `{"error":"rate_limited","retry_after":"soon"}`, &Unexpected{Status: 429, Code: "rate_limited"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, refused(tt.status, []byte(tt.body))); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

func TestAnUndecodableAnswerIsAnError(t *testing.T) {
	api := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, `{"kind":`)
	})
	client, err := New(api, httptest.NewRecorder(), browser(), "")
	if err != nil {
		t.Fatal(err)
	}
	_, err = Check(client.GetMeWithResponse(t.Context()))
	var syntax *json.SyntaxError
	if !errors.As(err, &syntax) {
		t.Errorf("error %v", err)
	}
}
