// SPDX-License-Identifier: Apache-2.0

package attach

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
)

// source is a file that may be sent, held open.
type source struct {
	path string // as the call names it
	real string // without links
	file *os.File
	info fs.FileInfo // as it was when it was opened
	kind kind
}

// Close lets the file go.
func (s *source) Close() error { return s.file.Close() }

// unchanged tells whether the file is what it was when it was opened.
func (s *source) unchanged() error {
	now, err := s.file.Stat()
	if err != nil || now.Size() != s.info.Size() || !now.ModTime().Equal(s.info.ModTime()) {
		return errChanged
	}
	return nil
}

// begin is how much of a file is looked at, in bytes.
const begin = 16 << 10

// open opens a file for sending. The error says what is wrong with it, by its name.
func (f *Files) open(path string) (*source, error) {
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		return nil, missing(path, err)
	}
	before, err := os.Lstat(real)
	if err != nil {
		return nil, missing(path, err)
	}
	if err := f.forbidden.names(path, real); err != nil { // also what is no file is not told about there
		return nil, err
	}
	if err := plain(path, before.Mode()); err != nil {
		return nil, err
	}
	file, err := openPlain(real)
	if err != nil {
		return nil, missing(path, err)
	}
	s := &source{path: path, real: real, file: file}
	if err := f.inspect(s, before); err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return s, nil
}

// inspect looks at the file that was opened: between the look at its name and the opening something else may have been
// put there.
func (f *Files) inspect(s *source, before fs.FileInfo) error {
	var err error
	if s.info, err = s.file.Stat(); err != nil {
		return missing(s.path, err)
	}
	if err := plain(s.path, s.info.Mode()); err != nil {
		return err
	}
	if !os.SameFile(before, s.info) {
		return fmt.Errorf("%s was swapped while it was opened", s.path)
	}
	if where, ok := whereIs(s.file); ok {
		if err := f.forbidden.names(s.path, where); err != nil {
			return err
		}
	} else if again, err := filepath.EvalSymlinks(s.path); err != nil || again != s.real {
		return fmt.Errorf("%s was swapped while it was opened", s.path)
	}
	if err := f.forbidden.own(s.path, s.info); err != nil {
		return err
	}
	head := make([]byte, begin)
	n, err := s.file.ReadAt(head, 0)
	if err != nil && !errors.Is(err, io.EOF) {
		return missing(s.path, err)
	}
	head = head[:n]
	plain := bytes.ReplaceAll(head, []byte{0}, nil) // as UTF-16 has it
	for _, mark := range privateKeys {
		if bytes.Contains(plain, mark) {
			return fmt.Errorf("%s holds a private key, which is never sent", s.path)
		}
	}
	if dashboardKey.Match(plain) {
		return fmt.Errorf("%s holds a key of a dashboard, which is never sent", s.path)
	}
	s.kind = sniff(head)
	return nil
}

// plain refuses what is no plain file.
func plain(path string, mode fs.FileMode) error {
	what := ""
	switch {
	case mode.IsRegular():
		return nil
	case mode.IsDir():
		what = "a folder: send its files one by one, or as an archive"
	case mode&fs.ModeNamedPipe != 0:
		what = "a named pipe (FIFO), which has no end"
	case mode&fs.ModeSocket != 0:
		what = "a socket"
	case mode&fs.ModeDevice != 0:
		what = "a device"
	case mode&fs.ModeSymlink != 0:
		what = "a link that was put there while it was opened"
	default:
		what = "no plain file"
	}
	return fmt.Errorf("%s is %s", path, what)
}

// missing is why a file cannot be opened.
func missing(path string, err error) error {
	switch {
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, syscall.ENOTDIR):
		return fmt.Errorf("there is no file %s", path)
	case errors.Is(err, fs.ErrPermission):
		return fmt.Errorf("%s may not be read by this user", path)
	case errors.Is(err, syscall.ELOOP):
		return fmt.Errorf("%s is a link that leads to no file", path)
	}
	if where, ok := errors.AsType[*fs.PathError](err); ok {
		err = where.Err
	}
	return fmt.Errorf("%s cannot be read: %w", path, err)
}

// list joins names for a person.
func list(names []string) string {
	slices.Sort(names)
	return strings.Join(names, ", ")
}
