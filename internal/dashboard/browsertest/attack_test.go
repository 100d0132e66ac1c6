// SPDX-License-Identifier: Apache-2.0

package browsertest

import (
	"fmt"
	"html"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/fiftyarms/platform/gen/dash"
	"github.com/fiftyarms/platform/internal/testkit"
)

// evilSite serves one page with a form that is aimed at the dashboard.
func evilSite(t *testing.T, action string, fields url.Values) *httptest.Server {
	t.Helper()
	var form strings.Builder
	fmt.Fprintf(&form, `<!DOCTYPE html><title>Win</title><form method="post" action="%s">`, html.EscapeString(action))
	for name, values := range fields {
		for _, v := range values {
			fmt.Fprintf(&form, `<input type="hidden" name="%s" value="%s">`, name, html.EscapeString(v))
		}
	}
	form.WriteString(`<button>Win</button></form>`)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprint(w, form.String())
	}))
	t.Cleanup(s.Close)
	return s
}

// TestOtherSitesDecideNothing: a page of another origin that knows the link and the digest posts an approval. From
// another port of this host the cookie comes along, and the origin gives it away; from another host not even the cookie
// does.
func TestOtherSitesDecideNothing(t *testing.T) {
	s := newSite(t)
	ada := newPerson(t, s)
	ada.setUp()
	request := s.ask()
	digest := s.SignIn("ada@example.com").See(request).Digest
	for name, host := range map[string]string{"another port": "127.0.0.1", "another host": plainHost} {
		t.Run(name, func(t *testing.T) {
			evil := evilSite(t, s.URL+path(request)+"/approve", url.Values{"digest": {digest}, "permissions": {"cards.view"}, "csrf_token": {"guessed"}})
			victim := newTab(t, s, ada.ctx)
			victim.open(strings.Replace(evil.URL, "127.0.0.1", host, 1))
			status := victim.press("Win")
			switch name {
			case "another port":
				if status != http.StatusForbidden {
					t.Errorf("status %d", status)
				}
				victim.wantSays("This came from another page", "Nothing was changed.")
			case "another host":
				// Without a cookie nobody is signed in; the way to the sign-in page is a read, which carries it again.
				victim.wantAt(path(request), "An agent asks for access")
			}
			if claimed := s.Claim(request); claimed.Status != dash.RequestStatusPending {
				t.Fatalf("the request is %s", claimed.Status)
			}
		})
	}
	ada.open(path(request))
	ada.wantAt(path(request), "An agent asks for access")
}

// TestOtherSitesSignNobodyIn: being signed in as somebody else unawares tells them everything.
func TestOtherSitesSignNobodyIn(t *testing.T) {
	s := newSite(t)
	s.SetUp()
	s.Join("Eve", "cards.view")
	for name, host := range map[string]string{"another port": "127.0.0.1", "another host": plainHost} {
		t.Run(name, func(t *testing.T) {
			evil := evilSite(t, s.URL+"/signin", url.Values{"email": {"eve@example.com"}, "password": {testkit.Password}})
			victim := newPerson(t, s)
			victim.open(strings.Replace(evil.URL, "127.0.0.1", host, 1))
			if status := victim.press("Win"); status != http.StatusForbidden {
				t.Errorf("status %d", status)
			}
			if c := victim.cookies(); len(c) != 0 {
				t.Errorf("cookies %+v", c)
			}
		})
	}
}

func TestOtherSitesSignNobodyOut(t *testing.T) {
	s := newSite(t)
	ada := newPerson(t, s)
	ada.setUp()
	evil := evilSite(t, s.URL+"/signout", nil)
	victim := ada.beside()
	victim.open(evil.URL)
	if status := victim.press("Win"); status != http.StatusForbidden {
		t.Errorf("status %d", status)
	}
	victim.open(s.URL + "/signout")
	ada.open("/approvals")
	ada.wantAt("/approvals", "Approvals")
}

// TestTriesAreCounted: the pages call the API from inside, and it still counts the tries of each address.
func TestTriesAreCounted(t *testing.T) {
	s := newSite(t)
	s.SetUp()
	nobody := s.Nobody()
	for try := range 11 {
		form := url.Values{"email": {"ada@example.com"}, "password": {"guess"}}
		r := nobody.Request("POST", "/signin", form.Encode())
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		a := nobody.Do(r)
		want := http.StatusUnauthorized
		if try == 10 {
			want = http.StatusTooManyRequests
		}
		if a.Status != want || (a.Header.Get("Retry-After") != "") != (try == 10) {
			t.Errorf("try %d: status %d, want %d", try, a.Status, want)
		}
	}
}

