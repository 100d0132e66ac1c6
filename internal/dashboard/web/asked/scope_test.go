// SPDX-License-Identifier: Apache-2.0

package asked

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fiftyarms/platform/gen/dash"
)

// TestEveryPermissionIsExplained: nobody is asked to grant what the page cannot explain.
func TestEveryPermissionIsExplained(t *testing.T) {
	explained, known := map[dash.Permission]bool{}, map[dash.Permission]bool{}
	for p, text := range means {
		explained[p] = text != ""
	}
	for _, p := range dash.AllPermissions {
		known[p] = true
	}
	if diff := cmp.Diff(known, explained); diff != "" {
		t.Errorf("-contract +explained:\n%s", diff)
	}
}
