// SPDX-License-Identifier: Apache-2.0

package gemini

import (
	"github.com/fiftyarms/platform/internal/jsonscan"
	"github.com/fiftyarms/platform/internal/transcript"
)

type text = jsonscan.Range

// A record is what is read of one line, of one message, or of a whole document. It holds places in what was scanned, and
// is used again for the next.
type record struct {
	id, kind, timestamp, model []byte
	session, project, started  []byte // of a header
	summary                    text
	hasSummary                 bool
	rewind                     []byte
	set                        bool   // it has `$set`, whose members stand here as if they were its own
	messages                   []text // that a header, `$set` or a document holds
	hasContent                 bool
	parts                      []part // of content and displayContent
	content, display           [2]int // in parts
	thoughts                   []thought
	calls                      []call
	results                    []part // of all calls
	tokens                     transcript.Tokens
	hasTokens                  bool
}

type thought struct {
	at                   []byte
	subject, description text
}

// A call is a use of a tool, with what came of it.
type call struct {
	id, name, status, at, agent []byte
	input                       text
	in                          transcript.Input
	hasResult                   bool
	from, to                    int  // in record.results
	shown                       text // what the person saw of the result
	patch                       text
	hasShown, hasPatch          bool
}

func (r *record) reset() {
	*r = record{messages: r.messages[:0], parts: r.parts[:0], thoughts: r.thoughts[:0], calls: r.calls[:0], results: r.results[:0]}
}

// scan reads an object. An error says that it is no JSON object; what stands before the error is there all the same.
func (r *record) scan(s *jsonscan.Scanner, data []byte) error {
	r.reset()
	s.Reset(data)
	s.Object(func(key []byte) { r.member(s, key) })
	s.End()
	return s.Err()
}

func (r *record) member(s *jsonscan.Scanner, key []byte) {
	switch string(key) {
	case "id":
		r.id = s.Word()
	case "type":
		r.kind = s.Word()
	case "timestamp":
		r.timestamp = s.Word()
	case "model":
		r.model = s.Word()
	case "$rewindTo":
		r.rewind = s.Word()
	case "$set":
		if r.set || s.Kind() != '{' {
			return
		}
		r.set = true
		s.Object(func(key []byte) { r.member(s, key) })
	case "sessionId":
		r.session = s.Word()
	case "projectHash":
		r.project = s.Word()
	case "startTime":
		r.started = s.Word()
	case "summary":
		r.summary, r.hasSummary = s.Text()
	case "messages":
		if s.Kind() != '[' {
			return
		}
		s.Array(func() {
			if at := s.Value(); s.Err() == nil {
				r.messages = append(r.messages, at)
			}
		})
	case "content":
		r.hasContent = true
		from := len(r.parts)
		r.parts = scanParts(s, r.parts)
		r.content = [2]int{from, len(r.parts)}
	case "displayContent":
		from := len(r.parts)
		r.parts = scanParts(s, r.parts)
		r.display = [2]int{from, len(r.parts)}
	case "thoughts":
		if s.Kind() == '[' {
			s.Array(func() { r.scanThought(s) })
		}
	case "toolCalls":
		if s.Kind() == '[' {
			s.Array(func() { r.scanCall(s) })
		}
	case "tokens":
		r.scanTokens(s)
	}
}

// scanTokens splits what was sent into what was new and what was cached. Thoughts are paid for as output; what tools
// sent, as input.
func (r *record) scanTokens(s *jsonscan.Scanner) {
	if s.Kind() != '{' {
		return
	}
	var input, output, cached, thoughts, tool int64
	s.Object(func(key []byte) {
		switch string(key) {
		case "input":
			input = s.Int()
		case "output":
			output = s.Int()
		case "cached":
			cached = s.Int()
		case "thoughts":
			thoughts = s.Int()
		case "tool":
			tool = s.Int()
		}
	})
	r.tokens = transcript.Tokens{Input: max(input-cached, 0) + tool, Output: output + thoughts, CacheRead: cached}
	r.hasTokens = true
}

func (r *record) scanThought(s *jsonscan.Scanner) {
	if s.Kind() != '{' {
		return
	}
	var t thought
	s.Object(func(key []byte) {
		switch string(key) {
		case "subject":
			t.subject, _ = s.Text()
		case "description":
			t.description, _ = s.Text()
		case "timestamp":
			t.at = s.Word()
		}
	})
	r.thoughts = append(r.thoughts, t)
}

func (r *record) scanCall(s *jsonscan.Scanner) {
	if s.Kind() != '{' {
		return
	}
	c := call{from: len(r.results), to: len(r.results)}
	s.Object(func(key []byte) {
		switch string(key) {
		case "id":
			c.id = s.Word()
		case "name":
			c.name = s.Word()
		case "status":
			c.status = s.Word()
		case "timestamp":
			c.at = s.Word()
		case "agentId":
			c.agent = s.Word()
		case "args":
			c.input, c.in = scanArgs(s)
		case "result":
			if s.Kind() == 'n' {
				return
			}
			c.hasResult, c.from = true, len(r.results)
			r.results = scanParts(s, r.results)
			c.to = len(r.results)
		case "resultDisplay":
			c.scanShown(s)
		}
	})
	r.calls = append(r.calls, c)
}

func scanArgs(s *jsonscan.Scanner) (at text, in transcript.Input) {
	if s.Kind() != '{' {
		return at, in
	}
	from := s.Pos()
	in = transcript.ScanInput(s)
	return text{From: from, To: s.Pos()}, in
}

func (c *call) scanShown(s *jsonscan.Scanner) {
	switch s.Kind() {
	case '"':
		c.shown, c.hasShown = s.Text()
	case '{':
		s.Object(func(key []byte) {
			if string(key) == "fileDiff" {
				c.patch, c.hasPatch = s.Text()
			}
		})
	}
}
