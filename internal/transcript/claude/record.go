// SPDX-License-Identifier: Apache-2.0

package claude

import (
	"github.com/fiftyarms/platform/internal/jsonscan"
	"github.com/fiftyarms/platform/internal/transcript"
)

type text = jsonscan.Range

// A record is what is read of one line. It holds places in the line, and is used again for the next.
type record struct {
	kind, operation                       []byte
	uuid, parent, logical                 []byte
	timestamp, session, cwd, version      []byte
	branch, agent, request, leaf, toolUse []byte
	sidechain, meta, summary, logOnly     bool
	hasParent                             bool   // though it may be none
	id                                    uint64 // hash of uuid
	origin                                []byte
	title                                 text // of a record that names the session
	content                               text // of a record that has no message
	hasContent                            bool
	message                               message
	result                                useResult
	attachment                            attachment
	progress                              []byte  // what a progress record tells of
	nested                                *record // the sub-agent's record that it holds, which is used again too
	billed                                map[string]transcript.Tokens
}

type message struct {
	id, model  []byte
	content    text // if it is one string
	hasContent bool
	blocks     []block
	parts      []text // of all blocks
	tokens     transcript.Tokens
	hasTokens  bool
}

// A block is a part of a message.
type block struct {
	kind, id, name []byte
	call           []byte // the tool_use that a result answers
	body           text   // text or thought
	hasBody        bool
	input          text
	encoded        bool // input is a text, which may hold an object
	wrapped        bool // input is neither that nor an object
	in             transcript.Input
	isError        bool
	from, to       int // in message.parts: what a result says
	images         int32
}

// A useResult is what the client keeps of a result beside what the model was told.
type useResult struct {
	agent  []byte // or the command that goes on in the background
	hunks  text
	staged bool
	failed bool // it is no more than the words of an error
}

type attachment struct {
	kind, mode []byte
	parts      []text
	images     int32
}

func (r *record) reset() {
	message, parts, nested := r.message, r.attachment.parts, r.nested
	*r = record{nested: nested}
	r.message.blocks, r.message.parts = message.blocks[:0], message.parts[:0]
	r.attachment.parts = parts[:0]
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
	case "operation":
		r.operation = s.Word()
	case "uuid":
		r.uuid = s.Word()
	case "parentUuid":
		r.parent, r.hasParent = s.Word(), true
	case "logicalParentUuid":
		r.logical = s.Word()
	case "timestamp":
		r.timestamp = s.Word()
	case "sessionId":
		r.session = s.Word()
	case "cwd":
		r.cwd = s.Word()
	case "version":
		r.version = s.Word()
	case "gitBranch":
		r.branch = s.Word()
	case "agentId":
		r.agent = s.Word()
	case "requestId":
		r.request = s.Word()
	case "leafUuid":
		r.leaf = s.Word()
	case "parentToolUseID":
		r.toolUse = s.Word()
	case "isSidechain":
		r.sidechain = s.True()
	case "isMeta":
		r.meta = s.True()
	case "isCompactSummary":
		r.summary = s.True()
	case "isVisibleInTranscriptOnly":
		r.logOnly = s.True()
	case "summary", "aiTitle", "customTitle":
		r.title, _ = s.Text()
	case "content":
		r.content, r.hasContent = s.Text()
	case "origin":
		if s.Kind() == '{' {
			s.Object(func(key []byte) {
				if string(key) == "kind" {
					r.origin = s.Word()
				}
			})
		}
	case "message":
		r.message.scan(s)
	case "toolUseResult":
		r.result.scan(s)
	case "attachment":
		r.attachment.scan(s)
	case "data":
		r.scanProgress(s)
	case "modelUsage":
		r.scanBilled(s)
	}
}

