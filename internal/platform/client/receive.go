// SPDX-License-Identifier: Apache-2.0

package client

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"net"
	"net/http"
	"syscall"
)

// receive reads an answer, of which the header is there.
func (c *Client) receive(call Call, httpResp *http.Response, pace *pace, path string, fail func(int, string, error) error) (*Response, error) {
	status := httpResp.StatusCode
	body := &incoming{r: httpResp.Body, pace: pace}
	switch {
	case status >= 300 && status < 400:
		return nil, fail(status, "a redirect to "+c.destination(httpResp)+", which is not followed: set the dashboard's URL to where it lives", nil)
	case status >= 500:
		// What a failing server says is for a person to read; its end does not matter.
		said, _ := io.ReadAll(io.LimitReader(body, 64<<10))
		return nil, fail(status, Excerpt(string(c.known.HideBytes(said))), nil)
	case status < 200:
		return nil, fail(status, "no answer to a call", nil)
	}
	resp := &Response{Method: call.Request.Method, Path: path, Status: status, Header: httpResp.Header}
	if mediaType, _, err := mime.ParseMediaType(c.known.Hide(httpResp.Header.Get("Content-Type"))); err == nil {
		resp.MediaType = mediaType
	}
	var err error
	if call.Take != nil && status < 300 {
		err = call.Take(resp, c.known.Reader(body))
	} else if resp.Body, err = c.readAll(body, httpResp.ContentLength); err == nil && !call.Grants {
		resp.Body = c.known.HideBytes(resp.Body)
	}
	switch {
	case body.err != nil:
		return nil, fail(status, fmt.Sprintf("the body broke off after %d bytes: %s", body.n, c.why(body.err)), body.err)
	case errors.Is(err, errTooLarge):
		return nil, fail(status, fmt.Sprintf("the body is over %d bytes, which is the limit; narrow the call, to fewer items or to a part", c.limits.Body), nil)
	case err != nil:
		return nil, err
	}
	return resp, nil
}

var errTooLarge = errors.New("the body is too large")

// readAll reads a body of bounded length; -1 is a length that is not said.
func (c *Client) readAll(body io.Reader, length int64) ([]byte, error) {
	if length > c.limits.Body {
		return nil, errTooLarge
	}
	var b bytes.Buffer // as large as the body from the start, where its length is known: growing leaves copies behind
	b.Grow(int(max(length, 0)) + bytes.MinRead)
	if _, err := b.ReadFrom(io.LimitReader(body, c.limits.Body+1)); err != nil {
		return nil, err
	}
	if int64(b.Len()) > c.limits.Body {
		return nil, errTooLarge
	}
	return b.Bytes(), nil
}

// why is the reason of a failed call in few words. net/http quotes what it could not read.
func (c *Client) why(err error) string {
	if stall, ok := errors.AsType[*stalled](err); ok {
		return stall.Error()
	}
	switch {
	case errors.Is(err, errProxy):
		return errProxy.Error()
	case errors.Is(err, context.DeadlineExceeded):
		return "it took too long"
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF),
		errors.Is(err, net.ErrClosed), errors.Is(err, syscall.ECONNRESET), errors.Is(err, syscall.EPIPE):
		return "the connection was closed"
	}
	return Excerpt(c.known.Hide(err.Error()))
}
