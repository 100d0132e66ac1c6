// SPDX-License-Identifier: Apache-2.0

// Package stats counts what sessions cost. An answer counts once, though a session that was resumed or forked holds a
// copy of it.
package stats

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"text/tabwriter"

	"github.com/fiftyarms/platform/gen/trace"
	"github.com/fiftyarms/platform/internal/flatbread/tracefile"
	"github.com/fiftyarms/platform/internal/transcript"
)

// A Report is what sessions cost.
type Report struct {
	trace.Stats
	main, sub transcript.Tokens
	models    map[string]transcript.Tokens
	billed    map[string]transcript.Tokens
	answers   map[string]bool // that were counted
}

// New begins a report.
func New() *Report {
	r := &Report{models: map[string]transcript.Tokens{}, answers: map[string]bool{}}
	r.Unread, r.ByModel = []string{}, map[string]trace.Tokens{}
	return r
}

// Add counts a session.
func (r *Report) Add(s *transcript.Session) {
	r.Sessions++
	r.SubAgents += int64(len(s.Agents))
	r.Malformed += s.Skipped.Malformed
	for i := range s.Steps {
		switch s.Steps[i].Kind {
		case transcript.UserPrompt:
			if s.Steps[i].Agent == transcript.Main {
				r.Prompts++
			}
		case transcript.ToolCall:
			r.ToolCalls++
		case transcript.ErrorRecovery:
			r.Errors++
		}
	}
	for a := range s.Answers() {
		if id := s.Agent + " " + a.ID; a.ID != "" {
			if r.answers[id] {
				continue
			}
			r.answers[id] = true
		}
		if a.Agent == transcript.Main {
			r.main.Add(a.Tokens)
		} else {
			r.sub.Add(a.Tokens)
		}
		model := r.models[a.Model]
		model.Add(a.Tokens)
		r.models[a.Model] = model
	}
	if r.billed = nil; r.Sessions == 1 {
		r.billed = s.Billed
	}
	all := r.main
	all.Add(r.sub)
	r.Main, r.Sub, r.Total, r.ByModel = tracefile.Tokens(r.main), tracefile.Tokens(r.sub), tracefile.Tokens(all), tracefile.ByModel(r.models)
	if r.Billed = nil; r.billed != nil {
		r.Billed = tracefile.ByModel(r.billed)
	}
}

// Print tells people.
func (r *Report) Print(to io.Writer) error {
	fmt.Fprintf(to, "%d sessions with %d sub-agents: %d prompts, %d calls, %d errors\n\n", r.Sessions, r.SubAgents, r.Prompts, r.ToolCalls, r.Errors)
	w := tabwriter.NewWriter(to, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "tokens\tin\tout\tcache read\tcache written\tfor 5 min\tfor 1 h\t")
	row := func(name string, t transcript.Tokens) {
		fmt.Fprintf(w, "%s\t%d\t%d\t%d\t%d\t%d\t%d\t\n", name, t.Input, t.Output, t.CacheRead, t.CacheCreation, t.CacheCreation5m, t.CacheCreation1h)
	}
	byCost := slices.SortedFunc(maps.Keys(r.models), func(a, b string) int {
		return cmp.Or(cmp.Compare(r.models[b].Output, r.models[a].Output), cmp.Compare(a, b))
	})
	for _, model := range byCost {
		row(model, r.models[model])
	}
	row("main agent", r.main)
	row("sub-agents", r.sub)
	all := r.main
	all.Add(r.sub)
	row("all", all)
	if r.billed != nil {
		var billed transcript.Tokens
		for _, t := range r.billed {
			billed.Add(t)
		}
		row("client's own count", billed)
	}
	if err := w.Flush(); err != nil {
		return err
	}
	for _, u := range r.Unread {
		fmt.Fprintf(to, "not read: %s\n", u)
	}
	return nil
}
