// SPDX-License-Identifier: Apache-2.0

// Package claude reads Claude Code's sessions, of every version from 1.0 to 2.1: a JSONL file of records, one a block of
// an answer, that name the record they follow; sub-agents in the same file or in files of their own; outputs too large
// for a record in files beside it.
//
// The format is the client's own and moves with each release. What is known here was seen in its files.
package claude

import (
	"bytes"
	"context"
	"errors"
	"hash/maphash"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/fiftyarms/platform/internal/jsonl"
	"github.com/fiftyarms/platform/internal/jsonscan"
	"github.com/fiftyarms/platform/internal/transcript"
)

// Format reads Claude Code's sessions.
type Format struct{}

// Agent names Claude Code.
func (Format) Agent() string { return "claude-code" }

// Owns tells Claude Code's logs from others by their records: typed, and not in an envelope. What a damaged line holds
// counts only if no whole one is another's: it may be what a tool was given.
func (Format) Owns(_ string, head []byte) bool {
	var r record
	var s jsonscan.Scanner
	ours := func(line []byte) bool {
		return r.scan(&s, line) == nil && known[string(r.kind)] &&
			(r.session != nil || r.uuid != nil || r.message.hasContent || r.message.blocks != nil || r.title.Len() > 0)
	}
	others, inDamage := false, false
	for line := range bytes.Lines(bytes.TrimPrefix(head, []byte("\ufeff"))) {
		whole := bytes.Trim(line, "\x00 \r\n")
		const escape = len(`\u0000`)
		switch {
		case ours(whole):
			return true
		case s.Err() == nil:
			others = others || !knownKind(r.kind)
			continue
		case len(line) == len(whole) && s.Pos()+escape > len(line) && r.session != nil && (r.hasParent || known[string(r.kind)]):
			return true // it is longer than the head
		case inDamage:
			continue
		}
		for _, p := range jsonl.Recover(line, isRecord) {
			inDamage = inDamage || p.Joined == nil && ours(line[p.From:p.To])
		}
	}
	return inDamage && !others
}

// known are the types of records that clients have written so far.
var known = transcript.Names("user", "assistant", "system", "summary", "file-history-snapshot", "file-history-delta", "queue-operation", "progress",
	"attachment", "last-prompt", "mode", "permission-mode", "ai-title", "custom-title", "agent-name", "agent-color", "agent-setting", "tag",
	"bridge-session", "pr-link", "atis-latch", "worktree-state", "history-suppression", "frame-link", "artifact-edit-ledger",
	"artifact-read-ledger", "artifact-ledger", "artifact-monitor", "tools-used", "cost-state", "api-request", "api-request-shape", "api-request-blob",
	"content-replacement", "marble-origami-commit", "marble-origami-snapshot", "speculation-accept", "attribution-snapshot", "task-summary")

func knownKind(kind []byte) bool {
	return known[string(kind)] || bytes.HasPrefix(kind, []byte("artifact-"))
}

// A reader reads one session.
type reader struct {
	ctx      context.Context
	b        *transcript.Builder
	s        *transcript.Session
	scan     jsonscan.Scanner
	rec      record
	file     file
	progress func(int64)
	read     int64 // bytes so far
	size     int64 // of the main file

	seed      maphash.Seed
	uuids     transcript.Numbers // of all files, with the node if it is one: a record that is there twice counts once
	seen      transcript.Numbers // what was said, and by which record: some clients write it anew under other uuids
	number    int32              // of the record
	answers   transcript.Numbers // their numbers by the message's id
	others    map[several]int32  // of messages that have several
	asked     []asked            // by answer
	names     map[string]string
	paths     map[string][]string
	early     map[string]edited // by call: of results that stand before it
	nodes     []node
	lost      map[int32][2]uint64 // parents of nodes that are not there so far
	buf       []byte
	said      [][]byte          // room for what is compared
	typings   [][]byte          // and for what a turn holds
	prompted  []transcript.Span // with where it stands
	spans     []transcript.Span // of a result
	queue     queue
	agents    agents
	titles    map[string]string
	summaries []summary
}

// A file is the one that is being read.
type file struct {
	source int32
	base   int64 // of the record's first byte in the source
	agent  int32 // whose it is
	own    bool  // it is the main file
}

// A summary names the session that a record is of.
type summary struct {
	leaf  uint64
	title string
}

