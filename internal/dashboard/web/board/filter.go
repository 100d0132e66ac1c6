// SPDX-License-Identifier: Apache-2.0

package board

import (
	"net/url"
	"strconv"

	"github.com/fiftyarms/platform/gen/dash"
	"github.com/fiftyarms/platform/internal/dashboard/web/layout"
	"github.com/fiftyarms/platform/internal/dashboard/web/words"
)

// Filter is which cards of the board are shown, as it stands in the page's address. The zero value shows all.
type Filter struct{ Text, Type, Agent, Ready string }

// filterOf reads a filter from a query.
func filterOf(q url.Values) Filter {
	return Filter{Text: q.Get("q"), Type: q.Get("type"), Agent: q.Get("agent"), Ready: q.Get("ready")}
}

// Any says whether some cards are left out.
func (f Filter) Any() bool { return f != Filter{} }

// values are the filter in a query, without what it leaves open.
func (f Filter) values() url.Values {
	q := url.Values{}
	for name, value := range map[string]string{"q": f.Text, "type": f.Type, "agent": f.Agent, "ready": f.Ready} {
		if value != "" {
			q.Set(name, value)
		}
	}
	return q
}

// ask puts the filter into a call of the API.
func (f Filter) ask(params *dash.ListIssuesParams) error {
	if f.Text != "" {
		params.Q = &f.Text
	}
	if f.Type != "" {
		t := dash.IssueType(f.Type)
		params.Type = &t
	}
	if f.Agent != "" {
		n, err := strconv.ParseInt(f.Agent, 10, 64)
		if err != nil {
			return wrong("agent", "must be the number of an agent")
		}
		params.Agent = &n
	}
	if f.Ready != "" {
		ready, err := strconv.ParseBool(f.Ready)
		if err != nil {
			return wrong("ready", "must be true or false")
		}
		params.Ready = &ready
	}
	return nil
}

func wrong(parameter, message string) error {
	return dash.InvalidRequestRefusal{
		Message: "the address is not as it should be",
		Issues:  []dash.Fault{{In: dash.FaultInQuery, Path: parameter, Message: message}},
	}
}

func (p Page) filters() []layout.Field {
	types := []layout.Option{{Label: "All types"}}
	for _, t := range words.Types {
		types = append(types, layout.Option{Value: string(t), Label: string(t)})
	}
	return []layout.Field{
		{Name: "q", ID: "filter-q", Label: "Text", Type: "search", Value: p.Filter.Text, MaxLength: 200, Optional: true},
		{Name: "type", ID: "filter-type", Label: "Type", Type: "select", Options: types, Value: p.Filter.Type, Optional: true},
		{Name: "agent", ID: "filter-agent", Label: "Agent", Type: "select", Options: p.Agents, Value: p.Filter.Agent, Optional: true},
		{Name: "ready", ID: "filter-ready", Label: "Can be started", Type: "select", Value: p.Filter.Ready, Optional: true,
			Options: []layout.Option{{Label: "Does not matter"}, {Value: "true", Label: "Yes"}, {Value: "false", Label: "No"}}},
	}
}
