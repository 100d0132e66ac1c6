// SPDX-License-Identifier: Apache-2.0

package handler_test

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/fiftyarms/platform/gen/dash"
	"github.com/fiftyarms/platform/internal/dashboard"
	"github.com/fiftyarms/platform/internal/testkit"
)

// A file that takes new bytes keeps its id and its place, and its name unless another is given. The old bytes are gone.
func TestReplace(t *testing.T) {
	s := newShelf(t)
	agent := s.Agent(s.ada)
	first, second := s.add("a.txt", "one"), s.add("b.txt", "two")
	s.Clock.Advance(time.Minute)
	r := agent.Request("PUT", first.URL, "a,b\n")
	r.Header.Set("Content-Type", "application/octet-stream")
	kept := testkit.Decode[dash.AttachmentKept](t, agent.Do(r), 200)
	got := kept.Attachment
	if got.ID != first.ID || got.Filename != "a.txt" || got.Bytes != 4 || got.Sha256 == first.Sha256 || got.URL != first.URL ||
		got.By.Kind != dash.ActorKindAgent || !got.At.Equal(s.Clock.Now()) || kept.Issue.ID != "SHOP-1" {
		t.Errorf("%+v", kept)
	}
	if a := s.ada.Call("GET", first.URL, nil); string(a.Body) != "a,b\n" || a.Header.Get("Content-Length") != "4" {
		t.Errorf("%d %q", a.Status, a.Body)
	}
	named := testkit.Decode[dash.AttachmentKept](t, s.replace(first, "a,b\n", "&filename=c.csv"), 200).Attachment
	if named.Filename != "c.csv" || named.ContentType != "text/csv; charset=utf-8" {
		t.Errorf("%+v", named)
	}
	if list := s.list(); len(list) != 2 || list[0].ID != first.ID || list[1].ID != second.ID || s.kept() != 2 {
		t.Errorf("%+v, %d files", list, s.kept())
	}
	unknown := first
	unknown.URL = strings.Replace(first.URL, first.ID, nobody, 1)
	viewer := s.Agent(s.ada, dash.PermissionCardsView)
	for what, a := range map[string]testkit.Answer{
		"not_found": s.replace(unknown, "x", ""), "invalid_request": s.replace(first, "x", "&filename=a%2Fb"), "forbidden": viewer.Call("DELETE", first.URL, nil),
	} {
		if a.Code() != what || s.kept() != 2 {
			t.Errorf("%s: %d %s, %d files", what, a.Status, a.Body, s.kept())
		}
	}
	if a := s.ada.Call("DELETE", unknown.URL, nil); a.Code() != "not_found" {
		t.Errorf("%d %s", a.Status, a.Body)
	}
	if a := s.ada.Call("DELETE", second.URL, nil); a.Status != 204 || s.kept() != 1 {
		t.Errorf("%d %s, %d files", a.Status, a.Body, s.kept())
	}
}

// Whoever reads the old bytes reads them to their end, whatever takes their place.
func TestReplaceWhileRead(t *testing.T) {
	s := newShelf(t)
	old := strings.Repeat("old bytes ", 2<<20) // more than the connection holds
	file := s.add("a.bin", old)
	response, err := (&http.Client{Timeout: time.Minute}).Do(s.ada.Request("GET", file.URL, nil))
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	begin := make([]byte, 1000)
	if _, err := io.ReadFull(response.Body, begin); err != nil {
		t.Fatal(err)
	}
	testkit.Decode[dash.AttachmentKept](t, s.replace(file, "new", ""), 200)
	rest, err := io.ReadAll(response.Body)
	if err != nil || string(begin)+string(rest) != old {
		t.Errorf("%d bytes, %v", len(begin)+len(rest), err)
	}
	if a := s.ada.Call("GET", file.URL, nil); string(a.Body) != "new" || s.kept() != 1 {
		t.Errorf("%q, %d files", a.Body, s.kept())
	}
}

