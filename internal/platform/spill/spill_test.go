// SPDX-License-Identifier: Apache-2.0

package spill

import (
	"bytes"
	"crypto/rand"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/iotest"
	"time"
)

func folder(t *testing.T) *Folder {
	t.Helper()
	return New(Options{Parent: t.TempDir(), Now: time.Now, Random: rand.Reader})
}

func names(t *testing.T, f *Folder) (out []string) {
	t.Helper()
	entries, err := os.ReadDir(f.Path())
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	for _, e := range entries {
		out = append(out, e.Name())
	}
	return out
}

func TestKeep(t *testing.T) {
	f := folder(t)
	var files sync.Map
	var all sync.WaitGroup
	for range 20 {
		all.Go(func() {
			file, err := f.Keep(iotest.HalfReader(strings.NewReader("whole")), ".txt")
			if err != nil {
				t.Error(err)
				return
			}
			files.Store(file.Path, true)
			got, err := os.ReadFile(file.Path)
			info, statErr := os.Lstat(file.Path)
			if err != nil || statErr != nil || string(got) != "whole" || file.Bytes != 5 || info.Mode() != 0o600 || !strings.HasSuffix(file.Path, ".txt") || !filepath.IsAbs(file.Path) {
				t.Errorf("%+v: %q, %v, %v", file, got, err, info)
			}
		})
	}
	all.Wait()
	if info, err := os.Lstat(f.Path()); err != nil || info.Mode() != fs.ModeDir|0o700 {
		t.Error(info, err)
	}
	if len(names(t, f)) != 20 {
		t.Error(names(t, f))
	}
}

func TestNothingIsLeft(t *testing.T) {
	broken := errors.New("the connection was closed")
	f := folder(t)
	f.max = 10
	for _, tt := range []struct {
		body io.Reader
		want error
	}{
		{io.MultiReader(strings.NewReader("begin"), iotest.ErrReader(broken)), broken},
		{strings.NewReader("12345678901"), ErrTooLarge},
	} {
		if file, err := f.Keep(tt.body, ".txt"); !errors.Is(err, tt.want) || file.Path != "" {
			t.Errorf("%v, %v", file, err)
		}
	}
	if left := names(t, f); len(left) != 0 {
		t.Error(left)
	}
	if _, err := f.Keep(strings.NewReader("1234567890"), ".txt"); err != nil {
		t.Error(err)
	}
}

// TestNotOurs: the temporary folder is everybody's, so somebody may have put something where ours belongs.
func TestNotOurs(t *testing.T) {
	for name, plant := range map[string]func(path, elsewhere string) error{
		"a link to a folder": func(path, elsewhere string) error { return os.Symlink(elsewhere, path) },
		"a link to nothing":  func(path, elsewhere string) error { return os.Symlink(elsewhere+"/none", path) },
		"a file":             func(path, _ string) error { return os.WriteFile(path, nil, 0o600) },
	} {
		t.Run(name, func(t *testing.T) {
			f, elsewhere := folder(t), t.TempDir()
			if err := plant(f.Path(), elsewhere); err != nil {
				t.Fatal(err)
			}
			if file, err := f.Keep(strings.NewReader("x"), ".txt"); err == nil || !strings.Contains(err.Error(), f.Path()) {
				t.Errorf("%v, %v", file, err)
			}
			if left, _ := os.ReadDir(elsewhere); len(left) != 0 {
				t.Error(left)
			}
			if err := f.Prune(); err == nil {
				t.Error("pruned")
			}
		})
	}
	t.Run("another user's", func(t *testing.T) {
		f := folder(t)
		if err := os.Mkdir(f.Path(), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.Chown(f.Path(), os.Geteuid()+1, -1); err != nil {
			info, _ := os.Lstat(f.Path())
			if ownedBy(os.Geteuid()+1, info) {
				t.Error("taken")
			}
			return
		}
		if _, err := f.Keep(strings.NewReader("x"), ".txt"); err == nil || !strings.Contains(err.Error(), "another user") {
			t.Error(err)
		}
	})
	t.Run("ours, but open", func(t *testing.T) {
		f := folder(t)
		if err := errors.Join(os.Mkdir(f.Path(), 0o700), os.Chmod(f.Path(), 0o777)); err != nil {
			t.Fatal(err)
		}
		if _, err := f.Keep(strings.NewReader("x"), ".txt"); err != nil {
			t.Error(err)
		}
		if info, _ := os.Lstat(f.Path()); info.Mode().Perm() != 0o700 {
			t.Error(info.Mode())
		}
	})
}

func TestPrune(t *testing.T) {
	f := folder(t)
	if err := f.Prune(); err != nil {
		t.Error(err)
	}
	old, err := f.Keep(strings.NewReader("x"), ".json")
	if err != nil {
		t.Fatal(err)
	}
	half := filepath.Join(f.Path(), unfinished+strings.Repeat("0a", 12))
	foreign := filepath.Join(f.Path(), "notes.txt")
	for _, path := range []string{half, foreign} {
		if err := os.WriteFile(path, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	week := time.Now().Add(-maxAge - time.Minute)
	for _, path := range []string{old.Path, half, foreign} {
		if err := os.Chtimes(path, week, week); err != nil {
			t.Fatal(err)
		}
	}
	fresh := New(Options{Parent: filepath.Dir(f.Path()), Now: time.Now, Random: rand.Reader})
	young, err := fresh.Keep(bytes.NewReader(nil), ".bin") // the first of a process prunes
	if err != nil {
		t.Fatal(err)
	}
	if got, want := strings.Join(names(t, f), " "), filepath.Base(young.Path)+" notes.txt"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}
