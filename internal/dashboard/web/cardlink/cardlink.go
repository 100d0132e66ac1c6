// SPDX-License-Identifier: Apache-2.0

// Package cardlink names a card to people: its id, its title and where it stands, as a link to its page.
package cardlink

import (
	"net/url"
	"strconv"

	"github.com/fiftyarms/platform/gen/dash"
	"github.com/fiftyarms/platform/internal/dashboard/web/visible"
)

// titleLimit is how many characters of a title are shown where it is one of many.
const titleLimit = 120

// Link is one card. Its title is fit to be shown.
type Link struct {
	ID     string
	Board  int64
	Title  string
	Status dash.IssueStatus
}

// From makes a link of what the API names.
func From(l dash.IssueLink) Link {
	return Link{ID: l.ID, Board: l.Board, Title: visible.Text(l.Title, titleLimit), Status: l.Status}
}

// All makes links of all that the API names.
func All(links []dash.IssueLink) (out []Link) {
	for _, l := range links {
		out = append(out, From(l))
	}
	return out
}

// Path is the card's page.
func (l Link) Path() string { return Path(l.Board, l.ID) }

// Path is the page of a card of a board.
func Path(board int64, id string) string {
	return "/boards/" + strconv.FormatInt(board, 10) + "/cards/" + url.PathEscape(id)
}
