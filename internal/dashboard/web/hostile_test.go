// SPDX-License-Identifier: Apache-2.0

package web_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/fiftyarms/platform/gen/dash"
)

// spoiled is a scripted API whose texts are replaced by a hostile one: each that an agent or a person writes.
type spoiled struct {
	*script
	evil string
}

// written are the keys whose text somebody writes freely. Those that the contract holds to a shape, like ids and
// digests, come from the server.
var written = map[string]bool{
	"title": true, "name": true, "version": true, "host": true, "project": true, "note": true, "address": true, "message": true, "confirmCode": true,
	"next": true, "path": true, "description": true, "repo": true, "reason": true, "steps": true, "body": true, "filename": true, "content_type": true,
	"field": true, "from": true, "to": true,
}

func (s *spoiled) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	rec := httptest.NewRecorder()
	s.script.ServeHTTP(rec, r)
	body := rec.Body.Bytes()
	var v any
	if json.Unmarshal(body, &v) == nil {
		var err error
		if body, err = json.Marshal(s.spoil(v)); err != nil {
			s.t.Fatal(err)
		}
	}
	for name, values := range rec.Header() {
		w.Header()[name] = values
	}
	w.WriteHeader(rec.Code)
	_, _ = w.Write(body)
}

func (s *spoiled) spoil(v any) any {
	switch v := v.(type) {
	case map[string]any:
		for key, value := range v {
			switch _, text := value.(string); {
			case text && written[key]:
				v[key] = s.evil
			case written[key]:
				v[key] = s.all(value)
			default:
				v[key] = s.spoil(value)
			}
		}
	case []any:
		for i := range v {
			v[i] = s.spoil(v[i])
		}
	}
	return v
}

// all replaces every text of a list.
func (s *spoiled) all(v any) any {
	list, ok := v.([]any)
	if !ok {
		return s.spoil(v)
	}
	for i := range list {
		if _, text := list[i].(string); text {
			list[i] = s.evil
		} else {
			list[i] = s.spoil(list[i])
		}
	}
	return list
}

// TestHostileFormsComeBackAsText posts what a person, or a page of another site, could put into each form field.
func TestHostileFormsComeBackAsText(t *testing.T) {
	const evil = "\"><script>alert(1)</script>\u202E"
	for _, s := range states {
		if s.method != "POST" || s.status == 413 || len(s.form) == 0 {
			continue
		}
		t.Run(s.name, func(t *testing.T) {
			form := map[string][]string{}
			for name := range s.form {
				form[name] = []string{evil}
			}
			s.form = form
			api := s.api(t)
			for _, op := range []string{"setUp", "requestAccessChanges", "denyAccessRequest"} { // where a plain form does not get this far
				if api.answers[op] == nil {
					api.with(op, invalid("body", "/name", "must not be evil"))
				}
			}
			got := s.send(t, api)
			if strings.Contains(got.Body.String(), "<script>") {
				t.Error("a field became markup")
			}
		})
	}
}

// TestAFormThatBreaksOffDecidesNothing: a body that stalls, or ends before its length, is no success to whoever reads on.
func TestAFormThatBreaksOffDecidesNothing(t *testing.T) {
	for _, path := range []string{approvalPath + "/deny", "/signin"} {
		for _, ends := range []bool{true, false} {
			t.Run(fmt.Sprintf("%s, ends %t", path, ends), func(t *testing.T) {
				api := signedIn(t)
				s := httptest.NewUnstartedServer(pagesOf(t, api))
				s.Config.ReadTimeout = 200 * time.Millisecond
				s.Start()
				defer s.Close()
				c, err := net.Dial("tcp", s.Listener.Addr().String())
				if err != nil {
					t.Fatal(err)
				}
				defer c.Close()
				fmt.Fprintf(c, "POST %s HTTP/1.1\r\nHost: x\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: 5000\r\n\r\n%s", path, denyForm.Encode())
				if ends {
					if err := c.(*net.TCPConn).CloseWrite(); err != nil {
						t.Fatal(err)
					}
				}
				answer, err := io.ReadAll(c) // the server closes: what follows cannot be told from the body
				if err != nil {
					t.Fatal(err)
				}
				if !strings.HasPrefix(string(answer), "HTTP/1.1 400 ") || !strings.Contains(string(answer), "did not arrive whole") {
					t.Errorf("answered %q", answer)
				}
				if len(api.calls) != 0 {
					t.Errorf("called %v", api.ops())
				}
			})
		}
	}
}

