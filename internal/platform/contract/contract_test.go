// SPDX-License-Identifier: Apache-2.0

package contract_test

import (
	"testing"

	"github.com/fiftyarms/platform/gen/dash"
	"github.com/fiftyarms/platform/internal/platform/contract"
)

func TestDocument(t *testing.T) {
	doc, err := contract.Document()
	if err != nil {
		t.Fatal(err)
	}
	for _, op := range dash.Operations {
		if _, ok := doc.Lookup(op.Route()); !ok {
			t.Errorf("%s is not in the document", op.Route())
		}
		if found := contract.Route(op.Route()); found.ID != op.ID {
			t.Errorf("%s is found as %q", op.Route(), found.ID)
		}
	}
	if contract.Route("GET /api/none").ID != "" {
		t.Error("found a route that is not there")
	}
}
