// SPDX-License-Identifier: Apache-2.0

package browsertest

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/accessibility"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"

	"github.com/fiftyarms/platform/gen/dash"
	"github.com/fiftyarms/platform/internal/testkit"
)

//go:embed contrast.js
var contrast string

// A scene is a page in a state that a reader meets.
type scene struct {
	name string
	show func(*tab)
}

// scenes need a site that is set up, with the requests of prepare.
func scenes(r requests) []scene {
	opened := func(path string) func(*tab) { return func(b *tab) { b.open(path) } }
	return []scene{
		{"home", opened("/")},
		{"approvals", opened("/approvals")},
		{"request-waiting", opened(path(r.waiting))},
		{"request-approved", opened(path(r.approved))},
		{"request-denied", opened(path(r.denied))},
		{"request-sent-back", opened(path(r.sentBack))},
		{"request-lapsed", opened(path(r.lapsed))},
		{"request-missing", opened("/approvals/00000000000000000000000000000000")},
		{"permission-waiting", opened(permissionPath(r.wanted))},
		{"permission-granted", opened(permissionPath(r.granted))},
		{"keys", func(b *tab) {
			b.open("/keys")
			b.do(chromedp.Evaluate[chromedp.Void](`document.querySelectorAll("details").forEach(d => d.open = true)`))
		}},
		{"revoke", func(b *tab) {
			b.open("/keys")
			b.do(chromedp.Click(chromedp.CSS(".key .deny")))
			b.until("the question", `location.pathname.endsWith("/revoke")`, soon)
		}},
		{"key-ended", opened("/keys/" + r.ended + "/revoke")},
		{"setup-used", func(b *tab) { b.open(b.site.Server.SetupLink()) }},
		{"audit", opened("/audit")},
		{"audit-filtered", opened("/audit?action=permission.denied")},
		{"approve-nothing", func(b *tab) {
			b.open(path(r.waiting))
			for i := range run(b, chromedp.Nodes(chromedp.CSSAll("input[type=checkbox]"))) {
				b.do(chromedp.Click(chromedp.CSS(fmt.Sprintf("#grant-%d", i))))
			}
			b.press("Approve")
		}},
		{"too-late", func(b *tab) {
			late := b.site.ask()
			b.open(path(late))
			b.site.Clock.Advance(11 * time.Minute)
			b.press("Deny")
			b.site.Clock.Advance(-11 * time.Minute)
		}},
	}
}

// workScenes are those of boards and cards.
func workScenes(s *site, d *desk) []scene {
	full := d.furnish()
	pictured, agent := d.add("ToDo", "Draw the basket").ID, s.Agent(d.Caller)
	upload(s.t, agent, pictured, "notes.md", "hello")
	cover := upload(s.t, agent, pictured, "shot.png", string(testkit.PNG(s.t, 900, 300)))
	d.do("PATCH", pictured, "/attachments/"+cover.ID, dash.AttachmentEdit{IsPrimary: true})
	plain := d.add("Review", "Say thanks").ID
	opened := func(path string) func(*tab) { return func(b *tab) { b.open(path) } }
	return []scene{
		{"boards", opened("/boards")},
		{"board", func(b *tab) { b.open(d.path()); b.live() }},
		{"board-filtered", opened(d.path() + "?q=mend&type=Epic")},
		{"board-one-column", opened(d.path() + "?status=Backlog")},
		{"board-forms", func(b *tab) {
			b.open(d.path())
			b.live()
			b.do(chromedp.Evaluate[chromedp.Void](`document.querySelectorAll("details").forEach(d => d.open = true)`))
		}},
		{"board-edit", opened(d.path() + "/edit")},
		{"card", func(b *tab) { b.open(d.card(full)); b.live() }},
		{"card-plain", opened(d.card(plain))},
		{"card-forms", func(b *tab) {
			b.open(d.card(full))
			b.live()
			b.do(chromedp.Evaluate[chromedp.Void](`document.querySelectorAll("details").forEach(d => d.open = true)`))
		}},
		{"card-files", func(b *tab) {
			b.open(d.card(pictured))
			b.live()
			b.do(chromedp.Evaluate[chromedp.Void](`document.querySelectorAll("#files details").forEach(d => d.open = true)`))
			b.until("drawn", `document.querySelector(".cover").naturalWidth === 480`, 5*soon)
		}},
		{"card-missing", opened(d.card("SHOP-999"))},
	}
}

