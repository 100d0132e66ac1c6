// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/spf13/cobra"
)

func TestRun(t *testing.T) {
	tests := []struct {
		name   string
		args   []string
		err    error
		code   int
		stderr string
	}{
		{name: "ok", args: []string{"do"}, code: ExitOK},
		{name: "failure", args: []string{"do"}, err: errors.New("the disk\nis full"), code: ExitFailure, stderr: "prog: the disk is full\n"},
		{name: "what others wrote", args: []string{"do"}, err: errors.New("no file \x1b[2Ja\u202eb"), code: ExitFailure, stderr: "prog: no file [2Jab\n"},
		{name: "hint", args: []string{"do"}, err: Hint(errors.New("no key"), "sign in with %s", "x"), code: ExitFailure, stderr: "prog: no key\nprog: hint: sign in with x\n"},
		{name: "own code, silent", args: []string{"do"}, err: &ExitError{Code: 7}, code: 7},
		{name: "usage", args: []string{"do"}, err: Usage("no such board"), code: ExitUsage, stderr: "prog: no such board\nprog: hint: see --help\n"},
		{name: "unknown flag", args: []string{"do", "--nope"}, code: ExitUsage, stderr: "prog: unknown flag: --nope\nprog: hint: see --help\n"},
		{name: "unknown command", args: []string{"nope"}, code: ExitUsage, stderr: `prog: unknown command "nope" for "prog"` + "\nprog: hint: see --help\n"},
		{name: "too many arguments", args: []string{"do", "more"}, code: ExitUsage, stderr: `prog: prog do takes no argument, and got "more"` + "\nprog: hint: see --help\n"},
		{name: "help of nothing", args: []string{"help", "nope"}, code: ExitUsage, stderr: `prog: unknown command "nope" for "prog"` + "\nprog: hint: see --help\n"},
		{name: "help of a command", args: []string{"help", "do"}, code: ExitOK},
		{name: "completion of nothing", args: []string{"completion", "tcsh"}, code: ExitUsage, stderr: `prog: unknown command "tcsh" for "prog completion"` + "\nprog: hint: see --help\n"},
		{name: "completion", args: []string{"completion", "bash"}, code: ExitOK},
		{name: "nothing asked", args: []string{}, code: ExitOK},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			root := &cobra.Command{Use: "prog", Args: cobra.NoArgs}
			root.AddCommand(&cobra.Command{Use: "do", Args: NoArgs, RunE: func(*cobra.Command, []string) error { return tt.err }})
			var out, errOut bytes.Buffer // out is whatever cobra prints
			code := Run(context.Background(), root, tt.args, strings.NewReader(""), &out, &errOut)
			if code != tt.code || errOut.String() != tt.stderr {
				t.Errorf("code %d, stderr %q; want %d, %q", code, errOut.String(), tt.code, tt.stderr)
			}
		})
	}
}
