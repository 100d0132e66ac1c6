// SPDX-License-Identifier: Apache-2.0

package browsertest

import (
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"github.com/fiftyarms/platform/gen/dash"
	"github.com/fiftyarms/platform/internal/dashboard"
	"github.com/fiftyarms/platform/internal/testkit"
)

// scripted runs a test twice: in a browser as it comes, and in one that runs no scripts.
func scripted(t *testing.T, test func(t *testing.T, s *site, ada *tab)) {
	t.Helper()
	for _, name := range []string{"as it comes", "without scripts"} {
		t.Run(name, func(t *testing.T) {
			s := newSite(t)
			ada := newPerson(t, s)
			if name == "without scripts" {
				ada.withoutScripts()
			}
			test(t, s, ada)
		})
	}
}

func TestFirstStart(t *testing.T) {
	scripted(t, func(t *testing.T, s *site, ada *tab) {
		ada.open("/")
		ada.wantAt("/signin", "Sign in")
		ada.wantSays("open the setup link")
		ada.setUp()
		ada.wantAt("/", "Connect your first agent")
		if got, want := ada.text(".command"), "claude mcp add platform --env DANXBOT_DASHBOARD_URL="+s.URL+" --env DANXBOT_TEAM=acme -- platform-mcp"; got != want {
			t.Errorf("the command is %q, want %q", got, want)
		}
		if c := ada.cookies(); len(c) != 1 || !c[0].HTTPOnly || c[0].SameSite != "Lax" {
			t.Errorf("cookies %+v", c)
		}
		// The link worked once.
		ada.open(s.Server.SetupLink())
		if h := ada.h1(); h != "This server is already set up" {
			t.Errorf("the link, used, shows %q", h)
		}
		ada.press("Sign out")
		ada.setUpAgain(http.StatusConflict)
		ada.wantSays("already set up")
	})
}

// setUpAgain spends the setup link another time.
func (b *tab) setUpAgain(status int) {
	b.t.Helper()
	b.open(b.site.Server.SetupLink())
	b.fill("team_name", "Evil")
	b.fill("name", "Eve")
	b.fill("email", "eve@example.com")
	b.fill("password", testkit.Password)
	if got := b.press("Set up and sign in"); got != status {
		b.t.Errorf("status %d, want %d", got, status)
	}
}

func TestSetupSaysWhatToMend(t *testing.T) {
	scripted(t, func(t *testing.T, s *site, ada *tab) {
		ada.open("/setup?token=guessed-by-somebody")
		ada.fill("team_name", "Acme")
		ada.fill("name", "Ada")
		ada.fill("email", "ada@example.com")
		ada.fill("password", testkit.Password)
		if status := ada.press("Set up and sign in"); status != http.StatusForbidden {
			t.Errorf("status %d", status)
		}
		ada.wantSays("This setup link does not hold.")
		if at := ada.at(); at != "/setup" {
			t.Errorf("at %s: the token is still in the address", at)
		}

		ada.open(s.Server.SetupLink())
		ada.fill("team_name", "修理")
		ada.fill("name", "Ada")
		ada.fill("email", "ada@example.com")
		ada.fill("password", testkit.Password)
		ada.press("Set up and sign in")
		ada.wantSays("no letter or digit")
		ada.do(chromedp.Click(chromedp.CSS(`.problems a[href="#team_slug"]`)))
		ada.do(chromedp.KeyEvent("repair"))
		ada.fill("password", testkit.Password)
		if status := ada.press("Set up and sign in"); status != http.StatusOK {
			t.Errorf("status %d", status)
		}
		ada.wantAt("/", "Connect your first agent")
	})
}

func TestSignOutAndIn(t *testing.T) {
	scripted(t, func(t *testing.T, s *site, ada *tab) {
		ada.setUp()
		ada.press("Sign out")
		ada.wantAt("/signin?signed-out", "Sign in")
		ada.wantSays("You are signed out.")
		if c := ada.cookies(); len(c) != 0 {
			t.Errorf("a cookie is left: %+v", c)
		}
		ada.open("/approvals")
		ada.wantAt("/signin?next=%2Fapprovals", "Sign in")

		ada.fill("email", "ada@example.com")
		ada.fill("password", "not this one either")
		if status := ada.press("Sign in"); status != http.StatusUnauthorized {
			t.Errorf("status %d", status)
		}
		ada.wantSays("Nobody has this email address and password.")
		ada.signIn("Ada@Example.com")
		ada.wantAt("/approvals", "Approvals")
	})
}

