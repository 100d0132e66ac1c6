// SPDX-License-Identifier: Apache-2.0

package web_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/oapi-codegen/nullable"

	"github.com/fiftyarms/platform/gen/dash"
	"github.com/fiftyarms/platform/internal/dashboard/web"
)

// A state is a page in one of the states that it has.
type state struct {
	name   string
	api    func(*testing.T) *script
	method string // "" is GET
	path   string
	form   url.Values
	file   *upload // sent with the form
	status int
	title  string
	says   []string // in the main part
	not    []string
}

var (
	approvalPath = "/approvals/" + publicID
	approveForm  = url.Values{"csrf_token": {formMark}, "digest": {digest}, "offered": {"cards.view", "cards.edit", "docs.view"}, "permissions": {"cards.view", "docs.view"}}
	denyForm     = url.Values{"csrf_token": {formMark}, "digest": {digest}, "deny_note": {"Not on this machine."}}
	changesForm  = url.Values{"csrf_token": {formMark}, "digest": {digest}, "changes_note": {"Say which card."}}
	setupForm    = url.Values{"token": {"from-the-link"}, "team_name": {"Acme"}, "name": {"Ada"}, "email": {"ada@example.com"}, "password": {"correct horse battery"}}
	signinForm   = url.Values{"email": {"ada@example.com"}, "password": {"correct horse battery"}}
)

func notPending(status dash.RequestStatus) dash.NotPendingRefusal {
	return dash.NotPendingRefusal{Message: "this request is already " + string(status), Status: status, Next: "ask again"}
}

func invalid(in dash.FaultIn, path, message string) dash.InvalidRequestRefusal {
	return dash.InvalidRequestRefusal{Message: "the request is not as the contract wants it", Issues: []dash.Fault{{In: in, Path: path, Message: message}}}
}

func request(r dash.AccessRequest) func(*testing.T) *script {
	return func(t *testing.T) *script { return signedIn(t).with("getAccessRequest", r) }
}

func answers(op string, answer any) func(*testing.T) *script {
	return func(t *testing.T) *script { return signedIn(t).with(op, answer) }
}

// byStatus lists one request that waits, and all states that do not.
func byStatus(r *http.Request) any {
	if r.URL.Query().Get("waiting") == "true" {
		return listing([]dash.AccessRequest{pending()}, "")
	}
	var all []dash.AccessRequest
	for i, s := range []dash.RequestStatus{"approved", "claimed", "denied", "revision_requested", "expired"} {
		one := pending()
		if s != "expired" {
			one = decided(s, dash.RequestDecision{Verdict: "denied"})
		}
		one.Status, one.PublicID, one.Title = s, fmt.Sprintf("%032x", i), p("Request "+string(s))
		all = append(all, one)
	}
	return listing(all, "")
}

// states are all pages in all their states.
var states = slices.Concat(accessStates, grantStates, boardStates, cardStates)

