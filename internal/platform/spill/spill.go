// SPDX-License-Identifier: Apache-2.0

// Package spill keeps answers that are too long for an agent's context, or no text, as files that the agent reads with
// tools of its own.
//
// A file lies in a folder of this user's below the system's temporary one: the folder has mode 0700, the file 0600. The
// temporary folder is everybody's, so the folder is believed only if it is a folder, not a link, and this user's. A file
// is written under a temporary name as its bytes come, and renamed when the last one is there: under its own name it is
// whole. What is older than seven days goes.
package spill

import (
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"
)

const (
	// MaxBytes bounds a file: 1 GiB, which is as large as a card's file may be, and some room.
	MaxBytes = 1<<30 + 1<<20
	// maxAge is how long a file stays.
	maxAge = 7 * 24 * time.Hour
	// unfinished begins the name of a file that is being written.
	unfinished = ".tmp-"
)

// ErrTooLarge says that a body is over MaxBytes.
var ErrTooLarge = fmt.Errorf("it is over %d bytes, which is the limit of a file; nothing was kept", MaxBytes)

// Options make a Folder.
type Options struct {
	Parent string           // an existing folder; "" is the system's temporary one
	Now    func() time.Time // tells what is old
	Random io.Reader        // names files; safe for concurrent use
}

// Folder is where files are kept. It is safe for concurrent use. Nothing is made before the first file.
type Folder struct {
	path   string
	now    func() time.Time
	random io.Reader
	max    int64
	pruned sync.Once
}

// New is the folder of this user.
func New(o Options) *Folder {
	parent := o.Parent
	if parent == "" {
		parent = os.TempDir()
	}
	if abs, err := filepath.Abs(parent); err == nil {
		parent = abs
	}
	name := "50arms-platform-mcp"
	if uid := os.Getuid(); uid >= 0 { // one each: several users share the parent
		name += "-" + strconv.Itoa(uid)
	}
	return &Folder{path: filepath.Join(parent, name), now: o.Now, random: o.Random, max: MaxBytes}
}

// Path is where the folder is, or will be.
func (f *Folder) Path() string { return f.path }

// File is a file that was kept.
type File struct {
	Path  string // absolute
	Bytes int64
}

// Keep writes body into a file of a random name with an ending such as ".json". On an error there is no file.
func (f *Folder) Keep(body io.Reader, ending string) (File, error) {
	f.pruned.Do(func() { _ = f.Prune() }) // what is old can wait for another time
	dir, err := f.open(true)
	if err != nil {
		return File{}, fmt.Errorf("keep the answer as a file: %w", err)
	}
	defer dir.Close()
	name, err := f.name()
	if err != nil {
		return File{}, fmt.Errorf("keep the answer as a file: %w", err)
	}
	n, err := f.write(dir, name, ending, body)
	if err != nil {
		return File{}, fmt.Errorf("keep the answer as a file: %w", err)
	}
	return File{filepath.Join(f.path, name+ending), n}, nil
}

func (f *Folder) write(dir *os.Root, name, ending string, body io.Reader) (n int64, err error) {
	file, err := dir.OpenFile(unfinished+name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return 0, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, dir.Remove(unfinished+name))
		}
	}()
	// Not the file's own ReadFrom: one buffer is enough, whatever the body is.
	n, err = io.Copy(struct{ io.Writer }{file}, io.LimitReader(body, f.max+1))
	if err == nil && n > f.max {
		err = ErrTooLarge
	}
	if closed := file.Close(); err == nil {
		err = closed
	}
	if err != nil {
		return 0, err
	}
	return n, dir.Rename(unfinished+name, name+ending)
}

func (f *Folder) name() (string, error) {
	b := make([]byte, 12)
	if _, err := io.ReadFull(f.random, b); err != nil {
		return "", err
	}
	return hex.EncodeToString(b), nil
}

// Prune removes what is older than seven days.
func (f *Folder) Prune() error {
	dir, err := f.open(false)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("old answers: %w", err)
	}
	defer dir.Close()
	entries, err := fs.ReadDir(dir.FS(), ".")
	errs := []error{err}
	for _, entry := range entries {
		if !ours(entry) {
			continue
		}
		info, err := entry.Info()
		if err == nil && f.now().Sub(info.ModTime()) > maxAge {
			err = dir.Remove(entry.Name())
		}
		if err != nil && !errors.Is(err, fs.ErrNotExist) { // another process prunes as well
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}

// ours tells the files that Keep made.
func ours(entry fs.DirEntry) bool {
	name, _, _ := strings.Cut(strings.TrimPrefix(entry.Name(), unfinished), ".")
	_, err := hex.DecodeString(name)
	return entry.Type().IsRegular() && len(name) == 24 && err == nil
}

// open opens the folder, and looks whether it is this user's own. What happens in it later goes through what was looked
// at, wherever its name leads then.
func (f *Folder) open(make bool) (*os.Root, error) {
	if make {
		if err := os.Mkdir(f.path, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
			return nil, err
		}
	}
	named, err := os.Lstat(f.path)
	if err != nil {
		return nil, err
	}
	if !named.IsDir() {
		return nil, fmt.Errorf("%s is no folder; remove it, or set TMPDIR to a folder of your own", f.path)
	}
	dir, err := os.OpenRoot(f.path)
	if err != nil {
		return nil, err
	}
	opened, err := dir.Stat(".")
	switch {
	case err != nil:
	case !os.SameFile(named, opened):
		err = fmt.Errorf("%s changed while it was opened", f.path)
	case !ownedBy(os.Geteuid(), opened):
		err = fmt.Errorf("%s belongs to another user; set TMPDIR to a folder of your own", f.path)
	case opened.Mode().Perm()&0o077 != 0:
		err = tighten(dir)
	}
	if err != nil {
		return nil, errors.Join(err, dir.Close())
	}
	return dir, nil
}
