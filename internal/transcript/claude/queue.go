// SPDX-License-Identifier: Apache-2.0

package claude

import (
	"slices"

	"github.com/fiftyarms/platform/internal/jsonscan"
	"github.com/fiftyarms/platform/internal/transcript"
)

// A queue follows what a person types while the agent works. What is taken out in its turn comes as a record of its own;
// what is handed to the agent in the middle of a turn is an attachment, in some versions only a line of the queue.
type queue struct {
	waiting []waiting
	shown   map[uint64]int // by text: shown, and still to come once more
	came    map[uint64]int // by text: came as an attachment before it left the queue
}

type waiting struct {
	text uint64
	span transcript.Span // of no length if it is no prompt
}

// maxWaiting is more than anybody types ahead. Of what waits longer than that nobody knows whether it still does.
const maxWaiting = 4096

func (q *queue) init() { q.shown, q.came = map[uint64]int{}, map[uint64]int{} }

// passed tells whether a prompt was shown when it left the queue.
func (q *queue) passed(text uint64) bool {
	if q.shown[text] > 0 {
		q.shown[text]--
		return true
	}
	return false
}

func (r *reader) queued(rec *record) {
	q := &r.queue
	p := r.place(rec)
	r.s.Skipped.KnownIgnored++
	var raw []byte
	if rec.hasContent {
		raw = r.bytes(rec.content)
	}
	switch string(rec.operation) {
	case "enqueue":
		if r.notified(raw, p) {
			raw = nil
		}
		w := waiting{}
		if raw != nil {
			w, _ = r.waits(rec)
		}
		if len(q.waiting) == maxWaiting {
			q.waiting = q.waiting[1:]
		}
		q.waiting = append(q.waiting, w)
	case "dequeue":
		if len(q.waiting) > 0 {
			q.waiting = q.waiting[1:]
		}
	case "popAll":
		q.waiting = nil
	case "remove":
		w, ok := q.remove(r, rec)
		if !ok || w.span.Len == 0 {
			return
		}
		if q.came[w.text] > 0 {
			q.came[w.text]--
			return
		}
		q.shown[w.text]++
		r.b.Step(transcript.UserPrompt, p.at, p.agent, p.node, []transcript.Span{w.span}, 0)
	}
}

// waits is what a record of the queue says, and whether that is a prompt.
func (r *reader) waits(rec *record) (waiting, bool) {
	span, said := r.typed(rec.content, nil, nil)
	if len(said) == 0 {
		return waiting{}, false
	}
	return waiting{r.hash(said...), span[0]}, true
}

// remove takes out what the record names, else what has waited longest.
func (q *queue) remove(r *reader, rec *record) (waiting, bool) {
	at := 0
	if rec.hasContent {
		named, ok := r.waits(rec)
		if !ok {
			return waiting{}, false
		}
		for at < len(q.waiting) && q.waiting[at].text != named.text {
			at++
		}
		if at == len(q.waiting) {
			return named, true
		}
	}
	if at >= len(q.waiting) {
		return waiting{}, false
	}
	w := q.waiting[at]
	q.waiting = slices.Delete(q.waiting, at, at+1)
	return w, true
}

// attached takes what the client hands to the agent. Of all that only a prompt is the person's.
func (r *reader) attached(rec *record, p place) {
	a := &rec.attachment
	if string(a.kind) != "queued_command" {
		r.s.Skipped.KnownIgnored++
		return
	}
	var prompt []transcript.Span
	var said [][]byte
	for _, part := range a.parts {
		raw := r.bytes(part)
		if r.notified(raw, p) {
			continue
		}
		prompt, said = r.typed(part, prompt, said)
	}
	if len(a.mode) > 0 && string(a.mode) != "prompt" || rec.meta || len(prompt) == 0 && a.images == 0 {
		r.s.Skipped.KnownIgnored++
		return
	}
	text := r.hash(said...)
	if !r.queue.passed(text) {
		r.queue.came[text]++
		r.b.Step(transcript.UserPrompt, p.at, p.agent, p.node, prompt, a.images)
	}
	r.class(p, prompted)
}

// notified takes the late results of sub-agents and commands that ran in the background, and tells whether the text is
// nothing but such notices. The same notice may come through the queue and as a record.
func (r *reader) notified(raw []byte, p place) bool {
	if at := jsonscan.Blank(raw, 0); at == len(raw) || raw[at] != '<' && raw[at] != '\\' {
		return false
	}
	list := notices(jsonscan.Plain(raw))
	for _, notice := range list {
		if r.first([]byte("notice"), notice) {
			r.late(notice, p)
		}
	}
	return len(list) > 0
}

func (r *reader) late(notice []byte, p place) {
	word := func(name string) string {
		at, _ := inside(notice, name)
		return jsonscan.DecodeString(notice[at.From:at.To])
	}
	said, ok := inside(notice, "result")
	if !ok {
		said, ok = inside(notice, "summary")
	}
	if !ok {
		return
	}
	status := word("status")
	r.agents.late = append(r.agents.late, late{
		call: word("tool-use-id"), agent: word("task-id"), text: r.b.Raw(notice[said.From:said.To]), p: p,
		failed: status == "failed" || status == "killed",
	})
}
