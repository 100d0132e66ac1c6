// SPDX-License-Identifier: Apache-2.0

package platform_test

import (
	"bufio"
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/fiftyarms/platform/gen/dash"
	"github.com/fiftyarms/platform/gen/mcptools"
	"github.com/fiftyarms/platform/internal/platform"
	"github.com/fiftyarms/platform/internal/platform/env"
	"github.com/fiftyarms/platform/internal/platform/keyfile"
	"github.com/fiftyarms/platform/internal/platform/secret"
	"github.com/fiftyarms/platform/internal/testkit"
)

// patience bounds a wait that should be short: it ends a test that would hang.
const patience = 20 * time.Second

// allTools are the names of the catalogue.
var allTools = catalogue()

func catalogue() (names []string) {
	var defined map[string]struct{ Tools []struct{ Name string } }
	if err := json.Unmarshal(mcptools.Definitions, &defined); err != nil {
		panic(err)
	}
	for _, tool := range defined["platform"].Tools {
		names = append(names, tool.Name)
	}
	return names
}

// goodArgs are arguments that each tool takes. TestToolsList says which are missing.
var goodArgs = map[string]string{
	"50arms_api":         `{"method":"GET","path":"/api/auth/me"}`,
	"50arms_api_list":    `{}`,
	"50arms_api_spec":    `{"endpoints":"GET /api/auth/me"}`,
	"attach_file":        fmt.Sprintf(`{"card_id":"SHOP-1","path":%q}`, thisFile()),
	"plan_connect":       `{}`,
	"request_permission": `{"permissions":["boards.edit"],"reason":"The checkout work needs a board of its own."}`,
}

// thisFile is a file that can be attached.
func thisFile() string {
	path, err := filepath.Abs("harness_test.go")
	if err != nil {
		panic(err)
	}
	return path
}

// hasty is as fast as the dashboard answers: nobody waits for the pace of polls here. How long plan_connect may take
// stays, since a busy machine may need it.
func hasty(d time.Duration) <-chan time.Time {
	if d == 5*time.Second || d == 45*time.Second {
		return time.After(d)
	}
	return time.After(d / 100)
}

func aKey() secret.Text { return secret.New("50a_" + strings.Repeat("k", 30)) }

// peer is the MCP client of a server that runs in this process.
type peer struct {
	t    *testing.T
	in   *io.PipeWriter
	log  *testkit.Log
	done chan error // what Serve returned

	mu    sync.Mutex
	next  int
	wait  map[string]chan json.RawMessage
	other []string // frames that answer nothing
}

// start serves a session at a dashboard until the test ends, and initializes it.
func start(t *testing.T, dashboard string, change func(*platform.Options)) *peer {
	t.Helper()
	p := &peer{t: t, log: &testkit.Log{}, done: make(chan error, 1), wait: map[string]chan json.RawMessage{}}
	o := platform.Options{
		Config: env.Config{Dashboard: dashboard}, Version: "0.1.0", Host: "ada-laptop", Project: "shop",
		Diagnostics: p.log, Random: rand.Reader, Now: time.Now,
		After: hasty,
	}
	if change != nil {
		change(&o)
	}
	srv, err := platform.New(o)
	if err != nil {
		t.Fatal(err)
	}
	inR, inW := io.Pipe()
	outR, outW := io.Pipe()
	p.in = inW
	go func() {
		p.done <- srv.Serve(context.Background(), inR, outW)
		_ = inR.Close() // or a client that goes on writing would hang
		_ = outW.Close()
	}()
	read := make(chan struct{})
	go func() {
		defer close(read)
		p.read(outR)
	}()
	t.Cleanup(func() {
		_ = p.in.Close()
		<-read
		if strings.Contains(p.log.String(), aKey().Reveal()) {
			t.Errorf("the log shows the key: %s", p.log)
		}
	})
	if _, err := p.request("initialize", `{"protocolVersion":"2025-11-25","clientInfo":{"name":"claude-code","version":"2.1.0"},"capabilities":{}}`); err != nil {
		t.Fatal(err)
	}
	return p
}

// boot serves a session that does not get as far as its client, and answers why.
func boot(t *testing.T, dashboard string, change func(*platform.Options)) error {
	t.Helper()
	log := &testkit.Log{}
	o := platform.Options{
		Config: env.Config{Dashboard: dashboard}, Version: "0.1.0", Diagnostics: log, Random: rand.Reader, Now: time.Now,
		After: hasty,
	}
	change(&o)
	srv, err := platform.New(o)
	if err != nil {
		t.Fatal(err)
	}
	in, w := io.Pipe()
	defer w.Close()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	return srv.Serve(ctx, in, io.Discard)
}

