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
	"github.com/fiftyarms/platform/internal/dashboard/web/assets"
	"github.com/fiftyarms/platform/internal/dashboard/web/home"
	"github.com/fiftyarms/platform/internal/dashboard/web/layout"
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
	missing := site.Page(visit.NotFound)
	mux.Handle("/", missing)
	mux.Handle("GET "+assets.Prefix, assets.Handler(missing, layout.Base, layout.Icon, approvals.Sheet, approval.Sheet, home.Sheet))
	for _, p := range pages(home.Connection{PublicURL: strings.TrimRight(o.PublicURL, "/"), Command: cli.ShellLine(o.Command)}) {
		mux.Handle(p.pattern, site.Page(p.page))
	}
	return secure(mux), nil
}

type page struct {
	pattern string
	page    func(*visit.Visit) error
}

func pages(c home.Connection) []page {
	return []page{
		{"GET /{$}", home.Get(c)},
		{"GET /setup", setup.Get},
		{"POST /setup", setup.Post},
		{"GET /signin", signin.Get},
		{"POST /signin", signin.Post},
		{"GET /signout", toStart},
		{"POST /signout", signin.SignOut},
		{"GET /approvals", approvals.Get},
		{"GET /approvals/{publicId}", approval.Get},
		{"POST /approvals/{publicId}/approve", approval.Approve},
		{"POST /approvals/{publicId}/request-changes", approval.RequestChanges},
		{"POST /approvals/{publicId}/deny", approval.Deny},
		{"GET /approvals/{publicId}/approve", approval.Back},
		{"GET /approvals/{publicId}/request-changes", approval.Back},
		{"GET /approvals/{publicId}/deny", approval.Back},
	}
}

// toStart is for who opens the address of the sign-out form by hand: a link never signs anybody out.
func toStart(v *visit.Visit) error { return v.Go("/") }

// csp lets a page load our style sheets and pictures, send forms to us, and nothing else.
const csp = "default-src 'none'; style-src 'self'; img-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"

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