// TestNothingOfWhatADecisionBindsIsCut: as long as the contract lets it be, of characters that have to be written out.
func TestNothingOfWhatADecisionBindsIsCut(t *testing.T) {
	field := func(length int, tail string) *string {
		return p(strings.Repeat("\u202E", length-len(tail)) + tail)
	}
	r := pending()
	r.Title = field(200, "TITLE-END")
	r.Client = dash.AskingClient{Name: *field(100, "NAME-END"), Version: field(50, "VERSION-END"), Host: field(255, "HOST-END"), Project: field(255, "PROJECT-END")}
	got := get(t, signedIn(t).with("getAccessRequest", r), approvalPath).text()
	for _, tail := range []string{"TITLE-END", "NAME-END", "VERSION-END", "HOST-END", "PROJECT-END"} {
		if !strings.Contains(got, tail) {
			t.Errorf("%s is not on the page", tail)
		}
	}
}

// TestBlankIsSaid: what was given and shows nothing is told apart from what was not given, and a row can be opened.
func TestBlankIsSaid(t *testing.T) {
	for in, want := range map[string]string{" ": "(blank)", "\u3000\u2003": "(blank)", "\uFE0F": "⟨U+FE0F⟩", "\u2800": "⟨U+2800⟩", "\U000E0041": "⟨U+E0041⟩"} {
		r := pending()
		r.Title, r.Client = &in, dash.AskingClient{Name: in, Version: &in, Host: &in, Project: &in}
		got := get(t, signedIn(t).with("getAccessRequest", r), approvalPath)
		if n := strings.Count(got.text(), want); n != 5 {
			t.Errorf("%q is shown as %q %d times", in, want, n)
		}
		inbox := get(t, signedIn(t).with("listAccessRequests", listing([]dash.AccessRequest{r}, "")), "/approvals")
		for _, link := range inbox.doc.With("href", approvalPath) {
			if link.Text() != want {
				t.Errorf("the link for %q says %q", in, link.Text())
			}
		}
	}
}

// TestABlankTitleCanBeOpened: on its tile and beside other cards, a card whose title shows nothing has a link to see, and
// its own page has a heading.
func TestABlankTitleCanBeOpened(t *testing.T) {
	for title, want := range map[string]string{
		"\u00A0": "(blank)", "\u3000 \u2003": "(blank)", "\u200B": "⟨U+200B⟩", "\u2060\u200B": "⟨U+2060⟩⟨U+200B⟩", "\u0301": "⟨U+0301⟩", "\u00A0\u0301\u20DD": "⟨U+0301⟩⟨U+20DD⟩", "\u3164": "⟨U+3164⟩",
	} {
		api := workWith(func(i *dash.Issue) { full(i); i.Title = title; i.ConflictOn[0].Issue.Title = title })(t)
		for path, link := range map[string]string{"/boards/1": cardPath, cardPath: "/boards/1/cards/SHOP-3"} {
			page := get(t, api, path)
			links := page.doc.With("href", link)
			if len(links) == 0 {
				t.Errorf("%q: %s has no link to %s", title, path, link)
			}
			for _, l := range links {
				if shows := l.Tags("bdi"); len(shows) != 1 || shows[0].Text() != want {
					t.Errorf("%q: the link to %s says %q, want %q", title, link, l.Text(), want)
				}
			}
		}
		if h := get(t, api, cardPath).doc.Tags("h1")[0].Text(); h != "SHOP-1 "+want {
			t.Errorf("%q: the card's heading says %q", title, h)
		}
	}
}
