// SPDX-License-Identifier: Apache-2.0

package client

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
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
	Total   time.Duration // for the whole call; default 120 s
	Body    int64         // bytes of an answer's body, decompressed; default 8 MiB
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
		l.Body = 8 << 20
	}
	return l
}

// Options make a Client.
type Options struct {
	Dashboard string            // canonical URL, as env.Parse gives it
	Version   string            // of this build, as major.minor.patch
	Transport http.RoundTripper // nil is a transport of the client's own, which honours HTTPS_PROXY and its kin
	Limits    Limits
}

// Client calls one dashboard. It is safe for concurrent use.
type Client struct {
	base    *url.URL
	http    http.RoundTripper // not an http.Client, which would look at redirects and keep cookies
	version version
	limits  Limits
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
	c := &Client{base: base, version: own, limits: o.Limits.withDefaults(), http: o.Transport}
	if c.http == nil {
		c.http = &http.Transport{
			Proxy:                  http.ProxyFromEnvironment,
			DialContext:            (&net.Dialer{Timeout: c.limits.Connect, KeepAlive: 30 * time.Second}).DialContext,
			TLSHandshakeTimeout:    c.limits.Connect,
			ResponseHeaderTimeout:  c.limits.Header,
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
	Hidden  secret.Text   // another secret of the call, that no error may show either
	Limit   time.Duration // for the whole call; 0 is Limits.Total
}

// Response is an answer that came whole, with a status from 200 to 299 or from 400 to 499.
type Response struct {
	Method, Path string // of the call; the path without the dashboard's prefix
	Status       int
	Header       http.Header
	MediaType    string // of the body, in lower case without parameters; "" when not said
	Body         []byte
}

// Do makes one call. The error is a *Failure, an *Outdated, or ctx's when the caller gave up.
func (c *Client) Do(ctx context.Context, call Call) (*Response, error) {
	if err := c.Halted(); err != nil {
		return nil, err
	}
	req := call.Request
	path, ours := c.below(req.URL)
	if !ours { // a fault of the caller; the key must not pay for it
		return nil, &Failure{Method: req.Method, Path: path, Reason: "not sent: the address is not below " + c.Dashboard()}
	}
	limited, cancel := context.WithTimeout(ctx, cmp.Or(call.Limit, c.limits.Total))
	defer cancel()
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
		return &Failure{Method: req.Method, Path: path, Status: status, Reason: call.Hidden.Hide(call.Key.Hide(reason)), Err: err}
	}
	httpResp, err := c.http.RoundTrip(req)
	if err != nil {
		return nil, fail(0, "no answer from "+c.Dashboard()+": "+why(err), err)
	}
	defer httpResp.Body.Close()
	if err := c.checkFloor(httpResp.Header); err != nil {
		return nil, err
	}
	return c.receive(call, httpResp, path, fail)
}

// receive reads an answer, of which the header is there.
func (c *Client) receive(call Call, httpResp *http.Response, path string, fail func(int, string, error) error) (*Response, error) {
	status := httpResp.StatusCode
	switch {
	case status >= 300 && status < 400:
		return nil, fail(status, "a redirect to "+destination(httpResp)+", which is not followed: set the dashboard's URL to where it lives", nil)
	case status >= 500:
		// What a failing server says is for a person to read; its end does not matter.
		body, _ := io.ReadAll(io.LimitReader(httpResp.Body, 64<<10))
		return nil, fail(status, Excerpt(call.Hidden.Hide(call.Key.Hide(string(body)))), nil)
	case status < 200:
		return nil, fail(status, "no answer to a call", nil)
	}
	tooLarge := fmt.Sprintf("the body is over %d bytes, which is the limit", c.limits.Body)
	if httpResp.ContentLength > c.limits.Body {
		return nil, fail(status, tooLarge, nil)
	}
	body, err := io.ReadAll(io.LimitReader(httpResp.Body, c.limits.Body+1))
	if err != nil {
		return nil, fail(status, fmt.Sprintf("the body broke off after %d bytes: %s", len(body), why(err)), err)
	}
	if int64(len(body)) > c.limits.Body {
		return nil, fail(status, tooLarge, nil)
	}
	mediaType, _, err := mime.ParseMediaType(httpResp.Header.Get("Content-Type"))
	if err != nil {
		mediaType = ""
	}
	return &Response{
		Method: call.Request.Method, Path: path, Status: status, Header: httpResp.Header, MediaType: mediaType, Body: body,
	}, nil
}

// below tells whether u is an address of the dashboard's, and its path there.
func (c *Client) below(u *url.URL) (path string, ok bool) {
	path, ok = strings.CutPrefix(u.EscapedPath(), c.base.EscapedPath())
	return path, ok && strings.HasPrefix(path, "/") && u.Scheme == c.base.Scheme && u.Host == c.base.Host && u.User == nil
}

// destination is where a redirect leads: its host alone, since the rest may hold anything.
func destination(r *http.Response) string {
	u, err := r.Location()
	if err != nil || u.Host == "" {
		return "nowhere"
	}
	return Visible(u.Scheme + "://" + u.Host)
}

// why is the reason of a failed call in few words.
func why(err error) string {
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return "it took too long"
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return "the connection was closed"
	}
	return Excerpt(err.Error())
}
