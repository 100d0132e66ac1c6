// SPDX-License-Identifier: Apache-2.0

package testkit

import (
	"log/slog"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

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
	s := setup{engine: SQLite}
	for _, o := range options {
		o(&s)
	}
	random := &Random{}
	db, err := sqlstore.Open(t.Context(), s.engine.Fresh(t), sqlstore.Options{Now: func() time.Time { return Start }})
	if err != nil {
		t.Fatal(err)
	}
	listener := httptest.NewUnstartedServer(nil)
	d := &Running{
		t: t, Store: db, Clock: &Clock{now: Start}, Contract: NewContract(t),
		URL: "http://" + listener.Listener.Addr().String(), client: &http.Client{
			Transport:     &http.Transport{},
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		},
	}
	cfg := dashboard.Config{
		Store: db, PublicURL: d.URL, Now: d.Clock.Now, Random: random, Log: slog.New(slog.NewTextHandler(t.Output(), nil)),
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
	t.Cleanup(func() {
		d.client.CloseIdleConnections()
		listener.Close()
		if err := d.Server.Close(); err != nil {
			t.Error(err)
		}
	})
	return d
}
