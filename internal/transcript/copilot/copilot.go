// SPDX-License-Identifier: Apache-2.0

// Package copilot reads the sessions of the Copilot CLI: a JSONL file of events, each with its data, in the order in which
// they were; those of sub-agents among them. Much is told by several events: a call by the answer that asks for it and
// by its beginning, a thought by the answer and by itself.
package copilot

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

// Format reads the Copilot CLI's sessions.
type Format struct{}

// Agent names the Copilot CLI.
func (Format) Agent() string { return "copilot-cli" }

// Owns tells the Copilot CLI's logs from others by their events: a type of two words, and data.
func (Format) Owns(_ string, head []byte) bool {
	var r record
	var s jsonscan.Scanner
	for line := range bytes.Lines(bytes.TrimPrefix(head, []byte("\ufeff"))) {
		whole := bytes.Trim(line, "\x00 \r\n")
		if len(whole) == 0 {
			continue
		}
		err := r.scan(&s, whole)
		if r.ours() && (err == nil || s.Pos() == len(whole)) { // or it is longer than the head
			return true
		}
		if err != nil && len(jsonl.Recover(line, isRecord)) > 0 {
			return true
		}
	}
	return false
}

// ours tells whether nothing but a session of the Copilot CLI has such a record.
func (r *record) ours() bool {
	return r.hasData && bytes.IndexByte(r.kind, '.') > 0 && knownKind(r.kind)
}

// A reader reads one session.
type reader struct {
	ctx    context.Context
	b      *transcript.Builder
	s      *transcript.Session
	scan   jsonscan.Scanner
	rec    record
	path   string
	source int32
	base   int64 // of the line's first byte in the source
	at     int64 // when the event was
	n      int32 // of the event
	seed   maphash.Seed

	events   map[uint64]int32 // by id: a log may have a part twice
	said     map[uint64]int   // thoughts that have no second copy so far
	messages map[uint64]bool
	byUser   map[string]bool // calls that the person made
	results  map[string]bool // by call; whether it succeeded
	gone     [][2]int32      // events that were taken back
	agents   agents
	usage    usage
	inner    jsonscan.Scanner // of JSON in a string
	buf      []byte           // such JSON
}

// Read indexes the session at path.
func (f Format) Read(ctx context.Context, path string, progress func(int64)) (_ *transcript.Session, err error) {
	b := transcript.NewBuilder(f.Agent(), path)
	r := &reader{
		ctx: ctx, b: b, s: b.Session(), path: path, seed: maphash.MakeSeed(),
		events: map[uint64]int32{}, said: map[uint64]int{}, messages: map[uint64]bool{}, byUser: map[string]bool{}, results: map[string]bool{},
	}
	r.agents.init()
	r.usage.init()
	defer func() {
		if err != nil {
			err = errors.Join(err, r.s.Close())
		}
	}()
	if err := r.readFile(progress); err != nil {
		return nil, err
	}
	r.beside()
	if r.s.ID == "" {
		r.s.ID = strings.TrimSuffix(filepath.Base(path), ".jsonl")
		if r.s.ID == "events" {
			r.s.ID = filepath.Base(filepath.Dir(path))
		}
	}
	for i := range r.s.Calls { // a call of which nothing came has changed nothing that is known
		if call := &r.s.Calls[i]; !r.results[call.ID] {
			call.Files = nil
		}
	}
	r.agents.attach(r.b)
	r.usage.add(r.b)
	for _, events := range r.gone {
		r.s.Skipped.Abandoned.Records += int64(events[1] - events[0])
	}
	return b.Finish(r.abandoned)
}

func (r *reader) abandoned(event int32) bool {
	for _, events := range r.gone {
		if events[0] <= event && event < events[1] {
			return true
		}
	}
	return false
}

