// SPDX-License-Identifier: Apache-2.0

package handler_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/fiftyarms/platform/gen/dash"
	"github.com/fiftyarms/platform/internal/blobs"
	"github.com/fiftyarms/platform/internal/dashboard"
	"github.com/fiftyarms/platform/internal/store"
	"github.com/fiftyarms/platform/internal/testkit"
)

// shelf is a dashboard with one card, and the folder that its files are kept in.
type shelf struct {
	*testkit.Running
	t   *testing.T
	dir string
	ada *testkit.Caller
}

const filesOf = "/api/issues/SHOP-1/attachments"

func newShelf(t *testing.T, change ...func(*dashboard.Config)) *shelf {
	t.Helper()
	s := &shelf{t: t, dir: t.TempDir()}
	options := []testkit.Option{s.here()}
	for _, c := range change {
		options = append(options, testkit.With(c))
	}
	return s.start(options...)
}

// newShelfOn is a shelf on an engine.
func newShelfOn(t *testing.T, e testkit.Engine) *shelf {
	t.Helper()
	s := &shelf{t: t, dir: t.TempDir()}
	return s.start(s.here(), testkit.On(e))
}

// here keeps files in the shelf's folder.
func (s *shelf) here() testkit.Option {
	return testkit.With(func(cfg *dashboard.Config) {
		files, err := blobs.Open(s.t.Context(), blobs.FileURL(s.dir))
		if err != nil {
			s.t.Fatal(err)
		}
		cfg.Blobs = files
	})
}

func (s *shelf) start(options ...testkit.Option) *shelf {
	t := s.t
	t.Helper()
	s.Running = testkit.Dashboard(t, options...)
	s.ada = s.SetUp()
	testkit.Decode[dash.Board](t, s.ada.Call("POST", "/api/boards", dash.BoardCreate{Name: "Shop", Prefix: "SHOP"}), 201)
	testkit.Decode[dash.Issue](t, s.ada.Call("POST", "/api/issues", dash.IssueCreate{Board: new(int64(1)), Title: "Mend the checkout"}), 201)
	return s
}

func upload(who *testkit.Caller, filename, content string) *http.Request {
	r := who.Request("POST", filesOf+"?board=1&filename="+url.QueryEscape(filename), content)
	r.Header.Set("Content-Type", "application/octet-stream")
	return r
}

func (s *shelf) add(filename, content string) dash.Attachment {
	s.t.Helper()
	return s.kept201(s.ada.Do(upload(s.ada, filename, content)))
}

func (s *shelf) kept201(a testkit.Answer) dash.Attachment {
	s.t.Helper()
	return testkit.Decode[dash.AttachmentKept](s.t, a, 201).Attachment
}

func (s *shelf) list() []dash.Attachment {
	s.t.Helper()
	return testkit.Decode[dash.AttachmentList](s.t, s.ada.Call("GET", filesOf+"?board=1", nil), 200).Attachments
}

// kept counts the files in the folder, whatever they are.
func (s *shelf) kept() (n int) {
	s.t.Helper()
	err := filepath.WalkDir(s.dir, func(_ string, e fs.DirEntry, err error) error {
		if err == nil && !e.IsDir() {
			n++
		}
		return err
	})
	if err != nil {
		s.t.Fatal(err)
	}
	return n
}

