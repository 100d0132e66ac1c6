// SPDX-License-Identifier: Apache-2.0

package handler

import (
	"testing"

	"github.com/fiftyarms/platform/internal/work"
)

// What the contract lets callers opt into has somebody who reads it.
func TestEveryFieldIsRead(t *testing.T) {
	issue, ok := work.Resource("issue")
	if !ok {
		t.Fatal("there is no resource issue")
	}
	for _, f := range issue.Fields {
		if fillers[f.Name] == nil {
			t.Errorf("%s may be opted into, and nobody reads it", f.Name)
		}
	}
	if len(fillers) != len(issue.Fields) {
		t.Errorf("%d fields are read, and %d may be opted into", len(fillers), len(issue.Fields))
	}
	for _, r := range issue.Relations {
		if r.Name != "children" {
			t.Errorf("the relation %s may be opted into, and nobody reads it", r.Name)
		}
	}
}
