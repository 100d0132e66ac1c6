// SPDX-License-Identifier: Apache-2.0

package tracefile

import (
	"github.com/fiftyarms/platform/gen/trace"
	"github.com/fiftyarms/platform/internal/transcript"
)

func sourceOf(s *transcript.Session) trace.Source {
	return trace.Source{Agent: trace.SourceAgent(s.Agent), AgentVersion: s.AgentVersion, SessionID: s.ID, Cwd: s.Cwd, SourcePath: s.Path}
}

// Tokens are what answers cost, as a trace names it.
func Tokens(t transcript.Tokens) trace.Tokens {
	return trace.Tokens{
		InputTokens: t.Input, OutputTokens: t.Output, CacheReadInputTokens: t.CacheRead, CacheCreationInputTokens: t.CacheCreation,
		CacheCreation5MInputTokens: t.CacheCreation5m, CacheCreation1HInputTokens: t.CacheCreation1h,
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
	t := s.Usage
	return trace.Usage{
		InputTokens: t.Input, OutputTokens: t.Output, CacheReadInputTokens: t.CacheRead, CacheCreationInputTokens: t.CacheCreation,
		CacheCreation5MInputTokens: t.CacheCreation5m, CacheCreation1HInputTokens: t.CacheCreation1h, ByModel: ByModel(s.ByModel),
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
