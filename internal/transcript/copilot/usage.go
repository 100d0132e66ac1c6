// SPDX-License-Identifier: Apache-2.0

package copilot

import (
	"maps"
	"slices"

	"github.com/fiftyarms/platform/internal/jsonscan"
	"github.com/fiftyarms/platform/internal/transcript"
)

// A usage is what a session cost, by each way of telling it. The totals that the client writes when it ends say most; one
// that was killed leaves the single calls, or no more than the output of its answers.
type usage struct {
	totals   map[string]tokens // by model
	records  []spent
	calls    []spent
	messages []spent
}

// A spent is what one answer cost.
type spent struct {
	model string
	agent int32
	tokens
}

func (u *usage) init() { u.totals = map[string]tokens{} }

// shutdown takes totals. They are of the whole session, so that those of one that went on hold those before.
func (u *usage) shutdown(models []modelTokens) {
	for _, m := range models {
		t := u.totals[m.model]
		u.totals[m.model] = tokens{max(t.input, m.input), max(t.output, m.output), max(t.read, m.read), max(t.written, m.written)}
	}
}

func (u *usage) record(d *data, agent int32) { u.records = append(u.records, spentOn(d, agent)) }

func (u *usage) call(d *data, agent int32) { u.calls = append(u.calls, spentOn(d, agent)) }

func (u *usage) message(d *data, agent int32) {
	if d.output > 0 {
		u.messages = append(u.messages, spent{spentOn(d, agent).model, agent, tokens{output: d.output}})
	}
}

func spentOn(d *data, agent int32) spent {
	return spent{jsonscan.DecodeString(d.model), agent, d.spent}
}

// add adds what is known best.
func (u *usage) add(b *transcript.Builder) {
	if len(u.totals) > 0 {
		for _, model := range slices.Sorted(maps.Keys(u.totals)) {
			cost(b, spent{model, transcript.Main, u.totals[model]})
		}
		return
	}
	best := u.messages
	switch {
	case len(u.records) > 0:
		best = u.records
	case len(u.calls) > 0:
		best = u.calls
	}
	for _, s := range best {
		cost(b, s)
	}
}

func cost(b *transcript.Builder, s spent) {
	b.Cost(nil, s.model, s.agent, transcript.Tokens{
		Input:         max(s.input-s.read-s.written, 0),
		Output:        s.output,
		CacheRead:     s.read,
		CacheCreation: s.written,
	})
}
