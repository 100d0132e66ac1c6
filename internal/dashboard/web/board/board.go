// SPDX-License-Identifier: Apache-2.0

// Package board is the page of one board: its cards in six columns, which can be filtered, moved and added to. Each
// column is a region of its own, so that an event fetches only the columns that it concerns.
package board

import (
	_ "embed"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strconv"

	"github.com/fiftyarms/platform/gen/dash"
	"github.com/fiftyarms/platform/internal/dashboard/web/apiclient"
	"github.com/fiftyarms/platform/internal/dashboard/web/assets"
	"github.com/fiftyarms/platform/internal/dashboard/web/layout"
	"github.com/fiftyarms/platform/internal/dashboard/web/refused"
	"github.com/fiftyarms/platform/internal/dashboard/web/visible"
	"github.com/fiftyarms/platform/internal/dashboard/web/visit"
	"github.com/fiftyarms/platform/internal/dashboard/web/words"
)

// pageSize is how many cards a column shows at once.
const pageSize = 50

//go:embed board.css
var css []byte

// Sheet is the page's own style.
var Sheet = assets.New("board.css", css)

// Page is what the page shows. Every text is fit to be shown.
type Page struct {
	Ref       int64
	Name      string
	Prefix    string
	About     string
	Repo      string
	Filter    Filter
	Agents    []layout.Option // to filter by
	Columns   []Column
	Later     bool // one column alone, further on
	MayEdit   bool // cards
	MayChange bool // the board
	CSRFToken string
	Once      string
	New       New
	Move      Move // of the card whose form came back
	Refused   refused.Refusal
	Problems  []layout.Problem

	names  map[int64]string // of agents
	counts map[dash.IssueStatus]int64
}

// Column is the cards of one status, or the first of them.
type Column struct {
	Status dash.IssueStatus
	Count  string
	Tiles  []Tile
	More   string // the page of the cards after these; "" at the end
}

// ID is the column's region.
func (c Column) ID() string { return columnID(c.Status) }

func columnID(s dash.IssueStatus) string { return "column-" + words.Slug(s) }

// Tile is a card on the board.
type Tile struct {
	ID       string
	Title    string
	Cover    string // the path of its small picture; "" where it has none
	Type     dash.IssueType
	Priority string
	Effort   string // "" where nobody said
	Agent    string // "" where it has none
	Gates    []string
	Status   dash.IssueStatus
	Version  int64
}

// Get shows the board, or with a status one column of it from a cursor on.
func Get(v *visit.Visit) error { return show(v, http.StatusOK, Page{}) }

// Back leads from the address of a form, opened by hand, to the board.
func Back(v *visit.Visit) error {
	ref, err := boardRef(v)
	if err != nil {
		return err
	}
	return v.Go(path(ref, nil))
}

// boardRef is the board's number in the address.
func boardRef(v *visit.Visit) (int64, error) {
	ref, err := strconv.ParseInt(v.R.PathValue("ref"), 10, 64)
	if err != nil {
		return 0, dash.NotFoundRefusal{Message: "a board has a number"}
	}
	return ref, nil
}

func path(ref int64, query url.Values) string {
	p := "/boards/" + strconv.FormatInt(ref, 10)
	if len(query) > 0 {
		p += "?" + query.Encode()
	}
	return p
}

// show fills in the board as it stands now and shows the page.
func show(v *visit.Visit, status int, page Page) (err error) {
	if page.Ref, err = boardRef(v); err != nil {
		return err
	}
	query := v.R.URL.Query()
	if v.R.Method != http.MethodPost {
		page.Filter = filterOf(query)
	}
	if err := v.Follow("board:" + strconv.FormatInt(page.Ref, 10)); err != nil {
		return err
	}
	me, err := v.Me()
	if err != nil {
		return err
	}
	page.CSRFToken, page.Once = *me.CsrfToken, visit.Once()
	if page.MayEdit, err = v.May(dash.PermissionCardsEdit); err != nil {
		return err
	}
	if page.MayChange, err = v.May(dash.PermissionBoardsEdit); err != nil {
		return err
	}
	if err := page.readBoard(v); err != nil {
		return err
	}
	only := dash.IssueStatus(query.Get("status"))
	page.Later = only != ""
	for _, s := range dash.AllIssueStatuses {
		if (only == "" || only == s) && v.Wants(columnID(s)) {
			if err := page.readColumn(v, s, query.Get("cursor")); err != nil {
				return err
			}
		}
	}
	if only != "" && !only.Valid() {
		return wrong("status", "is no column of a board")
	}
	if page.Move.Card != "" && !page.shows(page.Move.Card) {
		for i := range page.Problems {
			page.Problems[i].Field = "" // its form is not here to lead to
		}
	}
	frame := v.Frame(page.Name, layout.Boards, Sheet)
	frame.Page, frame.Wide = "board", true
	if page.Later {
		frame.Page = "column"
	}
	frame.Problems = len(page.Problems) > 0 || page.Refused.Any()
	return v.ShowRegions(status, frame, body(page), page.regions())
}

