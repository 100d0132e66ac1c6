// SPDX-License-Identifier: Apache-2.0

package client_test

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/fiftyarms/platform/internal/platform/client"
)

// TestFloor: whatever the answer, a newer minimum stops the client for good.
func TestFloor(t *testing.T) {
	for _, status := range []int{200, 302, 404, 500} {
		t.Run(fmt.Sprint(status), func(t *testing.T) {
			calls := 0
			c := dashboardOf(t, func(w http.ResponseWriter, _ *http.Request) {
				calls++
				if calls == 1 {
					w.Header().Set("X-Mcp-Min-Version", "0.2.0")
				}
				w.WriteHeader(status)
			}, client.Limits{})
			if c.Halted() != nil {
				t.Fatal("halted before a call")
			}
			for range 3 {
				_, err := do(t, c, "GET", "/api/x", nil)
				var outdated *client.Outdated
				if !errors.As(err, &outdated) || outdated.Have != "0.1.0" || outdated.Want != "0.2.0" || !errors.Is(c.Halted(), err) {
					t.Errorf("%v", err)
				}
			}
			if calls != 1 {
				t.Errorf("called %d times", calls)
			}
		})
	}
}

// TestFloors: of several headers the highest counts, wherever it stands.
func TestFloors(t *testing.T) {
	for _, floors := range [][]string{{"0.0.1", "9.0.0"}, {"9.0.0", "0.0.1"}, {"latest", "9.0.0", ""}} {
		c := dashboardOf(t, func(w http.ResponseWriter, _ *http.Request) { w.Header()["X-Mcp-Min-Version"] = floors }, client.Limits{})
		_, err := do(t, c, "GET", "/api/x", nil)
		if outdated, ok := errors.AsType[*client.Outdated](err); !ok || outdated.Want != "9.0.0" {
			t.Errorf("%q: %v", floors, err)
		}
	}
}

func TestVersions(t *testing.T) {
	for _, tt := range []struct {
		have, floor string
		halts       bool
	}{
		{"0.1.0", "", false}, {"0.1.0", "0.1.0", false}, {"0.1.0", "0.0.9", false}, {"0.1.0", "0.1.1", true},
		{"0.9.0", "0.10.0", true}, {"0.10.0", "0.9.9", false}, {"1.0.0", "0.99.99", false}, {"0.1.0", "1.0.0", true},
		{"0.1.0-rc.1", "0.1.0", true}, {"0.1.0", "0.1.0-rc.1", false}, {"0.1.0-rc.2", "0.1.0-rc.10", true}, {"0.1.0-rc.1", "0.1.0-rc", false},
		{"0.1.0-1", "0.1.0-a", true}, {"0.1.0+a", "0.1.0+b", false}, {"0.1.0", "18446744073709551616.0.0", true},
		{"0.1.0", "9", true}, {"0.1.0", "v0.2.0", true}, {"0.1.0", "V0.2", true}, {"0.1.0", "2.0", true}, {"0.1.0", `"0.2.0"`, true},
		{"0.1.0", "0.1", false}, {"0.1.0", "0", false}, {"0.1.0", "v0.1.0", false}, {"0.1.0", "0.0.1, 0.2.0, 0.1.0", true}, {"0.1.0", "0.2-rc.1", true},
		{"0.1.0", "9.0.0.0", false}, {"0.1.0", "v", false}, {"0.1.0", "9.", false}, {"0.1.0", "09.0.0", false}, {"0.1.0", "9.0.0-", false},
		{"0.1.0", "9.0.0-a!b", false}, {"0.1.0", "9.0.0+", false}, {"0.1.0", "9.0.0-01", false}, {"0.1.0", "latest", false},
	} {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.Header().Set("X-Mcp-Min-Version", tt.floor) }))
		c, err := client.New(client.Options{Dashboard: server.URL, Version: tt.have})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := do(t, c, "GET", "/", nil); (err != nil) != tt.halts {
			t.Errorf("%s at %s: %v", tt.have, tt.floor, err)
		}
		c.Close()
		server.Close()
	}
	if _, err := client.New(client.Options{Dashboard: "http://h", Version: "dev"}); err == nil {
		t.Error("a build without a version was taken")
	}
}
