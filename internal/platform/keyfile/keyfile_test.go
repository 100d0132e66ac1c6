// SPDX-License-Identifier: Apache-2.0

package keyfile_test

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/fiftyarms/platform/internal/platform/keyfile"
	"github.com/fiftyarms/platform/internal/platform/secret"
	"github.com/fiftyarms/platform/internal/safefile"
)

const dashboard = "http://127.0.0.1:5555"

// folder is the first 12 hex digits of the SHA-256 of dashboard, from sha256sum.
const folder = "ccf0edc5306e"

var now = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

func clock() time.Time { return now }

func aKey() secret.Text { return secret.New("50a_" + strings.Repeat("k", 30)) }

func open(t *testing.T) (keyfile.Store, string) {
	config := t.TempDir()
	return keyfile.At(config, dashboard, "s1", clock), config
}

func mustSave(t *testing.T, s keyfile.Store, key secret.Text) {
	t.Helper()
	if err := s.Save(key); err != nil {
		t.Fatal(err)
	}
}

func put(t *testing.T, path, data string, mode os.FileMode) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(data), mode); err != nil {
		t.Fatal(err)
	}
}

func TestRoundTrip(t *testing.T) {
	s, config := open(t)
	if key, err := s.Load(); err != nil || !key.IsZero() {
		t.Fatalf("before: %v, %v", key, err)
	}
	mustSave(t, s, aKey())
	path := filepath.Join(config, "danxbot", "session-keys", folder, "s1.json")
	if s.Path() != path {
		t.Fatalf("the key is at %s, want %s", s.Path(), path)
	}
	for p, want := range map[string]os.FileMode{path: 0o600, filepath.Dir(path): 0o700 | os.ModeDir, filepath.Dir(filepath.Dir(path)): 0o700 | os.ModeDir} {
		info, err := os.Stat(p)
		if err != nil || info.Mode() != want {
			t.Errorf("%s: mode %v, %v; want %v", p, info.Mode(), err, want)
		}
	}
	var file map[string]any
	data, err := os.ReadFile(path)
	if err != nil || json.Unmarshal(data, &file) != nil || file["storedAt"] != "2026-01-02T03:04:05.000Z" || file["v"] != 1.0 {
		t.Errorf("%v: %s", err, data)
	}
	got, err := keyfile.At(config, dashboard, "s1", clock).Load()
	if err != nil || !got.Equal(aKey()) {
		t.Errorf("another process: %q, %v", got.Reveal(), err)
	}
	if entries, _ := os.ReadDir(filepath.Dir(path)); len(entries) != 1 {
		t.Errorf("left beside the key: %v", entries)
	}
}

func TestOneFileForEachSessionAndDashboard(t *testing.T) {
	s, config := open(t)
	mustSave(t, s, aKey())
	for name, other := range map[string]keyfile.Store{
		"session":   keyfile.At(config, dashboard, "s2", clock),
		"dashboard": keyfile.At(config, "http://127.0.0.1:5556", "s1", clock),
		"prefix":    keyfile.At(config, dashboard+"/x", "s1", clock),
	} {
		if key, err := other.Load(); err != nil || !key.IsZero() {
			t.Errorf("another %s sees the key: %v", name, err)
		}
	}
}

func TestRefused(t *testing.T) {
	good := `{"v":1,"sessionId":"s1","dashboardUrl":"` + dashboard + `","apiKey":"` + aKey().Reveal() + `","storedAt":"2026-01-02T03:04:05.000Z"}`
	change := func(from, to string) string { return strings.Replace(good, from, to, 1) }
	tests := []struct {
		name, data string
		mode       os.FileMode
		is         error
	}{
		{name: "another dashboard", data: change(dashboard, "http://evil.example"), is: keyfile.ErrForeign},
		{name: "another session", data: change(`"s1"`, `"s2"`), is: keyfile.ErrForeign},
		{name: "others may read", data: good, mode: 0o644, is: safefile.ErrNotPrivate},
		{name: "empty", data: ""},
		{name: "half", data: good[:len(good)/2]},
		{name: "more behind it", data: good + good},
		{name: "no key", data: change(aKey().Reveal(), "")},
		{name: "key of two lines", data: change(aKey().Reveal(), `50a_x\r\nX-Other: 1`)},
		{name: "another version", data: change(`"v":1`, `"v":2`)},
		{name: "unknown field", data: change(`"v":1`, `"v":1,"x":1`)},
		{name: "no time", data: change("2026-01-02T03:04:05.000Z", "today")},
		{name: "two keys", data: change(`"v":1`, `"v":1,"apiKey":"x"`)},
		{name: "huge", data: change(`"v":1`, strings.Repeat(" ", 20<<10)+`"v":1`)},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s, _ := open(t)
			put(t, s.Path(), tt.data, max(tt.mode, 0o600))
			key, err := s.Load()
			if err == nil || !key.IsZero() {
				t.Fatalf("believed: %v, %v", key.IsZero(), err)
			}
			if tt.is != nil && !errors.Is(err, tt.is) {
				t.Errorf("%v is not %v", err, tt.is)
			}
			if strings.Contains(err.Error(), aKey().Reveal()) || strings.Contains(err.Error(), "\n") || !strings.Contains(err.Error(), s.Path()) {
				t.Errorf("error: %v", err)
			}
			if err := s.Forget(aKey()); err == nil {
				t.Error("Forget says nothing of a file that it cannot read")
			}
			if data, err := os.ReadFile(s.Path()); err != nil || string(data) != tt.data {
				t.Errorf("the file was changed: %v", err)
			}
			err = s.Save(secret.New("another-key"))
			if kept := tt.is != nil; kept == (err == nil) {
				t.Errorf("saving over it: %v", err)
			}
		})
	}
}

