// SPDX-License-Identifier: Apache-2.0

package gemini

import (
	"bytes"
	"errors"
	"io"

	"github.com/fiftyarms/platform/internal/jsonscan"
	"github.com/fiftyarms/platform/internal/transcript"
)

// tell makes steps of the file's messages. Those that were taken back come last, since they are only counted: what came
// instead may use their names for calls.
func (r *reader) tell() error {
	for _, gone := range []bool{false, true} {
		for n := r.first; n < len(r.messages); n++ {
			m := &r.messages[n]
			if m.gone != gone || m.again {
				continue
			}
			if n%1024 == 0 {
				if err := r.ctx.Err(); err != nil {
					return err
				}
			}
			if cap(r.buf) < int(m.at.Len) {
				r.buf = make([]byte, max(int(m.at.Len), 64<<10))
			}
			data := r.buf[:m.at.Len]
			if got, err := r.s.Source(m.at).ReadAt(data, m.at.Off); got < len(data) && !errors.Is(err, io.EOF) {
				return err
			} else if got < len(data) || r.rec.scan(&r.scan, data) != nil {
				r.b.Damaged(transcript.Damage{File: r.path, Offset: m.at.Off, Reason: "it changed while it was read"})
				continue
			}
			r.source, r.base = m.at.Source, m.at.Off
			r.say(&r.rec, int32(n))
		}
	}
	return nil
}

func (r *reader) span(of text) transcript.Span {
	return transcript.Span{Source: r.source, Off: r.base + int64(of.From), Len: int32(of.Len())}
}

func timeOr(raw []byte, other int64) int64 {
	if raw == nil {
		return other
	}
	if t := transcript.Time(raw); t != transcript.NoTime {
		return t
	}
	return other
}

func (r *reader) say(rec *record, n int32) {
	at := timeOr(rec.timestamp, transcript.NoTime)
	noted := r.noted
	r.noted = false
	switch string(rec.kind) {
	case "user":
		r.user(rec, at, n)
	case "gemini":
		r.answer(rec, at, n, noted)
	case "info", "error", "warning":
		r.s.Skipped.KnownIgnored++
	default:
		r.b.Unknown(jsonscan.DecodeString(rec.kind))
	}
}

// user takes a turn of the person's side. What was typed stands apart where the client has put files into it.
func (r *reader) user(rec *record, at int64, n int32) {
	m := &r.messages[n]
	content := rec.parts[rec.content[0]:rec.content[1]]
	typed := rec.parts[rec.display[0]:rec.display[1]]
	if len(typed) == 0 {
		typed = content
	}
	var prompt []transcript.Span
	images, hidden := int32(0), false
	for i := range typed {
		if p := &typed[i]; p.kind == words && !p.thought {
			raw := r.scan.Bytes(p.body)
			switch {
			case isInjected(raw):
				hidden = true
			case jsonscan.Blank(raw, 0) < len(raw):
				prompt = append(prompt, r.span(p.body))
			}
		}
	}
	for i := range content {
		switch p := &content[i]; p.kind {
		case picture:
			images++
		case answered:
			r.result(at, n, p.id, content[i:i+1], p.isError)
		}
	}
	if len(prompt) > 0 || images > 0 {
		r.b.Step(transcript.UserPrompt, at, m.agent, n, prompt, images)
	} else if hidden {
		r.noted = true
		r.s.Skipped.KnownIgnored++
	}
}

// thanks is what the client has the model say to a summary of its own.
var thanks = []byte("Got it. Thanks for the additional context!")

