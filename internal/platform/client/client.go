// SPDX-License-Identifier: Apache-2.0

package client

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"
	"time"

	"github.com/fiftyarms/platform/internal/platform/secret"
)

// Limits bound one call. The zero value of each field means its default.
type Limits struct {
	Connect time.Duration // to reach the host, TLS included once more; default 10 s
	Header  time.Duration // from the written request to the answer's header; default 60 s
	Total   time.Duration // for the whole call, its wait for a place included; default 120 s
	Body    int64         // bytes of an answer's body, decompressed; default 1 MiB
	Calls   int           // at once; one more waits; default 16
}

func (l Limits) withDefaults() Limits {
	for _, d := range []struct {
		limit *time.Duration
		usual time.Duration
	}{{&l.Connect, 10 * time.Second}, {&l.Header, time.Minute}, {&l.Total, 2 * time.Minute}} {
		if *d.limit <= 0 {
			*d.limit = d.usual
		}
	}
	if l.Body <= 0 {
		l.Body = 1 << 20
	}
	if l.Calls <= 0 {
		l.Calls = 16
	}
	return l
}

// Options make a Client.
type Options struct {
	Dashboard string            // canonical URL, as env.Parse gives it
	Version   string            // of this build, as major.minor.patch
	Transport http.RoundTripper // nil is a transport of the client's own, which honours HTTPS_PROXY and its kin
	Limits    Limits
	Known     *secret.Known // hides the secrets in what the dashboard and the network say; nil hides none
}

// Client calls one dashboard. It is safe for concurrent use.
type Client struct {
	base    *url.URL
	http    http.RoundTripper // not an http.Client, which would look at redirects and keep cookies
	version version
	limits  Limits
	known   *secret.Known
	places  chan struct{} // holds a token for each call that runs
	halt    atomic.Pointer[Outdated]
}

// New makes a client. Nothing is sent before the first call.
func New(o Options) (*Client, error) {
	base, err := url.Parse(o.Dashboard)
	if err != nil || base.Host == "" {
		return nil, fmt.Errorf("dashboard %q is no absolute URL", o.Dashboard)
	}
	own, ok := parseVersion(o.Version)
	if !ok {
		return nil, fmt.Errorf("version %q of this build is not major.minor.patch", o.Version)
	}
	limits := o.Limits.withDefaults()
	c := &Client{base: base, version: own, limits: limits, http: o.Transport, known: o.Known, places: make(chan struct{}, limits.Calls)}
	if c.http == nil {
		c.http = &http.Transport{
			Proxy:                  proxy,
			DialContext:            (&net.Dialer{Timeout: c.limits.Connect, KeepAlive: 30 * time.Second}).DialContext,
			TLSHandshakeTimeout:    c.limits.Connect,
			ResponseHeaderTimeout:  c.limits.Header,
			ExpectContinueTimeout:  time.Second, // a file is sent when the dashboard wants it, or says nothing to that
			MaxResponseHeaderBytes: 1 << 20,
			ForceAttemptHTTP2:      true,
			MaxIdleConnsPerHost:    8,
			IdleConnTimeout:        90 * time.Second,
		}
	}
	return c, nil
}

// Close drops the idle connections.
func (c *Client) Close() {
	if t, ok := c.http.(interface{ CloseIdleConnections() }); ok {
		t.CloseIdleConnections()
	}
}

// Dashboard is the URL that the client calls, for messages.
func (c *Client) Dashboard() string { return c.base.String() }

// Base is the URL for the contract's request builders: the dashboard's, with the trailing slash that they want.
func (c *Client) Base() string { return c.base.String() + "/" }

// Halted is the *Outdated that stopped the client, or nil.
func (c *Client) Halted() error {
	if halt := c.halt.Load(); halt != nil {
		return halt
	}
	return nil
}

// NewRequest builds a call of a route that no builder knows. path is a checked dashboard path, percent-encoded; body is
// JSON, nil for none.
func (c *Client) NewRequest(method, path string, query url.Values, body []byte) (*http.Request, error) {
	var r io.Reader
	if body != nil {
		r = bytes.NewReader(body)
	}
	req, err := http.NewRequest(method, c.base.String()+path, r)
	if err != nil {
		return nil, fmt.Errorf("%s %s: %w", method, path, err)
	}
	req.URL.RawQuery = query.Encode()
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	return req, nil
}