// outside are the scenes of somebody who is not signed in.
func outside(link string) []scene {
	return []scene{
		{"sign-in", func(b *tab) { b.open("/signin?next=%2Fapprovals%2Fx&signed-out") }},
		{"sign-in-wrong", func(b *tab) {
			b.open("/signin")
			b.fill("email", "ada@example.com")
			b.fill("password", "not the right one")
			b.press("Sign in")
		}},
		{"setup", func(b *tab) { b.open(link) }},
		{"setup-without-token", func(b *tab) { b.open("/setup") }},
		{"setup-wrong", func(b *tab) {
			b.open("/setup?token=guessed")
			b.fill("team_name", "修理")
			b.fill("name", "Ada")
			b.fill("email", "ada@example.com")
			b.fill("password", "correct horse battery")
			b.press("Set up and sign in")
		}},
		{"missing", func(b *tab) { b.open("/nowhere") }},
	}
}

type requests struct {
	waiting, approved, denied, sentBack, lapsed dash.AccessRequestCreated
	wanted, granted                             dash.PermissionRequestCreated
	ended                                       string // a key
}

func permissionPath(r dash.PermissionRequestCreated) string { return "/permissions/" + r.PublicID }

func prepare(s *site) (r requests) {
	ada := s.SignIn("ada@example.com")
	team := "acme"
	named := func(title string) func(*dash.AccessRequestCreate) {
		return func(c *dash.AccessRequestCreate) { c.Title, c.Team = &title, &team }
	}
	r.lapsed = s.ask(named("Sort the old branches"))
	s.Clock.Advance(12 * time.Minute)
	r.approved, r.denied, r.sentBack = s.ask(named("Write the release notes")), s.ask(named("Rotate every secret")), s.ask(named("Tidy up"))
	ada.Call("POST", "/api/access-requests/"+r.approved.PublicID+"/approve", dash.AccessRequestApproval{Digest: ada.See(r.approved).Digest})
	note := "Not from this machine."
	ada.Call("POST", "/api/access-requests/"+r.denied.PublicID+"/deny", dash.RequestDenial{Digest: ada.See(r.denied).Digest, Note: &note})
	ada.Call("POST", "/api/access-requests/"+r.sentBack.PublicID+"/request-changes", dash.RequestRevision{Digest: ada.See(r.sentBack).Digest, Note: "Say which card this is for."})
	s.Clock.Advance(3 * time.Minute)
	r.waiting = s.ask(named("Mend the checkout"))
	agent := s.Agent(ada, dash.PermissionCardsView)
	r.granted = wants(agent, s.t, "The checkout needs a board.", "boards.edit")
	seen := testkit.Decode[dash.PermissionRequest](s.t, ada.Call("GET", "/api/permission-requests/"+r.granted.PublicID, nil), http.StatusOK)
	ada.Call("POST", "/api/permission-requests/"+r.granted.PublicID+"/approve", dash.PermissionApproval{Digest: seen.Digest})
	s.Clock.Advance(time.Second) // the newest is the first
	s.Agent(ada, dash.PermissionDocsView)
	r.ended = testkit.Decode[dash.KeyPage](s.t, ada.Call("GET", "/api/keys", nil), http.StatusOK).Keys[0].ID
	ada.Call("DELETE", "/api/keys/"+r.ended, nil)
	r.wanted = wants(agent, s.t, "It has to be written down.\nAnd kept.", "cards.edit", "docs.edit")
	s.Clock.Advance(2 * time.Minute)
	return r
}

// everyScene shows every scene to check, in both colour schemes and at every width, and keeps pictures of them.
func everyScene(t *testing.T, check func(t *testing.T, b *tab)) {
	t.Helper()
	s := newSite(t)
	out := newPerson(t, s)
	run := func(b *tab, all []scene) {
		for _, sc := range all {
			t.Run(sc.name, func(t *testing.T) {
				sc.show(b)
				inner := &tab{t: t, ctx: b.ctx, site: b.site}
				check(t, inner)
				for _, width := range []int64{1280, 360} {
					for _, scheme := range []string{"light", "dark"} {
						if *shots == "" {
							continue
						}
						inner.scheme(scheme)
						inner.do(chromedp.EmulateViewport(width, 800))
						inner.picture(fmt.Sprintf("%s-%d-%s", sc.name, width, scheme))
					}
				}
				inner.do(chromedp.EmulateViewport(1280, 800))
				inner.scheme("light")
			})
		}
	}
	run(out, outside(s.Server.SetupLink()))
	ada := newPerson(t, s)
	ada.setUp()
	t.Run("home-new", func(t *testing.T) { run(ada, []scene{{"first", func(b *tab) { b.open("/") }}}) })
	run(ada, []scene{{"boards-none", func(b *tab) { b.open("/boards") }}})
	run(ada, scenes(prepare(s)))
	run(ada, workScenes(s, newDesk(t, s.SignIn("ada@example.com"))))
}

// wantNoSidewaysScrolling fails if the page is wider than its window.
// tooWide names what reaches beyond the page's right edge.
const tooWide = `[...document.querySelectorAll("body *")].filter(e => e.getBoundingClientRect().right > document.documentElement.clientWidth).map(e => e.tagName + "." + e.className).join(" ") + " in " + document.documentElement.clientWidth + " px"`

