// SPDX-License-Identifier: Apache-2.0

package secret_test

import (
	"bytes"
	"errors"
	"io"
	"math/rand/v2"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/fiftyarms/platform/internal/platform/secret"
)

// TestReader: a secret is hidden wherever the parts of a stream end.
func TestReader(t *testing.T) {
	short, long := "50a_"+strings.Repeat("k", 12), "50a_"+strings.Repeat("k", 12)+"-longer"
	var known secret.Known
	known.Add(secret.New(short))
	known.Add(secret.New(long))
	random := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		var text, want strings.Builder
		for range random.IntN(6) {
			filler := strings.Repeat("x", random.IntN(40_000))
			found := []string{short, long, "50a_kkk"}[random.IntN(3)]
			text.WriteString(filler + found)
			if want.WriteString(filler); found == "50a_kkk" {
				want.WriteString(found)
			} else {
				want.WriteString("[secret]")
			}
		}
		for name, parts := range map[string]io.Reader{
			"whole": strings.NewReader(text.String()), "halves": iotest.HalfReader(strings.NewReader(text.String())),
			"end with data": iotest.DataErrReader(strings.NewReader(text.String())),
		} {
			got, err := io.ReadAll(known.Reader(parts))
			if err != nil || string(got) != want.String() {
				t.Fatalf("%s: %d bytes, want %d, %v", name, len(got), want.Len(), err)
			}
		}
	}
	if got, err := io.ReadAll(known.Reader(iotest.OneByteReader(strings.NewReader("a" + long + "b" + short)))); err != nil || string(got) != "a[secret]b[secret]" {
		t.Errorf("%q, %v", got, err)
	}
	broken := errors.New("broken")
	got, err := io.ReadAll(known.Reader(io.MultiReader(strings.NewReader("begin"), iotest.ErrReader(broken))))
	if string(got) != "begin" || !errors.Is(err, broken) {
		t.Errorf("%q, %v", got, err)
	}
	var none *secret.Known
	if got, err := io.ReadAll(none.Reader(strings.NewReader(short))); err != nil || string(got) != short {
		t.Errorf("%q, %v", got, err)
	}
}

// TestReaderDoesNotWait: what has come is handed on, but for what may be a secret's beginning.
func TestReaderDoesNotWait(t *testing.T) {
	var known secret.Known
	known.Add(secret.New("50a_" + strings.Repeat("k", 12)))
	r, w := io.Pipe()
	go func() { _, _ = w.Write(bytes.Repeat([]byte("x"), 100)) }()
	buf := make([]byte, 1000)
	if n, err := known.Reader(r).Read(buf); err != nil || n < 80 {
		t.Error(n, err)
	}
}

func TestGuard(t *testing.T) {
	key := "50a_" + strings.Repeat("k", 30)
	var known secret.Known
	known.Add(secret.New(key))
	told := errors.New("told")
	for _, at := range []int{0, 1, 100, 32<<10 - 20, 64 << 10} {
		for _, wrap := range []func(io.Reader) io.Reader{func(r io.Reader) io.Reader { return r }, iotest.OneByteReader, iotest.HalfReader, iotest.DataErrReader} {
			got, err := io.ReadAll(known.Guard(wrap(strings.NewReader(strings.Repeat("x", at)+key+"y")), told))
			if !errors.Is(err, told) || strings.Contains(string(got), key) {
				t.Errorf("at %d: %d bytes, %v", at, len(got), err)
			}
			clean := strings.Repeat("x", at) + key[1:] + "y"
			if got, err := io.ReadAll(known.Guard(wrap(strings.NewReader(clean)), told)); err != nil || string(got) != clean {
				t.Errorf("clean at %d: %d bytes, %v", at, len(got), err)
			}
		}
	}
	if found, err := known.Holds(strings.NewReader("a" + key)); !found || err != nil {
		t.Error(found, err)
	}
	if found, err := known.Holds(strings.NewReader("a")); found || err != nil {
		t.Error(found, err)
	}
}

func BenchmarkReader(b *testing.B) {
	var known secret.Known
	known.Add(secret.New("50a_" + strings.Repeat("k", 30)))
	text := bytes.Repeat([]byte("50 arms, and what they hold. "), 40_000)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		if _, err := io.Copy(io.Discard, known.Reader(bytes.NewReader(text))); err != nil {
			b.Fatal(err)
		}
	}
}
