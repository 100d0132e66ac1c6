// SPDX-License-Identifier: Apache-2.0

package copilot

import (
	"bytes"

	"github.com/fiftyarms/platform/internal/jsonscan"
	"github.com/fiftyarms/platform/internal/transcript"
)

// user takes a message of the person's side. What the client put there says so, or is an element alone.
func (r *reader) user(rec *record) {
	d := &rec.data
	clear(r.said)
	if d.continued || len(d.source) > 0 && string(d.source) != "user" || len(d.origin) > 0 {
		return
	}
	raw := r.bytes(d.content)
	var spans []transcript.Span
	switch at := typedIn(raw); {
	case at < len(raw):
		spans = append(spans, r.span(text{From: d.content.From + at, To: d.content.To}))
	case jsonscan.Blank(raw, 0) < len(raw):
		return
	case d.images == 0:
		for _, name := range d.attached { // nothing was typed
			spans = append(spans, r.span(name))
		}
	}
	if len(spans) > 0 || d.images > 0 {
		r.b.Step(transcript.UserPrompt, r.at, r.agent(rec), r.n, spans, d.images)
	}
}

// elements are what the client writes in the person's place. A text that begins with one and goes on is a person's who
// quotes it.
var elements = []string{"skill-context", "system_reminder", "system-reminder", "system_notification", "current_datetime"}

// typedIn is where a person's text begins in the text of a turn, which is its end if there is none.
func typedIn(raw []byte) int { return jsonscan.Place(raw, typedInPlain(jsonscan.Plain(raw))) }

func typedInPlain(raw []byte) int {
	from := jsonscan.Blank(raw, 0)
	for at := from; at < len(raw); {
		end := 0
		for _, name := range elements {
			begins, closes := []byte("<"+name), []byte("</"+name+">")
			if !bytes.HasPrefix(raw[at:], begins) {
				continue
			}
			if next := at + len(begins); next >= len(raw) || raw[next] != '>' && raw[next] != ' ' {
				continue
			}
			if i := bytes.LastIndex(raw[at:], closes); i >= 0 {
				end = at + i + len(closes)
			}
		}
		if end == 0 {
			return from
		}
		at = jsonscan.Blank(raw, end)
	}
	return len(raw)
}

// assistant takes an answer: what the agent thought, said and asked for.
func (r *reader) assistant(rec *record) {
	d := &rec.data
	agent := r.agent(rec)
	if agent == transcript.Main {
		r.modelled(d.model)
	}
	r.think(d.reasoning, agent, "answer", "itself")
	if raw := r.bytes(d.content); jsonscan.Blank(raw, 0) < len(raw) && r.first(d.message, raw) {
		r.b.Step(transcript.AssistantMessage, r.at, agent, r.n, []transcript.Span{r.span(d.content)}, 0)
	}
	for _, q := range d.requests {
		r.call(q.id, q.name, q.arguments, agent)
	}
	r.usage.message(d, agent)
}

// first tells whether a message was not said before.
func (r *reader) first(id, raw []byte) bool {
	if len(id) == 0 {
		return true
	}
	h := r.hash(id, raw)
	if r.messages[h] {
		return false
	}
	r.messages[h] = true
	return true
}

// think adds a thought, unless the other event that has it was seen.
func (r *reader) think(at text, agent int32, by, other string) {
	raw := r.bytes(at)
	if jsonscan.Blank(raw, 0) == len(raw) {
		return
	}
	if h := r.hash([]byte(other), raw); r.said[h] > 0 {
		r.said[h]--
		return
	}
	r.said[r.hash([]byte(by), raw)]++
	r.b.Step(transcript.Thinking, r.at, agent, r.n, []transcript.Span{r.span(at)}, 0)
}

// started takes the beginning of a call, which is the call itself where no answer asked for it.
func (r *reader) started(rec *record) {
	d := &rec.data
	if r.byUser[jsonscan.DecodeString(d.call)] && len(d.call) > 0 {
		return
	}
	if d.byUser {
		r.byUser[jsonscan.DecodeString(d.call)] = true
		return
	}
	r.call(d.call, d.name, d.arguments, r.agent(rec))
}

// call adds a call. An answer may ask without saying with what.
func (r *reader) call(id, name []byte, a arguments, agent int32) {
	call := transcript.Call{ID: jsonscan.DecodeString(id), Name: jsonscan.DecodeString(name), Encoded: a.encoded}
	if a.at.Len() > 0 {
		call.Input = r.span(a.at)
		r.edits(&call, a)
	}
	if known := r.b.Called(call.ID); known != nil {
		if known.Input.Len == 0 && call.Input.Len > 0 {
			known.Input, known.Encoded, known.Files, known.Diff = call.Input, call.Encoded, call.Files, call.Diff
		}
		return
	}
	r.b.Call(r.at, agent, r.n, call)
}

// completed takes a result. The first of a call counts.
func (r *reader) completed(rec *record) {
	d := &rec.data
	id := jsonscan.DecodeString(d.call)
	if d.byUser || id != "" && r.byUser[id] {
		return
	}
	if _, twice := r.results[id]; twice && id != "" {
		return
	}
	if id != "" {
		r.results[id] = !d.failed
	}
	var spans []transcript.Span
	if d.failed && d.failure.Len() > 0 {
		spans = append(spans, r.span(d.failure))
	}
	if len(spans) == 0 {
		for _, part := range d.answer {
			spans = append(spans, r.span(part))
		}
	}
	r.b.Result(r.at, r.agent(rec), r.n, id, spans, d.images, d.failed)
	if call := r.b.Called(id); call != nil && len(call.Files) > 0 && unified(r.bytes(d.detailed)) {
		call.Diff = &transcript.Diff{Path: call.Files[0], Patch: r.span(d.detailed), Has: true}
	}
}

// unified tells whether a text is a diff: of other tools it is a longer answer.
func unified(raw []byte) bool {
	raw = raw[jsonscan.Blank(raw, 0):]
	return bytes.HasPrefix(raw, []byte("diff --git ")) || bytes.HasPrefix(raw, []byte("--- ")) || bytes.HasPrefix(raw, []byte("@@ "))
}
