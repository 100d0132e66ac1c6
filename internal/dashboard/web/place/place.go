// SPDX-License-Identifier: Apache-2.0

// Package place is the form part that says where a card goes: to which column, and where in it. The board has one for
// each card, and the card's own page has one.
package place

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/oapi-codegen/nullable"

	"github.com/fiftyarms/platform/gen/dash"
	"github.com/fiftyarms/platform/internal/dashboard/web/apiclient"
	"github.com/fiftyarms/platform/internal/dashboard/web/layout"
	"github.com/fiftyarms/platform/internal/dashboard/web/visit"
)

// Where in a column.
const (
	End   = "end"
	Top   = "top"
	After = "after" // the card that is named beside
)

// Place is where a card goes, as a person chose it.
type Place struct {
	Status  dash.IssueStatus
	Where   string
	After   string
	Version int64            // of the card, as the person saw it; 0 where the form said none, which moves nothing
	From    dash.IssueStatus // where the person saw it
}

// Of reads the posted form.
func Of(v *visit.Visit) Place {
	version, _ := strconv.ParseInt(v.Field("version"), 10, 64) // the pages' forms carry it; without one, the API refuses
	return Place{
		Status: dash.IssueStatus(v.Field("status")), Where: v.Field("place"), After: strings.ToUpper(strings.TrimSpace(v.Field("after"))),
		Version: version, From: dash.IssueStatus(v.Field("from")),
	}
}

// Send moves the card.
func (p Place) Send(v *visit.Visit, board int64, card string) error {
	body := dash.IssueTransition{Status: p.Status}
	if p.Version > 0 {
		body.Version = &p.Version
	}
	switch p.Where {
	case Top:
		body.After = nullable.NewNullNullable[string]()
	case After:
		body.After = nullable.NewNullableWithValue(p.After)
	case End:
		if p.Status == p.From { // which the API takes to mean that it stays where it is
			last, err := last(v, board, p.Status, card)
			if err != nil {
				return err
			}
			body.After = last
		}
	default:
		return dash.InvalidRequestRefusal{Message: "the form names no place", Issues: []dash.Fault{{
			In: dash.FaultInBody, Path: "/place", Message: "must be the end, the top, or after a card",
		}}}
	}
	_, err := apiclient.Check(v.API.TransitionIssueWithResponse(v.R.Context(), card, &dash.TransitionIssueParams{Board: board}, body))
	return err
}

// last is the last card of a column beside one, or null where there is none.
func last(v *visit.Visit, board int64, status dash.IssueStatus, beside string) (nullable.Nullable[string], error) {
	limit := dash.Limit(200)
	params := dash.ListIssuesParams{Board: &board, Status: &status, Limit: &limit}
	id := nullable.NewNullNullable[string]()
	for {
		rsp, err := apiclient.Check(v.API.ListIssuesWithResponse(v.R.Context(), &params))
		if err != nil {
			return id, err
		}
		if rsp.JSON200 == nil {
			return id, errors.New("the API answered no list of cards")
		}
		for _, i := range rsp.JSON200.Issues {
			if i.ID != beside {
				id = nullable.NewNullableWithValue(i.ID)
			}
		}
		next, _ := rsp.JSON200.NextCursor.Get()
		if next == "" {
			return id, nil
		}
		if params.Cursor != nil && *params.Cursor == next {
			return id, fmt.Errorf("the list of cards goes on at its own cursor %q", next)
		}
		params.Cursor = &next
	}
}

// Fields says where the parts of a transition are filled in, in the form whose fields' ids begin with prefix.
func Fields(prefix string) map[string]visit.Field {
	return map[string]visit.Field{
		"/status": {ID: prefix + "-status", Label: "The column"},
		"/place":  {ID: prefix + "-place", Label: "The place"},
		"/after":  {ID: prefix + "-after", Label: "The card to stand after"},
	}
}

// Fields are the fields of the form.
func (p Place) Fields(prefix string, problems []layout.Problem) []layout.Field {
	var statuses []layout.Option
	for _, s := range dash.AllIssueStatuses {
		statuses = append(statuses, layout.Option{Value: string(s), Label: string(s)})
	}
	fields := []layout.Field{
		{Name: "status", Label: "Column", Type: "select", Options: statuses, Value: string(p.Status)},
		{Name: "place", Label: "Place", Type: "select", Value: p.Where,
			Options: []layout.Option{{Value: End, Label: "At the end"}, {Value: Top, Label: "At the top"}, {Value: After, Label: "After the card"}}},
		{Name: "after", Label: "Card to stand after", Type: "text", Value: p.After, MaxLength: 21, Exact: true, Optional: true},
	}
	for i := range fields {
		fields[i].ID = prefix + "-" + fields[i].Name
		fields[i].Problem = layout.For(problems, fields[i].ID)
	}
	return fields
}
