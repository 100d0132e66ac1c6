// SPDX-License-Identifier: Apache-2.0

package browsertest

import (
	"fmt"
	"math/rand/v2"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/fiftyarms/platform/gen/dash"
	"github.com/fiftyarms/platform/internal/dashboard"
	"github.com/fiftyarms/platform/internal/testkit"
)

// twoAndAnAgent are two people at one board, each in a browser of their own, and an agent that works on it too.
func twoAndAnAgent(t *testing.T) (ada, bob *tab, d *desk) {
	t.Helper()
	s := newSite(t)
	owner := s.SetUp()
	d = newDesk(t, owner)
	s.Join("Bob", "cards.view", "cards.edit")
	agent := s.Agent(owner)
	for _, email := range []string{"ada@example.com", "bob@example.com"} {
		b := newPerson(t, s)
		b.open("/signin?next=" + d.path())
		b.signIn(email)
		if ada == nil {
			ada = b
		} else {
			bob = b
		}
	}
	return ada, bob, &desk{Caller: agent, t: t, board: d.board}
}

// wantBoard waits until the tabs show the cards as the API lists them.
func wantBoard(t *testing.T, d *desk, tabs ...*tab) {
	t.Helper()
	start := time.Now()
	want := d.columns()
	for _, b := range tabs {
		for got := ""; got != want; {
			if time.Since(start) > patience/3 {
				t.Fatalf("the page shows\n%s\nthe API says\n%s", got, want)
			}
			got = b.columns()
		}
	}
	if took := time.Since(start); took > soon {
		t.Logf("the pages took %s to agree", took)
	}
}

func TestWhatOthersDoShows(t *testing.T) {
	ada, bob, agent := twoAndAnAgent(t)
	for _, b := range []*tab{ada, bob} {
		b.open(agent.path())
		b.live()
	}
	one := agent.add("ToDo", "Mend the checkout").ID
	two := agent.add("ToDo", "Read the price list").ID
	wantBoard(t, agent, ada, bob)
	ada.says("ToDo 2")

	agent.move(one, "In Progress")
	wantBoard(t, agent, ada, bob)
	ada.says("In Progress 1")

	agent.edit(two, map[string]any{"title": "Read the whole price list", "blocked": map[string]any{"reason": "No list."}})
	ada.says("Read the whole price list")
	bob.says("Blocked")

	agent.move(two, "Backlog", "")
	wantBoard(t, agent, ada, bob)

	bob.open("/boards")
	bob.live()
	agent.add("Review", "Say thanks")
	bob.says("Review 1")
}

// TestEverybodyEndsWithTheSameOrder: two browsers and an agent move the same cards at once. Whatever won, all show it.
func TestEverybodyEndsWithTheSameOrder(t *testing.T) {
	ada, bob, agent := twoAndAnAgent(t)
	var ids []string
	for i := range 8 {
		ids = append(ids, agent.add("ToDo", fmt.Sprintf("Card %d", i)).ID)
	}
	for _, b := range []*tab{ada, bob} {
		b.open(agent.path())
		b.live()
	}
	statuses := []dash.IssueStatus{"Review", "ToDo", "In Progress", "Backlog"}
	var all sync.WaitGroup
	all.Go(func() {
		chance := rand.New(rand.NewPCG(1, 2))
		for range 40 {
			to, after := statuses[chance.IntN(len(statuses))], []string{}
			if chance.IntN(2) == 0 {
				after = []string{""}
			}
			agent.move(ids[chance.IntN(len(ids))], to, after...)
		}
	})
	for n, b := range []*tab{ada, bob} {
		all.Go(func() {
			chance := rand.New(rand.NewPCG(3, uint64(n)))
			for range 15 {
				// By the card's own form, as a person would, on the page as it is at this moment.
				b.do(chromedp.Evaluate[chromedp.Void](fmt.Sprintf(`(() => {
					const form = document.querySelector('[data-card=%q] form');
					if (!form) return; // it is on its way between two columns
					form.elements.namedItem("status").value = %q;
					form.elements.namedItem("place").value = %q;
					form.requestSubmit();
				})()`, ids[chance.IntN(len(ids))], statuses[chance.IntN(len(statuses))], []string{"top", "end"}[chance.IntN(2)])))
			}
		})
	}
	all.Wait()
	for _, b := range []*tab{ada, bob} {
		b.until("quiet", `!document.querySelector("form[aria-busy]")`, soon)
	}
	wantBoard(t, agent, ada, bob)
}

