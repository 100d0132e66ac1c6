// SPDX-License-Identifier: Apache-2.0

package browsertest

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"github.com/fiftyarms/platform/gen/dash"
	"github.com/fiftyarms/platform/internal/testkit"
)

// soon is how fast what happens elsewhere shows on a page. A machine that runs many tests at once is given more.
const soon = time.Second

// A desk is a team's board as a caller of the API works on it.
type desk struct {
	*testkit.Caller
	t     testing.TB
	board int64
}

// newDesk makes the board Shop.
func newDesk(t testing.TB, caller *testkit.Caller) *desk {
	t.Helper()
	repo, about := "acme/shop", "What customers see."
	b := testkit.Decode[dash.Board](t, caller.Call("POST", "/api/boards", dash.BoardCreate{Name: "Shop", Prefix: "SHOP", Repo: &repo, Description: &about}), http.StatusCreated)
	return &desk{Caller: caller, t: t, board: b.Ref}
}

func (d *desk) path() string          { return fmt.Sprintf("/boards/%d", d.board) }
func (d *desk) card(id string) string { return d.path() + "/cards/" + id }
func (d *desk) api(id, below string) string {
	return fmt.Sprintf("/api/issues/%s%s?board=%d", id, below, d.board)
}

// add makes a card.
func (d *desk) add(status dash.IssueStatus, title string, change ...func(*dash.IssueCreate)) dash.Issue {
	d.t.Helper()
	create := dash.IssueCreate{Board: &d.board, Title: title, Status: &status}
	for _, c := range change {
		c(&create)
	}
	return testkit.Decode[dash.Issue](d.t, d.Call("POST", "/api/issues", create), http.StatusCreated)
}

// get reads a card.
func (d *desk) get(id string) dash.Issue {
	d.t.Helper()
	return testkit.Decode[dash.Issue](d.t, d.Call("GET", d.api(id, "")+`&fields={"description":true,"acceptance":true,"waiting_on":true}`, nil), http.StatusOK)
}

// do makes a change that has to succeed.
func (d *desk) do(method, id, below string, body any) {
	d.t.Helper()
	if a := d.Call(method, d.api(id, below), body); a.Status >= 300 {
		d.t.Fatalf("%s %s%s answered %d: %s", method, id, below, a.Status, a.Body)
	}
}

// edit changes what a card says, as it is now; again, where somebody was faster.
func (d *desk) edit(id string, change map[string]any) {
	d.t.Helper()
	d.versioned("PATCH", id, "/edit", change)
}

// move moves a card to a column: to its end, to the top (""), or after a card.
func (d *desk) move(id string, to dash.IssueStatus, after ...string) {
	d.t.Helper()
	body := map[string]any{"status": to}
	if len(after) > 0 {
		body["after"] = nil
		if after[0] != "" {
			body["after"] = after[0]
		}
	}
	d.versioned("POST", id, "/transition", body)
}

// wait makes a card wait for others.
func (d *desk) wait(id, reason string, by ...string) {
	d.t.Helper()
	d.versioned("PUT", id, "/dependencies", map[string]any{"reason": reason, "by": by})
}

func (d *desk) versioned(method, id, below string, body map[string]any) {
	d.t.Helper()
	for {
		body["version"] = d.get(id).Version
		a := d.Call(method, d.api(id, below), body)
		if a.Status == http.StatusOK {
			return
		}
		if a.Code() != "version_conflict" {
			d.t.Fatalf("%s %s%s answered %d: %s", method, id, below, a.Status, a.Body)
		}
	}
}

// columns are the ids of the board's cards by their columns, as the API lists them.
func (d *desk) columns() string {
	d.t.Helper()
	var b strings.Builder
	for _, s := range dash.AllIssueStatuses {
		page := testkit.Decode[dash.IssuePage](d.t, d.Call("GET", fmt.Sprintf("/api/issues?board=%d&status=%s", d.board, strings.ReplaceAll(string(s), " ", "%20")), nil), http.StatusOK)
		var ids []string
		for _, i := range page.Issues {
			ids = append(ids, i.ID)
		}
		fmt.Fprintf(&b, "%s: %s\n", s, strings.Join(ids, " "))
	}
	return b.String()
}

// columns are the cards as the tab shows them.
func (b *tab) columns() string {
	b.t.Helper()
	return run(b, chromedp.Evaluate[string](`[...document.querySelectorAll("[data-status]")].map(c => c.dataset.status + ": " + [...c.querySelectorAll("[data-card]")].map(t => t.dataset.card).join(" ") + "\n").join("")`))
}

// until waits for a condition in the page.
func (b *tab) until(what, condition string, within time.Duration) {
	b.t.Helper()
	deadline := time.Now().Add(max(within, patience/3))
	start := time.Now()
	for {
		holds, err := chromedp.Run(b.ctx, chromedp.Evaluate[bool](`!!(`+condition+`)`)) // which fails between two pages
		if err == nil && holds {
			break
		}
		if time.Now().After(deadline) {
			b.t.Fatalf("%s: not %s after %s:\n%s", b.at(), what, time.Since(start), run(b, chromedp.TextContent(chromedp.CSS("body"))))
		}
	}
	if took := time.Since(start); took > within {
		b.t.Logf("%s took %s, wanted within %s", what, took, within)
	}
}

// live waits until the page holds its stream.
func (b *tab) live() {
	b.t.Helper()
	b.until("live", `document.getElementById("live-state").textContent === "Live"`, 5*time.Second)
}

// says waits until the page's main part says a text.
func (b *tab) says(text string) {
	b.t.Helper()
	b.until("saying "+text, fmt.Sprintf(`document.querySelector("main")?.innerText.replace(/\s+/g, " ").includes(%q)`, text), soon)
}

// furnish puts cards of every kind on a board, and answers the one with everything on it.
func (d *desk) furnish() (full string) {
	d.t.Helper()
	about := "The total ignores the **voucher**.\n\n# Why\n\n1. one\n2. two\n\n```go\nfmt.Println()\n```\n\n| a | b |\n|---|---|\n| 1 | [two](https://x.example/) |\n"
	epic, bug := dash.IssueTypeEpic, dash.IssueTypeBug
	parent := d.add("ToDo", "Mend the checkout", func(c *dash.IssueCreate) {
		c.Type, c.Description, c.Acceptance = &epic, &about, []string{"A voucher lowers the total.", "Nothing else changes."}
	}).ID
	child := d.add("ToDo", "Read the price list", func(c *dash.IssueCreate) { c.ParentID, c.Type = &parent, &bug }).ID
	other := d.add("In Progress", "Redo the basket: "+strings.Repeat("averylongword", 12)).ID
	for i := range 3 {
		d.add("Backlog", fmt.Sprintf("Later %d", i))
	}
	d.add("Done", "Sharpen the saw")
	waits := d.add("ToDo", "Send the letters").ID
	d.wait(waits, "The price list is not there yet.", child)
	d.do("PUT", parent, "/conflicts/"+other, dash.ConflictSet{Reason: "Both rewrite basket.go."})
	d.edit(parent, map[string]any{
		"effort": "medium_high", "blocked": map[string]any{"reason": "The build is broken."},
		"requires_human": map[string]any{"reason": "The account is yours.", "steps": []string{"Open the console.", "Create a key."}},
	})
	d.do("PATCH", parent, "/acceptance/2", `{"checked":true,"version":1}`)
	d.do("POST", parent, "/comments", dash.CommentCreate{Body: "The voucher is read **too late**.\n\nhttps://x.example/a"})
	return parent
}
