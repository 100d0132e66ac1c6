// SPDX-License-Identifier: Apache-2.0

package card

import (
	"net/http"
	"net/url"
	"slices"
	"strconv"

	"github.com/fiftyarms/platform/gen/dash"
	"github.com/fiftyarms/platform/internal/dashboard/web/apiclient"
	"github.com/fiftyarms/platform/internal/dashboard/web/layout"
	"github.com/fiftyarms/platform/internal/dashboard/web/visible"
	"github.com/fiftyarms/platform/internal/dashboard/web/visit"
	"github.com/fiftyarms/platform/internal/dashboard/web/words"
)

// pictures are the types that are shown on the page. What a browser makes of them cannot run.
var pictures = []string{"image/png", "image/jpeg", "image/gif", "image/webp"}

// File is a file of the card.
type File struct {
	Name    string
	Path    string // downloads it
	Picture bool
	Type    string
	Size    string
	By      string
	At      layout.Moment
}

func file(i dash.Issue, a dash.Attachment, at layout.Moment) File {
	return File{
		Name: visible.Text(a.Filename, 200),
		Path: "/api/issues/" + url.PathEscape(i.ID) + "/attachments/" + url.PathEscape(a.ID) + "?board=" + strconv.FormatInt(i.Board, 10),
		Type: visible.Text(a.ContentType, 100), Picture: slices.Contains(pictures, a.ContentType),
		Size: words.Bytes(a.Bytes), By: visible.Text(words.Actor(a.By), 120), At: at,
	}
}

// Attach keeps a file. Its bytes go on to the API as they come.
func Attach(v *visit.Visit) error {
	at, err := address(v)
	if err != nil {
		return err
	}
	v.Here = at.path()
	part, err := v.Upload("file")
	if err != nil {
		return err
	}
	page := Page{Draft: Draft{Form: filesID}}
	if part.FileName() == "" {
		page.Problems = []layout.Problem{{Field: "file", Text: "Choose a file to attach."}}
		return show(v, http.StatusBadRequest, page)
	}
	once := v.Field("once")
	_, err = apiclient.Check(v.API.AddAttachmentWithBodyWithResponse(v.R.Context(), at.id,
		&dash.AddAttachmentParams{Board: at.board, Filename: part.FileName(), IdempotencyKey: &once}, "application/octet-stream", part))
	return changed(v, at, err, page, map[string]visit.Field{"filename": {ID: "file", Label: "The file's name"}, "": {ID: "file", Label: "The file"}})
}

func (p Page) fileField() layout.Field {
	return layout.Field{Name: "file", Label: "File", Type: "file", Problem: layout.For(p.Problems, "file")}
}
