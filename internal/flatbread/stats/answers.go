// SPDX-License-Identifier: Apache-2.0

package stats

import (
	"maps"
	"slices"
	"strings"

	"github.com/fiftyarms/platform/internal/transcript"
)

// A message is what an answer is known by in all files, but for the request.
type message struct{ agent, id string }

// An answer is one that was seen, in how many files however.
type answer struct {
	request string // empty as long as no file named it
	model   string
	main    bool
	transcript.Tokens
}

// answers are those that share a message, each with a request of its own.
type answers []answer

// with takes in an answer of a file. Of copies the most complete counts: a client writes an answer as far as it has come.
// A gateway leaves out the request, and the message alone tells. A sub-agent that was handed its parent's conversation
// has the parent's answers under requests of its own, for which nobody paid.
func (list answers) with(in answer) answers {
	at := slices.IndexFunc(list, func(a answer) bool { return a.request == in.request })
	if at < 0 {
		at = slices.IndexFunc(list, func(a answer) bool { return a.request == "" || in.request == "" })
	}
	if at < 0 {
		list = append(list, in)
	} else {
		known := &list[at]
		known.main = known.main || in.main
		if known.request == "" {
			known.request = in.request
		}
		if in.Output > known.Output || in.Output == known.Output && all(in.Tokens) > all(known.Tokens) {
			known.model, known.Tokens = in.model, in.Tokens
		}
	}
	if slices.ContainsFunc(list, func(a answer) bool { return a.main }) {
		list = slices.DeleteFunc(list, func(a answer) bool { return !a.main })
	}
	return list
}

func all(t transcript.Tokens) int64 { return t.Input + t.Output + t.CacheRead + t.CacheCreation }

// spent is what answers cost.
type spent struct {
	main, sub transcript.Tokens
	models    map[string]transcript.Tokens
}

func (s *spent) add(a answer) {
	if a.main {
		s.main.Add(a.Tokens)
	} else {
		s.sub.Add(a.Tokens)
	}
	model := s.models[a.model]
	model.Add(a.Tokens)
	s.models[a.model] = model
}

func (s *spent) total() transcript.Tokens {
	t := s.main
	t.Add(s.sub)
	return t
}

// answered takes in what a session's answers cost.
func (r *Report) answered(s *transcript.Session) {
	for a := range s.Answers() {
		in := answer{model: a.Model, main: a.Agent == transcript.Main, Tokens: a.Tokens}
		if a.ID == "" {
			r.unnamed.add(in)
			continue
		}
		key := message{agent: s.Agent}
		key.id, in.request, _ = strings.Cut(a.ID, " ")
		r.answers[key] = r.answers[key].with(in)
	}
}

// spent sums what all answers cost, each once.
func (r *Report) spent() spent {
	sum := r.unnamed
	sum.models = maps.Clone(sum.models)
	for _, list := range r.answers {
		for _, a := range list {
			sum.add(a)
		}
	}
	return sum
}
