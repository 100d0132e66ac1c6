// SPDX-License-Identifier: Apache-2.0

package claude

import (
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

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
	failed      bool
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
// What cannot be looked into is told and costs no more than that: the session is in the main file.
func (r *reader) findAgents(path string) error {
	add := func(file string) {
		id := strings.TrimSuffix(strings.TrimPrefix(filepath.Base(file), "agent-"), ".jsonl")
		if !r.agents.filed[id] {
			r.agents.filed[id] = true
			r.agents.files = append(r.agents.files, agentFile{file, id})
		}
	}
	below := filepath.Join(folder(path), "subagents")
	err := filepath.WalkDir(below, func(file string, d fs.DirEntry, err error) error {
		switch {
		case nothing(err):
		case err != nil:
			r.b.Unread(file, err)
		case isAgent(file) && d.Type().IsRegular():
			add(file)
		}
		return r.ctx.Err()
	})
	if err != nil || isAgent(path) {
		return err
	}
	return flat.each(path, add, r.b.Unread)
}

// folder is that of a session's sub-agents and outputs. Where the name of its file has no ending, none can be there.
func folder(path string) string { return strings.TrimSuffix(path, ".jsonl") }

// nothing tells whether an error says no more than that nothing is at a path.
func nothing(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR)
}

func isAgent(path string) bool {
	name := filepath.Base(path)
	return strings.HasPrefix(name, "agent-") && strings.HasSuffix(name, ".jsonl")
}

// readAgents reads the files of sub-agents, after the main file. One that cannot be read is told.
func (r *reader) readAgents() error {
	for _, f := range r.agents.files {
		n := r.b.Agent(f.id)
		if err := r.meta(f, n); err != nil {
			r.b.Unread(metaOf(f), err)
		}
		r.read = r.s.Bytes
		if err := r.readFile(f.path, n, false); err != nil {
			if ended := r.ctx.Err(); ended != nil {
				return ended
			}
			r.b.Unread(f.path, err)
		}
	}
	return nil
}

const maxMeta = 1 << 20 // bytes

func metaOf(f agentFile) string { return strings.TrimSuffix(f.path, ".jsonl") + ".meta.json" }

// meta reads what stands beside a sub-agent's file. Without it, its call may be found by other ways.
func (r *reader) meta(f agentFile, n int32) error {
	file, _, err := safefile.Open(metaOf(f))
	if nothing(err) || errors.Is(err, safefile.ErrNotPlain) {
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
		return nil // damaged, or cut
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
	for i := range r.s.Agents { // where both are known, a file beside the agent's knows better
		if a := &r.s.Agents[i]; a.CallID != "" {
			r.agents.calls[a.ID] = a.CallID
		}
	}
	for _, l := range r.agents.late {
		if r.b.Called(l.call) == nil {
			l.call = r.agents.calls[l.agent]
		}
		if r.b.Called(l.call) != nil {
			r.b.Result(l.p.at, l.p.agent, l.p.node, l.call, []transcript.Span{l.text}, 0, l.failed)
		}
	}
}