// A file goes in, stands on the card and in its history, and comes out as a file to keep, whatever it holds.
func TestAttachments(t *testing.T) {
	testkit.NoLeaks(t)
	s := newShelf(t)
	agent := s.Agent(s.ada)
	if got := s.list(); got == nil || len(got) != 0 {
		t.Errorf("%v", got)
	}
	var want []dash.Attachment
	for _, tt := range []struct{ filename, content, kind string }{
		{"notes.md", "# Hello", "text/plain; charset=utf-8"},
		{"empty", "", "text/plain; charset=utf-8"},
		{"prices.CSV", "a,b\n1,2\n", "text/csv; charset=utf-8"},
		{"plan.yaml", "a: 1\n", "application/yaml"},
		{"page.csv", "<!doctype html><script>alert(1)</script>", "text/plain; charset=utf-8"},
		{"page.html", "  <HTML><body onload=alert(1)>", "text/plain; charset=utf-8"},
		{"drawing.svg", `<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>`, "text/plain; charset=utf-8"},
		{"drawing2.svg", `<?xml version="1.0"?><svg onload="alert(1)"/>`, "text/plain; charset=utf-8"},
		{"not a picture.png", "text", "text/plain; charset=utf-8"},
		{"picture.html", "\x89PNG\r\n\x1a\n\x00\x00", "image/png"},
		{"bytes.txt", "\x00\x01\x02", "application/octet-stream"},
		{`Über "das" 100% — ☃;=.txt`, "snow", "text/plain; charset=utf-8"},
		{"long.txt", strings.Repeat("0123456789", 30_000), "text/plain; charset=utf-8"},
	} {
		s.Clock.Advance(time.Second)
		got := s.add(tt.filename, tt.content)
		sum := sha256.Sum256([]byte(tt.content))
		one := dash.Attachment{
			ID: got.ID, Filename: tt.filename, ContentType: tt.kind, Bytes: int64(len(tt.content)), Sha256: hex.EncodeToString(sum[:]),
			URL: filesOf + "/" + got.ID + "?board=1",
			By:  dash.Actor{Kind: dash.ActorKindPerson, Name: "Ada", Person: s.ada.Me.Person}, At: dash.At(s.Clock.Now()),
		}
		if diff := cmp.Diff(one, got); diff != "" || len(got.ID) != 32 {
			t.Errorf("%s:\n%s", tt.filename, diff)
		}
		want = append(want, got)
		for _, who := range []*testkit.Caller{s.ada, agent} {
			a := who.Call("GET", got.URL, nil)
			h := a.Header
			if a.Status != 200 || string(a.Body) != tt.content || h.Get("Content-Type") != tt.kind || h.Get("Content-Length") != fmt.Sprint(len(tt.content)) {
				t.Errorf("%s: %d, %d bytes, %v", tt.filename, a.Status, len(a.Body), h)
			}
			if !strings.HasPrefix(h.Get("Content-Disposition"), "attachment; ") || h.Get("X-Content-Type-Options") != "nosniff" ||
				h.Get("Content-Security-Policy") != "sandbox; default-src 'none'" || h.Get("Etag") != "" {
				t.Errorf("%s: %v", tt.filename, h)
			}
		}
	}
	if diff := cmp.Diff(want, s.list()); diff != "" {
		t.Errorf("listed:\n%s", diff)
	}
	if s.kept() != len(want) {
		t.Errorf("%d files are kept", s.kept())
	}
	snow := want[11]
	a := s.ada.Call("HEAD", snow.URL, nil)
	if a.Status != 200 || a.Header.Get("Content-Length") != "4" || len(a.Body) != 0 {
		t.Errorf("%+v", a)
	}
	name := `attachment; filename="_ber _das_ 100_ _ _;=.txt"; filename*=UTF-8''%C3%9Cber%20%22das%22%20100%25%20%E2%80%94%20%E2%98%83%3B%3D.txt`
	if got := a.Header.Get("Content-Disposition"); got != name {
		t.Errorf("got  %s\nwant %s", got, name)
	}
	history := testkit.Decode[dash.EventPage](t, s.ada.Call("GET", "/api/issues/SHOP-1/history?board=1&limit=1", nil), 200).Events
	if len(history) != 1 || history[0].Kind != dash.EventKindIssueAttached || !cmp.Equal(history[0].Changes, []dash.Change{{Field: "attachment", To: new("long.txt")}}) {
		t.Errorf("%+v", history)
	}
}

