// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/fiftyarms/platform/internal/sse"
)

// An audience is many open streams, each on one board.
type audience struct {
	streams []*stream
	readers sync.WaitGroup
}

// A stream counts the events of its board.
type stream struct {
	wire  *wire
	board int
	due   *atomic.Int64 // how many events the board will have had at the end; 0 is not known yet
	count int64
	last  int64
	ended error         // why it ended, once whole or over is closed
	whole chan struct{} // closed when all due events are there
	over  chan struct{} // closed when it ended
}

// listen opens streams on boards in turn, after a cursor of the log. Each key opens as many as one may have.
func listen(url string, keys []string, boards []*board, streams int, after string) (*audience, error) {
	a := &audience{}
	perKey := (streams + len(keys) - 1) / len(keys)
	for i := range streams {
		b := i % len(boards)
		w, err := dial(url)
		if err != nil {
			return a, err
		}
		s := &stream{wire: w, board: b, due: &boards[b].due, whole: make(chan struct{}), over: make(chan struct{})}
		a.streams = append(a.streams, s)
		request := fmt.Sprintf("GET /api/stream?topics=board:%d&after=%s HTTP/1.1\r\nHost: bench\r\nAuthorization: Bearer %s\r\n\r\n", boards[b].ref, after, keys[i/perKey])
		if _, err := io.WriteString(w.conn, request); err != nil {
			return a, err
		}
		response, err := http.ReadResponse(bufio.NewReader(w.conn), nil)
		if err != nil {
			return a, err
		}
		if response.StatusCode != http.StatusOK {
			body, _ := io.ReadAll(io.LimitReader(response.Body, 500))
			return a, fmt.Errorf("stream %d: answered %s: %s", i+1, response.Status, body)
		}
		a.readers.Go(func() { s.read(response.Body) })
	}
	return a, nil
}

func (s *stream) read(body io.Reader) {
	defer close(s.over)
	r := sse.NewReader(body)
	for {
		f, err := r.Next()
		if err != nil {
			s.ended = err
			return
		}
		id, err := strconv.ParseInt(f.ID, 10, 64)
		if err != nil || id <= s.last {
			s.ended = fmt.Errorf("frame %q with the id %q came after event %d", f.Event, f.ID, s.last)
			return
		}
		s.last = id
		if s.count++; s.count == s.due.Load() {
			close(s.whole)
		}
	}
}

// whole counts the streams that have had every event that was due, each once and in order, and says what is wrong with
// another.
func (a *audience) whole() (n int, wrong error) {
	limit := time.After(patience)
	last := map[int]int64{}
	for _, s := range a.streams {
		select {
		case <-s.whole:
			if last[s.board] == 0 {
				last[s.board] = s.last
			}
			if last[s.board] == s.last {
				n++
				continue
			}
			wrong = fmt.Errorf("two streams on board %d end with the events %d and %d", s.board+1, last[s.board], s.last)
		case <-s.over:
			wrong = fmt.Errorf("a stream on board %d ended: %w", s.board+1, s.ended)
		case <-limit:
			return n, errors.New("a stream has not had all of its events in time")
		}
	}
	return n, wrong
}

// leave closes the streams.
func (a *audience) leave() {
	for _, s := range a.streams {
		_ = s.wire.conn.Close()
	}
	a.readers.Wait()
}
