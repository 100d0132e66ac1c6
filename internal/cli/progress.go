// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"fmt"
	"io"
	"os"
	"time"
)

// How soon and how often progress is shown.
const (
	progressAfter = 500 * time.Millisecond
	progressEvery = 100 * time.Millisecond
)

// A Progress shows how far long work has come, on a terminal and nowhere else. Short work shows nothing. It is for one
// goroutine.
type Progress struct {
	to    io.Writer
	what  string
	total int64
	start time.Time
	last  time.Time
}

// NewProgress shows on w what is done of so many bytes; 0 if nobody knows.
func NewProgress(w io.Writer, what string, total int64) *Progress {
	f, ok := w.(*os.File)
	if !ok || !terminal(f) {
		return &Progress{}
	}
	return &Progress{to: w, what: what, total: total, start: time.Now()}
}

// terminal tells whether somebody watches.
func terminal(f *os.File) bool {
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0 && os.Getenv("TERM") != "dumb"
}

// Done tells how much is done.
func (p *Progress) Done(bytes int64) {
	if p.to == nil {
		return
	}
	now := time.Now()
	if now.Sub(p.start) < progressAfter || now.Sub(p.last) < progressEvery {
		return
	}
	p.last = now
	of := fmt.Sprintf("%d MB", bytes/1e6)
	if p.total > 0 {
		of = fmt.Sprintf("%d %% of %d MB", min(100, bytes*100/p.total), p.total/1e6)
	}
	_, _ = fmt.Fprintf(p.to, "\r\x1b[K%s: %s", p.what, of) // nothing depends on it
}

// End takes away what is shown.
func (p *Progress) End() {
	if p.to != nil && !p.last.IsZero() {
		_, _ = fmt.Fprint(p.to, "\r\x1b[K")
	}
}
