// SPDX-License-Identifier: Apache-2.0

package card

import (
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strconv"

	"github.com/fiftyarms/platform/gen/dash"
	"github.com/fiftyarms/platform/internal/dashboard/web/apiclient"
	"github.com/fiftyarms/platform/internal/dashboard/web/cardlink"
	"github.com/fiftyarms/platform/internal/dashboard/web/layout"
	"github.com/fiftyarms/platform/internal/dashboard/web/visible"
	"github.com/fiftyarms/platform/internal/dashboard/web/visit"
	"github.com/fiftyarms/platform/internal/dashboard/web/words"
)

// How much of each list is on a page.
const (
	childrenSize = 50
	commentsSize = 20 // of up to 50,000 characters each
	historySize  = 30
)

// Whole texts: as long as the contract lets them be.
const (
	titleLimit  = 300
	reasonLimit = 1000
)

// Facts are what a card says in a few words, and the gates that are shut.
type Facts struct {
	ID       string
	Title    string
	Type     dash.IssueType
	Status   dash.IssueStatus
	Priority string
	Effort   string
	Cover    string // the path of its small picture; "" where it has none
	Agent    string
	Parent   string // its id
	Version  int64
	Made     layout.Moment
	Changed  layout.Moment
	Waiting  *Waits // nil where the gate is open
	Blocked  *Blocked
	Human    *Human
	Conflict []Conflict // those in progress; empty where the gate is open
}

// Shut says whether any gate is.
func (f Facts) Shut() bool {
	return f.Waiting != nil || f.Blocked != nil || f.Human != nil || len(f.Conflict) > 0
}

// Blocked is why a card is stuck.
type Blocked struct {
	Reason string
	At     layout.Moment
}

// Human is what a human has to do.
type Human struct {
	Reason string
	Steps  []string
	By     string
	At     layout.Moment
}

// Waits is which cards a card waits for, and which wait for it.
type Waits struct {
	Reason string
	For    []cardlink.Link
	Blocks []cardlink.Link
}

// Conflict is a card that may not be in progress together with this one.
type Conflict struct {
	Card   cardlink.Link
	Reason string
}

// Item is what has to hold before the card is Done.
type Item struct {
	ID      int64
	Title   string
	Checked bool
	Version int64
}

// Children are cards of an Epic.
type Children struct {
	Epic  bool
	Cards []cardlink.Link
	More  string
}

// everything is what the page opts into.
const everything = `{"description":true,"acceptance":true,"waiting_on":true,"conflict_on":true,"attachments":true}`

// read fills in what the page was asked for.
func (p *Page) read(v *visit.Visit, at place) error {
	fields := dash.Fields(everything)
	rsp, err := apiclient.Check(v.API.GetIssueWithResponse(v.R.Context(), at.id, &dash.GetIssueParams{Board: at.board, Fields: &fields}))
	if err != nil {
		return err
	}
	if rsp.JSON200 == nil {
		return errors.New("the API answered no card")
	}
	i := *rsp.JSON200
	board, err := apiclient.Check(v.API.GetBoardWithResponse(v.R.Context(), at.board))
	if err != nil {
		return err
	}
	if board.JSON200 == nil {
		return errors.New("the API answered no board")
	}
	p.Board = visible.Text(board.JSON200.Name, 100)
	agents, err := apiclient.Check(v.API.ListAgentsWithResponse(v.R.Context()))
	if err != nil {
		return err
	}
	if agents.JSON200 == nil {
		return errors.New("the API answered no list of agents")
	}
	p.fill(v, i, agents.JSON200.Agents)
	for _, part := range []struct {
		region string
		read   func(*visit.Visit, place) error
	}{
		{childrenID, p.readChildren}, {commentsID, p.readComments}, {waitsID, p.readBlocks}, {historyID, p.readHistory},
	} {
		if v.Wants(part.region) {
			if err := part.read(v, at); err != nil {
				return fmt.Errorf("%s: %w", part.region, err)
			}
		}
	}
	return nil
}

