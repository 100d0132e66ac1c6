// SPDX-License-Identifier: Apache-2.0

package trio

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/http"

	"github.com/fiftyarms/platform/internal/platform/client"
)

// idempotencyKey is the header that lets a dashboard tell a call that comes again.
const idempotencyKey = "Idempotency-Key"

// send makes a call, and makes it once more when the network lost it before any answer came and a second time can do no
// harm: it reads, or carries a key by which the dashboard knows it again.
func (t *Trio) send(ctx context.Context, call client.Call) (*client.Response, error) {
	resp, err := t.session.Do(ctx, call)
	if lost, ok := errors.AsType[*client.Failure](err); !ok || !lost.Unanswered() {
		return resp, err
	}
	req := call.Request
	if req.Method != http.MethodGet && req.Header.Get(idempotencyKey) == "" {
		return resp, err
	}
	if req.GetBody != nil {
		body, bad := req.GetBody()
		if bad != nil {
			return nil, err
		}
		req.Body = body
	}
	return t.session.Do(ctx, call)
}

// newKey is a fresh idempotency key.
func (t *Trio) newKey() (string, error) {
	key := make([]byte, 16)
	if _, err := io.ReadFull(t.random, key); err != nil {
		return "", fmt.Errorf("make an idempotency key: %w", err)
	}
	return hex.EncodeToString(key), nil
}
