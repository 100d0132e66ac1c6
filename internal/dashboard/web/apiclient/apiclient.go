// SPDX-License-Identifier: Apache-2.0

// Package apiclient lets a page call the dashboard's API in this process: the generated client on one side, the API's
// handler on the other, and no network between. A page has no other way to the data, so it can do what the contract
// lets the browser's person do and nothing else. The browser's credentials go along with every call; whether they
// hold, whether the call came from a page of ours and how often it may come are for the API to say.
package apiclient

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"time"

	"github.com/fiftyarms/platform/gen/dash"
)

// MaxAnswer bounds an answer of the API, in bytes. The largest is a column of 50 cards that each need a human for 30
// steps of 1,000 characters, most of them written as \u003c.
const MaxAnswer = 16 << 20

// restLimit is how long the rest of a browser's request may take that the API did not want to read.
const restLimit = 30 * time.Second

// RequestID is the header that names a call in the server's log. A page carries that of its first call.
const RequestID = "X-Request-Id"

// csrfHeader carries the token that a form of ours holds and a form of another site cannot know.
const csrfHeader = "X-CSRF-Token"

// forwarded are the headers of the browser's request that the API judges a call by: who calls, from which page, and,
// behind a proxy, from where.
var forwarded = []string{
	"Cookie", "User-Agent", "Origin", "Referer", "Sec-Fetch-Site", "Sec-Fetch-Mode", "Sec-Fetch-Dest",
	"Forwarded", "X-Forwarded-For", "X-Forwarded-Host", "X-Forwarded-Proto", "X-Real-Ip",
}

// New is a client that calls api as the browser that sent r, with csrfToken on unsafe calls. Cookies that the API sets
// are set on w.
func New(api http.Handler, w http.ResponseWriter, r *http.Request, csrfToken string) (*dash.ClientWithResponses, error) {
	// The address is never dialled: the doer hands the request to the handler.
	return dash.NewClientWithResponses("http://in.process/", dash.WithHTTPClient(&doer{api: api, w: w, browser: r, csrf: csrfToken}))
}

type doer struct {
	api     http.Handler
	w       http.ResponseWriter
	browser *http.Request
	csrf    string
}

// Do serves req on the API and answers with what it wrote.
func (d *doer) Do(req *http.Request) (*http.Response, error) {
	in := req.Clone(req.Context())
	for _, name := range forwarded {
		if v := d.browser.Header.Values(name); len(v) > 0 {
			in.Header[name] = v
		}
	}
	if d.csrf != "" && req.Method != http.MethodGet && req.Method != http.MethodHead {
		in.Header.Set(csrfHeader, d.csrf)
	}
	in.Host = d.browser.Host
	in.RemoteAddr = d.browser.RemoteAddr
	in.TLS = d.browser.TLS
	in.RequestURI = req.URL.RequestURI()
	in.URL.Scheme, in.URL.Host = "", "" // as a server sees it
	switch {
	case in.Body == nil:
		in.Body = http.NoBody
	case in.ContentLength == 0 && in.Body != http.NoBody: // a client's way to say that it does not know
		in.ContentLength = -1
	}
	rec := &recorder{header: http.Header{}}
	if in.ContentLength < 0 {
		// It comes from the browser while the API reads it, for as long as that takes. What is left of the browser's own
		// request then has the time that any request has.
		rec.connection = http.NewResponseController(d.w)
		defer func() { _ = rec.connection.SetReadDeadline(time.Now().Add(restLimit)) }()
	}
	d.api.ServeHTTP(rec, in)
	if rec.over {
		return nil, fmt.Errorf("%s %s answered over %d bytes", req.Method, req.URL.Path, MaxAnswer)
	}
	rsp := rec.response(req)
	for _, c := range rsp.Header.Values("Set-Cookie") {
		d.w.Header().Add("Set-Cookie", c)
	}
	if id := rsp.Header.Get(RequestID); id != "" && d.w.Header().Get(RequestID) == "" {
		d.w.Header().Set(RequestID, id)
	}
	return rsp, nil
}

// errOver ends a handler that writes more than MaxAnswer.
var errOver = errors.New("the answer is too large")

// recorder keeps one answer in memory.
type recorder struct {
	connection *http.ResponseController // the browser's; nil where the call is whole already
	header     http.Header
	sent       http.Header // header as it was when the status was written
	status     int
	body       bytes.Buffer
	over       bool
}

func (r *recorder) Header() http.Header { return r.header }

// Flush does nothing: the answer is read as a whole.
func (r *recorder) Flush() {}

// SetReadDeadline gives a call whose body comes from the browser the time that it needs. Behind any other is no
// connection.
func (r *recorder) SetReadDeadline(t time.Time) error {
	if r.connection == nil {
		return http.ErrNotSupported
	}
	return r.connection.SetReadDeadline(t)
}

// SetWriteDeadline is SetReadDeadline for writing.
func (r *recorder) SetWriteDeadline(t time.Time) error {
	if r.connection == nil {
		return http.ErrNotSupported
	}
	return r.connection.SetWriteDeadline(t)
}

func (r *recorder) WriteHeader(status int) {
	if r.status != 0 || status < 200 {
		return
	}
	r.status, r.sent = status, r.header.Clone()
}

func (r *recorder) Write(b []byte) (int, error) {
	r.WriteHeader(http.StatusOK)
	if r.over = r.over || r.body.Len()+len(b) > MaxAnswer; r.over {
		return 0, errOver
	}
	return r.body.Write(b)
}

func (r *recorder) response(req *http.Request) *http.Response {
	r.WriteHeader(http.StatusOK)
	return &http.Response{
		Status:        strconv.Itoa(r.status) + " " + http.StatusText(r.status),
		StatusCode:    r.status,
		Proto:         "HTTP/1.1",
		ProtoMajor:    1,
		ProtoMinor:    1,
		Header:        r.sent,
		Body:          io.NopCloser(&r.body),
		ContentLength: int64(r.body.Len()),
		Request:       req,
	}
}

var _ http.Flusher = (*recorder)(nil)
