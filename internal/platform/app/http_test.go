// SPDX-License-Identifier: Apache-2.0

package app_test

import (
	"bufio"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/fiftyarms/platform/gen/dash"
	"github.com/fiftyarms/platform/internal/sse"
	"github.com/fiftyarms/platform/internal/testkit"
)

// listening is a process that serves over HTTP.
type listening struct {
	t     *testing.T
	cmd   *exec.Cmd
	url   string
	token string
	said  string    // on stderr, when it began to listen
	rest  io.Reader // of stderr
}

// listen starts one, and reads where it listens and where its token is.
func listen(t *testing.T, vars ...string) *listening {
	t.Helper()
	cmd, _ := process(t, vars...)
	cmd.Args = append(cmd.Args, "--http", "localhost:0")
	cmd.Stderr = nil
	stderr, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewReader(stderr)
	said, err := lines.ReadString('\n')
	where := regexp.MustCompile(`url=(\S+) token="in ([^"]+)"`).FindStringSubmatch(said)
	if err != nil || where == nil {
		t.Fatalf("%q, %v", said, err)
	}
	return &listening{t: t, cmd: cmd, url: where[1], token: where[2], said: said, rest: lines}
}

// end tells the process to stop, and is what it has said since.
func (l *listening) end() string {
	l.t.Helper()
	if err := l.cmd.Process.Signal(os.Interrupt); err != nil {
		l.t.Error(err)
	}
	said, err := io.ReadAll(l.rest)
	if err := errors.Join(err, l.cmd.Wait()); err != nil {
		l.t.Error(err)
	}
	return string(said)
}

// post sends a message with a token, and is the answer's result.
func (l *listening) post(token, session, body string) (result json.RawMessage, newSession string) {
	l.t.Helper()
	r, err := http.NewRequestWithContext(l.t.Context(), "POST", l.url, strings.NewReader(body))
	if err != nil {
		l.t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+token)
	r.Header.Set("Content-Type", "application/json")
	if session != "" {
		r.Header.Set("Mcp-Session-Id", session)
	}
	r.Close = true
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		l.t.Fatal(err)
	}
	defer resp.Body.Close()
	var answer struct{ Result json.RawMessage }
	if err := json.NewDecoder(resp.Body).Decode(&answer); err != nil || resp.StatusCode != 200 {
		l.t.Fatalf("%s: %d, %v", body, resp.StatusCode, err)
	}
	return answer.Result, resp.Header.Get("Mcp-Session-Id")
}

// stream reads what belongs to no call of a session. All of it comes when the stream ends.
func (l *listening) stream(token, session string) (first <-chan string, all <-chan []string) {
	l.t.Helper()
	r, err := http.NewRequestWithContext(l.t.Context(), "GET", l.url, nil)
	if err != nil {
		l.t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+token)
	r.Header.Set("Accept", "text/event-stream")
	r.Header.Set("Mcp-Session-Id", session)
	resp, err := http.DefaultClient.Do(r)
	if err != nil || resp.StatusCode != 200 {
		l.t.Fatal(resp, err)
	}
	began, ended := make(chan string, 1), make(chan []string, 1)
	go func() {
		defer resp.Body.Close()
		var lines []string
		for frames := sse.NewReader(resp.Body); ; {
			frame, err := frames.Next()
			if err != nil {
				ended <- lines
				return
			}
			if lines = append(lines, string(frame.Data)); len(lines) == 1 {
				began <- lines[0]
			}
		}
	}()
	return began, ended
}

func (l *listening) open(token string) string {
	l.t.Helper()
	_, id := l.post(token, "", `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","clientInfo":{"name":"claude-code","version":"1"},"capabilities":{}}}`)
	return id
}

