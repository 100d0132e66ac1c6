// SPDX-License-Identifier: Apache-2.0

package handler_test

import (
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/fiftyarms/platform/gen/dash"
	"github.com/fiftyarms/platform/internal/dashboard"
	"github.com/fiftyarms/platform/internal/testkit"
)

func uploadImage(who *testkit.Caller, filename, content string) *http.Request {
	path := "/api/uploads/images"
	if filename != "" {
		path += "?filename=" + url.QueryEscape(filename)
	}
	r := who.Request("POST", path, content)
	r.Header.Set("Content-Type", "application/octet-stream")
	return r
}

// An image goes in and comes out to be shown; a browser may keep it, and runs nothing that it holds.
func TestImages(t *testing.T) {
	testkit.NoLeaks(t)
	s := newShelf(t)
	agent := s.Agent(s.ada)
	for kind, content := range map[string]string{
		"image/png": picture(t, 3, 3, 255), "image/jpeg": "\xff\xd8\xff\xe0 and so on", "image/gif": "GIF89a and so on",
		"image/webp": "RIFF\x10\x00\x00\x00WEBPVP8 and so on", "image/avif": "\x00\x00\x00\x20ftypavif\x00\x00\x00\x00avifmif1",
	} {
		made := testkit.Decode[dash.ImageUploaded](t, agent.Do(uploadImage(agent, "shot.png", content)), 201)
		if made.Markdown != "![shot.png]("+made.URL+")" || !strings.HasPrefix(made.URL, "/api/uploads/images/") {
			t.Errorf("%s: %+v", kind, made)
		}
		a := s.ada.Call("GET", made.URL, nil)
		h := a.Header
		if a.Status != 200 || string(a.Body) != content || h.Get("Content-Type") != kind || h.Get("Content-Disposition") != "inline" ||
			h.Get("X-Content-Type-Options") != "nosniff" || h.Get("Content-Security-Policy") != "sandbox; default-src 'none'" ||
			h.Get("Cache-Control") != "private, max-age=31536000, immutable" {
			t.Errorf("%s: %d %v", kind, a.Status, h)
		}
		if a := s.ada.Call("HEAD", made.URL, nil); a.Status != 200 || len(a.Body) != 0 {
			t.Errorf("%s: HEAD answers %d", kind, a.Status)
		}
		if a := s.Nobody().Call("GET", made.URL, nil); a.Status != 401 {
			t.Errorf("%s: nobody is answered %d", kind, a.Status)
		}
	}
	for what, content := range map[string]string{
		"svg": `<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>`, "xml": `<?xml version="1.0"?><svg/>`, "page": "<!doctype html>", "text": "shot",
		"bmp": "BM and so on", "icon": "\x00\x00\x01\x00", "film": "\x00\x00\x00\x20ftypmp42\x00\x00\x00\x00", "nothing": "", "pdf": "%PDF-1.7", "late": "x" + pngMark,
	} {
		a := s.ada.Do(uploadImage(s.ada, "shot.png", content))
		if got := testkit.Decode[dash.NotAnImageRefusal](t, a, 422); got.Code != "not_an_image" || got.ContentType == "" || strings.Contains(got.ContentType, "svg") {
			t.Errorf("%s: %+v", what, got)
		}
	}
	if a := s.ada.Do(uploadImage(s.ada, "a\nb", pngMark)); a.Code() != "invalid_request" {
		t.Errorf("%d %s", a.Status, a.Body)
	}
	if s.kept() != 5 {
		t.Errorf("%d files are kept", s.kept())
	}
}

// A name stands in Markdown as text, and ends nothing there.
func TestImageInMarkdown(t *testing.T) {
	s := newShelf(t)
	for name, want := range map[string]string{
		"": "image", "shot 1.png": "shot 1.png", "a](javascript:alert(1)).png": `a\](javascript:alert(1)).png`, "[x][y]": `\[x\]\[y\]`,
		"*_`<b>&amp;!": "\\*\\_\\`\\<b\\>\\&amp;\\!", "Über\u2028x": "Über x", "~~a~~|$b$": `\~\~a\~\~\|\$b\$`,
	} {
		made := testkit.Decode[dash.ImageUploaded](t, s.ada.Do(uploadImage(s.ada, name, pngMark)), 201)
		if made.Markdown != "!["+want+"]("+made.URL+")" {
			t.Errorf("%q: %s", name, made.Markdown)
		}
	}
}

// An image that is too large, breaks off, or whose row cannot be kept leaves nothing.
func TestImageFails(t *testing.T) {
	db := &unsteady{}
	s := newShelf(t, func(cfg *dashboard.Config) { db.Store, cfg.Store = cfg.Store, db })
	const most = 25 << 20
	for size, want := range map[int64]int{most: 201, most + 1: 413} {
		for _, length := range []int64{size, -1} { // said before, or found out
			r := uploadImage(s.ada, "", "")
			r.Body, r.ContentLength = io.NopCloser(io.MultiReader(strings.NewReader(pngMark), io.LimitReader(zeros{}, size-int64(len(pngMark))))), length
			if a := s.ada.Do(r); a.Status != want {
				t.Errorf("%d bytes: %d %s", size, a.Status, a.Body)
			}
		}
	}
	if s.kept() != 2 {
		t.Fatalf("%d files are kept", s.kept())
	}
	s.cut("POST", "/api/uploads/images")
	db.before = true
	if a := s.ada.Do(uploadImage(s.ada, "", pngMark)); a.Status != 500 || s.kept() != 2 {
		t.Errorf("%d %s, %d files", a.Status, a.Body, s.kept())
	}
	db.before, db.after = false, true
	if a := s.ada.Do(uploadImage(s.ada, "", pngMark)); a.Status != 500 || s.kept() != 3 {
		t.Errorf("%d %s, %d files", a.Status, a.Body, s.kept())
	}
	db.after = false
	agent := s.Agent(s.ada)
	body, rest := io.Pipe()
	r := uploadImage(agent, "", "")
	r.Body, r.ContentLength = body, -1
	answered := make(chan testkit.Answer)
	go func() { answered <- agent.Do(r) }()
	if _, err := rest.Write(append([]byte(pngMark), make([]byte, 4<<20)...)); err != nil {
		t.Fatal(err)
	}
	s.ada.Call("DELETE", "/api/keys/"+agent.Me.Key.ID, nil)
	if err := rest.Close(); err != nil {
		t.Fatal(err)
	}
	if a := <-answered; a.Code() != "key_revoked" || s.kept() != 3 {
		t.Errorf("%d %s, %d files", a.Status, a.Body, s.kept())
	}
}
