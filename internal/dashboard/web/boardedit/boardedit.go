// SPDX-License-Identifier: Apache-2.0

// Package boardedit is the page where a person changes what a board says of itself. It carries the version that the
// person saw: where somebody else was faster, what is there now stands beside what was typed.
package boardedit

import (
	"errors"
	"net/http"
	"net/url"
	"strconv"

	"github.com/oapi-codegen/nullable"

	"github.com/fiftyarms/platform/gen/dash"
	"github.com/fiftyarms/platform/internal/dashboard/web/apiclient"
	"github.com/fiftyarms/platform/internal/dashboard/web/edited"
	"github.com/fiftyarms/platform/internal/dashboard/web/layout"
	"github.com/fiftyarms/platform/internal/dashboard/web/refused"
	"github.com/fiftyarms/platform/internal/dashboard/web/visible"
	"github.com/fiftyarms/platform/internal/dashboard/web/visit"
)

// Page is what the page shows.
type Page struct {
	Name      string // as it is now, fit to be shown
	Ref       string
	Version   int64
	CSRFToken string
	Fields    []layout.Field
	Refused   refused.Refusal
	Problems  []layout.Problem
}

// form is what a person typed.
type form struct{ name, about, repo edited.Value }

// Get shows the form, filled with what the board says now.
func Get(v *visit.Visit) error { return show(v, http.StatusOK, Page{}, nil) }

func path(v *visit.Visit) string { return "/boards/" + url.PathEscape(v.R.PathValue("ref")) }

func ref(v *visit.Visit) (int64, error) {
	ref, err := strconv.ParseInt(v.R.PathValue("ref"), 10, 64)
	if err != nil {
		return 0, dash.NotFoundRefusal{Message: "a board has a number"}
	}
	return ref, nil
}

// show shows what there is now, with what was typed in its place. Sending that again writes over what the page shows, so
// the page carries the version of now.
func show(v *visit.Visit, status int, page Page, typed *form) error {
	me, err := v.Me()
	if err != nil {
		return err
	}
	ref, err := ref(v)
	if err != nil {
		return err
	}
	rsp, err := apiclient.Check(v.API.GetBoardWithResponse(v.R.Context(), ref))
	if err != nil {
		return err
	}
	if rsp.JSON200 == nil {
		return errors.New("the API answered no board")
	}
	b := *rsp.JSON200
	page.Name, page.Ref, page.Version, page.CSRFToken = visible.Text(b.Name, 100), v.R.PathValue("ref"), b.Version, *me.CsrfToken
	page.fields(b, typed)
	frame := v.Frame("Edit "+page.Name, layout.Boards)
	frame.Problems = len(page.Problems) > 0 || page.Refused.Any()
	return v.Show(status, frame, body(page))
}

func (p *Page) fields(b dash.Board, typed *form) {
	var name, about, repo *edited.Value
	if typed != nil {
		name, about, repo = &typed.name, &typed.about, &typed.repo
	}
	p.Fields = []layout.Field{
		edited.Fill(layout.Field{Name: "name", Label: "Name", Type: "text", MaxLength: 100}, b.Name, name),
		edited.Fill(layout.Field{Name: "repo", Label: "Repository", Type: "text", MaxLength: 200, Exact: true, Optional: true,
			Hint: "Where the board's work goes to, like acme/shop."}, text(b.Repo), repo),
		edited.Fill(layout.Field{Name: "description", Label: "Description", Type: "textarea", Rows: 5, MaxLength: 2000, Optional: true}, text(b.Description), about),
	}
	for i, f := range p.Fields {
		p.Fields[i].Problem = layout.For(p.Problems, f.Name)
	}
}

// Post saves what was changed.
func Post(v *visit.Visit) error {
	v.Here = path(v) + "/edit"
	ref, err := ref(v)
	if err != nil {
		return err
	}
	typed := form{name: edited.Read(v, "name"), about: edited.Read(v, "description"), repo: edited.Read(v, "repo")}
	edit, any := typed.edit()
	if version, err := strconv.ParseInt(v.Field("version"), 10, 64); err == nil {
		edit.Version = &version
	}
	if !any {
		return v.Go(path(v))
	}
	_, err = apiclient.Check(v.API.EditBoardWithResponse(v.R.Context(), ref, nil, edit))
	if invalid, ok := errors.AsType[dash.InvalidRequestRefusal](err); ok {
		return show(v, invalid.RefusalStatus(), Page{Problems: visit.Problems(invalid, map[string]visit.Field{
			"/name": {ID: "name", Label: "The name"}, "/description": {ID: "description", Label: "The description"}, "/repo": {ID: "repo", Label: "The repository"},
		})}, &typed)
	}
	if r, ok := refused.Explain(err); ok {
		return show(v, r.Status, Page{Refused: r}, &typed)
	}
	if err != nil {
		return err
	}
	return v.Go(path(v))
}

// edit is what was changed, if anything was.
func (f form) edit() (edit dash.BoardEdit, any bool) {
	if f.name.Changed {
		edit.Name = &f.name.Typed
	}
	if f.about.Changed {
		edit.Description = orNull(f.about.Typed)
	}
	if f.repo.Changed {
		edit.Repo = orNull(f.repo.Typed)
	}
	return edit, f.name.Changed || f.about.Changed || f.repo.Changed
}

func orNull(s string) nullable.Nullable[string] {
	if s == "" {
		return nullable.NewNullNullable[string]()
	}
	return nullable.NewNullableWithValue(s)
}

func (p Page) version() string { return strconv.FormatInt(p.Version, 10) }

func text(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}
