// SPDX-License-Identifier: Apache-2.0

package browsertest

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/dom"
	"github.com/chromedp/chromedp"

	"github.com/fiftyarms/platform/gen/dash"
)

// choose picks an option of a select by what it says.
func (b *tab) choose(id, option string) {
	b.t.Helper()
	b.do(chromedp.Focus(chromedp.ID(id)))
	b.typed(option)
}

// unfold opens the part of the page whose summary says this.
func (b *tab) unfold(text string) {
	b.t.Helper()
	b.do(chromedp.Click(chromedp.Search(`//summary[normalize-space()="` + text + `"]`)))
}

// TestWorkWithoutScripts makes a board and a card, and does everything to it, in a browser that runs no script.
func TestWorkWithoutScripts(t *testing.T) {
	s := newSite(t)
	owner := s.SetUp()
	ada := newPerson(t, s)
	ada.withoutScripts()
	ada.open("/signin?next=/boards")
	ada.signIn("ada@example.com")
	ada.wantAt("/boards", "Boards")
	ada.fill("name", "Shop")
	ada.fill("prefix", "shop")
	if status := ada.press("Create the board"); status != http.StatusOK {
		t.Fatalf("status %d", status)
	}
	ada.wantAt("/boards/1", "Shop")
	d := &desk{Caller: owner, t: t, board: 1}

	for _, title := range []string{"Mend the checkout", "Read the price list", "Sharpen the saw"} {
		ada.unfold("New card")
		ada.fill("new-title", title)
		ada.choose("new-type", "Bug")
		ada.fill("new-description", "The total ignores the **voucher**.")
		ada.press("Create the card")
	}
	ada.wantSays("ToDo 3", "SHOP-1 Mend the checkout", "Bug")
	if shown := run(ada, chromedp.Nodes(chromedp.CSSAll(".grip"))); len(shown) != 3 {
		t.Errorf("%d grips", len(shown))
	}

	ada.do(chromedp.Click(chromedp.CSS("#card-SHOP-1 summary")))
	ada.choose("move-SHOP-1-status", "In Progress")
	ada.load(chromedp.Click(chromedp.CSS("#card-SHOP-1 .move button")))
	d.wantColumn("In Progress", "SHOP-1")
	ada.do(chromedp.Click(chromedp.CSS("#card-SHOP-2 summary")))
	ada.choose("move-SHOP-2-place", "At the end")
	ada.load(chromedp.Click(chromedp.CSS("#card-SHOP-2 .move button")))
	d.wantColumn("ToDo", "SHOP-3 SHOP-2")
	ada.do(chromedp.Click(chromedp.CSS("#card-SHOP-2 summary")))
	ada.choose("move-SHOP-2-place", "After the card")
	ada.fill("move-SHOP-2-after", "SHOP-99")
	if status := ada.load(chromedp.Click(chromedp.CSS("#card-SHOP-2 .move button"))); status != http.StatusUnprocessableEntity {
		t.Errorf("status %d", status)
	}
	if v := run(ada, chromedp.Value(chromedp.ID("move-SHOP-2-after"))); v != "SHOP-99" {
		t.Errorf("the field holds %q", v)
	}

	ada.open("/boards/1")
	ada.fill("filter-q", "saw")
	ada.press("Filter")
	ada.wantSays("SHOP-3 Sharpen the saw", "ToDo 1")
	ada.follow("SHOP-3 Sharpen the saw")
	ada.wantAt(d.card("SHOP-3"), "SHOP-3 Sharpen the saw")

	ada.unfold("Edit the card")
	ada.fill("edit-title", "Sharpen every saw")
	ada.fill("edit-priority", "4,5")
	ada.fill("edit-blocked", "No file.")
	ada.press("Save")
	ada.wantSays("Sharpen every saw", "priority 4.5", "No file.", "edited the card")

	ada.fill("item", "It cuts.")
	ada.press("Add")
	ada.press("Check It cuts.")
	ada.wantSays("Checked It cuts.")
	ada.press("Remove It cuts.")
	ada.fill("comment", "With **care**.")
	ada.press("Comment")
	ada.wantSays("With care.", "commented")
	ada.unfold("Let it wait")
	ada.fill("waits_for", "shop-2")
	ada.fill("waits_reason", "One after the other.")
	ada.press("Let it wait for these")
	ada.wantSays("SHOP-2 Read the price list", "One after the other.")
	ada.choose("move-status", "In Progress")
	if status := ada.press("Move"); status != http.StatusConflict {
		t.Errorf("status %d", status)
	}
	ada.wantSays("Nothing was changed", "SHOP-2 Read the price list")
	ada.press("Wait no longer")
	ada.wantSays("It waits for no other card.")

	ada.open(d.path() + "/edit")
	ada.fill("name", "The shop")
	ada.press("Save")
	ada.wantAt("/boards/1", "The shop")
	ada.open("/cards/shop-3")
	ada.wantAt(d.card("SHOP-3"), "SHOP-3 Sharpen every saw")
}

