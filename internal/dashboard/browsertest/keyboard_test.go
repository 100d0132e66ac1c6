// SPDX-License-Identifier: Apache-2.0

package browsertest

import (
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/google/go-cmp/cmp"

	"github.com/fiftyarms/platform/gen/dash"
	"github.com/fiftyarms/platform/internal/testkit"
)

// focus is what has the keyboard, and whether a person can see that.
type focus struct {
	Name    string
	Visible bool
}

const focused = `(() => {
	const e = document.activeElement;
	if (!e || e === document.body) return { Name: "", Visible: true };
	const s = getComputedStyle(e);
	const label = e.labels && e.labels[0] ? e.labels[0].textContent : e.textContent;
	const box = e.getBoundingClientRect();
	return {
		Name: label.trim().replace(/\s+/g, " "),
		Visible: s.outlineStyle !== "none" && parseFloat(s.outlineWidth) >= 2 && box.bottom > 0 && box.top < innerHeight && s.clipPath === "none",
	};
})()`

// tabTo presses Tab until the thing with this name has the keyboard, and answers with what had it on the way.
func (b *tab) tabTo(name string) (way []string) {
	b.t.Helper()
	for range 60 {
		b.do(chromedp.KeyEvent(kb.Tab))
		f := run(b, chromedp.Evaluate[focus](focused))
		way = append(way, f.Name)
		if f.Name != "" && !f.Visible {
			b.t.Errorf("%s: %q has the keyboard, and nobody sees it", b.at(), f.Name)
		}
		if f.Name == name {
			return way
		}
	}
	b.t.Fatalf("%s: Tab does not reach %q, only %q", b.at(), name, way)
	return nil
}

// focused is what has the keyboard once something has: a page's autofocus comes with its first picture, after its load.
func (b *tab) focused() focus {
	b.t.Helper()
	for deadline := time.Now().Add(10 * time.Second); ; {
		if f := run(b, chromedp.Evaluate[focus](focused)); f.Name != "" || time.Now().After(deadline) {
			return f
		}
	}
}

func (b *tab) typed(keys string) { b.t.Helper(); b.do(chromedp.KeyEvent(keys)) }

// enter presses Enter on what leads to another page.
func (b *tab) enter() int { b.t.Helper(); return b.load(chromedp.KeyEvent(kb.Enter)) }

// TestByKeyboardAlone goes from an agent's link to its key without a mouse.
func TestByKeyboardAlone(t *testing.T) {
	s := newSite(t)
	s.SetUp()
	request := s.ask()
	ada := newPerson(t, s)
	ada.open(request.ApprovalURL)

	ada.tabTo("Email address")
	ada.typed("ada@example.com")
	ada.tabTo("Password")
	ada.typed("wrong in the first try")
	if status := ada.enter(); status != http.StatusUnauthorized {
		t.Errorf("status %d", status)
	}
	// The summary has the focus; its link leads to the field.
	if f := ada.focused(); !strings.HasPrefix(f.Name, "One thing to mend") {
		t.Errorf("after a mistake, %q has the keyboard", f.Name)
	}
	ada.tabTo("Nobody has this email address and password. Check both.")
	ada.typed(kb.Enter)
	ada.tabTo("Password")
	ada.typed(testkit.Password)
	ada.enter()
	ada.wantAt(path(request), "An agent asks for access")

	ada.tabTo("Skip to the content")
	ada.typed(kb.Enter)
	way := ada.tabTo("Approve")
	want := []string{"All approvals", "Digest " + ada.text("summary code"), "Read boards and cards cards.view", "Write and move cards cards.edit",
		"Read plans and their events plans.view opens nothing in this release", "Write and run plans plans.edit opens nothing in this release",
		"Read the docs docs.view opens nothing in this release", "Approve"}
	if diff := cmp.Diff(want, way); diff != "" {
		t.Errorf("the way to the answer (-want +got):\n%s", diff)
	}
	// Back to a box, untick it, open the digest on the way.
	for range 4 {
		ada.do(chromedp.KeyEvent(kb.Tab, chromedp.KeyModifiers(kb.ModifierShift)))
	}
	if f := run(ada, chromedp.Evaluate[focus](focused)); f.Name != "Write and move cards cards.edit" {
		t.Fatalf("%q has the keyboard", f.Name)
	}
	ada.typed(" ")
	ada.tabTo("Approve")
	if status := ada.enter(); status != http.StatusOK {
		t.Errorf("status %d", status)
	}
	ada.wantAt(path(request), "Access approved")

	agent := s.Nobody()
	agent.Key = *s.Claim(request).APIKey
	held := testkit.Decode[dash.Permissions](t, agent.Call("GET", "/api/auth/permissions", nil), http.StatusOK).Permissions
	if slices.Contains(held, "cards.edit") || !slices.Contains(held, "cards.view") {
		t.Errorf("the key holds %v", held)
	}

	other := s.ask()
	ada.open(path(other))
	ada.tabTo("What has to change?")
	ada.typed("Say which card.")
	ada.tabTo("Ask for changes")
	ada.load(chromedp.KeyEvent(" "))
	ada.wantAt(path(other), "Sent back for changes")

	third := s.ask()
	ada.open(path(third))
	ada.tabTo("Deny")
	ada.enter()
	ada.wantAt(path(third), "Access denied")

	ada.tabTo("Sign out")
	ada.enter()
	ada.wantAt("/signin?signed-out", "Sign in")
}

// TestEnterInANoteDecidesNothing: a line break is no answer.
func TestEnterInANoteDecidesNothing(t *testing.T) {
	s := newSite(t)
	ada := newPerson(t, s)
	ada.setUp()
	request := s.ask()
	ada.open(path(request))
	ada.do(chromedp.Focus(chromedp.ID("deny_note")))
	ada.typed("one" + kb.Enter + "two")
	if v := run(ada, chromedp.Value(chromedp.ID("deny_note"))); v != "one\ntwo" {
		t.Errorf("the note is %q", v)
	}
	if claimed := s.Claim(request); claimed.Status != dash.RequestStatusPending {
		t.Errorf("the request is %s", claimed.Status)
	}
}
