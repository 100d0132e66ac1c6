// SPDX-License-Identifier: Apache-2.0

// Package transcripttest is what every reader of a format has to pass.
package transcripttest

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/fiftyarms/platform/internal/transcript"
)

const longest = 1 << 20 // bytes of a step's text that are read

// Sound fails where a session does not hold together: a step without its call, a text that is not where it should be.
func Sound(t testing.TB, s *transcript.Session) {
	t.Helper()
	for n, p := range s.Steps {
		if p.Call != transcript.None && int(p.Call) >= len(s.Calls) || p.Agent != transcript.Main && int(p.Agent) >= len(s.Agents) {
			t.Fatalf("step %d is of a call or sub-agent that is not there: %+v", n, p)
		}
		ofCall := p.Kind == transcript.ToolCall || p.Kind == transcript.ToolResult || p.Kind == transcript.ErrorRecovery
		if ofCall != (p.Call != transcript.None) {
			t.Fatalf("step %d is a %s with call %d", n, p.Kind, p.Call)
		}
		if _, err := s.Text(p.Text, longest); err != nil {
			t.Fatalf("step %d: %v", n, err)
		}
	}
	for n, c := range s.Calls {
		spans := append([]transcript.Span{c.Input}, c.Output...)
		if c.Diff != nil {
			spans = append(spans, c.Diff.Hunks, c.Diff.Patch, c.Diff.Old, c.Diff.New)
		}
		if _, err := s.Text(spans, longest); err != nil {
			t.Fatalf("call %d: %v", n, err)
		}
	}
	k := s.Skipped
	for _, count := range []int64{k.Malformed, k.KnownIgnored, k.Unknown, k.Blank, k.Recovered, k.UnmatchedResults, k.Abandoned.Records, k.Abandoned.Prompts, k.Abandoned.ToolCalls, k.Abandoned.Errors} {
		if count < 0 {
			t.Fatalf("it counts below nothing: %+v", k)
		}
	}
	if s.Title == "" || s.Model == "" || s.ID == "" {
		t.Fatalf("title %q, model %q, id %q", s.Title, s.Model, s.ID)
	}
}

// FuzzRead feeds a format with files of a name, beginning with seeds: reading ends, and what it gives is sound.
func FuzzRead(f *testing.F, format transcript.Format, name string, seeds ...[]byte) {
	for _, seed := range seeds {
		f.Add(seed)
	}
	path := filepath.Join(f.TempDir(), name)
	f.Fuzz(func(t *testing.T, log []byte) {
		if err := os.WriteFile(path, log, 0o600); err != nil {
			t.Fatal(err)
		}
		format.Owns(path, log)
		s, err := format.Read(t.Context(), path, nil)
		if err != nil {
			t.Fatal(err)
		}
		Sound(t, s)
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	})
}
