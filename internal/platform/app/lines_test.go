// SPDX-License-Identifier: Apache-2.0

package app

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
)

// gate is a writer that blocks until it is opened.
type gate struct {
	entered, open chan struct{}
	b             bytes.Buffer
}

func newGate() *gate { return &gate{entered: make(chan struct{}, 1), open: make(chan struct{})} }

func (g *gate) Write(p []byte) (int, error) {
	select {
	case g.entered <- struct{}{}:
	default:
	}
	<-g.open
	return g.b.Write(p)
}

// TestLines: nobody who writes waits, what is kept comes in order, and what is lost is counted.
func TestLines(t *testing.T) {
	g := newGate()
	l := startLines(g)
	const all = 2000
	for i := range all {
		line := fmt.Appendf(nil, "%d\n", i)
		if n, err := l.Write(line); n != len(line) || err != nil {
			t.Fatal(n, err)
		}
		copy(line, "XXXX") // a writer keeps no hold of what it was given
		if i == 0 {
			<-g.entered
		}
	}
	close(g.open)
	l.close()
	<-l.ended
	kept, lost := 0, 0
	for line := range strings.Lines(g.b.String()) {
		if _, count, ok := strings.Cut(line, "lines="); ok {
			if _, err := fmt.Sscan(count, &lost); err != nil {
				t.Error(err)
			}
			continue
		}
		if want := fmt.Sprintf("%d\n", kept); line != want {
			t.Fatalf("%q, want %q", line, want)
		}
		kept++
	}
	if kept != 1+keptLines || lost != all-kept {
		t.Errorf("kept %d, lost %d of %d", kept, lost, all)
	}
}

// TestLinesEnd: a reader that never comes does not hold up the end.
func TestLinesEnd(t *testing.T) {
	g := newGate()
	l := startLines(g)
	_, _ = l.Write([]byte("x\n"))
	l.close()
	close(g.open)
	<-l.ended
}
