// SPDX-License-Identifier: Apache-2.0

package copilot

import (
	"bytes"

	"github.com/fiftyarms/platform/internal/jsonscan"
)

type text = jsonscan.Range

// A record is what is read of one line. It holds places in the line, and is used again for the next.
type record struct {
	kind, id, timestamp, agent []byte
	ephemeral, hasData         bool
	data                       data
}

// Data is what an event says, of any type: the type may stand behind it.
type data struct {
	session, version, cwd, branch, model, selected, switched []byte
	source, origin, message, parent, call, name, upTo, title []byte
	agentName, agentShown                                    []byte
	content, reasoning, failure                              text
	continued, byUser, succeeded, failed                     bool
	output                                                   int64
	spent                                                    tokens
	models                                                   []modelTokens
	requests                                                 []request
	arguments                                                arguments
	answer                                                   []text // of a result
	detailed                                                 text
	attached                                                 []text
	images                                                   int32
}

// A request is an answer's wish to use a tool.
type request struct {
	id, name  []byte
	arguments arguments
}

// Arguments are what a tool is given: an object, or the text of one, or any text.
type arguments struct {
	at      text
	encoded bool
}

// Tokens as the log counts them: input includes what was read from the cache and written to it.
type tokens struct{ input, output, read, written int64 }

type modelTokens struct {
	model string
	tokens
}

func (r *record) reset() {
	d := &r.data
	*r = record{data: data{models: d.models[:0], requests: d.requests[:0], answer: d.answer[:0], attached: d.attached[:0]}}
}

// scan reads a line. An error says that it is no JSON object.
func (r *record) scan(s *jsonscan.Scanner, line []byte) error {
	r.reset()
	s.Reset(line)
	s.Object(func(key []byte) {
		switch string(key) {
		case "type":
			r.kind = s.Word()
		case "id":
			r.id = s.Word()
		case "timestamp":
			r.timestamp = s.Word()
		case "agentId":
			r.agent = s.Word()
		case "ephemeral":
			r.ephemeral = s.True()
		case "data":
			if s.Kind() == '{' && !r.hasData {
				r.hasData = true
				s.Object(func(key []byte) { r.data.member(s, key) })
			}
		}
	})
	s.End()
	return s.Err()
}

// word is where a member goes that is a string and stays one.
func (d *data) word(key []byte) *[]byte {
	switch string(key) {
	case "sessionId":
		return &d.session
	case "copilotVersion":
		return &d.version
	case "cwd":
		return &d.cwd
	case "branch":
		return &d.branch
	case "model":
		return &d.model
	case "selectedModel":
		return &d.selected
	case "newModel":
		return &d.switched
	case "source":
		return &d.source
	case "inputOrigin":
		return &d.origin
	case "messageId":
		return &d.message
	case "parentToolCallId":
		return &d.parent
	case "toolCallId":
		return &d.call
	case "toolName":
		return &d.name
	case "upToEventId":
		return &d.upTo
	case "title":
		return &d.title
	case "agentName":
		return &d.agentName
	case "agentDisplayName":
		return &d.agentShown
	}
	return nil
}

func (d *data) member(s *jsonscan.Scanner, key []byte) {
	if to := d.word(key); to != nil {
		*to = s.Word()
		return
	}
	switch string(key) {
	case "content":
		d.content, _ = s.Text()
	case "reasoningText":
		d.reasoning, _ = s.Text()
	case "isAutopilotContinuation":
		d.continued = s.True()
	case "isUserRequested":
		d.byUser = s.True()
	case "outputTokens":
		d.output = s.Int()
		d.spent.output = d.output
	case "context":
		s.Members(func(key []byte) {
			switch string(key) {
			case "cwd":
				d.cwd = s.Word()
			case "branch":
				d.branch = s.Word()
			}
		})
	case "success":
		switch s.Kind() {
		case 't':
			d.succeeded = s.True()
		case 'f':
			d.failed = true
		}
	case "arguments":
		d.arguments.scan(s)
	case "toolRequests":
		s.Elements(func() { d.scanRequest(s) })
	case "result":
		d.scanResult(s)
	case "error":
		d.scanError(s)
	case "attachments":
		s.Elements(func() { d.scanAttachment(s) })
	case "modelMetrics":
		d.scanModels(s)
	case "usage":
		s.Members(func(key []byte) {
			if string(key) == "model" {
				d.model = s.Word()
				return
			}
			d.spent.member(s, key)
		})
	default:
		d.spent.member(s, key)
	}
}

