// SPDX-License-Identifier: Apache-2.0

package signin

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"

	"github.com/fiftyarms/platform/internal/platform/client"
)

// Do makes a call with the session's key, as Call does. Of call everything is the caller's but the Key.
func (s *Session) Do(ctx context.Context, call client.Call) (*client.Response, error) {
	key, err := s.standing()
	if err != nil {
		return nil, err
	}
	if err := s.tells(call.Request); err != nil {
		return nil, err
	}
	call.Key = key
	return s.call(ctx, call)
}

// errTold ends a body in which the session's key was found while it was being sent.
var errTold = errors.New("not sent to its end: it holds this session's key, which nobody else may read; take the key out of the file")

// tells refuses a call that would write a secret of this session where others read it. A body that can be read but once
// is looked at while it is sent, and breaks off: what came of it before names no secret whole.
func (s *Session) tells(req *http.Request) error {
	told := fmt.Errorf("%s %s: not sent: the call holds this session's key, which nobody else may read; leave it out", req.Method, req.URL.Path)
	if address := req.URL.String(); s.known.Hide(address) != address {
		return told
	}
	switch {
	case req.Body == nil || req.Body == http.NoBody:
		return nil
	case req.GetBody == nil:
		req.Body = struct {
			io.Reader
			io.Closer
		}{s.known.Guard(req.Body, errTold), req.Body}
		return nil
	}
	body, err := req.GetBody()
	if err != nil {
		return err
	}
	defer body.Close()
	found, err := s.known.Holds(body)
	if found {
		return told
	}
	return err
}