// TestAnAnswerThatComesLateShowsNothingOld: what the page asked for first and got last is not what it shows.
func TestAnAnswerThatComesLateShowsNothingOld(t *testing.T) {
	ada, _, agent := twoAndAnAgent(t)
	card := agent.add("ToDo", "First").ID
	ada.open(agent.path())
	ada.live()
	// The first question of the page is answered, and the answer is held back.
	ada.do(chromedp.Evaluate[chromedp.Void](`(() => {
		const real = window.fetch;
		let first = true;
		window.fetch = async (...a) => {
			const hold = first;
			first = false;
			const answer = await real(...a);
			if (hold) await new Promise(r => window.letGo = r);
			return answer;
		};
	})()`))
	agent.edit(card, map[string]any{"title": "Second"})
	ada.until("holding an answer", `window.letGo`, soon)
	agent.edit(card, map[string]any{"title": "Third"})
	// A form's answer overtakes it.
	ada.do(chromedp.Evaluate[chromedp.Void](`(() => {
		document.querySelector("#new-card details").open = true;
		const form = document.querySelector("#new-card form");
		form.elements.namedItem("title").value = "Made meanwhile";
		form.requestSubmit();
	})()`))
	ada.says("Made meanwhile")
	ada.says("Third")
	ada.do(chromedp.Evaluate[chromedp.Void](`window.letGo(); 0`))
	ada.says("Third")
	wantBoard(t, agent, ada)
}

func TestAFilterFollowsWhatIsTyped(t *testing.T) {
	ada, _, agent := twoAndAnAgent(t)
	bug := dash.IssueTypeBug
	agent.add("ToDo", "Mend the checkout")
	agent.add("ToDo", "Mend the till", func(c *dash.IssueCreate) { c.Type = &bug })
	agent.add("Done", "Sharpen the saw")
	ada.open(agent.path())
	ada.live()
	ada.do(chromedp.Focus(chromedp.ID("filter-q")))
	ada.typed("mend")
	ada.until("filtered", `document.querySelectorAll("[data-card]").length === 2`, soon)
	if at := ada.at(); at != agent.path()+"?q=mend" {
		t.Errorf("at %s", at)
	}
	// What happens elsewhere is filtered too, and what is typed stays.
	agent.add("Review", "Mend the door")
	agent.add("Review", "Paint the door")
	ada.until("showing what matches", `document.querySelectorAll("[data-card]").length === 3`, soon)
	if v := run(ada, chromedp.Value(chromedp.ID("filter-q"))); v != "mend" {
		t.Errorf("the field holds %q", v)
	}
	ada.do(chromedp.Focus(chromedp.ID("filter-type")))
	ada.typed("Bug")
	ada.until("filtered by type", `document.querySelectorAll("[data-card]").length === 1`, soon)
	ada.says("SHOP-2 Mend the till")
	if status := ada.load(chromedp.Reload()); status != http.StatusOK {
		t.Errorf("status %d", status)
	}
	ada.says("SHOP-2 Mend the till")
	if cards := run(ada, chromedp.Evaluate[int](`document.querySelectorAll("[data-card]").length`)); cards != 1 {
		t.Errorf("%d cards after a reload", cards)
	}
}

// TestACardIsLive: what agents do to a card shows on its page, and what a person is typing there stays.
func TestACardIsLive(t *testing.T) {
	ada, _, agent := twoAndAnAgent(t)
	card := agent.add("ToDo", "Mend the checkout").ID
	ada.open(agent.card(card))
	ada.live()
	ada.do(chromedp.Focus(chromedp.ID("comment")))
	ada.typed("Half a sen")
	agent.do("POST", card, "/comments", dash.CommentCreate{Body: "The voucher is read **too late**."})
	ada.says("The voucher is read too late.")
	agent.edit(card, map[string]any{"title": "Mend the till", "description": "# Why", "blocked": map[string]any{"reason": "No till."}})
	ada.says("Mend the till")
	ada.says("No till.")
	agent.move(card, "Backlog")
	ada.says("Status: Backlog")
	ada.says("moved it from ToDo to Backlog")
	agent.do("POST", card, "/acceptance", dash.AcceptanceItemCreate{Title: "It holds."})
	ada.says("Open It holds.")
	ada.typed("tence.")
	if v := run(ada, chromedp.Value(chromedp.ID("comment"))); v != "Half a sentence." {
		t.Errorf("the comment is %q", v)
	}
	if f := ada.focused(); f.Name != "Comment" {
		t.Errorf("%q has the keyboard", f.Name)
	}
	if title := run(ada, chromedp.Title()); title != card+" Mend the till · 50 Arms" {
		t.Errorf("title %q", title)
	}
	ada.do(chromedp.Click(chromedp.Search(`//button[normalize-space()="Comment"]`)))
	ada.says("Half a sentence.")
	if v := run(ada, chromedp.Value(chromedp.ID("comment"))); v != "" {
		t.Errorf("the field still holds %q", v)
	}
	ada.do(chromedp.Click(chromedp.CSS("#item-1 button")))
	ada.says("Checked It holds.")
}

