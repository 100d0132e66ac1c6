// SPDX-License-Identifier: Apache-2.0

// Package browsertest drives the dashboard's pages in a real Chromium: what people do from the first start to the last
// late answer, by mouse, by keyboard alone and without scripts; what other sites try; and what every page owes to
// whoever reads it by ear, in the dark or on a small screen. One browser serves all tests, each in a profile of its own.
package browsertest

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/audits"
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/fiftyarms/platform/gen/dash"
	"github.com/fiftyarms/platform/internal/dashboard"
	"github.com/fiftyarms/platform/internal/dashboard/web"
	"github.com/fiftyarms/platform/internal/testkit"
)

// patience bounds one step of a test in the browser.
const patience = 30 * time.Second

// plainHost is a name that the browser finds on this machine and that is no secure place to it, unlike 127.0.0.1.
const plainHost = "dash.test"

var shots = flag.String("shots", "", "write a picture of each page to this folder")

var browser struct {
	once sync.Once
	home string // everything that it writes
	ctx  context.Context
	err  error
	stop []context.CancelFunc
}

func TestMain(m *testing.M) {
	flag.Parse()
	code := m.Run()
	for i := len(browser.stop) - 1; i >= 0; i-- {
		browser.stop[i]()
	}
	if err := removeHome(); err != nil {
		fmt.Fprintln(os.Stderr, "what Chromium wrote is still there:", err)
		code = 1
	}
	os.Exit(code)
}

// removeHome tries for a while: children of a browser that has ended may still write.
func removeHome() (err error) {
	for deadline := time.Now().Add(5 * time.Second); time.Now().Before(deadline); <-time.After(20 * time.Millisecond) {
		if err = os.RemoveAll(browser.home); err == nil {
			return nil
		}
	}
	return err
}

// chromium starts the browser that all tests share.
func chromium(t *testing.T) context.Context {
	t.Helper()
	path := testkit.Need(t, "chromium")
	browser.once.Do(func() {
		if browser.home, browser.err = os.MkdirTemp("", "browsertest-"); browser.err != nil {
			return
		}
		at := func(name string) string { return name + "=" + browser.home }
		options := append(chromedp.DefaultExecAllocatorOptions[:],
			chromedp.ExecPath(path), chromedp.DisableGPU, chromedp.UserDataDir(filepath.Join(browser.home, "profile")),
			chromedp.Env(at("HOME"), at("TMPDIR"), at("XDG_CONFIG_HOME"), at("XDG_CACHE_HOME"), at("XDG_DATA_HOME"), at("XDG_RUNTIME_DIR")),
			chromedp.Flag("host-resolver-rules", "MAP "+plainHost+" 127.0.0.1"),
		)
		if os.Geteuid() == 0 {
			options = append(options, chromedp.NoSandbox) // the sandbox does not work for root
		}
		allocator, stop := chromedp.NewExecAllocator(context.Background(), options...)
		browser.stop = append(browser.stop, stop)
		browser.ctx, stop = chromedp.NewContext(allocator)
		browser.stop = append(browser.stop, stop)
		browser.err = chromedp.Do(browser.ctx)
	})
	if browser.err != nil {
		t.Fatalf("start Chromium: %v", browser.err)
	}
	return browser.ctx
}

// A site is a running dashboard with its pages.
type site struct {
	*testkit.Running
	t *testing.T
}

func newSite(t *testing.T, options ...testkit.Option) *site {
	t.Helper()
	options = append(options, testkit.With(func(c *dashboard.Config) {
		c.Web = func(api http.Handler) (http.Handler, error) {
			return web.New(api, web.Options{PublicURL: c.PublicURL, Command: []string{"platform-mcp"}, Now: c.Now, Log: c.Log})
		}
	}))
	return &site{testkit.Dashboard(t, options...), t}
}

