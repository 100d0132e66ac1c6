// SPDX-License-Identifier: Apache-2.0

package jsonl

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"

	"github.com/fiftyarms/platform/internal/jsonscan"
)

type seen struct {
	Number, Offset int64
	Data           string
	TooLong        bool
}

func read(t *testing.T, r io.Reader, most int) (all []seen) {
	t.Helper()
	l := NewLines(r)
	l.max = most
	for {
		line, err := l.Next()
		if errors.Is(err, io.EOF) {
			return all
		} else if err != nil {
			t.Fatal(err)
		}
		all = append(all, seen{line.Number, line.Offset, string(line.Data), line.TooLong})
	}
}

func TestLines(t *testing.T) {
	for _, c := range []struct {
		name, text string
		want       []seen
	}{
		{"empty", "", nil},
		{"no newline at the end", "a\nb", []seen{{1, 0, "a", false}, {2, 2, "b", false}}},
		{"blank lines", "\n\na\n", []seen{{1, 0, "", false}, {2, 1, "", false}, {3, 2, "a", false}}},
		{"carriage returns are the line's", "a\r\nb\r\n", []seen{{1, 0, "a\r", false}, {2, 3, "b\r", false}}},
		{"a byte order mark is not, of whichever file it was", "\ufeffa\n\ufeffb\nc\ufeff\n\ufeff", []seen{{1, 3, "a", false}, {2, 8, "b", false}, {3, 10, "c\ufeff", false}, {4, 18, "", false}}},
		{"U+2028 ends no line", "a\u2028b\nc", []seen{{1, 0, "a\u2028b", false}, {2, 6, "c", false}}},
		{"too long", "a\n" + strings.Repeat("x", 11) + "\nb\n", []seen{{1, 0, "a", false}, {2, 2, "", true}, {3, 14, "b", false}}},
		{"too long without an end", "a\n" + strings.Repeat("x", 11), []seen{{1, 0, "a", false}, {2, 2, "", true}}},
		{"too long, and then some", strings.Repeat("x", 40) + "\n" + strings.Repeat("y", 10) + "\n", []seen{{1, 0, "", true}, {2, 41, strings.Repeat("y", 10), false}}},
		{"just not too long", strings.Repeat("x", 10) + "\nb", []seen{{1, 0, strings.Repeat("x", 10), false}, {2, 11, "b", false}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, r := range []io.Reader{strings.NewReader(c.text), iotest.OneByteReader(strings.NewReader(c.text)), iotest.DataErrReader(strings.NewReader(c.text))} {
				if d := cmp.Diff(c.want, read(t, r, 10)); d != "" {
					t.Error(d)
				}
			}
		})
	}
}

// TestLinesLongerThanTheBuffer: the buffer grows with a line, and lines after it still know where they are.
func TestLinesLongerThanTheBuffer(t *testing.T) {
	long := strings.Repeat("x", 3*chunk+5)
	text := "a\n" + long + "\nb\n" + strings.Repeat("y", chunk) + "\nc"
	got := read(t, strings.NewReader(text), MaxLine)
	if len(got) != 5 || got[1].Data != long || got[4].Data != "c" {
		t.Fatalf("%d lines", len(got))
	}
	for _, l := range got {
		if !strings.HasPrefix(text[l.Offset:], l.Data) {
			t.Errorf("line %d does not stand at %d", l.Number, l.Offset)
		}
	}
	over := read(t, strings.NewReader("a\n"+long+"\nb\n"+long), chunk)
	want := []seen{{1, 0, "a", false}, {2, 2, "", true}, {3, int64(len(long)) + 3, "b", false}, {4, int64(len(long)) + 5, "", true}}
	if d := cmp.Diff(want, over); d != "" {
		t.Error(d)
	}
}

// A made is a file of a beginning and then as many x as it is long, with a newline at its end. What is read of it is
// counted.
type made struct {
	begin string
	size  int64
	pos   int64
	held  *int // the longest buffer that was read into
}

func (m *made) Read(p []byte) (int, error) {
	n, err := m.ReadAt(p, m.pos)
	m.pos += int64(n)
	*m.held = max(*m.held, len(p))
	return n, err
}

func (m *made) ReadAt(p []byte, off int64) (n int, err error) {
	if off >= m.size {
		return 0, io.EOF
	}
	p = p[:min(int64(len(p)), m.size-off)]
	for n < len(p) { // doubling what is there is as fast as it gets
		switch at := off + int64(n); {
		case at < int64(len(m.begin)):
			n += copy(p[n:], m.begin[at:])
		case at == m.size-1:
			p[n] = '\n'
			n++
		default:
			to := min(int64(len(p)), m.size-1-off)
			p[n] = 'x'
			for done := n + 1; int64(done) < to; {
				done += copy(p[done:to], p[n:done])
			}
			n = int(to)
		}
	}
	return n, nil
}

