// SPDX-License-Identifier: Apache-2.0

package browsertest

import (
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/fiftyarms/platform/gen/dash"
)

// point is a place in the window.
type point struct{ X, Y float64 }

// at finds a point in an element: a part of its width and height.
func (b *tab) pointIn(css string, x, y float64) point {
	b.t.Helper()
	return run(b, chromedp.Evaluate[point](fmt.Sprintf(`(() => {
		const e = document.querySelector(%q);
		e.scrollIntoView({ block: "nearest" });
		const box = e.getBoundingClientRect();
		return { X: box.left + box.width * %f, Y: box.top + box.height * %f };
	})()`, css, x, y)))
}

func (b *tab) mouse(kind input.DispatchMouseEventType, p point) {
	b.t.Helper()
	event := input.DispatchMouseEventParams{Type: kind, X: p.X, Y: p.Y, Button: input.MouseButtonLeft, ClickCount: 1}
	if kind != input.DispatchMouseEventTypeMouseReleased {
		event.Buttons = 1
	}
	call(b, input.DispatchMouseEvent, event)
}

// drag takes an element by the mouse to a point, and lets it go there.
func (b *tab) drag(from, to point) {
	b.t.Helper()
	b.mouse(input.DispatchMouseEventTypeMousePressed, from)
	for step := 1.0; step <= 4; step++ {
		b.mouse(input.DispatchMouseEventTypeMouseMoved, point{from.X + (to.X-from.X)*step/4, from.Y + (to.Y-from.Y)*step/4})
	}
	b.mouse(input.DispatchMouseEventTypeMouseReleased, to)
}

func tileOf(id string) string  { return fmt.Sprintf("#card-%s", id) }
func titleOf(id string) string { return tileOf(id) + " h3" }

// threeCards are a board with three cards in ToDo and a person at it.
func threeCards(t *testing.T) (ada *tab, d *desk) {
	t.Helper()
	s := newSite(t)
	d = newDesk(t, s.SetUp())
	for _, title := range []string{"One", "Two", "Three"} {
		d.add("ToDo", title)
	}
	ada = newPerson(t, s)
	ada.open("/signin?next=" + d.path())
	ada.do(chromedp.EmulateViewport(1280, 900))
	ada.signIn("ada@example.com")
	ada.live()
	return ada, d
}

func (d *desk) wantColumn(status dash.IssueStatus, ids string) {
	d.t.Helper()
	if got := d.columns(); !strings.Contains(got, string(status)+": "+ids+"\n") {
		d.t.Errorf("%s should hold %q:\n%s", status, ids, got)
	}
}