// TestLinks: a link, of the file or of one of our folders, is neither followed nor written through.
func TestLinks(t *testing.T) {
	for _, what := range []string{"file", "folder", "root"} {
		t.Run(what, func(t *testing.T) {
			elsewhere := keyfile.At(t.TempDir(), dashboard, "s1", clock)
			mustSave(t, elsewhere, aKey())
			s, _ := open(t)
			from, to := s.Path(), elsewhere.Path()
			for range map[string]int{"file": 0, "folder": 1, "root": 2}[what] {
				from, to = filepath.Dir(from), filepath.Dir(to)
			}
			if err := os.MkdirAll(filepath.Dir(from), 0o700); err != nil {
				t.Fatal(err)
			}
			if err := os.Symlink(to, from); err != nil {
				t.Fatal(err)
			}
			if key, err := s.Load(); !errors.Is(err, safefile.ErrNotPrivate) || !key.IsZero() {
				t.Errorf("followed: %v", err)
			}
			if err := s.Forget(aKey()); err == nil {
				t.Error("forgotten through a link")
			}
			if err := s.Save(secret.New("another-key")); err == nil {
				t.Error("written through a link")
			}
			if key, err := elsewhere.Load(); err != nil || !key.Equal(aKey()) {
				t.Errorf("what the link leads to was changed: %v", err)
			}
		})
	}
}

func TestForget(t *testing.T) {
	s, _ := open(t)
	if err := s.Forget(aKey()); err != nil {
		t.Errorf("no file: %v", err)
	}
	mustSave(t, s, secret.New("newer-key"))
	if err := s.Forget(aKey()); err != nil {
		t.Error(err)
	}
	if key, err := s.Load(); err != nil || key.Reveal() != "newer-key" {
		t.Errorf("a newer key was removed: %v", err)
	}
	if err := s.Forget(secret.New("newer-key")); err != nil {
		t.Error(err)
	}
	if _, err := os.Lstat(s.Path()); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the file stands: %v", err)
	}
}

func TestPrune(t *testing.T) {
	s, config := open(t)
	if err := s.Prune(); err != nil {
		t.Errorf("no folder: %v", err)
	}
	root := filepath.Join(config, "danxbot", "session-keys")
	old, fresh := now.Add(-7*24*time.Hour-time.Minute), now.Add(-7*24*time.Hour+time.Minute)
	outside := filepath.Join(config, "outside.json")
	files := map[string]struct {
		at    time.Time
		stays bool
	}{
		s.Path():                                   {old, true}, // our own: a session may live longer
		filepath.Join(root, folder, "old.json"):    {old, false},
		filepath.Join(root, folder, "fresh.json"):  {fresh, true},
		filepath.Join(root, folder, ".tmp-1"):      {old, false},
		filepath.Join(root, folder, "notes.txt"):   {old, true},
		filepath.Join(root, "0123456789ab/a.json"): {old, false},
		filepath.Join(root, "stray.json"):          {old, true},
		outside:                                    {old, true},
	}
	for path, f := range files {
		put(t, path, "{}", 0o600)
		if err := os.Chtimes(path, f.at, f.at); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(outside, filepath.Join(root, folder, "link.json")); err != nil {
		t.Fatal(err)
	}
	if err := s.Prune(); err != nil {
		t.Fatal(err)
	}
	for path, f := range files {
		if _, err := os.Lstat(path); (err == nil) != f.stays {
			t.Errorf("%s: %v; want it to stay: %v", path, err, f.stays)
		}
	}
}

func TestFolderIsMadePrivate(t *testing.T) {
	s, config := open(t)
	root := filepath.Join(config, "danxbot", "session-keys")
	if err := os.MkdirAll(root, 0o755); err != nil {
		t.Fatal(err)
	}
	mustSave(t, s, aKey())
	if info, err := os.Stat(root); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
}

func TestNowhere(t *testing.T) {
	var s keyfile.Store
	if err := errors.Join(s.Save(aKey()), s.Forget(aKey()), s.Prune()); err != nil {
		t.Error(err)
	}
	if key, err := s.Load(); err != nil || !key.IsZero() || s.Path() != "" {
		t.Errorf("%v, %v", key, err)
	}
}

// TestKeepsNothingDamaged: what Load would refuse is not written.
func TestKeepsNothingDamaged(t *testing.T) {
	s, _ := open(t)
	for _, key := range []string{strings.Repeat("k", 501), "two\nlines"} {
		if err := s.Save(secret.New(key)); err == nil || strings.Contains(err.Error(), key) {
			t.Errorf("%v", err)
		}
		if _, err := os.Stat(s.Path()); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("written: %v", err)
		}
	}
	mustSave(t, s, secret.New(strings.Repeat("k", 500)))
}
