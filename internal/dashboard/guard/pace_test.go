// SPDX-License-Identifier: Apache-2.0

package guard_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/fiftyarms/platform/gen/dash"
	"github.com/fiftyarms/platform/internal/dashboard/guard"
	"github.com/fiftyarms/platform/internal/openapi"
	"github.com/fiftyarms/platform/internal/store"
	"github.com/fiftyarms/platform/internal/testkit"
)

// files is an API that knows files alone. It keeps what came to it and how that ended.
type files struct {
	dash.StrictServerInterface
	kept chan string
	cut  chan error
	send io.Reader
}

func (f files) AddAttachment(_ context.Context, r dash.AddAttachmentRequestObject) (dash.AddAttachmentResponseObject, error) {
	content, err := io.ReadAll(r.Body)
	if err != nil {
		f.cut <- err
		return nil, fmt.Errorf("keep the file: %w", err)
	}
	f.kept <- string(content)
	return dash.AddAttachment201JSONResponse{Attachment: dash.Attachment{ID: "a", Filename: r.Params.Filename}}, nil
}

func (f files) DownloadAttachment(context.Context, dash.DownloadAttachmentRequestObject) (dash.DownloadAttachmentResponseObject, error) {
	return dash.DownloadAttachment200AsteriskResponse{Body: f.send, ContentType: "application/octet-stream"}, nil
}

// anyKey takes every key.
type anyKey struct{}

func (anyKey) KeyByHash(context.Context, string) (store.Key, store.Team, error) {
	return store.Key{ID: "k", LastUsedAt: testkit.Start, Permissions: dash.AllPermissions}, store.Team{ID: "t"}, nil
}

func (anyKey) TouchKey(context.Context, string, time.Time) error { return nil }

func (anyKey) Login(context.Context, string, time.Time) (store.Login, store.Person, store.Team, error) {
	return store.Login{}, store.Person{}, store.Team{}, store.ErrNotFound
}

// quick is the time that the server gives calls which do not last.
const quick = 100 * time.Millisecond

func serveFiles(t *testing.T, api files, silence time.Duration) string {
	t.Helper()
	contract, err := openapi.Load(dash.Document)
	if err != nil {
		t.Fatal(err)
	}
	g, err := guard.New(guard.Config{
		Store: anyKey{}, Contract: contract, Cookie: "c", PublicURL: &url.URL{Scheme: "http", Host: "dash.example.com"},
		Now: func() time.Time { return testkit.Start }, Random: &testkit.Random{}, Log: slog.New(slog.NewTextHandler(t.Output(), nil)),
		Silence: silence,
	}, api)
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewUnstartedServer(g)
	server.Config.ReadTimeout, server.Config.WriteTimeout = quick, quick
	server.Start()
	t.Cleanup(server.Close)
	return server.Listener.Addr().String()
}

const filePath = "/api/issues/SHOP-1/attachments"

// dial sends the head of an upload.
func dial(t *testing.T, addr, query, headers string) (*net.TCPConn, *bufio.Reader) {
	t.Helper()
	c, err := net.Dial("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	if err := c.SetDeadline(time.Now().Add(20 * time.Second)); err != nil {
		t.Fatal(err)
	}
	fmt.Fprintf(c, "POST %s%s HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer k\r\n%s\r\n", filePath, query, headers)
	return c.(*net.TCPConn), bufio.NewReader(c)
}

func newFiles(send io.Reader) files {
	return files{kept: make(chan string, 1), cut: make(chan error, 1), send: send}
}

const (
	fileType = "Content-Type: application/octet-stream\r\n"
	onBoard  = "?board=1&filename=a.txt"
)

// A file that comes slowly, and for longer than a call may take, is kept whole.
func TestSlowUpload(t *testing.T) {
	testkit.NoLeaks(t)
	api := newFiles(nil)
	conn, answer := dial(t, serveFiles(t, api, 10*time.Second), onBoard, fileType+"Content-Length: 10\r\n")
	tick := time.NewTicker(quick / 3)
	defer tick.Stop()
	for range 10 {
		<-tick.C
		fmt.Fprint(conn, "x")
	}
	response, err := http.ReadResponse(answer, nil)
	if err != nil {
		t.Fatal(err)
	}
	response.Body.Close()
	if got := <-api.kept; response.StatusCode != http.StatusCreated || got != "xxxxxxxxxx" {
		t.Errorf("%s, %q", response.Status, got)
	}
}

