// SPDX-License-Identifier: Apache-2.0

package claude

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/fiftyarms/platform/internal/transcript"
)

// FuzzRead: whatever the file holds, reading it ends, and what it comes down to holds together.
func FuzzRead(f *testing.F) {
	files, err := filepath.Glob("testdata/sessions/*.txtar")
	if err != nil {
		f.Fatal(err)
	}
	for _, file := range files {
		archive, err := txtar.ParseFile(file)
		if err != nil {
			f.Fatal(err)
		}
		for _, in := range archive.Files {
			if in.Name == "session.jsonl" {
				f.Add(in.Data)
			}
		}
	}
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, log []byte) {
		path := filepath.Join(dir, "session.jsonl")
		if err := os.WriteFile(path, log, 0o600); err != nil {
			t.Fatal(err)
		}
		s, err := Format{}.Read(t.Context(), path, nil)
		if err != nil {
			t.Fatal(err)
		}
		defer func() {
			if err := s.Close(); err != nil {
				t.Error(err)
			}
		}()
		for _, p := range s.Steps {
			if p.Call != transcript.None && int(p.Call) >= len(s.Calls) || p.Agent != transcript.Main && int(p.Agent) >= len(s.Agents) {
				t.Fatalf("%+v", p)
			}
			if (p.Kind == transcript.ToolCall || p.Kind == transcript.ToolResult || p.Kind == transcript.ErrorRecovery) != (p.Call != transcript.None) {
				t.Fatalf("%+v", p)
			}
			if _, err := s.Text(p.Text, 1<<20); err != nil {
				t.Fatal(err)
			}
		}
	})
}
