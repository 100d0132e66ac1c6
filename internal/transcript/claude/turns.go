// SPDX-License-Identifier: Apache-2.0

package claude

import (
	"bytes"
	"slices"

	"github.com/fiftyarms/platform/internal/jsonscan"
	"github.com/fiftyarms/platform/internal/transcript"
)

// first tells whether something was not said before: of some records there are copies under other uuids.
func (r *reader) first(parts ...[]byte) bool {
	by, isNew := r.seen.At(r.hash(parts...))
	if isNew {
		*by = r.number
	}
	return isNew
}

// copied tells whether another record said the same. What one record says twice was said twice.
func (r *reader) copied(parts ...[]byte) bool {
	by, isNew := r.seen.At(r.hash(parts...))
	if isNew {
		*by = r.number
	}
	return *by != r.number
}

func (r *reader) bytes(of text) []byte { return r.scan.Bytes(of) }

// user takes a record of the person's side: prompts, results, and what the client wrote in their place.
func (r *reader) user(rec *record, p place) {
	m := &rec.message
	hidden := rec.meta || rec.summary || rec.logOnly
	if m.hasContent && r.notified(r.bytes(m.content), p) || string(rec.origin) == "task-notification" {
		hidden = true
	}
	prompt, said := r.prompted[:0], r.typings[:0]
	images, made := int32(0), false
	if m.hasContent && !hidden {
		prompt, said = r.typed(m.content, prompt, said)
	}
	promptAt := len(m.blocks)
	for i := range m.blocks {
		b := &m.blocks[i]
		switch string(b.kind) {
		case "text":
			if b.hasBody && !hidden && !r.notified(r.bytes(b.body), p) {
				before := len(prompt)
				prompt, said = r.typed(b.body, prompt, said)
				if len(prompt) > before && promptAt == len(m.blocks) {
					promptAt = i
				}
			}
		case "image", "document":
			if !hidden {
				images++
			}
		}
	}
	say := func() {
		if len(prompt) == 0 && images == 0 || made {
			return
		}
		made = true
		r.prompt(rec.timestamp, prompt, said, images, p)
	}
	for i := range m.blocks {
		if i == promptAt {
			say()
		}
		if string(m.blocks[i].kind) == "tool_result" {
			r.resulted(rec, &m.blocks[i], p)
		}
	}
	say()
	r.prompted, r.typings = prompt, said
}

// prompt adds a prompt, unless it is the one that was seen on its way through the queue.
func (r *reader) prompt(timestamp []byte, prompt []transcript.Span, said [][]byte, images int32, p place) {
	r.class(p, prompted)
	if len(timestamp) > 0 {
		r.said = append(append(r.said[:0], promptName, timestamp), said...)
		if !r.first(r.said...) {
			return
		}
	}
	if p.agent == transcript.Main && r.queue.passed(r.hash(said...)) {
		return
	}
	if p.agent != transcript.Main {
		if _, has := r.agents.prompt[p.agent]; !has {
			r.agents.prompt[p.agent] = r.hash(said...)
		}
	}
	r.b.Step(transcript.UserPrompt, p.at, p.agent, p.node, prompt, images)
}

// typed adds what a person typed in a text.
func (r *reader) typed(at text, prompt []transcript.Span, said [][]byte) ([]transcript.Span, [][]byte) {
	raw := r.bytes(at)
	plain := jsonscan.Plain(raw)
	t := typedIn(plain)
	switch {
	case t.none():
		return prompt, said
	case t.command.Len() > 0:
		command := jsonscan.DecodeString(plain[t.command.From:t.command.To])
		if t.args.Len() > 0 {
			command += " " + jsonscan.DecodeString(plain[t.args.From:t.args.To])
		}
		return append(prompt, r.b.Words(command)), append(said, []byte(command))
	}
	said = append(said, plain[t.from:t.to])
	if len(plain) != len(raw) {
		t.from, t.to = jsonscan.Place(raw, t.from), jsonscan.Place(raw, t.to)
	}
	return append(prompt, r.span(text{From: at.From + t.from, To: at.From + t.to})), said
}

