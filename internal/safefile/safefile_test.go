// SPDX-License-Identifier: Apache-2.0

package safefile

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
)

func TestWriteIsPrivateAndWhole(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a", "b", "key.json")
	for _, want := range []string{"one", "two, longer", "3"} {
		if err := Write(path, []byte(want)); err != nil {
			t.Fatal(err)
		}
		got, err := Read(path, 100)
		if err != nil || string(got) != want {
			t.Fatalf("read %q, %v; want %q", got, err, want)
		}
	}
	for p, mode := range map[string]fs.FileMode{path: 0o600, filepath.Dir(path): 0o700} {
		if info, err := os.Stat(p); err != nil || info.Mode().Perm() != mode {
			t.Errorf("%s: mode %v, %v; want %v", p, info.Mode().Perm(), err, mode)
		}
	}
	if left, _ := os.ReadDir(filepath.Dir(path)); len(left) != 1 {
		t.Errorf("left beside the file: %v", left)
	}
}

func TestWriteLeavesNothingBehindOnFailure(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "taken")
	if err := os.MkdirAll(filepath.Join(path, "child"), 0o700); err != nil { // a folder where the file should go
		t.Fatal(err)
	}
	if err := Write(path, []byte("x")); err == nil {
		t.Fatal("wrote over a folder")
	}
	if left, _ := os.ReadDir(dir); len(left) != 1 {
		t.Errorf("left behind: %v", left)
	}
}

func TestReadRefuses(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "key")
	if err := Write(path, []byte("0123456789")); err != nil {
		t.Fatal(err)
	}
	if _, err := Read(path, 9); err == nil {
		t.Error("read over the limit")
	}
	link := filepath.Join(dir, "link")
	if err := os.Symlink(path, link); err != nil {
		t.Fatal(err)
	}
	if _, err := Read(link, 100); !errors.Is(err, ErrNotPrivate) {
		t.Errorf("a link: %v", err)
	}
	if err := os.Chmod(path, 0o640); err != nil {
		t.Fatal(err)
	}
	if _, err := Read(path, 100); !errors.Is(err, ErrNotPrivate) {
		t.Errorf("mode 0640: %v", err)
	}
	if _, err := Read(filepath.Join(dir, "none"), 100); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("missing: %v", err)
	}
}

// TestReadRefusesAnothers: a file of another user was not written here, whatever its mode.
func TestReadRefusesAnothers(t *testing.T) {
	path := filepath.Join(t.TempDir(), "key")
	if err := Write(path, []byte("x")); err != nil {
		t.Fatal(err)
	}
	if _, err := readAs(os.Geteuid()+1, path, 100); !errors.Is(err, ErrNotPrivate) {
		t.Errorf("another's file: %v", err)
	}
}
