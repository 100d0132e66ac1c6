// SPDX-License-Identifier: Apache-2.0

package attach_test

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/fiftyarms/platform/gen/mcptools"
	"github.com/fiftyarms/platform/internal/platform/attach"
	"github.com/fiftyarms/platform/internal/platform/client"
	"github.com/fiftyarms/platform/internal/platform/secret"
	"github.com/fiftyarms/platform/internal/platform/signin"
)

const (
	png  = "\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR"
	svg  = `<?xml version="1.0"?><!-- drawn --><svg xmlns="http://www.w3.org/2000/svg"/>`
	kept = `{"issue":{"id":"SHOP-1","z":9007199254740993},"attachment":{"id":"a1","url":"/api/issues/SHOP-1/attachments/a1?board=3","thumbnail_url":"/t","is_primary":true}}`
)

// got is one upload as the dashboard saw it.
type got struct {
	Method, URL, Type, Key string
	Length                 int64
	Sum                    string // of a body that came whole
	Err                    string
}

// dashboard takes uploads.
type dashboard struct {
	*attach.Files
	t       *testing.T
	options attach.Options
	known   *secret.Known
	key     secret.Text
	// answer does something in place of keeping what comes; true reads what it has not read, and answers nothing.
	answer func(w http.ResponseWriter, r *http.Request, nth int) (readOn bool)

	mu     sync.Mutex
	boards int
	calls  []got
}

func newDashboard(t *testing.T, answer func(http.ResponseWriter, *http.Request, int) bool) *dashboard {
	t.Helper()
	d := &dashboard{t: t, answer: answer, known: new(secret.Known), key: secret.New("50a_" + strings.Repeat("k", 30))}
	server := httptest.NewServer(http.HandlerFunc(d.serve))
	t.Cleanup(server.Close)
	c, err := client.New(client.Options{Dashboard: server.URL, Version: "0.1.0", Known: d.known})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	session := signin.New(signin.Options{Client: c, Credential: d.key, Now: time.Now, After: time.After, Log: slog.New(slog.DiscardHandler), Known: d.known})
	t.Cleanup(session.Close)
	d.options = attach.Options{Session: session, Client: c, Home: t.TempDir(), ConfigDir: t.TempDir(), Random: rand.Reader}
	d.Files = attach.New(d.options)
	return d
}

func (d *dashboard) serve(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path == "/api/boards" {
		d.mu.Lock()
		d.boards++
		d.mu.Unlock()
		if r.URL.Query().Get("cursor") == "" {
			_, _ = io.WriteString(w, `{"boards":[{"ref":1,"prefix":"OPS"}],"next_cursor":"two"}`)
			return
		}
		_, _ = io.WriteString(w, `{"boards":[{"ref":3,"prefix":"SHOP"}],"next_cursor":null}`)
		return
	}
	call := got{Method: r.Method, URL: r.URL.String(), Type: r.Header.Get("Content-Type"), Key: r.Header.Get("Idempotency-Key"), Length: r.ContentLength}
	d.mu.Lock()
	nth := len(d.calls)
	d.calls = append(d.calls, call)
	d.mu.Unlock()
	if d.answer != nil && !d.answer(w, r, nth) {
		return
	}
	sum := sha256.New()
	_, err := io.Copy(sum, r.Body)
	d.mu.Lock()
	if err != nil {
		d.calls[nth].Err = err.Error()
	} else {
		d.calls[nth].Sum = hex.EncodeToString(sum.Sum(nil))
	}
	d.mu.Unlock()
	if err != nil || d.answer != nil {
		return
	}
	if r.URL.Path == "/api/uploads/images" {
		w.WriteHeader(201)
		_, _ = io.WriteString(w, `{"url":"/api/uploads/images/x","markdown":"![shot.png](/api/uploads/images/x)"}`)
		return
	}
	w.WriteHeader(201)
	_, _ = io.WriteString(w, kept)
}

func (d *dashboard) seen() []got {
	d.mu.Lock()
	defer d.mu.Unlock()
	return slices.Clone(d.calls)
}

// attach calls the tool with its arguments as JSON, and gives its answer as JSON.
func (d *dashboard) attach(ctx context.Context, args string) (string, error) {
	d.t.Helper()
	var a mcptools.AttachFileArgs
	if err := json.Unmarshal([]byte(args), &a); err != nil {
		d.t.Fatal(err)
	}
	result, err := d.AttachFile(ctx, a)
	if err != nil {
		return "", err
	}
	out, err := json.Marshal(result)
	return string(out), err
}

