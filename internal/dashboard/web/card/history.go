// SPDX-License-Identifier: Apache-2.0

package card

import (
	"errors"
	"fmt"
	"strings"

	"github.com/fiftyarms/platform/gen/dash"
	"github.com/fiftyarms/platform/internal/dashboard/web/apiclient"
	"github.com/fiftyarms/platform/internal/dashboard/web/layout"
	"github.com/fiftyarms/platform/internal/dashboard/web/visible"
	"github.com/fiftyarms/platform/internal/dashboard/web/visit"
	"github.com/fiftyarms/platform/internal/dashboard/web/words"
)

// History is what happened to a card, newest first.
type History struct {
	Events []Happened
	More   string
}

// Happened is one entry of it.
type Happened struct {
	By      string
	At      layout.Moment
	What    string // after the name of who did it
	Changes []string
}

func (p *Page) readHistory(v *visit.Visit, at place) error {
	limit := dash.Limit(historySize)
	params := dash.ListHistoryParams{Board: at.board, Limit: &limit}
	if cursor := v.R.URL.Query().Get(historyID); cursor != "" {
		params.Cursor = &cursor
	}
	rsp, err := apiclient.Check(v.API.ListHistoryWithResponse(v.R.Context(), at.id, &params))
	if err != nil {
		return err
	}
	if rsp.JSON200 == nil {
		return errors.New("the API answered no history")
	}
	for _, e := range rsp.JSON200.Events {
		h := Happened{By: visible.Text(words.Actor(e.By), 120), At: layout.Moment{Now: v.Now, At: e.At.Time}, What: happened(e)}
		for _, c := range e.Changes {
			if e.Kind == dash.EventKindIssueTransitioned && c.Field == "status" || e.Kind == dash.EventKindIssueCommented {
				continue // which the sentence has said
			}
			h.Changes = append(h.Changes, changeWords(c))
		}
		p.History.Events = append(p.History.Events, h)
	}
	next, _ := rsp.JSON200.NextCursor.Get()
	p.History.More = more(at, historyID, next)
	return nil
}

// happened says what somebody did.
func happened(e dash.Event) string {
	switch e.Kind {
	case dash.EventKindIssueCreated:
		return "created the card"
	case dash.EventKindIssueEdited:
		return "edited the card"
	case dash.EventKindIssueTransitioned:
		for _, c := range e.Changes {
			if c.Field == "status" && c.From != nil && c.To != nil {
				return "moved it from " + visible.Text(*c.From, 40) + " to " + visible.Text(*c.To, 40)
			}
		}
		return "moved it within its column"
	case dash.EventKindIssueCommented:
		return "commented"
	case dash.EventKindIssueDependenciesChanged:
		return "changed what it waits for"
	case dash.EventKindIssueConflictsChanged:
		return "changed what it conflicts with"
	case dash.EventKindIssueAcceptanceChanged:
		return "changed what has to hold"
	case dash.EventKindIssueAttached:
		return "attached a file"
	case dash.EventKindIssueAttachmentReplaced:
		return "replaced a file"
	case dash.EventKindIssueAttachmentRemoved:
		return "removed a file"
	case dash.EventKindIssueCoverChanged:
		return "changed the cover"
	case dash.EventKindIssueGatesChanged:
		return "changed another card, and with it the gates of this one"
	}
	return string(e.Kind)
}

// fieldNames are those that are not called what the contract calls them.
var fieldNames = map[string]string{
	"parent_id": "parent", "assigned_agent": "agent", "requires_human": "needs a human", "waiting_on": "waits for", "conflict_on": "conflicts with",
}

func changeWords(c dash.Change) string {
	name := fieldNames[c.Field]
	if name == "" {
		name = visible.Text(strings.ReplaceAll(c.Field, "_", " "), 40)
	}
	from, to := visible.Text(text(c.From), 200), visible.Text(text(c.To), 200)
	switch {
	case c.From != nil && c.To != nil:
		return fmt.Sprintf("%s: %s → %s", name, from, to)
	case c.To != nil:
		return fmt.Sprintf("%s: %s", name, to)
	case c.From != nil:
		return fmt.Sprintf("%s: no longer %s", name, from)
	}
	return name
}
