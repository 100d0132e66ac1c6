// SPDX-License-Identifier: Apache-2.0

//go:build unix

package safefile

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// What is no plain file is refused at once, and not waited for.
func TestOpen(t *testing.T) {
	dir := t.TempDir()
	pipe, plain, link := filepath.Join(dir, "pipe"), filepath.Join(dir, "plain"), filepath.Join(dir, "link")
	if err := errors.Join(syscall.Mkfifo(pipe, 0o600), os.WriteFile(plain, []byte("text"), 0o600), os.Symlink(plain, link)); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{pipe, dir, os.DevNull} {
		if _, _, err := Open(path); !errors.Is(err, ErrNotPlain) {
			t.Errorf("%s: %v", path, err)
		}
	}
	if _, _, err := Open(filepath.Join(dir, "none")); !errors.Is(err, os.ErrNotExist) {
		t.Error(err)
	}
	for _, path := range []string{plain, link} {
		f, info, err := Open(path)
		if err != nil || info.Size() != 4 {
			t.Fatal(err)
		}
		text, err := io.ReadAll(f)
		if err = errors.Join(err, f.Close()); err != nil || string(text) != "text" {
			t.Errorf("%q, %v", text, err)
		}
	}
}
