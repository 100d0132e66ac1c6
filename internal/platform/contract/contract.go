// SPDX-License-Identifier: Apache-2.0

// Package contract is the dashboard's contract as this build knows it, indexed at its first use: a start that calls
// nothing pays nothing for it.
package contract

import (
	"fmt"
	"sync"

	"github.com/fiftyarms/platform/gen/dash"
	"github.com/fiftyarms/platform/internal/openapi"
)

// Document is the contract's index. An error is a fault of the build.
var Document = sync.OnceValues(func() (*openapi.Document, error) {
	doc, err := openapi.Load(dash.Document)
	if err != nil {
		return nil, fmt.Errorf("contract of this build: %w", err)
	}
	return doc, nil
})

// Marks is what the contract says of an operation beside its shape: the zero Operation of one that this build does not
// know.
func Marks(operationID string) dash.Operation { return byID()[operationID] }

// Route is the operation of a route, "METHOD /path/{id}": the zero Operation of one that this build does not know.
func Route(route string) dash.Operation { return byRoute()[route] }

var byID, byRoute = by(func(op dash.Operation) string { return op.ID }), by(dash.Operation.Route)

// by is the operations by a name of theirs.
func by(name func(dash.Operation) string) func() map[string]dash.Operation {
	return sync.OnceValue(func() map[string]dash.Operation {
		m := make(map[string]dash.Operation, len(dash.Operations))
		for _, op := range dash.Operations {
			m[name(op)] = op
		}
		return m
	})
}
