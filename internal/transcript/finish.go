// SPDX-License-Identifier: Apache-2.0

package transcript

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/fiftyarms/platform/internal/jsonscan"
)

// Finish makes the session: results find their calls, what abandoned tells of is left out, and the steps are put in
// order. abandoned may be nil.
func (b *Builder) Finish(abandoned func(record int32) bool) (*Session, error) {
	s := b.s
	b.match()
	if abandoned != nil {
		b.drop(abandoned)
	}
	b.order()
	b.sum()
	b.files()
	for i := range s.Steps {
		if p := s.Steps[i]; p.Kind == UserPrompt && p.Agent == Main {
			title, err := s.line(p.Text, maxTitle)
			if err != nil {
				return nil, err
			}
			if title != "" {
				s.Title = title
				break
			}
		}
	}
	s.Title = cmp.Or(s.Title, "Untitled session")
	s.Model = cmp.Or(s.Model, noModel)
	return s, nil
}

// match joins results with the calls of their ids.
func (b *Builder) match() {
	for i := range int32(b.results.n) {
		r := b.results.at(i)
		n := r.call
		if n < 0 {
			id := b.unknown[-n-1]
			if n = b.numberOf(id); n == None {
				b.s.Skipped.UnmatchedResults++
				b.s.Calls = append(b.s.Calls, Call{ID: id})
				b.s.Steps[r.step].Call = int32(len(b.s.Calls) - 1)
				continue
			}
		}
		call, step := &b.s.Calls[n], &b.s.Steps[r.step]
		step.Call = n
		call.Answered, call.IsError, call.Output = true, r.isError, step.Text
	}
}

// drop leaves out the steps of records, and counts them.
func (b *Builder) drop(abandoned func(int32) bool) {
	gone := &b.s.Skipped.Abandoned
	b.s.Steps = slices.DeleteFunc(b.s.Steps, func(p Step) bool {
		if p.record == None || !abandoned(p.record) {
			return false
		}
		switch p.Kind {
		case UserPrompt:
			gone.Prompts++
		case ToolCall:
			gone.ToolCalls++
			b.s.Calls[p.Call].Files = nil
		case ErrorRecovery:
			gone.Errors++
		}
		return true
	})
}

// order puts the steps by their times, if each has one; else each sub-agent's behind the call that started it.
func (b *Builder) order() {
	s := b.s
	timed := !slices.ContainsFunc(s.Steps, func(p Step) bool { return p.At == NoTime })
	if len(s.Agents) > 0 && !timed {
		s.Steps = b.behindCalls()
	}
	if timed {
		slices.SortStableFunc(s.Steps, func(a, b Step) int {
			switch {
			case a.At < b.At:
				return -1
			case a.At > b.At:
				return 1
			}
			return 0
		})
	}
}

func (b *Builder) behindCalls() []Step {
	s := b.s
	of := make(map[int32][]Step, len(s.Agents)) // by sub-agent
	started := map[string][]int32{}             // by call
	for n, a := range s.Agents {
		if b.Called(a.CallID) != nil {
			started[a.CallID] = append(started[a.CallID], int32(n))
		}
	}
	var rest []Step
	for _, p := range s.Steps {
		if p.Agent != Main && b.Called(s.Agents[p.Agent].CallID) != nil {
			of[p.Agent] = append(of[p.Agent], p)
		} else {
			rest = append(rest, p)
		}
	}
	ordered := make([]Step, 0, len(s.Steps))
	var put func([]Step)
	put = func(steps []Step) {
		for _, p := range steps {
			ordered = append(ordered, p)
			if p.Kind != ToolCall {
				continue
			}
			for _, agent := range started[s.Calls[p.Call].ID] {
				nested := of[agent]
				delete(of, agent) // also ends a circle
				put(nested)
			}
		}
	}
	put(rest)
	for n := range s.Agents { // a circle of agents, or the call is on a branch that was left
		put(of[int32(n)])
		delete(of, int32(n))
	}
	return ordered
}

// sum sums what the answers cost.
func (b *Builder) sum() {
	s := b.s
	for _, c := range s.answers.all() {
		s.Usage.Add(c.Tokens)
		model := s.ByModel[c.Model]
		model.Add(c.Tokens)
		s.ByModel[c.Model] = model
		if c.Agent != Main {
			a := &s.Agents[c.Agent]
			a.Usage.Add(c.Tokens)
			if a.Model == "" {
				a.Model = c.Model
			}
		}
	}
	for model, t := range s.Billed {
		s.Billed[model] = t.sound()
	}
}

// files lists what calls changed that did not fail.
func (b *Builder) files() {
	seen := map[string]bool{}
	for i := range b.s.Steps {
		p := &b.s.Steps[i]
		if p.Kind != ToolCall || b.s.Calls[p.Call].IsError {
			continue
		}
		for _, f := range b.s.Calls[p.Call].Files {
			if f != "" && !seen[f] {
				seen[f] = true
				b.s.FilesChanged = append(b.s.FilesChanged, f)
			}
		}
	}
}

const maxTitle = 120 // characters

// line is text on one line, at most so many characters of it.
func (s *Session) line(text []Span, most int) (string, error) {
	whole, err := s.Text(text, maxRead)
	if err != nil {
		return "", err
	}
	var out strings.Builder
	n, gap := 0, false
	for _, r := range whole {
		if unicode.IsSpace(r) || unicode.IsControl(r) {
			gap = n > 0
			continue
		}
		if gap {
			if n+1 >= most {
				break
			}
			out.WriteByte(' ')
			n++
			gap = false
		}
		if n == most {
			break
		}
		out.WriteRune(r)
		n++
	}
	return out.String(), nil
}

const maxRead = 64 << 10

// Text is text, its parts a newline apart. Of each part at most so many bytes are read, as they stand in the log.
func (s *Session) Text(parts []Span, most int) (string, error) {
	var out []byte
	for i, at := range parts {
		if i > 0 {
			out = append(out, '\n')
		}
		raw := make([]byte, min(int(at.Len), most))
		if n, err := s.Source(at).ReadAt(raw, at.Off); n < len(raw) {
			return "", fmt.Errorf("read %s: %w", s.Path, err)
		}
		if s.Source(at).Plain {
			out = append(out, bytes.ToValidUTF8(raw, []byte("\ufffd"))...)
		} else {
			out = jsonscan.Decode(out, raw)
		}
	}
	return string(out), nil
}