// TestALinkFromAnAgent is the way of most people: the agent shows a link, the person opens it and is not signed in.
func TestALinkFromAnAgent(t *testing.T) {
	scripted(t, func(t *testing.T, s *site, ada *tab) {
		s.SetUp()
		request := s.ask()
		ada.open(request.ApprovalURL)
		ada.wantSays("An agent asks for access. Sign in to see its request")
		ada.signIn("ada@example.com")
		ada.wantAt(path(request), "An agent asks for access")
		if code := ada.text(".code"); code != request.ConfirmCode {
			t.Errorf("the page shows %q, the agent %q", code, request.ConfirmCode)
		}
		ada.wantSays("Mend the checkout", "claude-code 2.1.0", "ada-laptop", "shop", "127.0.0.1", "in 10 minutes")
		if status := ada.press("Approve"); status != http.StatusOK {
			t.Errorf("status %d", status)
		}
		ada.wantAt(path(request), "Access approved")
		ada.wantSays("Approved by Ada (you) just now", "collects its key by itself")

		claimed := s.Claim(request)
		if claimed.Status != dash.RequestStatusApproved || claimed.APIKey == nil {
			t.Fatalf("the agent got %+v", claimed)
		}
		ada.load(chromedp.Reload())
		ada.wantSays("The agent has its key")
		ada.open("/")
		ada.wantAt("/", "Start")
		ada.open("/approvals")
		ada.wantSays("Nothing waits.", "Mend the checkout", "Approved", "by Ada")
		ada.follow("Mend the checkout")
		ada.wantAt(path(request), "Access approved")
	})
}

func TestDeny(t *testing.T) {
	scripted(t, func(t *testing.T, s *site, ada *tab) {
		ada.setUp()
		request := s.ask()
		ada.open(path(request))
		ada.fill("deny_note", "Not on this machine.\nUse the other one.")
		ada.press("Deny")
		ada.wantAt(path(request), "Access denied")
		ada.wantSays("Not on this machine.")
		claimed := s.Claim(request)
		if claimed.Status != dash.RequestStatusDenied || claimed.Note == nil || *claimed.Note != "Not on this machine.\nUse the other one." {
			t.Errorf("the agent is told %+v", claimed)
		}
	})
}

func TestAskForChanges(t *testing.T) {
	scripted(t, func(t *testing.T, s *site, ada *tab) {
		ada.setUp()
		request := s.ask()
		ada.open(path(request))
		// The browser holds back an empty note; the server would too.
		ada.do(chromedp.Click(chromedp.Search(`//button[normalize-space()="Ask for changes"]`)))
		ada.wantAt(path(request), "An agent asks for access")
		ada.fill("changes_note", "Say which card this is for.")
		ada.press("Ask for changes")
		ada.wantAt(path(request), "Sent back for changes")
		claimed := s.Claim(request)
		if claimed.Status != dash.RequestStatusRevisionRequested || claimed.Note == nil || *claimed.Note != "Say which card this is for." {
			t.Errorf("the agent is told %+v", claimed)
		}
	})
}

// TestNotNowDecidesNothing: leaving the page is no answer.
func TestNotNowDecidesNothing(t *testing.T) {
	scripted(t, func(t *testing.T, s *site, ada *tab) {
		ada.setUp()
		request := s.ask(func(r *dash.AccessRequestCreate) { team := "acme"; r.Team = &team })
		ada.open(path(request))
		ada.follow("Not now")
		ada.wantAt("/approvals", "Approvals")
		ada.wantSays("Mend the checkout", request.ConfirmCode)
		if claimed := s.Claim(request); claimed.Status != dash.RequestStatusPending {
			t.Errorf("the request is %s", claimed.Status)
		}
		ada.open("/")
		ada.follow("Mend the checkout")
		ada.wantAt(path(request), "An agent asks for access")
	})
}

func TestApproveLess(t *testing.T) {
	scripted(t, func(t *testing.T, s *site, ada *tab) {
		ada.setUp()
		request := s.ask()
		ada.open(path(request))
		boxes := run(ada, chromedp.Nodes(chromedp.CSSAll(`input[type=checkbox]`)))
		for i := range boxes {
			ada.do(chromedp.Click(chromedp.CSS("#grant-" + string(rune('0'+i)))))
		}
		if status := ada.press("Approve"); status != http.StatusBadRequest {
			t.Errorf("approving nothing: status %d", status)
		}
		ada.wantSays("Tick at least one permission")
		if claimed := s.Claim(request); claimed.Status != dash.RequestStatusPending {
			t.Fatalf("the request is %s", claimed.Status)
		}
		ada.do(chromedp.Click(chromedp.CSS("#grant-0")))
		ada.press("Approve")
		ada.wantAt(path(request), "Access approved")
		agent := s.Nobody()
		agent.Key = *s.Claim(request).APIKey
		held := testkit.Decode[dash.Permissions](t, agent.Call("GET", "/api/auth/permissions", nil), http.StatusOK)
		if len(held.Permissions) != 1 || held.Permissions[0] != "cards.view" {
			t.Errorf("the key holds %v", held.Permissions)
		}
	})
}