// TestALiveEditLosesNothing: who edits a card while an agent changes it keeps what they typed, and writes over nothing
// that they did not see.
func TestALiveEditLosesNothing(t *testing.T) {
	ada, _, agent := twoAndAnAgent(t)
	card := agent.add("ToDo", "Mend the checkout").ID
	ada.open(agent.card(card))
	ada.live()
	ada.do(chromedp.Click(chromedp.CSS("#edit summary")))
	ada.fill("edit-title", "Mend it by hand")
	agent.edit(card, map[string]any{"title": "Mend it by machine", "description": "Said meanwhile."})
	ada.says("Mend it by machine") // in the heading
	ada.do(chromedp.Click(chromedp.Search(`//button[normalize-space()="Save"]`)))
	ada.says("Nothing was changed")
	ada.says("Now there is: Mend it by machine")
	if v := run(ada, chromedp.Value(chromedp.ID("edit-title"))); v != "Mend it by hand" {
		t.Errorf("the title is %q", v)
	}
	if got := agent.get(card); got.Title != "Mend it by machine" {
		t.Errorf("the card is %q", got.Title)
	}
	// Something else happens meanwhile: the form that came back stays.
	agent.do("POST", card, "/comments", dash.CommentCreate{Body: "Still there?"})
	ada.says("Still there?")
	if v := run(ada, chromedp.Value(chromedp.ID("edit-title"))); v != "Mend it by hand" {
		t.Errorf("the title is %q after an event", v)
	}
	ada.do(chromedp.Click(chromedp.Search(`//button[normalize-space()="Save"]`)))
	ada.until("saved", `document.querySelector("h1").textContent.includes("Mend it by hand")`, soon)
	if got := agent.get(card); got.Title != "Mend it by hand" || got.Description == nil || *got.Description != "Said meanwhile." {
		t.Errorf("the card is %q, %v", got.Title, got.Description)
	}
}

// A front is where the browser reaches a site that goes away and comes back.
type front struct {
	t       *testing.T
	address string
	server  *http.Server
	done    chan struct{}
}

func (f *front) start(handler http.Handler) {
	f.t.Helper()
	l, err := net.Listen("tcp", f.address)
	for deadline := time.Now().Add(patience); err != nil && time.Now().Before(deadline); {
		l, err = net.Listen("tcp", f.address)
	}
	if err != nil {
		f.t.Fatal(err)
	}
	f.address = l.Addr().String()
	f.server, f.done = &http.Server{Handler: handler}, make(chan struct{})
	go func() {
		defer close(f.done)
		_ = f.server.Serve(l)
	}()
}

func (f *front) stop() {
	f.t.Helper()
	_ = f.server.Close()
	<-f.done
}

// TestAPageCatchesUpAfterARestart: what happened while no server answered shows when another one does, on the same data.
func TestAPageCatchesUpAfterARestart(t *testing.T) {
	f := &front{t: t, address: "127.0.0.1:0"}
	f.start(nil)
	f.stop()
	var config *dashboard.Config
	s := newSite(t, testkit.With(func(c *dashboard.Config) { c.PublicURL, config = "http://"+f.address, c }))
	d := newDesk(t, s.SetUp())
	d.add("ToDo", "Mend the checkout")
	direct := s.URL
	f.start(s.Server.Handler())
	t.Cleanup(f.stop)
	s.URL = "http://" + f.address
	ada := newPerson(t, s)
	ada.open("/signin?next=" + d.path())
	ada.signIn("ada@example.com")
	ada.live()

	f.stop()
	ada.until("telling", `document.getElementById("live-state").textContent === "Reconnecting…"`, 5*time.Second)
	s.URL = direct
	d.add("ToDo", "Made while nobody answered")
	d.move("SHOP-1", "Done")
	s.URL = "http://" + f.address
	another, err := dashboard.New(t.Context(), *config)
	if err != nil {
		t.Fatal(err)
	}
	f.start(another.Handler())
	ada.says("Made while nobody answered")
	wantBoard(t, d, ada)
	ada.live()
}

