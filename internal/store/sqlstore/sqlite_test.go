// SPDX-License-Identifier: Apache-2.0

package sqlstore_test

import (
	"database/sql"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fiftyarms/platform/internal/store/sqlstore"
)

func TestTheFileIsTheUsersAlone(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("Windows has no such modes")
	}
	root := t.TempDir()
	dir := filepath.Join(root, "new", "folders")
	path := filepath.Join(dir, "dashboard.db")
	s := open(t, path)
	if err := s.OfferSetup(t.Context(), "something to write"); err != nil {
		t.Fatal(err)
	}
	modes := map[string]fs.FileMode{}
	for _, p := range []string{filepath.Dir(dir), dir, path, path + "-wal", path + "-shm"} {
		info, err := os.Stat(p)
		if err != nil {
			t.Fatal(err)
		}
		name, err := filepath.Rel(root, p)
		if err != nil {
			t.Fatal(err)
		}
		modes[name] = info.Mode().Perm()
	}
	want := map[string]fs.FileMode{
		"new": 0o700, "new/folders": 0o700,
		"new/folders/dashboard.db": 0o600, "new/folders/dashboard.db-wal": 0o600, "new/folders/dashboard.db-shm": 0o600,
	}
	if diff := cmp.Diff(want, modes); diff != "" {
		t.Errorf("modes (-want +got):\n%s", diff)
	}
}

func TestAFileThatOthersMayReadIsClosedToThem(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("Windows has no such modes")
	}
	path := filepath.Join(t.TempDir(), "restored.db")
	if err := open(t, path).Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(path, 0o644); err != nil {
		t.Fatal(err)
	}
	open(t, path)
	info, err := os.Stat(path)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the file has mode %v, %v", info.Mode().Perm(), err)
	}
}

// A path that was mistyped may be anything: what is no database keeps its bytes and its mode.
func TestAnotherFileIsLeftAlone(t *testing.T) {
	path := filepath.Join(t.TempDir(), "passwd")
	if err := os.WriteFile(path, []byte("root:x:0:0\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if s, err := sqlstore.Open(t.Context(), path, sqlstore.Options{}); err == nil {
		t.Error("opened a file that is no database", s.Close())
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o644 {
		t.Errorf("its mode is %v now, %v", info.Mode().Perm(), err)
	}
	if got, err := os.ReadFile(path); err != nil || string(got) != "root:x:0:0\n" {
		t.Errorf("it holds %q now, %v", got, err)
	}
	if s, err := sqlstore.Open(t.Context(), filepath.Dir(path), sqlstore.Options{}); err == nil {
		t.Error("opened a folder", s.Close())
	}
}

// A pragma is of a connection, not of a pool: one that only the first connection has is worth nothing.
func TestEveryConnectionHasThePragmas(t *testing.T) {
	write, read := open(t, filepath.Join(t.TempDir(), "dashboard.db")).Pools()
	for name, pool := range map[string]*sql.DB{"write": write, "read": read} {
		n := pool.Stats().MaxOpenConnections
		if name == "write" && n != 1 {
			t.Errorf("%d connections write", n)
		}
		for i := range n {
			c, err := pool.Conn(t.Context()) // held to the end, so that the next is another
			if err != nil {
				t.Fatal(err)
			}
			defer c.Close()
			got := map[string]string{}
			for pragma := range map[string]bool{"busy_timeout": true, "foreign_keys": true, "journal_mode": true, "synchronous": true, "query_only": true} {
				var v string
				if err := c.QueryRowContext(t.Context(), "PRAGMA "+pragma).Scan(&v); err != nil {
					t.Fatal(err)
				}
				got[pragma] = v
			}
			want := map[string]string{"busy_timeout": "10000", "foreign_keys": "1", "journal_mode": "wal", "synchronous": "1", "query_only": "0"}
			if name == "read" {
				want["query_only"] = "1"
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("connection %d to %s (-want +got):\n%s", i, name, diff)
			}
			_, err = c.ExecContext(t.Context(), fmt.Sprintf(`INSERT INTO agent (team_id, number, name) VALUES ('none', %d, 'x')`, i))
			if err == nil {
				t.Errorf("connection %d to %s wrote a row that points nowhere", i, name)
			}
		}
	}
}

// SQLite has no lock that would keep a second process from applying a migration again; the version that it notes with it
// has to.
func TestAMigrationIsNotedOnce(t *testing.T) {
	write, _ := open(t, filepath.Join(t.TempDir(), "dashboard.db")).Pools()
	if _, err := write.Exec(`INSERT INTO goose_db_version (version_id, is_applied) VALUES (1, 1)`); err == nil {
		t.Error("a migration was noted twice")
	}
}