func TestDragByMouse(t *testing.T) {
	ada, d := threeCards(t)
	quiet := func() { t.Helper(); ada.until("quiet", `!document.querySelector("[aria-busy]")`, soon) }

	ada.drag(ada.pointIn(titleOf("SHOP-3"), 0.5, 0.5), ada.pointIn(tileOf("SHOP-1"), 0.5, 0.1)) // to the top
	quiet()
	d.wantColumn("ToDo", "SHOP-3 SHOP-1 SHOP-2")
	wantBoard(t, d, ada)

	ada.drag(ada.pointIn(titleOf("SHOP-3"), 0.5, 0.5), ada.pointIn(tileOf("SHOP-1"), 0.5, 0.9)) // between two
	quiet()
	d.wantColumn("ToDo", "SHOP-1 SHOP-3 SHOP-2")

	ada.drag(ada.pointIn(titleOf("SHOP-1"), 0.5, 0.5), ada.pointIn("#column-in-progress", 0.5, 0.9)) // to an empty column
	quiet()
	d.wantColumn("In Progress", "SHOP-1")
	ada.drag(ada.pointIn(titleOf("SHOP-2"), 0.5, 0.5), ada.pointIn(tileOf("SHOP-1"), 0.5, 0.9)) // below another
	quiet()
	d.wantColumn("In Progress", "SHOP-1 SHOP-2")
	wantBoard(t, d, ada)
	if at := ada.at(); at != d.path() {
		t.Errorf("dragging a link led to %s", at)
	}

	// Nowhere, and given up: nothing happens.
	before := d.columns()
	ada.drag(ada.pointIn(titleOf("SHOP-2"), 0.5, 0.5), ada.pointIn("h1", 0.1, 0.5))
	from := ada.pointIn(titleOf("SHOP-2"), 0.5, 0.5)
	ada.mouse(input.DispatchMouseEventTypeMousePressed, from)
	ada.mouse(input.DispatchMouseEventTypeMouseMoved, point{from.X + 30, from.Y + 30})
	to := ada.pointIn("#column-done", 0.5, 0.5)
	ada.mouse(input.DispatchMouseEventTypeMouseMoved, to)
	ada.until("showing where it would go", `document.querySelector("#column-done .drop")`, soon)
	ada.typed(kb.Escape)
	ada.mouse(input.DispatchMouseEventTypeMouseReleased, to)
	if after := d.columns(); after != before {
		t.Errorf("it moved:\n%s", after)
	}
	if n := run(ada, chromedp.Evaluate[int](`document.querySelectorAll(".drop, .dragged, .target").length`)); n != 0 {
		t.Errorf("%d things are left of dragging", n)
	}
	wantBoard(t, d, ada)

	// A click on the link is still one.
	ada.follow("SHOP-2 Two")
	ada.wantAt(d.card("SHOP-2"), "SHOP-2 Two")
}

// TestARefusedDropGoesBack and says why.
func TestARefusedDropGoesBack(t *testing.T) {
	ada, d := threeCards(t)
	d.wait("SHOP-2", "One has to end.", "SHOP-1")
	ada.says("Waits")
	ada.drag(ada.pointIn(titleOf("SHOP-2"), 0.5, 0.5), ada.pointIn("#column-in-progress", 0.5, 0.5))
	ada.says("Nothing was changed")
	ada.says("One has to end.")
	wantBoard(t, d, ada)
	d.wantColumn("ToDo", "SHOP-1 SHOP-2 SHOP-3")
	if roles := run(ada, chromedp.Evaluate[string](`document.querySelector(".problems").getAttribute("role")`)); roles != "alert" {
		t.Errorf("the reason is a %s", roles)
	}
	// The next drop that works takes the reason away.
	ada.drag(ada.pointIn(titleOf("SHOP-1"), 0.5, 0.5), ada.pointIn("#column-done", 0.5, 0.5))
	ada.until("clear", `!document.querySelector(".problems")`, soon)
	wantBoard(t, d, ada)
}

