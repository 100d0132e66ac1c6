// SPDX-License-Identifier: Apache-2.0

package codex

import (
	"bytes"
	"hash/maphash"
	"strings"

	"github.com/fiftyarms/platform/internal/jsonscan"
	"github.com/fiftyarms/platform/internal/transcript"
)

// response takes an item as the model has it.
func (r *reader) response(it *item) {
	kind := string(it.kind)
	if it.plain() {
		kind = "message"
	}
	switch kind {
	case "message":
		switch string(it.role) {
		case "user":
			r.prompt(it.parts, it.images, model)
		case "assistant":
			r.say(transcript.AssistantMessage, it.parts, model)
		}
	case "reasoning":
		r.say(transcript.Thinking, append(it.summary, it.parts...), model)
	case "function_call", "custom_tool_call":
		r.call(it, called(it))
	case "local_shell_call":
		r.call(it, "local_shell")
	case "web_search_call":
		r.call(it, "web_search")
	case "tool_search_call":
		r.call(it, "tool_search")
	case "image_generation_call":
		r.call(it, "image_generation")
	case "function_call_output", "custom_tool_call_output":
		r.answered(it)
	}
}

// called is a tool's name, with that of the server that it is of.
func called(it *item) string {
	name, space := jsonscan.DecodeString(it.name), jsonscan.DecodeString(it.namespace)
	if space == "" || strings.HasPrefix(name, space) {
		return name
	}
	return strings.TrimSuffix(space, "__") + "__" + name
}

// say adds what the agent said or thought, unless the other copy of it was seen.
func (r *reader) say(kind transcript.Kind, parts []text, of copyOf) {
	var spans []transcript.Span
	for _, part := range parts {
		raw := r.bytes(part)
		if jsonscan.Blank(raw, 0) == len(raw) || r.copies.second(kind, of, raw) {
			continue
		}
		spans = append(spans, r.span(part))
	}
	if len(spans) > 0 {
		r.b.Step(kind, r.at, transcript.Main, r.turns.record(false), spans, 0)
	}
}

// copies are what was said in a turn and has no second copy so far.
type copies struct {
	seed  maphash.Seed
	alone map[uint64]int
	last  [2]struct { // message
		text []byte
		hash uint64
	}
}

func (c *copies) init() { c.seed, c.alone = maphash.MakeSeed(), map[uint64]int{} }

func (c *copies) clear() {
	clear(c.alone)
	for of := range c.last {
		c.last[of].text = c.last[of].text[:0]
	}
}

func (c *copies) hash(kind transcript.Kind, of copyOf, raw []byte) uint64 {
	var h maphash.Hash
	h.SetSeed(c.seed)
	h.WriteByte(byte(kind))
	h.WriteByte(byte(of))
	h.Write(raw)
	return h.Sum64()
}

// second tells whether a text is the second copy. The terminal's may lack what the client cut off at the end.
func (c *copies) second(kind transcript.Kind, of copyOf, raw []byte) bool {
	other := &c.last[1-of]
	h := c.hash(kind, 1-of, raw)
	if c.alone[h] == 0 && kind == transcript.AssistantMessage && len(other.text) > 0 && c.alone[other.hash] > 0 &&
		(bytes.HasPrefix(other.text, raw) || bytes.HasPrefix(raw, other.text)) {
		h = other.hash
	}
	if c.alone[h] > 0 {
		c.alone[h]--
		return true
	}
	h = c.hash(kind, of, raw)
	c.alone[h]++
	if kind == transcript.AssistantMessage {
		c.last[of].text, c.last[of].hash = append(c.last[of].text[:0], raw...), h
	}
	return false
}

// call adds a call of a tool. Its input may be an object, the text of one, or any text.
func (r *reader) call(it *item, name string) {
	call := transcript.Call{ID: idOfCall(it), Name: name, Encoded: it.encoded}
	if it.input.Len() > 0 {
		call.Input = r.span(it.input)
		r.patched(it, &call)
	}
	if !r.b.Call(r.at, transcript.Main, r.turns.record(false), call) || name != "spawn_agent" {
		return
	}
	kind, task := r.spawning(it)
	r.outcome(call.ID).spawns = &spawn{kind, task}
}

func idOfCall(it *item) string {
	if it.call != nil {
		return jsonscan.DecodeString(it.call)
	}
	return jsonscan.DecodeString(it.id)
}

// An outcome is what is known of what came of a call.
type outcome struct {
	step   int32 // of its result, or none
	failed bool  // an event says so
	told   bool  // an event came before the result
	at     int64
	said   []transcript.Span // by the event
	record int32
	spawns *spawn
}

// A spawn is what a call says of the sub-agent that it starts.
type spawn struct{ kind, task string }

func (r *reader) outcome(call string) *outcome {
	o := r.outcomes[call]
	if o == nil {
		o = &outcome{step: transcript.None}
		r.outcomes[call] = o
	}
	return o
}

// answered takes a result. The first of a call counts: a fork has that of its history again.
func (r *reader) answered(it *item) {
	id := jsonscan.DecodeString(it.call)
	o := &outcome{step: transcript.None}
	if id != "" {
		o = r.outcome(id)
	}
	if o.step != transcript.None {
		return
	}
	call := r.b.Called(id)
	name := ""
	if call != nil {
		name = call.Name
	}
	spans, failed := r.output(it.answer, name)
	o.step = int32(len(r.s.Steps))
	r.b.Result(r.at, transcript.Main, r.turns.record(false), id, spans, it.images, it.failed || failed || o.failed)
	if o.spawns != nil && len(it.answer) == 1 {
		r.spawned(id, r.bytes(it.answer[0]))
	}
}

// settle adds the results of which only events tell, and takes back the files of calls of which nothing came.
func (r *reader) settle() {
	for _, id := range r.told {
		if o := r.outcomes[id]; o.step == transcript.None && r.b.Called(id) != nil {
			o.step = int32(len(r.s.Steps))
			r.b.Result(o.at, transcript.Main, o.record, id, o.said, 0, o.failed)
		}
	}
	for i := range r.s.Calls {
		call := &r.s.Calls[i]
		if o := r.outcomes[call.ID]; o == nil || o.step == transcript.None || o.failed {
			call.Files = nil
		}
	}
}