// shows says whether a card is on the page.
func (p Page) shows(card string) bool {
	return slices.ContainsFunc(p.Columns, func(c Column) bool {
		return slices.ContainsFunc(c.Tiles, func(t Tile) bool { return t.ID == card })
	})
}

func (p Page) regions() []visit.Region {
	regions := []visit.Region{
		{ID: "problems", Body: refused.Region(p.Refused, p.Problems)},
		{ID: "board-head", Body: head(p)},
		{ID: "new-card", Body: create(p)},
	}
	for _, c := range p.Columns {
		regions = append(regions, visit.Region{ID: c.ID(), Body: column(p, c)})
	}
	return regions
}

func (p *Page) readBoard(v *visit.Visit) error {
	rsp, err := apiclient.Check(v.API.GetBoardWithResponse(v.R.Context(), p.Ref))
	if err != nil {
		return err
	}
	if rsp.JSON200 == nil {
		return errors.New("the API answered no board")
	}
	b := *rsp.JSON200
	p.Name, p.Prefix = visible.Text(b.Name, 100), b.Prefix
	p.About, p.Repo = visible.Lines(text(b.Description), 2000), visible.Text(text(b.Repo), 200)
	p.counts = map[dash.IssueStatus]int64{}
	for _, c := range b.Counts {
		p.counts[c.Status] = c.Cards
	}
	agents, err := apiclient.Check(v.API.ListAgentsWithResponse(v.R.Context()))
	if err != nil {
		return err
	}
	if agents.JSON200 == nil {
		return errors.New("the API answered no list of agents")
	}
	p.names, p.Agents = map[int64]string{}, []layout.Option{{Label: "All"}}
	for _, a := range agents.JSON200.Agents {
		p.names[a.ID] = visible.Text(a.Name, 40)
		p.Agents = append(p.Agents, layout.Option{Value: strconv.FormatInt(a.ID, 10), Label: p.names[a.ID]})
	}
	return nil
}

func (p *Page) readColumn(v *visit.Visit, status dash.IssueStatus, cursor string) error {
	limit := dash.Limit(pageSize)
	params := dash.ListIssuesParams{Board: &p.Ref, Status: &status, Limit: &limit}
	if err := p.Filter.ask(&params); err != nil {
		return err
	}
	if p.Later && cursor != "" {
		params.Cursor = &cursor
	}
	rsp, err := apiclient.Check(v.API.ListIssuesWithResponse(v.R.Context(), &params))
	if err != nil {
		return err
	}
	if rsp.JSON200 == nil {
		return errors.New("the API answered no list of cards")
	}
	c := Column{Status: status}
	for _, i := range rsp.JSON200.Issues {
		c.Tiles = append(c.Tiles, p.tile(i))
	}
	if next, _ := rsp.JSON200.NextCursor.Get(); next != "" {
		query := p.Filter.values()
		query.Set("status", string(status))
		query.Set("cursor", next)
		c.More = path(p.Ref, query)
	}
	c.Count = p.count(c)
	p.Columns = append(p.Columns, c)
	return nil
}

// count is how many cards the column has: all, or those that the filter shows as far as this page knows.
func (p *Page) count(c Column) string {
	switch {
	case !p.Filter.Any():
		return strconv.FormatInt(p.counts[c.Status], 10)
	case c.More != "":
		return strconv.Itoa(len(c.Tiles)) + "+"
	}
	return strconv.Itoa(len(c.Tiles))
}

func (p *Page) tile(i dash.Issue) Tile {
	t := Tile{
		ID: i.ID, Title: visible.Text(i.Title, 140), Cover: cover(i), Type: i.Type, Priority: words.Priority(i.Priority), Status: i.Status, Version: i.Version,
	}
	if i.Effort != nil {
		t.Effort = words.Effort(*i.Effort)
	}
	if i.AssignedAgent != nil {
		if t.Agent = p.names[*i.AssignedAgent]; t.Agent == "" {
			t.Agent = "Agent " + strconv.FormatInt(*i.AssignedAgent, 10)
		}
	}
	for _, g := range i.Gates {
		t.Gates = append(t.Gates, words.Gate(g))
	}
	return t
}

func text(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

func cover(i dash.Issue) string {
	if i.Cover == nil {
		return ""
	}
	return i.Cover.ThumbnailURL
}
