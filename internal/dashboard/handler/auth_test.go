// SPDX-License-Identifier: Apache-2.0

package handler_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/fiftyarms/platform/gen/dash"
	"github.com/fiftyarms/platform/internal/access"
	"github.com/fiftyarms/platform/internal/dashboard"
	"github.com/fiftyarms/platform/internal/testkit"
)

func TestSetUp(t *testing.T) {
	testkit.EachEngine(t, func(t *testing.T, e testkit.Engine) {
		d := testkit.Dashboard(t, testkit.On(e))
		body := dash.Setup{
			Token: d.Server.SetupToken(), Team: dash.NewTeam{Slug: "acme", Name: "Acme"}, Name: "Ada",
			Email: "Ada@Example.com", Password: testkit.Password,
		}
		wrong := body
		wrong.Token = "another"
		if a := d.Nobody().Call("POST", "/api/auth/setup", wrong); a.Code() != "wrong_setup_token" {
			t.Errorf("with another token: %d %s", a.Status, a.Body)
		}
		me := testkit.Decode[dash.Me](t, d.Nobody().Call("POST", "/api/auth/setup", body), http.StatusCreated)
		if me.Kind != dash.MeKindPerson || me.Person.Name != "Ada" || me.Team != (dash.TeamRef{Slug: "acme", Name: "Acme"}) {
			t.Errorf("set up as %+v", me)
		}
		if a := d.Nobody().Call("POST", "/api/auth/setup", body); a.Code() != "already_set_up" {
			t.Errorf("again: %d %s", a.Status, a.Body)
		}
		ada := d.SignIn("ada@example.COM")
		got := testkit.Decode[dash.Permissions](t, ada.Call("GET", "/api/auth/permissions", nil), 200)
		if diff := cmp.Diff(dash.AllPermissions, got.Permissions); diff != "" {
			t.Errorf("the founder's permissions: %s", diff)
		}
	})
}

// Of many people with the link one becomes the first.
func TestSetUpRace(t *testing.T) {
	testkit.EachEngine(t, func(t *testing.T, e testkit.Engine) {
		d := testkit.Dashboard(t, testkit.On(e))
		won := 0
		for _, a := range together(6, func(i int) testkit.Answer {
			return d.Nobody().Call("POST", "/api/auth/setup", dash.Setup{
				Token: d.Server.SetupToken(), Team: dash.NewTeam{Slug: fmt.Sprintf("team-%d", i), Name: "A"}, Name: "A",
				Email: fmt.Sprintf("a%d@example.com", i), Password: testkit.Password,
			})
		}) {
			switch {
			case a.Status == http.StatusCreated:
				won++
			case a.Code() != "already_set_up":
				t.Errorf("%d %s", a.Status, a.Body)
			}
		}
		if won != 1 {
			t.Errorf("%d became the first", won)
		}
	})
}

// A link holds until the next start; then there is another, and once it has worked there is none.
func TestSetupLink(t *testing.T) {
	d := testkit.Dashboard(t)
	first := d.Server.SetupToken()
	again, err := dashboard.New(t.Context(), dashboard.Config{Store: d.Store, PublicURL: d.URL})
	if err != nil {
		t.Fatal(err)
	}
	if link := again.SetupLink(); link != d.URL+"/setup?token="+again.SetupToken() || again.SetupToken() == first {
		t.Errorf("link %s", link)
	}
	old := d.Nobody().Call("POST", "/api/auth/setup", dash.Setup{
		Token: first, Team: dash.NewTeam{Slug: "a", Name: "A"}, Name: "A", Email: "a@example.com", Password: testkit.Password,
	})
	if old.Code() != "wrong_setup_token" {
		t.Errorf("the link of the start before: %d %s", old.Status, old.Body)
	}
	body := dash.Setup{Token: again.SetupToken(), Team: dash.NewTeam{Slug: "a", Name: "A"}, Name: "A", Email: "a@example.com", Password: testkit.Password}
	testkit.Decode[dash.Me](t, d.Nobody().Call("POST", "/api/auth/setup", body), http.StatusCreated)
	done, err := dashboard.New(t.Context(), dashboard.Config{Store: d.Store, PublicURL: d.URL})
	if err != nil || done.SetupToken() != "" || done.SetupLink() != "" {
		t.Errorf("once set up: link %q, %v", done.SetupLink(), err)
	}
}

