// SPDX-License-Identifier: Apache-2.0

package handler

import (
	"bufio"
	"bytes"
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

	"github.com/fiftyarms/platform/internal/blobs"
	"github.com/fiftyarms/platform/internal/dashboard/thumbnail"
)

// What attachments and images have in common: bytes that come in, are kept, and go out.

// isFilename says whether a name is that of one file, on whatever system.
func isFilename(name string) bool {
	return utf8.ValidString(name) && name == path.Base(name) && name != "." && name != ".." && !strings.ContainsAny(name, `/\`)
}

// sniffed is how many bytes tell a file's type.
const sniffed = 512

// sniff tells a body's type by its beginning, and answers the body with its beginning.
func sniff(filename string, from io.Reader) (contentTyped string, body io.Reader, err error) {
	whole := bufio.NewReaderSize(from, sniffed)
	begin, err := whole.Peek(sniffed)
	if err != nil && err != io.EOF {
		return "", nil, err
	}
	return contentType(filename, begin), whole, nil
}

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
	case isAVIF(begin):
		return "image/avif"
	case strings.HasPrefix(kind, "text/html"), strings.HasPrefix(kind, "text/xml"), strings.Contains(kind, "svg"):
		return plain
	case kind == plain:
		if text, ok := texts[strings.ToLower(path.Ext(filename))]; ok {
			return text
		}
	}
	return kind
}

// isAVIF tells what the standard library does not: an image that begins with a box of its brand.
func isAVIF(begin []byte) bool {
	return len(begin) >= 12 && string(begin[4:8]) == "ftyp" && (string(begin[8:12]) == "avif" || string(begin[8:12]) == "avis")
}

// blobKey is where the bytes of a blob of the caller's team are.
func (h *Handler) blobKey(ctx context.Context, blob string) string {
	return caller(ctx).TeamID + "/" + blob
}

// dropMost is how long it may take to drop bytes, though whoever called has left.
const dropMost = 10 * time.Second

// dropBlob deletes a blob and its thumbnail, as far as they are there.
func (h *Handler) dropBlob(ctx context.Context, blob string) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), dropMost)
	defer cancel()
	var failed error
	for _, key := range []string{h.blobKey(ctx, blob), h.thumbnailKey(ctx, blob)} { // in this order: see keepThumbnail
		if err := h.Blobs.Delete(ctx, key); !errors.Is(err, blobs.ErrNotFound) {
			failed = errors.Join(failed, err)
		}
	}
	return during("drop the bytes of a file", failed)
}

// openBlob opens a blob that holds so many bytes. One that does not, or is not there, is lost.
func (h *Handler) openBlob(ctx context.Context, blob string, bytes int64) (io.ReadCloser, error) {
	body, size, err := h.Blobs.Open(ctx, h.blobKey(ctx, blob))
	if err == nil && size != bytes {
		err = errors.Join(fmt.Errorf("it holds %d bytes, not %d", size, bytes), body.Close())
	}
	if err != nil {
		return nil, fmt.Errorf("blob %s: %w", blob, err)
	}
	return body, nil
}

// What thumbnails take.
const (
	thumbnailEnding = ".thumb"
	thumbnailBytes  = 4 << 20          // at most: a PNG of that size without any compression takes less
	thumbnailWithin = 15 * time.Second // waiting for others included; no longer than a call may stand still
)

// thumbnailKey is where the thumbnail of a blob is.
func (h *Handler) thumbnailKey(ctx context.Context, blob string) string {
	return h.blobKey(ctx, blob) + thumbnailEnding
}

// makeThumbnail makes the thumbnail of a blob and keeps it beside it. thumbnail.ErrNone where there can be none.
func (h *Handler) makeThumbnail(ctx context.Context, contentType, blob string) ([]byte, error) {
	if !thumbnail.Known(contentType) {
		return nil, thumbnail.ErrNone
	}
	ctx, cancel := context.WithTimeout(ctx, thumbnailWithin)
	defer cancel()
	body, _, err := h.Blobs.Open(ctx, h.blobKey(ctx, blob))
	if err != nil {
		return nil, during("make a thumbnail", err)
	}
	defer body.Close()
	small, err := thumbnail.Make(ctx, contentType, body)
	if err != nil {
		return nil, during("make a thumbnail", err)
	}
	return small, h.keepThumbnail(ctx, blob, small)
}

// keepThumbnail keeps the thumbnail of a blob beside it, but beside nothing if the blob was removed meanwhile.
func (h *Handler) keepThumbnail(ctx context.Context, blob string, small []byte) error {
	_, _, failed := h.Blobs.Put(ctx, h.thumbnailKey(ctx, blob), bytes.NewReader(small))
	if _, alike := h.readThumbnail(ctx, blob); alike == nil {
		failed = nil // another call was first, with the same bytes
	}
	body, _, gone := h.Blobs.Open(ctx, h.blobKey(ctx, blob))
	switch {
	case errors.Is(gone, blobs.ErrNotFound):
		failed = errors.Join(gone, h.dropBlob(ctx, blob))
	case gone == nil:
		failed = errors.Join(failed, body.Close())
	}
	return during("keep a thumbnail", failed)
}

func (h *Handler) readThumbnail(ctx context.Context, blob string) ([]byte, error) {
	r, _, err := h.Blobs.Open(ctx, h.thumbnailKey(ctx, blob))
	if err != nil {
		return nil, err
	}
	defer r.Close()
	return io.ReadAll(io.LimitReader(r, thumbnailBytes))
}

// A file is the answer with bytes. Should a browser show them, it runs nothing and loads nothing.
type file struct {
	contentType string
	bytes       int64
	keepAs      string // the name under which a browser keeps it; "" shows it
	lasting     bool   // its address stands for these bytes alone, so a browser may keep them
	body        io.ReadCloser
}

// VisitDownloadAttachmentResponse writes the file.
func (f file) VisitDownloadAttachmentResponse(w http.ResponseWriter) error { return f.write(w) }

// VisitGetImageResponse writes the image.
func (f file) VisitGetImageResponse(w http.ResponseWriter) error { return f.write(w) }

// VisitGetThumbnailResponse writes the picture.
func (f file) VisitGetThumbnailResponse(w http.ResponseWriter) error { return f.write(w) }

func (f file) write(w http.ResponseWriter) error {
	defer f.body.Close()
	h := w.Header()
	h.Set("Content-Type", f.contentType)
	h.Set("Content-Length", strconv.FormatInt(f.bytes, 10))
	h.Set("Content-Disposition", "inline")
	h.Set("Content-Security-Policy", "sandbox; default-src 'none'")
	h.Set("X-Content-Type-Options", "nosniff")
	if f.keepAs != "" {
		h.Set("Content-Disposition", disposition(f.keepAs))
	}
	if f.lasting {
		h.Set("Cache-Control", "private, max-age=31536000, immutable")
	}
	w.WriteHeader(http.StatusOK)
	_, err := io.Copy(w, f.body)
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
