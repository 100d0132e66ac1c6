// SPDX-License-Identifier: Apache-2.0

// Package app is flatbread's command line.
package app

import (
	"github.com/spf13/cobra"

	"github.com/fiftyarms/platform/internal/cli"
	"github.com/fiftyarms/platform/internal/flatbread/sessions"
)

const long = `flatbread reads what a coding agent did from the log that the agent keeps on this
machine: Claude Code, OpenAI Codex CLI, Gemini CLI, pi, opencode or Copilot CLI.
It makes one trace of it, whichever agent it was. Nothing leaves this machine.

Environment:
  CLAUDE_CONFIG_DIR   where Claude Code keeps its files (default ~/.claude)
  FLATBREAD_HOME      where flatbread keeps its own (default ~/.flatbread)
  FLATBREAD_TMP_DIR   where the newest results are written (default tmp in FLATBREAD_HOME)`

// Command is flatbread.
func Command() *cobra.Command {
	root := &cobra.Command{
		Use:     "flatbread",
		Short:   "Read and redact, and soon review and share, what a coding agent did",
		Long:    long,
		Version: cli.Version,
		Example: `  # the newest session of Claude Code on this machine, as a trace
  flatbread parse --latest

  # any agent's session; the trace goes to stdout
  flatbread parse --file session.jsonl --json | jq '.steps[].content'

  # any text without its credentials
  flatbread redact session.jsonl > safe.jsonl

  # what all sessions of this machine cost
  flatbread stats --all`,
	}
	root.AddCommand(parseCommand(), redactCommand(), statsCommand())
	return root
}

// choiceFlags are those by which a command is told what to read.
func choiceFlags(cmd *cobra.Command, c *sessions.Choice) {
	flags := cmd.Flags()
	flags.StringVar(&c.File, "file", "", "read the session in `FILE`")
	flags.BoolVar(&c.Latest, "latest", false, "read the session that was written to last")
	flags.StringVar(&c.Format, "format", "", "take the session for one of `AGENT`; else a file tells, and --latest is claude-code")
	cobra.CheckErr(cmd.RegisterFlagCompletionFunc("format", cobra.FixedCompletions(sessions.Formats(), cobra.ShellCompDirectiveNoFileComp))) // a fault of these lines
}
