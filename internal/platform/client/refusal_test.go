// SPDX-License-Identifier: Apache-2.0

package client_test

import (
	"io"
	"net/http"
	"testing"

	"github.com/fiftyarms/platform/internal/platform/client"
)

func TestRefusal(t *testing.T) {
	for name, tt := range map[string]struct{ body, want string }{
		"nearest": {`{"error":"not_found","message":"there is no such route","nearest":["GET /api/keys","GET /api/me"]}`, "GET /api/x: answered 404 not_found: there is no such route; nearest: GET /api/keys, GET /api/me"},
		"issues":  {`{"error":"invalid_request","message":"mend it","issues":[{"in":"query","path":"tag","message":"must not be empty"},{"in":"body","path":"","message":"is missing"}]}`, "GET /api/x: answered 404 invalid_request: mend it; query tag: must not be empty; body: is missing"},
		"text":    {"no\nsuch page", `GET /api/x: answered 404: no\nsuch page`},
		"drift":   {`{"error":7}`, `GET /api/x: answered 404: {"error":7}`},
	} {
		c := dashboardOf(t, func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(http.StatusNotFound)
			_, _ = io.WriteString(w, tt.body)
		}, client.Limits{})
		resp, err := do(t, c, "GET", "/api/x", nil)
		if err != nil {
			t.Fatal(err)
		}
		if got := resp.Refusal().Error(); got != tt.want {
			t.Errorf("%s:\ngot  %s\nwant %s", name, got, tt.want)
		}
	}
}
