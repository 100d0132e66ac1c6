// SPDX-License-Identifier: Apache-2.0

// Package boards is the list of a team's boards, each with how many cards stand where, and the form for a new one.
package boards

import (
	_ "embed"
	"errors"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/fiftyarms/platform/gen/dash"
	"github.com/fiftyarms/platform/internal/dashboard/web/apiclient"
	"github.com/fiftyarms/platform/internal/dashboard/web/assets"
	"github.com/fiftyarms/platform/internal/dashboard/web/layout"
	"github.com/fiftyarms/platform/internal/dashboard/web/refused"
	"github.com/fiftyarms/platform/internal/dashboard/web/visible"
	"github.com/fiftyarms/platform/internal/dashboard/web/visit"
)

// pageSize is how many boards a page shows.
const pageSize = 50

//go:embed boards.css
var css []byte

// Sheet is the style of the list of boards.
var Sheet = assets.New("boards.css", css)

// Page is what the page shows.
type Page struct {
	Boards    []Board
	Later     bool   // a page after the first
	More      string // the page after this one; "" at the end
	MayCreate bool
	CSRFToken string
	Once      string
	Draft     Draft
	Refused   refused.Refusal
	Problems  []layout.Problem
}

// Board is one of the team's boards. Its texts are fit to be shown.
type Board struct {
	Ref    int64
	Name   string
	Prefix string
	About  string
	Repo   string
	Counts []dash.StatusCount
}

// Draft is what a person has filled in for a new board.
type Draft struct{ Name, Prefix, Repo, About string }

func (d Draft) any() bool { return d != Draft{} }

// Get shows the list.
func Get(v *visit.Visit) error { return show(v, http.StatusOK, Page{}) }

func show(v *visit.Visit, status int, page Page) error {
	if err := v.Follow("team"); err != nil {
		return err
	}
	me, err := v.Me()
	if err != nil {
		return err
	}
	if page.MayCreate, err = v.May(dash.PermissionBoardsEdit); err != nil {
		return err
	}
	page.CSRFToken, page.Once = *me.CsrfToken, visit.Once()
	if v.Wants("boards") {
		if err := page.read(v); err != nil {
			return err
		}
	}
	frame := v.Frame("Boards", layout.Boards, Sheet)
	frame.Page, frame.Problems = "boards", len(page.Problems) > 0 || page.Refused.Any()
	return v.ShowRegions(status, frame, body(page), []visit.Region{
		{ID: "problems", Body: refused.Region(page.Refused, page.Problems)},
		{ID: "boards", Body: list(page)},
		{ID: "new-board", Body: create(page)},
	})
}

func (p *Page) read(v *visit.Visit) error {
	limit := dash.Limit(pageSize)
	params := dash.ListBoardsParams{Limit: &limit}
	if cursor := v.R.URL.Query().Get("cursor"); cursor != "" {
		params.Cursor, p.Later = &cursor, true
	}
	rsp, err := apiclient.Check(v.API.ListBoardsWithResponse(v.R.Context(), &params))
	if err != nil {
		return err
	}
	if rsp.JSON200 == nil {
		return errors.New("the API answered no list of boards")
	}
	for _, b := range rsp.JSON200.Boards {
		p.Boards = append(p.Boards, Board{
			Ref: b.Ref, Name: visible.Text(b.Name, 100), Prefix: b.Prefix,
			About: visible.Text(text(b.Description), 300), Repo: visible.Text(text(b.Repo), 200), Counts: b.Counts,
		})
	}
	if next, _ := rsp.JSON200.NextCursor.Get(); next != "" {
		p.More = "/boards?" + url.Values{"cursor": {next}}.Encode()
	}
	return nil
}

// fields say where on the page the parts of a new board are filled in.
var fields = map[string]visit.Field{
	"/name":        {ID: "name", Label: "The name"},
	"/prefix":      {ID: "prefix", Label: "The prefix"},
	"/repo":        {ID: "repo", Label: "The repository"},
	"/description": {ID: "description", Label: "The description"},
}

// Create makes a board and leads to it.
func Create(v *visit.Visit) error {
	v.Here = "/boards"
	d := Draft{
		Name: strings.TrimSpace(v.Field("name")), Prefix: strings.ToUpper(strings.TrimSpace(v.Field("prefix"))),
		Repo: strings.TrimSpace(v.Field("repo")), About: strings.TrimSpace(v.Field("description")),
	}
	create := dash.BoardCreate{Name: d.Name, Prefix: d.Prefix}
	if d.Repo != "" {
		create.Repo = &d.Repo
	}
	if d.About != "" {
		create.Description = &d.About
	}
	once := v.Field("once")
	rsp, err := apiclient.Check(v.API.CreateBoardWithResponse(v.R.Context(), &dash.CreateBoardParams{IdempotencyKey: &once}, create))
	page := Page{Draft: d}
	if invalid, ok := errors.AsType[dash.InvalidRequestRefusal](err); ok {
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
	if rsp.JSON201 == nil {
		return errors.New("the API answered no new board")
	}
	return v.Go("/boards/" + strconv.FormatInt(rsp.JSON201.Ref, 10))
}

func (p Page) fields() []layout.Field {
	return []layout.Field{
		{Name: "name", Label: "Name", Type: "text", Value: p.Draft.Name, MaxLength: 100, Problem: layout.For(p.Problems, "name")},
		{Name: "prefix", Label: "Prefix", Type: "text", Value: p.Draft.Prefix, MaxLength: 10, Exact: true, Problem: layout.For(p.Problems, "prefix"),
			Hint: "2 to 10 capital letters and digits, like SHOP. It begins the id of each card, and stays for good."},
		{Name: "repo", Label: "Repository", Type: "text", Value: p.Draft.Repo, MaxLength: 200, Exact: true, Optional: true, Problem: layout.For(p.Problems, "repo"),
			Hint: "Where the board's work goes to, like acme/shop."},
		{Name: "description", Label: "Description", Type: "textarea", Value: p.Draft.About, MaxLength: 2000, Optional: true, Problem: layout.For(p.Problems, "description")},
	}
}

func text(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}
