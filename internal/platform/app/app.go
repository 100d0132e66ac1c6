// SPDX-License-Identifier: Apache-2.0

// Package app is platform-mcp's command line. All settings come from the environment; see package env.
package app

import (
	"context"
	"crypto/rand"
	"errors"
	"io"
	"log"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/fiftyarms/platform/internal/cli"
	"github.com/fiftyarms/platform/internal/platform"
	"github.com/fiftyarms/platform/internal/platform/env"
)

const long = `platform-mcp is a stdio MCP server in front of a 50 Arms dashboard. An MCP client
starts it; stdout carries the protocol and nothing else, diagnostics go to stderr.

Environment:
  DANXBOT_DASHBOARD_URL      where the dashboard is (required)
  DANX_DASHBOARD_CREDENTIAL  the key of a dispatch; without it the session asks a person for access
  DANXBOT_TEAM               the team whose approvers see the request
  DANXBOT_BOARD_ID           the board's number, for calls that need a board and name none
  CLAUDE_CODE_SESSION_ID     names the session's key file; without it the key is kept in memory
  XDG_CONFIG_HOME            where key files lie, below danxbot/ (default ~/.config)`

const examples = `  # Claude Code
  claude mcp add platform --env DANXBOT_DASHBOARD_URL=http://127.0.0.1:5555 -- platform-mcp

  # any MCP client's configuration
  {"mcpServers": {"platform": {"command": "platform-mcp", "env": {"DANXBOT_DASHBOARD_URL": "http://127.0.0.1:5555"}}}}`

// Command is platform-mcp.
func Command() *cobra.Command {
	return &cobra.Command{
		Use:     "platform-mcp",
		Short:   "Serve a 50 Arms dashboard to an MCP client over stdio",
		Long:    long,
		Example: examples,
		Version: cli.Version,
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return serve(cmd.Context(), cmd.InOrStdin(), cmd.OutOrStdout(), cmd.ErrOrStderr())
		},
	}
}

func serve(ctx context.Context, in io.Reader, out, errOut io.Writer) error {
	config, err := env.Parse(os.LookupEnv, os.UserHomeDir)
	if err != nil {
		return err
	}
	// net/http logs what it cannot make sense of, which is the dashboard's own text and may hold a key.
	log.SetOutput(io.Discard)
	lines := startLines(errOut)
	defer lines.close()
	srv, err := platform.New(platform.Options{
		Config: config, Version: cli.Version, Host: host(), Project: project(),
		Diagnostics: lines, Random: rand.Reader, Now: time.Now, After: time.After,
	})
	if err != nil {
		return err
	}
	if err := srv.Serve(ctx, in, out); err != nil && !(errors.Is(err, context.Canceled) && ctx.Err() != nil) {
		return err
	}
	return nil // also when told to stop by a signal: that is how clients end a server
}

// host and project tell the person who is asked for access where the request comes from. Not knowing is no reason not
// to ask.
func host() string {
	name, err := os.Hostname()
	if err != nil {
		return ""
	}
	return name
}

func project() string {
	dir, err := os.Getwd()
	if err != nil {
		return ""
	}
	return filepath.Base(startedIn(dir, os.Getenv("PWD")))
}

// startedIn is the folder that the client started this process in: where it runs, but for `go -C <clone> run`, which
// moves it to the clone of this repository and leaves PWD behind.
func startedIn(dir, pwd string) string {
	mod, err := os.ReadFile(filepath.Join(dir, "go.mod"))
	if err == nil && strings.HasPrefix(string(mod), "module github.com/fiftyarms/platform\n") && filepath.IsAbs(pwd) {
		return pwd
	}
	return dir
}
