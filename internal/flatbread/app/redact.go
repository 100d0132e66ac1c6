// SPDX-License-Identifier: Apache-2.0

package app

import (
	"errors"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"github.com/fiftyarms/platform/internal/cli"
	"github.com/fiftyarms/platform/internal/flatbread/filter"
	"github.com/fiftyarms/platform/internal/safefile"
)

func redactCommand() *cobra.Command {
	var job filter.Job
	cmd := &cobra.Command{
		Use:   "redact [FILE]",
		Short: "Take the credentials out of any text",
		Long: `Take the credentials out of FILE, or of what comes on stdin, and print the rest: each
becomes «REDACTED:rule». What holds none comes out byte for byte as it was, and a
line of JSON stays one. What is found in one place is taken out wherever else it
stands, in whatever encoding; so the input is read whole before the first line of
output.

It all happens on this machine, by rules: nothing is sent, and the same text always
comes out the same. What has no shape, no name and no place that tells, no rule finds.`,
		Example: `  flatbread redact session.jsonl > safe.jsonl
  kubectl get secret -o yaml | flatbread redact
  flatbread redact --report report.json build.log > build.safe.log`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) (err error) {
			if job.Format != "" && job.Format != filter.JSONL && job.Format != filter.Text {
				return cli.Usage("unknown format %q: want %s or %s", job.Format, filter.JSONL, filter.Text)
			}
			in, ok := cmd.InOrStdin().(*os.File)
			if len(args) == 1 {
				if safefile.Same(job.Report, args[0]) {
					return fmt.Errorf("%s is what is to be read: name another file for the report", job.Report)
				}
				f, info, err := safefile.Open(args[0])
				if err != nil {
					return err
				}
				defer func() { err = errors.Join(err, f.Close()) }()
				progress := cli.NewProgress(cmd.ErrOrStderr(), "redacting", 2*info.Size())
				defer progress.End()
				in, ok, job.Progress = f, true, progress.Done
			}
			if !ok {
				return fmt.Errorf("stdin is no file")
			}
			job.In, job.Out = in, cmd.OutOrStdout()
			return filter.Run(cmd.Context(), job)
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&job.Format, "format", "", "take the input for `FORMAT`, jsonl or text; else how it begins tells")
	flags.BoolVar(&job.HomePaths, "home-paths", false, "take out whose home a path is in, too")
	flags.StringVar(&job.Report, "report", "", "write to `FILE` where something was taken out, never what")
	cobra.CheckErr(cmd.RegisterFlagCompletionFunc("format", cobra.FixedCompletions([]cobra.Completion{filter.JSONL, filter.Text}, cobra.ShellCompDirectiveNoFileComp))) // a fault of these lines
	return cmd
}
