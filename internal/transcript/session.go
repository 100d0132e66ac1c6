// SPDX-License-Identifier: Apache-2.0

// Package transcript is what a session of a coding agent comes down to, whichever agent it was: steps that say where in
// the session's files their text stands, who made them, and what they cost. A session is indexed: a step is some numbers,
// its text is read when it is written somewhere. What is held is what stands in no file, or not in one piece, and is short.
//
// The packages below read the files of one agent each. They fill a Builder, which keeps the rules that hold for all.
package transcript

import (
	"errors"
	"io"
	"iter"
	"math"

	"github.com/fiftyarms/platform/internal/safefile"
)

// A Span is text in one of a session's sources.
type Span struct {
	Source int32
	Len    int32
	Off    int64
}

// A Source is where text stands.
type Source struct {
	io.ReaderAt
	Plain bool // it is text as it is; else that of JSON strings, with their escapes
}

// A Kind says what a step is.
type Kind uint8

// The kinds, named as the trace names them.
const (
	UserPrompt Kind = iota
	AssistantMessage
	Thinking
	ToolCall
	ToolResult
	ErrorRecovery
)

func (k Kind) String() string {
	return [...]string{"user_prompt", "assistant_message", "thinking", "tool_call", "tool_result", "error_recovery"}[k]
}

// NoTime stands for a time that the log does not have.
const NoTime = math.MinInt64

// Main is the agent that the person speaks to; sub-agents count from 0.
const Main = -1

// None stands for no call, no result and no record.
const None = -1

// A Step is one thing that happened.
type Step struct {
	At     int64 // nanoseconds since 1970, or NoTime
	Text   []Span
	Agent  int32 // in Session.Agents, or Main
	Call   int32 // of a call, result or error: in Session.Calls, or None
	record int32
	Images uint16
	Kind   Kind
}

// A Call is an agent's use of a tool, with what came of it.
type Call struct {
	ID, Name string
	Input    Span // a JSON object; of no length if there is none
	Output   []Span
	Files    []string // what it changes if it succeeds
	Diff     *Diff    // nil if the log has none
	Encoded  bool     // Input is the text of a JSON string that holds the object
	Answered bool
	IsError  bool
}

// A Diff is what a log says of a change to a file: hunks, or a patch, or an old text and a new one.
type Diff struct {
	Path     string
	Hunks    Span // a JSON array of {oldStart, oldLines, newStart, newLines, lines}
	Patch    Span
	Old, New Span
	Has      bool // the log has Patch, or Old and New, though they may be empty
}

// An Agent is a sub-agent.
type Agent struct {
	ID, Type, Description, CallID, Model string
	Usage                                Tokens
}

// Tokens are what answers cost.
type Tokens struct {
	Input, Output, CacheRead, CacheCreation, CacheCreation5m, CacheCreation1h int64
}

// An Answer is what one answer of a model cost.
type Answer struct {
	ID    string // of its message, and of its request behind a space; empty where the log does not name it
	Model string
	Agent int32
	Tokens
}

// Add adds what other answers cost.
func (t *Tokens) Add(o Tokens) {
	t.Input = plus(t.Input, o.Input)
	t.Output = plus(t.Output, o.Output)
	t.CacheRead = plus(t.CacheRead, o.CacheRead)
	t.CacheCreation = plus(t.CacheCreation, o.CacheCreation)
	t.CacheCreation5m = plus(t.CacheCreation5m, o.CacheCreation5m)
	t.CacheCreation1h = plus(t.CacheCreation1h, o.CacheCreation1h)
}

// plus is a sum of counts, which ends at what there is numbers for.
func plus(a, b int64) int64 {
	if sum := a + b; sum >= a {
		return sum
	}
	return math.MaxInt64
}

// All are the tokens together, whatever they cost.
func (t *Tokens) All() int64 {
	return plus(plus(t.Input, t.Output), plus(t.CacheRead, t.CacheCreation))
}

// maxTokens is more than any answer has. A log that says otherwise, or less than nothing, says nothing.
const maxTokens = 1 << 40

// sound is what can be believed of counts.
func (t Tokens) sound() Tokens {
	for _, n := range []*int64{&t.Input, &t.Output, &t.CacheRead, &t.CacheCreation, &t.CacheCreation5m, &t.CacheCreation1h} {
		if *n < 0 || *n > maxTokens {
			*n = 0
		}
	}
	t.CacheCreation = max(t.CacheCreation, t.CacheCreation5m+t.CacheCreation1h)
	return t
}

// Skipped counts what is in the log and not in the steps.
type Skipped struct {
	Malformed, KnownIgnored, Unknown, Blank, Recovered, UnmatchedResults int64
	UnknownTypes                                                         map[string]int64
	Abandoned                                                            Abandoned
}

// Abandoned counts what branches hold that the person left.
type Abandoned struct{ Records, Prompts, ToolCalls, Errors int64 }

// A Damage is a place in a file that could not be read whole.
type Damage struct {
	File      string
	Line      int64
	Offset    int64 // where the line begins
	Reason    string
	Recovered int // whole records that it gave back
}

// A Session is one session, indexed.
type Session struct {
	Agent, AgentVersion, ID, Cwd, Path string
	Branch                             string // that the log names last
	Title, Summary, Model              string
	Steps                              []Step // in order
	Calls                              []Call
	Agents                             []Agent
	FilesChanged                       []string
	Usage                              Tokens
	ByModel                            map[string]Tokens
	Billed                             map[string]Tokens // the client's own count by model, where it keeps one
	Skipped                            Skipped
	Damage                             []Damage // the first of them
	Bytes                              int64    // of the files that were read
	sources                            []Source
	closers                            []io.Closer
	answers                            answers
}

// Close lets go of the session's files.
func (s *Session) Close() error {
	var failed error
	for _, c := range s.closers {
		failed = errors.Join(failed, c.Close())
	}
	s.closers = nil
	return failed
}

// Answers are what the session's answers cost, each once.
func (s *Session) Answers() iter.Seq[Answer] {
	return func(yield func(Answer) bool) {
		for n, a := range s.answers.all() {
			a.ID = string(s.answers.id(n))
			if !yield(a) {
				return
			}
		}
	}
}

// Source is where a span's text stands.
func (s *Session) Source(of Span) Source { return s.sources[of.Source] }

// lazily is a small file beside a session's own that is open only while it is read.
type lazily string

func (l lazily) ReadAt(p []byte, off int64) (n int, err error) {
	f, _, err := safefile.Open(string(l))
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	return f.ReadAt(p, off)
}
