// SPDX-License-Identifier: Apache-2.0

// Package sessions finds sessions of coding agents on this machine and opens them, whichever agent's they are.
package sessions

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/fiftyarms/platform/internal/cli"
	"github.com/fiftyarms/platform/internal/safefile"
	"github.com/fiftyarms/platform/internal/transcript"
	"github.com/fiftyarms/platform/internal/transcript/claude"
	"github.com/fiftyarms/platform/internal/transcript/codex"
	"github.com/fiftyarms/platform/internal/transcript/copilot"
	"github.com/fiftyarms/platform/internal/transcript/gemini"
	"github.com/fiftyarms/platform/internal/transcript/opencode"
	"github.com/fiftyarms/platform/internal/transcript/pi"
)

// formats are those that are known. The first that owns a file reads it.
var formats = []transcript.Format{claude.Format{}, codex.Format{}, gemini.Format{}, pi.Format{}, opencode.Format{}, copilot.Format{}}

// Formats are the names of the formats that are known; the first is what is meant where none is named.
func Formats() (names []string) {
	for _, f := range formats {
		names = append(names, f.Agent())
	}
	return names
}

// ErrUnknown says that a file is no session of an agent that is known.
var ErrUnknown = errors.New("no session of an agent that is known")

// Named is the format of a name.
func Named(name string) (transcript.Format, error) {
	for _, f := range formats {
		if f.Agent() == name {
			return f, nil
		}
	}
	return nil, cli.Usage("unknown format %q: want one of %s", name, strings.Join(Formats(), ", "))
}

const headSize = 256 << 10

// Detect finds the format of the file at path.
func Detect(path string) (_ transcript.Format, err error) {
	file, _, _ := strings.Cut(path, "#") // behind which a database's session is named
	f, _, err := safefile.Open(path)
	if errors.Is(err, os.ErrNotExist) && file != path {
		f, _, err = safefile.Open(file)
	}
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	head := make([]byte, headSize)
	n, err := io.ReadFull(f, head)
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return nil, err
	}
	for _, format := range formats {
		if format.Owns(path, head[:n]) {
			return format, nil
		}
	}
	if len(bytes.TrimSpace(head[:n])) == 0 {
		return formats[0], nil // some clients make the file before they write
	}
	return nil, cli.Hint(fmt.Errorf("%s: %w", path, ErrUnknown), "name its format with --format: one of %s", strings.Join(Formats(), ", "))
}

// Open indexes the session at path. The format is found out if it is not named.
func Open(ctx context.Context, path, format string, progress func(int64)) (*transcript.Session, error) {
	f, err := Detect(path)
	if format != "" {
		f, err = Named(format)
	}
	if err != nil {
		return nil, err
	}
	return f.Read(ctx, path, progress)
}

// Env is where this process finds agents' files.
func Env() (transcript.Env, error) {
	home, err := os.UserHomeDir()
	if err != nil {
		return transcript.Env{}, err
	}
	return transcript.Env{Getenv: os.Getenv, Home: home}, nil
}

// A Choice is which session a command is to read.
type Choice struct {
	File   string
	Latest bool
	Format string // "" finds it out for a file, and is the first of Formats for the latest
}

// ErrNone says that there is no session to read.
type ErrNone struct{ Dir string }

func (e *ErrNone) Error() string { return "no sessions found in " + e.Dir }

// Path is the session that is chosen.
func (c Choice) Path(env transcript.Env) (string, error) {
	switch {
	case c.File != "" && c.Latest:
		return "", cli.Usage("--file and --latest exclude each other")
	case c.File != "":
		return c.File, nil
	case !c.Latest:
		return "", cli.Usage("say which session: --file FILE, or --latest")
	}
	format := formats[0]
	if c.Format != "" {
		var err error
		if format, err = Named(c.Format); err != nil {
			return "", err
		}
	}
	dir := format.Dir(env)
	path, err := transcript.Latest(format, dir)
	if err != nil {
		return "", err
	}
	if path == "" {
		return "", &ErrNone{dir}
	}
	return path, nil
}

// Read indexes the session that is chosen, and shows on errOut how far it has come.
func (c Choice) Read(ctx context.Context, path string, errOut io.Writer) (*transcript.Session, error) {
	var size int64
	if info, err := os.Stat(path); err == nil {
		size = info.Size()
	}
	p := cli.NewProgress(errOut, "reading", size)
	defer p.End()
	return Open(ctx, path, c.Format, p.Done)
}
