// SPDX-License-Identifier: Apache-2.0

package claude

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/fiftyarms/platform/internal/jsonl"
	"github.com/fiftyarms/platform/internal/jsonscan"
	"github.com/fiftyarms/platform/internal/safefile"
	"github.com/fiftyarms/platform/internal/transcript"
)

// agents are a session's sub-agents: which files they have, and which calls started them. The link is a file beside
// theirs, or what the client keeps of the call's result, or, in old versions, no more than the same prompt.
type agents struct {
	files  []agentFile
	filed  map[string]bool   // ids that have a file
	calls  map[string]string // call by agent
	begun  map[string]started
	byText map[uint64][]string // calls by their prompt
	prompt map[int32]uint64    // the first prompt of each agent
	inline map[uint64]int32    // sub-agents in the main file: agent by record
	last   int32
	late   []late
}

type agentFile struct{ path, id string }

type started struct{ kind, describes string }

// A late is a result that came after the turn that asked for it.
type late struct {
	call, agent string
	text        transcript.Span
	p           place
}

func (a *agents) init() {
	a.filed, a.calls, a.begun = map[string]bool{}, map[string]string{}, map[string]started{}
	a.byText, a.prompt, a.inline = map[uint64][]string{}, map[int32]uint64{}, map[uint64]int32{}
	a.last = transcript.Main
}

func (a *agents) called(call string, prompt uint64, kind, describes string) {
	a.begun[call] = started{kind, describes}
	a.byText[prompt] = append(a.byText[prompt], call)
}

func (a *agents) answered(agent, call string) {
	if _, known := a.calls[agent]; !known && call != "" {
		a.calls[agent] = call
	}
}

// findAgents lists the files of sub-agents: below the session's folder, and, as old versions have it, beside its file.
func (r *reader) findAgents(path string) error {
	add := func(file string) {
		id := strings.TrimSuffix(strings.TrimPrefix(filepath.Base(file), "agent-"), ".jsonl")
		if !r.agents.filed[id] {
			r.agents.filed[id] = true
			r.agents.files = append(r.agents.files, agentFile{file, id})
		}
	}
	below := filepath.Join(strings.TrimSuffix(path, ".jsonl"), "subagents")
	err := filepath.WalkDir(below, func(file string, d fs.DirEntry, err error) error {
		switch {
		case err != nil && errors.Is(err, fs.ErrNotExist):
			return nil
		case err != nil:
			return err
		case isAgent(file) && d.Type().IsRegular():
			add(file)
		}
		return nil
	})
	if err != nil {
		return err
	}
	beside, err := filepath.Glob(filepath.Join(globQuote(filepath.Dir(path)), "agent-*.jsonl"))
	if err != nil {
		return err
	}
	if len(beside) == 0 || isAgent(path) {
		return nil
	}
	session, err := sessionOf(path)
	if err != nil {
		return err
	}
	for _, file := range beside {
		if of, err := sessionOf(file); err != nil {
			return err
		} else if of == session && session != "" {
			add(file)
		}
	}
	return nil
}

func isAgent(path string) bool {
	name := filepath.Base(path)
	return strings.HasPrefix(name, "agent-") && strings.HasSuffix(name, ".jsonl")
}

// globQuote keeps what a path holds from meaning anything in a pattern.
func globQuote(path string) string {
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(path)
}

// sessionOf is the session that the first record of a file that names one is of.
func sessionOf(path string) (_ string, err error) {
	f, _, err := safefile.Open(path)
	if errors.Is(err, safefile.ErrNotPlain) {
		return "", nil
	} else if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	lines, rec, scan := jsonl.NewLines(io.LimitReader(f, 8<<20)), record{}, jsonscan.Scanner{}
	for {
		line, err := lines.Next()
		if errors.Is(err, io.EOF) {
			return "", nil
		} else if err != nil {
			return "", err
		}
		if rec.scan(&scan, line.Data) == nil && len(rec.session) > 0 {
			return jsonscan.DecodeString(rec.session), nil
		}
	}
}

// readAgents reads the files of sub-agents, after the main file.
func (r *reader) readAgents() error {
	for _, f := range r.agents.files {
		n := r.b.Agent(f.id)
		if err := r.meta(f, n); err != nil {
			return err
		}
		r.read = r.s.Bytes
		if err := r.readFile(f.path, n, false); err != nil {
			return err
		}
	}
	return nil
}

const maxMeta = 1 << 20 // bytes

// meta reads what stands beside a sub-agent's file. A damaged one is no reason to lose the sub-agent.
func (r *reader) meta(f agentFile, n int32) error {
	file, _, err := safefile.Open(strings.TrimSuffix(f.path, ".jsonl") + ".meta.json")
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, safefile.ErrNotPlain) {
		return nil
	} else if err != nil {
		return err
	}
	data, err := io.ReadAll(io.LimitReader(file, maxMeta))
	if err = errors.Join(err, file.Close()); err != nil {
		return err
	}
	var meta struct {
		AgentType, Description, ToolUseID string
	}
	if json.Unmarshal(data, &meta) != nil {
		return nil
	}
	a := &r.s.Agents[n]
	a.Type, a.Description, a.CallID = meta.AgentType, meta.Description, meta.ToolUseID
	return nil
}