// assistant takes a record of the agent's side.
func (r *reader) assistant(rec *record, p place) {
	r.answer(rec, p, true)
	m := &rec.message
	if p.node != transcript.None && len(m.id) > 0 {
		r.nodes[p.node].answer = uint32(r.hash(m.id) >> 32)
	}
	r.class(p, answered)
}

var synthetic = []byte("<synthetic>")

// answer adds what an agent said and what it cost; the steps only if they are wanted.
func (r *reader) answer(rec *record, p place, steps bool) {
	m := &rec.message
	paid := !bytes.Equal(m.model, synthetic)
	model := r.name(m.model)
	if m.hasTokens && paid {
		r.cost(rec, model, p)
	}
	if paid && p.agent == transcript.Main && r.s.Model == "" {
		r.s.Model = model
	}
	if !steps {
		return
	}
	if m.hasContent && m.content.Len() > 0 {
		r.say(transcript.AssistantMessage, m.id, m.content, p)
	}
	for i := range m.blocks {
		b := &m.blocks[i]
		switch string(b.kind) {
		case "text":
			r.say(transcript.AssistantMessage, m.id, b.body, p)
		case "thinking":
			r.say(transcript.Thinking, m.id, b.body, p)
		case "tool_use", "server_tool_use", "mcp_tool_use":
			r.call(b, p)
		default:
			if bytes.HasSuffix(b.kind, []byte("_tool_result")) {
				r.resulted(rec, b, p)
			}
		}
	}
}

// cost adds what an answer cost. It is known by the message and the request; where a gateway left out the request, by
// the message alone. A sub-agent that is handed the conversation so far may have an answer of it under another request.
func (r *reader) cost(rec *record, model string, p place) {
	m := &rec.message
	if len(m.id) == 0 {
		r.b.Cost(rec.uuid, model, p.agent, m.tokens)
		return
	}
	message, now := r.hash(m.id), asked{main: p.agent == transcript.Main}
	if len(rec.request) > 0 {
		now.request = uint32(r.hash(rec.request)>>32) | 1
	}
	last, isNew := r.answers.At(message)
	n, seen := *last, !isNew
	if seen && !named(r.b.AnswerID(n), m.id) {
		seen = false // another message of the same hash
	}
	if seen {
		known := &r.asked[n]
		switch {
		case known.request == now.request || known.request == 0 || now.request == 0: // the message alone
		case known.main && !now.main:
			return
		case now.main && !known.main: // the copy came first
			known.main, known.request = true, now.request
		default:
			r.others[several{message, known.request}] = n
			n, seen = r.others[several{message, now.request}]
		}
	}
	if seen {
		r.b.AnswerAgain(n, model, p.agent, m.tokens)
	} else {
		r.buf = append(r.buf[:0], m.id...)
		if now.request != 0 {
			r.buf = append(append(r.buf, ' '), rec.request...)
		}
		n = r.b.Answer(r.buf, model, p.agent, m.tokens)
		for int(n) >= len(r.asked) {
			r.asked = append(r.asked, asked{})
		}
		r.asked[n] = now
	}
	*last = n
}

// named tells whether an answer's name begins with that of a message.
func named(answer, message []byte) bool {
	after, ok := bytes.CutPrefix(answer, message)
	return ok && (len(after) == 0 || after[0] == ' ')
}

// An asked is what else an answer is known by than its message.
type asked struct {
	request uint32 // hash; 0 if it is not named
	main    bool
}

// A several names one of the answers of a message.
type several struct {
	message uint64 // hash
	request uint32
}

// name is a name of a tool or model, of which a session has few.
func (r *reader) name(raw []byte) string {
	if name, ok := r.names[string(raw)]; ok {
		return name
	}
	name := jsonscan.DecodeString(raw)
	r.names[string(raw)] = name
	return name
}

// path is a file's path as a list of it alone. Many calls are of few files.
func (r *reader) path(path string) []string {
	const most = 1 << 14
	list, ok := r.paths[path]
	if !ok {
		list = []string{path}
		if len(r.paths) < most {
			r.paths[path] = list
		}
	}
	return list
}