// TestATabThatNobodySeesLetsItsStreamGo and takes it up again where it was.
func TestATabThatNobodySeesLetsItsStreamGo(t *testing.T) {
	ada, _, agent := twoAndAnAgent(t)
	ada.open(agent.path())
	ada.live()
	hide := func(hidden bool) {
		ada.do(chromedp.Evaluate[chromedp.Void](fmt.Sprintf(`(() => {
			document.querySelector("main").dataset.rest = "1";
			Object.defineProperty(document, "hidden", { configurable: true, value: %t });
			document.dispatchEvent(new Event("visibilitychange"));
		})()`, hidden)))
	}
	hide(true)
	ada.until("closed", `(performance.now() - (window.since ??= performance.now())) > 300`, 5*time.Second)
	agent.add("ToDo", "Unseen")
	ada.until("still", `(performance.now() - window.since) > 900`, 5*time.Second)
	if got := ada.columns(); strings.Contains(got, "SHOP-1") {
		t.Error("a hidden tab follows")
	}
	hide(false)
	wantBoard(t, agent, ada)
}

// TestSigningOutElsewhereEndsTheStream: the page says so and offers a way back, and keeps what is typed.
func TestSigningOutElsewhereEndsTheStream(t *testing.T) {
	s := newSite(t, testkit.With(func(c *dashboard.Config) {
		c.Pace.KeepAlive, c.Pace.Recheck = 100*time.Millisecond, 200*time.Millisecond
	}))
	d := newDesk(t, s.SetUp())
	card := d.add("ToDo", "Mend the checkout").ID
	ada := newPerson(t, s)
	ada.open("/signin?next=" + d.card(card))
	ada.signIn("ada@example.com")
	ada.live()
	ada.fill("comment", "Not sent yet")
	other := ada.beside()
	other.open("/")
	other.press("Sign out")
	ada.until("told", `document.getElementById("live-alert").textContent.includes("signed out")`, 20*time.Second)
	if v := run(ada, chromedp.Value(chromedp.ID("comment"))); v != "Not sent yet" {
		t.Errorf("the comment is %q", v)
	}
	ada.load(chromedp.Click(chromedp.CSS("#live-alert a")))
	if at := ada.at(); !strings.HasPrefix(at, "/signin?next=%2Fboards%2F1%2Fcards%2FSHOP-1") {
		t.Errorf("at %s", at)
	}
}

// TestWithoutAServerNothingTypedIsLost: the form says so, and works when it is sent again.
func TestWithoutAServerNothingTypedIsLost(t *testing.T) {
	ada, _, agent := twoAndAnAgent(t)
	card := agent.add("ToDo", "Mend the checkout").ID
	ada.open(agent.card(card))
	ada.live()
	ada.fill("comment", "Said once")
	offline := func(off bool) {
		call(ada, network.Enable, network.EnableParams{})
		call(ada, network.EmulateNetworkConditionsByRule, network.EmulateNetworkConditionsByRuleParams{
			MatchedNetworkConditions: []*network.Conditions{{Offline: off, DownloadThroughput: -1, UploadThroughput: -1}},
		})
	}
	offline(true)
	ada.do(chromedp.Click(chromedp.Search(`//button[normalize-space()="Comment"]`)))
	ada.until("telling", `document.getElementById("live-alert").textContent.includes("could not be reached")`, 5*time.Second)
	if v := run(ada, chromedp.Value(chromedp.ID("comment"))); v != "Said once" {
		t.Errorf("the comment is %q", v)
	}
	offline(false)
	ada.do(chromedp.Focus(chromedp.Search(`//button[normalize-space()="Comment"]`)), chromedp.KeyEvent(kb.Enter))
	ada.says("Said once")
	if n := run(ada, chromedp.Evaluate[int](`document.querySelectorAll(".comment").length`)); n != 1 {
		t.Errorf("%d comments", n)
	}
}

