// SPDX-License-Identifier: Apache-2.0

package platform_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/fiftyarms/platform/gen/dash"
	"github.com/fiftyarms/platform/gen/mcptools"
	"github.com/fiftyarms/platform/internal/platform"
	"github.com/fiftyarms/platform/internal/platform/secret"
	"github.com/fiftyarms/platform/internal/testkit"
)

// onBoard is a session of an agent that has board 1 of two as its own.
func onBoard(t *testing.T) (*testkit.Running, *testkit.Caller, *peer) {
	t.Helper()
	d := testkit.Dashboard(t)
	ada := d.SetUp()
	for _, prefix := range []string{"SHOP", "DOCS"} {
		testkit.Decode[dash.Board](t, ada.Call("POST", "/api/boards", dash.BoardCreate{Name: prefix, Prefix: prefix}), 201)
	}
	agent := d.Agent(ada)
	return d, ada, start(t, d.URL, func(o *platform.Options) { o.Config.Credential, o.Config.Board = secret.New(agent.Key), 1 })
}

// said is the answer of 50arms_api with its body read.
func said[Body any](t *testing.T, p *peer, args string, status int) (out Body) {
	t.Helper()
	var answer struct {
		Status int
		Body   json.RawMessage
	}
	text := p.want("50arms_api", args)
	if err := json.Unmarshal([]byte(text), &answer); err != nil || answer.Status != status {
		t.Fatalf("%s\nanswered %s, want %d", args, text, status)
	}
	if err := json.Unmarshal(answer.Body, &out); err != nil {
		t.Fatal(err)
	}
	return out
}

// TestCards: an agent works on its board, and reaches over to another by naming it.
func TestCards(t *testing.T) {
	testkit.NoLeaks(t)
	_, ada, p := onBoard(t)
	own := said[dash.Issue](t, p, `{"method":"POST","path":"/api/issues","body":{"title":"Mend the checkout"}}`, 201)
	other := said[dash.Issue](t, p, `{"method":"POST","path":"/api/issues","body":{"title":"Say so"},"board":"2"}`, 201)
	if own.ID != "SHOP-1" || own.Board != 1 || other.ID != "DOCS-1" || other.Board != 2 {
		t.Errorf("%+v, %+v", own, other)
	}
	in := said[dash.Issue](t, p, fmt.Sprintf(`{"method":"POST","path":"/api/issues/SHOP-1/transition","body":{"version":%d,"status":"In Progress"}}`, own.Version), 200)
	if in.Status != dash.IssueStatusInProgress {
		t.Errorf("%+v", in)
	}
	for args, want := range map[string]int{
		`{"method":"GET","path":"/api/issues/SHOP-1"}`:                          200,
		`{"method":"GET","path":"/api/issues/DOCS-1"}`:                          404,
		`{"method":"GET","path":"/api/issues/DOCS-1","board":2}`:                200,
		`{"method":"GET","path":"/api/issues/DOCS-1","query":{"board":2}}`:      200,
		`{"method":"GET","path":"/api/issues/SHOP-1","board":9}`:                404,
		`{"method":"POST","path":"/api/issues","body":{"title":"x","board":9}}`: 404,
		`{"method":"GET","path":"/api/boards/2","board":1}`:                     400,
	} {
		said[json.RawMessage](t, p, args, want)
	}
	for args, want := range map[string]int{
		`{"method":"GET","path":"/api/issues"}`: 2, `{"method":"GET","path":"/api/issues","board":1}`: 1, `{"method":"GET","path":"/api/issues","board":2}`: 1,
	} {
		if got := said[dash.IssuePage](t, p, args, 200).Issues; len(got) != want {
			t.Errorf("%s: %d cards", args, len(got))
		}
	}

	// Of files: text is shown, other bytes are put into a file.
	for filename, content := range map[string]string{"notes.md": "# Notes", "bytes.bin": "\x00\x01"} {
		r := ada.Request("POST", "/api/issues/SHOP-1/attachments?board=1&filename="+filename, content)
		r.Header.Set("Content-Type", "application/octet-stream")
		file := testkit.Decode[dash.AttachmentKept](t, ada.Do(r), 201).Attachment
		path, _, _ := strings.Cut(file.URL, "?") // the session's own board is added
		a := p.call("50arms_api", fmt.Sprintf(`{"method":"GET","path":%q}`, path))
		if shown := `{"ok":true,"status":200,"body":"# Notes"}`; filename == "notes.md" && a.text != shown {
			t.Errorf("%+v", a)
		}
		if filename == "notes.md" {
			continue
		}
		var put mcptools.APIResult
		if err := json.Unmarshal([]byte(a.text), &put); err != nil || put.File == nil || put.Body != nil {
			t.Fatalf("%+v: %v", a, err)
		}
		if b, err := os.ReadFile(*put.File); err != nil || string(b) != content {
			t.Errorf("the file holds %q: %v", b, err)
		}
	}
}

// TestLostAnswer: what the dashboard created, and could not say so, is not created again.
func TestLostAnswer(t *testing.T) {
	testkit.NoLeaks(t)
	d, ada, _ := onBoard(t)
	agent := d.Agent(ada)
	var calls atomic.Int32
	front := serve(t, func(w http.ResponseWriter, r *http.Request) {
		out, err := http.NewRequestWithContext(r.Context(), r.Method, d.URL+r.URL.RequestURI(), r.Body)
		if err != nil {
			t.Error(err)
			return
		}
		out.Header = r.Header
		response, err := http.DefaultTransport.RoundTrip(out)
		if err != nil {
			t.Error(err)
			return
		}
		defer response.Body.Close()
		if calls.Add(1) == 1 {
			panic(http.ErrAbortHandler) // the answer is on its way, and the line breaks
		}
		w.Header().Set("Content-Type", response.Header.Get("Content-Type"))
		w.WriteHeader(response.StatusCode)
		_, _ = io.Copy(w, response.Body)
	})
	t.Cleanup(http.DefaultTransport.(*http.Transport).CloseIdleConnections)
	p := start(t, front, func(o *platform.Options) { o.Config.Credential, o.Config.Board = secret.New(agent.Key), 1 })
	made := said[dash.Issue](t, p, `{"method":"POST","path":"/api/issues","body":{"title":"Mend the checkout"}}`, 201)
	if cards := testkit.Decode[dash.IssuePage](t, ada.Call("GET", "/api/issues", nil), 200).Issues; calls.Load() != 2 || len(cards) != 1 || cards[0].ID != made.ID {
		t.Errorf("%d calls made %+v", calls.Load(), cards)
	}
}
