// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const root = "../.."

// TestTheBundleIsCurrent: what is served is what the source says.
func TestTheBundleIsCurrent(t *testing.T) {
	want, err := build(root)
	if err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(filepath.Join(root, bundle))
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("%s is not what the source makes: run `go generate ./...`", bundle)
	}
	again, err := build(root)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(again, want) {
		t.Error("a second run makes other bytes")
	}
}

// TestTheScriptStaysSmall and does nothing that the pages' policy forbids.
func TestTheScriptStaysSmall(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(root, filepath.Dir(source), "*.ts"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no source: %v", err)
	}
	lines := 0
	for _, f := range files {
		b, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.HasPrefix(b, []byte("// SPDX-License-Identifier: Apache-2.0\n")) {
			t.Errorf("%s: the first line is not the licence's", f)
		}
		lines += bytes.Count(b, []byte("\n"))
		for _, no := range []string{"eval(", "new Function", "innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", ".style"} {
			if strings.Contains(string(b), no) {
				t.Errorf("%s holds %s", f, no)
			}
		}
	}
	if lines > 800 {
		t.Errorf("%d lines, want 800 at most", lines)
	}
}