func (r *reader) readFile(progress func(int64)) error {
	return r.b.ReadLog(r.ctx, r.path, transcript.Log{
		IsRecord: isRecord,
		Progress: progress,
		Scan: func(line []byte) error {
			if err := r.rec.scan(&r.scan, line); err != nil || r.rec.kind != nil {
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

// isRecord tells events from the objects inside them, which a damaged line may show.
func isRecord(object []byte, edge bool) bool {
	var r record
	var s jsonscan.Scanner
	return r.scan(&s, object) == nil && r.ours() && (r.timestamp != nil || edge)
}

func (r *reader) span(of text) transcript.Span {
	return transcript.Span{Source: r.source, Off: r.base + int64(of.From), Len: int32(of.Len())}
}

func (r *reader) bytes(of text) []byte { return r.scan.Bytes(of) }

func (r *reader) hash(parts ...[]byte) uint64 {
	var h maphash.Hash
	h.SetSeed(r.seed)
	for _, p := range parts {
		h.Write(p)
		h.WriteByte(0)
	}
	return h.Sum64()
}

// record takes in the event that was scanned.
func (r *reader) record() {
	rec := &r.rec
	if !knownKind(rec.kind) {
		r.b.Unknown(jsonscan.DecodeString(rec.kind))
		return
	}
	r.n++
	if len(rec.id) > 0 {
		id := r.hash(rec.id)
		if _, twice := r.events[id]; twice {
			r.s.Skipped.KnownIgnored++
			return
		}
		r.events[id] = r.n
	}
	r.at = transcript.NoTime
	if rec.timestamp != nil {
		r.at = transcript.Time(rec.timestamp)
	}
	steps := len(r.s.Steps)
	r.event(rec)
	if len(r.s.Steps) == steps {
		r.s.Skipped.KnownIgnored++
	}
}

func (r *reader) event(rec *record) {
	d := &rec.data
	if rec.ephemeral && string(rec.kind) != "assistant.usage" {
		return // a part of what another event has whole
	}
	switch string(rec.kind) {
	case "session.start", "session.resume", "session.context_changed":
		r.header(d)
	case "session.model_change":
		r.modelled(d.switched)
	case "session.title_changed":
		if len(d.title) > 0 {
			r.s.Summary = jsonscan.DecodeString(d.title)
		}
	case "session.snapshot_rewind":
		r.rewound(d)
	case "session.shutdown":
		r.usage.shutdown(d.models)
	case "session.usage_record":
		r.usage.record(d, r.agent(rec))
	case "assistant.usage":
		r.usage.call(d, r.agent(rec))
	case "user.message":
		r.user(rec)
	case "assistant.turn_start", "assistant.turn_end":
		clear(r.said)
	case "assistant.reasoning":
		r.think(d.content, r.agent(rec), "itself", "answer")
	case "assistant.message":
		r.assistant(rec)
	case "tool.user_requested":
		r.byUser[jsonscan.DecodeString(d.call)] = true
	case "tool.execution_start":
		r.started(rec)
	case "tool.execution_complete":
		r.completed(rec)
	case "subagent.started", "subagent.configured", "subagent.completed", "subagent.failed":
		r.agents.told(r.b, rec)
	}
}

// header takes what the client says of the session when it starts or goes on.
func (r *reader) header(d *data) {
	s := r.s
	if s.ID == "" {
		s.ID = jsonscan.DecodeString(d.session)
	}
	if s.Cwd == "" {
		s.Cwd = jsonscan.DecodeString(d.cwd)
	}
	if len(d.version) > 0 {
		s.AgentVersion = jsonscan.DecodeString(d.version)
	}
	if len(d.branch) > 0 {
		s.Branch = jsonscan.DecodeString(d.branch)
	}
	r.modelled(d.selected)
}

func (r *reader) modelled(model []byte) {
	if r.s.Model == "" {
		r.s.Model = jsonscan.DecodeString(model)
	}
}

// rewound takes back all events from one on. The client cuts them off its file, so that mostly there are none.
func (r *reader) rewound(d *data) {
	from, ok := r.events[r.hash(d.upTo)]
	if len(d.upTo) == 0 || !ok {
		return
	}
	for len(r.gone) > 0 && r.gone[len(r.gone)-1][0] >= from {
		r.gone = r.gone[:len(r.gone)-1]
	}
	if n := len(r.gone); n > 0 && r.gone[n-1][1] > from {
		from = r.gone[n-1][1]
	}
	r.gone = append(r.gone, [2]int32{from, r.n})
}
