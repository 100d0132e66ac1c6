// SPDX-License-Identifier: Apache-2.0

package gemini

import (
	"bytes"

	"github.com/fiftyarms/platform/internal/jsonscan"
	"github.com/fiftyarms/platform/internal/transcript"
)

// A part is a part of what was said, as the model's API has it: a text, a picture, a call or what came of one.
type part struct {
	kind    partKind
	body    text // a text, or what came of a call: a string, or if raw is set any JSON
	raw     bool
	thought bool
	isError bool   // what came of a call is an error
	id      []byte // of a call
	name    []byte
	input   text
	in      transcript.Input
}

type partKind uint8

const (
	other partKind = iota
	words
	picture
	asked    // a call
	answered // what came of one
)

// scanParts adds the parts of a value that is a string, a part, or a list of them.
func scanParts(s *jsonscan.Scanner, parts []part) []part {
	switch s.Kind() {
	case '"':
		if at, ok := s.Text(); ok {
			parts = append(parts, part{kind: words, body: at})
		}
	case '{':
		parts = append(parts, scanPart(s))
	case '[':
		s.Array(func() {
			if k := s.Kind(); k == '"' || k == '{' {
				parts = scanParts(s, parts)
			}
		})
	default:
		s.Skip()
	}
	return parts
}

func scanPart(s *jsonscan.Scanner) (p part) {
	s.Object(func(key []byte) {
		switch string(key) {
		case "text":
			if at, ok := s.Text(); ok && p.kind == other {
				p.kind, p.body = words, at
			}
		case "thought":
			p.thought = s.True()
		case "inlineData", "fileData":
			p.kind = picture
		case "functionCall":
			if s.Kind() != '{' {
				return
			}
			p.kind = asked
			s.Object(func(key []byte) {
				switch string(key) {
				case "id":
					p.id = s.Word()
				case "name":
					p.name = s.Word()
				case "args":
					p.input, p.in = scanArgs(s)
				}
			})
		case "functionResponse":
			if s.Kind() != '{' {
				return
			}
			p.kind = answered
			s.Object(func(key []byte) {
				switch string(key) {
				case "id":
					p.id = s.Word()
				case "response":
					p.scanResponse(s)
				}
			})
		case "output", "error": // a response without its envelope
			if p.kind == other {
				p.kind = answered
				p.response(s, key)
			}
		}
	})
	return p
}

// scanResponse takes a tool's output, or its error. A response that has neither is taken as it is.
func (p *part) scanResponse(s *jsonscan.Scanner) {
	if s.Kind() != '{' {
		p.body, p.raw = s.Value(), true
		return
	}
	from, has := s.Pos(), false
	s.Object(func(key []byte) {
		switch string(key) {
		case "output", "error":
			if !has || string(key) == "error" {
				p.response(s, key)
			}
			has = true
		}
	})
	if !has && s.Err() == nil {
		p.body, p.raw = text{From: from, To: s.Pos()}, true
	}
}

func (p *part) response(s *jsonscan.Scanner, key []byte) {
	if string(key) == "error" && s.Kind() != 'n' {
		p.isError = true
	}
	if s.Kind() == '"' {
		p.body, p.raw = s.String(), false
		return
	}
	p.body, p.raw = s.Value(), true
}

// injected are the beginnings of texts that the client writes into the person's turn.
var injected = [][]byte{
	[]byte("<session_context>"), []byte("<hook_context>"), []byte("<state_snapshot>"), []byte("<system_note>"),
	[]byte("This is the Gemini CLI. We are setting up the context"), []byte("--- Content from referenced files ---"),
}

func isInjected(raw []byte) bool {
	raw = raw[jsonscan.Blank(raw, 0):]
	raw = jsonscan.Plain(raw[:min(len(raw), 1<<10)]) // longer than each of them
	for _, b := range injected {
		if bytes.HasPrefix(raw, b) {
			return true
		}
	}
	return false
}
