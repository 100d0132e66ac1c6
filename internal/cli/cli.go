// SPDX-License-Identifier: Apache-2.0

// Package cli is what the commands share: their streams, how an error and its hint are told, exit codes, and the
// version they report.
package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/spf13/cobra"
)

// Exit codes of every command.
const (
	ExitOK      = 0
	ExitFailure = 1 // the work failed
	ExitUsage   = 2 // the command line makes no sense
)

// A HintError is an error with what the reader can do about it, told on a line of its own.
type HintError struct {
	Err  error
	Hint string
}

func (e *HintError) Error() string { return e.Err.Error() }
func (e *HintError) Unwrap() error { return e.Err }

// Hint adds what to do to an error.
func Hint(err error, format string, args ...any) error {
	return &HintError{Err: err, Hint: fmt.Sprintf(format, args...)}
}

// An ExitError ends the process with a code of its own. With no Err nothing is printed: the command has said it all.
type ExitError struct {
	Code int
	Err  error
}

func (e *ExitError) Error() string {
	if e.Err == nil {
		return fmt.Sprintf("exit %d", e.Code)
	}
	return e.Err.Error()
}
func (e *ExitError) Unwrap() error { return e.Err }

// Usage marks an error as one of the command line: exit code 2, with a pointer to --help.
func Usage(format string, args ...any) error {
	return &ExitError{Code: ExitUsage, Err: Hint(fmt.Errorf(format, args...), "see --help")}
}

// NoArgs refuses arguments of a command that takes none. Cobra's own takes each for the name of a command.
func NoArgs(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	return Usage("%s takes no argument, and got %q", cmd.CommandPath(), args[0])
}

// Main runs a command with the process's arguments and streams until it ends or the process is told to stop, and
// returns the exit code.
//
// A reader that goes away (a closed pipe) is an error of the write, so that a command cleans up after itself instead of
// being killed on the spot.
func Main(root *cobra.Command) int {
	signal.Ignore(syscall.SIGPIPE)
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	defer stop()
	context.AfterFunc(ctx, stop) // the second signal ends the process at once
	return Run(ctx, root, os.Args[1:], os.Stdin, os.Stdout, os.Stderr)
}

// Run runs a command and returns its exit code. An error is printed here and nowhere else.
func Run(ctx context.Context, root *cobra.Command, args []string, in io.Reader, out, errOut io.Writer) int {
	root.SetArgs(args)
	root.SetIn(in)
	root.SetOut(out)
	root.SetErr(errOut)
	root.SilenceErrors, root.SilenceUsage = true, true
	root.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return Usage("%w", err) })
	refuseUnknown(root)
	err := root.ExecuteContext(ctx)
	if err == nil {
		return ExitOK
	}
	code := exitCode(err)
	if exit := (*ExitError)(nil); errors.As(err, &exit) && exit.Err == nil {
		return code
	}
	fmt.Fprintf(errOut, "%s: %s\n", root.Name(), oneLine(err.Error()))
	var hint *HintError
	if errors.As(err, &hint) && hint.Hint != "" {
		fmt.Fprintf(errOut, "%s: hint: %s\n", root.Name(), oneLine(hint.Hint))
	}
	return code
}

func exitCode(err error) int {
	var exit *ExitError
	if errors.As(err, &exit) {
		return exit.Code
	}
	return ExitFailure
}

// refuseUnknown makes a command that only groups others refuse a name that none of them has. Cobra would print its help
// and succeed, which a script takes for done.
func refuseUnknown(root *cobra.Command) {
	root.InitDefaultHelpCmd()
	root.InitDefaultCompletionCmd()
	for _, c := range append(root.Commands(), root) {
		switch {
		case c.Name() == "help" && c.Parent() == root:
			show := c.Run
			c.Run, c.RunE = nil, func(c *cobra.Command, args []string) error {
				if found, rest, err := root.Find(args); err != nil || found == root && len(rest) > 0 {
					return Usage("unknown command %q for %q", strings.Join(args, " "), root.Name())
				}
				show(c, args)
				return nil
			}
		case c.HasSubCommands() && !c.Runnable():
			c.Args = cobra.ArbitraryArgs
			c.RunE = func(c *cobra.Command, args []string) error {
				if len(args) > 0 {
					return Usage("unknown command %q for %q", args[0], c.CommandPath())
				}
				return c.Help()
			}
		default:
			wanted := c.Args
			c.Args = func(c *cobra.Command, args []string) error {
				if wanted == nil {
					return nil
				}
				err := wanted(c, args)
				if exit := (*ExitError)(nil); err == nil || errors.As(err, &exit) {
					return err
				}
				return Usage("%w", err)
			}
		}
	}
}

// oneLine keeps out of a message what a log reader splits on, and what acts on a terminal: it may name what others wrote.
func oneLine(s string) string { return strings.Join(strings.Fields(Visible(s)), " ") }
