// SPDX-License-Identifier: Apache-2.0

package handler_test

import (
	"strings"
	"testing"

	"github.com/fiftyarms/platform/gen/dash"
	"github.com/fiftyarms/platform/internal/testkit"
)

// faultOf is where a refused call says that it is wrong, and why.
func faultOf(k *desk, a testkit.Answer) (at, why string) {
	k.Helper()
	faults := refused[dash.InvalidRequestRefusal](k, a).Issues
	if len(faults) != 1 {
		k.Errorf("answered %s", a.Body)
	}
	return strings.TrimSpace(string(faults[0].In) + " " + faults[0].Path), faults[0].Message
}

// What is a whole number to a schema, and none to a program, is refused where it stands.
func TestWholeNumbers(t *testing.T) {
	k := newDesk(t)
	k.board("SHOP")
	k.card("Card", "")
	for _, tt := range []struct{ method, path, body, at string }{
		{"PATCH", "/api/issues/SHOP-1/edit?board=1", `{"version":1.0,"title":"x"}`, "body /version"},
		{"PATCH", "/api/issues/SHOP-1/edit?board=1", `{"version":1,"assigned_agent":1.0}`, "body /assigned_agent"},
		{"POST", "/api/issues", `{"board":1.0,"title":"x"}`, "body /board"},
		{"GET", "/api/issues?board=1.0", "", "query board"},
		{"GET", "/api/issues?limit=1e2", "", "query limit"},
		{"GET", "/api/boards/1.0", "", "path ref"},
		{"PATCH", "/api/issues/SHOP-1/acceptance/1e0?board=1", `{"version":1,"checked":true}`, "path item"},
	} {
		var body any
		if tt.body != "" {
			body = tt.body
		}
		at, why := faultOf(k, k.agent.Call(tt.method, tt.path, body))
		if at != tt.at || why != "must be a whole number, written without a point or exponent" {
			t.Errorf("%s %s: %s %s", tt.path, tt.body, at, why)
		}
	}
}

func TestRoundedPriority(t *testing.T) {
	eachDesk(t, func(k *desk) {
		i := k.card("Card", "")
		for _, priority := range []string{"5.9999999999999999999999", "1e-400"} {
			for _, a := range []testkit.Answer{k.create("x", `"priority":`+priority), k.edit(i, `"priority":`+priority)} {
				if at, why := faultOf(k, a); at != "body /priority" || !strings.HasPrefix(why, "must be above 0 and below 6") {
					k.Errorf("%s: %s %s", priority, at, why)
				}
			}
		}
	})
}

// Text that cannot be kept is named where it stands.
func TestPlaceOfBadText(t *testing.T) {
	eachDesk(t, func(k *desk) {
		k.card("Card", "")
		const nul, bytes = "holds a NUL character, which cannot be kept", "holds bytes that are not UTF-8, which cannot be kept"
		for _, tt := range []struct{ method, path, body, at, why string }{
			{"GET", "/api/issues?q=a%00b", "", "query q", nul},
			{"GET", "/api/issues?board=1&q=a%ff", "", "query q", bytes},
			{"POST", "/api/issues?board=1", `{"title":"a\u0000"}`, "body /title", nul},
			{"POST", "/api/issues?board=1", `{"title":"a","acceptance":["b","c\u0000"]}`, "body /acceptance/1", nul},
			{"PATCH", "/api/issues/SHOP-1/edit?board=1", `{"version":1,"blocked":{"reason":"a\u0000"}}`, "body /blocked/reason", nul},
		} {
			var body any
			if tt.body != "" {
				body = tt.body
			}
			if at, why := faultOf(k, k.agent.Call(tt.method, tt.path, body)); at != tt.at || why != tt.why {
				k.Errorf("%s %s: %s %s", tt.path, tt.body, at, why)
			}
		}
	})
}
