// SPDX-License-Identifier: Apache-2.0

package app_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
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

func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir: "testdata/script", RequireExplicitExec: true, RequireUniqueNames: true,
		UpdateScripts: flag.Lookup("update").Value.String() == "true", // testkit's, as for all goldens
	})
}

// process is a command that sees these variables and no others.
func process(t *testing.T, vars ...string) (*exec.Cmd, *bytes.Buffer) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "platform-mcp")
	cmd.Env = append([]string{"HOME=" + t.TempDir()}, vars...)
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
