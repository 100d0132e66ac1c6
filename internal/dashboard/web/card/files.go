// SPDX-License-Identifier: Apache-2.0

package card

import (
	"net/http"
	"net/url"
	"strconv"

	"github.com/fiftyarms/platform/gen/dash"
	"github.com/fiftyarms/platform/internal/dashboard/web/apiclient"
	"github.com/fiftyarms/platform/internal/dashboard/web/layout"
	"github.com/fiftyarms/platform/internal/dashboard/web/visible"
	"github.com/fiftyarms/platform/internal/dashboard/web/visit"
	"github.com/fiftyarms/platform/internal/dashboard/web/words"
)

// File is a file of the card.
type File struct {
	ID    string
	Name  string
	Path  string // downloads it
	Thumb string // the path of its small picture; "" where it has none
	Cover bool
	Type  string
	Size  string
	By    string
	At    layout.Moment
}

func file(i dash.Issue, a dash.Attachment, at layout.Moment) File {
	return File{
		ID: a.ID, Name: visible.Text(a.Filename, 200), Thumb: text(a.ThumbnailURL), Cover: a.IsPrimary,
		Path: "/api/issues/" + url.PathEscape(i.ID) + "/attachments/" + url.PathEscape(a.ID) + "?board=" + strconv.FormatInt(i.Board, 10),
		Type: visible.Text(a.ContentType, 100),
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

// ReplaceFile gives a file new bytes.
func ReplaceFile(v *visit.Visit) error {
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
		page.Problems = []layout.Problem{{Text: "Choose the file that takes the other's place."}}
		return show(v, http.StatusBadRequest, page)
	}
	_, err = apiclient.Check(v.API.ReplaceAttachmentWithBodyWithResponse(v.R.Context(), at.id, v.R.PathValue("file"),
		&dash.ReplaceAttachmentParams{Board: at.board}, "application/octet-stream", part))
	return changed(v, at, err, page, nil)
}

// CoverFile makes a file the cover, or no longer.
func CoverFile(v *visit.Visit) error {
	return change(v, filesID, nil, func(at place, _ map[string]string) error {
		_, err := apiclient.Check(v.API.EditAttachmentWithResponse(v.R.Context(), at.id, v.R.PathValue("file"),
			&dash.EditAttachmentParams{Board: at.board}, dash.AttachmentEdit{IsPrimary: v.Field("cover") == "true"}))
		return err
	}, nil)
}

// RemoveFile takes a file away for good. That it is gone already is what was wanted.
func RemoveFile(v *visit.Visit) error {
	return change(v, filesID, nil, func(at place, _ map[string]string) error {
		_, err := apiclient.Check(v.API.RemoveAttachmentWithResponse(v.R.Context(), at.id, v.R.PathValue("file"), &dash.RemoveAttachmentParams{Board: at.board}))
		return ended(err)
	}, nil)
}

func (p Page) fileField() layout.Field {
	return layout.Field{Name: "file", Label: "File", Type: "file", Problem: layout.For(p.Problems, "file")}
}
