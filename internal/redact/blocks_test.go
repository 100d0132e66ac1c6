// SPDX-License-Identifier: Apache-2.0

package redact_test

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/fiftyarms/platform/internal/redact"
)

const block = 1 << 20 // as much text is looked at together, about

// filler is clean text of n bytes, in lines or in one.
func filler(n int, lines bool) string {
	unit := "the quick brown fox jumps over it again and sleeps well. "
	if lines {
		unit += "\n"
	}
	return strings.Repeat(unit, n/len(unit)+1)[:n]
}

// TestBlockBorders: where text is cut to be looked at does not show, wherever a credential stands.
func TestBlockBorders(t *testing.T) {
	secrets := map[string]struct{ text, want string }{
		"token":      {ghp, "«REDACTED:github_token»"},
		"key":        {pem, "«REDACTED:private_key»"},
		"assignment": {"db_password: \"" + opaque + "\"", "db_password: \"«REDACTED:assigned_secret»\""},
		"URL":        {"https://bob:" + opaque + "@host/x", "https://bob:«REDACTED:url_credentials»@host/x"},
	}
	for name, s := range secrets {
		for _, lines := range []bool{true, false} {
			t.Run(fmt.Sprint(name, ", lines ", lines), func(t *testing.T) {
				for _, border := range []int{block, block + 64<<10, block + 128<<10} {
					for _, before := range []int{0, 1, len(s.text) / 2, len(s.text)} {
						start := filler(border-before, lines)
						start = start[:len(start)-1] + "\n"
						end := "\n" + filler(block/4, lines)
						if got, want := inAll(t, start+s.text+end), start+s.want+end; got != want {
							at := 0
							for at < min(len(got), len(want)) && got[at] == want[at] {
								at++
							}
							t.Fatalf("border %d, %d before: got %q at %d", border, before, got[at:min(len(got), at+60)], at)
						}
					}
				}
			})
		}
	}
}

// TestBlocksAreOnePiece: what Text makes of a small text is what Redact makes of it.
func TestBlocksAreOnePiece(t *testing.T) {
	sessions(t, func(t *testing.T, s session) {
		for text := range strings.SplitSeq(s.text, "\n") {
			if once := inText(t, text); inText(t, once) == once { // Text looks at it twice
				if got := inAll(t, text); got != once && !strings.Contains(got, "«REDACTED:") {
					t.Fatalf("got\n%s\nwant\n%s", got, once)
				}
			}
		}
	})
}

// TestSmallReads: how the input comes does not matter.
func TestSmallReads(t *testing.T) {
	text := filler(3000, true) + ghp + "\n" + filler(3000, true) + "{\"password\":\"" + opaque + "\"}\n" + pem
	want, wantLines := inAll(t, text), inLines(t, text)
	r := redactor(t, redact.Options{})
	var out, outLines bytes.Buffer
	if err := r.Text(t.Context(), &out, &drip{strings.NewReader(text)}); err != nil {
		t.Fatal(err)
	}
	if err := r.Lines(t.Context(), &outLines, &drip{strings.NewReader(text)}); err != nil {
		t.Fatal(err)
	}
	is(t, out.String(), want)
	is(t, outLines.String(), wantLines)
}

// drip gives seven bytes at a time.
type drip struct{ io.ReadSeeker }

func (d *drip) Read(p []byte) (int, error) { return d.ReadSeeker.Read(p[:min(7, len(p))]) }

// TestFarApart: what is found in the last block is taken out of the first, and the other way round.
func TestFarApart(t *testing.T) {
	value := made(90, alnum, 32)
	for _, text := range []string{
		"it is " + value + "\n" + filler(3*block, true) + "\npassword=" + value + "\n",
		"password=" + value + "\n" + filler(3*block, true) + "\nit is " + value + "\n",
	} {
		if got := inAll(t, text); strings.Contains(got, value) || strings.Count(got, "«REDACTED:assigned_secret»") != 2 {
			t.Errorf("%d", strings.Count(got, "«REDACTED:"))
		}
	}
}

// TestLinesOfAnyLength: longer than any buffer, without an end, empty, with the other system's ends.
func TestLinesOfAnyLength(t *testing.T) {
	long := `{"a":"` + filler(3*block, false) + ghp + `"}`
	in := "\n\r\n" + long + "\r\n\n" + `{"b":"` + ghp + `"}` + "\n" + long
	if got, want := inLines(t, in), strings.ReplaceAll(in, ghp, "«REDACTED:github_token»"); got != want {
		t.Error("differs")
	}
	is(t, inLines(t, ""), "")
	is(t, inAll(t, ""), "")
	is(t, inAll(t, "x"), "x")
}