func write(t *testing.T, name, content string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), filepath.FromSlash(name))
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(content), 0o600)); err != nil {
		t.Fatal(err)
	}
	return path
}

func sum(s string) string {
	h := sha256.Sum256([]byte(s))
	return hex.EncodeToString(h[:])
}

const replaced = "0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a"

func TestUploads(t *testing.T) {
	long := strings.Repeat("notes\n", 200_000)
	link := filepath.Join(t.TempDir(), "link.png")
	if err := os.Symlink(write(t, "shot.png", png), link); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name, path, more string
		want             got
		answer           string
	}{
		{"a card's file", write(t, "notes.md", long), `"card_id":"SHOP-1"`, got{Method: "POST", URL: "/api/issues/SHOP-1/attachments?board=3&filename=notes.md", Sum: sum(long)}, ""},
		{"as the cover", write(t, "a b&.png", png), `"card_id":"SHOP-1","primary":true,"target":"card"`, got{Method: "POST", URL: "/api/issues/SHOP-1/attachments?board=3&filename=a+b%26.png&primary=true", Sum: sum(png)}, ""},
		{"no cover", write(t, "a.png", png), `"card_id":"SHOP-1","primary":false`, got{Method: "POST", URL: "/api/issues/SHOP-1/attachments?board=3&filename=a.png", Sum: sum(png)}, ""},
		{"in place of another", write(t, "b.png", png), `"card_id":"SHOP-1","replaces":"` + replaced + `"`, got{Method: "PUT", URL: "/api/issues/SHOP-1/attachments/" + replaced + "?board=3", Sum: sum(png)}, ""},
		{"under another name", write(t, "c.png", png), `"card_id":"SHOP-1","filename":"shot.png","content_type":"image/png"`, got{Method: "POST", URL: "/api/issues/SHOP-1/attachments?board=3&filename=shot.png", Sum: sum(png)}, ""},
		{"through a link", link, `"card_id":"SHOP-1"`, got{Method: "POST", URL: "/api/issues/SHOP-1/attachments?board=3&filename=link.png", Sum: sum(png)}, ""},
		{"an empty file", write(t, "empty.bin", ""), `"card_id":"OPS-7"`, got{Method: "POST", URL: "/api/issues/OPS-7/attachments?board=1&filename=empty.bin", Sum: sum("")}, ""},
		{"an image for a text", write(t, "shot.png", png), `"target":"inline_image"`, got{Method: "POST", URL: "/api/uploads/images?filename=shot.png", Sum: sum(png)},
			`{"url":"/api/uploads/images/x","markdown":"![shot.png](/api/uploads/images/x)"}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			d := newDashboard(t, nil)
			answer, err := d.attach(t.Context(), fmt.Sprintf(`{"path":%q,%s}`, tt.path, tt.more))
			want := tt.answer
			if want == "" {
				want = `{"issue":{"id":"SHOP-1","z":9007199254740993},"attachment_id":"a1","url":"/api/issues/SHOP-1/attachments/a1?board=3","thumbnail_url":"/t","is_primary":true}`
			}
			if err != nil || answer != want {
				t.Errorf("%s, %v", answer, err)
			}
			calls := d.seen()
			if len(calls) != 1 || tt.want.Method == "POST" && tt.answer == "" && len(calls[0].Key) != 32 {
				t.Fatalf("%+v", calls)
			}
			calls[0].Key = ""
			info, _ := os.Stat(tt.path)
			tt.want.Type, tt.want.Length = "application/octet-stream", info.Size()
			if diff := cmp.Diff(tt.want, calls[0]); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestBoards: the list is read once, and again for a prefix that it did not have.
func TestBoards(t *testing.T) {
	d := newDashboard(t, nil)
	path := write(t, "a.txt", "x")
	for _, card := range []string{"SHOP-1", "SHOP-2", "OPS-1"} {
		if _, err := d.attach(t.Context(), fmt.Sprintf(`{"path":%q,"card_id":%q}`, path, card)); err != nil {
			t.Error(err)
		}
	}
	if d.boards != 2 {
		t.Errorf("the list was read in %d pages", d.boards)
	}
	_, err := d.attach(t.Context(), fmt.Sprintf(`{"path":%q,"card_id":"NONE-1"}`, path))
	if err == nil || !strings.Contains(err.Error(), "no board has cards that begin with NONE-; there are OPS, SHOP") || d.boards != 4 {
		t.Errorf("%v, %d pages", err, d.boards)
	}
}

// TestArguments: what does not go together is refused by name, before any file is opened.
func TestArguments(t *testing.T) {
	path := write(t, "a.png", png)
	for _, tt := range [][2]string{
		{`"card_id":"SHOP-1","path":"a.png"`, "absolute path"},
		{`"card_id":"SHOP-1","path":"~/a.png"`, "absolute path"},
		{`"card_id":"SHOP-1","path":"/tmp/a\u0000b"`, "absolute path"},
		{`"path":"/none"`, "card_id is missing"},
		{`"card_id":"shop-1","path":"/none"`, "no card's id"},
		{`"card_id":"SHOP-1/../X","path":"/none"`, "no card's id"},
		{`"card_id":"SHOP-1","replaces":"..","path":"/none"`, "no attachment's id"},
		{`"card_id":"SHOP-1","filename":"a/b","path":"/none"`, "filename holds a slash"},
		{`"card_id":"SHOP-1","filename":"a\nb","path":"/none"`, "filename holds a control character"},
		{`"card_id":"SHOP-1","filename":"` + strings.Repeat("é", 201) + `","path":"/none"`, "over 200 characters"},
		{`"target":"inline_image","card_id":"SHOP-1","primary":true,"path":"/none"`, "leave out card_id, primary"},
		{`"target":"inline_image","filename":"a.png","content_type":"image/png","replaces":"x","path":"/none"`, "leave out content_type, filename, replaces"},
		{`"card_id":"SHOP-1","filename":"a.svg","path":"` + path + `"`, "a.svg is disguised"},
		{`"card_id":"SHOP-1","content_type":"image/jpeg","path":"` + path + `"`, "meant to be image/jpeg, and holds a PNG image"},
		{`"card_id":"SHOP-1","content_type":"png","path":"` + path + `"`, "no content type"},
	} {
		d := newDashboard(t, nil)
		answer, err := d.attach(t.Context(), "{"+tt[0]+"}")
		if err == nil || !strings.Contains(err.Error(), tt[1]) || !strings.HasPrefix(err.Error(), "attach_file: not sent: ") || len(d.seen())+d.boards > 0 {
			t.Errorf("%s: %s, %v", tt[0], answer, err)
		}
	}
}

func TestAnswers(t *testing.T) {
	says := func(status int, body string) func(http.ResponseWriter, *http.Request, int) bool {
		return func(w http.ResponseWriter, r *http.Request, _ int) bool {
			_, _ = io.Copy(io.Discard, r.Body)
			w.WriteHeader(status)
			_, _ = io.WriteString(w, body)
			return false
		}
	}
	refusal := `{"error":"too_many","limit":9007199254740993}`
	for _, tt := range []struct {
		name   string
		answer func(http.ResponseWriter, *http.Request, int) bool
		want   string
		err    string
	}{
		{"a refusal", says(409, refusal), `{"ok":false,"status":409,"body":` + refusal + `}`, ""},
		{"a page as a refusal", says(404, "<html>nginx"), "", "answered 404"},
		{"a server that fails", says(502, "bad gateway"), "", "answered 502: bad gateway"},
		{"something else", says(201, `{"a":1}`), "", "something else than an attachment"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			d := newDashboard(t, tt.answer)
			answer, err := d.attach(t.Context(), fmt.Sprintf(`{"path":%q,"card_id":"SHOP-1"}`, write(t, "a.txt", "x")))
			if answer != tt.want || (err == nil) != (tt.err == "") || err != nil && !strings.Contains(err.Error(), tt.err) || len(d.seen()) != 1 {
				t.Errorf("%s, %v, %d calls", answer, err, len(d.seen()))
			}
		})
	}
}

// TestRefusedEarly: a refusal comes through although the file was not read, and the file is not sent for it.
func TestRefusedEarly(t *testing.T) {
	d := newDashboard(t, nil)
	d.answer = func(w http.ResponseWriter, _ *http.Request, _ int) bool {
		w.WriteHeader(413)
		_, _ = io.WriteString(w, `{"error":"too_large"}`)
		return false
	}
	path := write(t, "a.txt", strings.Repeat("x", 8<<20))
	var most int64
	ctx := attach.WithReport(t.Context(), func(sent, _ int64) { most = max(most, sent) })
	answer, err := d.attach(ctx, fmt.Sprintf(`{"path":%q,"card_id":"SHOP-1"}`, path))
	if err != nil || answer != `{"ok":false,"status":413,"body":{"error":"too_large"}}` || most > 0 {
		t.Errorf("%s, %v, %d bytes went out", answer, err, most)
	}
}

// TestAgain: what the network lost before an answer is sent once more, whole, under the same key; an image is not.
func TestAgain(t *testing.T) {
	content := strings.Repeat("0123456789", 100_000)
	lose := func(times int, read int64) func(http.ResponseWriter, *http.Request, int) bool {
		return func(w http.ResponseWriter, r *http.Request, nth int) bool {
			if nth < times {
				_, _ = io.CopyN(io.Discard, r.Body, read)
				panic(http.ErrAbortHandler)
			}
			_, _ = io.Copy(io.Discard, r.Body)
			w.WriteHeader(201)
			_, _ = io.WriteString(w, kept)
			return false
		}
	}
	for _, tt := range []struct {
		name   string
		args   string
		answer func(http.ResponseWriter, *http.Request, int) bool
		calls  int
		ok     bool
	}{
		{"lost after half", `"card_id":"SHOP-1"`, lose(1, 500_000), 2, true},
		{"lost at the end", `"card_id":"SHOP-1"`, lose(1, 1_000_000), 2, true},
		{"lost twice", `"card_id":"SHOP-1"`, lose(2, 1_000_000), 2, false},
		{"a lost replacement", `"card_id":"SHOP-1","replaces":"` + replaced + `"`, lose(1, 500_000), 2, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			d := newDashboard(t, tt.answer)
			answer, err := d.attach(t.Context(), fmt.Sprintf(`{"path":%q,%s}`, write(t, "a.txt", content), tt.args))
			calls := d.seen()
			if (err == nil) != tt.ok || len(calls) != tt.calls || calls[0].Key != calls[1].Key || calls[1].Length != int64(len(content)) {
				t.Errorf("%s, %v, %+v", answer, err, calls)
			}
		})
	}
	t.Run("an image", func(t *testing.T) {
		d := newDashboard(t, lose(1, 0))
		if answer, err := d.attach(t.Context(), fmt.Sprintf(`{"path":%q,"target":"inline_image"}`, write(t, "a.png", png))); err == nil || len(d.seen()) != 1 {
			t.Errorf("%s, %v, %+v", answer, err, d.seen())
		}
	})
	t.Run("a file that changed meanwhile", func(t *testing.T) {
		path := write(t, "a.txt", content)
		d := newDashboard(t, func(_ http.ResponseWriter, r *http.Request, _ int) bool {
			_, _ = io.Copy(io.Discard, r.Body)
			if err := os.WriteFile(path, []byte(content+"x"), 0o600); err != nil {
				t.Error(err)
			}
			panic(http.ErrAbortHandler)
		})
		if answer, err := d.attach(t.Context(), fmt.Sprintf(`{"path":%q,"card_id":"SHOP-1"}`, path)); err == nil || len(d.seen()) != 1 {
			t.Errorf("%s, %v, %+v", answer, err, d.seen())
		}
	})
}

// TestChanges: a file that changes while it is read is never sent whole.
func TestChanges(t *testing.T) {
	content := strings.Repeat("0123456789", 1_000_000)
	for name, change := range map[string]func(path string) error{
		"longer":  func(path string) error { return os.WriteFile(path, []byte(content+"x"), 0o600) },
		"shorter": func(path string) error { return os.Truncate(path, 10) },
		"touched": func(path string) error { return os.Chtimes(path, time.Time{}, time.Now().Add(time.Hour)) },
	} {
		t.Run(name, func(t *testing.T) {
			path := write(t, "a.txt", content)
			once := sync.OnceValue(func() error { return change(path) })
			d := newDashboard(t, nil)
			d.answer = func(_ http.ResponseWriter, r *http.Request, _ int) bool {
				_, _ = io.CopyN(io.Discard, r.Body, 1000) // the rest waits until the file is another
				if err := once(); err != nil {
					t.Error(err)
				}
				return true
			}
			answer, err := d.attach(t.Context(), fmt.Sprintf(`{"path":%q,"card_id":"SHOP-1"}`, path))
			if err == nil || !strings.Contains(err.Error(), "the file changed while it was read") {
				t.Fatalf("%s, %v", answer, err)
			}
			for begin := time.Now(); ; {
				if calls := d.seen(); len(calls) == 1 && calls[0].Err != "" {
					break
				} else if len(calls) != 1 || calls[0].Sum != "" || time.Since(begin) > 10*time.Second {
					t.Fatalf("%+v", calls)
				}
			}
		})
	}
}

// TestOwnKey: a file that holds the session's key is not sent to its end, wherever the key stands in it.
func TestOwnKey(t *testing.T) {
	for _, at := range []int{0, 5, 32<<10 - 10, 64<<10 - 1, 1 << 20, 1<<20 + 12345} {
		d := newDashboard(t, nil)
		path := write(t, "a.txt", strings.Repeat("x", at)+d.key.Reveal()+strings.Repeat("y", 100_000))
		answer, err := d.attach(t.Context(), fmt.Sprintf(`{"path":%q,"card_id":"SHOP-1"}`, path))
		if err == nil || !strings.Contains(err.Error(), "this session's key") && !strings.Contains(err.Error(), "a key of a dashboard") || strings.Contains(err.Error(), d.key.Reveal()) {
			t.Errorf("at %d: %s, %v", at, answer, err)
		}
		for _, call := range d.seen() {
			if call.Sum != "" {
				t.Errorf("at %d: sent whole", at)
			}
		}
	}
	d := newDashboard(t, nil)
	if _, err := d.attach(t.Context(), fmt.Sprintf(`{"path":%q,"card_id":"SHOP-1"}`, write(t, d.key.Reveal()+".txt", "x"))); err == nil || len(d.seen()) > 0 {
		t.Errorf("sent in the name: %v", err)
	}
}

// TestCancelled: a call that is given up ends its upload at once.
func TestCancelled(t *testing.T) {
	over := errors.New("cancelled by the client")
	ctx, cancel := context.WithCancelCause(t.Context())
	d := newDashboard(t, nil)
	d.answer = func(_ http.ResponseWriter, r *http.Request, _ int) bool {
		_, _ = io.CopyN(io.Discard, r.Body, 1000)
		cancel(over)
		return true
	}
	begin := time.Now()
	answer, err := d.attach(ctx, fmt.Sprintf(`{"path":%q,"card_id":"SHOP-1"}`, write(t, "a.txt", strings.Repeat("x", 64<<20))))
	if !errors.Is(err, over) || time.Since(begin) > 5*time.Second {
		t.Errorf("%s, %v after %v", answer, err, time.Since(begin))
	}
}

func TestReports(t *testing.T) {
	const size = 64 << 20 // more than lies on the way
	var mu sync.Mutex
	var reports []int64
	ctx := attach.WithReport(t.Context(), func(sent, total int64) {
		mu.Lock()
		defer mu.Unlock()
		if total != size || len(reports) > 0 && sent <= reports[len(reports)-1] {
			t.Errorf("%d of %d after %v", sent, total, reports)
		}
		reports = append(reports, sent)
	})
	moved := make(chan struct{})
	d := newDashboard(t, nil)
	d.answer = func(w http.ResponseWriter, r *http.Request, _ int) bool {
		_, _ = io.CopyN(io.Discard, r.Body, 1000)
		for begin := time.Now(); time.Since(begin) < 10*time.Second; {
			mu.Lock()
			n := len(reports)
			mu.Unlock()
			if n > 0 {
				break
			}
		}
		close(moved)
		_, _ = io.Copy(io.Discard, r.Body)
		w.WriteHeader(201)
		_, _ = io.WriteString(w, kept)
		return false
	}
	if _, err := d.attach(ctx, fmt.Sprintf(`{"path":%q,"card_id":"SHOP-1"}`, write(t, "a.txt", strings.Repeat("x", size)))); err != nil {
		t.Fatal(err)
	}
	<-moved
	if len(reports) < 2 || reports[len(reports)-1] != size {
		t.Error(reports)
	}
}
