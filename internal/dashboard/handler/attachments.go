// SPDX-License-Identifier: Apache-2.0

package handler

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"

	"github.com/fiftyarms/platform/gen/dash"
	"github.com/fiftyarms/platform/internal/access"
	"github.com/fiftyarms/platform/internal/blobs"
	"github.com/fiftyarms/platform/internal/dashboard/guard"
	"github.com/fiftyarms/platform/internal/dashboard/thumbnail"
	"github.com/fiftyarms/platform/internal/store"
)

// mostAttachments is how many files one card may have.
const mostAttachments = 200

// ListAttachments lists the files of a card.
func (h *Handler) ListAttachments(ctx context.Context, request dash.ListAttachmentsRequestObject) (dash.ListAttachmentsResponseObject, error) {
	r := h.team(ctx)
	i, err := issue(ctx, r, request.Params.Board, request.ID)
	if err != nil {
		return nil, err
	}
	rows, err := r.Attachments(ctx, i.ID)
	return dash.ListAttachments200JSONResponse{Attachments: attachments(rows, i)}, during("list attachments", err)
}

// attachments are the files of a card as the wire shows them.
func attachments(rows []store.Attachment, of dash.Issue) []dash.Attachment {
	out := make([]dash.Attachment, len(rows))
	for i, row := range rows {
		out[i] = attachment(row, of)
	}
	return out
}

// attachment is a file as the wire shows it.
func attachment(row store.Attachment, of dash.Issue) dash.Attachment {
	row.IsPrimary = of.Cover != nil && of.Cover.AttachmentID == row.ID
	return row.Attachment
}

// AddAttachment keeps a file: its bytes as a blob first, then the row that names them. A call that came before with the
// same Idempotency-Key is told by the bytes it sends, so they are kept until that is known.
func (h *Handler) AddAttachment(ctx context.Context, request dash.AddAttachmentRequestObject) (dash.AddAttachmentResponseObject, error) {
	p := request.Params
	if !isFilename(p.Filename) {
		return nil, invalid(dash.FaultInQuery, "filename", "is not the name of a file")
	}
	i, err := issue(ctx, h.team(ctx), p.Board, request.ID)
	if err != nil {
		return nil, err
	}
	// A call that may have come before is let through: it adds nothing if it did.
	if err := room(ctx, h.team(ctx), i.ID); err != nil && p.IdempotencyKey == nil {
		return nil, err
	}
	file := store.Attachment{Attachment: dash.Attachment{Filename: p.Filename}}
	if err := h.ids(&file.ID); err != nil {
		return nil, err
	}
	if err := h.receive(ctx, &file, i, request.Body, value(p.Primary)); err != nil {
		return nil, err
	}
	kept, err := h.attach(ctx, p, i, file)
	if err != nil || kept.Attachment.ID != file.ID { // nothing was added, or it was before
		err = errors.Join(err, h.dropUnnamed(ctx, i.ID, file.ID, file.Blob))
	}
	return dash.AddAttachment201JSONResponse(kept), err
}

// receive keeps the bytes of a file of a card as a fresh blob, and fills in what they are. Where the file is to be the
// cover and its beginning says that it cannot be, the rest is not read. A blob that no row comes to name is for the
// caller to drop.
func (h *Handler) receive(ctx context.Context, file *store.Attachment, i dash.Issue, from io.Reader, cover bool) error {
	kind, body, err := sniff(file.Filename, from)
	if err != nil {
		return err
	}
	file.ContentType, file.URL, file.ThumbnailURL = kind, downloadURL(i, file.ID), nil
	if cover && !thumbnail.Known(kind) {
		return noCover(*file)
	}
	if err := h.ids(&file.Blob); err != nil {
		return err
	}
	if file.Bytes, file.Sha256, err = h.Blobs.Put(ctx, h.blobKey(ctx, file.Blob), body); err != nil {
		return err
	}
	_, err = h.makeThumbnail(ctx, kind, file.Blob)
	switch {
	case errors.Is(err, thumbnail.ErrNone):
		return nil
	case err == nil || errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil: // too busy: it is made when it is asked for
		url := thumbnailURL(i, *file)
		file.ThumbnailURL = &url
		return nil
	}
	return errors.Join(err, h.dropBlob(ctx, file.Blob))
}

// attach adds the row of a file, unless the call has added it before. It answers what stands for the call.
func (h *Handler) attach(ctx context.Context, p dash.AddAttachmentParams, i dash.Issue, file store.Attachment) (kept dash.AttachmentKept, err error) {
	if err := stillMay(ctx); err != nil {
		return kept, err
	}
	err = h.change(ctx, func(c *change) error {
		call := []any{p.Board, i.ID, file.Filename, file.Sha256, value(p.Primary)}
		id, err := c.once(ctx, p.IdempotencyKey, call, func() (string, error) {
			if err := room(ctx, c, i.ID); err != nil {
				return "", err
			}
			file.By, file.At = c.by, dash.At(c.at)
			if err := c.AddAttachment(ctx, i.ID, file); err != nil {
				return "", err
			}
			if err := c.tell(dash.EventKindIssueAttached, i.Board, i.ID, 0, dash.Change{Field: "attachment", To: &file.Filename}); err != nil {
				return "", err
			}
			if !value(p.Primary) {
				return file.ID, nil
			}
			return file.ID, c.cover(ctx, i.ID, file)
		})
		if err != nil {
			return err
		}
		kept, err = c.kept(ctx, p.Board, i.ID, id)
		return err
	})
	if err != nil {
		return dash.AttachmentKept{}, err
	}
	return kept, nil
}

