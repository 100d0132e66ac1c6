// SPDX-License-Identifier: Apache-2.0

package attach

import (
	"bytes"
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/fiftyarms/platform/gen/dash"
	"github.com/fiftyarms/platform/gen/mcptools"
	"github.com/fiftyarms/platform/internal/platform/client"
)

// stall is how long an upload may stand still.
const stall = 30 * time.Second

// octets is what every file is sent as: the dashboard looks at the bytes.
const octets = "application/octet-stream"

// upload sends a file, once more if the network lost it and a second time can do no harm.
func (f *Files) upload(ctx context.Context, t target, s *source) (result mcptools.AttachFileResult, err error) {
	key := make([]byte, 16)
	if _, err := io.ReadFull(f.random, key); err != nil {
		return result, fmt.Errorf("make an idempotency key: %w", err)
	}
	m := startMeter(ctx, s.info.Size())
	resp, err := f.send(ctx, t, s, hex.EncodeToString(key), m)
	if lost, ok := errors.AsType[*client.Failure](err); ok && lost.Unanswered() && !t.inline && s.unchanged() == nil {
		resp, err = f.send(ctx, t, s, hex.EncodeToString(key), m)
	}
	m.end(err == nil && resp.Status < 400)
	switch {
	case err != nil:
		return result, err
	case resp.Status >= 400:
		result, err = refused(resp)
		if err == nil && resp.Status == http.StatusNotFound && t.replaces != "" {
			result.Reminders = append(result.Reminders, lists("replaces may name no attachment of the card", t.card))
		}
		return result, err
	case t.inline:
		return imageKept(resp)
	}
	return attachmentKept(resp)
}

// send makes one call with the file as its body.
func (f *Files) send(ctx context.Context, t target, s *source, key string, m *meter) (*client.Response, error) {
	m.sent.Store(0)
	body := &content{source: s, meter: m}
	req, err := f.request(t, key, body)
	if err != nil {
		return nil, err
	}
	if req.ContentLength = s.info.Size(); req.ContentLength == 0 {
		req.Body = http.NoBody
	} else {
		req.Header.Set("Expect", "100-continue") // a refusal comes before the bytes go
	}
	return f.session.Do(ctx, client.Call{Request: req, Stall: stall})
}

func (f *Files) request(t target, key string, body io.Reader) (*http.Request, error) {
	var filename *string
	if t.filename != "" {
		filename = &t.filename
	}
	var primary *bool
	if t.primary {
		primary = &t.primary
	}
	switch base := f.client.Base(); {
	case t.inline:
		return dash.NewUploadImageRequestWithBody(base, &dash.UploadImageParams{Filename: filename}, octets, body)
	case t.replaces != "":
		return dash.NewReplaceAttachmentRequestWithBody(base, t.card, t.replaces,
			&dash.ReplaceAttachmentParams{Board: t.board, Filename: filename, Primary: primary}, octets, body)
	default:
		return dash.NewAddAttachmentRequestWithBody(base, t.card,
			&dash.AddAttachmentParams{Board: t.board, Filename: t.filename, Primary: primary, IdempotencyKey: &key}, octets, body)
	}
}

var errChanged = errors.New("the file changed while it was read, and nothing was kept: send it again when it is complete")

// content is a file's bytes on their way. Each reading of them begins at the start.
type content struct {
	source *source
	meter  *meter
	at     int64
}

// Read gives the last bytes only if the file is still as it was: a file that changes is never sent whole.
func (c *content) Read(p []byte) (int, error) {
	left := c.source.info.Size() - c.at
	if left == 0 {
		return 0, io.EOF
	}
	n, err := c.source.file.ReadAt(p[:min(int64(len(p)), left)], c.at)
	c.at += int64(n)
	if int64(n) == left {
		if changed := c.source.unchanged(); changed != nil {
			return 0, changed
		}
	} else if errors.Is(err, io.EOF) {
		return 0, errChanged
	} else if err != nil {
		return 0, fmt.Errorf("the file cannot be read any more, and nothing was kept: %w", err)
	}
	c.meter.sent.Add(int64(n))
	return n, nil
}

// lists says where a card's attachments are found.
func lists(why, card string) string {
	return fmt.Sprintf("%s: GET /api/issues/%s/attachments lists them", why, card)
}

// refused hands on a 4xx.
func refused(resp *client.Response) (result mcptools.AttachFileResult, err error) {
	if body := bytes.TrimSpace(resp.Body); !json.Valid(body) || len(body) == 0 || body[0] != '{' {
		return result, resp.Refusal()
	}
	result.Ok, result.Status, result.Body = new(false), new(int32(resp.Status)), resp.Body
	return result, nil
}

func attachmentKept(resp *client.Response) (result mcptools.AttachFileResult, err error) {
	var kept struct {
		Issue      json.RawMessage `json:"issue"`
		Attachment struct {
			ID           string  `json:"id"`
			URL          string  `json:"url"`
			ThumbnailURL *string `json:"thumbnail_url"`
			IsPrimary    bool    `json:"is_primary"`
		} `json:"attachment"`
	}
	if err := json.Unmarshal(resp.Body, &kept); err != nil || kept.Attachment.ID == "" {
		return result, odd(resp, "an attachment")
	}
	a := kept.Attachment
	result.Issue, result.AttachmentID, result.URL = kept.Issue, &a.ID, &a.URL
	result.ThumbnailURL, result.IsPrimary = a.ThumbnailURL, &a.IsPrimary
	return result, nil
}

func imageKept(resp *client.Response) (result mcptools.AttachFileResult, err error) {
	var kept dash.ImageUploaded
	if err := json.Unmarshal(resp.Body, &kept); err != nil || kept.URL == "" {
		return result, odd(resp, "an image")
	}
	result.URL, result.Markdown = &kept.URL, &kept.Markdown
	return result, nil
}

func odd(resp *client.Response, wanted string) error {
	return fmt.Errorf("%s %s: answered %d with something else than %s; the file may be kept: look before you send it again", resp.Method, resp.Path, resp.Status, wanted)
}