// TestTheLongestLine: a line may be as long as is said, and is held once; a longer one is not held at all.
func TestTheLongestLine(t *testing.T) {
	const before = "a\n"
	for _, c := range []struct {
		name    string
		length  int64
		at      bool // places of it can be read
		tooLong bool
		most    int
	}{
		{"as long as may be", MaxLine, true, false, MaxLine + 2*chunk},
		{"a byte more", MaxLine + 1, true, true, long + chunk},
		{"a byte more, of a pipe", MaxLine + 1, false, true, MaxLine + 2*chunk},
	} {
		held := 0
		file := &made{begin: before, size: int64(len(before)) + c.length + 1, held: &held}
		var r io.Reader = file
		if !c.at {
			r = io.MultiReader(file)
		}
		lines := NewLines(r)
		for n, want := range []Line{{Number: 1, Data: []byte("a")}, {Number: 2, Offset: 2, TooLong: c.tooLong}} {
			line, err := lines.Next()
			if err != nil || line.Number != want.Number || line.Offset != want.Offset || line.TooLong != want.TooLong {
				t.Fatalf("%s: %d, %d, too long %v, %v", c.name, line.Number, line.Offset, line.TooLong, err)
			}
			if n == 1 && !c.tooLong && int64(len(line.Data)) != c.length {
				t.Errorf("%s: %d bytes", c.name, len(line.Data))
			}
		}
		if _, err := lines.Next(); !errors.Is(err, io.EOF) {
			t.Errorf("%s: %v", c.name, err)
		}
		if held > c.most {
			t.Errorf("%s: it held %d bytes", c.name, held)
		}
	}
}

func TestAReadThatFails(t *testing.T) {
	l := NewLines(iotest.TimeoutReader(iotest.OneByteReader(strings.NewReader("a\nb"))))
	if _, err := l.Next(); !errors.Is(err, iotest.ErrTimeout) {
		t.Error(err)
	}
}

// record is what the tests take for one: it has an id, and a type that is not that of a part.
func record(object []byte, edge bool) bool {
	var s jsonscan.Scanner
	s.Reset(object)
	typed, named := false, edge
	s.Object(func(key []byte) {
		typed = typed || string(key) == "type"
		named = named || string(key) == "id"
	})
	return s.Err() == nil && typed && named
}

func TestRecover(t *testing.T) {
	a, b := `{"type":"a","id":1,"text":"first","in":{"type":"part"}}`, `{"type":"b","id":2,"in":[{"type":"part"}]}`
	c := `{"type":"c","id":3}`
	inString := strings.Index(a, "rst")
	between := strings.Index(a, `"text"`)
	half := strings.Index(b, `"in"`)
	for _, c := range []struct {
		name, line string
		want       []string
	}{
		{"nothing", `{"type":"a","id":1,"te`, nil},
		{"not even a beginning", `xyz`, nil},
		{"a newline is missing", a + b, []string{a, b}},
		{"space between", a + "  " + b, []string{a, b}},
		{"the first is cut", a[:inString] + b, []string{b}},
		{"the second is cut", a + b[:20], []string{a}},
		{"one inside a string of the other", a[:inString] + b + a[inString:], []string{a, b}},
		{"one between members of the other", a[:between] + b + a[between:], []string{a, b}},
		{"one inside one inside the other", a[:inString] + b[:half] + c + b[half:] + a[inString:], []string{a, b, c}},
		{"and another behind", a[:inString] + b[:half] + c + b[half:] + b + a[inString:], []string{a, b, c, b}},
		{"around one that is cut", a[:inString] + b[:half] + c + a[inString:], []string{c}},
		{"around zeros", a[:inString] + b[:half] + "\x00\x00" + b[half:] + a[inString:], []string{a, b}},
		{"zeros before", "\x00\x00\x00" + a, []string{a}},
		{"zeros behind", a + "\x00\x00", []string{a}},
		{"zeros between", a + "\x00\x00" + b, []string{a, b}},
		{"zeros inside", a[:inString] + "\x00\x00\x00" + a[inString:], []string{a}},
		{"a part of a record is none", `{"type":"a","id":1,"in":{"type":"part"},`, nil},
		{"three", a + b + a, []string{a, b, a}},
		{"garbage before", "garbage " + a, []string{a}},
		{"another file behind", a + "\ufeff" + b, []string{a, b}},
		{"another file inside", a[:between] + "\ufeff" + b + a[between:], []string{a, b}},
	} {
		t.Run(c.name, func(t *testing.T) {
			var got []string
			for _, p := range Recover([]byte(c.line), record) {
				if p.Joined != nil {
					var parts []byte
					for _, part := range p.Parts {
						parts = append(parts, c.line[part[0]:part[1]]...)
					}
					if !bytes.Equal(parts, p.Joined) {
						t.Errorf("%s does not stand at %d", p.Joined, p.Parts)
					}
					got = append(got, string(p.Joined))
				} else {
					got = append(got, c.line[p.From:p.To])
				}
			}
			if d := cmp.Diff(c.want, got); d != "" {
				t.Error(d)
			}
		})
	}
}