// TestLateAnswers: whoever answers after the request ended sees how it stands, and what to do.
func TestLateAnswers(t *testing.T) {
	scripted(t, func(t *testing.T, s *site, ada *tab) {
		ada.setUp()
		bob := s.Join("Bob", dash.AllPermissions...)

		denied := s.ask()
		ada.open(path(denied))
		bob.Call("POST", "/api/access-requests/"+denied.PublicID+"/deny", dash.RequestDenial{Digest: bob.See(denied).Digest})
		if status := ada.press("Approve"); status != http.StatusConflict {
			t.Errorf("status %d", status)
		}
		ada.wantSays("came too late", "Denied by Bob", "let the agent ask again")
		if h := ada.h1(); h != "Access denied" {
			t.Errorf("heading %q", h)
		}

		lapsed := s.ask()
		ada.open(path(lapsed))
		s.Clock.Advance(11 * time.Minute)
		if status := ada.press("Approve"); status != http.StatusConflict {
			t.Errorf("status %d", status)
		}
		ada.wantSays("came too late", "Nobody answered it in time", "Let the agent ask again")
		ada.open(path(lapsed))
		ada.wantAt(path(lapsed), "This request has lapsed")
	})
}

// TestAPageFromBefore: a page that was made before its session or its request changed decides nothing, and says how to
// go on.
func TestAPageFromBefore(t *testing.T) {
	s := newSite(t)
	ada := newPerson(t, s)
	ada.setUp()
	request := s.ask()

	ada.open(path(request))
	other := ada.beside()
	other.open("/")
	other.press("Sign out")
	other.signIn("ada@example.com")
	if status := ada.press("Approve"); status != http.StatusForbidden {
		t.Errorf("with the token of a session before: status %d", status)
	}
	ada.wantSays("Nothing was changed.")
	ada.follow("Open the page again")
	ada.wantAt(path(request), "An agent asks for access")

	ada.do(chromedp.Evaluate[chromedp.Void](`document.querySelectorAll("[name=digest]").forEach(e => e.value = "0".repeat(64))`))
	if status := ada.press("Approve"); status != http.StatusConflict {
		t.Errorf("with another digest: status %d", status)
	}
	ada.wantSays("not the one that your page showed", request.ConfirmCode)
	if claimed := s.Claim(request); claimed.Status != dash.RequestStatusPending {
		t.Fatalf("the request is %s", claimed.Status)
	}
	ada.press("Approve")
	ada.wantAt(path(request), "Access approved")

	later := s.ask()
	ada.open(path(later))
	other.open("/")
	other.press("Sign out")
	ada.press("Deny")
	ada.wantAt("/signin?next="+strings.ReplaceAll(path(later), "/", "%2F")+"&unsent", "Sign in")
	ada.wantSays("what you had just filled in was not taken")
	ada.signIn("ada@example.com")
	ada.wantAt(path(later), "An agent asks for access")
}

// TestTwoTabsRace: of two answers at once one counts, and both tabs tell the same story.
func TestTwoTabsRace(t *testing.T) {
	s := newSite(t)
	ada := newPerson(t, s)
	ada.setUp()
	request := s.ask()
	ada.open(path(request))
	other := ada.beside()
	other.open(path(request))

	status := make([]int, 2)
	var both sync.WaitGroup
	both.Go(func() { status[0] = ada.press("Approve") })
	both.Go(func() { status[1] = other.press("Deny") })
	both.Wait()

	if status[0]+status[1] != http.StatusOK+http.StatusConflict {
		t.Errorf("statuses %v, want one that decided and one that came too late", status)
	}
	want := "Access denied"
	if s.Claim(request).Status == dash.RequestStatusApproved {
		want = "Access approved"
	}
	for _, b := range []*tab{ada, other} {
		if h := b.h1(); h != want {
			t.Errorf("a tab says %q, want %q", h, want)
		}
	}
}

// TestAPersonWhoRunsNoTeam answers requests by their links, with what they hold.
func TestAPersonWhoRunsNoTeam(t *testing.T) {
	s := newSite(t)
	s.SetUp()
	s.Join("Cy", "cards.view")
	s.Join("Di")
	request := s.ask()

	cy := newPerson(t, s)
	cy.open("/approvals")
	cy.signIn("cy@example.com")
	cy.wantSays("Requests are answered by their link.")
	cy.open("/")
	cy.wantSays("Requests are answered by their link.")

	di := newPerson(t, s)
	di.open(path(request))
	di.signIn("di@example.com")
	di.wantSays("you cannot approve this")

	cy.open(path(request))
	cy.press("Approve")
	cy.wantAt(path(request), "Access approved")
	if s.Claim(request).APIKey == nil {
		t.Error("no key")
	}
}

// TestPlainHTTPByName: away from 127.0.0.1 and without TLS a browser tells less of where a form comes from. What is left
// has to be enough for the server to know its own forms by, the setup page's too.
func TestPlainHTTPByName(t *testing.T) {
	s := newSite(t, testkit.With(named))
	s.URL = strings.Replace(s.URL, "127.0.0.1", plainHost, 1)
	ada := newPerson(t, s)
	ada.setUp()
	ada.wantAt("/", "Connect your first agent")
	ada.press("Sign out")
	ada.signIn("ada@example.com")
	ada.wantAt("/", "Connect your first agent")
}

func named(c *dashboard.Config) {
	c.PublicURL = strings.Replace(c.PublicURL, "127.0.0.1", plainHost, 1)
}