func (t *tokens) member(s *jsonscan.Scanner, key []byte) {
	switch string(key) {
	case "inputTokens":
		t.input = s.Int()
	case "outputTokens":
		t.output = s.Int()
	case "cacheReadTokens":
		t.read = s.Int()
	case "cacheWriteTokens":
		t.written = s.Int()
	}
}

func (a *arguments) scan(s *jsonscan.Scanner) {
	switch s.Kind() {
	case '"':
		a.at, a.encoded = s.Text()
	case '{':
		a.at, a.encoded = s.Value(), false
	}
}

func (d *data) scanRequest(s *jsonscan.Scanner) {
	var q request
	s.Members(func(key []byte) {
		switch string(key) {
		case "toolCallId":
			q.id = s.Word()
		case "name":
			q.name = s.Word()
		case "arguments":
			q.arguments.scan(s)
		}
	})
	if q.id != nil || q.name != nil {
		d.requests = append(d.requests, q)
	}
}

// scanResult reads what a tool answered: a text, or an object that has it.
func (d *data) scanResult(s *jsonscan.Scanner) {
	if s.Kind() == '"' {
		if at, ok := s.Text(); ok {
			d.answer = append(d.answer, at)
		}
		return
	}
	s.Members(func(key []byte) {
		switch string(key) {
		case "content", "stdout", "stderr":
			if at, ok := s.Text(); ok && at.Len() > 0 {
				d.answer = append(d.answer, at)
			}
		case "detailedContent":
			d.detailed, _ = s.Text()
		case "contents":
			s.Elements(func() {
				s.Members(func(key []byte) {
					if string(key) == "type" && string(s.Word()) == "image" {
						d.images++
					}
				})
			})
		}
	})
}

func (d *data) scanError(s *jsonscan.Scanner) {
	if s.Kind() == '"' {
		d.failure, _ = s.Text()
		return
	}
	s.Members(func(key []byte) {
		if string(key) == "message" {
			d.failure, _ = s.Text()
		}
	})
}

// pictures are the endings of names of images.
var pictures = [][]byte{[]byte(".png"), []byte(".jpg"), []byte(".jpeg"), []byte(".gif"), []byte(".webp")}

func (d *data) scanAttachment(s *jsonscan.Scanner) {
	var mime []byte
	var path, shown text
	s.Members(func(key []byte) {
		switch string(key) {
		case "mimeType":
			mime = s.Word()
		case "path":
			path, _ = s.Text()
		case "displayName":
			shown, _ = s.Text()
		}
	})
	if shown.Len() == 0 {
		shown = path
	}
	image := bytes.HasPrefix(mime, []byte("image/"))
	for _, end := range pictures {
		image = image || bytes.HasSuffix(bytes.ToLower(s.Bytes(shown)), end)
	}
	switch {
	case image:
		d.images++
	case shown.Len() > 0:
		d.attached = append(d.attached, shown)
	}
}

func (d *data) scanModels(s *jsonscan.Scanner) {
	s.Members(func(model []byte) {
		m := modelTokens{model: string(model)}
		s.Members(func(key []byte) {
			if string(key) == "usage" {
				s.Members(func(key []byte) { m.member(s, key) })
			}
		})
		d.models = append(d.models, m)
	})
}
