// SPDX-License-Identifier: Apache-2.0

package transcript

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestAFileThatIsWrittenTo while its session is open: at its end by the client, which harms nothing, or elsewhere.
func TestAFileThatIsWrittenTo(t *testing.T) {
	const line = `{"type":"user","text":"` + "what was asked" + `"}` + "\n"
	text := strings.Repeat(line, 10)
	for _, c := range []struct {
		name    string
		write   string
		changed bool
	}{
		{"no", "", false},
		{"at its end", text + line, false},
		{"in the middle", text[:200] + `"` + text[201:], true},
		{"it was cut", text[:200], true},
		{"it was written anew, longer", strings.ReplaceAll(text, "asked", "answered"), true},
	} {
		for _, keep := range []bool{true, false} {
			path := filepath.Join(t.TempDir(), "s.jsonl")
			if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			b := NewBuilder("test", path)
			if !keep {
				b.open = maxOpen
			}
			_, source, done, err := b.Opened(path)
			if err = errors.Join(err, done()); err != nil {
				t.Fatal(err)
			}
			at := Span{Source: source, Off: 23, Len: 14}
			for range 2 {
				if got, err := b.s.Text([]Span{at}, 100); err != nil || got != "what was asked" {
					t.Errorf("%s: %q, %v", c.name, got, err)
				}
				if c.write == "" {
					continue
				}
				later := time.Now().Add(time.Second)
				if err := errors.Join(os.WriteFile(path, []byte(c.write), 0o600), os.Chtimes(path, later, later)); err != nil {
					t.Fatal(err)
				}
				if c.changed {
					if _, err := b.s.Text([]Span{at}, 100); !errors.Is(err, ErrChanged) {
						t.Errorf("%s: %v", c.name, err)
					}
					break
				}
			}
			if err := b.s.Close(); err != nil {
				t.Error(err)
			}
		}
	}
}
