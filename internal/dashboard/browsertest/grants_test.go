// SPDX-License-Identifier: Apache-2.0

package browsertest

import (
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/dom"
	"github.com/chromedp/chromedp"

	"github.com/fiftyarms/platform/gen/dash"
	"github.com/fiftyarms/platform/internal/testkit"
)

// wants has an agent ask for more.
func wants(agent *testkit.Caller, t testing.TB, reason string, names ...string) dash.PermissionRequestCreated {
	t.Helper()
	body := dash.PermissionRequestCreate{Reason: reason}
	for _, n := range names {
		body.Permissions = append(body.Permissions, dash.PermissionName(n))
	}
	return testkit.Decode[dash.PermissionRequestCreated](t, agent.Call("POST", "/api/permission-requests", body), http.StatusCreated)
}

func holds(t testing.TB, agent *testkit.Caller) string {
	t.Helper()
	return string(agent.Call("GET", "/api/auth/permissions", nil).Body)
}

// TestAKeyGetsMore goes from the agent's link to the grant, with a mouse, and with scripts and without.
func TestAKeyGetsMore(t *testing.T) {
	scripted(t, func(t *testing.T, s *site, ada *tab) {
		agent := s.Agent(s.SetUp(), dash.PermissionCardsView)
		r := wants(agent, t, "<script>alert(1)</script>\u202E The basket needs a board.", "boards.edit", "docs.edit")
		ada.open("/signin?next=%2Fapprovals")
		ada.signIn("ada@example.com")
		ada.wantSays("one of your keys asks for docs.edit, boards.edit", r.ConfirmCode)
		if nav := strings.Fields(ada.text("header nav")); strings.Join(nav, " ") != "Boards Approvals 1 waiting Keys Audit" {
			t.Errorf("the header says %q", nav)
		}
		ada.do(chromedp.Click(chromedp.CSS(".row-title")))
		ada.until("the request", `location.pathname.startsWith("/permissions/")`, soon)
		ada.wantSays(r.ConfirmCode, "Create and change boards", "docs.edit opens nothing in this release", "<script>alert(1)</script>", "It holds")
		ada.follow("Not now")
		ada.wantAt("/approvals", "Approvals")
		if strings.Contains(holds(t, agent), "boards.edit") {
			t.Error("“Not now” decided")
		}
		ada.open(r.ApprovalURL)
		if status := ada.press("Grant it"); status != http.StatusOK {
			t.Errorf("status %d", status)
		}
		ada.wantSays("Permission granted", "The key holds it since then", "by Ada (you)")
		if nav := strings.Fields(ada.text("header nav")); strings.Join(nav, " ") != "Boards Approvals Keys Audit" {
			t.Errorf("with nothing to answer the header says %q", nav)
		}
		if held := holds(t, agent); !strings.Contains(held, "boards.edit") || !strings.Contains(held, "docs.edit") {
			t.Errorf("the key holds %s", held)
		}
	})
}

// TestAnAnswerThatComesTooLate: what the page showed is decided already, or has lapsed, or its key is gone.
func TestAnAnswerThatComesTooLate(t *testing.T) {
	s := newSite(t)
	person := s.SetUp()
	agent := s.Agent(person, dash.PermissionCardsView)
	ada := newPerson(t, s)
	ada.open("/signin")
	ada.signIn("ada@example.com")

	r := wants(agent, t, "First.", "cards.edit")
	ada.open(r.ApprovalURL)
	other := ada.beside()
	other.open(r.ApprovalURL)
	other.press("Deny")
	if status := ada.press("Grant it"); status != http.StatusConflict {
		t.Errorf("status %d", status)
	}
	ada.wantSays("Your answer came too late", "Permission denied")

	r = wants(agent, t, "Second.", "cards.edit")
	ada.open(r.ApprovalURL)
	s.Clock.Advance(11 * time.Minute)
	if status := ada.press("Grant it"); status != http.StatusConflict {
		t.Errorf("status %d", status)
	}
	ada.wantSays("Your answer came too late", "Nobody answered it in time")

	r = wants(agent, t, "Third.", "cards.edit")
	ada.open(r.ApprovalURL)
	key := testkit.Decode[dash.KeyPage](t, person.Call("GET", "/api/keys", nil), http.StatusOK).Keys[0]
	person.Call("DELETE", "/api/keys/"+key.ID, nil)
	if status := ada.press("Grant it"); status != http.StatusConflict {
		t.Errorf("status %d", status)
	}
	ada.wantSays("was revoked or has lapsed")
}

