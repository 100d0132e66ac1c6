// SPDX-License-Identifier: Apache-2.0

package demo

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/fiftyarms/platform/gen/dash"
	"github.com/fiftyarms/platform/internal/cli"
	"github.com/fiftyarms/platform/internal/openapi"
	mcpapp "github.com/fiftyarms/platform/internal/platform/app"
	"github.com/fiftyarms/platform/internal/testkit"
)

// TestMain lets the test's own binary be platform-mcp, as the dashboard's is.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == agentCommand {
		os.Exit(cli.Run(context.Background(), mcpapp.Command(), os.Args[2:], os.Stdin, os.Stdout, os.Stderr))
	}
	os.Exit(m.Run())
}

func TestEveryStepHolds(t *testing.T) {
	testkit.NoLeaks(t)
	tmp := t.TempDir()
	t.Setenv("TMPDIR", tmp)
	t.Setenv("DANX_DASHBOARD_CREDENTIAL", "not for this dashboard") // what a dispatch's shell may hold
	var out, errOut bytes.Buffer
	if err := run(t.Context(), &out, &errOut, true, true); err != nil {
		t.Fatalf("%v\n%s\n%s", err, out.String(), errOut.String())
	}
	doc, err := openapi.Load(dash.Document)
	if err != nil {
		t.Fatal(err)
	}
	schema, err := doc.Schema("/components/schemas/DemoReport")
	if err != nil {
		t.Fatal(err)
	}
	if issues := schema.Check(bytes.TrimSpace(out.Bytes()), "body"); len(issues) > 0 {
		t.Errorf("the report is not as its schema wants it: %v", issues)
	}
	var report dash.DemoReport
	if err := json.Unmarshal(out.Bytes(), &report); err != nil {
		t.Fatal(err)
	}
	if !report.Ok || len(report.Steps) < 24 {
		t.Errorf("report %+v", report)
	}
	if left, _ := os.ReadDir(tmp); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
	if errOut.Len() > 0 {
		t.Errorf("stderr: %s", errOut.String())
	}
}

func TestStepsAreReadable(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	var out, errOut bytes.Buffer
	if err := run(t.Context(), &out, &errOut, true, false); err != nil {
		t.Fatalf("%v\n%s", err, out.String())
	}
	for _, want := range []string{"Not signed in", "code ", "person_required", "nearest: GET /api/auth/permissions", "409 gate_failed, acceptance: ", "issue.transitioned", "reminder: ", "list_changed came once", "All 24 steps held."} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("the output lacks %q:\n%s", want, out.String())
		}
	}
}

func TestInterruptedLeavesNothing(t *testing.T) {
	testkit.NoLeaks(t)
	tmp := t.TempDir()
	t.Setenv("TMPDIR", tmp)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	var out, errOut bytes.Buffer
	err := run(ctx, &out, &errOut, true, false)
	if err == nil {
		t.Error("an interrupted demo held")
	}
	if exit := (*cli.ExitError)(nil); errors.As(err, &exit) && exit.Code != cli.ExitFailure {
		t.Errorf("exit code %d", exit.Code)
	}
	if left, _ := os.ReadDir(tmp); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}
