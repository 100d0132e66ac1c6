// SPDX-License-Identifier: Apache-2.0

// Package gemini reads the sessions of Gemini CLI: documents of a list of messages, as old versions wrote them, and logs
// in which a message is written anew whenever something comes to it, is taken back, or stands in the client's own notes.
//
// A log is read twice: first for where each message was written last, then those are read in the order in which the
// messages came.
package gemini

import (
	"bytes"
	"context"
	"errors"
	"hash/maphash"
	"io"
	"path/filepath"
	"strings"

	"github.com/fiftyarms/platform/internal/jsonl"
	"github.com/fiftyarms/platform/internal/jsonscan"
	"github.com/fiftyarms/platform/internal/transcript"
)

// Format reads Gemini CLI's sessions.
type Format struct{}

// Agent names Gemini CLI.
func (Format) Agent() string { return "gemini-cli" }

// Owns tells Gemini CLI's files by a header or a message of theirs.
func (Format) Owns(_ string, head []byte) bool {
	var r record
	var s jsonscan.Scanner
	head = bytes.TrimSpace(bytes.TrimPrefix(head, []byte("\ufeff")))
	if firstLine(head) == "{" { // a document, of which head may be no more than the beginning
		cut := r.scan(&s, head) != nil
		if r.isHeader() || cut && len(r.session) > 0 && len(r.started) > 0 {
			return true
		}
		at := bytes.IndexByte(head, '[')
		if !cut || at < 0 {
			return false
		}
		_ = r.scan(&s, head[at+1:]) // something follows the first message, or it is cut
		return r.isMessage()
	}
	for line := range bytes.Lines(head) {
		line = bytes.Trim(line, "\x00 \t\r\n")
		err := r.scan(&s, line)
		if r.isHeader() || string(r.kind) == "gemini" && r.isMessage() {
			return true
		}
		if err != nil {
			for _, p := range jsonl.Recover(line, isRecord) {
				if p.Joined == nil && r.scan(&s, line[p.From:p.To]) == nil && (r.isHeader() || string(r.kind) == "gemini") {
					return true
				}
			}
		}
	}
	return false
}

func firstLine(data []byte) string {
	line, _, _ := bytes.Cut(data, []byte("\n"))
	return string(bytes.TrimSpace(line[:min(len(line), 1<<10)]))
}

func (r *record) isHeader() bool { return len(r.session) > 0 && len(r.project) > 0 }

// isMessage tells messages from the objects inside them and from those of others.
func (r *record) isMessage() bool {
	return len(r.id) > 0 && known[string(r.kind)] && r.hasContent && len(r.timestamp) > 0
}

// isRecord tells records from the objects inside them, which a damaged line may show.
func isRecord(object []byte, edge bool) bool {
	var r record
	var s jsonscan.Scanner
	if r.scan(&s, object) != nil {
		return false
	}
	return r.isMessage() || edge && (r.isHeader() || r.rewind != nil || r.set)
}

// known are the types of messages that clients have written so far.
var known = map[string]bool{"user": true, "gemini": true, "info": true, "error": true, "warning": true}

// A message is where a message was written last.
type message struct {
	id    uint64 // hash; 0 if it has none
	at    transcript.Span
	agent int32
	gone  bool // it was taken back
	again bool // and came again later
}

// A reader reads one session.
type reader struct {
	ctx      context.Context
	b        *transcript.Builder
	s        *transcript.Session
	scan     jsonscan.Scanner
	rec      record
	inner    jsonscan.Scanner // of the messages that a record holds
	held     record
	progress func(int64)

	path   string
	line   []byte // that is scanned
	source int32
	base   int64 // of what is scanned, in the source
	agent  int32 // whose the file is
	before int64 // bytes of the files before it

	seed     maphash.Seed
	messages []message
	first    int            // of the messages of the file
	index    map[uint64]int // the file's messages that are not taken back, by id
	was      map[uint64]int // and those that are
	told     map[string]bool
	begun    map[string]begun // sub-agents by id
	noted    bool             // the last message was the client's own
	buf      []byte
}

// Read indexes the session at path.
func (f Format) Read(ctx context.Context, path string, progress func(int64)) (_ *transcript.Session, err error) {
	b := transcript.NewBuilder(f.Agent(), path)
	r := &reader{
		ctx: ctx, b: b, s: b.Session(), progress: progress, seed: maphash.MakeSeed(),
		told: map[string]bool{}, begun: map[string]begun{},
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, r.s.Close())
		}
	}()
	if err := r.readFile(path, transcript.Main); err != nil {
		return nil, err
	}
	if err := r.tell(); err != nil {
		return nil, err
	}
	if err := r.readAgents(path); err != nil {
		return nil, err
	}
	if r.s.ID == "" {
		r.s.ID = strings.TrimSuffix(strings.TrimSuffix(filepath.Base(path), ".jsonl"), ".json")
	}
	r.s.Cwd = projectRoot(path)
	return b.Finish(func(n int32) bool { return r.messages[n].gone })
}

func (r *reader) hash(b []byte) uint64 { return maphash.Bytes(r.seed, b) | 1 } // 0 stands for none

// readFile finds the messages of one file.
func (r *reader) readFile(path string, agent int32) (err error) {
	f, source, done, err := r.b.Opened(path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, done()) }()
	r.path, r.source, r.agent = path, source, agent
	r.first, r.index, r.was = len(r.messages), map[uint64]int{}, map[uint64]int{}
	before := r.s.Bytes
	if info, err := f.Stat(); err == nil {
		before -= info.Size()
	}
	beginning := make([]byte, 4<<10)
	n, err := f.ReadAt(beginning, 0)
	if err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	r.before = before
	if isDocument(beginning[:n]) {
		return r.document(f)
	}
	log := transcript.Log{
		IsRecord: isRecord,
		Scan: func(line []byte) error {
			r.line = line
			if err := r.rec.scan(&r.scan, line); err != nil || r.rec.ours() {
				return err
			}
			return transcript.ErrUntyped
		},
		Record: func(source int32, offset int64) {
			r.source, r.base = source, offset
			r.record(r.line)
		},
	}
	if r.progress != nil {
		log.Progress = func(bytes int64) { r.progress(before + bytes) }
	}
	return r.b.ReadLines(r.ctx, path, f, source, log)
}