// Read indexes the session whose main file is at path.
func (f Format) Read(ctx context.Context, path string, progress func(int64)) (_ *transcript.Session, err error) {
	b := transcript.NewBuilder(f.Agent(), path)
	r := &reader{
		ctx: ctx, b: b, s: b.Session(), progress: progress, seed: maphash.MakeSeed(),
		others: map[several]int32{},
		names:  map[string]string{}, paths: map[string][]string{}, early: map[string]edited{}, lost: map[int32][2]uint64{}, titles: map[string]string{},
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, r.s.Close())
		}
	}()
	r.queue.init()
	r.agents.init()
	if err := r.findAgents(path); err != nil {
		return nil, err
	}
	if err := r.readFile(path, transcript.Main, true); err != nil {
		return nil, err
	}
	if err := r.readAgents(); err != nil {
		return nil, err
	}
	r.attachAgents()
	r.entitle(path)
	gone := abandoned(r.found(), r.forks())
	for _, is := range gone {
		if is {
			r.s.Skipped.Abandoned.Records++
		}
	}
	if gone == nil {
		return b.Finish(nil)
	}
	return b.Finish(func(n int32) bool { return gone[n] })
}

func (r *reader) hash(parts ...[]byte) uint64 {
	if len(parts) == 1 {
		return maphash.Bytes(r.seed, parts[0]) | 1
	}
	var h maphash.Hash
	h.SetSeed(r.seed)
	for _, p := range parts {
		h.Write(p)
		h.WriteByte(0)
	}
	return h.Sum64() | 1 // 0 stands for none
}

// What to make room for.
const (
	bytesARecord = 1024
	maxExpected  = 1 << 20
)

// readFile reads the records of one file.
func (r *reader) readFile(path string, agent int32, own bool) error {
	r.file = file{agent: agent, own: own}
	if info, err := os.Stat(path); err == nil && own {
		r.size = info.Size()
		r.nodes = make([]node, 0, min(info.Size()/bytesARecord, maxExpected)) // which is not touched if it is not needed
	}
	log := transcript.Log{
		IsRecord: isRecord,
		Scan: func(line []byte) error {
			if err := r.rec.scan(&r.scan, line); err != nil || r.rec.kind != nil {
				return err
			}
			return transcript.ErrUntyped
		},
		Record: func(source int32, offset int64) {
			r.file.source, r.file.base = source, offset
			r.record()
		},
	}
	if r.progress != nil {
		log.Progress = func(bytes int64) { r.progress(r.read + bytes) }
	}
	return r.b.ReadLog(r.ctx, path, log)
}

// isRecord tells records from the objects inside them, which a damaged line may show.
func isRecord(object []byte, edge bool) bool {
	var r record
	var s jsonscan.Scanner
	if r.scan(&s, object) != nil || !knownKind(r.kind) {
		return false
	}
	switch string(r.kind) {
	case "user", "assistant", "system", "attachment", "progress":
		return r.session != nil || r.parent != nil || edge
	}
	return edge || r.session != nil || r.leaf != nil
}

func (r *reader) span(of text) transcript.Span {
	return transcript.Span{Source: r.file.source, Off: r.file.base + int64(of.From), Len: int32(of.Len())}
}

// record takes in the record that was scanned.
func (r *reader) record() {
	rec := &r.rec
	r.number++
	if !knownKind(rec.kind) {
		r.b.Unknown(jsonscan.DecodeString(rec.kind))
		return
	}
	if len(rec.uuid) > 0 {
		rec.id = r.hash(rec.uuid)
		is, isNew := r.uuids.At(rec.id)
		if !isNew {
			r.s.Skipped.KnownIgnored++
			return
		}
		*is = nowhere
	}
	if r.file.own {
		r.header(rec)
	}
	switch string(rec.kind) {
	case "user":
		r.user(rec, r.place(rec))
	case "assistant":
		r.assistant(rec, r.place(rec))
	case "attachment":
		r.attached(rec, r.place(rec))
	case "queue-operation":
		r.queued(rec)
	case "progress":
		r.progressed(rec, r.place(rec))
	case "summary", "ai-title", "custom-title":
		r.named(rec)
	case "cost-state":
		if rec.billed != nil && r.file.own {
			r.s.Billed = rec.billed
		}
		r.s.Skipped.KnownIgnored++
	default:
		r.place(rec)
		r.s.Skipped.KnownIgnored++
	}
}

