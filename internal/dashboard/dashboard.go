// SPDX-License-Identifier: Apache-2.0

// Package dashboard puts the dashboard together: the contract's handlers (package handler) behind their guard (package
// guard), the pages (package web) beside them, on one store. Package app is its command line.
//
// A server owns nothing that another could not own too: any number of them run on one database.
package dashboard

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"
	"time"

	"github.com/fiftyarms/platform/gen/dash"
	"github.com/fiftyarms/platform/internal/access"
	"github.com/fiftyarms/platform/internal/blobs"
	"github.com/fiftyarms/platform/internal/cli"
	"github.com/fiftyarms/platform/internal/dashboard/guard"
	"github.com/fiftyarms/platform/internal/dashboard/handler"
	"github.com/fiftyarms/platform/internal/dashboard/stream"
	"github.com/fiftyarms/platform/internal/openapi"
	"github.com/fiftyarms/platform/internal/store"
	"github.com/fiftyarms/platform/internal/wake"
	"github.com/fiftyarms/platform/internal/wake/inproc"
)

// Config is what a server is made of.
type Config struct {
	Store          store.Store      // required; the server closes it
	Blobs          *blobs.Store     // required: the bytes of attachments; the server closes it
	PublicURL      string           // required: where browsers and agents reach the server, like https://dash.example.com
	TrustedProxies int              // proxies in front whose X-Forwarded-For is believed
	DrainDelay     time.Duration    // how long a server that is told to end goes on answering, not ready
	Now            func() time.Time // nil is the system's clock
	Random         io.Reader        // nil is the system's; safe for concurrent use
	Log            *slog.Logger     // nil drops it
	Wake           wake.Waker       // nil wakes within this process; the server closes one that can be closed
	Pace           stream.Pace      // of the streams; zero members are the usual ones
	// Web makes the pages from the API that they call; they get every path that is not the API's. Nil serves none.
	Web func(api http.Handler) (http.Handler, error)
}

// A Server is a dashboard that is ready to serve.
type Server struct {
	store      store.Store
	blobs      *blobs.Store
	wake       wake.Waker
	streams    *stream.Hub
	handler    http.Handler
	log        *slog.Logger
	publicURL  *url.URL
	setupToken string
	draining   atomic.Bool
	limits     limits
}

// limits bound what one connection may hold up. For files and streams the guard sets others, as their bytes move.
type limits struct {
	header, read, write, idle time.Duration
	delay                     time.Duration // from being told to end until no call is taken any more
	drain                     time.Duration // for the calls that run then
}

// New makes a server on a store. On a store that nobody has set up it offers a fresh setup token; one that was offered
// before holds no longer.
func New(ctx context.Context, cfg Config) (*Server, error) {
	public, err := ParsePublicURL(cfg.PublicURL)
	if err != nil {
		return nil, err
	}
	if cfg.Random == nil {
		cfg.Random = rand.Reader
	}
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	if cfg.Log == nil {
		cfg.Log = slog.New(slog.DiscardHandler)
	}
	if cfg.Wake == nil {
		cfg.Wake = &inproc.Waker{}
	}
	s := &Server{
		store:     cfg.Store,
		blobs:     cfg.Blobs,
		wake:      cfg.Wake,
		log:       cfg.Log,
		publicURL: public,
		limits: limits{
			header: 10 * time.Second, read: 30 * time.Second, write: time.Minute, idle: 2 * time.Minute,
			delay: cfg.DrainDelay, drain: 15 * time.Second,
		},
	}
	s.streams = stream.New(stream.Config{
		Log: func(teamID string) stream.Log { return cfg.Store.Of(teamID) }, Wake: cfg.Wake, Told: cfg.Log, Pace: cfg.Pace,
	})
	s.handler, err = s.assemble(ctx, cfg)
	if err == nil {
		err = s.offerSetup(ctx, cfg.Random)
	}
	if err != nil {
		s.streams.Close()
		return nil, err
	}
	return s, nil
}

func (s *Server) assemble(ctx context.Context, cfg Config) (http.Handler, error) {
	instance, err := cfg.Store.Instance(ctx)
	if err != nil {
		return nil, fmt.Errorf("instance: %w", err)
	}
	contract, err := openapi.Load(dash.Document)
	if err != nil {
		return nil, fmt.Errorf("contract: %w", err)
	}
	now := func() time.Time { return cfg.Now().UTC().Truncate(time.Millisecond) } // as fine as the store and the wire
	cookie := handler.CookieName(instance)
	api, err := guard.New(guard.Config{
		Store: cfg.Store, Contract: contract, Cookie: cookie, PublicURL: s.publicURL, TrustedProxies: cfg.TrustedProxies,
		Now: now, Random: cfg.Random, Log: cfg.Log,
	}, handler.New(handler.Config{
		Store: cfg.Store, Wake: cfg.Wake, Streams: s.streams, Blobs: cfg.Blobs, Contract: contract, Cookie: cookie, PublicURL: s.publicURL,
		Now: now, Random: cfg.Random, Version: cli.Version, Draining: s.draining.Load,
	}))
	if err != nil {
		return nil, err
	}
	pages := api // which knows how to say that there is nothing
	if cfg.Web != nil {
		if pages, err = cfg.Web(api); err != nil {
			return nil, fmt.Errorf("pages: %w", err)
		}
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if isAPI(r.URL.Path) {
			api.ServeHTTP(w, r)
		} else {
			pages.ServeHTTP(w, r)
		}
	}), nil
}

