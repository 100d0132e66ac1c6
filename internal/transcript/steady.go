// SPDX-License-Identifier: Apache-2.0

package transcript

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"time"

	"github.com/fiftyarms/platform/internal/safefile"
)

// ErrChanged says that what was indexed does not stand in a file any more.
var ErrChanged = errors.New("it was changed while it was read")

// A steady is a file as it was when it was opened. Clients go on writing at a log's end; whoever writes anywhere else
// makes of the index a list of places where anything may stand.
type steady struct {
	path  string
	size  int64
	ends  []byte // how it begins, and how it ended
	now   time.Time
	f     *os.File // nil if the file is open only while it is read: a session may have thousands
	first error
}

// sample is how much of a file's beginning and of its end is compared.
const sample = 64

func newSteady(path string, f *os.File, info fs.FileInfo, keep bool) *steady {
	s := &steady{path: path, size: info.Size(), now: info.ModTime()}
	s.ends, s.first = s.sample(f)
	if keep {
		s.f = f
	}
	return s
}

// sample reads both ends of what the file was.
func (s *steady) sample(f *os.File) ([]byte, error) {
	ends := make([]byte, 2*sample)
	n, err := f.ReadAt(ends[:min(s.size, sample)], 0)
	if err == nil {
		var last int
		last, err = f.ReadAt(ends[n:][:min(s.size, sample)], max(s.size-sample, 0))
		n += last
	}
	if errors.Is(err, io.EOF) {
		err = nil
	}
	return ends[:n], err
}

// ReadAt reads what stands at a place, unless it may be something else than what was indexed there.
func (s *steady) ReadAt(p []byte, off int64) (n int, err error) {
	f := s.f
	if f == nil {
		if f, _, err = safefile.Open(s.path); err != nil {
			return 0, err
		}
		defer func() { err = errors.Join(err, f.Close()) }()
	}
	n, err = f.ReadAt(p, off)
	if changed := s.check(f); changed != nil {
		return 0, changed
	}
	return n, err
}

// check looks at the file after it was read: what was written before that has left its time.
func (s *steady) check(f *os.File) error {
	info, err := f.Stat()
	if err = errors.Join(s.first, err); err != nil {
		return err
	}
	if info.ModTime().Equal(s.now) && info.Size() >= s.size {
		return nil
	}
	if info.Size() <= s.size {
		return ErrChanged
	}
	ends, err := s.sample(f)
	if err == nil && !bytes.Equal(ends, s.ends) {
		err = ErrChanged
	}
	if err == nil {
		s.now = info.ModTime()
	}
	return err
}

// Close lets go of the file, if it is open.
func (s *steady) Close() error {
	if s.f == nil {
		return nil
	}
	return s.f.Close()
}