// Of many that come at once one stays, whole; nobody who reads meanwhile is told that the bytes are lost, and nothing is
// left of the others.
func TestReplaceTogether(t *testing.T) {
	testkit.NoLeaks(t)
	testkit.EachEngine(t, func(t *testing.T, e testkit.Engine) {
		s := newShelfOn(t, e)
		file := s.kept201(s.cover("a.png", picture(t, 3, 3, 255)))
		done := make(chan struct{})
		var readers sync.WaitGroup
		for _, path := range []string{file.URL, *file.ThumbnailURL} {
			readers.Go(func() {
				for {
					if a := s.ada.Call("GET", path, nil); a.Status != 200 {
						t.Errorf("%s meanwhile: %d %s", path, a.Status, a.Body)
					}
					select {
					case <-done:
						return
					default:
					}
				}
			})
		}
		for _, a := range together(16, func(n int) testkit.Answer {
			return s.replace(file, picture(t, n+1, 2, 255), fmt.Sprintf("&filename=%d.png", n))
		}) {
			if a.Status != 200 {
				t.Errorf("%d %s", a.Status, a.Body)
			}
		}
		close(done)
		readers.Wait()
		list, card := s.list(), s.card()
		if len(list) != 1 || s.kept() != 2 || card.Cover.ThumbnailURL != *list[0].ThumbnailURL {
			t.Fatalf("%+v, %d files, cover %v", list, s.kept(), card.Cover)
		}
		if a := s.ada.Call("GET", file.URL, nil); int64(len(a.Body)) != list[0].Bytes {
			t.Errorf("%d bytes of %d", len(a.Body), list[0].Bytes)
		}
	})
}

// New bytes that break off, or whose row cannot be written, change nothing; a failure that comes after the commit undoes
// nothing. Either way no bytes are left that no row names.
func TestReplaceFails(t *testing.T) {
	db := &unsteady{}
	s := newShelf(t, func(cfg *dashboard.Config) { db.Store, cfg.Store = cfg.Store, db })
	file := s.add("a.txt", "one")
	s.cut("PUT", file.URL)
	holds := func(what, want string) {
		t.Helper()
		if a := s.ada.Call("GET", file.URL, nil); string(a.Body) != want || s.kept() != 1 {
			t.Errorf("%s: %q, %d files", what, a.Body, s.kept())
		}
	}
	holds("cut", "one")
	db.before = true
	if a := s.replace(file, "two", ""); a.Status != 500 {
		t.Errorf("%d %s", a.Status, a.Body)
	}
	holds("before the commit", "one")
	db.before, db.after = false, true
	if a := s.replace(file, "two", ""); a.Status != 500 {
		t.Errorf("%d %s", a.Status, a.Body)
	}
	holds("after the commit", "two")
	db.before, db.after = true, false
	if a := s.ada.Call("DELETE", file.URL, nil); a.Status != 500 {
		t.Errorf("%d %s", a.Status, a.Body)
	}
	holds("not removed", "two")
	db.before, db.after = false, true
	if a := s.ada.Call("DELETE", file.URL, nil); a.Status != 500 || s.kept() != 0 || len(s.list()) != 0 {
		t.Errorf("removed: %d %s, %d files", a.Status, a.Body, s.kept())
	}
}

// cut begins a body that breaks off, and wants it refused.
func (s *shelf) cut(method, path string) {
	s.t.Helper()
	conn, err := net.Dial("tcp", strings.TrimPrefix(s.URL, "http://"))
	if err != nil {
		s.t.Fatal(err)
	}
	defer conn.Close()
	r := s.ada.Request(method, path, "")
	r.Header.Set("Content-Type", "application/octet-stream")
	r.Body, r.ContentLength = io.NopCloser(strings.NewReader(pngMark+strings.Repeat("x", 1<<20))), 2<<20
	if err := r.Write(conn); err == nil {
		s.t.Error("the whole body was there")
	}
	if err := conn.(*net.TCPConn).CloseWrite(); err != nil {
		s.t.Fatal(err)
	}
	response, err := http.ReadResponse(bufio.NewReader(conn), r)
	if err != nil {
		s.t.Fatal(err)
	}
	body, _ := io.ReadAll(response.Body)
	if response.StatusCode != 400 || !strings.Contains(string(body), "did not arrive whole") {
		s.t.Errorf("%d %s", response.StatusCode, body)
	}
}
