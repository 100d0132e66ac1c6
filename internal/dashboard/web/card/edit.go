// SPDX-License-Identifier: Apache-2.0

package card

import (
	"strconv"
	"strings"

	"github.com/oapi-codegen/nullable"

	"github.com/fiftyarms/platform/gen/dash"
	"github.com/fiftyarms/platform/internal/dashboard/web/apiclient"
	"github.com/fiftyarms/platform/internal/dashboard/web/edited"
	"github.com/fiftyarms/platform/internal/dashboard/web/layout"
	"github.com/fiftyarms/platform/internal/dashboard/web/visible"
	"github.com/fiftyarms/platform/internal/dashboard/web/visit"
	"github.com/fiftyarms/platform/internal/dashboard/web/words"
)

// editNames are the fields of the form that edits a card, in their order.
var editNames = []string{"title", "type", "description", "priority", "effort", "agent", "parent", "blocked", "human", "steps"}

// editForm is what a person made of each of them.
type editForm map[string]edited.Value

// member says in which field a member of the edit is filled in.
var member = map[string]visit.Field{
	"/title": {ID: "edit-title", Label: "The title"}, "/type": {ID: "edit-type", Label: "The type"},
	"/description": {ID: "edit-description", Label: "The description"}, "/priority": {ID: "edit-priority", Label: "The priority"},
	"/effort": {ID: "edit-effort", Label: "The effort"}, "/assigned_agent": {ID: "edit-agent", Label: "The agent"},
	"/parent_id": {ID: "edit-parent", Label: "The parent"}, "/blocked": {ID: "edit-blocked", Label: "The reason for blocking"},
	"/requires_human": {ID: "edit-human", Label: "The reason"}, "/requires_human/steps": {ID: "edit-steps", Label: "The steps"},
}

// Edit saves what was changed.
func Edit(v *visit.Visit) error {
	at, err := address(v)
	if err != nil {
		return err
	}
	v.Here = at.path()
	form := editForm{}
	for _, name := range editNames {
		form[name] = edited.Read(v, name)
	}
	edit, any, err := form.edit()
	if version, err := strconv.ParseInt(v.Field("version"), 10, 64); err == nil {
		edit.Version = &version
	}
	if err == nil && any {
		_, err = apiclient.Check(v.API.EditIssueWithResponse(v.R.Context(), at.id, &dash.EditIssueParams{Board: at.board}, edit))
	}
	return changed(v, at, err, Page{Draft: Draft{Form: editID, Edit: &form}}, member)
}

// edit is what was changed, if anything was.
func (f editForm) edit() (edit dash.IssueEdit, any bool, err error) {
	for _, name := range editNames {
		value := f[name]
		if !value.Changed {
			continue
		}
		any = true
		switch typed := value.Typed; name {
		case "title":
			edit.Title = &typed
		case "type":
			t := dash.IssueType(typed)
			edit.Type = &t
		case "description":
			edit.Description = &typed
		case "priority":
			p, err := strconv.ParseFloat(strings.ReplaceAll(typed, ",", "."), 64)
			if err != nil {
				return edit, any, unfit("/priority", "must be a number above 0 and below 6")
			}
			edit.Priority = &p
		case "effort":
			edit.Effort = orNull(typed)
		case "agent":
			if typed == "" {
				edit.AssignedAgent = nullable.NewNullNullable[int64]()
				break
			}
			n, err := strconv.ParseInt(typed, 10, 64)
			if err != nil {
				return edit, any, unfit("/assigned_agent", "must be one of the list")
			}
			edit.AssignedAgent = nullable.NewNullableWithValue(n)
		case "parent":
			edit.ParentID = orNull(strings.ToUpper(typed))
		case "blocked":
			edit.Blocked = nullable.NewNullNullable[dash.BlockedSet]()
			if typed != "" {
				edit.Blocked = nullable.NewNullableWithValue(dash.BlockedSet{Reason: typed})
			}
		case "human", "steps": // one member of the card
			edit.RequiresHuman = f.human()
		}
	}
	return edit, any, nil
}

