// SPDX-License-Identifier: Apache-2.0

// Package refused says why the API did not make a change to a board or a card: what is in the way, which cards that
// is, and what opens it. What is wrong with a single field is for the field to say.
package refused

import (
	"errors"
	"strconv"
	"strings"

	"github.com/fiftyarms/platform/gen/dash"
	"github.com/fiftyarms/platform/internal/dashboard/web/cardlink"
	"github.com/fiftyarms/platform/internal/dashboard/web/visible"
	"github.com/fiftyarms/platform/internal/dashboard/web/visit"
)

// Refusal is why nothing was changed, fit to be shown. The zero value is no refusal.
type Refusal struct {
	Text   string
	Reason string // what a person or an agent said when the gate was shut
	Next   string
	Cards  []cardlink.Link
	Points []string // what is to be done, or is not done
	Status int      // for HTTP
}

// Any says whether something was refused.
func (r Refusal) Any() bool { return r.Text != "" }

// Explain puts into words what the API refused for the sake of other cards or of other people. Any other error is for
// the page, or for no page at all.
func Explain(err error) (Refusal, bool) {
	refusal, _ := errors.AsType[dash.Refusal](err)
	var out Refusal
	switch r := refusal.(type) {
	case dash.GateFailedRefusal:
		out = gate(r)
	case dash.VersionConflictRefusal:
		out.Text = changed(r.Current) + " has changed since this page was made."
		out.Next = "Look at what is there now, and send it again if you still want it."
	case dash.DependencyCycleRefusal:
		out.Text = visit.Sentence(r.Message)
		path := make([]string, len(r.Path))
		for i, id := range r.Path {
			path[i] = visible.Text(id, 30)
		}
		out.Reason = strings.Join(path, " waits for ")
		out.Next = "Let one of these cards wait for another no longer."
	case dash.UnknownIssuesRefusal:
		out.Text = visit.Sentence(r.Message)
	case dash.UnknownAgentRefusal:
		out.Text = visit.Sentence(r.Message)
	case dash.InvalidParentRefusal:
		out.Text = visit.Sentence(r.Message)
	case dash.PrefixTakenRefusal:
		out.Text = visit.Sentence(r.Message)
		out.Next = "Choose another prefix: it begins the id of each card of the board."
	case dash.LimitReachedRefusal:
		out.Text = visit.Sentence(r.Message)
	case dash.IdempotencyKeyReusedRefusal:
		out.Text = "This form was sent before, with something else in it."
		out.Next = "Open the page again to send another."
	case dash.NotAnImageRefusal:
		out.Text = visit.Sentence(visible.Text(r.Message, 400))
	case dash.TooLargeRefusal:
		out.Text = "That is more than fits: at most " + strconv.FormatInt(r.Limit, 10) + " bytes."
	default:
		return Refusal{}, false
	}
	out.Status = refusal.RefusalStatus()
	return out, true
}

// changed is what has changed.
func changed(now dash.Current) string {
	switch {
	case now.Issue != nil:
		return visible.Text(now.Issue.ID, 30)
	case now.Board != nil:
		return "The board"
	case now.Item != nil:
		return "The item"
	}
	return "It"
}

func gate(r dash.GateFailedRefusal) Refusal {
	out := Refusal{Text: visit.Sentence(r.Message), Next: visit.Sentence(r.Next)}
	if r.Reason != nil {
		out.Reason = visible.Text(*r.Reason, 1000)
	}
	out.Cards = append(append(cardlink.All(r.NonTerminalPhases), cardlink.All(r.WaitsFor)...), cardlink.All(r.ConflictsWith)...)
	if r.Parent != nil {
		out.Cards = append(out.Cards, cardlink.From(*r.Parent))
	}
	for _, step := range r.Steps {
		out.Points = append(out.Points, visible.Text(step, 1000))
	}
	for _, item := range r.OpenItems {
		out.Points = append(out.Points, visible.Text(item.Title, 300))
	}
	return out
}