// Call is one call to make.
type Call struct {
	Request *http.Request // its URL below the dashboard's
	Key     secret.Text   // zero makes the call without a key
	Limit   time.Duration // for the whole call; 0 is Limits.Total
	// Stall, where it is not 0, stands in the place of Limit: the call may take any time, but no longer than this may
	// pass without a byte of a body going out or coming in. It is for bodies that are files.
	Stall time.Duration
	// Grants says that the answer may hold a new key or secret, which the caller takes out and shows nobody: the body
	// comes as it is, also when its header stops the client.
	Grants bool
	// Take, where it is there, reads the body of a 2xx as it comes, known secrets hidden: Limits.Body does not bound it.
	// It may set the Response's Body. Its error is Do's, unless the body broke off.
	Take func(resp *Response, body io.Reader) error
}

// Response is an answer that came whole, with a status from 200 to 299 or from 400 to 499.
type Response struct {
	Method, Path string // of the call; the path without the dashboard's prefix
	Status       int
	Header       http.Header
	MediaType    string // of the body, in lower case without parameters; "" when not said
	Body         []byte // known secrets in it are hidden, unless the call Grants
}

// Do makes one call. The error is a *Failure, an *Outdated, ctx's when the caller gave up, or that of the request's own
// body when it could not be read.
func (c *Client) Do(ctx context.Context, call Call) (*Response, error) {
	if err := c.Halted(); err != nil {
		return nil, err
	}
	req := call.Request
	path, ours := c.below(req.URL)
	if !ours { // a fault of the caller; the key must not pay for it
		return nil, &Failure{Method: req.Method, Path: path, Reason: "not sent: the address is not below " + c.Dashboard()}
	}
	limited, pace, end := c.bound(ctx, call)
	defer end()
	req = req.Clone(limited) // the caller's keeps no key
	req.Header.Set("Accept", "application/json")
	req.Header.Set("User-Agent", "platform-mcp/"+c.version.text)
	if !call.Key.IsZero() {
		req.Header.Set("Authorization", "Bearer "+call.Key.Reveal())
	}
	fail := func(status int, reason string, err error) error {
		if ctx.Err() != nil {
			return fmt.Errorf("%s %s: %w", req.Method, path, context.Cause(ctx))
		}
		return &Failure{Method: req.Method, Path: path, Status: status, Reason: reason, Err: err}
	}
	select {
	case c.places <- struct{}{}:
		defer func() { <-c.places }()
	case <-limited.Done():
		return nil, fail(0, fmt.Sprintf("not sent: %d calls are waiting for %s, which is the limit", c.limits.Calls, c.Dashboard()), nil)
	}
	out := newOutgoing(req, pace, c.limits.Header)
	httpResp, err := c.http.RoundTrip(req)
	if err == nil {
		defer httpResp.Body.Close()
	}
	if bad := out.failed(); bad != nil && ctx.Err() == nil {
		return nil, fmt.Errorf("%s %s: %w", req.Method, path, bad)
	}
	if err != nil {
		return nil, fail(0, "no answer from "+c.Dashboard()+": "+c.why(err), err)
	}
	if err := c.checkFloor(httpResp.Header); err != nil && !call.Grants {
		return nil, err
	}
	pace.moved()
	return c.receive(call, httpResp, pace, path, fail)
}

// below tells whether u is an address of the dashboard's, and its path there.
func (c *Client) below(u *url.URL) (path string, ok bool) {
	path, ok = strings.CutPrefix(u.EscapedPath(), c.base.EscapedPath())
	return path, ok && strings.HasPrefix(path, "/") && u.Scheme == c.base.Scheme && u.Host == c.base.Host && u.User == nil
}

// destination is where a redirect leads: its host alone, since the rest may hold anything.
func (c *Client) destination(r *http.Response) string {
	u, err := r.Location()
	if err != nil || u.Host == "" {
		return "nowhere"
	}
	return Excerpt(c.known.Hide(u.Scheme + "://" + u.Host))
}

// errProxy stands for net/http's own error, which quotes the address with its password.
var errProxy = errors.New("HTTP_PROXY or HTTPS_PROXY holds no address of a proxy")

func proxy(r *http.Request) (*url.URL, error) {
	u, err := http.ProxyFromEnvironment(r)
	if err != nil {
		return nil, errProxy
	}
	return u, nil
}
