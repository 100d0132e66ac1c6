// SPDX-License-Identifier: Apache-2.0

package handler_test

import (
	"bytes"
	"image"
	"image/color"
	_ "image/jpeg" // thumbnails are
	"image/png"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/fiftyarms/platform/gen/dash"
	"github.com/fiftyarms/platform/internal/testkit"
)

// picture is a PNG that is transparent in places if told so.
func picture(t *testing.T, w, h int, alpha uint8) string {
	t.Helper()
	i := image.NewNRGBA(image.Rect(0, 0, w, h))
	for n := range w * h {
		i.SetNRGBA(n%w, n/w, color.NRGBA{uint8(n), uint8(n / w), 90, alpha})
	}
	var b bytes.Buffer
	if err := png.Encode(&b, i); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func (s *shelf) card() dash.Issue {
	s.t.Helper()
	return testkit.Decode[dash.Issue](s.t, s.ada.Call("GET", "/api/issues/SHOP-1?board=1", nil), 200)
}

// cover attaches a file as the cover.
func (s *shelf) cover(filename, content string) testkit.Answer {
	r := upload(s.ada, filename, content)
	r.URL.RawQuery += "&primary=true"
	return s.ada.Do(r)
}

// replace gives a file other bytes; more goes into the query.
func (s *shelf) replace(file dash.Attachment, content, more string) testkit.Answer {
	r := s.ada.Request("PUT", file.URL+more, content)
	r.Header.Set("Content-Type", "application/octet-stream")
	return s.ada.Do(r)
}

func (s *shelf) edit(file dash.Attachment, primary bool) testkit.Answer {
	return s.ada.Call("PATCH", file.URL, dash.AttachmentEdit{IsPrimary: primary})
}

// history are the newest n events of the card, newest first, as text.
func (s *shelf) history(n int) (out []string) {
	s.t.Helper()
	page := testkit.Decode[dash.EventPage](s.t, s.ada.Call("GET", "/api/issues/SHOP-1/history?board=1&limit=10", nil), 200)
	for _, e := range page.Events[:n] {
		line := string(e.Kind)
		for _, c := range e.Changes {
			line += " " + c.Field + ":" + text(c.From) + ">" + text(c.To)
		}
		out = append(out, line)
	}
	return out
}

// answered holds an answer about a file against what the card, its files and its history say then: which file is the
// cover, and the newest events.
func (s *shelf) answered(what string, a testkit.Answer, status int, cover string, events ...string) dash.Attachment {
	s.t.Helper()
	var kept dash.AttachmentKept
	if status < 300 {
		kept = testkit.Decode[dash.AttachmentKept](s.t, a, status)
		if diff := cmp.Diff(s.card(), kept.Issue); diff != "" {
			s.t.Errorf("%s: the card is answered otherwise than it is:\n%s", what, diff)
		}
	} else if a.Status != status {
		s.t.Errorf("%s: %d %s", what, a.Status, a.Body)
	}
	card := s.card()
	if card.Version != 1 {
		s.t.Errorf("%s: the card is at version %d", what, card.Version)
	}
	got := ""
	for _, f := range s.list() {
		if is := card.Cover != nil && card.Cover.AttachmentID == f.ID; is != f.IsPrimary {
			s.t.Errorf("%s: %s is the cover: %v", what, f.Filename, f.IsPrimary)
		}
		if f.IsPrimary {
			got = f.Filename
			if f.ThumbnailURL == nil || *f.ThumbnailURL != card.Cover.ThumbnailURL {
				s.t.Errorf("%s: the thumbnail is %v on the file, %s on the card", what, f.ThumbnailURL, card.Cover.ThumbnailURL)
			}
		}
	}
	if got != cover || (card.Cover != nil) != (cover != "") {
		s.t.Errorf("%s: the cover is %q, want %q", what, got, cover)
	}
	if len(events) > 0 && !cmp.Equal(events, s.history(len(events))) {
		s.t.Errorf("%s: told %q", what, s.history(len(events)))
	}
	return kept.Attachment
}

// A card has one cover at most. What makes it, moves it and ends it says so on the card, on its files and in its history,
// and leaves the card's version alone.
func TestCover(t *testing.T) {
	testkit.NoLeaks(t)
	s := newShelf(t)
	check := s.answered
	a := check("attached", s.ada.Do(upload(s.ada, "a.png", picture(t, 600, 300, 255))), 201, "", "issue.attached attachment:>a.png")
	notes := check("no image", s.ada.Do(upload(s.ada, "notes.md", "# Notes")), 201, "")
	if a.ThumbnailURL == nil || notes.ThumbnailURL != nil {
		t.Errorf("thumbnails: %v, %v", a.ThumbnailURL, notes.ThumbnailURL)
	}
	s.Clock.Advance(time.Minute)
	check("made the cover", s.edit(a, true), 200, "a.png", "issue.cover_changed cover:>a.png", "issue.attached attachment:>notes.md")
	if card := s.card(); !card.UpdatedAt.Equal(s.Clock.Now()) {
		t.Errorf("the card changed at %v", card.UpdatedAt)
	}
	check("made it again", s.edit(a, true), 200, "a.png", "issue.cover_changed cover:>a.png", "issue.attached attachment:>notes.md")
	b := check("another", s.cover("b.png", picture(t, 20, 10, 128)), 201, "b.png",
		"issue.cover_changed cover:a.png>b.png", "issue.attached attachment:>b.png")
	check("the first no more", s.edit(a, false), 200, "b.png", "issue.cover_changed cover:a.png>b.png")
	check("no image", s.edit(notes, true), 422, "b.png")
	check("no image at once", s.cover("c.png", "text"), 422, "b.png")
	check("no image in its place", s.replace(b, "text", ""), 422, "b.png", "issue.cover_changed cover:a.png>b.png")
	check("an image in name alone", s.replace(b, "\x89PNG\r\n\x1a\n and no more", ""), 422, "b.png", "issue.cover_changed cover:a.png>b.png")
	before := *s.card().Cover
	check("new bytes", s.replace(b, picture(t, 30, 30, 255), ""), 200, "b.png",
		"issue.cover_changed cover:>b.png", "issue.attachment_replaced attachment:b.png>b.png")
	if after := *s.card().Cover; after.AttachmentID != before.AttachmentID || after.ThumbnailURL == before.ThumbnailURL {
		t.Errorf("the cover was %v and is %v", before, after)
	}
	check("a file becomes one", s.replace(notes, picture(t, 9, 9, 255), "&primary=true&filename=n.png"), 200, "n.png",
		"issue.cover_changed cover:b.png>n.png", "issue.attachment_replaced attachment:notes.md>n.png")
	check("none", s.edit(notes, false), 200, "", "issue.cover_changed cover:n.png>")
	check("none already", s.edit(notes, false), 200, "", "issue.cover_changed cover:n.png>")
	check("no cover any more", s.replace(notes, "# Notes", "&filename=notes.md"), 200, "")
	check("again", s.edit(a, true), 200, "a.png")
	if r := s.ada.Call("DELETE", a.URL, nil); r.Status != 204 {
		t.Errorf("%d %s", r.Status, r.Body)
	}
	check("removed", s.edit(a, true), 404, "", "issue.cover_changed cover:a.png>", "issue.attachment_removed attachment:a.png>")
	if got := s.card(); got.Title != "Mend the checkout" {
		t.Errorf("%+v", got)
	}
	for _, f := range []dash.Attachment{b, notes} {
		s.ada.Call("DELETE", f.URL, nil)
	}
	if s.kept() != 0 || len(s.list()) != 0 {
		t.Errorf("%d files are left, %d attachments", s.kept(), len(s.list()))
	}
	for _, path := range []string{b.URL, strings.Replace(b.URL, "?", "/thumbnail?", 1)} {
		if r := s.ada.Call("GET", path, nil); r.Code() != "not_found" {
			t.Errorf("%s: %d %s", path, r.Status, r.Body)
		}
	}
}

// A cover stands on the card wherever the card is read, and an edit of the card leaves it there.
func TestCoverStays(t *testing.T) {
	s := newShelf(t)
	file := s.kept201(s.cover("a.png", picture(t, 4, 4, 255)))
	a := s.ada.Call("PATCH", "/api/issues/SHOP-1/edit?board=1", `{"version":1,"title":"Mend it","priority":2}`)
	want := &dash.Cover{AttachmentID: file.ID, ThumbnailURL: *file.ThumbnailURL}
	if got := testkit.Decode[dash.Issue](t, a, 200); !cmp.Equal(got.Cover, want) || got.Version != 2 {
		t.Errorf("%+v", got)
	}
	list := testkit.Decode[dash.IssuePage](t, s.ada.Call("GET", "/api/issues?board=1&fields=%7B%22attachments%22%3Atrue%7D", nil), 200).Issues
	if len(list) != 1 || !cmp.Equal(list[0].Cover, want) || len(list[0].Attachments) != 1 || !list[0].Attachments[0].IsPrimary {
		t.Errorf("%+v", list)
	}
}

// A thumbnail is small, and a browser may keep it where its address says which bytes are meant. One that is lost is made
// again.
func TestThumbnails(t *testing.T) {
	s := newShelf(t)
	for name, tt := range map[string]struct {
		content string
		w, h    int
		kind    string
	}{
		"wide":        {picture(t, 960, 300, 255), 480, 150, "image/jpeg"},
		"tall":        {picture(t, 300, 720, 255), 150, 360, "image/jpeg"},
		"small":       {picture(t, 7, 5, 255), 7, 5, "image/jpeg"},
		"transparent": {picture(t, 960, 720, 100), 480, 360, "image/png"},
	} {
		file := s.add(name+".png", tt.content)
		if file.ThumbnailURL == nil || !strings.HasSuffix(*file.ThumbnailURL, "&v="+file.Sha256[:12]) {
			t.Fatalf("%s: %v", name, file.ThumbnailURL)
		}
		first := s.ada.Call("GET", *file.ThumbnailURL, nil)
		h := first.Header
		if first.Status != 200 || h.Get("Content-Type") != tt.kind || h.Get("Cache-Control") != "private, max-age=31536000, immutable" ||
			h.Get("X-Content-Type-Options") != "nosniff" || h.Get("Content-Security-Policy") != "sandbox; default-src 'none'" || h.Get("Content-Disposition") != "inline" {
			t.Errorf("%s: %d %v", name, first.Status, h)
		}
		got, _, err := image.DecodeConfig(bytes.NewReader(first.Body))
		if err != nil || got.Width != tt.w || got.Height != tt.h {
			t.Errorf("%s: %d by %d, %v", name, got.Width, got.Height, err)
		}
		for _, other := range []string{strings.Replace(*file.ThumbnailURL, "&v="+file.Sha256[:12], "", 1), strings.Replace(*file.ThumbnailURL, file.Sha256[:12], "0123456789ab", 1)} {
			if a := s.ada.Call("GET", other, nil); a.Status != 200 || a.Header.Get("Cache-Control") != "no-store" {
				t.Errorf("%s: %d %v", other, a.Status, a.Header)
			}
		}
		small, err := filepath.Glob(filepath.Join(s.dir, "*", "*.thumb"))
		if err != nil || len(small) == 0 {
			t.Fatal(small, err)
		}
		for _, path := range small {
			if err := os.Remove(path); err != nil {
				t.Fatal(err)
			}
		}
		for _, a := range together(4, func(int) testkit.Answer { return s.ada.Call("GET", *file.ThumbnailURL, nil) }) {
			if a.Status != 200 || !bytes.Equal(a.Body, first.Body) {
				t.Errorf("%s made again: %d %d bytes", name, a.Status, len(a.Body))
			}
		}
	}
	notes := s.add("notes.md", "# Notes")
	if a := s.ada.Call("GET", strings.Replace(notes.URL, "?", "/thumbnail?", 1), nil); a.Code() != "not_found" || !strings.Contains(string(a.Body), "notes.md has no thumbnail") {
		t.Errorf("%d %s", a.Status, a.Body)
	}
}

// What says that it is an image and is none is a file like any other, and its making leaves nothing beside it.
func TestBrokenImages(t *testing.T) {
	s := newShelf(t)
	whole := picture(t, 100, 100, 255)
	huge := []byte(whole)
	copy(huge[16:], "\x00\x00\xff\xff\x00\x00\xff\xff") // which its checksum does not cover any more, and the header says first
	for name, content := range map[string]string{"cut": whole[:len(whole)/2], "mark": pngMark, "huge": string(huge), "gif": "GIF89a", "jpeg": "\xff\xd8\xff\xe0", "webp": "RIFF\x10\x00\x00\x00WEBPVP8 "} {
		file := s.add(name, content)
		if file.ThumbnailURL != nil || !strings.HasPrefix(file.ContentType, "image/") {
			t.Errorf("%s: %+v", name, file)
		}
		n := s.kept()
		if a := s.cover(name, content); a.Status != http.StatusUnprocessableEntity || a.Code() != "not_an_image" || s.kept() != n {
			t.Errorf("%s as a cover: %d %s, %d files", name, a.Status, a.Body, s.kept())
		}
	}
}