var accessStates = []state{
	{name: "home, nothing connected yet", api: signedIn, path: "/", title: "Start · 50 Arms", says: []string{
		"Connect your first agent", "claude mcp add platform --env DANXBOT_DASHBOARD_URL=https://dash.example.com --env DANXBOT_TEAM=acme -- platform-mcp", "Nothing waits."}},
	{name: "home, later", path: "/", title: "Start · 50 Arms", not: []string{"first agent"}, says: []string{"Mend the checkout", "claude mcp add platform"},
		api: func(t *testing.T) *script {
			key := dash.Key{ID: "1", Prefix: "50a_x", Title: "t", Owner: ada, Permissions: []dash.Permission{"cards.view"}, CreatedAt: dash.At(now), LastUsedAt: dash.At(now), LapsesAt: dash.At(now)}
			return signedIn(t).with("listKeys", dash.KeyPage{Keys: []dash.Key{key}, NextCursor: nullable.NewNullableWithValue("more")}).with("listAccessRequests", byStatus)
		}},
	{name: "home of a person who runs no team", path: "/", title: "Start · 50 Arms", says: []string{"Requests are answered by their link."},
		api: answers("listAccessRequests", dash.ForbiddenRefusal{Message: "this needs the permission team.admin", Permission: "team.admin"})},
	{name: "home, signed out", api: signedOut, path: "/", status: 303},

	{name: "sign in", api: signedOut, path: "/signin", title: "Sign in · 50 Arms", says: []string{"Email address", "open the setup link"}},
	{name: "sign in to a request", api: signedOut, path: "/signin?next=" + url.QueryEscape(approvalPath), title: "Sign in · 50 Arms", says: []string{"An agent asks for access."}},
	{name: "sign in after signing out", api: signedOut, path: "/signin?signed-out", title: "Sign in · 50 Arms", says: []string{"You are signed out."}},
	{name: "sign in after a form came too late", api: signedOut, path: "/signin?next=%2Fapprovals&unsent", title: "Sign in · 50 Arms", says: []string{"what you had just filled in was not taken"}},
	{name: "sign in, wrong", method: "POST", path: "/signin", form: signinForm, status: 401, title: "Error: Sign in · 50 Arms", says: []string{"Nobody has this email address and password."},
		api: answers("logIn", dash.WrongCredentialsRefusal{Message: "no"})},
	{name: "sign in, malformed", method: "POST", path: "/signin", form: signinForm, status: 400, title: "Error: Sign in · 50 Arms", says: []string{"Password must not be empty."},
		api: answers("logIn", invalid("body", "/password", "must not be empty"))},
	{name: "sign in, too often", method: "POST", path: "/signin", form: signinForm, status: 429, title: "Error: Sign in · 50 Arms", says: []string{"Try again in 30 seconds."},
		api: answers("logIn", dash.RateLimitedRefusal{Message: "no", RetryAfter: 30})},
	{name: "sign in from another site", method: "POST", path: "/signin", form: signinForm, status: 403, title: "This came from another page · 50 Arms", says: []string{"Nothing was changed."},
		api: answers("logIn", dash.CrossSiteRefusal{Message: "no"})},

	{name: "sign out from another site", method: "POST", path: "/signout", form: url.Values{"csrf_token": {"guessed"}}, status: 403, title: "This came from another page · 50 Arms", says: []string{"Nothing was changed."},
		api: answers("logOut", dash.CrossSiteRefusal{Message: "no"})},
	{name: "sign out by a link", api: signedIn, path: "/signout", status: 303},

	{name: "set up", api: signedOut, path: "/setup?token=from-the-link", title: "Set up · 50 Arms", says: []string{"Team name", "At least 12 characters."}},
	{name: "set up, by who is signed in", api: signedIn, path: "/setup?token=from-the-link", title: "Already set up · 50 Arms", says: []string{"works once, and you are signed in"}},
	{name: "set up, when the API fails", path: "/setup?token=from-the-link", status: 500, title: "The server failed on this page · 50 Arms",
		api: answers("getMe", dash.InternalRefusal{Message: "no", RequestID: "1"})},
	{name: "set up without a token", api: signedOut, path: "/setup", title: "Set up · 50 Arms", says: []string{"the whole setup link"}},
	{name: "set up, wrong link", method: "POST", path: "/setup", form: setupForm, status: 403, title: "Error: Set up · 50 Arms", says: []string{"This setup link does not hold."},
		api: answers("setUp", dash.WrongSetupTokenRefusal{Message: "no"})},
	{name: "set up twice", method: "POST", path: "/setup", form: setupForm, status: 409, title: "Already set up · 50 Arms", says: []string{"already set up"},
		api: answers("setUp", dash.AlreadySetUpRefusal{Message: "no"})},
	{name: "set up, short password", method: "POST", path: "/setup", form: setupForm, status: 400, title: "Error: Set up · 50 Arms", says: []string{"Password must be at least 12 characters long."},
		api: answers("setUp", invalid("body", "/password", "must be at least 12 characters long"))},
	{name: "set up, too often", method: "POST", path: "/setup", form: setupForm, status: 429, title: "Error: Set up · 50 Arms", says: []string{"Try again in a second."},
		api: answers("setUp", dash.RateLimitedRefusal{Message: "no", RetryAfter: 1})},
	{name: "set up a team without letters", method: "POST", path: "/setup", form: url.Values{"token": {"x"}, "team_name": {"修理"}}, api: signedIn, status: 400, title: "Error: Set up · 50 Arms", says: []string{"no letter or digit"}},

	{name: "inbox, empty", api: signedIn, path: "/approvals", title: "Approvals · 50 Arms", says: []string{"Nothing waits.", "None here."}},
	{name: "inbox, all states", path: "/approvals", title: "1 waiting · Approvals · 50 Arms", api: answers("listAccessRequests", byStatus),
		says: []string{"Mend the checkout", "code KTRM-4829", "from 192.0.2.7", "says it is claude-code 2.1.0 on ada-laptop in project shop", "asked 3 minutes ago", "lapses in 7 minutes", "Denied", "Changes asked", "Lapsed", "by Ada"}},
	{name: "inbox, a request that says little", path: "/approvals", title: "1 waiting · Approvals · 50 Arms", says: []string{"A request without a title", "says it is x"}, not: []string{"project", " on "},
		api: func(t *testing.T) *script {
			r := pending()
			r.Title, r.Client = nil, dash.AskingClient{Name: "x"}
			return signedIn(t).with("listAccessRequests", func(q *http.Request) any {
				if q.URL.Query().Get("waiting") != "true" {
					return listing(nil, "")
				}
				return listing([]dash.AccessRequest{r}, "")
			})
		}},
	{name: "inbox, pages", path: "/approvals", title: "1+ waiting · Approvals · 50 Arms", api: answers("listAccessRequests", listing([]dash.AccessRequest{pending()}, "cursor 2&x")), says: []string{"Older requests that wait", "Older answers"}},
	{name: "inbox, a later page of answers", path: "/approvals?answered=abc", title: "Approvals · 50 Arms", api: answers("listAccessRequests", byStatus), says: []string{"Back to the newest"}, not: []string{"Waiting for an answer"}},
	{name: "inbox, a later page of waiting ones", path: "/approvals?waiting=abc", title: "1 waiting · Approvals · 50 Arms", api: answers("listAccessRequests", byStatus), says: []string{"Back to the newest"}, not: []string{"Answered and lapsed"}},
	{name: "inbox, a cursor that is none", path: "/approvals?answered=abc", status: 400, title: "That does not work · 50 Arms", api: answers("listAccessRequests", invalid("query", "cursor", "is not the next_cursor of a page")), says: []string{"Cursor is not the next_cursor of a page."}},
	{name: "inbox of a person who runs no team", path: "/approvals", title: "Approvals · 50 Arms", says: []string{"Requests are answered by their link."}, not: []string{"Answered and lapsed"},
		api: answers("listAccessRequests", dash.ForbiddenRefusal{Message: "no", Permission: "team.admin"})},

	{name: "request, waiting", api: signedIn, path: approvalPath, title: "An agent asks for access · KTRM-4829 · 50 Arms", says: []string{
		"KTRM-4829", "exactly this one", "Mend the checkout", "claude-code 2.1.0", "ada-laptop", "shop", "192.0.2.7", "3 minutes ago (2 Jan 2026, 03:01:05 UTC)", "in 7 minutes",
		"Read boards and cards", "cards.view", "9f86d081…b0f00a08", digest, "Approve", "Ask for changes", "Deny", "Not now"}},
	{name: "request that says little", path: approvalPath, title: "An agent asks for access · KTRM-4829 · 50 Arms", says: []string{"It does not say.", "It names none"},
		api: func(t *testing.T) *script {
			r := pending()
			r.Title, r.Client = nil, dash.AskingClient{Name: "x"}
			return signedIn(t).with("getAccessRequest", r)
		}},
	{name: "request for a team", path: approvalPath, title: "An agent asks for access · KTRM-4829 · 50 Arms", says: []string{"Acme Tools"},
		api: func(t *testing.T) *script {
			r := pending()
			r.Team = &dash.TeamRef{Slug: "acme", Name: "Acme Tools"}
			return signedIn(t).with("getAccessRequest", r)
		}},
	{name: "request to a person who holds nothing", path: approvalPath, title: "An agent asks for access · KTRM-4829 · 50 Arms", says: []string{"you cannot approve this", "Deny"}, not: []string{"act in your name"},
		api: func(t *testing.T) *script {
			r := pending()
			r.Grants = []dash.Permission{}
			return signedIn(t).with("getAccessRequest", r)
		}},
	{name: "request, approved", path: approvalPath, title: "Access approved · KTRM-4829 · 50 Arms", says: []string{"Approved by Ada (you) 1 minute ago", "collects its key by itself", "Read boards and cards"}, not: []string{"Not now"},
		api: request(decided("approved", dash.RequestDecision{Verdict: "approved", Permissions: []dash.Permission{"cards.view"}}))},
	{name: "request, key collected", path: approvalPath, title: "Access approved · KTRM-4829 · 50 Arms", says: []string{"has its key"}, not: []string{"(you)"},
		api: request(decided("claimed", dash.RequestDecision{Verdict: "approved", By: dash.PersonRef{ID: "other", Name: "Bob"}, Permissions: []dash.Permission{"cards.view"}}))},
	{name: "request, denied", path: approvalPath, title: "Access denied · KTRM-4829 · 50 Arms", says: []string{"Denied by Ada", "Not on this machine.", "let the agent ask again"},
		api: request(decided("denied", dash.RequestDecision{Verdict: "denied", Note: p("Not on this machine.")}))},
	{name: "request, sent back", path: approvalPath, title: "Sent back for changes · KTRM-4829 · 50 Arms", says: []string{"Changes asked by Ada", "Say which card.", "reads the note"},
		api: request(decided("revision_requested", dash.RequestDecision{Verdict: "revision_requested", Note: p("Say which card.\nAnd why.")}))},
	{name: "request, lapsed", path: approvalPath, title: "This request has lapsed · KTRM-4829 · 50 Arms", says: []string{"Nobody answered it in time", "Let the agent ask again"},
		api: func(t *testing.T) *script {
			r := pending()
			r.Status = "expired"
			return signedIn(t).with("getAccessRequest", r)
		}},
	{name: "request, approved and not collected", path: approvalPath, title: "This request has lapsed · KTRM-4829 · 50 Arms", says: []string{"did not collect its key in time"},
		api: request(decided("expired", dash.RequestDecision{Verdict: "approved", Permissions: []dash.Permission{"cards.view"}}))},
	{name: "request that is not there", path: approvalPath, status: 404, title: "There is nothing here · 50 Arms", says: []string{"let the agent ask again"},
		api: answers("getAccessRequest", dash.NotFoundRefusal{Message: "there is no such thing"})},
	{name: "request by an id that cannot be", path: "/approvals/nonsense", status: 404, title: "There is nothing here · 50 Arms",
		api: answers("getAccessRequest", invalid("path", "publicId", "must match"))},
	{name: "request, signed out", api: signedOut, path: approvalPath, status: 303},

	{name: "the approval form by a link", api: signedIn, path: approvalPath + "/approve", status: 303},
	{name: "the form for changes by a link", api: signedIn, path: approvalPath + "/request-changes", status: 303},
	{name: "the denial form by a link", api: signedIn, path: approvalPath + "/deny", status: 303},
	{name: "approve nothing", method: "POST", path: approvalPath + "/approve", form: url.Values{"digest": {digest}, "offered": {"cards.view"}}, api: signedIn, status: 400,
		title: "Error: An agent asks for access · KTRM-4829 · 50 Arms", says: []string{"Tick at least one permission"}},
	{name: "approve what one does not hold", method: "POST", path: approvalPath + "/approve", form: approveForm, status: 422, title: "Error: An agent asks for access · KTRM-4829 · 50 Arms", says: []string{"you do not hold: docs.view"},
		api: answers("approveAccessRequest", dash.OwnerLacksPermissionRefusal{Message: "no", Permissions: []dash.Permission{"docs.view"}})},
	{name: "approve what is no permission", method: "POST", path: approvalPath + "/approve", form: approveForm, status: 400, title: "Error: An agent asks for access · KTRM-4829 · 50 Arms", says: []string{"A permission must be one of"},
		api: answers("approveAccessRequest", invalid("body", "/permissions/1", "must be one of cards.view, cards.edit"))},
	{name: "approve too late", method: "POST", path: approvalPath + "/approve", form: approveForm, status: 409, title: "Error: Access denied · KTRM-4829 · 50 Arms", says: []string{"came too late", "Denied by Bob"},
		api: func(t *testing.T) *script {
			return signedIn(t).with("approveAccessRequest", notPending("denied")).with("getAccessRequest", decided("denied", dash.RequestDecision{Verdict: "denied", By: dash.PersonRef{ID: "b", Name: "Bob"}}))
		}},
	{name: "approve another request than the one seen", method: "POST", path: approvalPath + "/approve", form: approveForm, status: 409, title: "Error: An agent asks for access · KTRM-4829 · 50 Arms", says: []string{"not the one that your page showed", "Approve"},
		api: answers("approveAccessRequest", dash.DigestMismatchRefusal{Message: "no", Digest: digest, Next: "read again"})},
	{name: "approve without a digest", method: "POST", path: approvalPath + "/approve", form: approveForm, status: 400, title: "Error: An agent asks for access · KTRM-4829 · 50 Arms", says: []string{"nothing was decided"},
		api: answers("approveAccessRequest", invalid("body", "/digest", "must match"))},
	{name: "approve from another site", method: "POST", path: approvalPath + "/approve", form: approveForm, status: 403, title: "This came from another page · 50 Arms", says: []string{"Nothing was changed."},
		api: answers("approveAccessRequest", dash.CrossSiteRefusal{Message: "no"})},
	{name: "ask for nothing", method: "POST", path: approvalPath + "/request-changes", form: url.Values{"digest": {digest}, "changes_note": {" \r\n "}}, api: signedIn, status: 400,
		title: "Error: An agent asks for access · KTRM-4829 · 50 Arms", says: []string{"Say what has to change"}},
	{name: "ask for too much", method: "POST", path: approvalPath + "/request-changes", form: changesForm, status: 400, title: "Error: An agent asks for access · KTRM-4829 · 50 Arms", says: []string{"The note must be at most 500 characters long."},
		api: answers("requestAccessChanges", invalid("body", "/note", "must be at most 500 characters long"))},
	{name: "deny too late", method: "POST", path: approvalPath + "/deny", form: denyForm, status: 409, title: "Error: This request has lapsed · KTRM-4829 · 50 Arms", says: []string{"came too late", "Nobody answered it in time"},
		api: func(t *testing.T) *script {
			r := pending()
			r.Status = "expired"
			return signedIn(t).with("denyAccessRequest", notPending("expired")).with("getAccessRequest", r)
		}},

	{name: "no such page", api: signedOut, path: "/nowhere", status: 404, title: "There is nothing here · 50 Arms"},
	{name: "no such asset", api: signedOut, path: "/assets/base.000.css", status: 404, title: "There is nothing here · 50 Arms"},
	{name: "a method that no page takes", method: "PUT", api: signedOut, path: "/approvals", status: 404, title: "There is nothing here · 50 Arms"},
	{name: "the API fails", path: "/", status: 500, title: "The server failed on this page · 50 Arms", says: []string{"Request id 4b1e2a9d4c5f"},
		api: answers("getMe", dash.InternalRefusal{Message: "the server failed", RequestID: "4b1e2a9d4c5f"})},
	{name: "the API answers what is not in the contract", path: "/", status: 500, title: "The server failed on this page · 50 Arms", says: []string{"Request id req-1"}, not: []string{"teapot"},
		api: answers("getMe", http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "teapot", http.StatusTeapot) }))},
	{name: "the database is away", path: approvalPath, status: 503, title: "The server is not ready · 50 Arms", says: []string{"Try again in a moment."},
		api: answers("getAccessRequest", dash.NotReadyRefusal{Message: "the database does not answer"})},
	{name: "a form that is too large", method: "POST", path: approvalPath + "/deny", form: url.Values{"deny_note": {strings.Repeat("x", 70_000)}}, api: signedIn, status: 413, title: "That form cannot be used · 50 Arms"},
	{name: "a form with what nobody types", method: "POST", path: approvalPath + "/deny", form: url.Values{"deny_note": {"a\x00b"}}, api: signedIn, status: 400, title: "That form cannot be used · 50 Arms"},
	{name: "a permission that is missing", path: approvalPath, status: 403, title: "You may not do this · 50 Arms", says: []string{"plans.view"},
		api: answers("getAccessRequest", dash.ForbiddenRefusal{Message: "no", Permission: "plans.view"})},
}

