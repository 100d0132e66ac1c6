// SPDX-License-Identifier: Apache-2.0

package copilot

import (
	"github.com/fiftyarms/platform/internal/jsonscan"
	"github.com/fiftyarms/platform/internal/transcript"
)

// agents are a session's sub-agents. Their events name them by an id of their own, or by the call that started them, or
// by both.
type agents struct{ by map[string]int32 }

func (a *agents) init() { a.by = map[string]int32{} }

// agent is whose an event is.
func (r *reader) agent(rec *record) int32 {
	id, call := jsonscan.DecodeString(rec.agent), jsonscan.DecodeString(rec.data.parent)
	if id == "" && call == "" {
		return transcript.Main
	}
	return r.agents.number(r.b, id, call)
}

func (a *agents) number(b *transcript.Builder, id, call string) int32 {
	n, known := a.by[id]
	if id == "" || !known {
		if of, started := a.by[call]; started && call != "" {
			n, known = of, true
		}
	}
	if !known {
		name := id
		if name == "" {
			name = call
		}
		n = b.Agent(name)
	}
	for _, name := range []string{id, call} {
		if _, taken := a.by[name]; name != "" && !taken {
			a.by[name] = n
		}
	}
	if agent := &b.Session().Agents[n]; agent.CallID == "" {
		agent.CallID = call
	}
	return n
}

// told takes what an event says of a sub-agent itself.
func (a *agents) told(b *transcript.Builder, rec *record) {
	d := &rec.data
	id, call := jsonscan.DecodeString(rec.agent), jsonscan.DecodeString(d.call)
	if id == "" && call == "" {
		return
	}
	if n, known := a.by[id]; known && call != "" && b.Session().Agents[n].CallID != call && b.Session().Agents[n].CallID != "" {
		id = "" // it is told by the agent that started it
	}
	agent := &b.Session().Agents[a.number(b, id, call)]
	for _, of := range []struct {
		to   *string
		from []byte
	}{{&agent.Type, d.agentName}, {&agent.Description, d.agentShown}, {&agent.Model, d.model}} {
		if *of.to == "" {
			*of.to = jsonscan.DecodeString(of.from)
		}
	}
}

// attach joins sub-agents with the calls whose ids they have.
func (a *agents) attach(b *transcript.Builder) {
	for i := range b.Session().Agents {
		if agent := &b.Session().Agents[i]; agent.CallID == "" && b.Called(agent.ID) != nil {
			agent.CallID = agent.ID
		}
	}
}
