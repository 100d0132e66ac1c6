// SPDX-License-Identifier: Apache-2.0

// Package pi reads the sessions of the pi coding agent, versions 1 to 3 of its format: a JSONL file of a header and
// entries. From version 2 on entries name the one that they follow, and the file holds every branch.
package pi

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

// Format reads pi's sessions.
type Format struct{}

// Agent names pi.
func (Format) Agent() string { return "pi" }

// Owns tells pi's logs from others by their header, or where that is damaged by messages that name their parent.
func (Format) Owns(_ string, head []byte) bool {
	var r record
	var s jsonscan.Scanner
	first := true
	for line := range bytes.Lines(bytes.TrimPrefix(head, []byte("\ufeff"))) {
		line = bytes.Trim(line, "\x00 \t\r\n")
		if len(line) == 0 {
			continue
		}
		if r.scan(&s, line) != nil {
			for _, p := range jsonl.Recover(line, isRecord) {
				if p.Joined == nil && r.scan(&s, line[p.From:p.To]) == nil && (r.isHeader() || r.isMessage()) {
					return true
				}
			}
			continue
		}
		if first && r.isHeader() || r.isMessage() {
			return true
		}
		first = false
	}
	return false
}

// isHeader tells pi's first line from that of other tools that begin with a session, too.
func (r *record) isHeader() bool {
	return string(r.kind) == "session" && len(r.id) > 0 && len(r.timestamp) > 0 && len(r.cwd) > 0 && r.harness == nil
}

func (r *record) isMessage() bool {
	return string(r.kind) == "message" && r.hasParent && len(r.id) > 0 && roles[string(r.message.role)]
}

// known are the types of entries that clients have written so far.
var known = transcript.Names("session", "message", "model_change", "thinking_level_change", "compaction", "branch_summary", "custom",
	"custom_message", "label", "session_info", "context_transform", "ephemeral")

// roles are those of messages.
var roles = transcript.Names("user", "assistant", "toolResult", "bashExecution", "custom", "hookMessage", "branchSummary", "compactionSummary")

// A reader reads one session.
type reader struct {
	ctx      context.Context
	b        *transcript.Builder
	s        *transcript.Session
	scan     jsonscan.Scanner
	rec      record
	progress func(int64)

	path   string
	source int32
	base   int64 // of the line's first byte in the source

	seed  maphash.Seed
	seen  map[uint64]bool // ids of entries: one that is there twice counts once
	nodes []node
	begun bool              // the header was there
	model string            // that was chosen last
	edits map[string]string // what calls change if they succeed
	name  []byte            // of an answer
	again map[string]string // the names of calls whose ids are not their own
}

// Read indexes the session at path.
func (f Format) Read(ctx context.Context, path string, progress func(int64)) (_ *transcript.Session, err error) {
	b := transcript.NewBuilder(f.Agent(), path)
	r := &reader{
		ctx: ctx, b: b, s: b.Session(), progress: progress, path: path, seed: maphash.MakeSeed(),
		seen: map[uint64]bool{}, edits: map[string]string{}, again: map[string]string{},
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, r.s.Close())
		}
	}()
	if err := r.readFile(); err != nil {
		return nil, err
	}
	if r.s.ID == "" {
		name := strings.TrimSuffix(filepath.Base(path), ".jsonl")
		r.s.ID = name[strings.LastIndexByte(name, '_')+1:]
	}
	if r.s.Model == "" {
		r.s.Model = r.model
	}
	gone := abandoned(r.nodes)
	if gone == nil {
		return b.Finish(nil)
	}
	for _, is := range gone {
		if is {
			r.s.Skipped.Abandoned.Records++
		}
	}
	return b.Finish(func(n int32) bool { return gone[n] })
}

func (r *reader) hash(b []byte) uint64 { return maphash.Bytes(r.seed, b) | 1 } // 0 stands for none

func (r *reader) readFile() error {
	return r.b.ReadLog(r.ctx, r.path, transcript.Log{
		IsRecord: isRecord,
		Progress: r.progress,
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

// isRecord tells entries from the objects inside them, which a damaged line may show.
func isRecord(object []byte, edge bool) bool {
	var r record
	var s jsonscan.Scanner
	if r.scan(&s, object) != nil || !known[string(r.kind)] {
		return false
	}
	if string(r.kind) == "message" {
		return roles[string(r.message.role)] && (r.hasParent || edge)
	}
	return edge || len(r.id) > 0 && len(r.timestamp) > 0
}
