// SPDX-License-Identifier: Apache-2.0

package testkit

import (
	"log/slog"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"github.com/fiftyarms/platform/internal/blobs"
	"github.com/fiftyarms/platform/internal/dashboard"
	"github.com/fiftyarms/platform/internal/store"
	"github.com/fiftyarms/platform/internal/store/sqlstore"
)

// A Running dashboard serves on a loopback port. Every message of its API is held against the contract, those that its
// pages exchange with it too.
type Running struct {
	URL      string // without a slash at its end
	Server   *dashboard.Server
	Store    store.Store
	Clock    *Clock
	Contract *Contract

	t      testing.TB
	client *http.Client
	home   home
	end    func()
}

// home is what outlives a server.
type home struct {
	database, files string
	random          *Random
}

// An Option changes how a dashboard runs.
type Option func(*setup)

type setup struct {
	engine Engine
	change []func(*dashboard.Config)
}

// On runs the dashboard on an engine; without it, that is SQLite.
func On(e Engine) Option { return func(s *setup) { s.engine = e } }

// With changes the server's configuration after everything else has filled it in.
func With(change func(*dashboard.Config)) Option {
	return func(s *setup) { s.change = append(s.change, change) }
}

// Dashboard starts a dashboard that nobody has set up, on a fresh database, with a clock that stands still and chance
// that repeats. It ends with the test.
func Dashboard(t testing.TB, options ...Option) *Running {
	t.Helper()
	s := newSetup(options)
	return start(t, home{s.engine.Fresh(t), t.TempDir(), &Random{}}, &Clock{now: Start}, s)
}

// Replica starts another server on what this one has: its database, its files and its clock. It ends with the test.
func (d *Running) Replica(options ...Option) *Running {
	d.t.Helper()
	return start(d.t, d.home, d.Clock, newSetup(options))
}

// Stop ends the server, as the end of the test does otherwise.
func (d *Running) Stop() { d.end() }

func newSetup(options []Option) setup {
	s := setup{engine: SQLite}
	for _, o := range options {
		o(&s)
	}
	return s
}

func start(t testing.TB, on home, clock *Clock, s setup) *Running {
	t.Helper()
	db, err := sqlstore.Open(t.Context(), on.database, sqlstore.Options{Now: func() time.Time { return Start }})
	if err != nil {
		t.Fatal(err)
	}
	files, err := blobs.Open(t.Context(), blobs.FileURL(on.files))
	if err != nil {
		t.Fatal(err)
	}
	listener := httptest.NewUnstartedServer(nil)
	d := &Running{
		t: t, Store: db, Clock: clock, Contract: NewContract(t), home: on,
		URL: "http://" + listener.Listener.Addr().String(), client: &http.Client{
			Transport:     &http.Transport{},
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		},
	}
	cfg := dashboard.Config{
		Store: db, Blobs: files, PublicURL: d.URL, Now: clock.Now, Random: on.random, Log: slog.New(slog.NewTextHandler(t.Output(), nil)),
	}
	for _, change := range s.change {
		change(&cfg)
	}
	if pages := cfg.Web; pages != nil { // what they call has to keep the contract too
		cfg.Web = func(api http.Handler) (http.Handler, error) { return pages(d.Contract.Check(api)) }
	}
	if d.Server, err = dashboard.New(t.Context(), cfg); err != nil {
		t.Fatal(err)
	}
	listener.Config.Handler = d.Contract.Check(d.Server.Handler())
	listener.Start()
	d.end = sync.OnceFunc(func() {
		d.Server.EndStreams() // or the listener would wait for them
		d.client.CloseIdleConnections()
		listener.Close()
		if err := d.Server.Close(); err != nil {
			t.Error(err)
		}
	})
	t.Cleanup(d.end)
	return d
}
