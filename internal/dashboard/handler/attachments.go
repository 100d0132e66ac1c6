// SPDX-License-Identifier: Apache-2.0

package handler

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"path"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/fiftyarms/platform/gen/dash"
	"github.com/fiftyarms/platform/internal/access"
	"github.com/fiftyarms/platform/internal/blobs"
	"github.com/fiftyarms/platform/internal/dashboard/guard"
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
	return dash.ListAttachments200JSONResponse{Attachments: some(rows)}, during("list attachments", err)
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
	var id string
	if err := h.ids(&id); err != nil {
		return nil, err
	}
	body := bufio.NewReaderSize(request.Body, sniffed)
	begin, err := body.Peek(sniffed)
	if err != nil && err != io.EOF {
		return nil, err
	}
	file := dash.Attachment{ID: id, Filename: p.Filename, ContentType: contentType(p.Filename, begin), URL: downloadURL(i, id)}
	if file.Bytes, file.Sha256, err = h.Blobs.Put(ctx, h.blobKey(ctx, id), body); err != nil {
		return nil, err
	}
	kept, err := h.attach(ctx, p, i, file)
	if kept.ID != id { // nothing was added, or it was before
		err = errors.Join(err, h.dropBlob(ctx, i.ID, id))
	}
	return dash.AddAttachment201JSONResponse(kept), err
}

// attach adds the row of a file, unless the call has added it before. It answers the row that stands for the call.
func (h *Handler) attach(ctx context.Context, p dash.AddAttachmentParams, i dash.Issue, file dash.Attachment) (kept dash.Attachment, err error) {
	if err := stillMay(ctx); err != nil {
		return dash.Attachment{}, err
	}
	err = h.change(ctx, func(c *change) error {
		call := []any{p.Board, i.ID, file.Filename, file.Sha256}
		id, err := c.once(ctx, p.IdempotencyKey, call, func() (string, error) {
			if err := room(ctx, c, i.ID); err != nil {
				return "", err
			}
			file.By, file.At = c.by, dash.At(c.at)
			if err := c.AddAttachment(ctx, i.ID, file); err != nil {
				return "", err
			}
			return file.ID, c.tell(dash.EventKindIssueAttached, i.Board, i.ID, 0, dash.Change{Field: "attachment", To: &file.Filename})
		})
		if err != nil {
			return err
		}
		kept, err = c.Attachment(ctx, i.ID, id)
		return err
	})
	if err != nil {
		return dash.Attachment{}, err
	}
	return kept, nil
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

// blobKey is where the bytes of an attachment are.
func (h *Handler) blobKey(ctx context.Context, id string) string {
	return caller(ctx).TeamID + "/" + id
}

// dropBlob deletes the bytes of an attachment that there is no row of. A failure may have come after the commit: then
// the row is there, and the bytes stay.
func (h *Handler) dropBlob(ctx context.Context, issue dash.IssueID, id string) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
	defer cancel()
	if _, err := h.team(ctx).Attachment(ctx, issue, id); !errors.Is(err, store.ErrNotFound) {
		return during("look for an attachment", err)
	}
	return during("drop the bytes of an attachment", h.Blobs.Delete(ctx, h.blobKey(ctx, id)))
}

// isFilename says whether a name is that of one file, on whatever system.
func isFilename(name string) bool {
	return utf8.ValidString(name) && name == path.Base(name) && name != "." && name != ".." && !strings.ContainsAny(name, `/\`)
}

func downloadURL(i dash.Issue, id string) string {
	return fmt.Sprintf("/api/issues/%s/attachments/%s?board=%d", i.ID, id, i.Board)
}

// sniffed is how many bytes tell a file's type.
const sniffed = 512

// texts are the endings that say of a text what it is, and that no browser takes for a page.
var texts = map[string]string{
	".csv":  "text/csv; charset=utf-8",
	".tsv":  "text/tab-separated-values; charset=utf-8",
	".yaml": "application/yaml",
	".yml":  "application/yaml",
}

// contentType is what a file looks like by its beginning. What looks like a page, or like anything that a browser would
// run as one, is text.
func contentType(filename string, begin []byte) string {
	const plain = "text/plain; charset=utf-8"
	kind := http.DetectContentType(begin)
	switch {
	case strings.HasPrefix(kind, "text/html"), strings.HasPrefix(kind, "text/xml"), strings.Contains(kind, "svg"):
		return plain
	case kind == plain:
		if text, ok := texts[strings.ToLower(path.Ext(filename))]; ok {
			return text
		}
	}
	return kind
}

// DownloadAttachment hands a file out.
func (h *Handler) DownloadAttachment(ctx context.Context, request dash.DownloadAttachmentRequestObject) (dash.DownloadAttachmentResponseObject, error) {
	r := h.team(ctx)
	i, err := issue(ctx, r, request.Params.Board, request.ID)
	if err != nil {
		return nil, err
	}
	row, err := r.Attachment(ctx, i.ID, request.Attachment)
	if err != nil {
		return nil, orMissing(err, "%s has no file %s", i.ID, request.Attachment)
	}
	body, size, err := h.Blobs.Open(ctx, h.blobKey(ctx, row.ID))
	if errors.Is(err, blobs.ErrNotFound) || err == nil && size != row.Bytes {
		err = errors.Join(fmt.Errorf("attachment %s of %s: its bytes are lost", row.ID, i.ID), err)
	}
	if err != nil {
		if body != nil {
			err = errors.Join(err, body.Close())
		}
		return nil, err
	}
	return download{row, body}, nil
}

// download is the answer with a file: one to keep, whatever it holds. Should a browser show it all the same, it runs
// nothing and loads nothing.
type download struct {
	row  dash.Attachment
	body io.ReadCloser
}

// VisitDownloadAttachmentResponse writes the file.
func (d download) VisitDownloadAttachmentResponse(w http.ResponseWriter) error {
	defer d.body.Close()
	h := w.Header()
	h.Set("Content-Type", d.row.ContentType)
	h.Set("Content-Length", strconv.FormatInt(d.row.Bytes, 10))
	h.Set("Content-Disposition", disposition(d.row.Filename))
	h.Set("Content-Security-Policy", "sandbox; default-src 'none'")
	h.Set("X-Content-Type-Options", "nosniff")
	w.WriteHeader(http.StatusOK)
	_, err := io.Copy(w, d.body)
	if errors.Is(err, http.ErrBodyNotAllowed) {
		return nil // of HEAD
	}
	return err
}

// disposition names a file as RFC 6266 wants it: in ASCII for who reads no more, and in full.
func disposition(filename string) string {
	ascii := strings.Map(func(r rune) rune {
		if r < ' ' || r > '~' || strings.ContainsRune(`"\%`, r) {
			return '_'
		}
		return r
	}, filename)
	// PathEscape leaves some characters that RFC 5987 does not know in a value.
	full := strings.NewReplacer("=", "%3D", "@", "%40", ":", "%3A").Replace(url.PathEscape(filename))
	return fmt.Sprintf(`attachment; filename="%s"; filename*=UTF-8''%s`, ascii, full)
}