// TestNoPageIsFramed: nothing of ours can be put under somebody else's button.
func TestNoPageIsFramed(t *testing.T) {
	s := newSite(t)
	ada := newPerson(t, s)
	ada.setUp()
	request := s.ask()
	frames := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprintf(w, `<!DOCTYPE html><title>Frames</title><iframe src="%s"></iframe>`, s.URL+path(request))
	}))
	t.Cleanup(frames.Close)
	victim := ada.beside()
	victim.open(frames.URL)
	if alarm := strings.Join(victim.alarms(), "\n"); !strings.Contains(alarm, "frame-ancestors") && !strings.Contains(alarm, "ContentSecurityPolicyIssue") {
		t.Errorf("the browser framed the page: %q", alarm)
	}
}

// TestSigningInLeadsNowhereElse opens sign-in links that try to send the person to another site afterwards.
func TestSigningInLeadsNowhereElse(t *testing.T) {
	s := newSite(t)
	s.SetUp()
	for _, next := range []string{"https://evil.example/", "//evil.example/", `/\evil.example/`, "/\t/evil.example/", "javascript:alert(1)", "/%0a/evil.example", "/.//evil.example", "///evil.example"} {
		t.Run(next, func(t *testing.T) {
			s.Clock.Advance(60e9) // so that nobody has tried too often
			ada := newPerson(t, s)
			ada.open("/signin?next=" + url.QueryEscape(next))
			ada.signIn("ada@example.com")
			if where := run(ada, chromedp.Location()); !strings.HasPrefix(where, s.URL+"/") {
				t.Errorf("%q led to %s", next, where)
			}
			// The second way: somebody who is signed in already.
			ada.open("/signin?next=" + url.QueryEscape(next))
			if where := run(ada, chromedp.Location()); !strings.HasPrefix(where, s.URL+"/") {
				t.Errorf("signed in, %q led to %s", next, where)
			}
		})
	}
}

// TestHostileTextStaysText: what an agent writes can neither act nor pretend to be the page.
func TestHostileTextStaysText(t *testing.T) {
	s := newSite(t)
	ada := newPerson(t, s)
	ada.setUp()
	evils := []string{
		`"><script>alert(1)</script><img src=x onerror=alert(1)><style>*{display:none}</style>`,
		"</dd></dl><h1>Access approved</h1><form action=//evil.example><button>Approve</button></form>",
		"safe \u202Etxet desrever\u202C \u2066\u200B\u2060\uFEFF end",
		strings.Repeat("W", 200),
		"Z" + strings.Repeat("\u0310", 150),
		"line one\nApproved by Ada\r\u2028\u0085 line two",
	}
	for i, evil := range evils {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			short := []rune(evil)
			cut := func(n int) string { return string(short[:min(n, len(short))]) }
			name, version, host, project := cut(100), cut(50), cut(200), cut(200)
			team := "acme"
			request := s.ask(func(r *dash.AccessRequestCreate) {
				title := cut(200)
				r.Title, r.Team, r.Client = &title, &team, dash.AskingClient{Name: name, Version: &version, Host: &host, Project: &project}
			})
			for _, at := range []string{"/", "/approvals", path(request)} {
				ada.open(at)
				if n := run(ada, chromedp.Evaluate[int](`document.querySelectorAll("script, style, iframe, img:not([alt=''])").length`)); n != 0 {
					t.Errorf("%s: %d elements that are not ours", at, n)
				}
				if n := run(ada, chromedp.Evaluate[int](`document.querySelectorAll("h1").length`)); n != 1 {
					t.Errorf("%s: %d headings of the page", at, n)
				}
				hidden := run(ada, chromedp.Evaluate[bool](`/[\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\u0085]/.test(document.documentElement.textContent)`))
				if hidden {
					t.Errorf("%s: characters that nobody sees", at)
				}
				ada.wantNoSidewaysScrolling()
			}
			ada.picture(fmt.Sprintf("hostile-%d", i))
			ada.press("Deny")
			ada.wantAt(path(request), "Access denied")
		})
	}
}

// TestTheBrowserComplains proves that the alarm which every test ends with can go off.
func TestTheBrowserComplains(t *testing.T) {
	s := newSite(t)
	b := newPerson(t, s)
	b.open("/signin")
	b.do(chromedp.Evaluate[chromedp.Void](`document.body.setAttribute("style", "color: red"); 0`))
	run(b, chromedp.Evaluate[int](`new Promise(done => setTimeout(() => done(1), 200))`, chromedp.EvalAwaitPromise))
	if alarm := b.alarms(); len(alarm) == 0 {
		t.Error("an inline style went by unnoticed")
	}
}

// TestScriptsAreOffWhereWeSaySo proves that "without scripts" means it.
func TestScriptsAreOffWhereWeSaySo(t *testing.T) {
	loud := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprint(w, `<!DOCTYPE html><title>before</title><h1>x</h1><script>document.title = "after"</script>`)
	}))
	t.Cleanup(loud.Close)
	b := newPerson(t, newSite(t))
	b.open(loud.URL)
	if title := run(b, chromedp.Title()); title != "after" {
		t.Errorf("with scripts: title %q", title)
	}
	b.withoutScripts()
	b.open(loud.URL)
	if title := run(b, chromedp.Title()); title != "before" {
		t.Errorf("without scripts: title %q", title)
	}
}
