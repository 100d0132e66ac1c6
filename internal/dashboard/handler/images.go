// SPDX-License-Identifier: Apache-2.0

package handler

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode"

	"github.com/fiftyarms/platform/gen/dash"
	"github.com/fiftyarms/platform/internal/store"
)

// imageTypes are what is handed out to be shown. SVG is a document that can hold scripts: it never is.
var imageTypes = []string{"image/png", "image/jpeg", "image/gif", "image/webp", "image/avif"}

// UploadImage keeps an image that a text is to show: its bytes first, then the row that names them.
func (h *Handler) UploadImage(ctx context.Context, request dash.UploadImageRequestObject) (dash.UploadImageResponseObject, error) {
	name := value(request.Params.Filename)
	if name != "" && !isFilename(name) {
		return nil, invalid(dash.FaultInQuery, "filename", "is not the name of a file")
	}
	kind, body, err := sniff(name, request.Body)
	if err != nil {
		return nil, err
	}
	if !slices.Contains(imageTypes, kind) {
		return nil, dash.NotAnImageRefusal{
			Message: "the file looks like " + kind + ": want a PNG, JPEG, GIF, WebP or AVIF image", ContentType: kind,
		}
	}
	image := store.Image{ContentType: kind}
	if err := h.ids(&image.ID); err != nil {
		return nil, err
	}
	if err := h.keepImage(ctx, image, body); err != nil {
		return nil, err
	}
	url := "/api/uploads/images/" + image.ID
	return dash.UploadImage201JSONResponse{URL: url, Markdown: fmt.Sprintf("![%s](%s)", inMarkdown(name), url)}, nil
}

func (h *Handler) keepImage(ctx context.Context, image store.Image, body io.Reader) (err error) {
	if image.Bytes, image.Sha256, err = h.Blobs.Put(ctx, h.blobKey(ctx, image.ID), body); err != nil {
		return err
	}
	if err = stillMay(ctx); err == nil {
		err = h.change(ctx, func(c *change) error {
			image.By, image.At = c.by, c.at
			return c.AddImage(ctx, image)
		})
	}
	if err == nil {
		return nil
	}
	// The failure may have come after the commit: then the row is there, and the bytes stay.
	late, cancel := context.WithTimeout(context.WithoutCancel(ctx), dropMost)
	defer cancel()
	if _, missing := h.team(ctx).Image(late, image.ID); errors.Is(missing, store.ErrNotFound) {
		return errors.Join(err, h.dropBlob(ctx, image.ID))
	}
	return err
}

// inMarkdown is a name as the text that stands for an image: what would end that text, or begin another, is escaped.
func inMarkdown(name string) string {
	if name == "" {
		return "image"
	}
	var out strings.Builder
	for _, r := range name {
		switch {
		case strings.ContainsRune("\\`*_[]<>&!~|$", r):
			out.WriteByte('\\')
		case unicode.In(r, unicode.Cc, unicode.Zl, unicode.Zp):
			r = ' '
		}
		out.WriteRune(r)
	}
	return out.String()
}

// GetImage hands an image out, to be shown.
func (h *Handler) GetImage(ctx context.Context, request dash.GetImageRequestObject) (dash.GetImageResponseObject, error) {
	image, err := h.team(ctx).Image(ctx, request.Image)
	if err != nil {
		return nil, orMissing(err, "there is no image %s", request.Image)
	}
	body, err := h.openBlob(ctx, image.ID, image.Bytes)
	if err != nil {
		return nil, lost("image "+image.ID, err)
	}
	return file{contentType: image.ContentType, bytes: image.Bytes, lasting: true, body: body}, nil
}