// kept is a file of a card and the card.
func (c *change) kept(ctx context.Context, board int64, id dash.IssueID, attachmentID string) (dash.AttachmentKept, error) {
	i, err := issue(ctx, c, board, id)
	if err != nil {
		return dash.AttachmentKept{}, err
	}
	row, err := c.Attachment(ctx, id, attachmentID)
	return dash.AttachmentKept{Issue: i, Attachment: attachment(row, i)}, err
}

// stillMay judges who calls once more, for a call that lasts: the credential may have ended while its body came.
func stillMay(ctx context.Context) error {
	call := guard.From(ctx)
	p, err := call.Again(ctx)
	if err != nil {
		return err
	}
	return access.Allow(call.Operation, p)
}

// room refuses another file on a card that has as many as it may have.
func room(ctx context.Context, r store.WorkReader, id dash.IssueID) error {
	rows, err := r.Attachments(ctx, id)
	if err != nil {
		return during("count attachments", err)
	}
	if len(rows) >= mostAttachments {
		return dash.LimitReachedRefusal{Message: fmt.Sprintf("a card has at most %d files", mostAttachments), Limit: mostAttachments}
	}
	return nil
}

// dropUnnamed deletes those blobs that the row of a file does not name, or there is no row. What a change that failed
// has left cannot be told otherwise: the failure may have come after the commit.
func (h *Handler) dropUnnamed(ctx context.Context, issue dash.IssueID, id string, of ...string) error {
	if of = slices.DeleteFunc(of, func(blob string) bool { return blob == "" }); len(of) == 0 {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), dropMost)
	defer cancel()
	row, err := h.team(ctx).Attachment(ctx, issue, id)
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		return during("look for an attachment", err)
	}
	var failed error
	for _, blob := range of {
		if blob != row.Blob {
			failed = errors.Join(failed, h.dropBlob(ctx, blob))
		}
	}
	return failed
}

func downloadURL(i dash.Issue, id string) string {
	return fmt.Sprintf("/api/issues/%s/attachments/%s?board=%d", i.ID, id, i.Board)
}

func thumbnailURL(i dash.Issue, of store.Attachment) string {
	return fmt.Sprintf("/api/issues/%s/attachments/%s/thumbnail?board=%d&v=%s", i.ID, of.ID, i.Board, version(of))
}

// version names the bytes of a file, for caches.
func version(of store.Attachment) string { return of.Sha256[:min(12, len(of.Sha256))] }

// DownloadAttachment hands a file out: one to keep, whatever it holds.
func (h *Handler) DownloadAttachment(ctx context.Context, request dash.DownloadAttachmentRequestObject) (dash.DownloadAttachmentResponseObject, error) {
	var body io.ReadCloser
	row, err := h.reading(ctx, request.Params.Board, request.ID, request.Attachment, func(row store.Attachment) (err error) {
		body, err = h.openBlob(ctx, row.Blob, row.Bytes)
		return err
	})
	if err != nil {
		return nil, err
	}
	return file{contentType: row.ContentType, bytes: row.Bytes, keepAs: row.Filename, body: body}, nil
}

// GetThumbnail hands out the small picture of a file.
func (h *Handler) GetThumbnail(ctx context.Context, request dash.GetThumbnailRequestObject) (dash.GetThumbnailResponseObject, error) {
	var small []byte
	row, err := h.reading(ctx, request.Params.Board, request.ID, request.Attachment, func(row store.Attachment) (err error) {
		if row.ThumbnailURL == nil {
			return thumbnail.ErrNone
		}
		if small, err = h.readThumbnail(ctx, row.Blob); errors.Is(err, blobs.ErrNotFound) {
			small, err = h.makeThumbnail(ctx, row.ContentType, row.Blob)
			if errors.Is(err, thumbnail.ErrNone) { // kept as no bytes: what is slow to find out is found out once
				err = h.keepThumbnail(ctx, row.Blob, nil)
			}
		}
		if err == nil && len(small) == 0 {
			err = thumbnail.ErrNone
		}
		return err
	})
	switch {
	case errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil:
		return nil, dash.NotFoundRefusal{Message: row.Filename + " has no thumbnail yet: the server is busy with others"}
	case errors.Is(err, thumbnail.ErrNone):
		return nil, dash.NotFoundRefusal{Message: row.Filename + " has no thumbnail"}
	case err != nil:
		return nil, err
	}
	return file{
		contentType: http.DetectContentType(small), bytes: int64(len(small)), lasting: value(request.Params.V) == version(row),
		body: io.NopCloser(bytes.NewReader(small)),
	}, nil
}

// reading finds a file of a card and has its bytes read. Where they are gone since the row was, another call has
// replaced or removed them: it looks again.
func (h *Handler) reading(ctx context.Context, board int64, id dash.IssueID, attachmentID string, read func(store.Attachment) error) (row store.Attachment, err error) {
	r := h.team(ctx)
	i, err := issue(ctx, r, board, id)
	if err != nil {
		return row, err
	}
	for looked := ""; ; looked = row.Blob {
		if row, err = r.Attachment(ctx, i.ID, attachmentID); err != nil {
			return row, orMissing(err, "%s has no file %s", i.ID, attachmentID)
		}
		err = read(row)
		if !errors.Is(err, blobs.ErrNotFound) || row.Blob == looked {
			return row, lost(fmt.Sprintf("attachment %s of %s", row.ID, i.ID), err)
		}
	}
}

// lost says whose bytes could not be read.
func lost(what string, err error) error {
	if errors.Is(err, blobs.ErrNotFound) {
		return fmt.Errorf("%s: its bytes are lost: %w", what, err)
	}
	return during(what, err)
}