// TestEveryPageInEveryState runs each state; send holds each against the rules for pages.
func TestEveryPageInEveryState(t *testing.T) {
	for _, s := range states {
		t.Run(s.name, func(t *testing.T) {
			got := s.send(t, s.api(t))
			if want := max(s.status, map[bool]int{true: 200}[s.status == 0]); got.Code != want {
				t.Fatalf("status %d, want %d\n%s", got.Code, want, got.Body)
			}
			if got.Code == http.StatusSeeOther {
				return
			}
			if s.path != "" && got.Code >= 400 && s.method != "POST" && strings.Contains(got.Body.String(), "data-topics") {
				t.Error("a page of what is not there follows it")
			}
			if title := got.doc.Tags("title")[0].Text(); title != s.title {
				t.Errorf("title %q, want %q", title, s.title)
			}
			for _, want := range s.says {
				if !strings.Contains(got.text(), want) {
					t.Errorf("the page does not say %q:\n%s", want, got.text())
				}
			}
			for _, not := range s.not {
				if strings.Contains(got.text(), not) {
					t.Errorf("the page says %q:\n%s", not, got.text())
				}
			}
		})
	}
}

func (s state) send(t *testing.T, api http.Handler) shown {
	t.Helper()
	if s.file != nil {
		return s.file.send(t, api, s.path, s.form)
	}
	if s.method == "POST" {
		return post(t, api, s.path, s.form)
	}
	r := httptest.NewRequest("GET", s.path, nil)
	if s.method != "" {
		r.Method = s.method
	}
	return send(t, api, r)
}

