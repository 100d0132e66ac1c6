// SPDX-License-Identifier: Apache-2.0

package sqlstore

import (
	"cmp"
	"context"

	"github.com/fiftyarms/platform/gen/dash"
	"github.com/fiftyarms/platform/gen/sqldb"
	"github.com/fiftyarms/platform/internal/store"
)

// Attachments lists the files of a card, oldest first.
func (w work) Attachments(ctx context.Context, id dash.IssueID) ([]store.Attachment, error) {
	rows, err := w.q.ListAttachments(ctx, sqldb.ListAttachmentsParams{TeamID: w.teamID, IssueID: id})
	if err != nil {
		return nil, w.fail(ctx, "list the attachments of a card", err)
	}
	attachments := make([]store.Attachment, len(rows))
	for i, row := range rows {
		if attachments[i], err = attachment(row.Content, row.Blob); err != nil {
			return nil, w.fail(ctx, "read an attachment", err)
		}
	}
	return attachments, nil
}

// Attachment finds a file of a card.
func (w work) Attachment(ctx context.Context, id dash.IssueID, attachmentID string) (store.Attachment, error) {
	row, err := w.q.AttachmentByID(ctx, sqldb.AttachmentByIDParams{TeamID: w.teamID, IssueID: id, ID: attachmentID})
	if err != nil {
		return store.Attachment{}, w.fail(ctx, "find an attachment", err)
	}
	a, err := attachment(row.Content, row.Blob)
	return a, w.fail(ctx, "read an attachment", err)
}

func attachment(content, blob string) (store.Attachment, error) {
	a, err := fromJSON[dash.Attachment](content)
	return store.Attachment{Attachment: a, Blob: cmp.Or(blob, a.ID)}, err
}

// AddAttachment keeps what is known of a file.
func (w workTx) AddAttachment(ctx context.Context, id dash.IssueID, a store.Attachment) error {
	const doing = "keep an attachment"
	content, err := attachmentContent(a)
	if err != nil {
		return w.fail(ctx, doing, err)
	}
	return w.fail(ctx, doing, w.q.CreateAttachment(ctx, sqldb.CreateAttachmentParams{
		TeamID: w.teamID, ID: a.ID, IssueID: id, At: ms(a.At.Time), Content: content, Blob: a.Blob,
	}))
}

// SaveAttachment writes what is known of a file, but for its place in the list.
func (w workTx) SaveAttachment(ctx context.Context, id dash.IssueID, a store.Attachment) error {
	const doing = "save an attachment"
	content, err := attachmentContent(a)
	if err != nil {
		return w.fail(ctx, doing, err)
	}
	return w.fail(ctx, doing, found(w.q.SaveAttachment(ctx, sqldb.SaveAttachmentParams{
		TeamID: w.teamID, ID: a.ID, IssueID: id, Content: content, Blob: a.Blob,
	})))
}

// attachmentContent is an attachment as its row holds it. Whether it is the cover is for its card to say.
func attachmentContent(a store.Attachment) (string, error) {
	a.IsPrimary = false
	return toJSON(a.Attachment)
}

// RemoveAttachment removes what is known of a file.
func (w workTx) RemoveAttachment(ctx context.Context, id dash.IssueID, attachmentID string) error {
	return w.fail(ctx, "remove an attachment", found(w.q.RemoveAttachment(ctx, sqldb.RemoveAttachmentParams{
		TeamID: w.teamID, IssueID: id, ID: attachmentID,
	})))
}

// Image finds an image that was uploaded.
func (w work) Image(ctx context.Context, id string) (store.Image, error) {
	row, err := w.q.ImageByID(ctx, sqldb.ImageByIDParams{TeamID: w.teamID, ID: id})
	if err != nil {
		return store.Image{}, w.fail(ctx, "find an image", err)
	}
	by, err := fromJSON[dash.Actor](row.Actor)
	return store.Image{
		ID: row.ID, ContentType: row.ContentType, Bytes: row.Bytes, Sha256: row.Sha256, By: by, At: at(row.At),
	}, w.fail(ctx, "read an image", err)
}

// AddImage keeps what is known of an image.
func (w workTx) AddImage(ctx context.Context, i store.Image) error {
	const doing = "keep an image"
	actor, err := toJSON(i.By)
	if err != nil {
		return w.fail(ctx, doing, err)
	}
	return w.fail(ctx, doing, w.q.CreateImage(ctx, sqldb.CreateImageParams{
		TeamID: w.teamID, ID: i.ID, At: ms(i.At), ContentType: i.ContentType, Bytes: i.Bytes, Sha256: i.Sha256, Actor: actor,
	}))
}
