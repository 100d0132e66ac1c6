// SPDX-License-Identifier: Apache-2.0

package board

import (
	"errors"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/fiftyarms/platform/gen/dash"
	"github.com/fiftyarms/platform/internal/dashboard/web/apiclient"
	"github.com/fiftyarms/platform/internal/dashboard/web/layout"
	"github.com/fiftyarms/platform/internal/dashboard/web/place"
	"github.com/fiftyarms/platform/internal/dashboard/web/refused"
	"github.com/fiftyarms/platform/internal/dashboard/web/visit"
	"github.com/fiftyarms/platform/internal/dashboard/web/words"
)

// New is what a person has filled in for a new card.
type New struct{ Title, Type, Status, Description string }

func (n New) any() bool { return n != New{} }

// Move is what a person has chosen in the form that moves a card.
type Move struct {
	Card string
	To   place.Place
}

// posted begins a page for a form of the board: it comes back to the filter that the form carries.
func posted(v *visit.Visit) (page Page, err error) {
	ref, err := boardRef(v)
	if err != nil {
		return page, err
	}
	query, err := url.ParseQuery(v.Field("filter"))
	if err != nil {
		return page, wrong("filter", "is not well formed")
	}
	page.Ref, page.Filter = ref, filterOf(query)
	v.Here = path(ref, page.Filter.values())
	return page, nil
}

// Create makes a card on the board.
func Create(v *visit.Visit) error {
	page, err := posted(v)
	if err != nil {
		return err
	}
	page.New = New{
		Title: strings.TrimSpace(v.Field("title")), Type: v.Field("type"), Status: v.Field("status"),
		Description: strings.TrimSpace(v.Field("description")),
	}
	typ, status := dash.IssueType(page.New.Type), dash.IssueStatus(page.New.Status)
	create := dash.IssueCreate{Board: &page.Ref, Title: page.New.Title, Type: &typ, Status: &status}
	if page.New.Description != "" {
		create.Description = &page.New.Description
	}
	once := v.Field("once")
	_, err = apiclient.Check(v.API.CreateIssueWithResponse(v.R.Context(), &dash.CreateIssueParams{IdempotencyKey: &once}, create))
	return changed(v, err, page, map[string]visit.Field{
		"/title": {ID: "new-title", Label: "The title"}, "/type": {ID: "new-type", Label: "The type"},
		"/status": {ID: "new-status", Label: "The column"}, "/description": {ID: "new-description", Label: "The description"},
	})
}

// Shift moves a card to a column and a place in it.
func Shift(v *visit.Visit) error {
	page, err := posted(v)
	if err != nil {
		return err
	}
	page.Move = Move{Card: v.Field("card"), To: place.Of(v)}
	err = page.Move.To.Send(v, page.Ref, page.Move.Card)
	fields := place.Fields("move-" + page.Move.Card)
	if v.Field("hand") != "" { // the card was dropped where it should go: there is no form to come back
		page.Move, fields = Move{}, nil
	}
	return changed(v, err, page, fields)
}

// changed leads back to the board after a change. Where the API took none, it shows the board as it stands, with the
// reason and with what the person had filled in.
func changed(v *visit.Visit, err error, page Page, fields map[string]visit.Field) error {
	if invalid, ok := errors.AsType[dash.InvalidRequestRefusal](err); ok && !slices.ContainsFunc(invalid.Issues, func(f dash.Fault) bool { return f.In == dash.FaultInPath }) {
		page.Problems = visit.Problems(invalid, fields)
		return show(v, invalid.RefusalStatus(), page)
	}
	if r, ok := refused.Explain(err); ok {
		page.Refused = r
		return show(v, r.Status, page)
	}
	if err != nil {
		return err
	}
	return v.Go(v.Here)
}

func (p Page) newFields() []layout.Field {
	var types, statuses []layout.Option
	for _, t := range words.Types {
		types = append(types, layout.Option{Value: string(t), Label: string(t)})
	}
	for _, s := range dash.AllIssueStatuses {
		statuses = append(statuses, layout.Option{Value: string(s), Label: string(s)})
	}
	draft := p.New
	if draft.Status == "" {
		draft.Status = string(dash.IssueStatusToDo)
	}
	return []layout.Field{
		{Name: "title", ID: "new-title", Label: "Title", Type: "text", Value: draft.Title, MaxLength: 300, Problem: layout.For(p.Problems, "new-title")},
		{Name: "type", ID: "new-type", Label: "Type", Type: "select", Options: types, Value: draft.Type, Problem: layout.For(p.Problems, "new-type")},
		{Name: "status", ID: "new-status", Label: "Column", Type: "select", Options: statuses, Value: draft.Status, Problem: layout.For(p.Problems, "new-status")},
		{Name: "description", ID: "new-description", Label: "Description", Type: "textarea", Rows: 5, Value: draft.Description, Optional: true,
			MaxLength: 100_000, Hint: "Markdown.", Problem: layout.For(p.Problems, "new-description")},
	}
}

// moveFields are those of the form that moves a tile.
func (p Page) moveFields(t Tile) []layout.Field {
	to := place.Place{Status: t.Status, Where: place.End}
	if p.Move.Card == t.ID {
		to = p.Move.To
	}
	return to.Fields("move-"+t.ID, p.Problems)
}

func (p Page) version(t Tile) string { return strconv.FormatInt(t.Version, 10) }
