// SPDX-License-Identifier: Apache-2.0

package client_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/fiftyarms/platform/internal/platform/client"
)

// TestElsewhere: a request for another address is not sent, with or without a key.
func TestElsewhere(t *testing.T) {
	other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("called") }))
	t.Cleanup(other.Close)
	c := clientOf(t, other.URL+"/prefix", client.Limits{})
	for _, address := range []string{
		"http://other.example/prefix/api/x", other.URL + "/api/x", other.URL + "/prefixed/api/x", other.URL + "/prefix",
		strings.Replace(other.URL, "http:", "https:", 1) + "/prefix/api/x", strings.Replace(other.URL, "//", "//user@", 1) + "/prefix/api/x",
	} {
		req, err := http.NewRequest("GET", address, nil)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := c.Do(t.Context(), client.Call{Request: req, Key: aKey()}); err == nil || !strings.Contains(err.Error(), "not sent") {
			t.Errorf("%s: %v", address, err)
		}
	}
}

// TestRedirect: the key follows no redirect, wherever it leads.
func TestRedirect(t *testing.T) {
	var mu sync.Mutex
	var seen []string
	other := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		seen = append(seen, r.Method+" "+r.URL.Path+" "+r.Header.Get("Authorization"))
	}))
	t.Cleanup(other.Close)
	for _, status := range []int{301, 302, 303, 307, 308, 300, 304} {
		for to, shown := range map[string]string{
			other.URL + "/api/x?secret=1": other.URL, "/elsewhere": "http://127.0.0.1:", "http://[bad": "nowhere", "": "nowhere",
		} {
			c := dashboardOf(t, func(w http.ResponseWriter, r *http.Request) {
				if r.URL.Path == "/elsewhere" {
					t.Error("followed")
				}
				w.Header().Set("Location", to)
				w.WriteHeader(status)
			}, client.Limits{})
			failure := mustFail(t, c)
			if failure.Status != status || !strings.Contains(failure.Reason, shown) || strings.Contains(failure.Reason, "secret") {
				t.Errorf("%d to %q: %v", status, to, failure)
			}
		}
	}
	if len(seen) > 0 {
		t.Errorf("the other host was called: %q", seen)
	}
}
