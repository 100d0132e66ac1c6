// SPDX-License-Identifier: Apache-2.0

// Package stats counts what sessions cost. What a session that was resumed or forked copies from another counts once.
package stats

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"text/tabwriter"

	"github.com/fiftyarms/platform/gen/trace"
	"github.com/fiftyarms/platform/internal/cli"
	"github.com/fiftyarms/platform/internal/flatbread/tracefile"
	"github.com/fiftyarms/platform/internal/transcript"
)

// A Report is what sessions cost.
type Report struct {
	counts  trace.Stats // but for the tokens
	unnamed spent       // by answers that the logs do not name
	answers map[message]answers
	events  map[event]bool // that were counted
	billed  map[string]transcript.Tokens
}

// An event is a prompt, a call or an error as far as a copy of it in another log is the same.
type event struct {
	kind            transcript.Kind
	agent, id, name string
	at, length      int64
}

// New begins a report.
func New() *Report {
	r := &Report{answers: map[message]answers{}, events: map[event]bool{}}
	r.unnamed.models = map[string]transcript.Tokens{}
	r.counts.Unread = []string{}
	return r
}

// Add counts a session.
func (r *Report) Add(s *transcript.Session) {
	r.counts.Sessions++
	r.counts.SubAgents += int64(len(s.Agents))
	r.counts.Malformed += s.Skipped.Malformed
	for i := range s.Steps {
		p := &s.Steps[i]
		switch p.Kind {
		case transcript.UserPrompt:
			if p.Agent == transcript.Main && r.first(s, p) {
				r.counts.Prompts++
			}
		case transcript.ToolCall:
			if r.first(s, p) {
				r.counts.ToolCalls++
			}
		case transcript.ErrorRecovery:
			if r.first(s, p) {
				r.counts.Errors++
			}
		}
	}
	r.answered(s)
	if r.billed = nil; r.counts.Sessions == 1 {
		r.billed = s.Billed
	}
}

// unmistakable is how long an id is that no two calls have by chance. Some clients count their calls.
const unmistakable = 20

// first tells whether a step is no copy of one that was counted. A call is known by its id, and by its time where that
// may be another's too; a prompt, which has none, by its time and length.
func (r *Report) first(s *transcript.Session, p *transcript.Step) bool {
	e := event{kind: p.Kind, agent: s.Agent, at: p.At}
	if p.Call != transcript.None {
		e.id, e.name = s.Calls[p.Call].ID, s.Calls[p.Call].Name
	} else {
		for _, text := range p.Text {
			e.length += int64(text.Len)
		}
	}
	if len(e.id) >= unmistakable {
		e.at = transcript.NoTime
	} else if p.At == transcript.NoTime {
		return true
	}
	if r.events[e] {
		return false
	}
	r.events[e] = true
	return true
}

// Unread notes a session that could not be read.
func (r *Report) Unread(err error) { r.counts.Unread = append(r.counts.Unread, err.Error()) }

// Stats is the report for programs.
func (r *Report) Stats() trace.Stats {
	sum, out := r.spent(), r.counts
	out.Main, out.Sub, out.Total, out.ByModel = tracefile.Tokens(sum.main), tracefile.Tokens(sum.sub), tracefile.Tokens(sum.total()), tracefile.ByModel(sum.models)
	if r.billed != nil {
		out.Billed = tracefile.ByModel(r.billed)
	}
	return out
}

// Print tells people.
func (r *Report) Print(to io.Writer) error {
	var out bytes.Buffer // takes all that is written
	c := &r.counts
	fmt.Fprintf(&out, "%s with %s: %s, %s, %s", cli.Count(c.Sessions, "session"), cli.Count(c.SubAgents, "sub-agent"),
		cli.Count(c.Prompts, "prompt"), cli.Count(c.ToolCalls, "call"), cli.Count(c.Errors, "error"))
	if c.Malformed > 0 {
		fmt.Fprintf(&out, ", %s", cli.Count(c.Malformed, "damaged line"))
	}
	out.WriteString("\n\n")
	w := tabwriter.NewWriter(&out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "tokens\tin\tout\tcache read\tcache written\tfor 5 min\tfor 1 h\t")
	row := func(name string, t transcript.Tokens) {
		fmt.Fprintf(w, "%s\t%d\t%d\t%d\t%d\t%d\t%d\t\n", name, t.Input, t.Output, t.CacheRead, t.CacheCreation, t.CacheCreation5m, t.CacheCreation1h)
	}
	sum := r.spent()
	byCost := slices.SortedFunc(maps.Keys(sum.models), func(a, b string) int {
		return cmp.Or(cmp.Compare(sum.models[b].Output, sum.models[a].Output), cmp.Compare(a, b))
	})
	for _, model := range byCost {
		row(cli.Visible(model), sum.models[model])
	}
	row("main agent", sum.main)
	row("sub-agents", sum.sub)
	row("all", sum.total())
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
	for _, u := range c.Unread {
		fmt.Fprintf(&out, "not read: %s\n", cli.Visible(u))
	}
	_, err := out.WriteTo(to)
	return err
}