// TestRecoveryIsBounded: what nests deep and never ends is not scanned over and over.
func TestRecoveryIsBounded(t *testing.T) {
	line := []byte(strings.Repeat(`{"a":[`, 100) + `"` + strings.Repeat("x", 1<<20) + `"` + strings.Repeat(`{"b":`, 1<<18))
	scanned := 0
	r := recovery{line: line, record: func(o []byte, _ bool) bool { scanned += len(o); return false }, budget: 16*len(line) + chunk}
	r.run()
	if r.budget > 0 || scanned > 17*len(line) {
		t.Errorf("%d left, %d taken for records, of a line of %d", r.budget, scanned, len(line))
	}
}

// FuzzLines: whatever the file, and however it is read, its lines are those between its newlines.
func FuzzLines(f *testing.F) {
	f.Add([]byte("a\nb\r\n\n\ufeffc\n\x00d"), 3)
	f.Add([]byte("\ufeff{}\n"), 1)
	f.Fuzz(func(t *testing.T, text []byte, step int) {
		var want []string
		for line := range bytes.Lines(text) {
			want = append(want, strings.TrimPrefix(strings.TrimSuffix(string(line), "\n"), "\ufeff"))
		}
		var got []string
		for _, l := range read(t, &stepReader{text, max(1, step%7)}, MaxLine) {
			if !bytes.HasPrefix(text[l.Offset:], []byte(l.Data)) {
				t.Fatalf("line %d does not stand at %d", l.Number, l.Offset)
			}
			got = append(got, l.Data)
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Fatal(d)
		}
	})
}

type stepReader struct {
	rest []byte
	step int
}

func (r *stepReader) Read(p []byte) (int, error) {
	if len(r.rest) == 0 {
		return 0, io.EOF
	}
	n := copy(p, r.rest[:min(r.step, len(r.rest))])
	r.rest = r.rest[n:]
	return n, nil
}

// FuzzRecover: what is given back stands in the line, in order, and is whole.
func FuzzRecover(f *testing.F) {
	f.Add([]byte(`{"type":"a","id":1}{"type":"b","id":2}`))
	f.Add([]byte(`{"type":"a","te{"type":"b","id":2}xt":1,"id":1}`))
	f.Add([]byte("\x00{\"type\":\"a\",\"id\":1}\x00"))
	f.Fuzz(func(t *testing.T, line []byte) {
		at := 0
		for _, p := range Recover(line, record) {
			data := p.Joined
			if data != nil {
				var parts []byte
				for _, part := range p.Parts {
					parts = append(parts, line[part[0]:part[1]]...)
				}
				if !bytes.Equal(parts, data) {
					t.Fatalf("%q does not stand at %d", data, p.Parts)
				}
			} else {
				if p.From < at || p.To > len(line) {
					t.Fatalf("%d–%d after %d", p.From, p.To, at)
				}
				data, at = line[p.From:p.To], p.To
			}
			if !record(data, true) {
				t.Fatalf("%q is no record", data)
			}
		}
	})
}

// BenchmarkLines reads as fast as a file can be read.
func BenchmarkLines(b *testing.B) {
	path := filepath.Join(b.TempDir(), "log")
	text := bytes.Repeat([]byte(strings.Repeat("x", 3000)+strconv.Itoa(1)+"\n"), 10000)
	if err := os.WriteFile(path, text, 0o600); err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		file, err := os.Open(path)
		if err != nil {
			b.Fatal(err)
		}
		for l := NewLines(file); ; {
			if _, err := l.Next(); err != nil {
				break
			}
		}
		if err := file.Close(); err != nil {
			b.Fatal(err)
		}
	}
}

// TestReset: another file is read as if it were the first.
func TestReset(t *testing.T) {
	l := NewLines(strings.NewReader("a\nlonger\n" + strings.Repeat("x", 3*chunk)))
	if _, err := l.Next(); err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{"\ufeffb\nc", "d\n" + strings.Repeat("y", 2*chunk), ""} {
		l.Reset(strings.NewReader(text))
		fresh := NewLines(strings.NewReader(text))
		for {
			want, failed := fresh.Next()
			got, err := l.Next()
			if got.Number != want.Number || got.Offset != want.Offset || !bytes.Equal(got.Data, want.Data) || !errors.Is(err, failed) {
				t.Fatalf("line %d at %d, want %d at %d (%v, %v)", got.Number, got.Offset, want.Number, want.Offset, err, failed)
			}
			if err != nil {
				break
			}
		}
	}
}