func TestCookie(t *testing.T) {
	d := testkit.Dashboard(t)
	ada := d.SetUp()
	instance, err := d.Store.Instance(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	c := ada.Cookie
	if c.Name != "50arms_session_"+instance[:8] || !c.HttpOnly || c.SameSite != http.SameSiteLaxMode || c.Path != "/" ||
		c.Secure || c.MaxAge != 30*24*3600 || c.Domain != "" {
		t.Errorf("cookie %s", c)
	}
	secure := testkit.Dashboard(t, testkit.With(func(cfg *dashboard.Config) { cfg.PublicURL = "https://dash.example.com" }))
	if c := secure.SetUp().Cookie; !c.Secure {
		t.Errorf("over https: cookie %s", c)
	}
	if created := secure.Ask(asking); !strings.HasPrefix(created.ApprovalURL, "https://dash.example.com/approvals/") {
		t.Errorf("approval URL %s", created.ApprovalURL)
	}
}

// A browser session that somebody planted is not the one that signing in opens, and the one that was open ends.
func TestSessionFixation(t *testing.T) {
	d := testkit.Dashboard(t)
	ada := d.SetUp()
	planted := d.SignIn("ada@example.com")
	r := planted.Request("POST", "/api/auth/login", dash.Login{Email: "ada@example.com", Password: testkit.Password})
	a := planted.Do(r)
	testkit.Decode[dash.Me](t, a, 200)
	fresh := (&http.Response{Header: a.Header}).Cookies()
	if len(fresh) != 1 || fresh[0].Value == planted.Cookie.Value {
		t.Fatalf("signing in kept the cookie: %v", fresh)
	}
	if a := planted.Call("GET", "/api/auth/me", nil); a.Code() != "unauthenticated" {
		t.Errorf("the planted session: %d %s", a.Status, a.Body)
	}
	if a := ada.Call("GET", "/api/auth/me", nil); a.Status != 200 {
		t.Errorf("the session of another browser: %d %s", a.Status, a.Body)
	}
	made := d.Nobody()
	made.Cookie = &http.Cookie{Name: ada.Cookie.Name, Value: "made-up-by-somebody"}
	if a := made.Call("GET", "/api/auth/me", nil); a.Code() != "unauthenticated" {
		t.Errorf("a made-up session: %d %s", a.Status, a.Body)
	}
}

func TestLogOut(t *testing.T) {
	d := testkit.Dashboard(t)
	ada := d.SetUp()
	a := ada.Call("POST", "/api/auth/logout", nil)
	cookies := (&http.Response{Header: a.Header}).Cookies()
	if a.Status != http.StatusNoContent || len(cookies) != 1 || cookies[0].Value != "" || cookies[0].MaxAge >= 0 {
		t.Errorf("signed out with %d, %v", a.Status, cookies)
	}
	if a := ada.Call("GET", "/api/auth/me", nil); a.Code() != "unauthenticated" {
		t.Errorf("after that: %d %s", a.Status, a.Body)
	}
}

func TestSessionEnds(t *testing.T) {
	d := testkit.Dashboard(t)
	ada := d.SetUp()
	d.Clock.Advance(30*24*time.Hour - time.Millisecond)
	if a := ada.Call("GET", "/api/auth/me", nil); a.Status != 200 {
		t.Errorf("just before: %d", a.Status)
	}
	d.Clock.Advance(time.Millisecond) // however much it was used
	if a := ada.Call("GET", "/api/auth/me", nil); a.Code() != "unauthenticated" {
		t.Errorf("after 30 days: %d %s", a.Status, a.Body)
	}
}

// Signing in answers the same for an address that nobody has and for a wrong password, down to the bytes.
func TestWrongCredentials(t *testing.T) {
	d := testkit.Dashboard(t)
	d.SetUp()
	var bodies []string
	for _, email := range []string{"ada@example.com", "eve@example.com", "ada@example.com' OR 1=1 --"} {
		a := d.Nobody().Call("POST", "/api/auth/login", dash.Login{Email: email, Password: "wrong password"})
		if a.Code() != "wrong_credentials" || a.Header.Get("Set-Cookie") != "" {
			t.Errorf("%s: %d %s", email, a.Status, a.Body)
		}
		bodies = append(bodies, string(a.Body))
	}
	if bodies[0] != bodies[1] || bodies[1] != bodies[2] {
		t.Errorf("the answers differ: %q", bodies)
	}
}

// Guessing passwords is slow: ten tries, then one every six seconds.
func TestBruteForce(t *testing.T) {
	d := testkit.Dashboard(t)
	d.SetUp()
	try := func() testkit.Answer {
		return d.Nobody().Call("POST", "/api/auth/login", dash.Login{Email: "ada@example.com", Password: "a guess"})
	}
	for i := range 10 {
		if a := try(); a.Code() != "wrong_credentials" {
			t.Fatalf("try %d: %d %s", i, a.Status, a.Body)
		}
	}
	limited := testkit.Decode[dash.RateLimitedRefusal](t, try(), http.StatusTooManyRequests)
	if limited.RetryAfter != 6 || try().Header.Get("Retry-After") != "6" {
		t.Errorf("got %+v", limited)
	}
	d.Clock.Advance(6 * time.Second)
	if a := try(); a.Code() != "wrong_credentials" {
		t.Errorf("after waiting: %d", a.Status)
	}
	if a := try(); a.Code() != "rate_limited" {
		t.Errorf("and once more: %d", a.Status)
	}
}

func TestMe(t *testing.T) {
	d := testkit.Dashboard(t)
	ada := d.SetUp()
	me := testkit.Decode[dash.Me](t, ada.Call("GET", "/api/auth/me", nil), 200)
	if diff := cmp.Diff(ada.Me, me); diff != "" || me.CsrfToken == nil || me.Key != nil {
		t.Errorf("a person (-at sign-in +now): %s", diff)
	}
	bob := d.Join("Bob", "traces.view", "cards.view")
	got := testkit.Decode[dash.Permissions](t, bob.Call("GET", "/api/auth/permissions", nil), 200)
	if diff := cmp.Diff([]dash.Permission{"cards.view", "traces.view"}, got.Permissions); diff != "" {
		t.Errorf("in the contract's order: %s", diff)
	}
}

// A key lapses a day after its last use, and each use counts.
func TestKeyLapses(t *testing.T) {
	d := testkit.Dashboard(t)
	agent := d.Agent(d.SetUp())
	for range 3 {
		d.Clock.Advance(access.IdleLapse - time.Millisecond)
		me := testkit.Decode[dash.Me](t, agent.Call("GET", "/api/auth/me", nil), 200)
		if !me.Key.LastUsedAt.Equal(d.Clock.Now().Truncate(time.Millisecond)) || !me.Key.LapsesAt.Equal(me.Key.LastUsedAt.Add(24*time.Hour)) {
			t.Errorf("used at %s, lapses at %s", me.Key.LastUsedAt, me.Key.LapsesAt)
		}
	}
	d.Clock.Advance(access.IdleLapse)
	if a := agent.Call("GET", "/api/auth/me", nil); a.Code() != "unauthenticated" || !strings.Contains(string(a.Body), "lapsed") {
		t.Errorf("after a day: %d %s", a.Status, a.Body)
	}
}
