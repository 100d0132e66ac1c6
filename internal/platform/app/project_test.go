// SPDX-License-Identifier: Apache-2.0

package app

import (
	"os"
	"path/filepath"
	"testing"
)

func TestStartedIn(t *testing.T) {
	clone, other := t.TempDir(), t.TempDir()
	for dir, module := range map[string]string{clone: "github.com/fiftyarms/platform", other: "example.com/shop"} {
		if err := os.WriteFile(filepath.Join(dir, "go.mod"), []byte("module "+module+"\n\ngo 1.26.0\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	tests := []struct{ name, dir, pwd, want string }{
		{"go -C clone run", clone, "/home/ada/shop", "/home/ada/shop"},
		{"in the clone, with no word of where from", clone, "", clone},
		{"in the clone, with a relative word", clone, "shop", clone},
		{"in another module", other, "/home/ada", other},
		{"in no module", t.TempDir(), "/home/ada", ""},
	}
	for _, tt := range tests {
		want := tt.want
		if want == "" {
			want = tt.dir
		}
		if got := startedIn(tt.dir, filepath.FromSlash(tt.pwd)); got != filepath.FromSlash(want) {
			t.Errorf("%s: %s, want %s", tt.name, got, want)
		}
	}
}