func (f editForm) human() nullable.Nullable[dash.RequiresHumanSet] {
	set := dash.RequiresHumanSet{Reason: f["human"].Typed, Steps: dash.HumanSteps{}}
	for _, line := range strings.Split(f["steps"].Typed, "\n") {
		if line = strings.TrimSpace(line); line != "" {
			set.Steps = append(set.Steps, line)
		}
	}
	if set.Reason == "" && len(set.Steps) == 0 {
		return nullable.NewNullNullable[dash.RequiresHumanSet]()
	}
	return nullable.NewNullableWithValue(set)
}

func orNull(s string) nullable.Nullable[string] {
	if s == "" {
		return nullable.NewNullNullable[string]()
	}
	return nullable.NewNullableWithValue(s)
}

func unfit(path, message string) error {
	return dash.InvalidRequestRefusal{
		Message: "the form is not as it should be", Issues: []dash.Fault{{In: dash.FaultInBody, Path: path, Message: message}},
	}
}

// editFields are the form's fields, filled with what the card says now, or with what a person typed over it.
func (p *Page) editFields(i dash.Issue, agents []dash.AgentRef) []layout.Field {
	now := map[string]string{
		"title": i.Title, "type": string(i.Type), "description": text(i.Description), "priority": words.Priority(i.Priority), "parent": text(i.ParentID),
	}
	if i.Effort != nil {
		now["effort"] = string(*i.Effort)
	}
	if i.AssignedAgent != nil {
		now["agent"] = strconv.FormatInt(*i.AssignedAgent, 10)
	}
	if i.Blocked != nil {
		now["blocked"] = i.Blocked.Reason
	}
	if i.RequiresHuman != nil {
		now["human"], now["steps"] = i.RequiresHuman.Reason, strings.Join(i.RequiresHuman.Steps, "\n")
	}
	fields := []layout.Field{
		{Name: "title", Label: "Title", Type: "text", MaxLength: 300},
		{Name: "type", Label: "Type", Type: "select", Options: typeOptions()},
		{Name: "description", Label: "Description", Type: "textarea", Rows: 10, MaxLength: 100_000, Optional: true, Hint: "Markdown."},
		{Name: "priority", Label: "Priority", Type: "text", MaxLength: 23, Exact: true, Hint: "A number above 0 and below 6. 3 is usual."},
		{Name: "effort", Label: "Effort", Type: "select", Options: effortOptions(), Optional: true},
		{Name: "agent", Label: "Agent", Type: "select", Options: agentOptions(i.AssignedAgent, agents), Optional: true},
		{Name: "parent", Label: "Parent", Type: "text", MaxLength: 21, Exact: true, Optional: true, Hint: "The id of an Epic, like SHOP-4."},
		{Name: "blocked", Label: "Blocked, because", Type: "textarea", MaxLength: reasonLimit, Optional: true, Hint: "Empty: it is not blocked."},
		{Name: "human", Label: "Needs a human, because", Type: "textarea", MaxLength: reasonLimit, Optional: true, Hint: "Empty, with no steps: it needs none."},
		{Name: "steps", Label: "What the human has to do", Type: "textarea", Rows: 3, MaxLength: 31_000, Optional: true, Hint: "A line for each step."},
	}
	for n, f := range fields {
		f.ID = "edit-" + f.Name
		f.Problem = layout.For(p.Problems, f.ID)
		var typed *edited.Value
		if p.Draft.Edit != nil {
			value := (*p.Draft.Edit)[f.Name]
			typed = &value
		}
		fields[n] = edited.Fill(f, now[f.Name], typed)
	}
	return fields
}

func typeOptions() (options []layout.Option) {
	for _, t := range words.Types {
		options = append(options, layout.Option{Value: string(t), Label: string(t)})
	}
	return options
}

func effortOptions() []layout.Option {
	options := []layout.Option{{Label: "not said"}}
	for _, e := range words.Efforts {
		options = append(options, layout.Option{Value: string(e), Label: words.Effort(e)})
	}
	return options
}

// agentOptions are the team's agents, and the one that the card has though the team does not.
func agentOptions(assigned *int64, agents []dash.AgentRef) []layout.Option {
	options := []layout.Option{{Label: "nobody"}}
	known := assigned == nil
	for _, a := range agents {
		options = append(options, layout.Option{Value: strconv.FormatInt(a.ID, 10), Label: visible.Text(a.Name, 60)})
		known = known || a.ID == *assigned
	}
	if !known {
		options = append(options, layout.Option{Value: strconv.FormatInt(*assigned, 10), Label: agentName(assigned, nil)})
	}
	return options
}
