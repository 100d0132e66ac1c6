// SPDX-License-Identifier: Apache-2.0

package handler

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/fiftyarms/platform/gen/dash"
	"github.com/fiftyarms/platform/internal/store"
)

// onceWithin is how long an Idempotency-Key stands for the call that it came with.
const onceWithin = 24 * time.Hour

// once creates, unless the call's Idempotency-Key says that it came before and created then. It answers the name of
// what was created; a caller reads that afterwards, so a repeated call answers with what is there now. call is what
// makes two calls the same: the path's parameters and the body.
func (c *change) once(ctx context.Context, key *string, call any, create func() (subject string, err error)) (string, error) {
	if key == nil {
		return create()
	}
	digest, err := digest(call)
	if err != nil {
		return "", err
	}
	o := store.Once{
		Caller: c.caller, Operation: c.operation.ID, Key: *key, Digest: digest, At: c.at, Since: c.at.Add(-onceWithin),
	}
	before, err := c.Once(ctx, o)
	switch {
	case errors.Is(err, store.ErrConflict):
		return "", dash.IdempotencyKeyReusedRefusal{
			Message: "this Idempotency-Key came with another call before: send a new key with a new call",
		}
	case err != nil || before != "":
		return before, err
	}
	subject, err := create()
	if err != nil {
		return "", err
	}
	return subject, c.Remember(ctx, o, subject)
}

// digest is the SHA-256 of a value's JSON, in hex. The body of a call was read into its type before: whatever its spaces
// and the order of its members were, they are gone.
func digest(v any) (string, error) {
	b, err := json.Marshal(v)
	if err != nil {
		return "", fmt.Errorf("digest of a call: %w", err)
	}
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:]), nil
}
