// SPDX-License-Identifier: Apache-2.0

package app

import (
	"encoding/json"
	"io"
	"log"
	"os"
	"time"

	"github.com/spf13/cobra"

	"github.com/fiftyarms/platform/gen/dash"
	"github.com/fiftyarms/platform/internal/cli"
	"github.com/fiftyarms/platform/internal/platform/doctor"
)

// doctorCommand says what would be used, and whether it works.
func doctorCommand() *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:   "doctor",
		Short: "Say what a session would use, and whether it works",
		Long: `doctor says what a session started with this environment would use, and whether it
works: the settings as they are understood, the dashboard, the key, what it permits,
and the tools that are shown for it. It ends within 15 seconds, changes nothing, and
shows no secret. Looking at the key counts as a use of it.

It ends with 0 when nothing is broken; being signed out is not. Else with 1.`,
		Example: `  platform-mcp doctor

  # for scripts
  platform-mcp doctor --json | jq '.checks[] | select(.level == "fail")'`,
		Args: cli.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			log.SetOutput(io.Discard) // net/http logs what it cannot make sense of, which may hold a key
			report := doctor.Run(cmd.Context(), doctor.Options{
				Lookup: os.LookupEnv, Home: os.UserHomeDir, Version: cli.Version, Now: time.Now,
			})
			show := doctor.Print
			if asJSON {
				show = showJSON
			}
			if err := show(cmd.OutOrStdout(), report); err != nil {
				return err
			}
			if !report.Ok {
				return &cli.ExitError{Code: cli.ExitFailure} // the report has said it all
			}
			return nil
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print the report as JSON")
	return c
}

func showJSON(w io.Writer, report dash.DoctorReport) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false)
	return e.Encode(report)
}
