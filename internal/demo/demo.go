// SPDX-License-Identifier: Apache-2.0

// Package demo is the product's main job as one program: it starts a dashboard, drives a real platform-mcp process
// through it as an MCP client would, and says at each step what it saw. It is the one place that links both sides.
package demo

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"github.com/fiftyarms/platform/gen/dash"
	"github.com/fiftyarms/platform/internal/cli"
	mcpapp "github.com/fiftyarms/platform/internal/platform/app"
)

// agentCommand is the hidden command under which the dashboard's binary is platform-mcp, so that the demo needs no
// second binary and still talks to a process of its own.
const agentCommand = "platform-mcp"

// Commands are `demo`, and platform-mcp under a hidden name for the process that the demo starts.
func Commands() []*cobra.Command {
	agent := mcpapp.Command()
	agent.Use, agent.Hidden = agentCommand, true
	return []*cobra.Command{command(), agent}
}

func command() *cobra.Command {
	var once, asJSON bool
	cmd := &cobra.Command{
		Use:   "demo",
		Short: "Run the main job end to end against a fresh dashboard",
		Long: `Starts a dashboard on a free loopback port with a fresh data directory, drives a real platform-mcp process over
its stdio as an MCP client would, and prints what each step saw. Then it keeps the dashboard open, with its address, a
sign-in and the line that connects Claude Code to it, until it is interrupted. The data directory is deleted at the end.`,
		Example: `  dashboard demo            # the steps, then an open dashboard
  dashboard demo --once     # the steps alone; exit 0 only if all held
  dashboard demo --json     # the same as one JSON object`,
		Args: cli.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return run(cmd.Context(), cmd.OutOrStdout(), cmd.ErrOrStderr(), once || asJSON, asJSON)
		},
	}
	cmd.Flags().BoolVar(&once, "once", false, "end after the steps")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object and end")
	return cmd
}

// stepTimeout bounds each step: a demo that hangs says where.
const stepTimeout = 60 * time.Second

// A step does one thing and says in a line or a few what it saw.
type step struct {
	name string
	run  func(ctx context.Context) (saw string, err error)
}

func run(ctx context.Context, out, errOut io.Writer, once, asJSON bool) (err error) {
	w, err := newWorld(ctx, errOut)
	if err != nil {
		return err
	}
	defer func() {
		if bad := w.close(); err == nil {
			err = bad
		}
	}()
	checked := &checkedWriter{to: out}
	out = checked
	person := out
	if asJSON {
		person = io.Discard
	}
	fmt.Fprintln(person, "From an agent's first call to a card that is done, and a permission asked for on the way:")
	report := dash.DemoReport{Ok: true}
	for i, s := range w.steps() {
		start := time.Now()
		saw, err := runStep(ctx, s)
		if ctx.Err() != nil {
			break // interrupted: the step did not fail
		}
		took := dash.DemoStep{Name: s.name, Ok: err == nil, Ms: time.Since(start).Milliseconds()}
		if err != nil {
			detail := err.Error()
			took.Detail, report.Ok, saw = &detail, false, detail
		}
		report.Steps = append(report.Steps, took)
		printStep(person, i+1, took, saw)
		if err != nil {
			break // what follows builds on it
		}
		if checked.err != nil {
			return fmt.Errorf("print: %w", checked.err) // nobody reads any more
		}
	}
	if asJSON {
		if err := json.NewEncoder(out).Encode(report); err != nil {
			return fmt.Errorf("print: %w", err)
		}
	}
	if ctx.Err() != nil {
		return errors.New("interrupted; what it had made is deleted")
	}
	if !report.Ok {
		return &cli.ExitError{Code: cli.ExitFailure}
	}
	fmt.Fprintf(person, "\nAll %d steps held.\n", len(report.Steps))
	if !once {
		w.invite(out)
	}
	if checked.err != nil {
		return fmt.Errorf("print: %w", checked.err)
	}
	if once {
		return nil
	}
	return w.wait(ctx)
}

func runStep(ctx context.Context, s step) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, stepTimeout)
	defer cancel()
	return s.run(ctx)
}