// TestEveryPageShowsHostileTextAsText fills every text that an agent or a person can write with what tries to break out
// of it: markup, templates, characters that reorder or hide, towers of marks and no end.
func TestEveryPageShowsHostileTextAsText(t *testing.T) {
	evils := []string{
		`"><script>alert(1)</script><img src=x onerror=alert(1)>`,
		`' onmouseover='alert(1)' style='position:fixed;inset:0`,
		"Approved\u202Eyna ksa\u202C \u2066x\u2069 \u200B\u200D\uFEFF\u00AD",
		"line\r\nSet-Cookie: session=evil\r\n\r\n<h1>Approved by Ada</h1>",
		"</bdi></dd></main><form action=//evil.example><button>Approve</button></form>",
		"\x00\x1b[2J\x7f\u0085\u2028",
		strings.Repeat("W", 100_000),
		"a" + strings.Repeat("\u0489", 5000),
		"{{ .Secret }} ${x} javascript:alert(1)",
		"\u05e9\u05dc\u05d5\u05dd evil",
	}
	for i, evil := range evils {
		for _, s := range states {
			t.Run(fmt.Sprintf("%d/%s", i, s.name), func(t *testing.T) {
				api := s.api(t)
				got := s.send(t, &spoiled{script: api, evil: evil})
				if strings.Contains(got.Header().Get("Set-Cookie"), "evil") {
					t.Error("a text became a header")
				}
				limit := 200_000
				if strings.Contains(s.path, "/cards/") || strings.HasSuffix(s.path, "/edit") {
					limit = 3_000_000 // a card's whole text is on its page, and again in the fields that edit it
				}
				if got.Body.Len() > limit {
					t.Errorf("the page has %d bytes", got.Body.Len())
				}
				if got.doc == nil {
					return
				}
				for _, h := range got.doc.Tags("h1", "h2", "h3", "legend") {
					if ours := h.TextOutside("bdi"); strings.Contains(ours, "alert(1)") || strings.Contains(ours, "evil") {
						t.Errorf("the heading %q is not ours", ours)
					}
				}
			})
		}
	}
}

func TestAgesComeFromTheInjectedClock(t *testing.T) {
	r := pending()
	r.CreatedAt = dash.At(now.Add(-26 * time.Hour))
	if got := get(t, signedIn(t).with("getAccessRequest", r), approvalPath).text(); !strings.Contains(got, "Asked1 day ago") {
		t.Errorf("the page says %q", got)
	}
}

// TestNoPageIsForgotten: a page without a state above is held against nothing.
func TestNoPageIsForgotten(t *testing.T) {
	mux, missing := http.NewServeMux(), map[string]bool{}
	for _, pattern := range web.Patterns() {
		mux.Handle(pattern, http.NotFoundHandler())
		missing[pattern] = true
	}
	for _, s := range states {
		method := s.method
		if method == "" {
			method = "GET"
		}
		_, pattern := mux.Handler(httptest.NewRequest(method, s.path, nil))
		delete(missing, pattern)
	}
	for pattern := range missing {
		t.Errorf("%s has no state", pattern)
	}
}