// ask makes a request for access as an agent would.
func (s *site) ask(change ...func(*dash.AccessRequestCreate)) dash.AccessRequestCreated {
	s.t.Helper()
	title, version, host, project := "Mend the checkout", "2.1.0", "ada-laptop", "shop"
	body := dash.AccessRequestCreate{Title: &title, Client: dash.AskingClient{Name: "claude-code", Version: &version, Host: &host, Project: &project}}
	for _, c := range change {
		c(&body)
	}
	return s.Ask(body)
}

func path(request dash.AccessRequestCreated) string { return "/approvals/" + request.PublicID }

// A tab is one tab of a person's browser.
type tab struct {
	t     *testing.T
	ctx   context.Context
	site  *site
	mu    sync.Mutex
	alarm []string // what the browser found wrong: policy violations, dialogs, scripts that failed
}

// newPerson opens a tab in a fresh profile: no cookie, no history.
func newPerson(t *testing.T, s *site) *tab {
	t.Helper()
	return newTab(t, s, chromium(t), chromedp.WithNewBrowserContext())
}

// beside opens another tab of the same person.
func (b *tab) beside() *tab {
	b.t.Helper()
	return newTab(b.t, b.site, b.ctx)
}

func newTab(t *testing.T, s *site, from context.Context, options ...chromedp.ContextOption) *tab {
	t.Helper()
	ctx, cancel := chromedp.NewContext(from, options...)
	t.Cleanup(cancel)
	b := &tab{t: t, ctx: ctx, site: s}
	b.must(chromedp.Listen(ctx, b.listen))
	for _, enable := range []cdp.Command[cdp.Empty, cdp.Empty]{log.Enable, audits.Enable} {
		_, err := chromedp.Call(ctx, enable, cdp.Empty{})
		b.must(err)
	}
	t.Cleanup(func() {
		if alarm := b.alarms(); len(alarm) > 0 {
			t.Errorf("the browser complains: %q", alarm)
		}
	})
	return b
}

// listen notes what no page of ours may cause.
func (b *tab) listen(event any) {
	var what string
	switch e := event.(type) {
	case *log.EventEntryAdded:
		if e.Entry.Source == log.EntrySourceSecurity || strings.Contains(e.Entry.Text, "Content Security Policy") {
			what = e.Entry.Text
		}
	case *audits.EventIssueAdded:
		switch e.Issue.Code {
		case audits.InspectorIssueCodeContentSecurityPolicyIssue, audits.InspectorIssueCodeMixedContentIssue:
			what = string(e.Issue.Code)
		}
	case *page.EventJavascriptDialogOpening:
		what = "a dialog: " + e.Message
	}
	if what != "" {
		b.mu.Lock()
		defer b.mu.Unlock()
		b.alarm = append(b.alarm, what)
	}
}

// alarms are what the browser found wrong so far; they are told once.
func (b *tab) alarms() []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	out := b.alarm
	b.alarm = nil
	return out
}

func (b *tab) must(err error) {
	b.t.Helper()
	if err != nil {
		where, _ := chromedp.Run(b.ctx, chromedp.Location())
		b.t.Fatalf("%v (at %s)", err, where)
	}
}

// do runs steps that return nothing.
func (b *tab) do(steps ...chromedp.Action[chromedp.Void]) {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(b.ctx, patience)
	defer cancel()
	b.must(chromedp.Do(ctx, steps...))
}

// run runs one action for its value.
func run[T any](b *tab, action chromedp.Action[T]) T {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(b.ctx, patience)
	defer cancel()
	v, err := chromedp.Run(ctx, action)
	b.must(err)
	return v
}

// call sends a command of the browser's protocol.
func call[P, R any](b *tab, command cdp.Command[P, R], params P) R {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(b.ctx, patience)
	defer cancel()
	r, err := chromedp.Call(ctx, command, params)
	b.must(err)
	return r
}

// load runs steps that lead to another page, waits for it, and answers with its status.
func (b *tab) load(steps ...chromedp.Action[chromedp.Void]) int {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(b.ctx, patience)
	defer cancel()
	r, err := chromedp.RunResponse(ctx, steps...)
	b.must(err)
	if r == nil {
		b.t.Fatal("the browser loaded no page")
	}
	return int(r.Status)
}

