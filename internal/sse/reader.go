// SPDX-License-Identifier: Apache-2.0

package sse

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"strconv"
	"time"
)

// Bounds of what a Reader takes: more ends it.
const (
	LineMost = 1 << 20 // bytes of one line
	DataMost = 4 << 20 // bytes of one frame's data
)

// ErrTooLarge is a line or a frame over its bound.
var ErrTooLarge = errors.New("the stream sends more at once than is taken")

// A Reader takes frames off a stream. It is for one goroutine.
type Reader struct {
	in      *bufio.Reader
	started bool // the first line is read, so no byte order mark can come
	afterCR bool // a \n now belongs to the line end before
	line    []byte
	lastID  string
	retry   time.Duration
}

// NewReader reads the body of a stream.
func NewReader(body io.Reader) *Reader { return &Reader{in: bufio.NewReader(body)} }

// LastID is the last id that came: what to send as Last-Event-ID when the stream is opened again. "" is none.
func (r *Reader) LastID() string { return r.lastID }

// Retry is how long to wait before that; 0 where the stream did not say.
func (r *Reader) Retry() time.Duration { return r.retry }

// Next reads up to the next frame that has data. At the end of the stream it is io.EOF; a frame that came in part is
// dropped, as the standard wants it, since the stream goes on after the last whole one.
func (r *Reader) Next() (Frame, error) {
	var f Frame
	id, data := r.lastID, false
	for {
		line, err := r.readLine()
		if err != nil {
			return Frame{}, err
		}
		if len(line) == 0 {
			if r.lastID = id; data {
				return f, nil
			}
			f = Frame{}
			continue
		}
		name, value, _ := bytes.Cut(line, []byte(":"))
		value = bytes.TrimPrefix(value, []byte(" "))
		switch string(name) {
		case "data":
			if data {
				f.Data = append(f.Data, '\n')
			}
			if data = true; len(f.Data)+len(value) > DataMost {
				return Frame{}, fmt.Errorf("%w: a frame over %d bytes", ErrTooLarge, DataMost)
			}
			f.Data = append(f.Data, value...)
		case "event":
			f.Event = string(value)
		case "id":
			if !bytes.ContainsRune(value, 0) {
				id = string(value)
				f.ID = id
			}
		case "retry":
			r.setRetry(string(value))
		} // a comment has no name, and other fields are for later versions
	}
}

// setRetry takes a number of milliseconds; the standard has anything else overlooked.
func (r *Reader) setRetry(value string) {
	for _, c := range value {
		if c < '0' || c > '9' {
			return
		}
	}
	if ms, err := strconv.ParseInt(value, 10, 32); err == nil {
		r.retry = time.Duration(ms) * time.Millisecond
	}
}

// readLine reads a line without its end, which is \n, \r\n or \r. It does not wait for what follows a \r. The line is
// good until the next call.
func (r *Reader) readLine() ([]byte, error) {
	r.line = r.line[:0]
	for {
		buffered, err := r.fill()
		if err != nil {
			return nil, err
		}
		end := bytes.IndexAny(buffered, "\r\n")
		part := buffered
		if end >= 0 {
			part = buffered[:end]
		}
		if len(r.line)+len(part) > LineMost {
			return nil, fmt.Errorf("%w: a line over %d bytes", ErrTooLarge, LineMost)
		}
		r.line = append(r.line, part...)
		if end < 0 {
			r.discard(len(buffered))
			continue
		}
		r.afterCR = buffered[end] == '\r'
		r.discard(end + 1)
		if !r.started {
			r.started = true
			return bytes.TrimPrefix(r.line, []byte("\ufeff")), nil
		}
		return r.line, nil
	}
}

// fill answers what is there to read, at least one byte, past the \n of a line end that began with \r.
func (r *Reader) fill() ([]byte, error) {
	for {
		if _, err := r.in.Peek(1); err != nil {
			return nil, err
		}
		buffered, _ := r.in.Peek(r.in.Buffered())
		if !r.afterCR {
			return buffered, nil
		}
		r.afterCR = false
		if buffered[0] == '\n' {
			r.discard(1)
			continue
		}
		return buffered, nil
	}
}

// discard drops bytes that are buffered.
func (r *Reader) discard(n int) { _, _ = r.in.Discard(n) }
