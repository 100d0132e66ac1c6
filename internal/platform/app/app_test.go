// SPDX-License-Identifier: Apache-2.0

package app_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/fiftyarms/platform/gen/dash"
	"github.com/fiftyarms/platform/internal/cli"
	"github.com/fiftyarms/platform/internal/mcpclient"
	"github.com/fiftyarms/platform/internal/platform/app"
	"github.com/fiftyarms/platform/internal/testkit"
)

// TestMain lets the test binary be platform-mcp, so that tests meet the real process.
func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"platform-mcp": func() { os.Exit(cli.Main(app.Command())) }})
}

// coverDir is where a process writes what it covered: without one, a binary of "go test -cover" complains on stderr,
// which these tests want empty.
const coverDir = "GOCOVERDIR"

func TestScripts(t *testing.T) {
	cover := t.TempDir()
	testscript.Run(t, testscript.Params{
		Setup: func(env *testscript.Env) error {
			env.Setenv(coverDir, cover)
			return nil
		},
		Dir: "testdata/script", RequireExplicitExec: true, RequireUniqueNames: true,
		UpdateScripts: flag.Lookup("update").Value.String() == "true", // testkit's, as for all goldens
	})
}

// process is a command that sees these variables and no others of platform-mcp's.
func process(t *testing.T, vars ...string) (*exec.Cmd, *bytes.Buffer) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "platform-mcp")
	cmd.Env = append([]string{"HOME=" + t.TempDir(), coverDir + "=" + t.TempDir()}, vars...)
	cmd.Dir = t.TempDir()
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	return cmd, &stderr
}

// TestBootRefusals: a setting that makes no sense ends the start with code 1 and one line that names the variable; the
// protocol's stream stays empty.
func TestBootRefusals(t *testing.T) {
	hidden := strings.Repeat("s", 4) + "ecret"
	url := "DANXBOT_DASHBOARD_URL=http://127.0.0.1:5555"
	for _, vars := range [][]string{
		{},
		{"DANXBOT_DASHBOARD_URL=127.0.0.1:5555"},
		{"DANXBOT_DASHBOARD_URL=${DASHBOARD}"},
		{"DANXBOT_DASHBOARD_URL=http://ada:" + hidden + "@h"},
		{url, "DANX_DASHBOARD_CREDENTIAL=${KEY}"},
		{url, "DANX_DASHBOARD_CREDENTIAL=" + hidden + "\nX-Other: 1"},
		{url, "DANXBOT_TEAM=Acme Inc"},
		{url, "DANXBOT_BOARD_ID=007"},
		{url, "DANXBOT_SLACK_REPLY_URL=slack"},
		{url, "DANXBOT_EXTRA_TOOLS=a,,b"},
		{url, "CLAUDE_CODE_SESSION_ID=${CLAUDE_CODE_SESSION_ID}"},
		{url, "XDG_CONFIG_HOME=${XDG_CONFIG_HOME}"},
	} {
		cmd, stderr := process(t, vars...)
		var stdout bytes.Buffer
		cmd.Stdout = &stdout
		name := "DANXBOT_DASHBOARD_URL"
		if len(vars) > 0 {
			name, _, _ = strings.Cut(vars[len(vars)-1], "=")
		}
		err := cmd.Run()
		if cmd.ProcessState.ExitCode() != 1 || stdout.Len() > 0 {
			t.Errorf("%q: %v, stdout %q", vars, err, stdout.String())
		}
		if said := stderr.String(); strings.Count(said, "\n") != 1 || !strings.HasPrefix(said, "platform-mcp: "+name+" ") || strings.Contains(said, hidden) {
			t.Errorf("%q: %q", vars, said)
		}
	}
}

// connect is a client of a running process.
func connect(t *testing.T, cmd *exec.Cmd) *mcpclient.Client {
	t.Helper()
	c, err := mcpclient.Start(cmd)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.Initialize(t.Context(), "claude-code"); err != nil {
		t.Fatal(err)
	}
	return c
}

// connectTool is plan_connect's answer, which must be in a state.
func connectTool(t *testing.T, c *mcpclient.Client, state string) (got struct{ State, ApprovalURL string }) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	result, err := c.CallTool(ctx, "plan_connect", json.RawMessage(`{"title":"Mend it"}`))
	if err != nil || result.IsError || json.Unmarshal([]byte(result.Text), &got) != nil || got.State != state {
		t.Fatalf("plan_connect: %+v, %v; want %s", result, err, state)
	}
	return got
}

