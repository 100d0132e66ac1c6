// SPDX-License-Identifier: Apache-2.0

package codex

import (
	"github.com/fiftyarms/platform/internal/jsonscan"
)

type text = jsonscan.Range

// A record is what is read of one line. It holds places in the line, and is used again for the next.
type record struct {
	timestamp, kind []byte
	enveloped       bool
	state           bool // what the first versions keep of themselves
	item            item
}

// An item is what an envelope holds, of any kind: the kind may stand behind the rest.
type item struct {
	kind, id, session, role, call, name, namespace []byte
	cwd, version, model, branch, forked, title     []byte
	messageKind, status                            []byte
	thread, agentRole, nickname, event             []byte // of a sub-agent
	subagent, begins                               bool
	message, said, aggregated, stdout, stderr      text
	input                                          text
	encoded                                        bool // input is the text of a string
	parts, summary, answer                         []text
	openAI                                         bool // the parts are named as the vendor names them
	images                                         int32
	exit, turns                                    int64
	failed, succeeded                              bool
	total, last                                    tokens
	changes                                        []string
}

func (r *record) reset() {
	*r = record{item: r.item}
	r.item.reset()
}

func (p *item) reset() {
	*p = item{parts: p.parts[:0], summary: p.summary[:0], answer: p.answer[:0]}
}

// scan reads a line. An error says that it is no JSON object.
func (r *record) scan(s *jsonscan.Scanner, line []byte) error {
	r.reset()
	s.Reset(line)
	s.Object(func(key []byte) {
		switch string(key) {
		case "timestamp":
			r.timestamp = s.Word()
		case "type":
			r.kind = s.Word()
		case "record_type":
			r.state = true
		case "payload":
			if s.Kind() == '{' && !r.enveloped {
				r.enveloped = true
				r.item.reset()
				s.Object(func(key []byte) { r.item.member(s, key) })
			}
		default:
			if !r.enveloped {
				r.item.member(s, key)
			}
		}
	})
	s.End()
	if !r.enveloped {
		r.item.kind = r.kind
	}
	return s.Err()
}

// header tells whether the record is the first of a rollout without envelopes.
func (r *record) header() bool {
	return r.kind == nil && !r.enveloped && r.item.id != nil && r.timestamp != nil && r.item.begins
}

// ours tells whether nothing but a rollout has such a record.
func (r *record) ours() bool {
	it := &r.item
	switch {
	case r.enveloped:
		return envelopes[string(r.kind)]
	case r.kind == nil:
		return r.header()
	case string(r.kind) == "message":
		return it.role != nil && it.openAI
	case string(r.kind) == "reasoning":
		return len(it.summary) > 0
	}
	return items[string(r.kind)] && it.call != nil
}

// plain tells whether it is a message that does not say so.
func (p *item) plain() bool { return p.kind == nil && p.role != nil }

// word is where a member goes that is a string and stays one.
func (p *item) word(key []byte) *[]byte {
	switch string(key) {
	case "type":
		return &p.kind
	case "id":
		return &p.id
	case "session_id":
		return &p.session
	case "role":
		return &p.role
	case "call_id":
		return &p.call
	case "name":
		return &p.name
	case "namespace":
		return &p.namespace
	case "cwd":
		return &p.cwd
	case "cli_version":
		return &p.version
	case "model":
		return &p.model
	case "forked_from_id":
		return &p.forked
	case "thread_name":
		return &p.title
	case "kind":
		return &p.messageKind
	case "status":
		return &p.status
	case "new_thread_id", "agent_thread_id":
		return &p.thread
	case "new_agent_role":
		return &p.agentRole
	case "new_agent_nickname":
		return &p.nickname
	case "event_id":
		return &p.event
	}
	return nil
}

// body is where a member goes that is a text.
func (p *item) body(key []byte) *text {
	switch string(key) {
	case "message":
		return &p.message
	case "text":
		return &p.said
	case "aggregated_output":
		return &p.aggregated
	case "stdout":
		return &p.stdout
	case "stderr":
		return &p.stderr
	}
	return nil
}