// open goes to a path of the site, or to a whole address.
func (b *tab) open(at string) int {
	b.t.Helper()
	if strings.HasPrefix(at, "/") {
		at = b.site.URL + at
	}
	return b.load(chromedp.Navigate(at))
}

// press clicks the button with this text.
func (b *tab) press(text string) int {
	b.t.Helper()
	return b.load(chromedp.Click(chromedp.Search(`//button[normalize-space()="` + text + `"]`)))
}

// follow clicks the link with this text in the page's main part.
func (b *tab) follow(text string) int {
	b.t.Helper()
	return b.load(chromedp.Click(chromedp.Search(`//main//a[normalize-space()="` + text + `"]`)))
}

// fill writes over what a field holds.
func (b *tab) fill(id, value string) {
	b.t.Helper()
	b.do(chromedp.Focus(chromedp.ID(id)), chromedp.KeyEvent("a", chromedp.KeyModifiers(kb.ModifierCtrl)))
	call(b, input.InsertText, input.InsertTextParams{Text: value})
}

func (b *tab) text(css string) string {
	b.t.Helper()
	return run(b, chromedp.Text(chromedp.CSS(css)))
}

func (b *tab) h1() string { b.t.Helper(); return b.text("h1") }

// at is the path where the tab is, with its query.
func (b *tab) at() string {
	b.t.Helper()
	where := run(b, chromedp.Location())
	return strings.TrimPrefix(where, b.site.URL)
}

// wantAt fails unless the tab is at a path and its heading says what it should.
func (b *tab) wantAt(path, h1 string) {
	b.t.Helper()
	if at, h := b.at(), b.h1(); at != path || h != h1 {
		b.t.Fatalf("at %s under %q, want %s under %q", at, h, path, h1)
	}
}

// wantSays fails unless the page's main part says each text.
func (b *tab) wantSays(texts ...string) {
	b.t.Helper()
	main := strings.Join(strings.Fields(run(b, chromedp.TextContent(chromedp.CSS("main")))), " ")
	for _, want := range texts {
		if !strings.Contains(main, want) {
			b.t.Errorf("%s does not say %q:\n%s", b.at(), want, main)
		}
	}
}

// withoutScripts forbids the tab to run any.
func (b *tab) withoutScripts() {
	b.t.Helper()
	call(b, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: true})
}

// scheme asks for light or dark, and for stillness: a colour on its way to another cannot be measured.
func (b *tab) scheme(name string) {
	b.t.Helper()
	call(b, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{
		{Name: "prefers-color-scheme", Value: name}, {Name: "prefers-reduced-motion", Value: "reduce"},
	}})
}

// setUp sets the site up through its printed link, and leaves the tab signed in as Ada.
func (b *tab) setUp() {
	b.t.Helper()
	b.open(b.site.Server.SetupLink())
	b.fill("team_name", "Acme")
	b.fill("name", "Ada")
	b.fill("email", "ada@example.com")
	b.fill("password", testkit.Password)
	if status := b.press("Set up and sign in"); status != http.StatusOK {
		b.t.Fatalf("setting up led to a page with status %d", status)
	}
}

func (b *tab) signIn(email string) int {
	b.t.Helper()
	b.fill("email", email)
	b.fill("password", testkit.Password)
	return b.press("Sign in")
}

// cookies are the cookies of the site in this tab's profile.
func (b *tab) cookies() []*network.Cookie {
	b.t.Helper()
	return call(b, network.GetCookies, network.GetCookiesParams{URLs: []string{b.site.URL}}).Cookies
}

// picture keeps what the tab shows, if somebody asked for pictures.
func (b *tab) picture(name string) {
	b.t.Helper()
	if *shots == "" {
		return
	}
	png := run(b, chromedp.FullScreenshot(100))
	if err := errors.Join(os.MkdirAll(*shots, 0o755), os.WriteFile(filepath.Join(*shots, name+".png"), png, 0o644)); err != nil {
		b.t.Fatal(err)
	}
}
