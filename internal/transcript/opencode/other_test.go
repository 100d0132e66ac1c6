// SPDX-License-Identifier: Apache-2.0

package opencode_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/fiftyarms/platform/internal/transcript/opencode"
)

// TestAFileThatIsNoSession: it is named as it was given.
func TestAFileThatIsNoSession(t *testing.T) {
	for name, text := range map[string]string{"e.jsonl": "{}\n", "x.db": "text", "s.json": "[]"} {
		path := filepath.Join(t.TempDir(), name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := (opencode.Format{}).Read(t.Context(), path, nil); err == nil || !strings.HasPrefix(err.Error(), path) || strings.Contains(err.Error(), path+".json") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestAViewIsNoTable: its rows may have no end.
func TestAViewIsNoTable(t *testing.T) {
	var l log
	turns(&l)
	path := filepath.Join(t.TempDir(), "opencode.db")
	db := l.fill(t, path, "delete")
	for _, statement := range []string{
		`DROP TABLE session`,
		`CREATE VIEW session AS WITH RECURSIVE n(id) AS (SELECT 1 UNION ALL SELECT id + 1 FROM n)
			SELECT id, '' AS parent_id, '' AS directory, '' AS title, '' AS version, '' AS revert, 0 AS time_updated, 0 AS time_created FROM n`,
	} {
		if _, err := db.ExecContext(t.Context(), statement); err != nil {
			t.Fatal(err)
		}
	}
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	s, err := (opencode.Format{}).Read(ctx, path, nil)
	if err != nil {
		t.Fatal(err)
	}
	if len(s.Steps) == 0 {
		t.Error("its messages are lost")
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}