func (r *reader) answer(rec *record, at int64, n int32, noted bool) {
	m := &r.messages[n]
	if len(rec.model) > 0 && m.agent == transcript.Main && !m.gone && r.s.Model == "" {
		r.s.Model = jsonscan.DecodeString(rec.model)
	}
	for i := range rec.thoughts {
		t := &rec.thoughts[i]
		var spans []transcript.Span
		for _, body := range []text{t.subject, t.description} {
			if raw := r.scan.Bytes(body); jsonscan.Blank(raw, 0) < len(raw) {
				spans = append(spans, r.span(body))
			}
		}
		if len(spans) > 0 {
			r.b.Step(transcript.Thinking, timeOr(t.at, at), m.agent, n, spans, 0)
		}
	}
	parts := rec.parts[rec.content[0]:rec.content[1]]
	var said []transcript.Span
	for i := range parts {
		p := &parts[i]
		raw := r.scan.Bytes(p.body)
		if p.kind != words || jsonscan.Blank(raw, 0) == len(raw) {
			continue
		}
		if noted && bytes.Equal(raw, thanks) {
			r.s.Skipped.KnownIgnored++
			return
		}
		if p.thought {
			r.b.Step(transcript.Thinking, at, m.agent, n, []transcript.Span{r.span(p.body)}, 0)
			continue
		}
		said = append(said, r.span(p.body))
	}
	if len(said) > 0 {
		r.b.Step(transcript.AssistantMessage, at, m.agent, n, said, 0)
	}
	for i := range rec.calls {
		r.call(rec, &rec.calls[i], at, n)
	}
	for i := range parts { // calls that the client has no record of
		p := &parts[i]
		if p.kind != asked || len(p.id) == 0 && len(rec.calls) > 0 {
			continue
		}
		call := transcript.Call{ID: jsonscan.DecodeString(p.id), Name: jsonscan.DecodeString(p.name)}
		if p.input.Len() > 0 {
			call.Input = r.span(p.input)
		}
		r.b.Call(at, m.agent, n, call)
	}
}

// call takes a call that the client has a record of, which tells how it ended.
func (r *reader) call(rec *record, c *call, at int64, n int32) {
	m := &r.messages[n]
	if t := timeOr(c.at, at); t > at {
		at = t
	}
	id := jsonscan.DecodeString(c.id)
	call := transcript.Call{ID: id, Name: jsonscan.DecodeString(c.name)}
	if c.input.Len() > 0 {
		call.Input = r.span(c.input)
	}
	status := string(c.status)
	switch call.Name {
	case "replace", "edit":
		call.Diff = &transcript.Diff{Path: c.in.Path}
		if c.in.HasReplace {
			call.Diff.Has, call.Diff.Old, call.Diff.New = true, r.span(c.in.Old), r.span(c.in.New)
		}
		if c.hasPatch && c.patch.Len() > 0 {
			call.Diff.Has, call.Diff.Patch = true, r.span(c.patch)
		}
		fallthrough
	case "write_file":
		if status == "success" && c.in.Path != "" {
			call.Files = []string{c.in.Path}
		}
	}
	if !r.b.Call(at, m.agent, n, call) {
		if m.gone {
			return // it is the name of another by now
		}
		if known := r.b.Called(id); known != nil && known.Files == nil { // the model's own record of it came first
			known.Files, known.Diff = call.Files, call.Diff
		}
	}
	if len(c.agent) > 0 {
		r.begun[jsonscan.DecodeString(c.agent)] = begun{id, call.Name, jsonscan.DecodeString(r.scan.Bytes(c.in.Describes)), m.gone}
	}
	failed := status == "error" || status == "cancelled"
	if !failed && status != "success" && !c.hasResult {
		return // it never ended
	}
	results := rec.results[c.from:c.to]
	if len(results) == 0 && c.hasShown {
		results = []part{{kind: words, body: c.shown}}
	}
	r.result(at, n, c.id, results, failed)
}

// maxRaw is how much is taken of a result that is no text.
const maxRaw = 64 << 10

// result adds what came of a call, once: the client tells it in its own record, and as the model was told it.
func (r *reader) result(at int64, n int32, call []byte, parts []part, isError bool) {
	id := jsonscan.DecodeString(call)
	if id != "" && r.told[id] {
		return
	}
	r.told[id] = true
	var spans []transcript.Span
	images := int32(0)
	for i := range parts {
		switch p := &parts[i]; p.kind {
		case picture:
			images++
		case words, answered:
			switch raw := r.scan.Bytes(p.body); {
			case len(raw) == 0:
			case p.raw:
				spans = append(spans, r.b.Words(string(raw[:min(len(raw), maxRaw)])))
			default:
				spans = append(spans, r.span(p.body))
			}
		}
	}
	r.b.Result(at, r.messages[n].agent, n, id, spans, images, isError)
}
