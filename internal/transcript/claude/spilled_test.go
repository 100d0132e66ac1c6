// SPDX-License-Identifier: Apache-2.0

package claude

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestHowLongAnOutputMayBe: an output in a file of its own is read up to a size; of one that is longer the log's preview
// is what there is.
func TestHowLongAnOutputMayBe(t *testing.T) {
	for size, whole := range map[int64]bool{16 << 20: true, 16<<20 + 1: false} {
		dir := write(t, map[string]string{"s.jsonl": persisted("tool-results/abc.txt"), "s/tool-results/abc.txt": "begins"})
		if err := os.Truncate(filepath.Join(dir, "s/tool-results/abc.txt"), size); err != nil { // zeros, of no size on the disk
			t.Fatal(err)
		}
		s := open(t, filepath.Join(dir, "s.jsonl"))
		at := s.Steps[2].Text[0]
		if got := strings.HasPrefix(said(t, s, s.Steps[2]), "begins"); got != whole || whole && int64(at.Len) != size {
			t.Errorf("of %d bytes: whole %v, %d bytes", size, got, at.Len)
		}
	}
}
