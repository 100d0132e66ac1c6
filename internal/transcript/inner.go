// SPDX-License-Identifier: Apache-2.0

package transcript

import (
	"cmp"
	"io"
	"slices"

	"github.com/fiftyarms/platform/internal/jsonscan"
)

// An inner is what stands in JSON that is itself the text of a string of the log. It has no place of its own in a file:
// it is decoded once more where it is read, and its texts stand one behind the other as if they were a file.
type inner struct {
	s     *Session
	texts []innerText
	end   int64
	raw   []byte // of the last text that was read, and what it stands for
	text  []byte
	last  int // in texts
}

type innerText struct {
	at   int64 // as if it were a file
	of   Span  // the string that holds it
	from int32 // in what that stands for
}

// Inner is a part of what the text of a string stands for: JSON again, of which the part is a string's text.
func (b *Builder) Inner(of Span, part jsonscan.Range) Span {
	if b.inner == nil {
		b.inner = &inner{s: b.s, last: -1}
		b.innerAt = b.AddSource(b.inner, false)
	}
	in := b.inner
	at := Span{Source: b.innerAt, Off: in.end, Len: int32(part.Len())}
	in.texts = append(in.texts, innerText{at: in.end, of: of, from: int32(part.From)})
	in.end += int64(part.Len())
	return at
}

func (in *inner) ReadAt(p []byte, off int64) (n int, err error) {
	i, _ := slices.BinarySearchFunc(in.texts, off, func(t innerText, off int64) int { return cmp.Compare(t.at, off+1) })
	i = max(i-1, 0) // the last text that begins there or before
	for ; n < len(p) && i < len(in.texts); i++ {
		end := in.end
		if i+1 < len(in.texts) {
			end = in.texts[i+1].at
		}
		t := in.texts[i]
		if off+int64(n) >= end {
			continue
		}
		if err := in.decode(i); err != nil {
			return n, err
		}
		skip := int(off + int64(n) - t.at)
		from := min(int(t.from)+skip, len(in.text))
		to := min(int(t.from)+int(end-t.at), len(in.text))
		if from >= to {
			return n, io.ErrUnexpectedEOF // the file was changed
		}
		n += copy(p[n:], in.text[from:to])
	}
	if n < len(p) {
		return n, io.EOF
	}
	return n, nil
}

func (in *inner) decode(i int) error {
	if i == in.last {
		return nil
	}
	of := in.texts[i].of
	in.last = -1
	in.raw = slices.Grow(in.raw[:0], int(of.Len))[:of.Len]
	if n, err := in.s.Source(of).ReadAt(in.raw, of.Off); n < len(in.raw) {
		return cmp.Or(err, io.ErrUnexpectedEOF)
	}
	in.text = jsonscan.Decode(in.text[:0], in.raw)
	in.last = i
	return nil
}