func (r *reader) say(kind transcript.Kind, id []byte, at text, p place) {
	raw := r.bytes(at)
	if jsonscan.Blank(raw, 0) == len(raw) || len(id) > 0 && r.copied(kindName[kind], id, raw) {
		return
	}
	r.b.Step(kind, p.at, p.agent, p.node, []transcript.Span{r.span(at)}, 0)
}

// What else is said is not the same as what these begin.
var promptName, resultName = []byte("prompt"), []byte("result")

var kindName = map[transcript.Kind][]byte{transcript.AssistantMessage: []byte("message"), transcript.Thinking: []byte("thought")}

// edits are the tools that change the file that they name.
var edits = transcript.Names("Write", "Edit", "MultiEdit", "NotebookEdit", "Update")

func (r *reader) call(b *block, p place) {
	call := transcript.Call{ID: jsonscan.DecodeString(b.id), Name: r.name(b.name)}
	switch {
	case b.wrapped:
		call.Input = r.b.Raw(slices.Concat([]byte(`{"input":`), r.bytes(b.input), []byte("}")))
	case b.input.Len() > 0:
		call.Input, call.Encoded = r.span(b.input), b.encoded
	}
	if edits[call.Name] && b.in.Path != "" {
		call.Files = r.path(b.in.Path)
	}
	if call.Name != "Write" && b.in.Path != "" {
		call.Diff = &transcript.Diff{Path: r.path(b.in.Path)[0]}
		if b.in.HasPatch {
			call.Diff.Has, call.Diff.Patch = true, r.span(b.in.Patch)
		}
		if b.in.HasReplace {
			call.Diff.Has, call.Diff.Old, call.Diff.New = true, r.span(b.in.Old), r.span(b.in.New)
		}
	}
	if !r.b.Call(p.at, p.agent, p.node, call) {
		return
	}
	if early, ok := r.early[call.ID]; ok {
		early.tell(r.b.Called(call.ID))
		delete(r.early, call.ID)
	}
	if call.Name == "Task" || call.Name == "Agent" {
		r.agents.called(call.ID, r.hash(jsonscan.Plain(r.bytes(b.in.Prompt))), b.in.AgentType, jsonscan.DecodeString(r.bytes(b.in.Describes)))
	}
}

// resulted takes a tool's result.
func (r *reader) resulted(rec *record, b *block, p place) {
	r.class(p, resulted)
	parts := rec.message.parts[b.from:b.to]
	said := append(r.said[:0], resultName, b.call)
	spans := r.spans[:0]
	for _, part := range parts {
		raw := r.bytes(part)
		said = append(said, raw)
		if spill, ok := r.spilled(raw); ok {
			spans = append(spans, spill)
			continue
		}
		spans = append(spans, r.span(part))
	}
	r.said, r.spans = said, spans
	if len(b.call) > 0 && !r.first(said...) {
		return
	}
	id := jsonscan.DecodeString(b.call)
	r.b.Result(p.at, p.agent, p.node, id, spans, b.images, b.isError)
	if len(rec.result.agent) > 0 {
		r.agents.answered(jsonscan.DecodeString(rec.result.agent), id)
	}
	e := edited{staged: rec.result.staged, failed: rec.result.failed}
	if rec.result.hunks.Len() > len("[]") {
		e.hunks = r.span(rec.result.hunks)
	}
	if call := r.b.Called(id); call != nil {
		e.tell(call)
	} else if e != (edited{}) && id != "" {
		r.early[id] = e
	}
}

// An edited is what a result says of the edit that it is of.
type edited struct {
	hunks          transcript.Span
	staged, failed bool
}

func (e edited) tell(call *transcript.Call) {
	if e.staged || e.failed {
		call.Files = nil
	}
	switch {
	case call.Diff == nil:
	case e.failed:
		call.Diff = nil
	case e.hunks.Len > 0:
		call.Diff.Hunks = e.hunks
	}
}
