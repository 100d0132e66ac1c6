// SPDX-License-Identifier: Apache-2.0

package transcript

import (
	"bytes"
	"errors"
	"io"
	"testing"
)

// TestInline: what was added is found where it is said to be, within a block and over their ends.
func TestInline(t *testing.T) {
	var text inline
	var whole []byte
	for n := range 900 {
		part := bytes.Repeat([]byte{byte(n)}, n*7%5000)
		if at := text.add(part); at != int64(len(whole)) {
			t.Fatalf("part %d is at %d, not %d", n, at, len(whole))
		}
		whole = append(whole, part...)
	}
	if len(text.blocks) < 5 {
		t.Errorf("%d blocks", len(text.blocks))
	}
	for _, size := range []int{1, 100, 70000, len(whole)} {
		for off := 0; off+size <= len(whole); off += max(size, 977) {
			p := make([]byte, size)
			if n, err := text.ReadAt(p, int64(off)); n != size || err != nil || !bytes.Equal(p, whole[off:off+size]) {
				t.Fatalf("%d at %d: %d, %v", size, off, n, err)
			}
		}
	}
	p := make([]byte, 8)
	if n, err := text.ReadAt(p, int64(len(whole)-3)); n != 3 || !errors.Is(err, io.EOF) {
		t.Errorf("%d, %v", n, err)
	}
	if n, err := new(inline).ReadAt(p, 0); n != 0 || !errors.Is(err, io.EOF) {
		t.Errorf("%d, %v", n, err)
	}
}
