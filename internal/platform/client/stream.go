// SPDX-License-Identifier: Apache-2.0

package client

import (
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"strconv"

	"github.com/fiftyarms/platform/internal/sse"
)

// Stream is a stream of server-sent events that is open. It is for one goroutine.
type Stream struct {
	client *Client
	frames *sse.Reader
	body   io.Closer
	end    func()
	fail   func(status int, reason string, err error) error
}

// Stream opens a stream: it may last for ever, but no longer than the call's Stall may pass without a byte, and at most
// the header's limit besides until it is open. It takes none of the places that Limits.Calls bounds. What is no stream
// is the Response in its place, a 4xx; errors are those of Do. ctx ends the stream too, and the caller closes it.
func (c *Client) Stream(ctx context.Context, call Call) (*Stream, *Response, error) {
	if err := c.Halted(); err != nil {
		return nil, nil, err
	}
	req := call.Request
	path, ours := c.below(req.URL)
	if !ours || call.Stall <= 0 { // a fault of the caller
		return nil, nil, &Failure{Method: req.Method, Path: path, Reason: "not sent: the address is not below " + c.Dashboard() + ", or nothing bounds the stream"}
	}
	limited, pace, end := c.bound(ctx, call)
	fail := func(status int, reason string, err error) error {
		if ctx.Err() != nil {
			return fmt.Errorf("%s %s: %w", req.Method, path, context.Cause(ctx))
		}
		return &Failure{Method: req.Method, Path: path, Status: status, Reason: reason, Err: err}
	}
	sent := req.Clone(limited) // the caller's keeps no key
	sent.Header.Set("Accept", sse.MediaType+", application/json")
	sent.Header.Set("User-Agent", "platform-mcp/"+c.version.text)
	if !call.Key.IsZero() {
		sent.Header.Set("Authorization", "Bearer "+call.Key.Reveal())
	}
	pace.rest(c.limits.Header)
	httpResp, err := c.http.RoundTrip(sent)
	if err != nil {
		end()
		return nil, nil, fail(0, "no answer from "+c.Dashboard()+": "+c.why(err), err)
	}
	stream, resp, err := c.opened(call, httpResp, pace, path, fail)
	if stream == nil {
		_ = httpResp.Body.Close() // nothing more is wanted of it
		end()
		return nil, resp, err
	}
	stream.end = end
	return stream, nil, nil
}

// opened looks at the answer to a call that opens a stream.
func (c *Client) opened(call Call, httpResp *http.Response, pace *pace, path string, fail func(int, string, error) error) (*Stream, *Response, error) {
	if err := c.checkFloor(httpResp.Header); err != nil {
		return nil, nil, err
	}
	pace.moved()
	kind, _, _ := mime.ParseMediaType(c.known.Hide(httpResp.Header.Get("Content-Type"))) // "" is another kind, too
	switch {
	case httpResp.StatusCode == http.StatusOK && kind == sse.MediaType:
		body := &incoming{r: httpResp.Body, pace: pace}
		return &Stream{client: c, frames: sse.NewReader(body), body: httpResp.Body, fail: fail}, nil, nil
	case httpResp.StatusCode >= 200 && httpResp.StatusCode < 300:
		return nil, nil, fail(httpResp.StatusCode, "not a stream of events, but "+strconv.Quote(Excerpt(kind)), nil)
	}
	resp, err := c.receive(call, httpResp, pace, path, fail)
	return nil, resp, err
}

// Next waits for the next frame. Known secrets in it are hidden. The error, io.EOF's too, is a *Failure, or ctx's.
func (s *Stream) Next() (sse.Frame, error) {
	f, err := s.frames.Next()
	switch {
	case errors.Is(err, io.EOF):
		return sse.Frame{}, s.fail(http.StatusOK, "the stream was ended", err)
	case errors.Is(err, sse.ErrTooLarge):
		return sse.Frame{}, s.fail(http.StatusOK, err.Error(), nil)
	case err != nil:
		return sse.Frame{}, s.fail(http.StatusOK, "the stream broke off: "+s.client.why(err), err)
	}
	f.Data = s.client.known.HideBytes(f.Data)
	f.Event, f.ID = s.client.known.Hide(f.Event), s.client.known.Hide(f.ID)
	return f, nil
}

// Close ends the stream.
func (s *Stream) Close() {
	s.end()
	_ = s.body.Close() // nothing more is wanted of it
}
