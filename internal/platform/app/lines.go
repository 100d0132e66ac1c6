// SPDX-License-Identifier: Apache-2.0

package app

import (
	"bytes"
	"fmt"
	"io"
	"sync/atomic"
	"time"
)

const (
	// keptLines is how many lines wait for a reader of stderr; one more is dropped.
	keptLines = 256
	// lastLines is how long the end waits for the lines that are left.
	lastLines = 200 * time.Millisecond
)

// lines hands lines on to a writer that may block, as stderr does when its pipe is full and nobody reads. Its own Write
// never blocks: what finds no room is dropped and counted, and the count is told when there is a reader again.
type lines struct {
	out     io.Writer
	queue   chan []byte
	dropped atomic.Int64
	ended   chan struct{}
}

// startLines makes a lines, which the caller closes when nobody writes to it any more.
func startLines(out io.Writer) *lines {
	l := &lines{out: out, queue: make(chan []byte, keptLines), ended: make(chan struct{})}
	go l.run()
	return l
}

func (l *lines) Write(p []byte) (int, error) {
	select {
	case l.queue <- bytes.Clone(p):
	default:
		l.dropped.Add(1)
	}
	return len(p), nil
}

func (l *lines) run() {
	defer close(l.ended)
	for line := range l.queue {
		// An error has nobody to be told to.
		_, _ = l.out.Write(line)
		if n := l.dropped.Swap(0); n > 0 {
			_, _ = fmt.Fprintf(l.out, "level=WARN msg=\"lines were dropped, since nobody read them\" lines=%d\n", n)
		}
	}
}

// close writes what is left, for a short while. A Write that still blocks then is left to the process's end.
func (l *lines) close() {
	close(l.queue)
	select {
	case <-l.ended:
	case <-time.After(lastLines):
	}
}
