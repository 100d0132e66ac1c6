// SPDX-License-Identifier: Apache-2.0

// Package web is the dashboard's pages: a folder a page, each with its template, its handler and its data. A page is a
// client of the API like any other and calls it in this process (package apiclient), so what a page can do is what the
// contract permits the signed-in person. Pages are whole without scripts: a change is a form that is posted and answered
// with a redirect.
package web

import (
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/fiftyarms/platform/internal/cli"
	"github.com/fiftyarms/platform/internal/dashboard/web/approval"
	"github.com/fiftyarms/platform/internal/dashboard/web/approvals"
	"github.com/fiftyarms/platform/internal/dashboard/web/asked"
	"github.com/fiftyarms/platform/internal/dashboard/web/assets"
	"github.com/fiftyarms/platform/internal/dashboard/web/audit"
	"github.com/fiftyarms/platform/internal/dashboard/web/board"
	"github.com/fiftyarms/platform/internal/dashboard/web/boardedit"
	"github.com/fiftyarms/platform/internal/dashboard/web/boards"
	"github.com/fiftyarms/platform/internal/dashboard/web/card"
	"github.com/fiftyarms/platform/internal/dashboard/web/home"
	"github.com/fiftyarms/platform/internal/dashboard/web/keys"
	"github.com/fiftyarms/platform/internal/dashboard/web/layout"
	"github.com/fiftyarms/platform/internal/dashboard/web/live"
	"github.com/fiftyarms/platform/internal/dashboard/web/permission"
	"github.com/fiftyarms/platform/internal/dashboard/web/setup"
	"github.com/fiftyarms/platform/internal/dashboard/web/signin"
	"github.com/fiftyarms/platform/internal/dashboard/web/visit"
)

// Options is what the pages need to know of their server.
type Options struct {
	// PublicURL is where agents and browsers reach the server, like https://dash.example.com.
	PublicURL string
	// Command starts the agent's side, as the page tells people to type it: a program and its arguments.
	Command []string
	// Now is the clock; nil is the system's.
	Now func() time.Time
	// Log takes what fails inside of a page; nil drops it.
	Log *slog.Logger
}

// New makes the pages of the server whose API is api. It answers for every path, so mount it at "/" beside the API.
func New(api http.Handler, o Options) (http.Handler, error) {
	if u, err := url.Parse(o.PublicURL); err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return nil, fmt.Errorf("public URL %q: want an absolute http or https URL", o.PublicURL)
	}
	if len(o.Command) == 0 {
		return nil, errors.New("no command that starts the agent's side")
	}
	site := &visit.Site{API: api, Now: o.Now, Log: o.Log}
	if site.Now == nil {
		site.Now = time.Now
	}
	if site.Log == nil {
		site.Log = slog.New(slog.DiscardHandler)
	}
	mux := http.NewServeMux()
	missing := site.Page(visit.NotFound, visit.Form)
	mux.Handle("/", missing)
	mux.Handle("GET "+assets.Prefix, assets.Handler(missing, layout.Base, layout.Icon, live.Script,
		approvals.Sheet, asked.Sheet, keys.Sheet, audit.Sheet, home.Sheet, boards.Sheet, board.Sheet, card.Sheet))
	for _, p := range pages(home.Connection{PublicURL: strings.TrimRight(o.PublicURL, "/"), Command: cli.ShellLine(o.Command)}) {
		mux.Handle(p.pattern, site.Page(p.page, p.body))
	}
	return secure(mux), nil
}

type page struct {
	pattern string
	page    func(*visit.Visit) error
	body    visit.Body // that it takes with a post
}

