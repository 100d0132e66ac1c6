// SPDX-License-Identifier: Apache-2.0

package opencode

import (
	"github.com/fiftyarms/platform/internal/jsonscan"
	"github.com/fiftyarms/platform/internal/transcript"
)

type text = jsonscan.Range

func word(s *jsonscan.Scanner) string { return jsonscan.DecodeString(s.Word()) }

// A message is what stands in a message's record; its parts have records of their own.
type message struct {
	role, model string
	created     int64 // milliseconds
	summary     bool  // it sums up what came before, for the model
	tokens      transcript.Tokens
	hasTokens   bool
}

func (m *message) scan(s *jsonscan.Scanner, data []byte) error {
	*m = message{}
	s.Reset(data)
	s.Object(func(key []byte) {
		switch string(key) {
		case "role":
			m.role = word(s)
		case "modelID":
			m.model = word(s)
		case "summary":
			m.summary = s.True()
		case "time":
			s.Members(func(key []byte) {
				if string(key) == "created" {
					m.created = s.Int()
				}
			})
		case "tokens":
			m.tokens, m.hasTokens = scanTokens(s)
		}
	})
	s.End()
	return s.Err()
}

// scanTokens takes what an answer cost. Versions that tell the total leave what was thought out of the output.
func scanTokens(s *jsonscan.Scanner) (t transcript.Tokens, has bool) {
	if s.Kind() != '{' {
		s.Skip()
		return t, false
	}
	var reasoning int64
	apart := false
	s.Object(func(key []byte) {
		switch string(key) {
		case "input":
			t.Input = s.Int()
		case "output":
			t.Output = s.Int()
		case "reasoning":
			reasoning = s.Int()
		case "total":
			apart = s.Kind() == '0'
		case "cache":
			s.Members(func(key []byte) {
				switch string(key) {
				case "read":
					t.CacheRead = s.Int()
				case "write":
					t.CacheCreation = s.Int()
				}
			})
		}
	})
	if apart {
		t.Output += reasoning
	}
	return t, true
}

// A part is what is read of a part's record. It holds places in it.
type part struct {
	kind, mime, call, tool string
	body                   text
	hasBody                bool
	hidden                 bool // the client wrote it, or leaves it out
	command                string
	start                  int64 // milliseconds
	state                  state
	tokens                 transcript.Tokens
	hasTokens              bool
}

// A state is how far a call has come.
type state struct {
	status           string
	start, end       int64 // milliseconds
	input            text
	path, kind       string // of the input: a file, a kind of sub-agent
	describes        string
	old, new, patch  text
	replaces, patchy bool
	output, fault    text
	exit             int64
	session          string // of a sub-agent
	diff             text
	hasDiff          bool
	files            []string
	images           int32
}

func (p *part) scan(s *jsonscan.Scanner, data []byte) error {
	*p = part{}
	s.Reset(data)
	s.Object(func(key []byte) {
		switch string(key) {
		case "type":
			p.kind = word(s)
		case "text":
			p.body, p.hasBody = s.Text()
		case "synthetic", "ignored":
			p.hidden = s.True() || p.hidden
		case "mime":
			p.mime = word(s)
		case "callID":
			p.call = word(s)
		case "tool":
			p.tool = word(s)
		case "command":
			p.command = word(s)
		case "time":
			p.start, _ = scanTime(s)
		case "tokens":
			p.tokens, p.hasTokens = scanTokens(s)
		case "state":
			p.state.scan(s)
		}
	})
	s.End()
	return s.Err()
}

func scanTime(s *jsonscan.Scanner) (start, end int64) {
	s.Members(func(key []byte) {
		switch string(key) {
		case "start":
			start = s.Int()
		case "end":
			end = s.Int()
		}
	})
	return start, end
}

func (st *state) scan(s *jsonscan.Scanner) {
	s.Members(func(key []byte) {
		switch string(key) {
		case "status":
			st.status = word(s)
		case "input":
			st.scanInput(s)
		case "output":
			st.output, _ = s.Text()
		case "error":
			st.fault, _ = s.Text()
		case "time":
			st.start, st.end = scanTime(s)
		case "metadata":
			st.scanMetadata(s)
		case "attachments":
			if s.Kind() == '[' {
				s.Array(func() {
					s.Skip()
					st.images++
				})
			}
		}
	})
}

func (st *state) scanInput(s *jsonscan.Scanner) {
	if s.Kind() != '{' {
		return
	}
	from := s.Pos()
	s.Object(func(key []byte) {
		switch string(key) {
		case "filePath":
			st.path = word(s)
		case "subagent_type":
			st.kind = word(s)
		case "description":
			st.describes = word(s)
		case "patchText":
			st.patch, st.patchy = s.Text()
		case "edits":
			if s.Kind() != '[' {
				return
			}
			first := true
			s.Array(func() {
				if first && s.Kind() == '{' {
					s.Object(func(key []byte) { st.replace(s, key) })
				}
				first = false
			})
		default:
			st.replace(s, key)
		}
	})
	st.input = text{From: from, To: s.Pos()}
}

func (st *state) replace(s *jsonscan.Scanner, key []byte) {
	switch string(key) {
	case "oldString":
		st.old, st.replaces = s.Text()
	case "newString":
		st.new, _ = s.Text()
	}
}

func (st *state) scanMetadata(s *jsonscan.Scanner) {
	s.Members(func(key []byte) {
		switch string(key) {
		case "exit":
			st.exit = s.Int()
		case "sessionId", "sessionID":
			st.session = word(s)
		case "diff":
			st.diff, st.hasDiff = s.Text()
		case "files":
			if s.Kind() != '[' {
				return
			}
			s.Array(func() {
				s.Members(func(key []byte) {
					if string(key) == "filePath" {
						st.files = append(st.files, word(s))
					}
				})
			})
		}
	})
}
