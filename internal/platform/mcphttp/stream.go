// SPDX-License-Identifier: Apache-2.0

package mcphttp

import "sync"

const (
	// maxBehind is how many bytes of a call's lines wait for a client that does not read them.
	maxBehind = 8 << 20
	// maxAside is how many bytes wait that belong to no call.
	maxAside = 1 << 20
)

// stream is the lines on their way to one HTTP answer. Putting one in never waits.
type stream struct {
	mu      sync.Mutex
	lines   [][]byte
	bytes   int
	most    int
	lossy   bool          // over most, the oldest lines go; else the stream ends
	ended   bool          // nothing comes after the lines that are there
	readers int           // how many there have been; only the last one takes
	news    chan struct{} // closed, and made anew, at each change
}

func newStream(most int, lossy bool) *stream {
	return &stream{most: most, lossy: lossy, news: make(chan struct{})}
}

// put adds a line. It reports whether all lines have found room; a stream that has ended takes any, and drops it.
func (s *stream) put(line []byte) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.add(line)
}

// putLast is put and end in one, so that no reader sees the last line without knowing that it is.
func (s *stream) putLast(line []byte) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	room := s.add(line)
	s.ended = true
	return room
}

// add is put. s.mu is held.
func (s *stream) add(line []byte) bool {
	if s.ended {
		return true
	}
	s.lines, s.bytes = append(s.lines, line), s.bytes+len(line)
	room := s.bytes <= s.most
	if !room && !s.lossy {
		s.lines, s.bytes, s.ended = nil, 0, true
	}
	for s.bytes > s.most {
		s.bytes -= len(s.lines[0])
		s.lines = s.lines[1:]
	}
	s.changed()
	return room
}

// end lets the readers go once they have the lines that are there.
func (s *stream) end() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.ended {
		s.ended = true
		s.changed()
	}
}

// drop ends the stream without a reader.
func (s *stream) drop() {
	s.end()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.lines, s.bytes = nil, 0
}

// read makes the caller the reader, and the one before it none.
func (s *stream) read() (reader int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.readers++
	s.changed()
	return s.readers
}

// take hands the lines that are there to the reader. When news is nil none will follow; else it is closed when it is worth
// taking again.
func (s *stream) take(reader int) (lines [][]byte, news <-chan struct{}) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if reader != s.readers {
		return nil, nil
	}
	lines, s.lines, s.bytes = s.lines, nil, 0
	if s.ended {
		return lines, nil
	}
	return lines, s.news
}

func (s *stream) changed() {
	close(s.news)
	s.news = make(chan struct{})
}
