// SPDX-License-Identifier: Apache-2.0

package opencode

import (
	"strings"

	"github.com/fiftyarms/platform/internal/jsonscan"
	"github.com/fiftyarms/platform/internal/transcript"
)

// ignored are the types of parts that make no step.
var ignored = map[string]bool{"step-start": true, "snapshot": true, "patch": true, "agent": true, "compaction": true, "retry": true}

// part takes in the part that was scanned. What steps point into goes to the spool as it is.
func (r *reader) part(id string, data []byte) (err error) {
	p := &r.prt
	switch p.kind {
	case "text", "reasoning":
		if p.hidden || r.msg.summary || !p.hasBody {
			r.s.Skipped.KnownIgnored++
			return nil
		}
		if r.blank(p.body) {
			return nil
		}
		if r.base, err = r.spool.add(data); err != nil {
			return err
		}
		r.say()
	case "tool":
		if r.base, err = r.spool.add(data); err != nil {
			return err
		}
		r.call(id)
	case "file":
		r.files++
		if strings.HasPrefix(p.mime, "image/") || p.mime == "application/pdf" {
			r.images++
		}
	case "subtask":
		if p.command != "" && r.msg.role == "user" { // a command that was typed
			r.prompt = append(r.prompt, r.b.Words("/"+strings.TrimPrefix(p.command, "/")))
			return nil
		}
		r.s.Skipped.KnownIgnored++
	case "step-finish":
		if p.hasTokens {
			r.steps = append(r.steps, p.tokens)
		}
		r.s.Skipped.KnownIgnored++
	default:
		if !ignored[p.kind] {
			r.b.Unknown(p.kind)
			return nil
		}
		r.s.Skipped.KnownIgnored++
	}
	return nil
}

func (r *reader) span(of text) transcript.Span {
	return transcript.Span{Source: r.source, Off: r.base + int64(of.From), Len: int32(of.Len())}
}

// at is a time in the message, of milliseconds; 0 if the part does not tell.
func (r *reader) at(ms int64) int64 {
	if ms <= 0 || ms >= 1<<43 {
		ms = r.clock
	}
	r.clock = max(r.clock, ms)
	if ms <= 0 || ms >= 1<<43 {
		return transcript.NoTime
	}
	return ms * 1e6
}

func (r *reader) blank(at text) bool {
	raw := r.scan.Bytes(at)
	return jsonscan.Blank(raw, 0) == len(raw)
}

func (r *reader) say() {
	p := &r.prt
	body := []transcript.Span{r.span(p.body)}
	switch {
	case r.msg.role == "user":
		if p.kind == "text" {
			r.prompt = append(r.prompt, body...)
		}
	case p.kind == "text":
		r.b.Step(transcript.AssistantMessage, r.at(p.start), r.agent, r.record, body, 0)
	default:
		r.b.Step(transcript.Thinking, r.at(p.start), r.agent, r.record, body, 0)
	}
}

// ask adds what was typed, after all parts of it.
func (r *reader) ask() {
	images := r.images
	if len(r.prompt) == 0 {
		images = r.files // a file may be all that is said
	}
	if len(r.prompt) > 0 || images > 0 {
		r.b.Step(transcript.UserPrompt, r.at(r.msg.created), r.agent, r.record, r.prompt, images)
	}
}

// call takes a use of a tool, which holds what came of it.
func (r *reader) call(id string) {
	p := &r.prt
	st := &p.state
	call := transcript.Call{ID: p.call, Name: p.tool}
	if call.ID == "" || r.b.Called(call.ID) != nil { // some models count their calls anew in each answer
		call.ID = id
	}
	if st.input.Len() > 0 {
		call.Input = r.span(st.input)
	}
	r.changes(&call)
	r.b.Call(r.at(st.start), r.agent, r.record, call)
	if st.session != "" {
		r.begun[st.session] = begun{call.ID, st.kind, st.describes, r.record == gone}
	}
	said, isError := st.output, false
	switch st.status {
	case "completed":
		isError = p.tool == "invalid" || st.exit != 0 // a call that made no sense, or a command that says that it failed
	case "error":
		said, isError = st.fault, true
	default:
		return // it never ended
	}
	var spans []transcript.Span
	if said.Len() > 0 {
		spans = append(spans, r.span(said))
	}
	r.b.Result(r.at(st.end), r.agent, r.record, call.ID, spans, st.images, isError)
}

// changes tells what files a call changed, and how.
func (r *reader) changes(call *transcript.Call) {
	st := &r.prt.state
	if st.status != "completed" {
		return
	}
	switch call.Name {
	case "write":
		if st.path != "" {
			call.Files = []string{st.path}
		}
		return
	case "edit", "multiedit":
		if st.path != "" {
			call.Files = []string{st.path}
		}
	case "patch", "apply_patch":
		if call.Files = st.files; len(call.Files) == 0 && st.patchy {
			call.Files = transcript.PatchFiles(jsonscan.Decode(nil, r.scan.Bytes(st.patch)))
		}
	default:
		return
	}
	if len(call.Files) == 0 {
		return
	}
	d := &transcript.Diff{Path: call.Files[0]}
	switch {
	case st.hasDiff && st.diff.Len() > 0:
		d.Has, d.Patch = true, r.span(st.diff)
	case st.patchy:
		d.Has, d.Patch = true, r.span(st.patch)
	case st.replaces:
		d.Has, d.Old, d.New = true, r.span(st.old), r.span(st.new)
	default:
		return
	}
	call.Diff = d
}