// isAPI says whether a path is the API's: below /api, or an operation's of its own.
func isAPI(path string) bool {
	if path == "/api" || strings.HasPrefix(path, "/api/") {
		return true
	}
	for _, op := range dash.Operations {
		if op.Path == path {
			return true
		}
	}
	return false
}

func (s *Server) offerSetup(ctx context.Context, random io.Reader) error {
	done, err := s.store.IsSetUp(ctx)
	if err != nil {
		return fmt.Errorf("setup: %w", err)
	}
	if done {
		return nil
	}
	if s.setupToken, err = access.NewToken(random); err != nil {
		return err
	}
	if err := s.store.OfferSetup(ctx, access.Hash(s.setupToken)); err != nil {
		return fmt.Errorf("setup: %w", err)
	}
	return nil
}

// SetupToken is what sets up a server that nobody had set up when it was made; "" of others. It is as good as a
// password: show it once, to whoever started the server, and keep it out of logs.
func (s *Server) SetupToken() string { return s.setupToken }

// SetupLink is the page that takes the setup token; "" where there is none.
func (s *Server) SetupLink() string {
	if s.setupToken == "" {
		return ""
	}
	return s.publicURL.String() + "/setup?token=" + s.setupToken
}

// Handler answers every path of the server.
func (s *Server) Handler() http.Handler { return s.handler }

// Serve answers on a listener, which it closes, until ctx ends. Then readiness is refused and streams end, so that they
// go on at another server; after the drain delay, in which a load balancer can look away, no new call is taken, and the
// calls that run get 15 seconds to end.
func (s *Server) Serve(ctx context.Context, on net.Listener) error {
	server := &http.Server{
		Handler:           s.handler,
		ReadHeaderTimeout: s.limits.header,
		ReadTimeout:       s.limits.read,
		WriteTimeout:      s.limits.write,
		IdleTimeout:       s.limits.idle,
		MaxHeaderBytes:    64 << 10,
		ConnContext:       boundSending,
		ErrorLog:          slog.NewLogLogger(s.log.Handler(), slog.LevelDebug), // what broken clients do
	}
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(on) }()
	select {
	case err := <-ended:
		return fmt.Errorf("serve on %s: %w", on.Addr(), err)
	case <-ctx.Done():
	}
	s.draining.Store(true)
	s.streams.Drain()
	select {
	case err := <-ended:
		return fmt.Errorf("serve on %s: %w", on.Addr(), err)
	case <-time.After(s.limits.delay):
	}
	limit, cancel := context.WithTimeout(context.WithoutCancel(ctx), s.limits.drain)
	defer cancel()
	err := server.Shutdown(limit)
	if errors.Is(err, context.DeadlineExceeded) {
		err = errors.Join(fmt.Errorf("calls that still ran after %s were cut off", s.limits.drain), server.Close())
	}
	<-ended
	return err
}

// sendMost is about how many bytes the kernel holds of what a connection has not taken yet.
const sendMost = 256 << 10

// boundSending bounds what the kernel holds for a connection. That would grow to megabytes for each reader that is
// slow, and a large buffer hides that a reader still reads: there is room again only when a good part of it is taken.
func boundSending(ctx context.Context, c net.Conn) context.Context {
	if tcp, ok := c.(*net.TCPConn); ok {
		_ = tcp.SetWriteBuffer(sendMost) // it works without
	}
	return ctx
}

// EndStreams ends the streams that are open, and those that come, as Serve does when it ends.
func (s *Server) EndStreams() { s.streams.Drain() }

// Close closes the stores and the waker. Call it when no call runs any more.
func (s *Server) Close() error {
	s.streams.Close()
	var woken error
	if w, ok := s.wake.(io.Closer); ok {
		woken = w.Close()
	}
	return errors.Join(woken, s.store.Close(), s.blobs.Close())
}

// ParsePublicURL reads where browsers reach a server: http or https, a host, and nothing after it, since the pages are
// at the root.
func ParsePublicURL(text string) (*url.URL, error) {
	u, err := url.Parse(text)
	plain := err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Hostname() != "" && u.User == nil &&
		(u.Path == "" || u.Path == "/") && u.RawQuery == "" && u.Fragment == ""
	if !plain {
		if err == nil {
			text = u.Redacted()
		}
		return nil, fmt.Errorf("public URL %q: want one like https://dash.example.com, with nothing after the host", text)
	}
	return &url.URL{Scheme: u.Scheme, Host: u.Host}, nil
}
