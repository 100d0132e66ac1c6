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

	params  map[string]string // of the path
	failure error             // what a handler answered with
}

type callKey struct{}

// From is the call that a context belongs to. A context without one gets an empty call, which holds nothing.
func From(ctx context.Context) *Call {
	if c, ok := ctx.Value(callKey{}).(*Call); ok {
		return c
	}
	return &Call{}
}
