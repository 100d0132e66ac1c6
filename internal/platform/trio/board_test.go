// SPDX-License-Identifier: Apache-2.0

package trio_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestBoard: where a call is about a board, it carries the one that the caller names, else the session's own.
func TestBoard(t *testing.T) {
	const read, create = `"method":"GET","path":"/api/issues/SHOP-1"`, `"method":"POST","path":"/api/issues"`
	for _, tt := range []struct {
		name  string
		own   int64 // 0: none
		args  string
		query string
		body  string
	}{
		{"own", 7, read, "board=7", ""},
		{"argument", 0, read + `,"board":9`, "board=9", ""},
		{"argument before own", 7, read + `,"board":9`, "board=9", ""},
		{"argument as text", 7, read + `,"board":"9007199254740991"`, "board=9007199254740991", ""},
		{"in the query", 7, read + `,"query":{"board":9}`, "board=9", ""},
		{"in the query, as text", 7, read + `,"query":{"board":"9","fields":"{}"}`, "board=9&fields=%7B%7D", ""},
		{"argument and query alike", 7, read + `,"query":{"board":"9"},"board":9`, "board=9", ""},
		{"null in the query is none", 7, read + `,"query":{"board":null}`, "board=7", ""},
		{"create", 7, create + `,"body":{"title":"x","n":9007199254740993}`, "board=7", `{"board":7,"title":"x","n":9007199254740993}`},
		{"create, argument", 7, create + `,"body":{"title":"x"},"board":"9"`, "board=9", `{"board":9,"title":"x"}`},
		{"create, in the body", 7, create + `,"body":{"title":"x","board":9}`, "", `{"title":"x","board":9}`},
		{"create, in the query", 7, create + `,"body":{"title":"x"},"query":{"board":9}`, "board=9", `{"title":"x"}`},
		{"create, in the body and as argument", 7, create + `,"body":{"board": 9 ,"title":"x"},"board":9`, "board=9", `{"board": 9 ,"title":"x"}`},
		{"create, body as a string", 7, create + `,"body":" {\"title\":\"x\"}"`, "board=7", `{"board":7,"title":"x"}`},
		{"a body that takes no board", 7, `"method":"POST","path":"/api/issues/SHOP-1/comments","body":{"body":"x"}`, "board=7", `{"body":"x"}`},
		{"a list is of all boards", 7, `"method":"GET","path":"/api/issues"`, "", ""},
		{"a list, argument", 7, `"method":"GET","path":"/api/issues","board":9`, "board=9", ""},
		{"a list, in the query", 7, `"method":"GET","path":"/api/issues","query":{"board":9}`, "board=9", ""},
		{"about no board", 7, `"method":"GET","path":"/api/boards/9"`, "", ""},
		{"only the dashboard knows it", 7, `"method":"POST","path":"/api/widgets/7/spin","body":{"a":1}`, "", `{"a":1}`},
		{"only the dashboard knows it, argument", 7, `"method":"POST","path":"/api/widgets/7/spin","body":{"a":1},"board":9`, "board=9", `{"a":1}`},
		{"the dashboard's own meaning of a path", 7, `"method":"GET","path":"/api/issues/all","board":9`, "board=9", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			d := onBoard(t, tt.own, says(200, "application/json", "{}"))
			d.routes = append(d.routes, "POST /api/widgets/{id}/spin", "GET /api/issues/all")
			d.mustCall("{" + tt.args + "}")
			if len(d.calls) != 1 {
				t.Fatal(d.calls)
			}
			if diff := cmp.Diff([]string{tt.query, tt.body}, []string{d.calls[0].Query, d.calls[0].Body}); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestBoardRefused: what names no board, or two, or one where none belongs, is not sent.
func TestBoardRefused(t *testing.T) {
	for _, tt := range []struct {
		name string
		own  int64
		args string
		says []string
	}{
		{"none", 0, `"method":"GET","path":"/api/issues/SHOP-1"`, []string{`"path":"board"`, "is required", "board argument", "DANXBOT_BOARD_ID"}},
		{"none, in a create", 0, `"method":"POST","path":"/api/issues","body":{"title":"x"}`, []string{"is required", "board argument"}},
		{"two", 0, `"method":"GET","path":"/api/issues/SHOP-1","query":{"board":1},"board":2`, []string{"the board argument names 2", `\"1\"`}},
		{"two in a list", 0, `"method":"GET","path":"/api/issues","query":{"board":1},"board":2`, []string{"names 2", `\"1\"`}},
		{"two in the query", 0, `"method":"GET","path":"/api/issues","query":{"board":[2,1]},"board":2`, []string{"names 2", `\"1\"`}},
		{"another in the body", 0, `"method":"POST","path":"/api/issues","body":{"title":"x","board":1},"board":2`, []string{"names 2", `\"1\"`}},
		{"null in the body", 0, `"method":"POST","path":"/api/issues","body":{"title":"x","board":null},"board":2`, []string{"names 2", `\"null\"`}},
		{"about no board", 7, `"method":"GET","path":"/api/boards","board":2`, []string{"is not taken by this route"}},
		{"another for what only the dashboard knows", 0, `"method":"GET","path":"/api/newer","query":{"board":1},"board":2`, []string{"names 2", `\"1\"`}},
		{"and all else that is wrong", 0, `"method":"POST","path":"/api/issues","body":{}`, []string{"is required: give it", `"path":"/title"`}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			d := onBoard(t, tt.own, says(200, "application/json", "{}"))
			d.routes = append(d.routes, "GET /api/newer")
			got := d.mustCall("{" + tt.args + "}")
			for _, part := range append(tt.says, `"status":400`, `"checked":"client"`) {
				if !strings.Contains(got, part) {
					t.Errorf("%s lacks %q", got, part)
				}
			}
			if len(d.calls) != 0 || strings.Count(got, `"path":"board"`) > 1 {
				t.Error(got, d.calls)
			}
		})
	}
	for _, board := range []string{"0", "-1", "1.5", "1e3", "1.0", "9007199254740992", `"9007199254740992"`, `"007"`, `" 7"`, `"7 "`, `"+7"`, `""`, `"x"`, "true", "null", "[1]", "{}"} {
		d := onBoard(t, 7, says(200, "application/json", "{}"))
		if got, err := d.call(`{"method":"GET","path":"/api/issues","board":` + board + `}`); err == nil || !strings.Contains(err.Error(), "board holds "+board) || len(d.calls) != 0 {
			t.Errorf("%s: %s, %v", board, got, err)
		}
	}
}
