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

const long = `platform-mcp is an MCP server in front of a 50 Arms dashboard. An MCP client starts
it and speaks to it over stdio: stdout carries the protocol and nothing else,
diagnostics go to stderr. With --http it serves many clients over HTTP instead.

Environment:
  DANXBOT_DASHBOARD_URL      where the dashboard is (required)
  DANX_DASHBOARD_CREDENTIAL  the key of a dispatch; without it the session asks a person for access
  DANXBOT_TEAM               the team whose approvers see the request
  DANXBOT_BOARD_ID           the board's number, for calls that need a board and name none
  DANXBOT_SLACK_REPLY_URL    where a dispatch's replies to a Slack thread go
  DANXBOT_EXTRA_TOOLS        what a dispatch has opted in to, joined by commas
  CLAUDE_CODE_SESSION_ID     names the session's key file; without it the key is kept in memory
  XDG_CONFIG_HOME            where key files lie, below danxbot/ (default ~/.config)
  DANXBOT_HTTP_TOKEN         what clients have to send with --http, at least 32 characters; without
                             it one is made and kept below danxbot/http/ while the server runs`

const examples = `  # Claude Code
  claude mcp add platform --env DANXBOT_DASHBOARD_URL=http://127.0.0.1:5555 --env DANXBOT_TEAM=acme -- platform-mcp

  # any MCP client's configuration
  {"mcpServers": {"platform": {"command": "platform-mcp", "env":
    {"DANXBOT_DASHBOARD_URL": "http://127.0.0.1:5555", "DANXBOT_TEAM": "acme"}}}}

  # what would be used, and whether it works
  platform-mcp doctor

  # over HTTP, for clients on this machine; each has a session of its own
  platform-mcp --http :8222
  claude mcp add platform --transport http http://127.0.0.1:8222/mcp \
    --header "Authorization: Bearer $(cat ~/.config/danxbot/http/8222.token)"`

// Command is platform-mcp.
func Command() *cobra.Command {
	var f httpFlags
	root := &cobra.Command{
		Use:     "platform-mcp",
		Short:   "Serve a 50 Arms dashboard to MCP clients",
		Long:    long,
		Example: examples,
		Version: cli.Version,
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := f.check(cmd.Flags().Changed); err != nil {
				return err
			}
			config, err := settings()
			if err != nil {
				return err
			}
			if cmd.Flags().Changed("http") {
				return serveHTTP(cmd.Context(), config, f, cmd.ErrOrStderr())
			}
			return serve(cmd.Context(), config, cmd.InOrStdin(), cmd.OutOrStdout(), cmd.ErrOrStderr())
		},
	}
	flags := root.Flags()
	flags.StringVar(&f.addr, "http", "", "serve over HTTP at `ADDR`, host:port or :port, instead of stdio")
	flags.BoolVar(&f.remote, "allow-remote", false, "let --http listen where other machines reach it")
	flags.StringArrayVar(&f.origins, "allow-origin", nil, "let pages of this `ORIGIN` call, like https://app.example (repeatable)")
	for _, flag := range []string{"http", "allow-origin"} {
		cobra.CheckErr(root.RegisterFlagCompletionFunc(flag, cobra.NoFileCompletions)) // a fault of these lines
	}
	root.AddCommand(doctorCommand())
	return root
}

// settings reads the environment.
func settings() (env.Config, error) {
	// net/http logs what it cannot make sense of, which is the dashboard's own text and may hold a key.
	log.SetOutput(io.Discard)
	return env.Parse(os.LookupEnv, os.UserHomeDir)
}

// options are those of a session's server.
func options(config env.Config, diagnostics io.Writer) platform.Options {
	return platform.Options{
		Config: config, Version: cli.Version, Host: host(), Project: project(),
		Diagnostics: diagnostics, Random: rand.Reader, Now: time.Now, After: time.After,
	}
}

func serve(ctx context.Context, config env.Config, in io.Reader, out, errOut io.Writer) error {
	lines := startLines(errOut)
	defer lines.close()
	srv, err := platform.New(options(config, lines))
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