// stand puts a stream in the page that says what the test says.
const stand = `window.streams = [];
window.EventSource = class extends EventTarget {
	static CLOSED = 2;
	readyState = 1;
	constructor(url) { super(); this.url = url; streams.push(this); setTimeout(() => this.onopen?.()); }
	close() { this.readyState = 2; }
};
window.tell = (kind, data, id) => streams.at(-1).dispatchEvent(Object.assign(new MessageEvent(kind, { data: JSON.stringify(data), lastEventId: id ?? "" })));`

// TestThePageDoesWhatItsStreamSays: each frame that is no event of the log, and a connection that breaks.
func TestThePageDoesWhatItsStreamSays(t *testing.T) {
	ada, _, agent := twoAndAnAgent(t)
	call(ada, page.AddScriptToEvaluateOnNewDocument, page.AddScriptToEvaluateOnNewDocumentParams{Source: stand})
	ada.open(agent.path())
	ada.live()
	opened := func() string {
		t.Helper()
		return run(ada, chromedp.Evaluate[string](`streams.at(-1).url`))
	}
	tell := func(js string) { t.Helper(); ada.do(chromedp.Evaluate[chromedp.Void](js + "; 0")) }
	first := opened()
	if !strings.HasPrefix(first, "/api/stream?topics=board%3A1&after=") {
		t.Errorf("opened %s", first)
	}

	agent.add("ToDo", "Made meanwhile")
	tell(`tell("stale", { cursor: "9001" })`)
	ada.says("Made meanwhile")
	agent.add("ToDo", "Made next")
	tell(`tell("issue.created", { kind: "issue.created", issue: "SHOP-2", changes: [] }, "9002")`)
	ada.says("Made next")

	tell(`tell("end", { reason: "server_ends" })`)
	ada.until("opening again", `streams.length === 2`, 3*time.Second)
	if got := opened(); !strings.HasSuffix(got, "&after=9002") {
		t.Errorf("opened %s again", got)
	}
	tell(`streams.at(-1).onerror()`)
	ada.until("opening again", `streams.length === 3`, 3*time.Second)
	ada.live()
	agent.add("ToDo", "Made at last")
	tell(`tell("end", { reason: "permissions_changed" })`)
	ada.says("Made at last")
	ada.until("opening again", `streams.length === 4`, 3*time.Second)
	tell(`tell("end", { reason: "signed_out" })`)
	ada.until("told", `document.getElementById("live-alert").textContent.includes("signed out")`, soon)
	ada.until("a while", `(performance.now() - (window.since ??= performance.now())) > 1500`, 3*time.Second)
	if n := run(ada, chromedp.Evaluate[int](`streams.length`)); n != 4 {
		t.Errorf("%d streams", n)
	}
}

// TestABurstIsOneQuestion: many events at once make the page ask once, and each event only for what it concerns.
func TestABurstIsOneQuestion(t *testing.T) {
	ada, _, agent := twoAndAnAgent(t)
	card := agent.add("ToDo", "Mend the checkout").ID
	call(ada, page.AddScriptToEvaluateOnNewDocument, page.AddScriptToEvaluateOnNewDocumentParams{Source: stand + `
		window.asked = [];
		const real = window.fetch;
		window.fetch = (url, init) => { asked.push(init.headers["X-Fragment"]); return real(url, init); };`})
	ada.open(agent.path())
	ada.live()
	ada.do(chromedp.Evaluate[chromedp.Void](fmt.Sprintf(`for (let i = 0; i < 50; i++) tell("issue.edited", { kind: "issue.edited", issue: %q, changes: [] }, String(9000 + i)); 0`, card)))
	ada.until("asking", `asked.length > 0`, soon)
	ada.do(chromedp.Evaluate[chromedp.Void](`tell("issue.transitioned", { kind: "issue.transitioned", issue: "SHOP-77", changes: [{ field: "status", from: "Review", to: "Done" }] }, "9100"); 0`))
	ada.until("asking again", `asked.length > 1`, soon)
	if got := run(ada, chromedp.Evaluate[string](`asked.join(" | ")`)); got != "column-todo | column-review column-done" {
		t.Errorf("asked for %s", got)
	}
}