// TestAConflictKeepsWhatIsTyped in a browser with scripts and in one without.
func TestAConflictKeepsWhatIsTyped(t *testing.T) {
	scripted(t, func(t *testing.T, s *site, ada *tab) {
		d := newDesk(t, s.SetUp())
		card := d.add("ToDo", "Mend the checkout").ID
		ada.open("/signin?next=" + d.card(card) + "%3Fx")
		ada.signIn("ada@example.com")
		// The page hears of nothing: it is as a browser shows it that has been asleep.
		ada.do(chromedp.Evaluate[chromedp.Void](`document.querySelector("[name=seen-title]").form.removeAttribute("data-swap"); 0`))
		ada.unfold("Edit the card")
		ada.fill("edit-title", "Typed by hand")
		d.edit(card, map[string]any{"title": "Changed meanwhile", "description": "New."})
		if status := ada.press("Save"); status != http.StatusConflict {
			t.Errorf("status %d", status)
		}
		ada.wantSays("SHOP-1 has changed since this page was made.", "Now there is: Changed meanwhile")
		if v := run(ada, chromedp.Value(chromedp.ID("edit-title"))); v != "Typed by hand" {
			t.Errorf("the title is %q", v)
		}
		if v := run(ada, chromedp.Value(chromedp.ID("edit-description"))); v != "New." {
			t.Errorf("the description is %q", v)
		}
		ada.do(chromedp.Evaluate[chromedp.Void](`document.querySelector("[name=seen-title]").form.removeAttribute("data-swap"); 0`))
		if status := ada.press("Save"); status != http.StatusOK {
			t.Errorf("status %d", status)
		}
		if got := d.get(card); got.Title != "Typed by hand" || *got.Description != "New." {
			t.Errorf("the card is %q, %q", got.Title, *got.Description)
		}
	})
}

