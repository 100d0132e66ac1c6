// SPDX-License-Identifier: Apache-2.0

package codex

import (
	"cmp"
	"slices"

	"github.com/fiftyarms/platform/internal/jsonscan"
	"github.com/fiftyarms/platform/internal/transcript"
)

// event takes what the terminal showed.
func (r *reader) event(it *item) {
	switch kind := string(it.kind); kind {
	case "user_message":
		if len(it.messageKind) > 0 && string(it.messageKind) != "plain" {
			return // the client's own words
		}
		var parts []text
		if it.message.Len() > 0 {
			parts = []text{it.message}
		}
		r.prompt(parts, it.images, terminal)
	case "agent_message":
		r.say(transcript.AssistantMessage, []text{it.message}, terminal)
	case "agent_reasoning", "agent_reasoning_raw_content":
		r.say(transcript.Thinking, []text{it.said}, terminal)
	case "token_count":
		r.counted(it)
	case "thread_rolled_back":
		r.copies.clear()
		r.turns.leave(it.turns)
	case "thread_name_updated":
		if len(it.title) > 0 {
			r.s.Summary = jsonscan.DecodeString(it.title)
		}
	case "exec_command_end", "patch_apply_end", "mcp_tool_call_end":
		r.ended(it, kind)
	case "collab_agent_spawn_end", "collab_tool_call":
		r.agent(jsonscan.DecodeString(it.thread), jsonscan.DecodeString(it.call), it)
	case "sub_agent_activity":
		if string(it.messageKind) == "started" {
			r.agent(jsonscan.DecodeString(it.thread), jsonscan.DecodeString(it.event), it)
		}
	}
}

// ended takes an event that tells what came of a call. The result itself comes as an item, before or after it or, if the
// turn was broken off, not at all.
func (r *reader) ended(it *item, kind string) {
	id := jsonscan.DecodeString(it.call)
	if id == "" {
		return
	}
	failed := it.failed || it.exit != 0
	switch string(it.status) {
	case "failed", "declined":
		failed = true
	}
	o := r.outcome(id)
	o.failed = o.failed || failed
	if call := r.b.Called(id); kind == "patch_apply_end" && call != nil && it.succeeded && len(it.changes) > 0 {
		call.Files = slices.Clone(it.changes)
	}
	if o.step != transcript.None {
		if o.failed {
			r.s.Steps[o.step].Kind = transcript.ErrorRecovery
		}
		return
	}
	if o.told {
		return
	}
	o.told, o.at, o.record = true, r.at, r.turns.record(false)
	for _, part := range append([]text{it.aggregated}, it.answer...) {
		if part.Len() > 0 {
			o.said = append(o.said, r.span(part))
		}
	}
	for _, part := range []text{it.stdout, it.stderr} {
		if it.aggregated.Len() == 0 && part.Len() > 0 {
			o.said = append(o.said, r.span(part))
		}
	}
	r.told = append(r.told, id)
}

// agent notes a sub-agent that a call started. Its own rollout is another session.
func (r *reader) agent(id, call string, it *item) {
	if id == "" {
		return
	}
	a := &r.s.Agents[r.b.Agent(id)]
	if a.CallID == "" {
		a.CallID = call
	}
	o := r.outcomes[call]
	if o != nil && o.spawns != nil {
		a.Type, a.Description = cmp.Or(a.Type, o.spawns.kind), cmp.Or(a.Description, o.spawns.task)
	}
	a.Type = cmp.Or(a.Type, jsonscan.DecodeString(it.agentRole))
	a.Description = cmp.Or(a.Description, jsonscan.DecodeString(it.nickname))
	a.Model = cmp.Or(a.Model, jsonscan.DecodeString(it.model))
}

// spawning is what the call that starts a sub-agent says of it.
func (r *reader) spawning(it *item) (kind, task string) {
	r.inner.Reset(r.decoded(it.input, it.encoded))
	r.inner.Members(func(key []byte) {
		switch string(key) {
		case "agent_type":
			kind = jsonscan.DecodeString(r.inner.Word())
		case "task_name":
			task = jsonscan.DecodeString(r.inner.Word())
		}
	})
	return kind, task
}

// spawned takes the result of a call that starts a sub-agent, which names it.
func (r *reader) spawned(call string, raw []byte) {
	r.buf = jsonscan.Decode(r.buf[:0], raw)
	r.inner.Reset(r.buf)
	var id, nickname []byte
	r.inner.Members(func(key []byte) {
		switch string(key) {
		case "agent_id", "thread_id":
			id = r.inner.Word()
		case "nickname":
			nickname = r.inner.Word()
		}
	})
	if r.inner.End() {
		r.agent(jsonscan.DecodeString(id), call, &item{nickname: nickname})
	}
}

// decoded is JSON that may stand in a string. It holds until the next call.
func (r *reader) decoded(at text, encoded bool) []byte {
	if !encoded {
		return r.bytes(at)
	}
	r.buf = jsonscan.Decode(r.buf[:0], r.bytes(at))
	return r.buf
}
