// SPDX-License-Identifier: Apache-2.0

package pi

import (
	"github.com/fiftyarms/platform/internal/jsonscan"
	"github.com/fiftyarms/platform/internal/transcript"
)

type text = jsonscan.Range

// A record is what is read of one line. It holds places in the line, and is used again for the next.
type record struct {
	kind, id, parent   []byte
	timestamp, cwd     []byte
	model, harness     []byte // model: of a header or a change; harness: another tool's header has one
	name               text   // that the session was given
	hasParent, hasName bool   // the parent may be null
	tokens             transcript.Tokens
	hasTokens          bool // a compaction paid for its summary
	message            message
}

type message struct {
	role, model, call []byte
	at                int64 // milliseconds, 0 if there are none
	isError           bool
	content           text // if it is one string
	hasContent        bool
	blocks            []block
	patch             text // that an edit's result carries
	hasPatch          bool
	tokens            transcript.Tokens
	hasTokens         bool
}

// A block is a part of a message.
type block struct {
	kind, id, name []byte
	body           text // text or thought
	input          text
	encoded        bool // input is a string that holds the object
	path           string
	old, new       text
	replaces       bool
}

func (r *record) reset() {
	blocks := r.message.blocks[:0]
	*r = record{}
	r.message.blocks = blocks
}

// scan reads a line. An error says that it is no JSON object.
func (r *record) scan(s *jsonscan.Scanner, line []byte) error {
	r.reset()
	s.Reset(line)
	s.Object(func(key []byte) { r.member(s, key) })
	s.End()
	return s.Err()
}

func (r *record) member(s *jsonscan.Scanner, key []byte) {
	switch string(key) {
	case "type":
		r.kind = s.Word()
	case "id":
		r.id = s.Word()
	case "parentId":
		r.parent, r.hasParent = s.Word(), true
	case "timestamp":
		r.timestamp = s.Word()
	case "cwd":
		r.cwd = s.Word()
	case "modelId":
		r.model = s.Word()
	case "harness":
		r.harness = s.Word()
	case "name":
		r.name, r.hasName = s.Text()
	case "usage":
		r.tokens, r.hasTokens = scanUsage(s)
	case "message":
		r.message.scan(s)
	}
}

func (m *message) scan(s *jsonscan.Scanner) {
	m.blocks = m.blocks[:0]
	if s.Kind() != '{' {
		return
	}
	s.Object(func(key []byte) {
		switch string(key) {
		case "role":
			m.role = s.Word()
		case "model":
			m.model = s.Word()
		case "toolCallId":
			m.call = s.Word()
		case "timestamp":
			m.at = s.Int()
		case "isError":
			m.isError = s.True()
		case "usage":
			m.tokens, m.hasTokens = scanUsage(s)
		case "details":
			m.scanDetails(s)
		case "content":
			switch s.Kind() {
			case '"':
				m.content, m.hasContent = s.Text()
			case '[':
				s.Array(func() { m.scanBlock(s) })
			}
		}
	})
}

func scanUsage(s *jsonscan.Scanner) (t transcript.Tokens, has bool) {
	if s.Kind() != '{' {
		return t, false
	}
	s.Object(func(key []byte) {
		switch string(key) {
		case "input":
			t.Input = s.Int()
		case "output":
			t.Output = s.Int()
		case "cacheRead":
			t.CacheRead = s.Int()
		case "cacheWrite":
			t.CacheCreation = s.Int()
		case "cacheWrite1h":
			t.CacheCreation1h = s.Int()
		}
	})
	t.CacheCreation1h = min(t.CacheCreation1h, t.CacheCreation) // it is a part of cacheWrite
	return t, true
}

// scanDetails looks for what an edit's result says of the change: newer versions have a patch beside what they show.
func (m *message) scanDetails(s *jsonscan.Scanner) {
	if s.Kind() != '{' {
		return
	}
	var diff text
	var shown bool
	s.Object(func(key []byte) {
		switch string(key) {
		case "patch":
			m.patch, m.hasPatch = s.Text()
		case "diff":
			diff, shown = s.Text()
		}
	})
	if shown && (!m.hasPatch || m.patch.Len() == 0) {
		m.patch, m.hasPatch = diff, true
	}
}

func (m *message) scanBlock(s *jsonscan.Scanner) {
	switch s.Kind() {
	case '"':
		if at, ok := s.Text(); ok {
			m.blocks = append(m.blocks, block{kind: []byte("text"), body: at})
		}
		return
	case '{':
	default:
		return
	}
	var b block
	s.Object(func(key []byte) {
		switch string(key) {
		case "type":
			b.kind = s.Word()
		case "id":
			b.id = s.Word()
		case "name":
			b.name = s.Word()
		case "text", "thinking":
			b.body, _ = s.Text()
		case "arguments":
			b.scanInput(s)
		}
	})
	m.blocks = append(m.blocks, b)
}

func (b *block) scanInput(s *jsonscan.Scanner) {
	switch s.Kind() {
	case '"':
		b.input, b.encoded = s.Text()
		return
	case '{':
	default:
		return
	}
	from := s.Pos()
	s.Object(func(key []byte) {
		switch string(key) {
		case "path":
			if at, ok := s.Text(); ok {
				b.path = jsonscan.DecodeString(s.Bytes(at))
			}
		case "file_path": // of old versions
			if at, ok := s.Text(); ok && b.path == "" {
				b.path = jsonscan.DecodeString(s.Bytes(at))
			}
		case "edits":
			if s.Kind() != '[' {
				return
			}
			first := true
			s.Array(func() {
				if first && s.Kind() == '{' {
					s.Object(func(key []byte) { b.replace(s, key) })
				}
				first = false
			})
		default:
			b.replace(s, key)
		}
	})
	b.input = text{From: from, To: s.Pos()}
}

func (b *block) replace(s *jsonscan.Scanner, key []byte) {
	switch string(key) {
	case "oldText":
		b.old, b.replaces = s.Text()
	case "newText":
		b.new, _ = s.Text()
	}
}