func (b *tab) wantNoSidewaysScrolling() {
	b.t.Helper()
	if over := run(b, chromedp.Evaluate[int](`document.documentElement.scrollWidth - document.documentElement.clientWidth`)); over > 0 {
		b.t.Errorf("%s is %d px too wide: %s", b.at(), over, run(b, chromedp.Evaluate[string](tooWide)))
	}
}

// TestEverySceneReadsWell holds what each page owes to every reader.
func TestEverySceneReadsWell(t *testing.T) {
	everyScene(t, func(t *testing.T, b *tab) {
		b.wantSpoken()
		for _, scheme := range []string{"light", "dark"} {
			b.scheme(scheme)
			for _, problem := range run(b, chromedp.Evaluate[[]string](contrast)) {
				t.Errorf("%s: %s", scheme, problem)
			}
		}
		b.scheme("light")
		// 320 px is 1280 at 400 %, 640 is 1280 at 200 %.
		for _, width := range []int64{320, 360, 640, 1280, 2560} {
			b.do(chromedp.EmulateViewport(width, 800))
			b.wantNoSidewaysScrolling()
		}
	})
}

// wantSpoken holds the browser's own accessibility tree: everything to act on has a name, headings are in order, the
// landmarks are there once.
func (b *tab) wantSpoken() {
	b.t.Helper()
	landmarks := map[string]int{}
	level := 1 // the summary of what to mend may come before the page's own heading
	for _, n := range b.tree() {
		role, name := value(n.Role), value(n.Name)
		switch role {
		case "button", "link", "textbox", "searchbox", "combobox", "checkbox", "DisclosureTriangle", "navigation", "region", "search":
			if name == "" {
				b.t.Errorf("%s: a %s without a name", b.at(), role)
			}
		case "heading":
			l := headingLevel(n)
			if name == "" || l > level+1 {
				b.t.Errorf("%s: heading %d %q after level %d", b.at(), l, name, level)
			}
			level = l
		}
		switch role {
		case "main", "banner", "navigation":
			landmarks[role]++
		case "RootWebArea":
			if !strings.HasSuffix(name, " · 50 Arms") {
				b.t.Errorf("%s: title %q", b.at(), name)
			}
		}
	}
	if landmarks["main"] != 1 || landmarks["banner"] != 1 || landmarks["navigation"] > 1 {
		b.t.Errorf("%s: landmarks %v", b.at(), landmarks)
	}
}

// tree is the page's accessibility tree without what is left out of it.
func (b *tab) tree() []*accessibility.Node {
	b.t.Helper()
	nodes := call(b, accessibility.GetFullAXTree, accessibility.GetFullAXTreeParams{}).Nodes
	return slices.DeleteFunc(nodes, func(n *accessibility.Node) bool { return n.Ignored })
}

func value(v *accessibility.Value) string {
	if v == nil {
		return ""
	}
	var s string
	if json.Unmarshal(v.Value, &s) != nil {
		return string(v.Value)
	}
	return strings.TrimSpace(s)
}

func headingLevel(n *accessibility.Node) (level int) {
	for _, p := range n.Properties {
		if p.Name == accessibility.PropertyNameLevel {
			_ = json.Unmarshal(p.Value.Value, &level)
		}
	}
	return level
}

// TestTheContrastCheckBites proves that the measure finds what is too faint.
func TestTheContrastCheckBites(t *testing.T) {
	b := newPerson(t, newSite(t))
	b.do(chromedp.Navigate("about:blank"))
	b.do(chromedp.Evaluate[chromedp.Void](`document.body.innerHTML = '<p style="color:#999;background:#fff">faint</p><p style="color:#666;background:#fff">fine</p><input style="border:1px solid #ddd;background:#fff">'; 0`))
	got := run(b, chromedp.Evaluate[[]string](contrast))
	if len(got) != 2 || !strings.Contains(got[0], "faint") || !strings.Contains(got[1], "border") {
		t.Errorf("found %q", got)
	}
}

// TestStillForWhoWantsIt: nothing moves where the reader asked for that.
func TestStillForWhoWantsIt(t *testing.T) {
	s := newSite(t)
	s.SetUp()
	b := newPerson(t, s)
	call(b, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{{Name: "prefers-reduced-motion", Value: "reduce"}}})
	b.open("/signin")
	moving := run(b, chromedp.Evaluate[int](`[...document.querySelectorAll("*")].filter(e => { const s = getComputedStyle(e); return s.transitionDuration !== "0s" || s.animationName !== "none" }).length`))
	if moving > 0 {
		t.Errorf("%d elements move", moving)
	}
}