// A body that ends early, or stops coming, or goes on too long, is an error to who reads it.
func TestUploadThatFails(t *testing.T) {
	testkit.NoLeaks(t)
	for _, tt := range []struct {
		name, query, headers, send string
		close                      bool
		status                     int // 0: nobody waits for an answer
		read                       bool
	}{
		{name: "cut", query: onBoard, headers: fileType + "Content-Length: 10\r\n", send: "xxx", close: true, read: true},
		{name: "cut within a chunk", query: onBoard, headers: fileType + "Transfer-Encoding: chunked\r\n", send: "5\r\nxx", close: true, read: true},
		{name: "cut after a chunk", query: onBoard, headers: fileType + "Transfer-Encoding: chunked\r\n", send: "5\r\nxxxxx\r\n", close: true, read: true},
		{name: "silent", query: onBoard, headers: fileType + "Content-Length: 10\r\n", send: "xxx", status: 400, read: true},
		{name: "silent from the start", query: onBoard, headers: fileType + "Content-Length: 10\r\n", status: 400, read: true},
		{name: "said to be too large", query: onBoard, headers: fileType + fmt.Sprintf("Content-Length: %d\r\n", 2<<30), status: 413},
		{name: "another type", query: onBoard, headers: "Content-Type: application/json\r\nContent-Length: 2\r\n", send: "{}", status: 415},
		{name: "no type", query: onBoard, headers: "Content-Length: 2\r\n", send: "{}", status: 415},
		{name: "no file name", query: "?board=1", headers: fileType + "Content-Length: 2\r\n", send: "{}", status: 400},
	} {
		t.Run(tt.name, func(t *testing.T) {
			api := newFiles(nil)
			conn, answer := dial(t, serveFiles(t, api, 2*quick), tt.query, tt.headers)
			fmt.Fprint(conn, tt.send)
			if tt.close {
				conn.CloseWrite()
			}
			if tt.read {
				if err := <-api.cut; !errors.As(err, new(dash.InvalidRequestRefusal)) {
					t.Errorf("the handler read %v", err)
				}
			}
			if tt.status != 0 {
				response, err := http.ReadResponse(answer, nil)
				if err != nil {
					t.Fatal(err)
				}
				response.Body.Close()
				if response.StatusCode != tt.status {
					t.Errorf("answered %s", response.Status)
				}
			}
			select {
			case kept := <-api.kept:
				t.Errorf("%q was kept", kept)
			default:
			}
		})
	}
}

// endless is a file that has no end.
type endless struct{}

func (endless) Read(b []byte) (int, error) { return copy(b, strings.Repeat("x", 1<<10)), nil }

// closing says when its reader is done with it.
type closing struct {
	io.Reader
	closed chan struct{}
}

func (c closing) Close() error {
	close(c.closed)
	return nil
}

// A file that is read slowly, and for longer than a call may take, arrives whole.
func TestSlowDownload(t *testing.T) {
	testkit.NoLeaks(t)
	const size = 32 << 20 // more than the kernel keeps
	addr := serveFiles(t, newFiles(io.LimitReader(endless{}, size)), 10*time.Second)
	c, err := net.Dial("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	fmt.Fprintf(c, "GET %s/0123456789abcdef0123456789abcdef?board=1 HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer k\r\nConnection: close\r\n\r\n", filePath)
	response, err := http.ReadResponse(bufio.NewReader(c), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	if response.StatusCode != 200 {
		content, _ := io.ReadAll(response.Body)
		t.Fatalf("%s %s", response.Status, content)
	}
	tick := time.NewTicker(quick / 3)
	defer tick.Stop()
	var got int64
	for range 8 {
		<-tick.C
		n, err := io.CopyN(io.Discard, response.Body, size/16)
		if got += n; err != nil {
			t.Fatalf("after %d bytes: %v", got, err)
		}
	}
	n, err := io.Copy(io.Discard, response.Body)
	if got += n; err != nil || got != size {
		t.Errorf("%d bytes, %v", got, err)
	}
}

// Who takes nothing is cut off.
func TestStalledDownload(t *testing.T) {
	testkit.NoLeaks(t)
	file := closing{endless{}, make(chan struct{})}
	addr := serveFiles(t, newFiles(file), 2*quick)
	c, err := net.Dial("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	fmt.Fprintf(c, "GET %s/0123456789abcdef0123456789abcdef?board=1 HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer k\r\n\r\n", filePath)
	<-file.closed
}
