// SPDX-License-Identifier: Apache-2.0

package opencode

import (
	"bufio"
	"errors"
	"io/fs"
	"os"
)

// A spool is a file of this user alone, without a name where the system allows it, that holds the parts which steps
// point into: a database has no places to go back to, and a tree has too many files to keep open.
type spool struct {
	f    *os.File
	w    *bufio.Writer
	size int64
}

func newSpool() (*spool, error) {
	f, err := os.CreateTemp("", "opencode-parts-") // of mode 0600
	if err != nil {
		return nil, err
	}
	_ = os.Remove(f.Name()) // if it cannot be while it is open, Close does it
	return &spool{f: f, w: bufio.NewWriterSize(f, 256<<10)}, nil
}

// add appends data, and tells where it stands.
func (s *spool) add(data []byte) (int64, error) {
	at := s.size
	n, err := s.w.Write(data)
	s.size += int64(n)
	return at, err
}

// ReadAt reads what was flushed.
func (s *spool) ReadAt(p []byte, off int64) (int, error) { return s.f.ReadAt(p, off) }

func (s *spool) Close() error {
	err := s.f.Close()
	if gone := os.Remove(s.f.Name()); gone != nil && !errors.Is(gone, fs.ErrNotExist) {
		err = errors.Join(err, gone)
	}
	return err
}
