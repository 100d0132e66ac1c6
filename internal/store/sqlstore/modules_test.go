// SPDX-License-Identifier: Apache-2.0

package sqlstore_test

import (
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"
)

// SQLite's driver is C that was translated against one version of its C library, and breaks in ways that no compiler
// sees on any other. A dependency that asks for a newer one (goose 3.30 does) moves it behind our back.
func TestSQLiteHasTheLibraryItWasTranslatedFor(t *testing.T) {
	out, err := exec.CommandContext(t.Context(), "go", "list", "-m", "-f", "{{.GoMod}}", "modernc.org/sqlite").Output()
	if err != nil {
		t.Fatal(err)
	}
	libc := regexp.MustCompile(`(?m)^\s*(?:require )?modernc\.org/libc (\S+)`)
	version := func(file string) string {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		found := libc.FindSubmatch(text)
		if found == nil {
			t.Fatalf("%s does not name modernc.org/libc", file)
		}
		return string(found[1])
	}
	ours, wants := version("../../../go.mod"), version(strings.TrimSpace(string(out)))
	if ours != wants {
		t.Errorf("go.mod has modernc.org/libc %s and modernc.org/sqlite is made for %s: go get modernc.org/libc@%s", ours, wants, wants)
	}
}
