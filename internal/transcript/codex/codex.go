// SPDX-License-Identifier: Apache-2.0

// Package codex reads the rollouts of the Codex CLI: a JSONL file of records in an envelope that says when and what, or,
// in the first versions, of the model's items without one. Much is there twice, once as the model has it and once as the
// terminal shows it; of each such pair one makes the step.
package codex

import (
	"bytes"
	"context"
	"errors"
	"hash/maphash"
	"path/filepath"
	"strings"

	"github.com/fiftyarms/platform/internal/jsonl"
	"github.com/fiftyarms/platform/internal/jsonscan"
	"github.com/fiftyarms/platform/internal/transcript"
)

// Format reads the Codex CLI's rollouts.
type Format struct{}

// Agent names the Codex CLI.
func (Format) Agent() string { return "codex" }

// Owns tells rollouts from other logs by their envelope, or by the items of the first versions.
func (Format) Owns(_ string, head []byte) bool {
	var r record
	var s jsonscan.Scanner
	for line := range bytes.Lines(bytes.TrimPrefix(head, []byte("\ufeff"))) {
		whole := bytes.Trim(line, "\x00 \r\n")
		if len(whole) == 0 {
			continue
		}
		if r.scan(&s, whole) == nil {
			if r.ours() {
				return true
			}
			continue
		}
		if s.Pos() == len(whole) && r.enveloped && envelopes[string(r.kind)] { // longer than the head
			return true
		}
		if len(jsonl.Recover(line, isRecord)) > 0 {
			return true
		}
	}
	return false
}

// A reader reads one rollout.
type reader struct {
	ctx    context.Context
	b      *transcript.Builder
	s      *transcript.Session
	scan   jsonscan.Scanner
	rec    record
	path   string
	source int32
	base   int64 // of the line's first byte in the source
	at     int64 // when the record was written
	line   []byte
	recent recent

	own      bool // the session's own header was seen
	turns    turns
	copies   copies
	outcomes map[string]*outcome // by call
	told     []string            // calls of which an event tells the outcome, in order
	usage    usage
	inner    jsonscan.Scanner // of JSON in a string
	buf      []byte           // such JSON
	patch    []byte           // a patch as text
}

// Read indexes the rollout at path.
func (f Format) Read(ctx context.Context, path string, progress func(int64)) (_ *transcript.Session, err error) {
	b := transcript.NewBuilder(f.Agent(), path)
	r := &reader{ctx: ctx, b: b, s: b.Session(), path: path, outcomes: map[string]*outcome{}}
	r.copies.init()
	r.recent.seed = maphash.MakeSeed()
	defer func() {
		if err != nil {
			err = errors.Join(err, r.s.Close())
		}
	}()
	if err := r.readFile(progress); err != nil {
		return nil, err
	}
	if r.s.ID == "" {
		r.s.ID = idOf(path)
	}
	r.settle()
	copied, left := int64(0), int64(0)
	s, err := b.Finish(func(record int32) bool {
		gone, second := r.turns.abandoned(record)
		switch {
		case second:
			copied++
		case gone:
			left++
		}
		return gone || second
	})
	if err != nil {
		return nil, err
	}
	s.Skipped.Abandoned.Prompts -= copied // nobody left them: the events have them
	s.Skipped.KnownIgnored += copied
	s.Skipped.Abandoned.Records = left
	for i := range s.Steps { // what events said after the result
		if p := &s.Steps[i]; p.Kind == transcript.ErrorRecovery && p.Call != transcript.None && s.Calls[p.Call].Answered {
			s.Calls[p.Call].IsError = true
		}
	}
	return s, nil
}

// idOf is the id that the name of a rollout ends in.
func idOf(path string) string {
	name := strings.TrimSuffix(filepath.Base(path), ".jsonl")
	const uuid = 36
	if strings.HasPrefix(name, "rollout-") && len(name) > uuid && strings.Count(name[len(name)-uuid:], "-") == 4 {
		return name[len(name)-uuid:]
	}
	return name
}