func (p *peer) read(out io.Reader) {
	lines := bufio.NewReader(out)
	for {
		line, err := lines.ReadBytes('\n')
		if err != nil {
			return
		}
		var f struct{ ID json.RawMessage }
		if err := json.Unmarshal(line, &f); err != nil {
			p.t.Errorf("stdout carries no frame: %q", line)
			continue
		}
		p.mu.Lock()
		if c, ok := p.wait[string(f.ID)]; ok {
			c <- line
		} else {
			p.other = append(p.other, string(line))
		}
		p.mu.Unlock()
	}
}

// send sends a request and returns where its answer comes.
func (p *peer) send(method, params string) (id string, answer chan json.RawMessage) {
	p.mu.Lock()
	p.next++
	id = fmt.Sprint(p.next)
	answer = make(chan json.RawMessage, 1)
	p.wait[id] = answer
	p.mu.Unlock()
	if _, err := fmt.Fprintf(p.in, `{"jsonrpc":"2.0","id":%s,"method":%q,"params":%s}`+"\n", id, method, params); err != nil {
		p.t.Error(err)
	}
	return id, answer
}

func (p *peer) request(method, params string) (json.RawMessage, error) {
	_, answer := p.send(method, params)
	select {
	case line := <-answer:
		var f struct{ Result, Error json.RawMessage }
		if err := json.Unmarshal(line, &f); err != nil {
			return nil, err
		}
		if f.Error != nil {
			return nil, fmt.Errorf("%s", f.Error)
		}
		return f.Result, nil
	case <-time.After(patience):
		return nil, fmt.Errorf("no answer to %s", method)
	}
}

// answer is a tool's result.
type answer struct {
	text    string
	isError bool
}

func (p *peer) call(tool, args string) answer {
	p.t.Helper()
	raw, err := p.request("tools/call", fmt.Sprintf(`{"name":%q,"arguments":%s}`, tool, args))
	if err != nil {
		p.t.Fatalf("%s: a protocol error instead of an answer: %v", tool, err)
	}
	return p.read1(raw)
}

func (p *peer) read1(raw json.RawMessage) answer {
	p.t.Helper()
	var result struct {
		Content []struct{ Type, Text string }
		IsError bool
		Other   map[string]any `json:"structuredContent"`
	}
	if err := json.Unmarshal(raw, &result); err != nil || len(result.Content) != 1 || result.Content[0].Type != "text" || result.Other != nil {
		p.t.Fatalf("not one text: %s, %v", raw, err)
	}
	a := answer{result.Content[0].Text, result.IsError}
	if strings.Contains(a.text, aKey().Reveal()) {
		p.t.Errorf("the answer shows the key: %s", a.text)
	}
	return a
}

// want is the text of an answer that is no error.
func (p *peer) want(tool, args string) string {
	p.t.Helper()
	a := p.call(tool, args)
	if a.isError {
		p.t.Fatalf("%s: %s", tool, a.text)
	}
	return a.text
}

// connect is plan_connect's answer in a state.
func (p *peer) connect(state string) map[string]any {
	p.t.Helper()
	var got map[string]any
	if err := json.Unmarshal([]byte(p.want("plan_connect", `{"title":"Mend the checkout"}`)), &got); err != nil {
		p.t.Fatal(err)
	}
	if got["state"] != state {
		p.t.Fatalf("%v, want %s", got, state)
	}
	return got
}

// end closes stdin and waits for the server.
func (p *peer) end() error {
	p.t.Helper()
	if err := p.in.Close(); err != nil {
		p.t.Error(err)
	}
	select {
	case err := <-p.done:
		return err
	case <-time.After(patience):
		p.t.Fatal("the server does not end with its input")
		return nil
	}
}

// dispatch makes a session one that holds aKey, with all tools.
func dispatch(o *platform.Options) {
	o.Config.Credential, o.Config.ExtraTools = aKey(), allTools
}

// signedIn makes a session a person's that finds aKey in its file.
func signedIn(t *testing.T) func(*platform.Options) {
	return func(o *platform.Options) {
		o.Config.ConfigDir, o.Config.SessionID = t.TempDir(), "s1"
		if err := keyfile.At(o.Config.ConfigDir, o.Config.Dashboard, o.Config.SessionID, o.Now).Save(aKey()); err != nil {
			t.Fatal(err)
		}
	}
}

// serve is the URL of a dashboard for one test, whose keys hold every permission, and keep them: everything else is the
// test's.
func serve(t *testing.T, h http.HandlerFunc) string {
	t.Helper()
	return serveAll(t, func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/api/auth/permissions":
			w.Header().Set("Content-Type", "application/json")
			_ = json.NewEncoder(w).Encode(dash.Permissions{Permissions: dash.AllPermissions})
		case "/api/stream":
			w.Header().Set("Content-Type", "text/event-stream")
			_ = http.NewResponseController(w).Flush()
			<-r.Context().Done()
		default:
			h(w, r)
		}
	})
}

// serveAll is the URL of a server for one test.
func serveAll(t *testing.T, h http.HandlerFunc) string {
	t.Helper()
	server := httptest.NewServer(h)
	t.Cleanup(server.Close)
	return server.URL
}
