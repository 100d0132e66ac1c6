// SPDX-License-Identifier: Apache-2.0

package opencode_test

import (
	"database/sql"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/fiftyarms/platform/internal/transcript"
	"github.com/fiftyarms/platform/internal/transcript/opencode"
)

// list are the files of a folder, with what is in them.
func list(t *testing.T, dir string) map[string]string {
	t.Helper()
	files := map[string]string{}
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		data, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		files[e.Name()] = string(data)
	}
	return files
}

// same fails if files came, went or changed. The index that writers share is theirs to change.
func same(t *testing.T, before, after map[string]string) {
	t.Helper()
	for name, data := range after {
		if was, there := before[name]; !there {
			t.Errorf("%s was made", name)
		} else if was != data && !strings.HasSuffix(name, "-shm") {
			t.Errorf("%s was written to", name)
		}
	}
	for name := range before {
		if _, there := after[name]; !there {
			t.Errorf("%s was removed", name)
		}
	}
}

// Whatever state the client leaves its database in, what was written is read, and nothing is written.
func TestDatabaseIsOnlyRead(t *testing.T) {
	var l log
	turns(&l)
	for name, prepare := range map[string]func(t *testing.T, dir string){
		"at rest": func(t *testing.T, dir string) { l.fill(t, filepath.Join(dir, "opencode.db"), "delete") },
		"closed": func(t *testing.T, dir string) {
			if err := l.fill(t, filepath.Join(dir, "opencode.db"), "wal").Close(); err != nil {
				t.Fatal(err)
			}
		},
		"the client is running": func(t *testing.T, dir string) { l.fill(t, filepath.Join(dir, "opencode.db"), "wal") },
		"a copy of a running one": func(t *testing.T, dir string) {
			from := t.TempDir()
			l.fill(t, filepath.Join(from, "opencode.db"), "wal")
			for name, data := range list(t, from) {
				if strings.HasSuffix(name, "-shm") {
					continue
				}
				if err := os.WriteFile(filepath.Join(dir, name), []byte(data), 0o600); err != nil {
					t.Fatal(err)
				}
			}
		},
		"the client crashed": func(t *testing.T, dir string) {
			from := t.TempDir()
			l.fill(t, filepath.Join(from, "opencode.db"), "wal")
			for name, data := range list(t, from) {
				if err := os.WriteFile(filepath.Join(dir, name), []byte(data), 0o600); err != nil {
					t.Fatal(err)
				}
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			dir, temporary := t.TempDir(), t.TempDir()
			prepare(t, dir)
			t.Setenv("TMPDIR", temporary)
			before := list(t, dir)
			path := filepath.Join(dir, "opencode.db")
			if !(opencode.Format{}).Owns(path, []byte(before["opencode.db"][:100])) {
				t.Error("not owned")
			}
			s := readPath(t, path)
			if got := steps(t, s); !slices.Equal(got, wantTurns) {
				t.Errorf("got\n\t%s", strings.Join(got, "\n\t"))
			}
			if s.Path != path+"#ses_9" {
				t.Errorf("path %s", s.Path)
			}
			same(t, before, list(t, dir))
			if left := list(t, temporary); len(left) > 0 {
				t.Errorf("left behind: %v", left)
			}
		})
	}
}

func TestNewest(t *testing.T) {
	var l log
	l.session("ses_9", "", "")
	l.message(user, said("older"))
	l.session("ses_8", "", "")
	l.message(user, said("newer"))
	l.session("ses_7", "ses_8", "")
	path := filepath.Join(t.TempDir(), "opencode.db")
	l.fill(t, path, "delete")
	if s := readPath(t, path); s.ID != "ses_8" || s.Title != "newer" {
		t.Errorf("%s, %q", s.ID, s.Title)
	}
	if s := readPath(t, path+"#ses_9"); s.ID != "ses_9" || s.Title != "older" {
		t.Errorf("%s, %q", s.ID, s.Title)
	}
	for _, wrong := range []string{path + "#ses_0", path + "x", filepath.Dir(path)} {
		if s, err := (opencode.Format{}).Read(t.Context(), wrong, nil); err == nil {
			t.Errorf("%s: %+v", wrong, s)
		}
	}
}

func TestOwns(t *testing.T) {
	other := filepath.Join(t.TempDir(), "other.db")
	db, err := sql.Open("sqlite", other)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	if _, err := db.ExecContext(t.Context(), `CREATE TABLE message (id text, body text); CREATE TABLE session (id text)`); err != nil {
		t.Fatal(err)
	}
	if (opencode.Format{}).Owns(other, []byte("SQLite format 3\x00")) {
		t.Error("another's database")
	}
	if _, err := (opencode.Format{}).Read(t.Context(), other, nil); err == nil || !strings.Contains(err.Error(), "no database of opencode") {
		t.Errorf("another's database: %v", err)
	}
	for head, want := range map[string]bool{
		`{"id":"ses_1","projectID":"p","directory":"/w","title":"T","time":{"created":1}}`:                  true,
		`{"id":"ses_1","projectID":"p","title":"T","time":{"created":1},"summary":{"diffs":[{"before":"cut`: true,
		`{"id":"msg_1","sessionID":"ses_1","role":"user","time":{"created":1}}`:                             false,
		`{"sessionId":"s","projectHash":"h","messages":[]}`:                                                 false,
		`{"type":"session","id":"s","timestamp":"t","cwd":"/w"}`:                                            false,
		`{"type":"user","uuid":"u","sessionId":"s"}`:                                                        false,
		"SQLite format 3\x00 of a file that is not there":                                                   false,
		"": false,
	} {
		if got := (opencode.Format{}).Owns(filepath.Join(t.TempDir(), "x"), []byte(head)); got != want {
			t.Errorf("%v for %.60q", got, head)
		}
	}
}

func TestEach(t *testing.T) {
	home := t.TempDir()
	dir := opencode.Format{}.Dir(transcript.Env{Getenv: func(string) string { return "" }, Home: home})
	type found struct {
		path string
		at   time.Time
	}
	var got []found
	each := func(path string, info fs.FileInfo) {
		path, err := filepath.Rel(dir, path)
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, found{path, info.ModTime()})
	}
	if err := (opencode.Format{}).Each(dir, each); err != nil || got != nil {
		t.Errorf("a folder that is not there: %v, %v", got, err)
	}
	var l log
	l.session("ses_9", "", "")
	l.session("ses_8", "ses_9", "")
	l.session("ses_7", "", "")
	l.tree(t, dir)
	l.sessions = l.sessions[:2]
	l.fill(t, filepath.Join(dir, "opencode.db"), "delete")
	if err := (opencode.Format{}).Each(dir, each); err != nil {
		t.Fatal(err)
	}
	if len(got) != 2 || got[0] != (found{"opencode.db#ses_9", time.UnixMilli(1700000000000)}) || got[1].path != filepath.Join("storage", "session", "p", "ses_7.json") {
		t.Errorf("%v", got)
	}
}