func (p *item) member(s *jsonscan.Scanner, key []byte) {
	if to := p.word(key); to != nil {
		*to = s.Word()
		return
	}
	if to := p.body(key); to != nil {
		*to, _ = s.Text()
		return
	}
	switch string(key) {
	case "instructions":
		p.begins = true
	case "git":
		p.begins = true
		s.Members(func(key []byte) {
			if string(key) == "branch" {
				p.branch = s.Word()
			}
		})
	case "source":
		s.Members(func(key []byte) { p.subagent = p.subagent || string(key) == "subagent" })
	case "content":
		p.parts = p.scanParts(s, p.parts)
	case "summary":
		if s.Kind() == '[' {
			p.summary = p.scanParts(s, p.summary)
		}
	case "arguments", "input", "action":
		switch s.Kind() {
		case '"':
			p.input, p.encoded = s.Text()
		case '{':
			p.input, p.encoded = s.Value(), false
		}
	case "output":
		p.scanOutput(s)
	case "images", "local_images":
		if s.Kind() == '[' {
			s.Array(func() { p.images++ })
		}
	case "exit_code":
		p.exit = s.Int()
	case "num_turns":
		p.turns = s.Int()
	case "success":
		p.scanSuccess(s)
	case "info":
		p.scanUsage(s)
	case "changes":
		p.scanChanges(s)
	case "result":
		p.scanResult(s)
	}
}

func (p *item) scanSuccess(s *jsonscan.Scanner) {
	switch s.Kind() {
	case 't':
		p.succeeded = s.True()
	case 'f':
		p.failed = true
	}
}

// scanParts adds the texts of a message or a result. Images are counted.
func (p *item) scanParts(s *jsonscan.Scanner, parts []text) []text {
	switch s.Kind() {
	case '"':
		if at, ok := s.Text(); ok {
			parts = append(parts, at)
		}
	case '[':
		s.Array(func() {
			var kind []byte
			var body text
			s.Members(func(key []byte) {
				switch string(key) {
				case "type":
					kind = s.Word()
				case "text":
					body, _ = s.Text()
				}
			})
			switch string(kind) {
			case "input_image", "image":
				p.images++
				return
			case "input_text", "output_text":
				p.openAI = true
			}
			if body.Len() > 0 {
				parts = append(parts, body)
			}
		})
	}
	return parts
}

// scanOutput reads what came of a call: a text, or parts, or either with a word on its success.
func (p *item) scanOutput(s *jsonscan.Scanner) {
	if s.Kind() != '{' {
		p.answer = p.scanParts(s, p.answer)
		return
	}
	s.Object(func(key []byte) {
		switch string(key) {
		case "content", "body":
			p.answer = p.scanParts(s, p.answer)
		case "success":
			p.scanSuccess(s)
		}
	})
}

// scanChanges reads which files a patch changed.
func (p *item) scanChanges(s *jsonscan.Scanner) {
	s.Members(func(path []byte) {
		p.changes = append(p.changes, string(path))
		s.Members(func(key []byte) {
			if string(key) == "move_path" {
				if to := s.Word(); len(to) > 0 {
					p.changes = append(p.changes, jsonscan.DecodeString(to))
				}
			}
		})
	})
}

// scanResult reads what came of a call of an MCP server's tool.
func (p *item) scanResult(s *jsonscan.Scanner) {
	s.Members(func(key []byte) {
		switch string(key) {
		case "Err":
			p.failed = true
			p.answer = p.scanParts(s, p.answer)
		case "Ok":
			s.Members(func(key []byte) {
				switch string(key) {
				case "content":
					p.answer = p.scanParts(s, p.answer)
				case "isError", "is_error":
					p.failed = s.True() || p.failed
				}
			})
		}
	})
}