// fill takes what the card itself says.
func (p *Page) fill(v *visit.Visit, i dash.Issue, agents []dash.AgentRef) {
	moment := func(t dash.Time) layout.Moment { return layout.Moment{Now: v.Now, At: t.Time} }
	f := Facts{
		ID: i.ID, Title: visible.Text(i.Title, titleLimit), Type: i.Type, Status: i.Status, Priority: words.Priority(i.Priority),
		Version: i.Version, Made: moment(i.CreatedAt), Changed: moment(i.UpdatedAt), Parent: text(i.ParentID),
	}
	if i.Cover != nil {
		f.Cover = i.Cover.ThumbnailURL
	}
	if i.Effort != nil {
		f.Effort = words.Effort(*i.Effort)
	}
	f.Agent = agentName(i.AssignedAgent, agents)
	if w := i.WaitingOn; w != nil {
		p.Waits.Reason, p.Waits.For = visible.Lines(w.Reason, reasonLimit), cardlink.All(w.By)
		if slices.Contains(i.Gates, dash.GateWaitingOn) {
			f.Waiting = &p.Waits
		}
	}
	if b := i.Blocked; b != nil {
		f.Blocked = &Blocked{Reason: visible.Lines(b.Reason, reasonLimit), At: moment(b.At)}
	}
	if h := i.RequiresHuman; h != nil {
		f.Human = &Human{Reason: visible.Lines(h.Reason, reasonLimit), By: visible.Text(words.Actor(h.SetBy), 120), At: moment(h.SetAt)}
		for _, s := range h.Steps {
			f.Human.Steps = append(f.Human.Steps, visible.Lines(s, reasonLimit))
		}
	}
	for _, c := range i.ConflictOn {
		one := Conflict{Card: cardlink.From(c.Issue), Reason: visible.Lines(c.Reason, reasonLimit)}
		p.Conflicts = append(p.Conflicts, one)
		if c.Issue.Status == dash.IssueStatusInProgress && slices.Contains(i.Gates, dash.GateConflictOn) {
			f.Conflict = append(f.Conflict, one)
		}
	}
	for _, item := range i.Acceptance {
		p.Items = append(p.Items, Item{ID: item.ID, Title: visible.Text(item.Title, titleLimit), Checked: item.Checked, Version: item.Version})
	}
	for _, a := range i.Attachments {
		p.Files = append(p.Files, file(i, a, moment(a.At)))
	}
	p.Card, p.About, p.Children.Epic = f, text(i.Description), i.Type == dash.IssueTypeEpic
	p.Edit, p.Move = p.editFields(i, agents), p.moveFields(i)
}

// agentName is who a card is assigned to; "" where it is to nobody.
func agentName(number *int64, agents []dash.AgentRef) string {
	if number == nil {
		return ""
	}
	for _, a := range agents {
		if a.ID == *number {
			return visible.Text(a.Name, 60)
		}
	}
	return "Agent " + strconv.FormatInt(*number, 10)
}

func (p *Page) readChildren(v *visit.Visit, at place) error {
	if !p.Children.Epic {
		return nil
	}
	limit := dash.Limit(childrenSize)
	params := dash.ListIssuesParams{Parent: &at.id, Limit: &limit}
	if cursor := v.R.URL.Query().Get(childrenID); cursor != "" {
		params.Cursor = &cursor
	}
	rsp, err := apiclient.Check(v.API.ListIssuesWithResponse(v.R.Context(), &params))
	if err != nil {
		return err
	}
	if rsp.JSON200 == nil {
		return errors.New("the API answered no list of cards")
	}
	for _, i := range rsp.JSON200.Issues {
		p.Children.Cards = append(p.Children.Cards, cardlink.From(dash.IssueLink{ID: i.ID, Board: i.Board, Title: i.Title, Status: i.Status}))
	}
	next, _ := rsp.JSON200.NextCursor.Get()
	p.Children.More = more(at, childrenID, next)
	return nil
}

func (p *Page) readBlocks(v *visit.Visit, at place) error {
	rsp, err := apiclient.Check(v.API.GetDependenciesWithResponse(v.R.Context(), at.id, &dash.GetDependenciesParams{Board: at.board}))
	if err != nil {
		return err
	}
	if rsp.JSON200 == nil {
		return errors.New("the API answered no dependencies")
	}
	p.Waits.Blocks = cardlink.All(rsp.JSON200.Blocks)
	return nil
}

// more is the page of the card that shows a list from a cursor on; "" where the list ends.
func more(at place, list, cursor string) string {
	if cursor == "" {
		return ""
	}
	return at.path() + "?" + url.Values{list: {cursor}}.Encode() + "#" + list
}

func text(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}
