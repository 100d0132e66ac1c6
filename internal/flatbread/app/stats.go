// SPDX-License-Identifier: Apache-2.0

package app

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"io/fs"

	"github.com/spf13/cobra"

	"github.com/fiftyarms/platform/internal/cli"
	"github.com/fiftyarms/platform/internal/flatbread/sessions"
	"github.com/fiftyarms/platform/internal/flatbread/stats"
	"github.com/fiftyarms/platform/internal/transcript"
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
			env, err := sessions.Env()
			if err != nil {
				return err
			}
			report := stats.New()
			paths, dir, err := chosen(choice, all, env)
			if none := (*sessions.ErrNone)(nil); errors.As(err, &none) {
				return say(cmd, asJSON, none.Error())
			} else if err != nil {
				return err
			}
			if len(paths) == 0 {
				return say(cmd, asJSON, (&sessions.ErrNone{Dir: dir}).Error())
			}
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
				e := json.NewEncoder(cmd.OutOrStdout())
				e.SetIndent("", "  ")
				e.SetEscapeHTML(false)
				return e.Encode(report.Stats())
			}
			return report.Print(cmd.OutOrStdout())
		},
	}
	choiceFlags(cmd, &choice)
	cmd.Flags().BoolVar(&all, "all", false, "count all sessions of the agent on this machine")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print the figures as JSON")
	return cmd
}

// chosen are the sessions to count, and the folder where all were looked for.
func chosen(choice sessions.Choice, all bool, env transcript.Env) (paths []string, dir string, err error) {
	if !all {
		path, err := choice.Path(env)
		return []string{path}, "", err
	}
	name := choice.Format
	if name == "" {
		name = sessions.Formats()[0]
	}
	format, err := sessions.Named(name)
	if err != nil {
		return nil, "", err
	}
	dir = format.Dir(env)
	err = format.Each(dir, func(path string, _ fs.FileInfo) { paths = append(paths, path) })
	return paths, dir, err
}

func count(ctx context.Context, report *stats.Report, choice sessions.Choice, path string, errOut io.Writer) error {
	s, err := choice.Read(ctx, path, errOut)
	if err != nil {
		return err
	}
	report.Add(s)
	return s.Close()
}
