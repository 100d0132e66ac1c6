// SPDX-License-Identifier: Apache-2.0

package tracefile

import (
	"github.com/fiftyarms/platform/gen/trace"
	"github.com/fiftyarms/platform/internal/transcript"
)

func sourceOf(s *transcript.Session) trace.Source {
	return trace.Source{Agent: trace.SourceAgent(s.Agent), AgentVersion: s.AgentVersion, SessionID: s.ID, Cwd: s.Cwd, SourcePath: s.Path}
}

// Tokens are what answers cost, as a trace names it. A log may hold any number; less than nothing was not spent.
func Tokens(t transcript.Tokens) trace.Tokens {
	return trace.Tokens{
		InputTokens: max(t.Input, 0), OutputTokens: max(t.Output, 0), CacheReadInputTokens: max(t.CacheRead, 0), CacheCreationInputTokens: max(t.CacheCreation, 0),
		CacheCreation5MInputTokens: max(t.CacheCreation5m, 0), CacheCreation1HInputTokens: max(t.CacheCreation1h, 0),
	}
}

// ByModel is what the answers of each model cost, as a trace names it.
func ByModel(of map[string]transcript.Tokens) map[string]trace.Tokens {
	named := make(map[string]trace.Tokens, len(of))
	for model, t := range of {
		named[model] = Tokens(t)
	}
	return named
}

func usageOf(s *transcript.Session) trace.Usage {
	t := Tokens(s.Usage)
	return trace.Usage{
		InputTokens: t.InputTokens, OutputTokens: t.OutputTokens, CacheReadInputTokens: t.CacheReadInputTokens, CacheCreationInputTokens: t.CacheCreationInputTokens,
		CacheCreation5MInputTokens: t.CacheCreation5MInputTokens, CacheCreation1HInputTokens: t.CacheCreation1HInputTokens, ByModel: ByModel(s.ByModel),
	}
}

func agentsOf(s *transcript.Session) []trace.Agent {
	agents := make([]trace.Agent, len(s.Agents))
	for i, a := range s.Agents {
		agents[i] = trace.Agent{ID: a.ID, Type: a.Type, Description: a.Description, CallID: a.CallID, Model: a.Model, Usage: Tokens(a.Usage)}
	}
	return agents
}

func skippedOf(s *transcript.Session) trace.Skipped {
	k := s.Skipped
	return trace.Skipped{
		Malformed: k.Malformed, KnownIgnored: k.KnownIgnored, Unknown: k.Unknown, UnknownTypes: k.UnknownTypes, Blank: k.Blank,
		Recovered: k.Recovered, UnmatchedResults: k.UnmatchedResults,
		Abandoned: trace.Abandoned{Records: k.Abandoned.Records, Prompts: k.Abandoned.Prompts, ToolCalls: k.Abandoned.ToolCalls, Errors: k.Abandoned.Errors},
	}
}