func TestAttachmentRefusals(t *testing.T) {
	s := newShelf(t)
	file := s.add("a.txt", "a")
	testkit.Decode[dash.Board](t, s.ada.Call("POST", "/api/boards", dash.BoardCreate{Name: "Other", Prefix: "OTHER"}), 201)
	testkit.Decode[dash.Issue](t, s.ada.Call("POST", "/api/issues", dash.IssueCreate{Board: new(int64(2)), Title: "Another"}), 201)
	viewer := s.Agent(s.ada, dash.PermissionCardsView)
	for _, name := range []string{"", ".", "..", "a/b", `a\b`, "/", "a\nb", "a\x00", strings.Repeat("a", 201)} {
		if a := s.ada.Do(upload(s.ada, name, "x")); a.Status != 400 || a.Code() != "invalid_request" {
			t.Errorf("%q: %d %s", name, a.Status, a.Body)
		}
	}
	if a := viewer.Do(upload(viewer, "x", "x")); a.Status != 403 {
		t.Errorf("%d %s", a.Status, a.Body)
	}
	r := upload(s.ada, "x", "x")
	r.Header.Set("Content-Type", "text/html")
	if a := s.ada.Do(r); a.Status != 415 {
		t.Errorf("%d %s", a.Status, a.Body)
	}
	unknown := strings.Repeat("0a", 16)
	for _, path := range []string{
		"/api/issues/SHOP-9/attachments?board=1", "/api/issues/SHOP-1/attachments?board=2", "/api/issues/SHOP-1/attachments?board=9",
		filesOf + "/" + unknown + "?board=1", filesOf + "/" + file.ID + "?board=2",
		"/api/issues/OTHER-1/attachments/" + file.ID + "?board=2", "/api/issues/SHOP-9/attachments/" + file.ID + "?board=1",
	} {
		if a := s.ada.Call("GET", path, nil); a.Status != 404 || a.Code() != "not_found" {
			t.Errorf("%s: %d %s", path, a.Status, a.Body)
		}
	}
	r = upload(s.ada, "x", "x")
	r.URL.Path = "/api/issues/SHOP-9/attachments"
	if a := s.ada.Do(r); a.Status != 404 {
		t.Errorf("%d %s", a.Status, a.Body)
	}
	if s.kept() != 1 || len(s.list()) != 1 {
		t.Errorf("%d files, %d attachments", s.kept(), len(s.list()))
	}
	// Bytes that are gone are a failure of the server's.
	if err := os.RemoveAll(s.dir); err != nil {
		t.Fatal(err)
	}
	if a := s.ada.Call("GET", file.URL, nil); a.Status != 500 || a.Code() != "internal" {
		t.Errorf("%d %s", a.Status, a.Body)
	}
}

// The same key on the same file attaches once, and its bytes are kept once; also on a card that has become full.
func TestAttachOnce(t *testing.T) {
	s := newShelf(t)
	attach := func(key, filename, content string) testkit.Answer {
		r := upload(s.ada, filename, content)
		r.Header.Set("Idempotency-Key", key)
		return s.ada.Do(r)
	}
	first := s.kept201(attach("k1", "a.txt", "a"))
	if again := s.kept201(attach("k1", "a.txt", "a")); !cmp.Equal(first, again) {
		t.Errorf("%+v", again)
	}
	for _, other := range []testkit.Answer{attach("k1", "a.txt", "b"), attach("k1", "b.txt", "a")} {
		if other.Status != 409 || other.Code() != "idempotency_key_reused" {
			t.Errorf("%d %s", other.Status, other.Body)
		}
	}
	if second := s.kept201(attach("k2", "a.txt", "a")); second.ID == first.ID {
		t.Error("another key attached nothing")
	}
	if s.kept() != 2 || len(s.list()) != 2 {
		t.Errorf("%d files, %d attachments", s.kept(), len(s.list()))
	}
	for i := range 198 {
		s.add(fmt.Sprintf("%d.txt", i), "x")
	}
	for _, full := range []testkit.Answer{s.ada.Do(upload(s.ada, "more", "x")), attach("k3", "more", "x")} {
		if full.Status != 409 || full.Code() != "limit_reached" {
			t.Errorf("%d %s", full.Status, full.Body)
		}
	}
	if again := s.kept201(attach("k1", "a.txt", "a")); !cmp.Equal(first, again) {
		t.Errorf("%+v", again)
	}
	if s.kept() != 200 || len(s.list()) != 200 {
		t.Errorf("%d files, %d attachments", s.kept(), len(s.list()))
	}
}

// An upload that breaks off leaves nothing.
func TestUploadCut(t *testing.T) {
	s := newShelf(t)
	s.cut("POST", filesOf+"?board=1&filename=big.bin")
	s.cut("POST", filesOf+"?board=1&filename=big.png&primary=true")
	if s.kept() != 0 || len(s.list()) != 0 {
		t.Errorf("%d files, %d attachments", s.kept(), len(s.list()))
	}
}

