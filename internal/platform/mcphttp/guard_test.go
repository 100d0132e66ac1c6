// SPDX-License-Identifier: Apache-2.0

package mcphttp_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/fiftyarms/platform/internal/platform/mcphttp"
)

// TestGuard: who may call, and the order in which it is looked at: each case has faults of the later kinds, too.
func TestGuard(t *testing.T) {
	leaks(t)
	r := serve(t, func(o *mcphttp.Options) {
		o.MaxBody, o.Names, o.Origins = 1000, []string{"Mcp.example"}, []string{"https://app.example:443/"}
	})
	own := strings.TrimSuffix(r.url, mcphttp.Path)
	port := own[strings.LastIndex(own, ":"):]
	long := strings.Repeat(" ", 1001)
	for _, tt := range []struct {
		name, host, origin, bearer, body string
		status                           int
	}{
		{name: "rebound", host: "evil.example" + port, origin: "null", body: long, status: 403},
		{name: "rebound, with the token", host: "evil.example" + port, bearer: "Bearer " + token, status: 403},
		{name: "another address", host: "192.0.2.1" + port, bearer: "Bearer " + token, status: 403},
		{name: "no port", host: "127.0.0.1", bearer: "Bearer " + token, status: 200},
		{name: "forwarded", host: "localhost:9", bearer: "Bearer " + token, status: 200},
		{name: "IPv6", host: "[::1]" + port, bearer: "Bearer " + token, status: 200},
		{name: "mapped", host: "[::ffff:127.0.0.1]" + port, bearer: "Bearer " + token, status: 200},
		{name: "named", host: "MCP.example", bearer: "Bearer " + token, status: 200},
		{name: "another page", origin: "http://localhost:3000", body: long, status: 403},
		{name: "another page, with the token", origin: "https://evil.example", bearer: "Bearer " + token, status: 403},
		{name: "a page of no origin", origin: "null", bearer: "Bearer " + token, status: 403},
		{name: "a page of ours", origin: own, bearer: "Bearer " + token, status: 200},
		{name: "an allowed page", origin: "https://app.example", bearer: "Bearer " + token, status: 200},
		{name: "an allowed page without TLS", origin: "http://app.example", bearer: "Bearer " + token, status: 403},
		{name: "no token", body: long, status: 401},
		{name: "a wrong token", bearer: "Bearer " + token + "t", body: long, status: 401},
		{name: "a short token", bearer: "Bearer t", status: 401},
		{name: "another scheme", bearer: "Basic " + token, status: 401},
		{name: "the scheme in capitals", bearer: "BEARER " + token, status: 200},
		{name: "too long", bearer: "Bearer " + token, body: long, status: 413},
	} {
		body := tt.body
		if body == "" {
			body = initialize
		}
		req := r.request(t.Context(), "POST", "", body)
		if tt.status != 200 {
			req.URL.Path = "/elsewhere" // 404, if nothing else were wrong
		}
		req.Header.Del("Authorization")
		for name, value := range map[string]string{"Origin": tt.origin, "Authorization": tt.bearer} {
			if value != "" {
				req.Header.Set(name, value)
			}
		}
		if tt.host != "" {
			req.Host = tt.host
		}
		resp := r.do(req)
		said := r.said(resp, tt.status)
		if challenge := resp.Header.Get("WWW-Authenticate"); (challenge != "") != (tt.status == 401) {
			t.Errorf("%s: WWW-Authenticate %q", tt.name, challenge)
		}
		if strings.Contains(said, token) {
			t.Errorf("%s: the token is told: %s", tt.name, said)
		}
		if id := resp.Header.Get("Mcp-Session-Id"); id != "" {
			r.said(r.do(r.request(t.Context(), "DELETE", id, "")), 204)
		}
	}
}

// TestPages: a page of an allowed origin can ask what it may send, without the token, and read what comes; others cannot.
func TestPages(t *testing.T) {
	leaks(t)
	r := serve(t, func(o *mcphttp.Options) { o.Origins = []string{"https://app.example"} })
	for origin, status := range map[string]int{"https://app.example": 204, "https://evil.example": 403} {
		req := r.request(t.Context(), "OPTIONS", "", "")
		req.Header.Del("Authorization")
		req.Header.Set("Origin", origin)
		req.Header.Set("Access-Control-Request-Method", "POST")
		resp := r.do(req)
		r.said(resp, status)
		h := resp.Header
		if shared := h.Get("Access-Control-Allow-Origin") == origin && strings.Contains(h.Get("Access-Control-Allow-Headers"), "Authorization"); shared != (status == 204) {
			t.Errorf("%s: %v", origin, h)
		}
	}
	req := r.request(t.Context(), http.MethodPost, "", initialize)
	req.Header.Set("Origin", "https://app.example")
	if h := r.do(req).Header; h.Get("Access-Control-Allow-Origin") != "https://app.example" || h.Get("Access-Control-Expose-Headers") == "" {
		t.Errorf("%v", h)
	}
}

func TestParseOrigin(t *testing.T) {
	for text, want := range map[string]string{
		"https://App.example": "https://app.example", "http://localhost:6274": "http://localhost:6274", "http://a:80/": "http://a", "https://a:80": "https://a:80",
		"": "", "*": "", "null": "", "app.example": "", "https://": "", "ftp://a": "", "https://a/b": "", "https://a?b": "", "https://u@a": "",
	} {
		if got, err := mcphttp.ParseOrigin(text); got != want || (err != nil) != (want == "") {
			t.Errorf("%q: %q, %v", text, got, err)
		}
	}
}