// header takes what records of the main file say of the session.
func (r *reader) header(rec *record) {
	s := r.s
	if s.ID == "" && len(rec.session) > 0 {
		s.ID = jsonscan.DecodeString(rec.session)
	}
	if s.Cwd == "" && len(rec.cwd) > 0 {
		s.Cwd = jsonscan.DecodeString(rec.cwd)
	}
	if len(rec.version) > 0 && string(rec.version) != s.AgentVersion {
		s.AgentVersion = jsonscan.DecodeString(rec.version)
	}
	if len(rec.branch) > 0 && string(rec.branch) != s.Branch {
		s.Branch = jsonscan.DecodeString(rec.branch)
	}
}

// A place is whose a record is, and where in the tree.
type place struct {
	agent int32
	node  int32
	at    int64
}

func (r *reader) place(rec *record) place {
	p := place{agent: r.file.agent, node: transcript.None, at: transcript.NoTime}
	if rec.timestamp != nil {
		p.at = transcript.Time(rec.timestamp)
	}
	if !r.file.own {
		return p
	}
	if rec.sidechain {
		p.agent = r.inlineAgent(rec)
		return p
	}
	if len(rec.uuid) == 0 {
		return p
	}
	p.node = int32(len(r.nodes))
	r.uuids.Set(rec.id, p.node)
	if len(r.nodes) == cap(r.nodes) && r.file.base > 0 { // as many as there will be if it goes on like this
		r.nodes = slices.Grow(r.nodes, min(len(r.nodes), int(float64(len(r.nodes))*1.02*max(float64(r.size)/float64(r.file.base)-1, 0))+bytesARecord))
	}
	r.nodes = append(r.nodes, node{parent: r.parent(rec, p.node)})
	return p
}

// parent is the record that one follows.
func (r *reader) parent(rec *record, n int32) int32 {
	var ids [2]uint64
	for i, uuid := range [][]byte{rec.parent, rec.logical} {
		if len(uuid) > 0 {
			ids[i] = r.hash(uuid)
		}
	}
	if p, ok := r.uuids.Get(ids[0]); ok && p != nowhere && p != n {
		return p
	}
	if ids != [2]uint64{} { // it may stand further down
		r.lost[n] = ids
	}
	return nowhere
}

// found is the nodes' tree, with the parents that stood behind their children.
func (r *reader) found() []node {
	for n, ids := range r.lost {
		for _, id := range ids {
			if p, ok := r.uuids.Get(id); ok && p != n && p != nowhere {
				r.nodes[n].parent = p
				delete(r.lost, n)
				break
			}
		}
	}
	return r.nodes
}

// forks are the records that several name as their parent and that are not there: what follows each.
func (r *reader) forks() map[uint64][]int32 {
	children := map[uint64][]int32{}
	for n, ids := range r.lost {
		if ids[0] != 0 {
			children[ids[0]] = append(children[ids[0]], n)
		}
	}
	maps.DeleteFunc(children, func(_ uint64, of []int32) bool { return len(of) < 2 })
	return children
}

// class notes what a record is to the tree.
func (r *reader) class(p place, c class) {
	if p.node != transcript.None && c > r.nodes[p.node].class {
		r.nodes[p.node].class = c
	}
}

// named takes a name that the client gave the session.
func (r *reader) named(rec *record) {
	r.s.Skipped.KnownIgnored++
	if rec.title.Len() == 0 || !r.file.own {
		return
	}
	title := jsonscan.DecodeString(r.scan.Bytes(rec.title))
	if len(rec.leaf) > 0 {
		r.summaries = append(r.summaries, summary{r.hash(rec.leaf), title})
		return
	}
	r.titles[string(rec.kind)] = title
}

// entitle picks the session's name: the person's, else the client's. A summary may be that of a session it came from.
func (r *reader) entitle(path string) {
	for _, s := range r.summaries {
		if _, ours := r.uuids.Get(s.leaf); ours {
			r.titles["summary"] = s.title
		}
	}
	for _, kind := range []string{"summary", "ai-title", "custom-title"} {
		if title := r.titles[kind]; title != "" {
			r.s.Summary = title
		}
	}
	if r.s.ID == "" {
		r.s.ID = strings.TrimSuffix(filepath.Base(path), ".jsonl")
	}
}
