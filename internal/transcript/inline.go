// SPDX-License-Identifier: Apache-2.0

package transcript

import (
	"cmp"
	"io"
	"slices"
)

// inline is text that stands in no file: what is put together from several places. It grows without being copied.
type inline struct {
	blocks []inlineBlock
	end    int64
}

type inlineBlock struct {
	at   int64 // of its first byte
	data []byte
}

const (
	firstInline = 1 << 10
	mostInline  = 256 << 10
)

// add adds text, and tells where it begins.
func (i *inline) add(text []byte) int64 {
	last := len(i.blocks) - 1
	if last < 0 || cap(i.blocks[last].data)-len(i.blocks[last].data) < len(text) {
		size := firstInline
		if last >= 0 {
			size = min(2*cap(i.blocks[last].data), mostInline)
		}
		i.blocks = append(i.blocks, inlineBlock{i.end, make([]byte, 0, max(size, len(text)))})
		last++
	}
	at := i.end
	i.blocks[last].data = append(i.blocks[last].data, text...)
	i.end += int64(len(text))
	return at
}

func (i *inline) ReadAt(p []byte, off int64) (n int, err error) {
	at, _ := slices.BinarySearchFunc(i.blocks, off, func(b inlineBlock, off int64) int { return cmp.Compare(b.at, off+1) })
	for at = max(at-1, 0); n < len(p) && at < len(i.blocks); at++ { // from the last that begins there or before
		b := i.blocks[at]
		if skip := off + int64(n) - b.at; skip < int64(len(b.data)) {
			n += copy(p[n:], b.data[skip:])
		}
	}
	if n < len(p) {
		return n, io.EOF
	}
	return n, nil
}
