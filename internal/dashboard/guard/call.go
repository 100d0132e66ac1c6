// SPDX-License-Identifier: Apache-2.0

package guard

import (
	"context"

	"github.com/fiftyarms/platform/gen/dash"
	"github.com/fiftyarms/platform/internal/access"
	"github.com/fiftyarms/platform/internal/store"
)

// A Call is what the guard knows of a call, for the handler that answers it.
type Call struct {
	RequestID string
	Operation dash.Operation    // zero on a route that is not there
	Address   string            // where it came from; "unknown" of a call without a connection
	Principal *access.Principal // nil on a public operation: there nobody is asked who they are
	Key       store.Key         // the principal's, if it is a key
	LoginHash string            // of the session cookie that came along, whether or not it holds
	HeadOnly  bool              // a HEAD: the answer's body goes nowhere

	params  map[string]string // of the path
	body    []byte            // if it is JSON
	failure error             // what a handler answered with
	again   func(ctx context.Context) (*access.Principal, error)
	hasten  func()
}

// Hasten makes a lasting call that writes end soon: who takes nothing is waited for no longer. Any goroutine may call
// it, as long as the handler runs.
func (c *Call) Hasten() {
	if c.hasten != nil {
		c.hasten()
	}
}

// Again judges the credential of a call that lasts once more, as if the call came now: a key counts as used. It answers
// who calls, or the refusal that a new call would get.
func (c *Call) Again(ctx context.Context) (*access.Principal, error) {
	if c.again == nil {
		return nil, dash.UnauthenticatedRefusal{Message: "sign in first"}
	}
	return c.again(ctx)
}

type callKey struct{}

// From is the call that a context belongs to. A context without one gets an empty call, which holds nothing.
func From(ctx context.Context) *Call {
	if c, ok := ctx.Value(callKey{}).(*Call); ok {
		return c
	}
	return &Call{}
}