// TestAttachAFile sends a file from a browser, with scripts and without; pictures show, the rest is kept as it is.
func TestAttachAFile(t *testing.T) {
	scripted(t, func(t *testing.T, s *site, ada *tab) {
		d := newDesk(t, s.SetUp())
		card := d.add("ToDo", "Mend the checkout").ID
		ada.open("/signin?next=" + d.card(card))
		ada.signIn("ada@example.com")
		png := "\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00\x00\x01\x00\x00\x00\x01\x08\x06\x00\x00\x00\x1f\x15\xc4\x89\x00\x00\x00\rIDATx\x9cc\xf8\xcf\xc0\xf0\x1f\x00\x05\x00\x01\xff\x89\x99=\x1d\x00\x00\x00\x00IEND\xaeB`\x82"
		for name, content := range map[string]string{"shot.png": png, "page.html": "<script>alert(1)</script>", "big.bin": strings.Repeat("\x00\x01", 2<<20)} {
			file := filepath.Join(t.TempDir(), name)
			if err := os.WriteFile(file, []byte(content), 0o600); err != nil {
				t.Fatal(err)
			}
			node := run(ada, chromedp.Nodes(chromedp.CSSAll("#file")))[0]
			call(ada, dom.SetFileInputFiles, dom.SetFileInputFilesParams{Files: []string{file}, NodeID: node.NodeID})
			ada.do(chromedp.Click(chromedp.Search(`//button[normalize-space()="Attach"]`)))
			ada.says(name)
			ada.until("quiet", `!document.querySelector("form[aria-busy]")`, soon)
		}
		ada.says("4.0 MiB")
		ada.until("showing the picture", `document.querySelectorAll("#files img").length === 1`, soon)
		ada.do(chromedp.Evaluate[chromedp.Void](`document.querySelector("#files img").scrollIntoView()`))
		ada.until("drawing the picture", `document.querySelector("#files img").naturalWidth === 1`, 5*soon)
		list := d.Call("GET", d.api(card, "/attachments"), nil)
		if list.Status != http.StatusOK || strings.Count(string(list.Body), `"filename"`) != 3 {
			t.Errorf("%d %s", list.Status, list.Body)
		}
	})
}

// TestHostileTextBreaksNoLayout puts the worst texts on a board and a card.
func TestHostileTextBreaksNoLayout(t *testing.T) {
	s := newSite(t)
	d := newDesk(t, s.SetUp())
	titles := []string{
		`"><script>alert(1)</script><img src=x onerror=alert(1)>`, "Approved\u202Eyna ksa \u200B\u200D", strings.Repeat("W", 300), "a" + strings.Repeat("\u0489", 250), "\x1b[31mred\x1b[0m",
		"\u05e9\u05dc\u05d5\u05dd evil", "{{ .Secret }} ${x}",
	}
	texts := []string{
		strings.Repeat("W", 100_000), strings.Repeat("> ", 30_000), strings.Repeat("| a ", 200) + "\n" + strings.Repeat("|---", 200) + "\n", "<style>*{display:none}</style><h1>x</h1><iframe src=//evil.example></iframe>",
		"```\n" + strings.Repeat("x", 5000) + "\n```", strings.Repeat("- a\n  ", 200), "![x](https://evil.example/x.png) [y](javascript:alert%281%29)", strings.Repeat("\u202E", 1000),
	}
	ada := newPerson(t, s)
	ada.open("/signin?next=" + d.path())
	ada.signIn("ada@example.com")
	var ids []string
	for i, text := range texts {
		title := titles[i%len(titles)]
		id := d.add("ToDo", title, func(c *dash.IssueCreate) { c.Description, c.Acceptance = &text, []string{title} }).ID
		d.do("POST", id, "/comments", dash.CommentCreate{Body: text[:min(len(text), 20_000)]})
		d.edit(id, map[string]any{"blocked": map[string]string{"reason": strings.Repeat(title, 1000/len([]rune(title)))}})
		ids = append(ids, id)
	}
	pages := []string{d.path(), "/boards"}
	for _, id := range ids {
		pages = append(pages, d.card(id))
	}
	for _, path := range pages {
		if status := ada.open(path); status != http.StatusOK {
			t.Errorf("%s answered %d", path, status)
		}
		for _, width := range []int64{320, 640, 1280} {
			ada.do(chromedp.EmulateViewport(width, 800))
			ada.wantNoSidewaysScrolling()
		}
		if n := run(ada, chromedp.Evaluate[int](`document.querySelectorAll("main script, main style, main iframe, main img, [onerror], [onclick]").length`)); n != 0 {
			t.Errorf("%s: %d things of a text became markup", path, n)
		}
	}
	// It comes live as it comes with the page.
	ada.open(d.path())
	ada.live()
	live := d.add("ToDo", titles[0]).ID
	ada.until("showing it", fmt.Sprintf(`document.querySelector("#card-%s bdi")?.textContent === %q`, live, titles[0]), soon)
}
