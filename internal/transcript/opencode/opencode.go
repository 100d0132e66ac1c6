// SPDX-License-Identifier: Apache-2.0

// Package opencode reads opencode's sessions: from its database, of which a session is named path#id, and from the
// folders of files that versions before 1.2 kept. Both hold the same: sessions of messages of parts.
package opencode

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/fiftyarms/platform/internal/jsonscan"
	"github.com/fiftyarms/platform/internal/safefile"
	"github.com/fiftyarms/platform/internal/transcript"
)

// Format reads opencode's sessions.
type Format struct{}

// Agent names opencode.
func (Format) Agent() string { return "opencode" }

// A reader reads one session, and those that it started.
type reader struct {
	ctx      context.Context
	from     store
	b        *transcript.Builder
	s        *transcript.Session
	spool    *spool
	source   int32
	scan     jsonscan.Scanner
	msg      message
	prt      part
	progress func(int64)
	seen     map[string]bool // sessions
	begun    map[string]begun

	// Of the message that is read:
	base   int64 // where the part begins that was spooled last
	clock  int64 // milliseconds: of the part before, for one that has no time
	agent  int32
	record int32 // gone, or transcript.None
	prompt []transcript.Span
	files  int32 // that are beside the prompt
	images int32
	steps  []transcript.Tokens // what the steps of the answer cost
}

// A begun is the call that started a session.
type begun struct {
	call, kind, describes string
	gone                  bool // it was taken back, and what the session did with it
}

// gone is the record of every step that was taken back.
const gone = 0

// Read indexes the session that path names: path#id, or of a database without an id the newest.
func (f Format) Read(ctx context.Context, path string, progress func(int64)) (_ *transcript.Session, err error) {
	from, main, path, err := open(ctx, path)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, from.close()) }()
	b := transcript.NewBuilder(f.Agent(), path)
	r := &reader{ctx: ctx, from: from, b: b, s: b.Session(), progress: progress, seen: map[string]bool{}, begun: map[string]begun{}}
	defer func() {
		if err != nil {
			err = errors.Join(err, r.s.Close())
		}
	}()
	if r.spool, err = newSpool(); err != nil {
		return nil, err
	}
	r.source = b.AddSource(r.spool, false)
	if files, ok := from.(*tree); ok {
		files.unread = b.Unread
	}
	r.s.ID, r.s.Cwd, r.s.AgentVersion, r.s.Summary = main.id, main.directory, main.version, main.name()
	if err := r.session(main, transcript.Main, false); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if err := r.spool.w.Flush(); err != nil {
		return nil, err
	}
	return b.Finish(func(int32) bool { return true })
}

// open finds the session that path names, and names it in full.
func open(ctx context.Context, path string) (_ store, _ session, name string, err error) {
	file, id := split(path)
	is, err := isDatabase(file)
	if err != nil {
		return nil, session{}, "", err
	}
	if !is {
		name, ok := strings.CutSuffix(filepath.Base(file), ".json")
		if !ok {
			return nil, session{}, "", fmt.Errorf("%s: neither a database nor the .json of a session", file)
		}
		t := openTree(file)
		s, err := t.session(ctx, name)
		if err == nil && !plain(s.id) {
			err = fmt.Errorf("%s is no session", file)
		}
		return t, s, file, err
	}
	d, err := openDatabase(ctx, file)
	if err != nil {
		return nil, session{}, "", err
	}
	defer func() {
		if err != nil {
			err = errors.Join(fmt.Errorf("%s: %w", path, err), d.close())
		}
	}()
	if id != "" {
		s, err := d.session(ctx, id)
		return d, s, file + "#" + id, err
	}
	roots, err := d.roots(ctx)
	if err == nil && len(roots) == 0 {
		err = errors.New("there is no session in it")
	}
	if err != nil {
		return nil, session{}, "", err
	}
	return d, roots[0], file + "#" + roots[0].id, nil
}

func isDatabase(path string) (is bool, err error) {
	f, _, err := safefile.Open(path)
	if err != nil {
		return false, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	head := make([]byte, len(magic))
	n, err := io.ReadFull(f, head)
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return false, err
	}
	return string(head[:n]) == magic, nil
}

// session reads a session and then those that it started.
func (r *reader) session(at session, agent int32, taken bool) error {
	r.seen[at.id] = true
	ids, err := r.from.messages(r.ctx, at.id)
	if err != nil {
		return err
	}
	for _, id := range ids {
		if err := r.ctx.Err(); err != nil {
			return err
		}
		if r.progress != nil {
			r.progress(r.s.Bytes)
		}
		if err := r.message(at, id, agent, taken); err != nil {
			return err
		}
	}
	children, err := r.from.children(r.ctx, at.id)
	if err != nil {
		return err
	}
	for _, child := range children {
		if r.seen[child.id] {
			continue // a circle
		}
		n := r.b.Agent(child.id)
		by := r.begun[child.id]
		a := &r.s.Agents[n]
		if a.CallID, a.Type, a.Description = by.call, by.kind, by.describes; a.Description == "" {
			a.Description = child.name()
		}
		if err := r.session(child, n, taken || by.gone); err != nil {
			return err
		}
	}
	return nil
}

func (r *reader) damaged(what, id string, err error) {
	r.b.Damaged(transcript.Damage{File: r.s.Path, Reason: what + " " + id + ": " + err.Error()})
}

// message reads a message with its parts.
func (r *reader) message(in session, id string, agent int32, taken bool) error {
	data, err := r.from.message(r.ctx, in.id, id)
	if errors.Is(err, errLost) {
		return nil
	} else if err != nil {
		return err
	}
	r.s.Bytes += int64(len(data))
	m := &r.msg
	if err := m.scan(&r.scan, data); err != nil {
		r.damaged("message", id, err)
		return nil
	}
	if m.role != "user" && m.role != "assistant" {
		r.b.Unknown("message " + m.role)
		return nil
	}
	taken = taken || in.revert.takes(id)
	if taken {
		r.s.Skipped.Abandoned.Records++
	}
	r.clock, r.agent, r.prompt, r.files, r.images, r.steps = m.created, agent, nil, 0, 0, r.steps[:0]
	err = r.from.parts(r.ctx, id, func(part string, data []byte) error {
		r.s.Bytes += int64(len(data))
		if err := r.prt.scan(&r.scan, data); err != nil {
			r.damaged("part", part, err)
			return nil
		}
		r.record = transcript.None
		if taken || in.revert.takesPart(id, part) {
			r.record = gone
		}
		return r.part(part, data)
	})
	if err != nil {
		return err
	}
	if m.role == "user" {
		r.record = transcript.None
		if taken {
			r.record = gone
		}
		r.ask()
		return nil
	}
	r.paid(id)
	return nil
}

// paid adds what an answer cost. Old versions keep no more than its last step's tokens in it.
func (r *reader) paid(id string) {
	m := &r.msg
	if r.agent == transcript.Main && r.s.Model == "" {
		r.s.Model = m.model
	}
	cost, has := m.tokens, m.hasTokens
	if len(r.steps) > 1 || !has && len(r.steps) == 1 {
		cost, has = transcript.Tokens{}, true
		for _, step := range r.steps {
			cost.Add(step)
		}
	}
	if has {
		r.b.Cost([]byte(id), m.model, r.agent, cost)
	}
}
