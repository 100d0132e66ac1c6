// SPDX-License-Identifier: Apache-2.0

package mcpstdio

import (
	"bufio"
	"bytes"
	"errors"
	"io"
)

var errLineTooLong = errors.New("line too long")

// readBuffer is the least memory a reader holds, in bytes; a longer line grows
// a buffer of its own.
const readBuffer = 64 << 10

// lineReader cuts a stream into lines of at most max bytes, line ending not
// counted.
type lineReader struct {
	r    *bufio.Reader
	max  int
	skip bool  // the reader stands inside a line that was too long
	err  error // what ended the stream after the last line
}

func newLineReader(in io.Reader, maxLine int) *lineReader {
	return &lineReader{r: bufio.NewReaderSize(in, readBuffer), max: maxLine}
}

// next returns the next line without its line ending, in memory of its own. A
// last line needs no ending. errLineTooLong comes with the line's beginning as
// soon as the limit is passed, so that a line that never ends is answered too;
// the call after it drops the rest of that line and goes on.
func (l *lineReader) next() ([]byte, error) {
	if l.skip {
		if err := l.drop(); err != nil {
			return nil, err
		}
	}
	if l.err != nil {
		return nil, l.err
	}
	var line []byte
	for {
		part, err := l.r.ReadSlice('\n')
		more := errors.Is(err, bufio.ErrBufferFull)
		// One byte over may still be the CR of the line ending, two the CRLF.
		if len(line)+len(part) > l.max+2 {
			l.skip = more
			l.end(err)
			if len(line) < readBuffer {
				line = append(line, part...)
			}
			return beginning(line), errLineTooLong
		}
		line = append(line, part...)
		if more {
			continue
		}
		l.end(err)
		line = bytes.TrimSuffix(bytes.TrimSuffix(line, []byte{'\n'}), []byte{'\r'})
		if len(line) > l.max {
			return beginning(line), errLineTooLong
		}
		if len(line) == 0 && l.err != nil {
			return nil, l.err
		}
		return line, nil
	}
}

func beginning(line []byte) []byte { return line[:min(len(line), readBuffer)] }

func (l *lineReader) drop() error {
	for {
		_, err := l.r.ReadSlice('\n')
		if errors.Is(err, bufio.ErrBufferFull) {
			continue
		}
		l.skip = false
		l.end(err)
		return l.err
	}
}

// end keeps an error that came together with the last bytes.
func (l *lineReader) end(err error) {
	if err != nil && !errors.Is(err, bufio.ErrBufferFull) {
		l.err = err
	}
}