func (r *reader) readFile(progress func(int64)) error {
	return r.b.ReadLog(r.ctx, r.path, transcript.Log{
		IsRecord: isRecord,
		Progress: progress,
		Scan: func(line []byte) error {
			r.line = line
			if err := r.rec.scan(&r.scan, line); err != nil || r.rec.kind != nil || r.rec.header() || r.rec.state {
				return err
			}
			return transcript.ErrUntyped
		},
		Record: func(source int32, offset int64) {
			r.source, r.base = source, offset
			r.record()
		},
	})
}

// isRecord tells records from the objects inside them. What has no envelope looks like what an envelope holds, so it has
// to stand at an edge.
func isRecord(object []byte, edge bool) bool {
	var r record
	var s jsonscan.Scanner
	return r.scan(&s, object) == nil && r.ours() && (r.enveloped || edge)
}

func (r *reader) span(of text) transcript.Span {
	return transcript.Span{Source: r.source, Off: r.base + int64(of.From), Len: int32(of.Len())}
}

func (r *reader) bytes(of text) []byte { return r.scan.Bytes(of) }

// record takes in the record that was scanned.
func (r *reader) record() {
	rec := &r.rec
	r.at = transcript.NoTime
	if rec.timestamp != nil {
		r.at = transcript.Time(rec.timestamp)
	}
	if r.at != transcript.NoTime && r.recent.again(r.line) {
		r.s.Skipped.KnownIgnored++
		return
	}
	r.usage.pass(r.at)
	steps := len(r.s.Steps)
	switch {
	case rec.state:
	case rec.header():
		r.begin(&rec.item)
	case !rec.enveloped && items[string(rec.kind)]:
		r.response(&rec.item)
	case !envelopes[string(rec.kind)]:
		r.b.Unknown(jsonscan.DecodeString(rec.kind))
		return
	default:
		if !r.envelope(rec) {
			return
		}
	}
	if len(r.s.Steps) == steps {
		r.s.Skipped.KnownIgnored++
	}
}

// envelope takes what an envelope holds, and tells whether it is of a kind that is known.
func (r *reader) envelope(rec *record) bool {
	it := &rec.item
	switch string(rec.kind) {
	case "session_meta":
		r.begin(it)
	case "turn_context":
		r.turned(it)
	case "response_item":
		if !it.plain() && !items[string(it.kind)] {
			r.b.Unknown("response_item/" + jsonscan.DecodeString(it.kind))
			return false
		}
		r.response(it)
	case "event_msg":
		if !events[string(it.kind)] && !bytes.HasPrefix(it.kind, []byte("collab_")) {
			r.b.Unknown("event_msg/" + jsonscan.DecodeString(it.kind))
			return false
		}
		r.event(it)
	}
	return true
}

// begin takes the session's header. A fork has those of the sessions that it came from behind its own.
func (r *reader) begin(it *item) {
	id := it.id
	if id == nil {
		id = it.session
	}
	if r.own {
		r.usage.replayed(string(id) != r.s.ID)
		return
	}
	r.own = true
	r.s.ID = jsonscan.DecodeString(id)
	r.s.Cwd = jsonscan.DecodeString(it.cwd)
	r.s.AgentVersion = jsonscan.DecodeString(it.version)
	r.s.Branch = jsonscan.DecodeString(it.branch)
	r.usage.begun = r.at
	r.usage.replayed(it.subagent || len(it.forked) > 0)
}

// turned takes what a turn was begun with.
func (r *reader) turned(it *item) {
	if r.s.Cwd == "" {
		r.s.Cwd = jsonscan.DecodeString(it.cwd)
	}
	if len(it.model) == 0 {
		return
	}
	r.usage.model = jsonscan.DecodeString(it.model)
	if r.s.Model == "" || r.usage.inherited {
		r.s.Model, r.usage.inherited = r.usage.model, r.usage.replay
	}
}
