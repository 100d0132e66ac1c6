// SPDX-License-Identifier: Apache-2.0

package handler_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/fiftyarms/platform/gen/dash"
	"github.com/fiftyarms/platform/internal/testkit"
)

func TestBoards(t *testing.T) {
	testkit.EachEngine(t, func(t *testing.T, e testkit.Engine) {
		k := newDesk(t, testkit.On(e))
		body := `{"name":"Shop","prefix":"SHOP","description":"What customers see.","repo":"acme/shop"}`
		made := testkit.Decode[dash.Board](t, k.ada.Call("POST", "/api/boards", body), 201)
		want := dash.Board{
			Ref: 1, Name: "Shop", Prefix: "SHOP", Description: new("What customers see."), Repo: new("acme/shop"), Version: 1,
			CreatedAt: dash.At(testkit.Start), UpdatedAt: dash.At(testkit.Start), Counts: counts(nil),
		}
		if diff := cmp.Diff(want, made); diff != "" {
			t.Errorf("created (-want +got): %s", diff)
		}
		if r := refused[dash.PrefixTakenRefusal](k, k.ada.Call("POST", "/api/boards", body)); r.Prefix != "SHOP" {
			t.Errorf("the prefix taken is %q", r.Prefix)
		}
		if a := k.agent.Call("POST", "/api/boards", body); a.Code() != "forbidden" {
			t.Errorf("an agent without boards.edit: %d %s", a.Status, a.Body)
		}
		k.told("board.created v1")

		k.card("One", "")
		k.card("Two", `"status":"ToDo"`)
		k.card("Three", `"status":"ToDo"`)
		k.events()
		read := k.ok(k.agent.Call("GET", "/api/boards/1", nil))
		got := testkit.Decode[dash.Board](t, read, 200)
		want.Counts = counts(map[dash.IssueStatus]int64{"Review": 1, "ToDo": 2})
		if diff := cmp.Diff(want, got); diff != "" || read.Header.Get("ETag") != `"1"` {
			t.Errorf("read, ETag %s (-want +got): %s", read.Header.Get("ETag"), diff)
		}
		if a := k.agent.Call("GET", "/api/boards/2", nil); a.Code() != "not_found" {
			t.Errorf("no board: %d %s", a.Status, a.Body)
		}

		k.Clock.Advance(time.Minute)
		edit := k.ada.Call("PATCH", "/api/boards/1", `{"version":1,"name":"The shop","description":null,"repo":null}`)
		want.Name, want.Description, want.Repo, want.Version, want.UpdatedAt = "The shop", nil, nil, 2, dash.At(k.Clock.Now())
		if diff := cmp.Diff(want, testkit.Decode[dash.Board](t, edit, 200)); diff != "" || edit.Header.Get("ETag") != `"2"` {
			t.Errorf("edited, ETag %s (-want +got): %s", edit.Header.Get("ETag"), diff)
		}
		k.told("board.edited v2 name:Shop>The shop description:What customers see.> repo:acme/shop>")
		stale := refused[dash.VersionConflictRefusal](k, k.ada.Call("PATCH", "/api/boards/1", `{"version":1,"name":"Mine"}`))
		if diff := cmp.Diff(dash.Current{Version: 2, UpdatedAt: &want.UpdatedAt, Board: &want}, stale.Current); diff != "" {
			t.Errorf("current (-want +got): %s", diff)
		}
		byHeader := k.ada.Request("PATCH", "/api/boards/1", `{"name":"Shop again"}`)
		byHeader.Header.Set("If-Match", `"2"`)
		k.ok(k.ada.Do(byHeader))
		k.ok(k.ada.Call("PATCH", "/api/boards/1", `{"version":3,"name":"Shop again"}`)) // nothing new
		k.told("board.edited v3 name:The shop>Shop again")
		if a := k.ada.Call("PATCH", "/api/boards/1", `{"name":"Mine"}`); a.Code() != "invalid_request" {
			t.Errorf("without a version: %d %s", a.Status, a.Body)
		}
		if a := k.ada.Call("PATCH", "/api/boards/9", `{"version":1,"name":"Mine"}`); a.Code() != "not_found" {
			t.Errorf("no board: %d %s", a.Status, a.Body)
		}
	})
}

func counts(of map[dash.IssueStatus]int64) []dash.StatusCount {
	var out []dash.StatusCount
	for _, s := range dash.AllIssueStatuses {
		out = append(out, dash.StatusCount{Status: s, Cards: of[s]})
	}
	return out
}

func TestBoardPages(t *testing.T) {
	testkit.EachEngine(t, func(t *testing.T, e testkit.Engine) {
		k := newDesk(t, testkit.On(e))
		list := func(query string) dash.BoardPage {
			return testkit.Decode[dash.BoardPage](t, k.agent.Call("GET", "/api/boards"+query, nil), 200)
		}
		if got := list(""); len(got.Boards) != 0 || !got.NextCursor.IsNull() {
			t.Errorf("no boards: %+v", got)
		}
		var want []string
		for n := range 5 {
			want = append(want, k.board(fmt.Sprintf("B%d", n)).Prefix)
		}
		var got []string
		for query := "?limit=2"; ; {
			page := list(query)
			for _, b := range page.Boards {
				got = append(got, b.Prefix)
			}
			if page.NextCursor.IsNull() {
				break
			}
			query = "?limit=2&cursor=" + page.NextCursor.MustGet()
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("in pages of two (-want +got): %s", diff)
		}
		if a := k.agent.Call("GET", "/api/boards?cursor=nonsense", nil); a.Code() != "invalid_request" {
			t.Errorf("a cursor of nobody: %d %s", a.Status, a.Body)
		}
	})
}
