// SPDX-License-Identifier: Apache-2.0

package opencode

import (
	"database/sql"
	"os"
	"path/filepath"
	"testing"
)

// TestOneOpening: the sessions of a database are read from one opening of it, until somebody writes to it.
func TestOneOpening(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("TMPDIR", t.TempDir())
	live := filepath.Join(t.TempDir(), "opencode.db")
	db, err := sql.Open("sqlite", "file:"+live+"?_pragma=journal_mode(wal)")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	write := func(statements ...string) {
		t.Helper()
		for _, statement := range statements {
			if _, err := db.Exec(statement); err != nil {
				t.Fatal(err)
			}
		}
		for _, end := range []string{"", "-wal"} { // as a copy has it, without the log's index
			data, err := os.ReadFile(live + end)
			if err == nil {
				err = os.WriteFile(filepath.Join(dir, "opencode.db"+end), data, 0o600)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
	}
	write(`CREATE TABLE message (id, session_id, data, time_created, time_updated)`, `CREATE TABLE part (id, message_id, data)`,
		`CREATE TABLE session (id, parent_id, directory, title, version, revert, time_created, time_updated)`,
		`INSERT INTO session (id, time_updated) VALUES ('ses_1', 1), ('ses_2', 2)`)
	path := filepath.Join(dir, "opencode.db")
	read := func(id string) *database {
		t.Helper()
		d, err := openDatabase(t.Context(), path)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := d.session(t.Context(), id); err != nil {
			t.Error(err)
		}
		if err := d.close(); err != nil {
			t.Error(err)
		}
		return d
	}
	first := read("ses_1")
	if first.copied == "" && read("ses_2") != first {
		t.Error("it was opened again")
	}
	write(`INSERT INTO session (id, time_updated) VALUES ('ses_3', 3)`)
	if read("ses_3") == first {
		t.Error("what was written to it is not there")
	}
	one, err := openDatabase(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	other, err := openDatabase(t.Context(), path)
	if err != nil || one == other {
		t.Errorf("two readers at once share it: %v", err)
	}
	for _, d := range []*database{one, other} {
		if err := d.close(); err != nil {
			t.Error(err)
		}
	}
	if left, err := os.ReadDir(os.Getenv("TMPDIR")); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}
