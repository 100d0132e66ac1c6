// SPDX-License-Identifier: Apache-2.0

package handler_test

import (
	"context"
	"fmt"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/fiftyarms/platform/gen/dash"
	"github.com/fiftyarms/platform/internal/dashboard"
	"github.com/fiftyarms/platform/internal/store"
	"github.com/fiftyarms/platform/internal/testkit"
)

// cardsMost is how many bytes the cards of one answer may take.
const cardsMost = 4 << 20

// counting is a store that counts the descriptions that are read.
type counting struct {
	store.Store
	reads atomic.Int64
}

func (c *counting) Of(team string) store.WorkReader {
	return countingReader{c.Store.Of(team), &c.reads}
}

type countingReader struct {
	store.WorkReader
	reads *atomic.Int64
}

func (c countingReader) Description(ctx context.Context, id dash.IssueID) (string, error) {
	c.reads.Add(1)
	return c.WorkReader.Description(ctx, id)
}

// pile adds cards to a board, past the API. It answers their ids.
func (k *desk) pile(n int, card dash.Issue) (ids []string) {
	k.Helper()
	card.Priority, card.Gates, card.CreatedAt, card.UpdatedAt = 3, []dash.Gate{}, dash.At(testkit.Start), dash.At(testkit.Start)
	if card.Type == "" {
		card.Type = dash.IssueTypeFeature
	}
	err := k.Store.Change(k.Context(), k.teamID(), func(tx store.WorkTx) error {
		ids = nil
		for range n {
			id, err := tx.AddIssue(k.Context(), card)
			if err != nil {
				return err
			}
			ids = append(ids, id)
		}
		return nil
	})
	if err != nil {
		k.Fatal(err)
	}
	return ids
}

// No answer with cards takes more than 4 MiB: lists end early, and what cannot be cut is refused.
func TestAnswersAreBounded(t *testing.T) {
	testkit.EachEngine(t, func(t *testing.T, e testkit.Engine) {
		reads := &counting{}
		k := newDesk(t, testkit.On(e), testkit.With(func(cfg *dashboard.Config) { reads.Store, cfg.Store = cfg.Store, reads }))
		k.board("SHOP")
		k.board("DOCS")
		long := strings.Repeat("x", 100_000)
		short := k.pile(1, dash.Issue{Board: 1, Title: "Short", Status: dash.IssueStatusBacklog})
		epics := k.pile(2, dash.Issue{Board: 1, Title: "Epic", Status: dash.IssueStatusBacklog, Type: dash.IssueTypeEpic})
		of := dash.Issue{Board: 1, Title: "Card", Status: dash.IssueStatusToDo, Description: &long, ParentID: &epics[0]}
		cards := k.pile(60, of)
		get := func(path, fields string) testkit.Answer {
			t.Helper()
			reads.reads.Store(0)
			return k.agent.Call("GET", path+"&fields="+url.QueryEscape(fields), nil)
		}

		// A list comes in pages that are as full as they may be.
		var got []dash.Issue
		for path, pages := "/api/issues?board=1&status=ToDo&limit=200", 1; ; pages++ {
			a := get(path, `{"description":true}`)
			page := testkit.Decode[dash.IssuePage](t, a, 200)
			got = append(got, page.Issues...)
			more := !page.NextCursor.IsNull()
			if size := len(a.Body); size > cardsMost+1000 || more && size < cardsMost-101_000 || more != (pages == 1) {
				t.Errorf("page %d has %d bytes, and another follows: %v", pages, size, more)
			}
			if n := int(reads.reads.Load()); n > len(page.Issues)+1 {
				t.Errorf("%d descriptions were read for %d cards", n, len(page.Issues))
			}
			if !more {
				break
			}
			path = "/api/issues?board=1&status=ToDo&limit=200&cursor=" + page.NextCursor.MustGet()
		}
		if ids := idsOf(got); ids != strings.Join(cards, " ") || *got[59].Description != long {
			t.Errorf("listed %s", ids)
		}
		if page := k.list("board=1&limit=200"); len(page.Issues) != 63 || !page.NextCursor.IsNull() {
			t.Errorf("without descriptions: %d cards", len(page.Issues))
		}

		// A card with its children does not come in part: a list ends before it, and does not go on.
		parts := `{"children":{"description":true}}`
		before := testkit.Decode[dash.IssuePage](t, get("/api/issues?board=1&status=Backlog", parts), 200)
		if idsOf(before.Issues) != short[0] || before.NextCursor.IsNull() {
			t.Fatalf("listed %s", idsOf(before.Issues))
		}
		for _, path := range []string{
			"/api/issues/" + epics[0] + "?board=1", "/api/issues/batch?board=1&ids=" + epics[0],
			"/api/issues?board=1&status=Backlog&cursor=" + before.NextCursor.MustGet(), "/api/issues?type=Epic",
		} {
			at, why := faultOf(k, get(path, parts))
			if at != "query fields" || !strings.HasPrefix(why, "asks for more than 4 MiB of ") {
				t.Errorf("%s: %s %s", path, at, why)
			}
			if n := reads.reads.Load(); n > 43 {
				t.Errorf("%s: %d descriptions were read", path, n)
			}
		}
		whole := testkit.Decode[dash.Issue](t, get("/api/issues/"+epics[0]+"?board=1", `{"children":{}}`), 200)
		if idsOf(whole.Children) != strings.Join(cards, " ") {
			t.Errorf("many children: %s", idsOf(whole.Children))
		}
		k.pile(1, dash.Issue{Board: 1, Title: "Card", Status: dash.IssueStatusDone, Description: &long, ParentID: &epics[1]})
		whole = testkit.Decode[dash.Issue](t, get("/api/issues/"+epics[1]+"?board=1", parts), 200)
		if len(whole.Children) != 1 || *whole.Children[0].Description != long {
			t.Errorf("one child: %d", len(whole.Children))
		}

		// Nor do cards by id.
		_, why := faultOf(k, get("/api/issues/batch?board=1&ids="+strings.Join(cards, ","), `{"description":true}`))
		if !strings.HasSuffix(why, "ask for fewer fields, or for fewer ids at once") {
			t.Error(why)
		}
		batch := testkit.Decode[dash.IssueBatch](t, get("/api/issues/batch?board=1&ids="+strings.Join(cards[:40], ","), `{"description":true}`), 200)
		if len(batch.Issues) != 40 {
			t.Errorf("40 cards: %d", len(batch.Issues))
		}
	})
}

// A column of a board whose cards are long before anything is opted into comes in pages too.
func TestLongColumn(t *testing.T) {
	eachDesk(t, func(k *desk) {
		steps := make([]string, 30)
		for n := range steps {
			steps[n] = strings.Repeat("☃", 1000)
		}
		want := k.pile(50, dash.Issue{Board: 1, Title: "Card", Status: dash.IssueStatusToDo, RequiresHuman: &dash.RequiresHuman{
			Reason: "It is yours.", Steps: steps, SetAt: dash.At(testkit.Start),
			SetBy: dash.Actor{Kind: dash.ActorKindPerson, Name: "Ada", Person: k.ada.Me.Person},
		}})
		first := k.list("board=1&status=ToDo&limit=50")
		second := k.list(fmt.Sprintf("board=1&status=ToDo&limit=50&cursor=%s", first.NextCursor.MustGet()))
		if got := idsOf(append(first.Issues, second.Issues...)); got != strings.Join(want, " ") || !second.NextCursor.IsNull() {
			k.Errorf("got %d and %d cards: %s", len(first.Issues), len(second.Issues), got)
		}
	})
}
