// SPDX-License-Identifier: Apache-2.0

package handler

import (
	"context"
	"errors"
	"fmt"

	"github.com/fiftyarms/platform/gen/dash"
	"github.com/fiftyarms/platform/internal/store"
	"github.com/fiftyarms/platform/internal/work"
)

// ReplaceAttachment gives a file new bytes: as a blob of its own first, which the row then names in the old one's place.
func (h *Handler) ReplaceAttachment(ctx context.Context, request dash.ReplaceAttachmentRequestObject) (dash.ReplaceAttachmentResponseObject, error) {
	p := request.Params
	if p.Filename != nil && !isFilename(*p.Filename) {
		return nil, invalid(dash.FaultInQuery, "filename", "is not the name of a file")
	}
	r := h.team(ctx)
	i, err := issue(ctx, r, p.Board, request.ID)
	if err != nil {
		return nil, err
	}
	before, err := r.Attachment(ctx, i.ID, request.Attachment)
	if err != nil {
		return nil, orMissing(err, "%s has no file %s", i.ID, request.Attachment)
	}
	file := before
	if p.Filename != nil {
		file.Filename = *p.Filename
	}
	if err := h.receive(ctx, &file, i, request.Body, value(p.Primary) || attachment(before, i).IsPrimary); err != nil {
		return nil, err
	}
	kept, replaced, err := h.replace(ctx, p, i.ID, file)
	return dash.ReplaceAttachment200JSONResponse(kept), errors.Join(err, h.dropUnnamed(ctx, i.ID, file.ID, replaced, file.Blob))
}

// replace has the row of a file name its new bytes. It answers the blob that it named before, as far as it came to know.
func (h *Handler) replace(ctx context.Context, p dash.ReplaceAttachmentParams, id dash.IssueID, file store.Attachment) (kept dash.AttachmentKept, replaced string, err error) {
	if err := stillMay(ctx); err != nil {
		return kept, "", err
	}
	err = h.change(ctx, func(c *change) error {
		i, err := issue(ctx, c, p.Board, id)
		if err != nil {
			return err
		}
		row, err := c.Attachment(ctx, id, file.ID)
		if err != nil {
			return orMissing(err, "%s has no file %s", id, file.ID)
		}
		replaced = row.Blob
		if p.Filename == nil {
			file.Filename = row.Filename
		}
		file.By, file.At = c.by, dash.At(c.at)
		if err := c.SaveAttachment(ctx, id, file); err != nil {
			return err
		}
		named := dash.Change{Field: "attachment", From: &row.Filename, To: &file.Filename}
		if err := c.tell(dash.EventKindIssueAttachmentReplaced, i.Board, id, 0, named); err != nil {
			return err
		}
		if value(p.Primary) || attachment(row, i).IsPrimary {
			if err := c.cover(ctx, id, file); err != nil {
				return err
			}
		}
		kept, err = c.kept(ctx, p.Board, id, file.ID)
		return err
	})
	return kept, replaced, err
}

// EditAttachment makes a file the cover, or no longer.
func (h *Handler) EditAttachment(ctx context.Context, request dash.EditAttachmentRequestObject) (dash.EditAttachmentResponseObject, error) {
	board := request.Params.Board
	var kept dash.AttachmentKept
	err := h.change(ctx, func(c *change) error {
		i, err := issue(ctx, c, board, request.ID)
		if err != nil {
			return err
		}
		row, err := c.Attachment(ctx, i.ID, request.Attachment)
		if err != nil {
			return orMissing(err, "%s has no file %s", i.ID, request.Attachment)
		}
		switch is := attachment(row, i).IsPrimary; {
		case request.Body.IsPrimary && !is:
			err = c.cover(ctx, i.ID, row)
		case !request.Body.IsPrimary && is:
			err = c.uncover(ctx, i, row.Filename)
		}
		if err != nil {
			return err
		}
		kept, err = c.kept(ctx, board, i.ID, row.ID)
		return err
	})
	return dash.EditAttachment200JSONResponse(kept), err
}

// RemoveAttachment ends a file: its row first, then its bytes.
func (h *Handler) RemoveAttachment(ctx context.Context, request dash.RemoveAttachmentRequestObject) (dash.RemoveAttachmentResponseObject, error) {
	var blob string
	err := h.change(ctx, func(c *change) error {
		i, err := issue(ctx, c, request.Params.Board, request.ID)
		if err != nil {
			return err
		}
		row, err := c.Attachment(ctx, i.ID, request.Attachment)
		if err != nil {
			return orMissing(err, "%s has no file %s", i.ID, request.Attachment)
		}
		blob = row.Blob
		if err := c.RemoveAttachment(ctx, i.ID, row.ID); err != nil {
			return err
		}
		if err := c.tell(dash.EventKindIssueAttachmentRemoved, i.Board, i.ID, 0, dash.Change{Field: "attachment", From: &row.Filename}); err != nil {
			return err
		}
		if !attachment(row, i).IsPrimary {
			return nil
		}
		return c.uncover(ctx, i, row.Filename)
	})
	return dash.RemoveAttachment204Response{}, errors.Join(err, h.dropUnnamed(ctx, request.ID, request.Attachment, blob))
}

// cover makes a file the one that stands for its card, or has the card name its new bytes. The card's version stays: what
// it says does not change.
func (c *change) cover(ctx context.Context, id dash.IssueID, file store.Attachment) error {
	if file.ThumbnailURL == nil {
		return noCover(file)
	}
	i, err := issue(ctx, c, 0, id)
	if err != nil {
		return err
	}
	told := work.Changed("cover", "", file.Filename)
	if i.Cover != nil && i.Cover.AttachmentID != file.ID {
		before, err := c.Attachment(ctx, id, i.Cover.AttachmentID)
		if err != nil {
			return err
		}
		told = work.Changed("cover", before.Filename, file.Filename)
	}
	is := dash.Cover{AttachmentID: file.ID, ThumbnailURL: *file.ThumbnailURL}
	if i.Cover != nil && *i.Cover == is {
		return nil
	}
	i.Cover, i.UpdatedAt = &is, dash.At(c.at)
	if err := c.SaveIssue(ctx, i); err != nil {
		return err
	}
	return c.tell(dash.EventKindIssueCoverChanged, i.Board, id, 0, told)
}

// uncover leaves a card without a cover.
func (c *change) uncover(ctx context.Context, i dash.Issue, filename string) error {
	i.Cover, i.UpdatedAt = nil, dash.At(c.at)
	if err := c.SaveIssue(ctx, i); err != nil {
		return err
	}
	return c.tell(dash.EventKindIssueCoverChanged, i.Board, i.ID, 0, work.Changed("cover", filename, ""))
}

// noCover refuses a file as a cover.
func noCover(file store.Attachment) error {
	return dash.NotAnImageRefusal{
		Message: fmt.Sprintf("%s looks like %s: a cover is a PNG, JPEG, GIF or WebP image that can be read, of at most 24 million pixels",
			file.Filename, file.ContentType),
		ContentType: file.ContentType,
	}
}
