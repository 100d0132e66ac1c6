// SPDX-License-Identifier: Apache-2.0

package pi

import (
	"cmp"
	"strconv"

	"github.com/fiftyarms/platform/internal/jsonscan"
	"github.com/fiftyarms/platform/internal/transcript"
)

func (r *reader) span(of text) transcript.Span {
	return transcript.Span{Source: r.source, Off: r.base + int64(of.From), Len: int32(of.Len())}
}

// record takes in the entry that was scanned.
func (r *reader) record() {
	rec := &r.rec
	kind := string(rec.kind)
	switch {
	case rec.kind == nil:
		return
	case kind == "session":
		r.header(rec)
		return
	}
	node := int32(transcript.None)
	if len(rec.id) > 0 {
		id := r.hash(rec.id)
		if r.seen[id] {
			r.s.Skipped.KnownIgnored++
			return
		}
		r.seen[id] = true
		if rec.hasParent {
			node = int32(len(r.nodes))
			r.nodes = append(r.nodes, r.node(id, rec.parent))
		}
	}
	switch kind {
	case "message":
		r.message(rec, node)
		return
	case "model_change":
		r.model = jsonscan.DecodeString(rec.model)
	case "session_info":
		if rec.hasName {
			r.s.Summary = jsonscan.DecodeString(r.scan.Bytes(rec.name))
		}
	case "compaction", "branch_summary":
		if rec.hasTokens { // newer versions say what the summary cost
			r.b.Cost(r.answer(rec), r.model, transcript.Main, rec.tokens)
		}
	}
	if !known[kind] {
		r.b.Unknown(jsonscan.DecodeString(rec.kind))
		return
	}
	r.s.Skipped.KnownIgnored++
}

func (r *reader) node(id uint64, parent []byte) node {
	n := node{id: id}
	if len(parent) > 0 {
		n.parent = r.hash(parent)
	}
	return n
}

// header takes the first header: a file that was joined from several could have more.
func (r *reader) header(rec *record) {
	if r.begun {
		r.s.Skipped.KnownIgnored++
		return
	}
	r.begun = true
	r.s.ID = jsonscan.DecodeString(rec.id)
	r.s.Cwd = jsonscan.DecodeString(rec.cwd)
	r.model = jsonscan.DecodeString(rec.model) // of version 1
}

// answer names an answer over all files: a fork copies entries with their ids, which are too short to be told apart by
// themselves. It holds until the next.
func (r *reader) answer(rec *record) []byte {
	if len(rec.id) == 0 {
		return nil
	}
	r.name = append(append(append(r.name[:0], rec.id...), '@'), rec.timestamp...)
	return r.name
}

func (r *reader) message(rec *record, node int32) {
	m := &rec.message
	at := int64(transcript.NoTime)
	if rec.timestamp != nil {
		at = transcript.Time(rec.timestamp)
	}
	if at == transcript.NoTime && m.at > 0 && m.at < 1<<43 {
		at = m.at * 1e6
	}
	switch role := string(m.role); role {
	case "user":
		spans, images := r.texts(m)
		if len(spans) > 0 || images > 0 {
			r.b.Step(transcript.UserPrompt, at, transcript.Main, node, spans, images)
		}
	case "assistant":
		r.answered(rec, at, node)
	case "toolResult":
		r.resulted(m, at, node)
	default:
		if !roles[role] {
			r.b.Unknown("message " + strconv.Quote(jsonscan.DecodeString(m.role)))
			return
		}
		r.s.Skipped.KnownIgnored++ // what the person ran, and what extensions and the client put in
	}
}

// texts are the texts of a message that say something, and how many images are beside them.
func (r *reader) texts(m *message) (spans []transcript.Span, images int32) {
	if m.hasContent && !r.blank(m.content) {
		spans = append(spans, r.span(m.content))
	}
	for i := range m.blocks {
		switch b := &m.blocks[i]; string(b.kind) {
		case "text":
			if !r.blank(b.body) {
				spans = append(spans, r.span(b.body))
			}
		case "image":
			images++
		}
	}
	return spans, images
}

func (r *reader) blank(at text) bool {
	raw := r.scan.Bytes(at)
	return jsonscan.Blank(raw, 0) == len(raw)
}

func (r *reader) answered(rec *record, at int64, node int32) {
	m := &rec.message
	model := jsonscan.DecodeString(m.model)
	if model != "" && r.s.Model == "" {
		r.s.Model = model
	}
	if m.hasTokens {
		r.b.Cost(r.answer(rec), cmp.Or(model, r.model), transcript.Main, m.tokens)
	}
	say := func(kind transcript.Kind, body text) {
		if !r.blank(body) {
			r.b.Step(kind, at, transcript.Main, node, []transcript.Span{r.span(body)}, 0)
		}
	}
	if m.hasContent {
		say(transcript.AssistantMessage, m.content)
	}
	for i := range m.blocks {
		switch b := &m.blocks[i]; string(b.kind) {
		case "text":
			say(transcript.AssistantMessage, b.body)
		case "thinking":
			say(transcript.Thinking, b.body)
		case "toolCall":
			r.called(b, at, node)
		}
	}
}

func (r *reader) called(b *block, at int64, node int32) {
	call := transcript.Call{ID: jsonscan.DecodeString(b.id), Name: jsonscan.DecodeString(b.name), Encoded: b.encoded}
	if b.input.Len() > 0 {
		call.Input = r.span(b.input)
	}
	if r.b.Called(call.ID) != nil { // entries are there once: a model that counts its calls anew in each answer
		again := call.ID + "#" + strconv.Itoa(len(r.s.Calls))
		r.again[call.ID] = again
		call.ID = again
	}
	switch call.Name {
	case "edit":
		call.Diff = &transcript.Diff{Path: b.path}
		if b.replaces {
			call.Diff.Has, call.Diff.Old, call.Diff.New = true, r.span(b.old), r.span(b.new)
		}
		fallthrough
	case "write":
		if b.path != "" && call.ID != "" {
			r.edits[call.ID] = b.path
		}
	}
	r.b.Call(at, transcript.Main, node, call)
}

// resulted takes a tool's result. An answer that was broken off leaves calls that never ran, so that a file is changed
// only once there is a result.
func (r *reader) resulted(m *message, at int64, node int32) {
	id := jsonscan.DecodeString(m.call)
	if again, ok := r.again[id]; ok {
		id = again
	}
	spans, images := r.texts(m)
	r.b.Result(at, transcript.Main, node, id, spans, images, m.isError)
	call := r.b.Called(id)
	if call == nil {
		return
	}
	if path := r.edits[id]; path != "" && !m.isError {
		call.Files = []string{path}
	}
	if call.Diff != nil && m.hasPatch && m.patch.Len() > 0 {
		call.Diff.Has, call.Diff.Patch = true, r.span(m.patch)
	}
}