// TestAGrantOfWhatThePageDidNotShow: an answer with the digest of another request decides nothing, and the page shows
// again what is asked for.
func TestAGrantOfWhatThePageDidNotShow(t *testing.T) {
	s := newSite(t)
	agent := s.Agent(s.SetUp(), dash.PermissionCardsView)
	r := wants(agent, t, "To write.", "cards.edit")
	ada := newPerson(t, s)
	ada.open("/signin")
	ada.signIn("ada@example.com")
	ada.open(r.ApprovalURL)
	ada.do(chromedp.Evaluate[chromedp.Void](`document.querySelectorAll("[name=digest]").forEach(e => e.value = "0".repeat(64))`))
	if status := ada.press("Grant it"); status != http.StatusConflict {
		t.Errorf("status %d", status)
	}
	ada.wantSays("not the one that your page showed", r.ConfirmCode, "To write.")
	if strings.Contains(holds(t, agent), "cards.edit") {
		t.Fatal("the key holds it")
	}
	ada.press("Grant it")
	ada.wantSays("Permission granted")
}

// TestHostileGrantsStayText: what an agent writes of its key, of its need and on its files can neither act nor pretend
// to be the page, and breaks no page of a phone.
func TestHostileGrantsStayText(t *testing.T) {
	s := newSite(t)
	person := s.SetUp()
	card := newDesk(t, person).add("ToDo", "Mend the checkout").ID
	ada := newPerson(t, s)
	ada.open("/signin")
	ada.signIn("ada@example.com")
	for i, evil := range []string{
		`"><script>alert(1)</script><img src=x onerror=alert(1)><style>*{display:none}</style>`,
		"</bdi></dd></dl><h1>Permission granted</h1><form action=//evil.example><button>Grant it</button></form>",
		"safe \u202Etxet desrever\u202C \u2066\u200B\u2060\uFEFF end",
		strings.Repeat("W", 180),
		"Z" + strings.Repeat("\u0310", 150),
	} {
		t.Run(strconv.Itoa(i), func(t *testing.T) {
			inner := &tab{t: t, ctx: ada.ctx, site: s}
			asked := s.ask(func(r *dash.AccessRequestCreate) { r.Title = &evil })
			person.Call("POST", "/api/access-requests/"+asked.PublicID+"/approve", dash.AccessRequestApproval{Digest: person.See(asked).Digest})
			agent := s.Nobody()
			agent.Key = *s.Claim(asked).APIKey
			upload(t, agent, card, strings.ReplaceAll(evil, "/", "|"), "hello")
			r := wants(agent, t, evil, "boards.edit")
			key := testkit.Decode[dash.KeyPage](t, person.Call("GET", "/api/keys", nil), http.StatusOK).Keys[0]
			inner.do(chromedp.EmulateViewport(320, 800))
			for _, at := range []string{"/", "/approvals", permissionPath(r), "/keys", "/keys/" + key.ID + "/revoke", "/cards/" + card} {
				inner.open(at)
				inner.wantUnbroken()
			}
			inner.open(permissionPath(r))
			inner.fill("deny_note", evil)
			inner.press("Deny")
			inner.wantAt(permissionPath(r), "Permission denied")
			inner.wantUnbroken()
			inner.open("/audit")
			inner.wantUnbroken()
		})
	}
}

// wantUnbroken fails where a text became more than text.
func (b *tab) wantUnbroken() {
	b.t.Helper()
	if n := run(b, chromedp.Evaluate[int](`document.querySelectorAll("main script, style, iframe, img:not([alt='']), [onerror]").length`)); n != 0 {
		b.t.Errorf("%s: %d elements that are not ours", b.at(), n)
	}
	if n := run(b, chromedp.Evaluate[int](`document.querySelectorAll("h1").length`)); n != 1 {
		b.t.Errorf("%s: %d headings of the page", b.at(), n)
	}
	if run(b, chromedp.Evaluate[bool](`/[\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\u0085]/.test(document.documentElement.textContent)`)) {
		b.t.Errorf("%s: characters that nobody sees", b.at())
	}
	b.wantNoSidewaysScrolling()
}

// upload attaches a file as an agent would.
func upload(t testing.TB, agent *testkit.Caller, card, name, content string) dash.Attachment {
	t.Helper()
	r := agent.Request("POST", "/api/issues/"+card+"/attachments?board=1&filename="+url.QueryEscape(name), content)
	r.Header.Set("Content-Type", "application/octet-stream")
	return testkit.Decode[dash.AttachmentKept](t, agent.Do(r), http.StatusCreated).Attachment
}

