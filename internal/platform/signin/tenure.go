// SPDX-License-Identifier: Apache-2.0

package signin

import (
	"context"
	"errors"
	"net/http"

	"github.com/fiftyarms/platform/internal/platform/client"
	"github.com/fiftyarms/platform/internal/platform/secret"
)

// Tenure is for as long as the session holds the key that it holds now: the context is done when the key is let go or
// replaced, and with the session. Without a key the error is one of Ready's.
func (s *Session) Tenure() (context.Context, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	_, err := s.held()
	return s.tenure, err
}

// Await is Tenure that waits for a key. The error is ctx's, a *Revoked or a *client.Outdated: after those no key comes.
func (s *Session) Await(ctx context.Context) (context.Context, error) {
	for {
		s.mu.Lock()
		_, err := s.held()
		tenure, news := s.tenure, s.news
		s.mu.Unlock()
		if signedOut := (*SignedOut)(nil); !errors.As(err, &signedOut) {
			return tenure, err
		}
		select {
		case <-news:
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
}

// hold makes key the session's own, zero for none. s.mu is held.
func (s *Session) hold(key secret.Text) {
	if key.Equal(s.key) {
		return
	}
	s.over()
	if s.key = key; !key.IsZero() {
		s.tenure, s.over = context.WithCancel(s.ctx)
	}
	close(s.news)
	s.news = make(chan struct{})
}

// Stream opens a stream with the session's key, as client.Stream does. Of call everything is the caller's but the Key.
func (s *Session) Stream(ctx context.Context, call client.Call) (*client.Stream, *client.Response, error) {
	key, err := s.standing()
	if err != nil {
		return nil, nil, err
	}
	if err := s.tells(call.Request); err != nil {
		return nil, nil, err
	}
	call.Key = key
	stream, resp, err := s.client.Stream(ctx, call)
	if resp != nil && resp.Status == http.StatusUnauthorized {
		err = s.refused(key, resp)
	}
	if err != nil {
		return nil, nil, err
	}
	return stream, resp, nil
}
