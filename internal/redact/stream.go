// SPDX-License-Identifier: Apache-2.0

package redact

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/fiftyarms/platform/internal/redact/learned"
)

// MaxLine is how long a line of JSON may be, in bytes. A longer one cannot be redacted, and is an error.
const MaxLine = 256 << 20

// Lines writes to w what in reads, lines of JSON, without what is to go. It reads twice: what is found on one line is looked for
// on all others. On an error nothing further is written.
func (r *Redactor) Lines(ctx context.Context, w io.Writer, in io.ReadSeeker) error {
	f := &r.f
	var changed, hidden lineSet
	var out []byte
	find := func() error {
		return eachLine(ctx, in, func(n int, line []byte) error {
			f.hidden = false
			var is bool
			if out, is = f.line(out[:0], line); is {
				changed.add(n)
			}
			if f.hidden {
				hidden.add(n)
			}
			return nil
		})
	}
	return r.twice(w, in, find, func(w io.Writer) error {
		return eachLine(ctx, in, func(n int, line []byte) error {
			f.number = n + 1
			if changed.has(n) || f.knows.Len() > 0 && (hidden.has(n) || f.knows.In(line)) {
				out, _ = f.line(out[:0], line)
				line = out
			}
			_, err := w.Write(line)
			return err
		})
	})
}

// Text writes to w what in reads, text of any kind, without what is to go. It reads twice, as Lines does.
func (r *Redactor) Text(ctx context.Context, w io.Writer, in io.ReadSeeker) error {
	find := func() error { return r.f.blocks(ctx, io.Discard, in) }
	return r.twice(w, in, find, func(w io.Writer) error { return r.f.blocks(ctx, w, in) })
}

// twice reads what there is and learns what is to go, and then writes what is left.
func (r *Redactor) twice(w io.Writer, in io.Seeker, find func() error, write func(io.Writer) error) error {
	f := &r.f
	f.learns = &learned.Set{}
	defer f.forget()
	if err := find(); err != nil {
		return err
	}
	if _, err := in.Seek(0, io.SeekStart); err != nil {
		return fmt.Errorf("read again: %w", err)
	}
	f.learns, f.knows, f.report = nil, f.learns, r.report
	f.knows.Index()
	buffered := bufio.NewWriterSize(w, 1<<20)
	if err := write(buffered); err != nil {
		return err
	}
	return buffered.Flush()
}

func (f *finder) forget() { f.learns, f.knows, f.report, f.number = nil, nil, nil, 0 }

// eachLine calls each for each line with its number, from 0; the newline is a part of it.
func eachLine(ctx context.Context, in io.Reader, each func(n int, line []byte) error) error {
	r := bufio.NewReaderSize(in, 1<<20)
	var long []byte
	for n := 0; ; {
		part, err := r.ReadSlice('\n')
		if errors.Is(err, bufio.ErrBufferFull) {
			if long = append(long, part...); len(long) > MaxLine {
				return fmt.Errorf("line %d is longer than %d MiB, and cannot be redacted", n+1, MaxLine>>20)
			}
			continue
		}
		if err != nil && !errors.Is(err, io.EOF) {
			return err
		}
		line := part
		if len(long) > 0 {
			long = append(long, part...)
			line = long
		}
		if len(line) > 0 {
			if err := each(n, line); err != nil {
				return err
			}
			n++
		}
		if err != nil {
			return nil
		}
		if len(long) > 0 {
			long = long[:0]
		}
		if n%256 == 0 && ctx.Err() != nil {
			return context.Cause(ctx)
		}
	}
}

// A lineSet is numbers of lines.
type lineSet []uint64

func (s *lineSet) add(n int) {
	for len(*s) <= n>>6 {
		*s = append(*s, 0)
	}
	(*s)[n>>6] |= 1 << (n & 63)
}

func (s lineSet) has(n int) bool { return n>>6 < len(s) && s[n>>6]>>(n&63)&1 != 0 }

const (
	block = 1 << 20  // bytes of text that are looked at together
	ahead = 64 << 10 // and of those behind that may belong to what ends there
)

// blocks writes what is left of text to w, a block at a time.
func (f *finder) blocks(ctx context.Context, w io.Writer, in io.Reader) error {
	buf := make([]byte, 0, block+2*ahead)
	base := 0 // where in all text the block begins
	for end := false; !end || len(buf) > 0; {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		n, err := io.ReadFull(in, buf[len(buf):cap(buf)])
		buf = buf[:len(buf)+n]
		if end = errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF); err != nil && !end {
			return err
		}
		stop := len(buf)
		if !end {
			stop = max(len(buf)-ahead, 1)
			if line := bytes.LastIndexByte(buf[:stop], '\n'); line >= 0 {
				stop = line + 1
			}
		}
		at := 0
		for _, s := range f.find(buf, nil) {
			if s.From >= stop {
				break
			}
			if _, err := w.Write(buf[at:s.From]); err != nil {
				return err
			}
			if _, err := w.Write(f.p.marker(nil, s.Rule)); err != nil {
				return err
			}
			if f.report != nil {
				f.report(Match{Rule: f.p.ids[s.Rule], From: base + s.From, To: base + s.To})
			}
			at, stop = s.To, max(stop, s.To)
		}
		if _, err := w.Write(buf[at:max(at, stop)]); err != nil {
			return err
		}
		base += max(at, stop)
		buf = buf[:copy(buf, buf[max(at, stop):])]
	}
	return nil
}
