// SPDX-License-Identifier: Apache-2.0

package app

import (
	"context"
	"encoding/json"
	"errors"
	"io"

	"github.com/spf13/cobra"

	"github.com/fiftyarms/platform/internal/cli"
	"github.com/fiftyarms/platform/internal/flatbread/sessions"
	"github.com/fiftyarms/platform/internal/flatbread/stats"
)

func statsCommand() *cobra.Command {
	var choice sessions.Choice
	var all, asJSON bool
	cmd := &cobra.Command{
		Use:   "stats (--file FILE | --latest | --all)",
		Short: "Count what sessions cost, in tokens",
		Long: `Count what sessions cost, in tokens: by model, and apart for sub-agents. Each answer
counts once, however often the logs repeat it: one answer is many records, and a
session that was resumed or forked begins with a copy of another.

Where the client keeps a count of its own it is shown beside. It may be more: what
summing up a conversation costs is in no record.`,
		Example: `  flatbread stats --latest
  flatbread stats --all --format codex
  flatbread stats --file session.jsonl --json | jq .total`,
		Args: cli.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if all && (choice.File != "" || choice.Latest) {
				return cli.Usage("--all excludes --file and --latest")
			}
			out := cli.Until(cmd.Context(), cmd.OutOrStdout())
			paths, err := chosen(cmd.Context(), choice, all, cmd.ErrOrStderr())
			if none := (*sessions.ErrNone)(nil); errors.As(err, &none) {
				return say(cmd, asJSON, none.Error())
			} else if err != nil {
				return err
			}
			report := stats.New()
			for _, path := range paths {
				err := count(cmd.Context(), report, choice, path, cmd.ErrOrStderr())
				switch {
				case err == nil:
				case !all || cmd.Context().Err() != nil:
					return err
				default:
					report.Unread(err)
				}
			}
			if asJSON {
				e := json.NewEncoder(out)
				e.SetIndent("", "  ")
				e.SetEscapeHTML(false)
				return e.Encode(report.Stats())
			}
			return report.Print(out)
		},
	}
	choiceFlags(cmd, &choice)
	cmd.Flags().BoolVar(&all, "all", false, "count all sessions of the agent on this machine")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print the figures as JSON")
	return cmd
}

// chosen are the sessions to count.
func chosen(ctx context.Context, choice sessions.Choice, all bool, errOut io.Writer) (paths []string, err error) {
	if !all {
		path, err := choice.Path(ctx, sessions.Env, errOut)
		return []string{path}, err
	}
	files, dir, err := choice.All(ctx, sessions.Env)
	if err == nil && len(files) == 0 {
		err = &sessions.ErrNone{Dir: dir}
	}
	for _, f := range files {
		paths = append(paths, f.Path)
	}
	return paths, err
}

func count(ctx context.Context, report *stats.Report, choice sessions.Choice, path string, errOut io.Writer) error {
	s, err := choice.Read(ctx, path, errOut)
	if err != nil {
		return err
	}
	report.Add(s)
	return s.Close()
}
