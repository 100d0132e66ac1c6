// SPDX-License-Identifier: Apache-2.0

package transcript

import (
	"cmp"
	"io"
	"slices"
)

// stitched is what stands in a file in several pieces, one behind the other as if they were a file: two writers at once
// leave one record inside another, and a log may have many of these.
type stitched struct {
	s     *Session
	parts []stitch
	end   int64
}

type stitch struct {
	at     int64 // as if it were a file
	off    int64 // in its source
	source int32
}

// stitched is where the pieces of a line stand that belong together.
func (b *Builder) stitched(source int32, line int64, parts [][2]int) (at Span) {
	if b.stitches == nil {
		b.stitches = &stitched{s: b.s}
		b.stitchesAt = b.AddSource(b.stitches, false)
	}
	st := b.stitches
	at = Span{Source: b.stitchesAt, Off: st.end}
	for _, part := range parts {
		st.parts = append(st.parts, stitch{at: st.end, off: line + int64(part[0]), source: source})
		st.end += int64(part[1] - part[0])
	}
	return at
}

func (st *stitched) ReadAt(p []byte, off int64) (n int, err error) {
	i, _ := slices.BinarySearchFunc(st.parts, off, func(s stitch, off int64) int { return cmp.Compare(s.at, off+1) })
	for i = max(i-1, 0); n < len(p) && i < len(st.parts); i++ { // from the last that begins there or before
		end := st.end
		if i+1 < len(st.parts) {
			end = st.parts[i+1].at
		}
		at := off + int64(n)
		if at >= end {
			break
		}
		want := p[n:min(int64(len(p)), end-off)]
		part := st.parts[i]
		got, err := st.s.sources[part.source].ReadAt(want, part.off+at-part.at)
		n += got
		if got < len(want) {
			return n, cmp.Or(err, io.ErrUnexpectedEOF)
		}
	}
	if n < len(p) {
		return n, io.EOF
	}
	return n, nil
}
