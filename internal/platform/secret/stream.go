// SPDX-License-Identifier: Apache-2.0

package secret

import (
	"bytes"
	"errors"
	"io"
)

// window is how much of a stream is looked at in one go, in bytes. A secret's length comes on top.
const window = 32 << 10

// Reader hides known secrets in what r holds, also one that r gives in parts. It keeps a window of r in memory.
func (k *Known) Reader(r io.Reader) io.Reader { return &stream{known: k, r: r} }

type stream struct {
	known *Known
	r     io.Reader
	err   error  // with which r ended
	raw   []byte // read and not looked at
	out   []byte // to be read
}

func (s *stream) Read(p []byte) (int, error) {
	for len(s.out) == 0 {
		if s.err != nil && len(s.raw) == 0 {
			return 0, s.err
		}
		s.fill()
	}
	n := copy(p, s.out)
	s.out = s.out[n:]
	return n, nil
}

// fill reads on, and hands out what no secret can reach into any more.
func (s *stream) fill() {
	forms := s.known.all()
	longest := longest(forms)
	for s.err == nil && len(s.raw) < longest+window {
		room := make([]byte, longest+window-len(s.raw))
		var n int
		n, s.err = s.r.Read(room)
		s.raw = append(s.raw, room[:n]...)
		if n > 0 && len(s.raw) >= longest {
			break // what comes slowly is not waited for
		}
	}
	done := len(s.raw) // from where a secret may still be on its way
	if s.err == nil {
		done = max(0, len(s.raw)-longest+1)
	}
	s.out = nil
	for {
		at, form := first(s.raw, forms)
		if form == nil || at >= done {
			break
		}
		s.out = append(append(s.out, s.raw[:at]...), shown...)
		s.raw = s.raw[at+len(form):]
		done = max(0, done-at-len(form))
	}
	s.out = append(s.out, s.raw[:done]...)
	s.raw = s.raw[done:]
}

// first finds the first secret in b, and where two begin there the longer one.
func first(b []byte, forms [][]byte) (at int, form []byte) {
	for _, f := range forms {
		if i := bytes.Index(b, f); i >= 0 && (form == nil || i < at) {
			at, form = i, f
			b = b[:min(len(b), i+len(f)+len(forms[0]))] // a later one is of no interest
		}
	}
	return at, form
}

// longest is the length of the longest form; they come longest first.
func longest(forms [][]byte) int {
	if len(forms) == 0 {
		return 1
	}
	return len(forms[0])
}

// Guard reads r until a known secret is in it: then it ends with err before it hands out the secret's end. It keeps no
// more of r than a secret is long.
func (k *Known) Guard(r io.Reader, err error) io.Reader { return &guard{known: k, r: r, told: err} }

type guard struct {
	known *Known
	r     io.Reader
	told  error
	err   error
	tail  []byte // the end of what was handed out
}

func (g *guard) Read(p []byte) (int, error) {
	if g.err != nil {
		return 0, g.err
	}
	n, err := g.r.Read(p)
	forms := g.known.all()
	keep := longest(forms) - 1
	// Only what is new, and what of the old a secret may have begun in, is looked at.
	seam := append(g.tail, p[:min(n, keep)]...)
	if _, found := first(seam, forms); found != nil {
		g.err = g.told
		return 0, g.err
	}
	if _, found := first(p[:n], forms); found != nil {
		g.err = g.told
		return 0, g.err
	}
	if n >= keep {
		g.tail = append(g.tail[:0], p[n-keep:n]...)
	} else {
		g.tail = append(g.tail[:0], seam[max(0, len(seam)-keep):]...)
	}
	g.err = err
	return n, err
}

// Holds tells whether r holds a known secret. It reads r to its end.
func (k *Known) Holds(r io.Reader) (bool, error) {
	found := errors.New("a secret")
	_, err := io.Copy(io.Discard, k.Guard(r, found))
	if errors.Is(err, found) {
		return true, nil
	}
	return false, err
}
