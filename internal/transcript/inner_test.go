// SPDX-License-Identifier: Apache-2.0

package transcript

import (
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/fiftyarms/platform/internal/jsonscan"
)

// TestInner: what stands in JSON in a string is read as if it stood in a file, wherever reading begins.
func TestInner(t *testing.T) {
	b := NewBuilder("test", "x")
	var all string
	var spans []Span
	texts := []string{"one", "", `a\nb \"c\"`, strings.Repeat("long ", 100), "end"}
	for _, text := range texts {
		whole := `{"output":"` + text + `"}`
		from := len(`{"output":"`)
		spans = append(spans, b.Inner(b.Words(whole), jsonscan.Range{From: from, To: from + len(text)}))
		all += text
	}
	s := b.Session()
	for i, at := range spans {
		got, err := s.Text([]Span{at}, 1<<10)
		if want := jsonscan.DecodeString([]byte(texts[i])); err != nil || got != want {
			t.Errorf("%q, %v, want %q", got, err, want)
		}
	}
	from := s.Source(spans[0])
	for off := range len(all) + 2 {
		for _, n := range []int{1, 7, len(all)} {
			p := make([]byte, n)
			got, err := from.ReadAt(p, int64(off))
			want := all[min(off, len(all)):min(off+n, len(all))]
			if string(p[:got]) != want || (err == nil) != (got == n) || err != nil && !errors.Is(err, io.EOF) {
				t.Fatalf("%d bytes from %d on: %q, %v, want %q", n, off, p[:got], err, want)
			}
		}
	}
}