// TestMoveByKeyboard goes there by keys alone, hears every step, and can change its mind.
func TestMoveByKeyboard(t *testing.T) {
	ada, d := threeCards(t)
	heard := func(want string) {
		t.Helper()
		ada.until("saying "+want, fmt.Sprintf(`document.getElementById("live-says").textContent.includes(%q)`, want), soon)
	}
	grip := func(want string) {
		t.Helper()
		if got := run(ada, chromedp.Evaluate[string](`document.activeElement.getAttribute("aria-label") ?? document.activeElement.outerHTML.slice(0, 80)`)); got != want {
			t.Fatalf("%q has the keyboard, want %q", got, want)
		}
	}
	ada.tabTo("SHOP-2 Two")
	ada.typed(kb.Tab)
	grip("Move SHOP-2 by hand")
	ada.typed(kb.Enter)
	heard("SHOP-2 lifted in ToDo, place 2 of 3. Arrow keys move it")
	ada.typed(kb.ArrowUp)
	heard("ToDo, place 1 of 3")
	ada.typed(kb.ArrowUp) // there is no further
	heard("ToDo, place 1 of 3")
	ada.typed(kb.ArrowDown + kb.ArrowDown)
	heard("ToDo, place 3 of 3")
	grip("Move SHOP-2 by hand")
	ada.typed(kb.Enter)
	heard("dropped in ToDo, place 3 of 3")
	ada.until("quiet", `!document.querySelector("[aria-busy]")`, soon)
	d.wantColumn("ToDo", "SHOP-1 SHOP-3 SHOP-2")
	wantBoard(t, d, ada)
	grip("Move SHOP-2 by hand")

	ada.typed(" ")
	heard("lifted")
	ada.typed(kb.ArrowRight)
	heard("In Progress, place 1 of 1")
	ada.typed(kb.ArrowRight + kb.ArrowRight)
	heard("Done, place 1 of 1")
	ada.typed(kb.ArrowLeft)
	heard("Backlog, place 1 of 1")
	grip("Move SHOP-2 by hand")
	ada.typed(" ")
	ada.until("quiet", `!document.querySelector("[aria-busy]")`, soon)
	d.wantColumn("Backlog", "SHOP-2")
	wantBoard(t, d, ada)
	grip("Move SHOP-2 by hand")

	before := d.columns()
	ada.typed(kb.Enter + kb.ArrowRight)
	heard("Done, place 1 of 1")
	ada.typed(kb.Escape)
	heard("SHOP-2 is back in Backlog, place 1 of 1")
	grip("Move SHOP-2 by hand")
	ada.typed(kb.Enter + kb.ArrowRight)
	heard("Done")
	ada.typed(kb.Tab) // to go on is to leave it
	heard("is back in Backlog")
	if after := d.columns(); after != before {
		t.Errorf("it moved:\n%s", after)
	}
	wantBoard(t, d, ada)
}

// TestWhatIsHeldDoesNotMove: events wait until the hand lets go.
func TestWhatIsHeldDoesNotMove(t *testing.T) {
	ada, d := threeCards(t)
	ada.do(chromedp.Focus(chromedp.CSS(tileOf("SHOP-3") + " .grip")))
	ada.typed(kb.Enter)
	d.move("SHOP-1", "Done")
	ada.until("a while", `(performance.now() - (window.since ??= performance.now())) > 500`, soon)
	if got := ada.columns(); !strings.Contains(got, "ToDo: SHOP-1 SHOP-2 SHOP-3\n") {
		t.Errorf("the page moved under the hand:\n%s", got)
	}
	ada.typed(kb.ArrowUp + kb.ArrowUp + kb.Enter)
	ada.until("quiet", `!document.querySelector("[aria-busy]")`, soon)
	wantBoard(t, d, ada)
	d.wantColumn("ToDo", "SHOP-3 SHOP-2")
}

// TestByFinger: a finger drags by the grip, and scrolls by the rest.
func TestByFinger(t *testing.T) {
	ada, d := threeCards(t)
	touch := func(kind input.DispatchTouchEventType, points ...point) {
		t.Helper()
		event := input.DispatchTouchEventParams{Type: kind, TouchPoints: []*input.TouchPoint{}}
		for _, p := range points {
			event.TouchPoints = append(event.TouchPoints, &input.TouchPoint{X: p.X, Y: p.Y})
		}
		call(ada, input.DispatchTouchEvent, event)
	}
	from, to := ada.pointIn(tileOf("SHOP-1")+" .grip", 0.5, 0.5), ada.pointIn("#column-backlog", 0.5, 0.5)
	touch(input.DispatchTouchEventTypeTouchStart, from)
	for step := 1.0; step <= 4; step++ {
		touch(input.DispatchTouchEventTypeTouchMove, point{from.X + (to.X-from.X)*step/4, from.Y + (to.Y-from.Y)*step/4})
	}
	touch(input.DispatchTouchEventTypeTouchEnd)
	ada.until("quiet", `!document.querySelector("[aria-busy]")`, soon)
	d.wantColumn("Backlog", "SHOP-1")
	wantBoard(t, d, ada)
}
