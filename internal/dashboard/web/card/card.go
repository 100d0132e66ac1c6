// SPDX-License-Identifier: Apache-2.0

// Package card is the page of one card with everything on it. Each section is a region of its own and has its own
// forms, so that what happens elsewhere shows without disturbing what a person is typing.
package card

import (
	_ "embed"
	"net/http"
	"strconv"

	"github.com/fiftyarms/platform/gen/dash"
	"github.com/fiftyarms/platform/internal/dashboard/web/assets"
	"github.com/fiftyarms/platform/internal/dashboard/web/cardlink"
	"github.com/fiftyarms/platform/internal/dashboard/web/layout"
	"github.com/fiftyarms/platform/internal/dashboard/web/refused"
	"github.com/fiftyarms/platform/internal/dashboard/web/visit"
)

//go:embed card.css
var css []byte

// Sheet is the page's own style.
var Sheet = assets.New("card.css", css)

// The sections, by the ids of their regions.
const (
	headID       = "card-head"
	moveID       = "move"
	editID       = "edit"
	aboutID      = "about"
	acceptanceID = "acceptance"
	childrenID   = "children"
	commentsID   = "comments"
	waitsID      = "waits"
	conflictsID  = "conflicts"
	filesID      = "files"
	historyID    = "history"
)

// Page is what the page shows. Every text is fit to be shown, but those that go back into fields.
type Page struct {
	Ref       int64
	Board     string // its name
	Card      Facts
	About     string // Markdown as it was written; package written makes it fit to be shown
	Items     []Item
	Children  Children
	Comments  Comments
	Waits     Waits
	Conflicts []Conflict
	Files     []File
	History   History
	Edit      []layout.Field
	Move      []layout.Field
	MayEdit   bool
	CSRFToken string
	Once      string
	Draft     Draft
	Refused   refused.Refusal
	Problems  []layout.Problem
}

// Draft is what a person had filled in before the page had to come back: the form that they sent, and its texts.
type Draft struct {
	Form string // the region that holds the form; "" where none came back
	Text map[string]string
	Edit *editForm
}

// in says whether the form of a section came back.
func (d Draft) in(section string) bool { return d.Form == section }

// Get shows the card.
func Get(v *visit.Visit) error { return show(v, http.StatusOK, Page{}) }

// Back leads from the address of a form, opened by hand, to the card.
func Back(v *visit.Visit) error {
	at, err := address(v)
	if err != nil {
		return err
	}
	return v.Go(at.path())
}

// place is which card the page is for.
type place struct {
	board int64
	id    string
}

func (p place) path() string { return cardlink.Path(p.board, p.id) }

func address(v *visit.Visit) (place, error) {
	board, err := strconv.ParseInt(v.R.PathValue("ref"), 10, 64)
	if err != nil {
		return place{}, dash.NotFoundRefusal{Message: "a board has a number"}
	}
	return place{board: board, id: v.R.PathValue("id")}, nil
}

// show fills in the card as it stands now and shows the page.
func show(v *visit.Visit, status int, page Page) error {
	at, err := address(v)
	if err != nil {
		return err
	}
	page.Ref = at.board
	if err := v.Follow("card:" + at.id); err != nil {
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
	if err := page.read(v, at); err != nil {
		return err
	}
	frame := v.Frame(page.Card.ID+" "+page.Card.Title, layout.Boards, Sheet)
	frame.Page = "card"
	frame.Problems = len(page.Problems) > 0 || page.Refused.Any()
	return v.ShowRegions(status, frame, body(page), page.regions())
}

func (p Page) regions() []visit.Region {
	return []visit.Region{
		{ID: "problems", Body: refused.Region(p.Refused, p.Problems)},
		{ID: headID, Body: head(p)},
		{ID: moveID, Body: moving(p)},
		{ID: editID, Body: editing(p)},
		{ID: aboutID, Body: about(p)},
		{ID: acceptanceID, Body: acceptance(p)},
		{ID: childrenID, Body: children(p)},
		{ID: commentsID, Body: comments(p)},
		{ID: waitsID, Body: waits(p)},
		{ID: conflictsID, Body: conflicts(p)},
		{ID: filesID, Body: files(p)},
		{ID: historyID, Body: history(p)},
	}
}

// path is an address below the card's page.
func (p Page) path(below string) string { return cardlink.Path(p.Ref, p.Card.ID) + below }

func (p Page) version() string { return strconv.FormatInt(p.Card.Version, 10) }
