// SPDX-License-Identifier: Apache-2.0

package demo

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/fiftyarms/platform/gen/dash"
	"github.com/fiftyarms/platform/gen/mcptools"
)

// askingSteps are how a session that may little comes to may more: it is refused, asks, and is shown a tool.
func (w *world) askingSteps() []step {
	return []step{
		{"a second session signs in, and the person lets it read cards alone", w.signInReader},
		{"it tries to comment, is refused, and told how to ask", w.forbidden},
		{"request_permission asks the person; asked twice, it is one request", w.requestPermission},
		{"the person compares the code, sees the scope, and grants it", w.grant},
		{"one notification tells the session that it has a new tool", w.notified},
		{"it uses the new tool: a picture becomes the card's cover", w.attach},
	}
}

const (
	readerTitle = "Show how the checkout looks"
	listChanged = "notifications/tools/list_changed"
	newTool     = "attach_file"
)

func (w *world) signInReader(ctx context.Context) (string, error) {
	var err error
	if w.reader, err = w.spawn(ctx, "demo-"+rand.Text()); err != nil {
		return "", err
	}
	if _, err := w.askWith(ctx, w.reader, readerTitle); err != nil {
		return "", err
	}
	if _, err := w.approveWith(ctx, []dash.Permission{dash.PermissionCardsView}); err != nil {
		return "", err
	}
	if _, err := connect(ctx, w.reader); err != nil {
		return "", err
	}
	names, err := tools(ctx, w.reader)
	if err != nil {
		return "", err
	}
	if slices.Contains(names, newTool) || w.reader.Told(listChanged) != 0 {
		return "", fmt.Errorf("a session that may only read is shown %v after %d notifications", names, w.reader.Told(listChanged))
	}
	return "connected with cards.view; its tools: " + strings.Join(names, "  "), nil
}

func (w *world) forbidden(ctx context.Context) (string, error) {
	res, err := callTool[mcptools.APIResult](ctx, w.reader, "50arms_api", mcptools.APIArgs{
		Method: mcptools.APIArgsMethodPOST, Path: "/api/issues/" + w.card.ID + "/comments", Board: fmt.Append(nil, w.board),
		Body: json.RawMessage(`{"body":"A picture follows."}`),
	})
	if err != nil {
		return "", err
	}
	var refusal dash.ForbiddenRefusal
	if err := json.Unmarshal(res.Body, &refusal); err != nil {
		return "", err
	}
	if res.Status != http.StatusForbidden || refusal.Permission != dash.PermissionCardsEdit || len(res.Reminders) != 1 {
		return "", fmt.Errorf("want 403 for cards.edit with one reminder, got %d %s %q", res.Status, res.Body, res.Reminders)
	}
	return fmt.Sprintf("%d %s\nreminder: %s", res.Status, res.Body, res.Reminders[0]), nil
}

func (w *world) requestPermission(ctx context.Context) (string, error) {
	args := mcptools.RequestPermissionArgs{Permissions: []string{string(dash.PermissionCardsEdit)}, Reason: "To put a picture of the checkout on " + w.card.ID + "."}
	ask := func(want mcptools.RequestPermissionResultState) (mcptools.RequestPermissionResult, error) {
		res, err := callTool[mcptools.RequestPermissionResult](ctx, w.reader, "request_permission", args)
		if err == nil && (res.State == nil || *res.State != want || res.ApprovalURL == nil || res.ConfirmCode == nil) {
			err = fmt.Errorf("want %s with a link and a code, got %+v", want, res)
		}
		return res, err
	}
	first, err := ask(mcptools.RequestPermissionResultStateApprovalRequired)
	if err != nil {
		return "", err
	}
	again, err := ask(mcptools.RequestPermissionResultStateApprovalPending)
	if err != nil {
		return "", err
	}
	if *again.ConfirmCode != *first.ConfirmCode || *again.ApprovalURL != *first.ApprovalURL {
		return "", fmt.Errorf("asked twice, got %s and %s", *first.ConfirmCode, *again.ConfirmCode)
	}
	w.code = *first.ConfirmCode
	w.publicID = (*first.ApprovalURL)[strings.LastIndex(*first.ApprovalURL, "/")+1:]
	return fmt.Sprintf("code %s, link %s", w.code, *first.ApprovalURL), nil
}

func (w *world) grant(ctx context.Context) (string, error) {
	seen, err := w.api.GetPermissionRequestWithResponse(ctx, w.publicID)
	if err != nil {
		return "", err
	}
	if seen.JSON200 == nil {
		return "", unexpected("GET /api/permission-requests/{publicId}", seen.HTTPResponse, seen.Body)
	}
	r := seen.JSON200
	if r.ConfirmCode != w.code {
		return "", fmt.Errorf("the page shows code %s, the agent %s", r.ConfirmCode, w.code)
	}
	done, err := w.api.ApprovePermissionRequestWithResponse(ctx, w.publicID, dash.PermissionApproval{Digest: r.Digest}, w.withCSRF)
	if err != nil {
		return "", err
	}
	if done.JSON200 == nil {
		return "", unexpected("POST /api/permission-requests/{publicId}/approve", done.HTTPResponse, done.Body)
	}
	return fmt.Sprintf("%q holds %v and asked for %v: %s\nnow it holds %v", r.Key.Title, r.Key.Permissions, r.Permissions, r.Reason, done.JSON200.Key.Permissions), nil
}

func (w *world) notified(ctx context.Context) (string, error) {
	if err := w.reader.AwaitTold(ctx, listChanged, 1); err != nil {
		return "", err
	}
	names, err := tools(ctx, w.reader)
	if err != nil {
		return "", err
	}
	if !slices.Contains(names, newTool) {
		return "", fmt.Errorf("tool %s is missing among %v", newTool, names)
	}
	return listChanged + "; its tools: " + strings.Join(names, "  "), nil
}

func (w *world) attach(ctx context.Context) (string, error) {
	path := filepath.Join(w.dir, "checkout.png")
	if err := os.WriteFile(path, picture(), 0o600); err != nil {
		return "", err
	}
	res, err := callTool[mcptools.AttachFileResult](ctx, w.reader, newTool, mcptools.AttachFileArgs{CardID: &w.card.ID, Path: path, Primary: new(true)})
	if err != nil {
		return "", err
	}
	if res.AttachmentID == nil || res.IsPrimary == nil || !*res.IsPrimary || res.ThumbnailURL == nil {
		return "", fmt.Errorf("want a cover with a thumbnail, got %+v", res)
	}
	if n := w.reader.Told(listChanged); n != 1 {
		return "", fmt.Errorf("%d notifications of changed tools, want 1", n)
	}
	return fmt.Sprintf("%s is the cover of %s\nthumbnail %s\n%s came once", filepath.Base(path), w.card.ID, *res.ThumbnailURL, listChanged), nil
}

// picture is a PNG of a shopping basket's colours, made here: the repository ships no image.
func picture() []byte {
	img := image.NewRGBA(image.Rect(0, 0, 640, 400))
	for y := range 400 {
		for x := range 640 {
			c := color.RGBA{0xf4, 0xf1, 0xea, 0xff}
			if x > 160 && x < 480 && y > 140 && y < 320 {
				c = color.RGBA{0x1f, 0x6f, 0x5c, 0xff}
			}
			img.SetRGBA(x, y, c)
		}
	}
	var b bytes.Buffer
	_ = png.Encode(&b, img) // to memory
	return b.Bytes()
}
