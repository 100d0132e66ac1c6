// SPDX-License-Identifier: Apache-2.0

package openapi

import (
	"encoding/json"
	"fmt"
	"strings"
)

// DefaultSliceBudget is the size of a slice, in tokens, when no other is asked.
const DefaultSliceBudget = 8000

// SliceOptions shape a slice.
type SliceOptions struct {
	Budget int              // tokens; 0 is DefaultSliceBudget, below 0 is no limit
	Count  func([]byte) int // counts tokens; nil is EstimateTokens
	// Extensions names the x- members to keep, wherever they are. nil keeps
	// all of an operation and none elsewhere; empty keeps none.
	Extensions []string
}

// UnknownRouteError refuses a slice of something that the document lacks.
type UnknownRouteError struct {
	Route   string   // as it was asked for
	Part    string   // set when the route exists, but not what follows its "#"
	Nearest []string // what may have been meant, best first, at most three
}

func (e *UnknownRouteError) Error() string {
	return fmt.Sprintf("unknown route %q; nearest: %s", e.Route, strings.Join(e.Nearest, ", "))
}

// Slice makes a small and valid OpenAPI document of the named operations and
// the components they reach.
//
// An entry is a route name ("GET /x/{id}"), or one with a part that an earlier
// slice has cut: "GET /x/{id}#Name" is the component schema Name with what it
// reaches.
//
// The request side (parameters and bodies) is always whole. What only
// responses reach is fitted into the budget in this order: long examples go,
// then short ones and the tails of long descriptions, then the schemas that are
// farthest from the operation become stubs that say which entry returns them.
// If the request side alone is over the budget, info.description says so.
//
// The error is an [*UnknownRouteError] or says that the document is of a kind
// that cannot be sliced. The output is compact and always the same for the
// same input.
func (d *Document) Slice(routes []string, opt SliceOptions) (json.RawMessage, error) {
	return nil, nil
}
