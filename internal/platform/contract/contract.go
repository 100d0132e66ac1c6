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
