// SPDX-License-Identifier: Apache-2.0

// Package jsonl reads logs of one JSON object a line: lines of any length up to a bound, where they stand in the file,
// and what a damaged line still holds. Lines end at a newline alone: U+2028 and its kin stand inside strings.
package jsonl

import (
	"bytes"
	"errors"
	"io"
)

// MaxLine is how long a line may be. A longer one is passed over.
const MaxLine = 256 << 20

// What is read at once: little first, since some look at no more than a file's first line.
const (
	chunk = 1 << 20
	first = 16 << 10
)

// mark is the byte order mark that some editors begin a file with. Another file may have been put before it.
var mark = []byte("\ufeff")

// A Line is one line without its newline.
type Line struct {
	Number  int64 // the first is 1
	Offset  int64 // in the file
	Data    []byte
	TooLong bool // it is over MaxLine, and Data is empty
}

// Lines reads the lines of a file.
type Lines struct {
	from   io.Reader
	at     io.ReaderAt // from, if places of it can be read; else nil
	max    int
	buf    []byte
	lo, hi int   // what is read and not handed out
	offset int64 // of buf[lo]
	number int64
	err    error

	measured bool // the buffer is as long as the line
}

// long is from which length on the end of a line is looked for in the file before the line is read: a buffer that grows
// with it would take three times its length, and one that is too long need not be read at all.
const long = 8 * chunk

// measure finds how long the line is that the buffer begins with, and is full of.
func (l *Lines) measure() (int, error) {
	ahead := make([]byte, chunk)
	for n := l.hi - l.lo; n <= l.max; {
		got, err := l.at.ReadAt(ahead, l.offset+int64(n))
		if i := bytes.IndexByte(ahead[:got], '\n'); i >= 0 {
			return n + i, nil
		}
		n += got
		if errors.Is(err, io.EOF) {
			return n, nil
		} else if err != nil {
			return 0, err
		}
	}
	return l.max + 1, nil
}

// NewLines reads from r, which stands at the file's beginning.
func NewLines(r io.Reader) *Lines {
	at, _ := r.(io.ReaderAt)
	return &Lines{from: r, at: at, max: MaxLine, buf: make([]byte, first)}
}

// Reset reads from another file, with the room that there is.
func (l *Lines) Reset(r io.Reader) {
	at, _ := r.(io.ReaderAt)
	*l = Lines{from: r, at: at, max: l.max, buf: l.buf}
	if cap(l.buf) > chunk {
		l.buf = make([]byte, first)
	}
}

// Next is the next line. It holds until the next call. io.EOF ends the file; a last line without a newline is one.
func (l *Lines) Next() (Line, error) {
	for seen := 0; ; {
		if i := bytes.IndexByte(l.buf[l.lo+seen:l.hi], '\n'); i >= 0 {
			return l.take(seen+i, 1), nil
		}
		seen = l.hi - l.lo
		switch {
		case l.err != nil && seen > 0 && errors.Is(l.err, io.EOF):
			return l.take(seen, 0), nil
		case l.err != nil:
			return Line{}, l.err
		case seen > l.max:
			return l.pass()
		case seen == len(l.buf) && seen >= long && l.at != nil && !l.measured:
			n, err := l.measure()
			switch {
			case err != nil:
				return Line{}, err
			case n > l.max:
				return l.pass()
			}
			l.move(make([]byte, n+1)) // with its newline, and no more: it may be nearly all there is
			l.measured = true
			continue
		}
		l.fill()
	}
}

// take hands out n bytes and passes the newline after them.
func (l *Lines) take(n, newline int) Line {
	line := Line{Data: l.buf[l.lo : l.lo+n]}
	if line.TooLong = n > l.max; line.TooLong {
		line.Data = nil
	}
	return l.finish(line, n+newline)
}

func (l *Lines) finish(line Line, passed int) Line {
	l.number++
	l.measured = false
	line.Number, line.Offset = l.number, l.offset
	l.lo += passed
	l.offset += int64(passed)
	if after, found := bytes.CutPrefix(line.Data, mark); found {
		line.Data, line.Offset = after, line.Offset+int64(len(mark))
	}
	return line
}

// fill reads more, behind what is there. The buffer grows when a file is found to be longer, and with a line, and shrinks
// when the line is over.
func (l *Lines) fill() {
	held := l.hi - l.lo
	switch {
	case l.hi < len(l.buf):
	case held < chunk/2 && len(l.buf) != chunk:
		l.move(make([]byte, chunk))
	case l.lo > 0:
		l.move(l.buf)
	default:
		l.move(make([]byte, min(2*len(l.buf), l.max+chunk)))
	}
	n, err := l.from.Read(l.buf[l.hi:])
	l.hi += n
	l.err = err
}

func (l *Lines) move(to []byte) {
	l.hi = copy(to, l.buf[l.lo:l.hi])
	l.buf, l.lo = to, 0
}

// pass reads over a line that is too long, without keeping it.
func (l *Lines) pass() (Line, error) {
	line := Line{TooLong: true}
	passed := 0
	for {
		if i := bytes.IndexByte(l.buf[l.lo:l.hi], '\n'); i >= 0 {
			line = l.finish(line, i+1)
			line.Offset -= int64(passed)
			return line, nil
		}
		passed += l.hi - l.lo
		l.offset += int64(l.hi - l.lo)
		l.lo, l.hi = 0, 0
		if l.err != nil {
			if !errors.Is(l.err, io.EOF) {
				return Line{}, l.err
			}
			line = l.finish(line, 0)
			line.Offset -= int64(passed)
			return line, nil
		}
		l.fill()
	}
}