func (m *message) scan(s *jsonscan.Scanner) {
	m.blocks, m.parts = m.blocks[:0], m.parts[:0]
	if s.Kind() != '{' {
		return
	}
	s.Object(func(key []byte) {
		switch string(key) {
		case "id":
			m.id = s.Word()
		case "model":
			m.model = s.Word()
		case "usage":
			m.scanUsage(s)
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

func (m *message) scanUsage(s *jsonscan.Scanner) {
	if s.Kind() != '{' {
		return
	}
	m.tokens, m.hasTokens = transcript.Tokens{}, true
	s.Object(func(key []byte) {
		switch string(key) {
		case "input_tokens":
			m.tokens.Input = s.Int()
		case "output_tokens":
			m.tokens.Output = s.Int()
		case "cache_read_input_tokens":
			m.tokens.CacheRead = s.Int()
		case "cache_creation_input_tokens":
			m.tokens.CacheCreation = s.Int()
		case "cache_creation":
			if s.Kind() != '{' {
				return
			}
			s.Object(func(key []byte) {
				switch string(key) {
				case "ephemeral_5m_input_tokens":
					m.tokens.CacheCreation5m = s.Int()
				case "ephemeral_1h_input_tokens":
					m.tokens.CacheCreation1h = s.Int()
				}
			})
		}
	})
}

func (m *message) scanBlock(s *jsonscan.Scanner) {
	if s.Kind() != '{' {
		return
	}
	b := block{from: len(m.parts)}
	s.Object(func(key []byte) {
		switch string(key) {
		case "type":
			b.kind = s.Word()
		case "id":
			b.id = s.Word()
		case "name":
			b.name = s.Word()
		case "tool_use_id":
			b.call = s.Word()
		case "is_error":
			b.isError = s.True()
		case "text", "thinking":
			b.body, b.hasBody = s.Text()
		case "input":
			b.scanInput(s)
		case "content":
			m.parts, b.images = scanParts(s, m.parts)
		}
	})
	b.to = len(m.parts)
	m.blocks = append(m.blocks, b)
}

// scanParts adds the texts of a result, or of a prompt in blocks. Images are counted.
func scanParts(s *jsonscan.Scanner, parts []text) ([]text, int32) {
	images := int32(0)
	switch s.Kind() {
	case '"':
		if at, ok := s.Text(); ok {
			parts = append(parts, at)
		}
	case '[':
		s.Array(func() {
			switch s.Kind() {
			case '"':
				if at, ok := s.Text(); ok {
					parts = append(parts, at)
				}
			case '{':
				var kind []byte
				var body text
				var has bool
				s.Object(func(key []byte) {
					switch string(key) {
					case "type":
						kind = s.Word()
					case "text":
						body, has = s.Text()
					}
				})
				switch {
				case string(kind) == "image":
					images++
				case has:
					parts = append(parts, body)
				}
			}
		})
	}
	return parts, images
}

func (b *block) scanInput(s *jsonscan.Scanner) {
	switch s.Kind() {
	case '{':
	case '"':
		b.input, b.encoded = s.Text()
		return
	case 'n':
		return
	default:
		b.input = s.Value()
		b.wrapped = b.input.Len() > 0
		return
	}
	from := s.Pos()
	b.in = transcript.ScanInput(s)
	b.input = text{From: from, To: s.Pos()}
}

func (u *useResult) scan(s *jsonscan.Scanner) {
	if s.Kind() == '"' {
		at, _ := s.Text()
		u.failed = begins(s.Bytes(at), "Error")
		return
	}
	if s.Kind() != '{' {
		return
	}
	s.Object(func(key []byte) {
		switch string(key) {
		case "agentId", "backgroundTaskId":
			u.agent = s.Word()
		case "staged":
			u.staged = s.True()
		case "structuredPatch":
			if s.Kind() == '[' {
				u.hunks = s.Value()
			}
		}
	})
}

func (a *attachment) scan(s *jsonscan.Scanner) {
	if s.Kind() != '{' {
		return
	}
	s.Object(func(key []byte) {
		switch string(key) {
		case "type":
			a.kind = s.Word()
		case "commandMode":
			a.mode = s.Word()
		case "prompt":
			a.parts, a.images = scanParts(s, a.parts[:0])
		}
	})
}

func (r *record) scanProgress(s *jsonscan.Scanner) {
	if s.Kind() != '{' {
		return
	}
	if r.nested == nil {
		r.nested = &record{}
	}
	r.nested.reset()
	s.Object(func(key []byte) {
		switch string(key) {
		case "type":
			r.progress = s.Word()
		case "agentId":
			if id := s.Word(); r.agent == nil {
				r.agent = id
			}
		case "message":
			if s.Kind() == '{' {
				s.Object(func(key []byte) {
					if string(key) != "data" { // it holds no other
						r.nested.member(s, key)
					}
				})
			}
		}
	})
}

func (r *record) scanBilled(s *jsonscan.Scanner) {
	if s.Kind() != '{' {
		return
	}
	r.billed = map[string]transcript.Tokens{}
	s.Object(func(model []byte) {
		if s.Kind() != '{' {
			return
		}
		var t transcript.Tokens
		name := string(model)
		s.Object(func(key []byte) {
			switch string(key) {
			case "inputTokens":
				t.Input = s.Int()
			case "outputTokens":
				t.Output = s.Int()
			case "cacheReadInputTokens":
				t.CacheRead = s.Int()
			case "cacheCreationInputTokens":
				t.CacheCreation = s.Int()
			case "cacheCreationEphemeral5mInputTokens":
				t.CacheCreation5m = s.Int()
			case "cacheCreationEphemeral1hInputTokens":
				t.CacheCreation1h = s.Int()
			}
		})
		r.billed[name] = t
	})
}
