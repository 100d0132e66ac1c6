// SPDX-License-Identifier: Apache-2.0

package trio_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/fiftyarms/platform/gen/mcptools"
)

func query(t *testing.T, s sent) url.Values {
	t.Helper()
	q, err := url.ParseQuery(s.Query)
	if err != nil {
		t.Fatal(err)
	}
	return q
}

func TestSpec(t *testing.T) {
	document := `{"openapi":"3.1.0","paths":{"/x":{}},"big":9007199254740993}`
	for in, want := range map[string]string{
		"GET /api/keys":                         "GET /api/keys",
		" get /api/keys , DELETE /api/keys/:id": "GET /api/keys,DELETE /api/keys/{id}",
		"GET /api/keys/:id#Key":                 "GET /api/keys/{id}#Key",
		"GET /api/a,b/{id}":                     "GET /api/a,b/{id}",
	} {
		d := newDashboard(t, says(200, "application/json", document))
		got, err := d.APISpec(t.Context(), mcptools.APISpecArgs{Endpoints: in})
		if err != nil || string(got) != document {
			t.Errorf("%q: %s, %v", in, got, err)
			continue
		}
		if d.calls[0].Path != "/api/openapi" || query(t, d.calls[0]).Get("endpoints") != want {
			t.Errorf("%q asked for %+v", in, d.calls[0])
		}
	}
}

func TestSpecRefused(t *testing.T) {
	for in, want := range map[string]string{
		" ": "blank", "GET /api/keys,": "blank", ",GET /api/keys": "blank", "GET /api/keys,,GET /api/auth/me": "blank", "GET /api/keys, ,GET /x": "blank",
		"/api/keys": "is no route", "GET api/keys": "is no route", "keys": "is no route",
	} {
		d := newDashboard(t, says(200, "application/json", "{}"))
		if got, err := d.APISpec(t.Context(), mcptools.APISpecArgs{Endpoints: in}); err == nil || !strings.Contains(err.Error(), want) || len(d.calls) > 0 {
			t.Errorf("%q: %s, %v, %v", in, got, err, d.calls)
		}
	}
	for _, tt := range []struct {
		name   string
		answer http.HandlerFunc
		want   string
	}{
		{"unknown", says(404, "application/json", `{"error":"not_found","message":"there is no route GET /api/kyes","nearest":["GET /api/keys"]}`), "there is no route GET /api/kyes; nearest: GET /api/keys"},
		{"fails", says(500, "", "oops"), "answered 500: oops"},
		{"page", says(200, "text/html", "<html>"), "HTML"},
		{"text", says(200, "text/plain", "hello"), "not JSON"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			d := newDashboard(t, tt.answer)
			if got, err := d.APISpec(t.Context(), mcptools.APISpecArgs{Endpoints: "GET /api/kyes"}); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("%s, %v", got, err)
			}
		})
	}
}
