// SPDX-License-Identifier: Apache-2.0

package gemini

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/fiftyarms/platform/internal/jsonl"
	"github.com/fiftyarms/platform/internal/transcript"
)

// isDocument tells an old document, of which data is the beginning, from a log: its first line is no record but leaves
// something open.
func isDocument(data []byte) bool {
	line := firstLine(bytes.TrimSpace(bytes.TrimPrefix(data, []byte("\ufeff"))))
	if line == "" || line[0] != '{' {
		return false
	}
	switch line[len(line)-1] {
	case '{', '[', ',':
		return true
	}
	return false
}

// maxDocument is how long a message of an old document may be, and how long a damaged document, which is held.
const maxDocument = jsonl.MaxLine

const chunk = 1 << 20

// A document is read through a window, a message at a time.
type document struct {
	f      *os.File
	window []byte
	at     int64 // of the window in the file
	ended  bool  // the window holds the file's end
}

// more passes n bytes of the window and reads on.
func (d *document) more(n int) error {
	left := copy(d.window[:cap(d.window)], d.window[n:])
	d.window, d.at = d.window[:left], d.at+int64(n)
	d.window = slices.Grow(d.window, max(chunk, left)) // one that does not hold a message is doubled
	got, err := d.f.ReadAt(d.window[left:cap(d.window)], d.at+int64(left))
	d.window = d.window[:left+got]
	d.ended = errors.Is(err, io.EOF)
	if d.ended {
		return nil
	}
	return err
}

// document finds the messages of an old document.
func (r *reader) document(f *os.File) error {
	d := document{f: f}
	if err := d.more(0); err != nil {
		return fmt.Errorf("%s: %w", r.path, err)
	}
	begin := len(d.window) - len(bytes.TrimPrefix(d.window, []byte("\ufeff")))
	data := d.window[begin:]
	r.base = int64(begin)
	failed := r.rec.scan(&r.scan, data)
	r.header(&r.rec)
	r.hold(data, r.rec.messages)
	from := 0
	if n := len(r.rec.messages); n > 0 {
		from = r.rec.messages[n-1].To
	}
	switch {
	case failed == nil:
		return r.ctx.Err()
	case from == 0 || d.ended:
		return r.broken(f, int64(begin), int64(begin+from))
	}
	next := begin + from // in the window
	for {
		end, done := r.element(&d, next)
		switch {
		case end > 0:
			next = end
			continue
		case !done && !d.ended && len(d.window) < maxDocument:
			if err := errors.Join(d.more(next), r.ctx.Err()); err != nil {
				return fmt.Errorf("%s: %w", r.path, err)
			}
			next = 0
			if r.progress != nil {
				r.progress(r.before + d.at)
			}
			continue
		case !done:
			return r.broken(f, int64(begin), d.at+int64(next))
		}
		return r.ctx.Err()
	}
}

// element takes the message that follows in the window, behind its comma, and is where it ends. What comes behind the last
// is taken at once, if the file ends in the window. 0 says that there is no more in the window, or nothing whole.
func (r *reader) element(d *document, next int) (end int, done bool) {
	data := d.window[next:]
	space := len(data) - len(bytes.TrimLeft(data, " \t\r\n"))
	switch {
	case space == len(data):
	case data[space] == ',':
		s := &r.inner
		s.Reset(data[space+1:])
		r.held.reset()
		from := 0
		if s.Kind() == '{' {
			from = s.Pos()
			s.Object(func(key []byte) { r.held.member(s, key) })
		} else {
			s.Skip()
			from = s.Pos() // no message
		}
		to := s.Pos()
		if s.Err() != nil || to == len(data)-space-1 {
			return 0, false
		}
		if to > from {
			r.base = d.at + int64(next+space+1)
			r.message(&r.held, text{From: from, To: to}, true)
		}
		return next + space + 1 + to, false
	case data[space] == ']' && d.ended:
		if r.rec.scan(&r.scan, slices.Concat([]byte(`{"":[`), data[space:])) == nil {
			r.header(&r.rec)
			return 0, true
		}
	}
	return 0, false
}

// broken reads a document that is not whole: what it holds from a place on that is.
func (r *reader) broken(f *os.File, begin, from int64) error {
	data, err := io.ReadAll(io.LimitReader(io.NewSectionReader(f, begin, 1<<62), maxDocument+1))
	if err != nil {
		return fmt.Errorf("%s: %w", r.path, err)
	}
	if len(data) > maxDocument {
		return fmt.Errorf("%s is longer than %d MiB", r.path, maxDocument>>20)
	}
	r.base = begin
	failed := r.rec.scan(&r.scan, data)
	r.header(&r.rec)
	after := r.scan.Pos()
	taken := int(from - begin)
	for _, at := range r.rec.messages {
		if at.From >= taken {
			r.hold(data, []text{at})
			taken = at.To
		}
	}
	if failed == nil { // a message was longer than what is read at once
		return r.ctx.Err()
	}
	whole := r.salvage(data, taken)
	r.b.Damaged(transcript.Damage{
		File: r.path, Line: int64(bytes.Count(data[:min(after, len(data))], []byte("\n"))) + 1, Offset: r.base + int64(after),
		Reason: failed.Error(), Recovered: whole,
	})
	return r.ctx.Err()
}

// salvage finds the whole messages of a damaged document behind a place. Unlike lines, documents have space in them.
func (r *reader) salvage(data []byte, from int) (whole int) {
	budget := 4*len(data) + 1<<20 // bytes to scan at most: what nests could be scanned once a level
	for at := from; at < len(data) && budget > 0; at++ {
		i := bytes.IndexByte(data[at:], '{')
		if i < 0 {
			return whole
		}
		at += i
		r.inner.Reset(data[at:min(len(data), at+budget)])
		r.inner.Skip()
		end := r.inner.Pos()
		budget -= end + 1
		if r.inner.Err() != nil || r.held.scan(&r.inner, data[at:at+end]) != nil || !r.held.isMessage() {
			continue
		}
		r.message(&r.held, text{From: at, To: at + end}, false)
		whole++
		at += end - 1
	}
	return whole
}