// TestGrantsByKeyboardAlone decides on requests without a mouse.
func TestGrantsByKeyboardAlone(t *testing.T) {
	s := newSite(t)
	agent := s.Agent(s.SetUp(), dash.PermissionCardsView)
	ada := newPerson(t, s)
	ada.open("/signin")
	ada.signIn("ada@example.com")

	r := wants(agent, t, "It has to be written.", "cards.edit")
	ada.open(r.ApprovalURL)
	ada.tabTo("What has to change?")
	ada.typed("Say for which card.")
	ada.tabTo("Ask for changes")
	ada.enter()
	ada.wantSays("Sent back for changes", "Say for which card.")

	r = wants(agent, t, "For SHOP-1.", "cards.edit")
	ada.open(r.ApprovalURL)
	ada.tabTo("Grant it")
	ada.enter()
	ada.wantSays("Permission granted")
	if !strings.Contains(holds(t, agent), "cards.edit") {
		t.Error("the key does not hold it")
	}
	ada.open("/keys")
	ada.tabTo("Revoke the key " + strings.Fields(ada.text(".key-facts dd"))[0])
	ada.enter()
	ada.tabTo("Revoke the key")
	ada.enter()
	ada.wantSays("This key has ended", "its open streams have ended", "The agent is told")
	if a := agent.Call("GET", "/api/auth/me", nil); a.Code() != "key_revoked" {
		t.Errorf("the key's next call: %d %s", a.Status, a.Body)
	}
	ada.open("/audit")
	ada.wantSays("Ada revoked the key", "Ada granted more to the key", "Say for which card.", "Ada signed in", "Ada set the team up")
}

// TestACardGetsACover: a picture is attached, stands for its card, is replaced in place, and removed.
func TestACardGetsACover(t *testing.T) {
	scripted(t, func(t *testing.T, s *site, ada *tab) {
		d := newDesk(t, s.SetUp())
		card := d.add("ToDo", "Mend the checkout").ID
		ada.open("/signin?next=" + d.card(card))
		ada.signIn("ada@example.com")
		send := func(field, button, name string, content []byte) {
			t.Helper()
			file := filepath.Join(t.TempDir(), name)
			if err := os.WriteFile(file, content, 0o600); err != nil {
				t.Fatal(err)
			}
			node := run(ada, chromedp.Nodes(chromedp.CSSAll(field)))[0]
			call(ada, dom.SetFileInputFiles, dom.SetFileInputFilesParams{Files: []string{file}, NodeID: node.NodeID})
			ada.do(chromedp.Click(chromedp.Search(`//button[normalize-space()="` + button + `"]`)))
		}
		send("#file", "Attach", "shot.png", testkit.PNG(t, 900, 300))
		ada.until("the file", `document.querySelectorAll("#files li").length === 1 && !document.querySelector("form[aria-busy]")`, soon)
		ada.do(chromedp.Click(chromedp.Search(`//button[starts-with(normalize-space(), "Make it the cover")]`)))
		ada.until("the cover", `document.querySelector("#card-head .cover") && document.querySelector("#card-head .cover").naturalWidth === 480`, 5*soon)
		const room = `document.querySelector(".cover").getBoundingClientRect().height`
		kept := run(ada, chromedp.Evaluate[float64](room))
		before := run(ada, chromedp.Evaluate[string](`document.querySelector(".cover").getAttribute("src")`))
		board := ada.beside()
		board.open(d.path())
		board.until("the cover on the board", `document.querySelector(".tile-cover") && document.querySelector(".tile-cover").naturalWidth === 480`, 5*soon)

		ada.do(chromedp.Evaluate[chromedp.Void](`document.querySelectorAll("#files details").forEach(d => d.open = true)`))
		send(`#files li input[type="file"]`, "Replace", "other.png", testkit.PNG(t, 60, 60))
		ada.until("the new cover", `document.querySelector(".cover") && document.querySelector(".cover").naturalWidth === 60`, 5*soon)
		if now := run(ada, chromedp.Evaluate[float64](room)); now != kept {
			t.Errorf("a picture of 480 pixels takes %g, one of 60 takes %g: the page moves when it comes", kept, now)
		}
		if now := run(ada, chromedp.Evaluate[string](`document.querySelector(".cover").getAttribute("src")`)); now == before {
			t.Error("new bytes have the address of the old")
		}
		ada.do(chromedp.Evaluate[chromedp.Void](`document.querySelectorAll("#files details").forEach(d => d.open = true)`))
		ada.do(chromedp.Click(chromedp.Search(`//button[starts-with(normalize-space(), "Remove for good")]`)))
		ada.until("no file and no cover", `document.querySelectorAll("#files li").length === 0 && !document.querySelector(".cover")`, 5*soon)
		ada.wantSays("removed a file", "changed the cover", "replaced a file")
	})
}
