// SPDX-License-Identifier: Apache-2.0

// Package safefile writes files that hold secrets or must never be seen half written: mode 0600 in a folder of mode
// 0700, under a temporary name in the same folder, synced, then renamed into place. It opens those of others without
// waiting on what is no file.
package safefile

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// Write puts data at path. The folders that are missing are made, for the owner alone. On an error the old content
// stands and no temporary file is left.
func Write(path string, data []byte) error {
	return Stream(path, func(w io.Writer) error {
		_, err := w.Write(data)
		return err
	})
}

// Stream is Write for what is too large to hold: it puts at path what write writes.
func Stream(path string, write func(io.Writer) error) (err error) {
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() { // it would be gone
		return fmt.Errorf("%s is %s, and %w", path, kind(info.Mode()), ErrNotPlain)
	}
	dir := filepath.Dir(path)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	tmp, err := os.CreateTemp(dir, ".tmp-*") // 0600 from the start
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, tmp.Close(), os.Remove(tmp.Name()))
		}
	}()
	if err := write(tmp); err != nil {
		return err
	}
	if err := tmp.Sync(); err != nil {
		return err
	}
	if err := tmp.Close(); err != nil {
		return errors.Join(err, os.Remove(tmp.Name()))
	}
	if err := os.Rename(tmp.Name(), path); err != nil {
		return err
	}
	return syncDir(dir)
}

// syncDir makes the rename last: until the folder is synced, a crash may bring the old name back.
func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}

// ErrNotPrivate says that a file of secrets can be read or changed by others than its owner, or is no plain file.
var ErrNotPrivate = errors.New("not a private file")

// Read reads a file of at most limit bytes that Write made. It refuses what is not a plain file of mode 0600 or
// stricter (a link, a FIFO, a file that others may read) or belongs to another user: such a file was not written here.
func Read(path string, limit int64) ([]byte, error) { return readAs(os.Geteuid(), path, limit) }

func readAs(uid int, path string, limit int64) ([]byte, error) {
	before, err := os.Lstat(path)
	if err != nil {
		return nil, err
	}
	if !before.Mode().IsRegular() || before.Mode().Perm()&0o077 != 0 {
		return nil, fmt.Errorf("%s: %w (mode %s)", path, ErrNotPrivate, before.Mode())
	}
	if !ownedBy(uid, before) {
		return nil, fmt.Errorf("%s: %w (it belongs to another user)", path, ErrNotPrivate)
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	after, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if !os.SameFile(before, after) { // swapped between the look and the open
		return nil, fmt.Errorf("%s: %w (it changed while it was opened)", path, ErrNotPrivate)
	}
	data, err := io.ReadAll(io.LimitReader(f, limit+1))
	if err != nil {
		return nil, err
	}
	if int64(len(data)) > limit {
		return nil, fmt.Errorf("%s is over %d bytes", path, limit)
	}
	return data, nil
}