// call is the text that a tool answers.
func (l *listening) call(token, session, tool, args string) string {
	l.t.Helper()
	raw, _ := l.post(token, session, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"`+tool+`","arguments":`+args+`}}`)
	var result struct{ Content []struct{ Text string } }
	if err := json.Unmarshal(raw, &result); err != nil || len(result.Content) != 1 {
		l.t.Fatalf("%s: %v", raw, err)
	}
	return result.Content[0].Text
}

const me = `{"method":"GET","path":"/api/auth/me"}`

// TestHTTP: clients share a server and no session: each signs in for itself, and its key touches no file. The token lies
// in a private file for as long as the server runs.
func TestHTTP(t *testing.T) {
	testkit.NoLeaks(t)
	d := testkit.Dashboard(t)
	ada := d.SetUp()
	config := t.TempDir()
	l := listen(t, "DANXBOT_DASHBOARD_URL="+d.URL, "CLAUDE_CODE_SESSION_ID=s1", "XDG_CONFIG_HOME="+config)
	file := l.token
	info, err := os.Lstat(file)
	if err != nil || info.Mode() != 0o600 || filepath.Dir(file) != filepath.Join(config, "danxbot", "http") {
		t.Fatalf("%s: %v, %v", file, info, err)
	}
	held, err := os.ReadFile(file)
	token := strings.TrimSpace(string(held))
	if err != nil || len(token) < 32 || strings.Contains(l.said, token) {
		t.Fatalf("%v: %s", err, l.said)
	}

	one, two := l.open(token), l.open(token)
	told, oneHeard := l.stream(token, one)
	_, twoHeard := l.stream(token, two)
	var asked struct{ State, ApprovalURL string }
	if err := json.Unmarshal([]byte(l.call(token, one, "plan_connect", `{}`)), &asked); err != nil || asked.State != "approval_required" {
		t.Fatalf("%+v, %v", asked, err)
	}
	path := "/api/access-requests/" + asked.ApprovalURL[strings.LastIndexByte(asked.ApprovalURL, '/')+1:]
	r := testkit.Decode[dash.AccessRequest](t, ada.Call("GET", path, nil), 200)
	testkit.Decode[dash.AccessRequest](t, ada.Call("POST", path+"/approve", dash.AccessRequestApproval{Digest: r.Digest}), 200)
	if text := l.call(token, one, "plan_connect", `{}`); !strings.Contains(text, `"connected"`) {
		t.Error(text)
	}
	if text := l.call(token, one, "50arms_api", me); !strings.Contains(text, `"status":200`) {
		t.Error(text)
	}
	if text := l.call(token, two, "50arms_api", me); !strings.Contains(text, "Not signed in") {
		t.Error(text)
	}
	select {
	case line := <-told:
		if !strings.Contains(line, "notifications/tools/list_changed") {
			t.Error(line)
		}
	case <-time.After(time.Minute):
		t.Error("signing in shows more tools, and nobody was told")
	}
	if said := l.end(); said != "" {
		t.Errorf("stderr: %s", said)
	}
	if one, two := <-oneHeard, <-twoHeard; len(one) != 1 || len(two) != 0 {
		t.Errorf("told %q and %q", one, two)
	}
	http.DefaultClient.CloseIdleConnections()
	if left := allFiles(t, config); len(left) != 0 {
		t.Errorf("left: %v", left)
	}
}

// TestHTTPDispatch: a dispatch's sessions all have its credential; a token that was set lies in no file and is not shown.
func TestHTTPDispatch(t *testing.T) {
	testkit.NoLeaks(t)
	d := testkit.Dashboard(t)
	agent := d.Agent(d.SetUp())
	config, token := t.TempDir(), strings.Repeat("t", 40)
	l := listen(t, "DANXBOT_DASHBOARD_URL="+d.URL, "DANX_DASHBOARD_CREDENTIAL="+agent.Key, "XDG_CONFIG_HOME="+config, "DANXBOT_HTTP_TOKEN="+token)
	if l.token != "DANXBOT_HTTP_TOKEN" {
		t.Error(l.said)
	}
	for range 2 {
		if text := l.call(token, l.open(token), "50arms_api", me); !strings.Contains(text, `"status":200`) {
			t.Error(text)
		}
	}
	if said := l.end() + l.said; strings.Contains(said, token) || strings.Contains(said, agent.Key) {
		t.Errorf("stderr shows a secret: %s", said)
	}
	if left := allFiles(t, config); len(left) != 0 {
		t.Errorf("left: %v", left)
	}
}

func allFiles(t *testing.T, dir string) (files []string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, e os.DirEntry, err error) error {
		if err == nil && !e.IsDir() {
			files = append(files, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// TestUsageCodes: what makes no sense on the command line ends with 2, a doctor that found something with 1.
func TestUsageCodes(t *testing.T) {
	for args, code := range map[string]int{"--http 8222": 2, "--http 0.0.0.0:0": 2, "--allow-remote": 2, "doctor --nope": 2, "doctor": 1, "doctor --json": 1, "doctor --help": 0} {
		cmd, _ := process(t, "DANXBOT_DASHBOARD_URL=http://127.0.0.1:1")
		cmd.Args = append(cmd.Args, strings.Fields(args)...)
		if err := cmd.Run(); cmd.ProcessState.ExitCode() != code {
			t.Errorf("%s: %v, want %d", args, err, code)
		}
	}
}

// TestDoctor: of a session that a person has let in, over the real dashboard.
func TestDoctor(t *testing.T) {
	testkit.NoLeaks(t)
	d := testkit.Dashboard(t)
	agent := d.Agent(d.SetUp())
	cmd, stderr := process(t, "DANXBOT_DASHBOARD_URL="+d.URL, "DANX_DASHBOARD_CREDENTIAL="+agent.Key, "DANXBOT_BOARD_ID=1", "DANXBOT_EXTRA_TOOLS=attach_file")
	cmd.Args = append(cmd.Args, "doctor", "--json")
	out, err := cmd.Output()
	var report dash.DoctorReport
	if bad := json.Unmarshal(out, &report); bad != nil || strings.Contains(string(out), agent.Key) || stderr.Len() > 0 {
		t.Fatalf("%v: %s, stderr %s", bad, out, stderr)
	}
	var broken []string
	for _, c := range report.Checks {
		if c.Level != dash.DoctorCheckLevelOk {
			broken = append(broken, c.Name)
		}
	}
	if err == nil || strings.Join(broken, " ") != "board" { // there is none yet
		t.Errorf("%v: %s", err, out)
	}
	if k := report.Key; k == nil || k.State != dash.DoctorKeyStateLive || k.Prefix == nil || !strings.HasPrefix(agent.Key, *k.Prefix) || report.Team == nil || len(report.Permissions) == 0 {
		t.Errorf("%s", out)
	}
}