// TestProcess is the main job over real pipes: signed out, approved by a person, signed in, and again after a restart.
func TestProcess(t *testing.T) {
	testkit.NoLeaks(t)
	d := testkit.Dashboard(t)
	ada := d.SetUp()
	config := t.TempDir()
	vars := []string{"DANXBOT_DASHBOARD_URL=" + d.URL + "/", "CLAUDE_CODE_SESSION_ID=s1", "XDG_CONFIG_HOME=" + config}
	cmd, stderr := process(t, vars...)
	c := connect(t, cmd)
	if result, err := c.CallTool(t.Context(), "50arms_api_list", struct{}{}); err != nil || !result.IsError || !strings.Contains(result.Text, "Not signed in to "+d.URL+".") {
		t.Fatalf("%+v, %v", result, err)
	}
	link := connectTool(t, c, "approval_required").ApprovalURL
	id := link[strings.LastIndexByte(link, '/')+1:]
	r := testkit.Decode[dash.AccessRequest](t, ada.Call("GET", "/api/access-requests/"+id, nil), 200)
	testkit.Decode[dash.AccessRequest](t, ada.Call("POST", "/api/access-requests/"+id+"/approve", dash.AccessRequestApproval{Digest: r.Digest}), 200)
	connectTool(t, c, "connected")
	if err := c.Close(); err != nil || stderr.Len() > 0 {
		t.Errorf("%v, stderr: %s", err, stderr)
	}

	cmd, stderr = process(t, vars...)
	c = connect(t, cmd)
	result, err := c.CallTool(t.Context(), "50arms_api", json.RawMessage(`{"method":"GET","path":"/api/auth/me"}`))
	if err != nil || result.IsError || !strings.Contains(result.Text, `"kind":"key"`) {
		t.Errorf("%+v, %v", result, err)
	}
	if err := c.Close(); err != nil || stderr.Len() > 0 {
		t.Errorf("%v, stderr: %s", err, stderr)
	}
}

// TestSignals: being told to stop ends the process, and is a good end.
func TestSignals(t *testing.T) {
	for _, signal := range []os.Signal{syscall.SIGTERM, os.Interrupt} {
		cmd, stderr := process(t, "DANXBOT_DASHBOARD_URL=http://127.0.0.1:1")
		c := connect(t, cmd)
		if err := cmd.Process.Signal(signal); err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		var err error
		for err == nil { // until nobody answers: stdin stays open meanwhile
			_, err = c.Request(ctx, "ping", nil)
		}
		cancel()
		if errors.Is(err, context.DeadlineExceeded) {
			t.Fatalf("%v does not end it", signal)
		}
		if err := c.Close(); cmd.ProcessState.ExitCode() != 0 || stderr.Len() > 0 {
			t.Errorf("%v: %v, stderr: %s", signal, err, stderr)
		}
	}
}

// TestNothingSpills: what the dashboard sends unasked, and a proxy's password, reach neither an answer nor stderr, though
// net/http would print both.
func TestNothingSpills(t *testing.T) {
	hidden := strings.Repeat("s", 8) + "ecret"
	const body = `{"permissions":[]}`
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		conn, _, err := http.NewResponseController(w).Hijack()
		if err != nil {
			panic(err)
		}
		defer conn.Close()
		_, _ = fmt.Fprintf(conn, "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%sHTTP/1.1 200 OK\r\nX: %s\r\n\r\n", len(body), body, hidden)
	}))
	t.Cleanup(server.Close)
	credential := "DANX_DASHBOARD_CREDENTIAL=" + strings.Repeat("k", 20)
	cmd, stderr := process(t, "DANXBOT_DASHBOARD_URL="+server.URL, credential)
	c := connect(t, cmd)
	for range 3 {
		result, err := c.CallTool(t.Context(), "50arms_api", json.RawMessage(`{"method":"GET","path":"/api/auth/me"}`))
		if err != nil || result.IsError || strings.Contains(result.Text, hidden) {
			t.Errorf("%+v, %v", result, err)
		}
	}
	if err := c.Close(); err != nil || strings.Contains(stderr.String(), hidden) {
		t.Errorf("%v, stderr: %s", err, stderr)
	}

	// A dispatch that reaches no dashboard does not start, and says why.
	for _, proxy := range []string{"http://ada:" + hidden + "%zz@127.0.0.1:1", "http://ada:" + hidden + "@127.0.0.1:x"} {
		cmd, stderr := process(t, "DANXBOT_DASHBOARD_URL=http://dash.invalid", "HTTP_PROXY="+proxy, credential)
		err := cmd.Run()
		if said := stderr.String(); cmd.ProcessState.ExitCode() != 1 || !strings.Contains(said, "permissions could not be read") || strings.Contains(said, hidden) {
			t.Errorf("%v, stderr: %s", err, said)
		}
	}
}

// TestStderrUnread: a client that never reads stderr holds up neither a call nor the end.
func TestStderrUnread(t *testing.T) {
	cmd, _ := process(t, "DANXBOT_DASHBOARD_URL=http://127.0.0.1:1")
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	defer w.Close()
	var stdout bytes.Buffer
	// Each of them is worth a line; together they are more than a pipe holds.
	cmd.Stdin = strings.NewReader(strings.Repeat(`{"jsonrpc":"2.0","method":"notifications/cancelled"}`+"\n", 2000) + `{"jsonrpc":"2.0","id":1,"method":"ping"}` + "\n")
	cmd.Stdout, cmd.Stderr = &stdout, w
	kill := time.AfterFunc(time.Minute, func() { _ = cmd.Process.Kill() })
	defer kill.Stop()
	if err := cmd.Run(); err != nil || !strings.Contains(stdout.String(), `"id":1,"result":{}`) {
		t.Errorf("%v: %s", err, stdout.String())
	}
}
