// SPDX-License-Identifier: Apache-2.0

package tracefile

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"math/bits"
	"runtime/debug"
	"unicode/utf8"

	"github.com/fiftyarms/platform/internal/jsonscan"
	"github.com/fiftyarms/platform/internal/transcript"
)

// A window is the part of a source that was read last: steps come nearly in the order of the file.
type window struct {
	from io.ReaderAt
	buf  []byte
	off  int64
	used int // when, in reads
}

const windowSize = 128 << 10

// maxWindows is how many files are looked into at once. A session may have a thousand sub-agents, of which few speak at a
// time.
const maxWindows = 32

// huge is a size for which what is not held any more is given back first: as much may just have been read.
const huge = 32 << 20

// bytes is what stands at a place, at most so much of it that it fits the window. It holds until the next call.
func (v *window) bytes(off int64, n int) ([]byte, error) {
	if off >= v.off && off+int64(n) <= v.off+int64(len(v.buf)) {
		return v.buf[off-v.off:][:n], nil
	}
	size := windowSize
	if off < v.off { // back to an earlier place, for a little
		size = min(windowSize, max(n, 4<<10))
	}
	size = max(size, n)
	if cap(v.buf) < size || cap(v.buf) > kept && size <= kept {
		v.buf = nil // not held beside the new one
		if size > huge {
			debug.FreeOSMemory()
		}
		v.buf = make([]byte, max(size, windowSize))
	}
	got, err := v.from.ReadAt(v.buf[:size], off)
	if err != nil && !errors.Is(err, io.EOF) {
		v.buf = v.buf[:0]
		return nil, err
	}
	v.buf, v.off = v.buf[:got], off
	if got < n {
		return nil, io.ErrUnexpectedEOF // the file was cut while it was read
	}
	return v.buf[:n], nil
}

func (w *writer) read(at transcript.Span, most int) []byte {
	n := min(int(at.Len), most)
	if n == 0 || w.err != nil {
		return nil
	}
	v := w.window(at)
	data, err := v.bytes(at.Off, n)
	if err != nil {
		w.fail(err)
		return nil
	}
	return data
}

// window is the one of a span's source. Where there are too many, that which was not needed for longest moves there.
func (w *writer) window(at transcript.Span) *window {
	w.reads++
	v := w.windows[at.Source]
	if v == nil {
		v = &window{}
		if len(w.windows) == maxWindows {
			oldest := at.Source
			for source, other := range w.windows {
				if oldest == at.Source || other.used < w.windows[oldest].used {
					oldest = source
				}
			}
			v.buf = w.windows[oldest].buf[:0]
			delete(w.windows, oldest)
		}
		v.from = w.s.Source(at)
		w.windows[at.Source] = v
	}
	v.used = w.reads
	return v
}

// text writes parts of text as one JSON string, a newline between them, at most so many characters of it.
func (w *writer) text(b []byte, parts []transcript.Span, most int) []byte {
	b = append(b, '"')
	for i, at := range parts {
		if i > 0 {
			if most == 0 {
				b = append(b, Truncated...)
				break
			}
			b = append(b, `\n`...)
			most--
		}
		raw := w.read(at, most*12+12) // a character takes at most twelve bytes, as a pair of escapes
		plain := at.Len > 0 && w.s.Source(at).Plain
		if plain {
			raw = jsonscan.AppendText(nil, raw[:plainEnd(raw, most+1)])
		}
		cut := cutText(raw, most)
		b = appendCut(b, raw, cut)
		if most -= cut.characters; cut.end < len(raw) || most == 0 && !plain && len(raw) < int(at.Len) {
			b = append(b, Truncated...)
			break
		}
	}
	return append(b, '"')
}

// output writes what came of a call, which both the call and its result say. Where it is cut is found out once.
func (w *writer) output(b []byte, call int32, parts []transcript.Span) []byte {
	if len(parts) != 1 || w.s.Source(parts[0]).Plain {
		return w.text(b, parts, MaxContent)
	}
	if w.ends == nil {
		w.ends = make([]end, len(w.s.Calls))
	}
	known := &w.ends[call]
	if known.of != parts[0] {
		*known = end{parts[0], cutText(w.read(parts[0], (MaxContent+1)*12), MaxContent)}
	}
	b = appendCut(append(b, '"'), w.read(known.of, known.cut.end), known.cut)
	if known.cut.end < int(known.of.Len) {
		b = append(b, Truncated...)
	}
	return append(b, '"')
}

// An end is where a text is cut.
type end struct {
	of  transcript.Span
	cut cut
}

// plainEnd is where so many characters of plain text end.
func plainEnd(raw []byte, characters int) int {
	end := 0
	for ; characters > 0 && end < len(raw); characters-- {
		_, n := utf8.DecodeRune(raw[end:])
		end += n
	}
	return end
}

// A cut is how much of a text is shown.
type cut struct {
	end, characters int
	clean           bool // all of that is text as it is
}

// cutText is where the text of a JSON string has so many characters, or ends.
func cutText(raw []byte, most int) cut {
	const ones, highs = 0x0101010101010101, 0x8080808080808080
	i, n, clean := 0, 0, true
	for i < len(raw) && n < most {
		if i+8 <= len(raw) && n+8 <= most {
			v := binary.LittleEndian.Uint64(raw[i:])
			escape := v ^ ones*'\\'
			special := (v | (escape-ones)&^escape) & highs
			if special == 0 { // eight plain characters
				i, n = i+8, n+8
				continue
			}
			plain := bits.TrailingZeros64(special) >> 3
			i, n = i+plain, n+plain
		}
		size := 1
		switch c := raw[i]; {
		case c == '\\' && i+1 < len(raw) && raw[i+1] != 'u':
			size = 2
		case c == '\\' || c >= utf8.RuneSelf:
			var r rune
			r, size = jsonscan.Next(raw[i:])
			clean = clean && r != utf8.RuneError
		}
		i += size
		n++
	}
	return cut{i, n, clean}
}

// appendCut appends what is shown of a text.
func appendCut(b, raw []byte, c cut) []byte {
	if c.clean {
		return append(b, raw[:c.end]...)
	}
	return appendValid(b, raw[:c.end])
}

// appendValid appends the text of a JSON string. What is no character in it, bytes that are no UTF-8 and halves of a pair
// of escapes, becomes U+FFFD.
func appendValid(b, raw []byte) []byte {
	if utf8.Valid(raw) && !bytes.Contains(raw, []byte(`\u`)) {
		return append(b, raw...)
	}
	for len(raw) > 0 {
		r, n := jsonscan.Next(raw)
		if r == utf8.RuneError {
			b = utf8.AppendRune(b, r)
		} else {
			b = append(b, raw[:n]...)
		}
		raw = raw[n:]
	}
	return b
}

// valid is appendValid of text that may be so long that it is written as it is made.
func (w *writer) valid(b, raw []byte) []byte {
	if len(raw) <= windowSize {
		return appendValid(b, raw)
	}
	if utf8.Valid(raw) && !bytes.Contains(raw, []byte(`\u`)) {
		b = w.put(b)
		w.put(raw)
		return b
	}
	for len(raw) > 0 {
		r, n := jsonscan.Next(raw)
		if r == utf8.RuneError {
			b = utf8.AppendRune(b, r)
		} else {
			b = append(b, raw[:n]...)
		}
		raw = raw[n:]
		if len(b) > windowSize {
			b = w.put(b)
		}
	}
	return b
}

func appendString(b []byte, text string) []byte {
	b = append(b, '"')
	b = jsonscan.AppendText(b, []byte(text))
	return append(b, '"')
}
