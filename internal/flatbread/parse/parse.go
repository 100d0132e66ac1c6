// SPDX-License-Identifier: Apache-2.0

// Package parse makes a trace of a session, and tells people what is in it and what was not readable.
package parse

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/fiftyarms/platform/gen/trace"
	"github.com/fiftyarms/platform/internal/cli"
	"github.com/fiftyarms/platform/internal/flatbread/gitstate"
	"github.com/fiftyarms/platform/internal/flatbread/tracefile"
	"github.com/fiftyarms/platform/internal/safefile"
	"github.com/fiftyarms/platform/internal/transcript"
)

// Write writes the trace of a session. What could not be found out of its repository is told on warn, and is no reason to
// have no trace.
func Write(ctx context.Context, to io.Writer, s *transcript.Session, warn io.Writer) error {
	git, err := repository(ctx, s)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil {
		fmt.Fprintf(warn, "flatbread: the trace says nothing of commit and uncommitted files: %s\n", cli.Visible(err.Error()))
	}
	return tracefile.Write(ctx, to, s, git)
}

// Save writes the trace of a session to a file that only its owner may read. On an error what was there before stands.
func Save(ctx context.Context, path string, s *transcript.Session, warn io.Writer) error {
	return safefile.Stream(path, func(w io.Writer) error { return Write(ctx, w, s, warn) })
}

// repository is what the folder of the session looks like now. A log of another branch than the one that is checked out
// says nothing of the commit.
func repository(ctx context.Context, s *transcript.Session) (trace.Git, error) {
	now, ok, err := gitstate.Read(ctx, s.Cwd)
	git := trace.Git{Branch: cmp.Or(s.Branch, now.Branch)}
	if ok && git.Branch == now.Branch {
		git.Commit = now.Commit
	}
	git.Uncommitted = now.Uncommitted
	return git, err
}

// Damage tells where a log could not be read whole.
func Damage(to io.Writer, s *transcript.Session) {
	files := 0 // that could not be read at all
	for _, d := range s.Damage {
		if d.Line == 0 {
			files++
			fmt.Fprintf(to, "flatbread: %s is left out: %s\n", cli.Visible(d.File), cli.Visible(d.Reason))
			continue
		}
		back := "nothing of it could be kept"
		switch {
		case d.Recovered == 1:
			back = "1 whole record of it is kept"
		case d.Recovered > 1:
			back = cli.Count(d.Recovered, "whole record") + " of it are kept"
		}
		fmt.Fprintf(to, "flatbread: %s: line %d, from byte %d: %s; %s\n", cli.Visible(d.File), d.Line, d.Offset, cli.Visible(d.Reason), back)
	}
	if more := s.Skipped.Malformed - int64(len(s.Damage)-files); more > 0 {
		fmt.Fprintf(to, "flatbread: and %s\n", cli.Count(more, "more damaged line"))
	}
}

// Summary tells people what a trace holds and where it is.
func Summary(to io.Writer, s *transcript.Session, path string) error {
	kinds := map[transcript.Kind]int{}
	images := 0
	for i := range s.Steps {
		kinds[s.Steps[i].Kind]++
		images += int(s.Steps[i].Images)
	}
	var out bytes.Buffer // takes all that is written
	fmt.Fprintf(&out, "%s\n\n", cli.Visible(s.Title))
	w := tabwriter.NewWriter(&out, 0, 0, 2, ' ', 0)
	row := func(name, format string, args ...any) {
		fmt.Fprintf(w, "  %s\t%s\n", name, fmt.Sprintf(format, args...))
	}
	row("session", "%s, %s", strings.TrimSpace(s.Agent+" "+cli.Visible(s.AgentVersion)), cli.Visible(s.ID))
	row("model", "%s", cli.Visible(s.Model))
	row("steps", "%d: %s, %s, %s, %s, %s, %s", len(s.Steps), cli.Count(kinds[transcript.UserPrompt], "prompt"), cli.Count(kinds[transcript.AssistantMessage], "message"),
		cli.Count(kinds[transcript.Thinking], "thought"), cli.Count(kinds[transcript.ToolCall], "call"), cli.Count(kinds[transcript.ToolResult], "result"),
		cli.Count(kinds[transcript.ErrorRecovery], "error"))
	if len(s.Agents) > 0 {
		row("sub-agents", "%d", len(s.Agents))
	}
	if images > 0 {
		row("images", "%d, not kept", images)
	}
	row("files", "%d changed", len(s.FilesChanged))
	u := s.Usage
	row("tokens", "%d in, %d out, %d read from cache, %d written to it", u.Input, u.Output, u.CacheRead, u.CacheCreation)
	k := s.Skipped
	row("left out", "%s of known types, %d of unknown ones%s, %s (%s recovered), %s", cli.Count(k.KnownIgnored, "record"), k.Unknown, types(k.UnknownTypes),
		cli.Count(k.Malformed, "damaged line"), cli.Count(k.Recovered, "record"), cli.Count(k.Blank, "blank line"))
	if k.UnmatchedResults > 0 {
		row("", "%s of calls that are not in the log", cli.Count(k.UnmatchedResults, "result"))
	}
	if a := k.Abandoned; a.Records > 0 {
		row("", "%s of branches that were given up: %s, %s, %s", cli.Count(a.Records, "record"), cli.Count(a.Prompts, "prompt"), cli.Count(a.ToolCalls, "call"), cli.Count(a.Errors, "error"))
	}
	if err := w.Flush(); err != nil {
		return err
	}
	fmt.Fprintf(&out, "\nNot redacted, private: %s\n", cli.Visible(path))
	_, err := out.WriteTo(to)
	return err
}

func types(unknown map[string]int64) string {
	if len(unknown) == 0 {
		return ""
	}
	var names []string
	for name := range unknown {
		names = append(names, cli.Visible(name))
	}
	slices.Sort(names)
	return " (" + strings.Join(names, ", ") + ")"
}