// inlineAgent is whose a record of the main file is that is not of the main conversation.
func (r *reader) inlineAgent(rec *record) int32 {
	a := &r.agents
	n, known := int32(transcript.Main), false
	switch {
	case len(rec.agent) > 0:
		n, known = r.b.Agent(jsonscan.DecodeString(rec.agent)), true
	case len(rec.parent) > 0:
		var of int32
		if of, known = a.inline[r.hash(rec.parent)]; known {
			n = of
		} else if a.last != transcript.Main {
			n, known = a.last, true
		}
	}
	if !known {
		n = r.b.Agent(jsonscan.DecodeString(rec.uuid))
	}
	a.last = n
	if len(rec.uuid) > 0 {
		a.inline[r.hash(rec.uuid)] = n
	}
	return n
}

// progressed takes what a sub-agent did, from the records that some versions keep of it in the main file. Where it has a
// file of its own, that tells it better.
func (r *reader) progressed(rec *record, p place) {
	if string(rec.progress) != "agent_progress" || len(rec.agent) == 0 || rec.nested == nil {
		r.s.Skipped.KnownIgnored++
		return
	}
	id := jsonscan.DecodeString(rec.agent)
	if len(rec.toolUse) > 0 {
		r.agents.answered(id, jsonscan.DecodeString(rec.toolUse))
	}
	in := rec.nested
	if len(in.uuid) > 0 && !r.first([]byte("progress"), in.uuid) {
		return
	}
	p = place{agent: r.b.Agent(id), node: transcript.None, at: p.at}
	if in.timestamp != nil {
		p.at = transcript.Time(in.timestamp)
	}
	filed := r.agents.filed[id]
	switch {
	case string(in.kind) == "assistant":
		r.answer(in, p, !filed)
	case string(in.kind) == "user" && !filed:
		r.user(in, p)
	}
}

// attachAgents finds the calls of the sub-agents, and gives those that ran in the background their late results.
func (r *reader) attachAgents() {
	taken := map[string]bool{}
	for i := range r.s.Agents {
		a := &r.s.Agents[i]
		if a.CallID == "" {
			a.CallID = r.agents.calls[a.ID]
		}
		taken[a.CallID] = true
	}
	for i := range r.s.Agents {
		a := &r.s.Agents[i]
		if a.CallID == "" {
			calls := r.agents.byText[r.agents.prompt[int32(i)]]
			if at := slices.IndexFunc(calls, func(c string) bool { return !taken[c] }); at >= 0 {
				a.CallID = calls[at]
				taken[a.CallID] = true
			}
		}
		begun := r.agents.begun[a.CallID]
		if a.Type == "" {
			a.Type = begun.kind
		}
		if a.Description == "" {
			a.Description = begun.describes
		}
	}
	for _, l := range r.agents.late {
		if r.b.Called(l.call) == nil {
			l.call = ""
			for i := range r.s.Agents {
				if r.s.Agents[i].ID == l.agent {
					l.call = r.s.Agents[i].CallID
				}
			}
		}
		if r.b.Called(l.call) != nil {
			r.b.Result(l.p.at, l.p.agent, l.p.node, l.call, []transcript.Span{l.text}, 0, false)
		}
	}
}

const (
	maxSpill  = 16 << 20 // bytes of an output that stands in a file of its own
	spillMark = "<persisted-output>"
	savedTo   = "Full output saved to: "
)

// spilled is the file that a result was written to because it was too large. Only the session's own folder is looked
// into, whatever the text says.
func (r *reader) spilled(raw []byte) (span transcript.Span, ok bool) {
	if !bytes.HasPrefix(raw, []byte(spillMark)) {
		return span, false
	}
	_, named, found := bytes.Cut(raw, []byte(savedTo))
	if !found {
		return span, false
	}
	if end := bytes.IndexAny(named, "\\\"<"); end >= 0 {
		named = named[:end]
	}
	name := string(named[bytes.LastIndexByte(named, '/')+1:])
	if name == "" || name == "." || name == ".." {
		return span, false
	}
	dir := filepath.Join(strings.TrimSuffix(r.s.Path, ".jsonl"), "tool-results")
	info, err := os.Lstat(filepath.Join(dir, name))
	if err != nil || !info.Mode().IsRegular() || info.Size() > maxSpill {
		return span, false
	}
	if real, err := filepath.EvalSymlinks(dir); err != nil || real != resolved(filepath.Dir(r.s.Path), strings.TrimSuffix(filepath.Base(r.s.Path), ".jsonl")) {
		return span, false // the folder itself leads elsewhere
	}
	return r.b.File(filepath.Join(dir, name), info.Size()), true
}

// resolved is where the session's folder of outputs is if no link leads out of the folder of sessions.
func resolved(dir, session string) string {
	real, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return ""
	}
	return filepath.Join(real, session, "tool-results")
}
