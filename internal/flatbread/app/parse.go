// SPDX-License-Identifier: Apache-2.0

package app

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/fiftyarms/platform/internal/cli"
	"github.com/fiftyarms/platform/internal/flatbread/home"
	"github.com/fiftyarms/platform/internal/flatbread/parse"
	"github.com/fiftyarms/platform/internal/flatbread/sessions"
	"github.com/fiftyarms/platform/internal/safefile"
)

func parseCommand() *cobra.Command {
	var choice sessions.Choice
	var asJSON bool
	var to string
	cmd := &cobra.Command{
		Use:   "parse (--file FILE | --latest)",
		Short: "Make a trace of a session",
		Long: `Make a trace of a session: what was asked, said, called and changed, in order. It is
written to last-parse.json for the other commands, or where --out says.

A trace holds what the log holds: it is NOT redacted, and readable by its owner alone.
A damaged log gives back every record that is whole; stderr says what was not, and where.`,
		Example: `  flatbread parse --latest
  flatbread parse --latest --format codex
  flatbread parse --file session.jsonl --out trace.json
  flatbread parse --file session.jsonl --json | jq .usage`,
		Args: cli.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if asJSON && to != "" {
				return cli.Usage("--json and --out exclude each other")
			}
			if !asJSON && to == "" {
				dir, err := home.Tmp(os.Getenv, os.UserHomeDir)
				if err != nil {
					return err
				}
				to = filepath.Join(dir, home.LastParse)
			}
			path, err := choice.Path(cmd.Context(), sessions.Env, cmd.ErrOrStderr())
			if none := (*sessions.ErrNone)(nil); errors.As(err, &none) {
				return say(cmd, asJSON, none.Error())
			} else if err != nil {
				return err
			}
			if !asJSON && safefile.Same(to, path) {
				return fmt.Errorf("%s is the session itself: name another file to write to", to)
			}
			s, err := choice.Read(cmd.Context(), path, cmd.ErrOrStderr())
			if err != nil {
				return err
			}
			out := cli.Until(cmd.Context(), cmd.OutOrStdout())
			if asJSON {
				err = parse.Write(cmd.Context(), out, s, cmd.ErrOrStderr())
			} else {
				err = parse.Save(cmd.Context(), to, s, cmd.ErrOrStderr())
			}
			if err = errors.Join(err, s.Close()); err != nil {
				return err
			}
			parse.Damage(cmd.ErrOrStderr(), s)
			if asJSON {
				return nil
			}
			return parse.Summary(out, s, to)
		},
	}
	choiceFlags(cmd, &choice)
	cmd.Flags().BoolVar(&asJSON, "json", false, "print the trace on stdout, and nothing else")
	cmd.Flags().StringVar(&to, "out", "", "write the trace to `FILE`")
	return cmd
}

// say tells people something that is no failure, off stdout where that is for a program.
func say(cmd *cobra.Command, asJSON bool, text string) error {
	to := cmd.OutOrStdout()
	if asJSON {
		to = cmd.ErrOrStderr()
	}
	_, err := fmt.Fprintln(to, cli.Visible(text))
	return err
}
