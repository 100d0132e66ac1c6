// SPDX-License-Identifier: Apache-2.0

package transcript

import (
	"slices"
	"testing"
)

func TestNames(t *testing.T) {
	set := Names("a b\n\tc", "d")
	if len(set) != 4 || !set["a"] || !set["c"] || !set["d"] || set[""] {
		t.Errorf("%v", set)
	}
}

func TestPatchFiles(t *testing.T) {
	const patch = "*** Begin Patch\n*** Add File: a.go\n+x\n*** Update File: b c.go\r\n*** Move to: d.go\n+*** Add File: no.go\n*** Delete File: e.go\n*** End Patch"
	if got := PatchFiles([]byte(patch)); !slices.Equal(got, []string{"a.go", "b c.go", "d.go", "e.go"}) {
		t.Errorf("%q", got)
	}
}
