// SPDX-License-Identifier: Apache-2.0

// Package guard stands before the handlers of the contract's operations. What it lets through is a call that the
// contract knows, by a caller who may make it, that came from this site, and whose parameters and body are as the
// contract wants them; a handler checks none of that again.
//
// The order is the point. A call is matched to its operation, counted against the address that it came from, told who
// makes it, allowed or refused ([access.Allow]), held to be from this site, and only then read: who may not call a route
// learns nothing of its body. A body that is a file is not read here: its handler gets it as it comes, bounded, and as an
// error if it comes in part.
//
// What goes wrong, here or in a handler, is an error until one place turns it into an answer. A [dash.Refusal] is told
// as it stands; a missing row is not_found; everything else is internal, logged once with the request id that the
// caller gets.
package guard

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"runtime/debug"
	"time"

	"github.com/fiftyarms/platform/gen/dash"
	"github.com/fiftyarms/platform/internal/access"
	"github.com/fiftyarms/platform/internal/openapi"
	"github.com/fiftyarms/platform/internal/store"
)

// Config is what a guard needs. All of it is required, but for Silence.
type Config struct {
	Store          Credentials
	Contract       *openapi.Document
	Cookie         string   // the name of the session cookie
	PublicURL      *url.URL // where browsers see this server
	TrustedProxies int      // proxies in front whose X-Forwarded-For is believed; 0 believes nobody
	Now            func() time.Time
	Random         io.Reader // safe for concurrent use
	Log            *slog.Logger
	Silence        time.Duration // how long a file or stream may stand still; 0 is 30 s
}

// Credentials is what a guard asks of the store.
type Credentials interface {
	KeyByHash(ctx context.Context, hash string) (store.Key, store.Team, error)
	TouchKey(ctx context.Context, id string, at time.Time) error
	Login(ctx context.Context, tokenHash string, now time.Time) (store.Login, store.Person, store.Team, error)
}

type guard struct {
	Config
	routes  routes
	limits  *limiter
	origins *http.CrossOriginProtection
}

// New puts a guard before the handlers of all operations. The handler needs no real connection behind it.
func New(cfg Config, api dash.StrictServerInterface) (http.Handler, error) {
	if cfg.Silence == 0 {
		cfg.Silence = silenceLimit
	}
	g := &guard{Config: cfg, limits: newLimiter(cfg.Now), origins: http.NewCrossOriginProtection()}
	if err := g.origins.AddTrustedOrigin(cfg.PublicURL.Scheme + "://" + cfg.PublicURL.Host); err != nil {
		return nil, fmt.Errorf("public URL: %w", err)
	}
	var err error
	g.routes, err = newRoutes(cfg.Contract, api)
	return g, err
}

// ServeHTTP answers a call of the API.
func (g *guard) ServeHTTP(rw http.ResponseWriter, r *http.Request) {
	w := &writer{ResponseWriter: rw}
	c := &Call{Address: "unknown"}
	began := g.Now()
	if r.Body == nil {
		r.Body = http.NoBody
	}
	h := w.Header()
	h.Set("X-Mcp-Min-Version", dash.MinMCPVersion)
	h.Set("Cache-Control", "no-store")
	h.Set("X-Content-Type-Options", "nosniff")
	err := g.serve(c, w, r.WithContext(context.WithValue(r.Context(), callKey{}, c)))
	if err != nil {
		err = g.refuse(c, w, r, err)
	}
	g.note(c, w, r, began, err)
}

// serve runs a call through every check and then its handler. What stops it is its error.
func (g *guard) serve(c *Call, w *writer, r *http.Request) (err error) {
	defer func() {
		switch p := recover(); p {
		case nil:
		case http.ErrAbortHandler: // the standard library's own way to drop a connection
			panic(p)
		default:
			err = fmt.Errorf("panic: %v\n%s", p, debug.Stack())
		}
	}()
	id, err := access.NewID(g.Random)
	if err != nil {
		return err
	}
	c.RequestID = id[:16]
	w.Header().Set("X-Request-Id", c.RequestID)

	address := g.address(r)
	if address.IsValid() {
		c.Address = address.String()
	}
	to, found := g.match(c, r)
	if found {
		c.Operation, c.HeadOnly = to.op, r.Method == http.MethodHead
	}
	r, end := g.bound(c, w, r)
	defer end()
	if !found {
		return g.miss(c, w, r)
	}
	// Before it counts: a page of another site would use up the tries of whoever has it open.
	if signsIn(to.op) {
		if err := g.sameSite(c, r); err != nil {
			return err
		}
	}
	if err := g.limits.take(to.op, address); err != nil {
		return err
	}
	if err := g.admit(c, r); err != nil {
		return err
	}
	c.again = func(ctx context.Context) (*access.Principal, error) { return g.again(r.WithContext(ctx)) }
	if err := g.sameSite(c, r); err != nil {
		return err
	}
	if err := to.read(c, w, r); err != nil {
		return err
	}
	to.handle(w, r)
	return c.failure
}

// bound bounds how long a call may take.
func (g *guard) bound(c *Call, w *writer, r *http.Request) (*http.Request, func()) {
	if !lasting(c.Operation) {
		ctx, end := context.WithTimeout(r.Context(), callLimit)
		return r.WithContext(ctx), end
	}
	ctx, pace, end := newPace(r.Context(), w.ResponseWriter, g.Silence)
	w.pace, c.hasten = pace, pace.hasten
	return r.WithContext(ctx), end
}

// note writes the one log line of a call: of a failure its cause, of what somebody changed who did it.
func (g *guard) note(c *Call, w *writer, r *http.Request, began time.Time, cause error) {
	level, message := slog.LevelDebug, "call"
	named := c.Operation.Audience != dash.AudienceAll || c.Operation.Permission != dash.Public
	switch {
	case cause != nil:
		level, message = slog.LevelError, "call failed"
	case c.Operation.ID != "" && named && !safe(r.Method):
		level = slog.LevelInfo
	}
	attrs := []slog.Attr{
		slog.String("operation", c.Operation.ID),
		slog.Int("status", w.status),
		slog.String("request_id", c.RequestID),
		slog.String("address", c.Address),
		slog.Duration("took", g.Now().Sub(began)),
	}
	if p := c.Principal; p != nil {
		attrs = append(attrs, slog.String("person", p.Person.ID), slog.String("key", p.KeyID))
	}
	if cause != nil {
		attrs = append(attrs, slog.String("error", cause.Error()))
	}
	g.Log.LogAttrs(r.Context(), level, message, attrs...)
}