// A file whose caller may no more when it has come in is not kept.
func TestUploadOutlivesItsCaller(t *testing.T) {
	for name, tt := range map[string]struct {
		end  func(s *shelf, agent *testkit.Caller)
		code string
	}{
		"revoked": {func(s *shelf, agent *testkit.Caller) { s.ada.Call("DELETE", "/api/keys/"+agent.Me.Key.ID, nil) }, "key_revoked"},
		"lapsed":  {func(s *shelf, _ *testkit.Caller) { s.Clock.Advance(25 * time.Hour) }, "unauthenticated"},
		"neither": {func(*shelf, *testkit.Caller) {}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			s := newShelf(t)
			agent := s.Agent(s.ada)
			body, rest := io.Pipe()
			r := upload(agent, "a.txt", "")
			r.Body, r.ContentLength = body, -1
			answered := make(chan testkit.Answer)
			go func() { answered <- agent.Do(r) }()
			// More than the server reads before it writes: once that has been taken, the call runs.
			if _, err := rest.Write(make([]byte, 4<<20)); err != nil {
				t.Fatal(err)
			}
			tt.end(s, agent)
			if err := rest.Close(); err != nil {
				t.Fatal(err)
			}
			a := <-answered
			kept := map[bool]int{true: 1}[tt.code == ""]
			if a.Code() != tt.code || s.kept() != kept || len(s.list()) != kept {
				t.Errorf("%d %s; %d files, %d attachments", a.Status, a.Body, s.kept(), len(s.list()))
			}
		})
	}
}

// unsteady is a store whose changes fail while it is told so: before they are made, or after.
type unsteady struct {
	store.Store
	before, after bool
}

var errUnsteady = errors.New("the connection broke")

func (u *unsteady) Change(ctx context.Context, team string, f func(store.WorkTx) error) error {
	if u.before {
		return errUnsteady
	}
	err := u.Store.Change(ctx, team, f)
	if err == nil && u.after {
		return errUnsteady
	}
	return err
}

// Bytes whose row was not added are deleted. Where a failure came after the row was there, they stay.
func TestAttachFails(t *testing.T) {
	db := &unsteady{}
	s := newShelf(t, func(cfg *dashboard.Config) { db.Store, cfg.Store = cfg.Store, db })
	db.before = true
	if a := s.ada.Do(upload(s.ada, "a.txt", "a")); a.Status != 500 || s.kept() != 0 {
		t.Errorf("%d %s, %d files", a.Status, a.Body, s.kept())
	}
	db.before, db.after = false, true
	if a := s.ada.Do(upload(s.ada, "a.txt", "a")); a.Status != 500 || s.kept() != 1 {
		t.Errorf("%d %s, %d files", a.Status, a.Body, s.kept())
	}
	if got := s.list(); len(got) != 1 || string(s.ada.Call("GET", got[0].URL, nil).Body) != "a" {
		t.Errorf("%+v", got)
	}
}

// A file passes through little memory, in and out, however large it is, and if it says that it is an image too.
func TestLargeFile(t *testing.T) {
	size := int64(256 << 20)
	if testing.Short() {
		size = 32 << 20
	}
	s := newShelf(t)
	s.add("warm.up", "x")
	used := func(f func()) uint64 {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		f()
		runtime.ReadMemStats(&after)
		return after.TotalAlloc - before.TotalAlloc
	}
	for name, begin := range map[string]string{"zeros": "", "image": picture(t, 9, 9, 255)[:50]} {
		var file dash.Attachment
		in := used(func() {
			r := upload(s.ada, name, "")
			content := io.MultiReader(strings.NewReader(begin), io.LimitReader(zeros{}, size-int64(len(begin))))
			r.Body, r.ContentLength = io.NopCloser(content), size
			file = s.kept201(s.ada.Do(r))
		})
		out := used(func() {
			response, err := (&http.Client{Timeout: time.Minute}).Do(s.ada.Request("GET", file.URL, nil))
			if err != nil {
				t.Fatal(err)
			}
			defer response.Body.Close()
			if n, err := io.Copy(io.Discard, response.Body); n != size || err != nil {
				t.Error(n, err)
			}
		})
		t.Logf("%s: %d bytes; %d were allocated on the way in, %d on the way out", name, file.Bytes, in, out)
		if file.Bytes != size || in > 4<<20 || out > 4<<20 {
			t.Errorf("%s: %d bytes; %d were allocated on the way in, %d on the way out", name, file.Bytes, in, out)
		}
		if a := s.ada.Call("DELETE", file.URL, nil); a.Status != 204 || s.kept() != 1 {
			t.Errorf("%d %s, %d files", a.Status, a.Body, s.kept())
		}
	}
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) { clear(p); return len(p), nil }
