// SPDX-License-Identifier: Apache-2.0

package gemini

import (
	"github.com/fiftyarms/platform/internal/jsonscan"
	"github.com/fiftyarms/platform/internal/transcript"
)

// ours tells whether a line is a record: a message, a change, or of a type that nobody knows.
func (r *record) ours() bool {
	return r.rewind != nil || r.kind != nil || r.set || len(r.session) > 0 || len(r.messages) > 0
}

// record takes in the record that was scanned. The client tries the kinds in this order.
func (r *reader) record(data []byte) {
	rec := &r.rec
	switch {
	case rec.rewind != nil:
		r.rewind(rec.rewind)
	case rec.kind != nil && len(rec.id) > 0, known[string(rec.kind)] && rec.hasContent:
		r.message(rec, text{To: len(data)}, false)
	case rec.set || len(rec.session) > 0 || len(rec.messages) > 0:
		r.header(rec)
		r.hold(data, rec.messages)
		if rec.set && len(rec.messages) == 0 {
			r.s.Skipped.KnownIgnored++
		}
	default:
		r.b.Unknown(jsonscan.DecodeString(rec.kind))
	}
}

func (r *reader) header(rec *record) {
	if r.agent != transcript.Main {
		return
	}
	if len(rec.session) > 0 {
		r.s.ID = jsonscan.DecodeString(rec.session)
	}
	if rec.hasSummary {
		r.s.Summary = jsonscan.DecodeString(r.scan.Bytes(rec.summary))
	}
}

// hold takes the messages that a record holds. In a log they are what the model is told from then on: outputs are left
// out of those, and old turns are summed up. What was really said is what came before, so that they only add.
func (r *reader) hold(data []byte, messages []text) {
	for _, at := range messages {
		if r.held.scan(&r.inner, data[at.From:at.To]) != nil {
			continue // it is JSON, but no object
		}
		r.message(&r.held, at, true)
	}
}

func (r *reader) message(rec *record, at text, held bool) {
	r.cost(rec)
	span := transcript.Span{Source: r.source, Off: r.base + int64(at.From), Len: int32(at.Len())}
	m := message{at: span, agent: r.agent}
	if len(rec.id) > 0 {
		m.id = r.hash(rec.id)
		if n, ok := r.index[m.id]; ok {
			if !held {
				r.messages[n].at = span
				r.s.Skipped.KnownIgnored++ // what stood there before
			}
			return
		}
		if n, ok := r.was[m.id]; ok {
			r.messages[n].again = true
			delete(r.was, m.id)
		}
		r.index[m.id] = len(r.messages)
	}
	r.messages = append(r.messages, m)
}

// cost counts an answer, each version of it: the last says most. What was taken back was paid for.
func (r *reader) cost(rec *record) {
	if rec.hasTokens {
		r.b.Cost(rec.id, jsonscan.DecodeString(rec.model), r.agent, rec.tokens)
	}
}

// rewind takes back a message and all after it. The client takes back everything if it does not find the message; here
// that means that its line was damaged, and is no reason to lose the rest.
func (r *reader) rewind(id []byte) {
	n, ok := r.index[r.hash(id)]
	if !ok {
		r.b.Unknown("$rewindTo")
		return
	}
	for i := n; i < len(r.messages); i++ {
		m := &r.messages[i]
		if m.gone {
			continue
		}
		m.gone = true
		r.s.Skipped.Abandoned.Records++
		if m.id != 0 {
			delete(r.index, m.id)
			r.was[m.id] = i
		}
	}
}