func pages(c home.Connection) []page {
	return []page{
		{"GET /{$}", home.Get(c), visit.Form},
		{"GET /setup", setup.Get, visit.Form},
		{"POST /setup", setup.Post, visit.Form},
		{"GET /signin", signin.Get, visit.Form},
		{"POST /signin", signin.Post, visit.Form},
		{"GET /signout", toStart, visit.Form},
		{"POST /signout", signin.SignOut, visit.Form},
		{"GET /approvals", approvals.Get, visit.Form},
		{"GET /approvals/{publicId}", approval.Get, visit.Form},
		{"POST /approvals/{publicId}/approve", approval.Approve, visit.Form},
		{"POST /approvals/{publicId}/request-changes", approval.RequestChanges, visit.Form},
		{"POST /approvals/{publicId}/deny", approval.Deny, visit.Form},
		{"GET /approvals/{publicId}/approve", approval.Back, visit.Form},
		{"GET /approvals/{publicId}/request-changes", approval.Back, visit.Form},
		{"GET /approvals/{publicId}/deny", approval.Back, visit.Form},
		{"GET /permissions/{publicId}", permission.Get, visit.Form},
		{"POST /permissions/{publicId}/approve", permission.Approve, visit.Form},
		{"POST /permissions/{publicId}/request-changes", permission.RequestChanges, visit.Form},
		{"POST /permissions/{publicId}/deny", permission.Deny, visit.Form},
		{"GET /permissions/{publicId}/approve", permission.Back, visit.Form},
		{"GET /permissions/{publicId}/request-changes", permission.Back, visit.Form},
		{"GET /permissions/{publicId}/deny", permission.Back, visit.Form},
		{"GET /keys", keys.Get, visit.Form},
		{"GET /keys/{id}/revoke", keys.Ask, visit.Form},
		{"POST /keys/{id}/revoke", keys.Revoke, visit.Form},
		{"GET /audit", audit.Get, visit.Form},
		{"GET /boards", boards.Get, visit.Form},
		{"POST /boards", boards.Create, visit.Form},
		{"GET /boards/{ref}", board.Get, visit.Form},
		{"GET /boards/{ref}/edit", boardedit.Get, visit.Form},
		{"POST /boards/{ref}/edit", boardedit.Post, visit.Form},
		{"POST /boards/{ref}/move", board.Shift, visit.Form},
		{"GET /boards/{ref}/move", board.Back, visit.Form},
		{"POST /boards/{ref}/cards", board.Create, visit.LongForm},
		{"GET /boards/{ref}/cards", board.Back, visit.Form},
		{"GET /cards/{id}", card.Find, visit.Form},
		{"GET /boards/{ref}/cards/{id}", card.Get, visit.Form},
		{"GET /boards/{ref}/cards/{id}/{below...}", card.Back, visit.Form},
		{"POST /boards/{ref}/cards/{id}/edit", card.Edit, visit.LongForm},
		{"POST /boards/{ref}/cards/{id}/move", card.Move, visit.Form},
		{"POST /boards/{ref}/cards/{id}/acceptance", card.AddItem, visit.Form},
		{"POST /boards/{ref}/cards/{id}/acceptance/{item}", card.CheckItem, visit.Form},
		{"POST /boards/{ref}/cards/{id}/acceptance/{item}/remove", card.RemoveItem, visit.Form},
		{"POST /boards/{ref}/cards/{id}/comments", card.AddComment, visit.LongForm},
		{"POST /boards/{ref}/cards/{id}/waits", card.SetWaits, visit.Form},
		{"POST /boards/{ref}/cards/{id}/waits/clear", card.ClearWaits, visit.Form},
		{"POST /boards/{ref}/cards/{id}/conflicts", card.SetConflict, visit.Form},
		{"POST /boards/{ref}/cards/{id}/conflicts/{other}/clear", card.ClearConflict, visit.Form},
		{"POST /boards/{ref}/cards/{id}/files", card.Attach, visit.File},
		{"POST /boards/{ref}/cards/{id}/files/{file}/replace", card.ReplaceFile, visit.File},
		{"POST /boards/{ref}/cards/{id}/files/{file}/cover", card.CoverFile, visit.Form},
		{"POST /boards/{ref}/cards/{id}/files/{file}/remove", card.RemoveFile, visit.Form},
	}
}

// toStart is for who opens the address of the sign-out form by hand: a link never signs anybody out.
func toStart(v *visit.Visit) error { return v.Go("/") }

// csp lets a page load our style sheets, pictures and script, talk to us and send forms to us, and nothing else.
const csp = "default-src 'none'; style-src 'self'; img-src 'self'; script-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"

func secure(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Security-Policy", csp)
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("X-Frame-Options", "DENY")
		h.Set("Cross-Origin-Opener-Policy", "same-origin")
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		h.Set("Referrer-Policy", referrer(r.URL.Path))
		next.ServeHTTP(w, r)
	})
}

// referrer is how much of a page's address its links and forms tell. The setup link's token must not leave the
// address, not even to our own pages, so there only the origin is told. no-referrer would tell even less, but with it
// browsers send forms with "Origin: null", and a server that is reached by plain HTTP has nothing else to know its own
// forms by.
func referrer(path string) string {
	if path == "/setup" {
		return "strict-origin"
	}
	return "same-origin"
}
