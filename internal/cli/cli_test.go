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
		{name: "hint", args: []string{"do"}, err: Hint(errors.New("no key"), "sign in with %s", "x"), code: ExitFailure, stderr: "prog: no key\nprog: hint: sign in with x\n"},
		{name: "own code, silent", args: []string{"do"}, err: &ExitError{Code: 7}, code: 7},
		{name: "usage", args: []string{"do"}, err: Usage("no such board"), code: ExitUsage, stderr: "prog: no such board\nprog: hint: see --help\n"},
		{name: "unknown flag", args: []string{"do", "--nope"}, code: ExitUsage, stderr: "prog: unknown flag: --nope\nprog: hint: see --help\n"},
		{name: "unknown command", args: []string{"nope"}, code: ExitUsage, stderr: `prog: unknown command "nope" for "prog"` + "\n"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			root := &cobra.Command{Use: "prog"}
			root.AddCommand(&cobra.Command{Use: "do", RunE: func(*cobra.Command, []string) error { return tt.err }})
			var out, errOut bytes.Buffer
			code := Run(context.Background(), root, tt.args, strings.NewReader(""), &out, &errOut)
			if code != tt.code || errOut.String() != tt.stderr {
				t.Errorf("code %d, stderr %q; want %d, %q", code, errOut.String(), tt.code, tt.stderr)
			}
		})
	}
}
