// SPDX-License-Identifier: Apache-2.0

// Package sessions finds sessions of coding agents on this machine and opens them, whichever agent's they are.
package sessions

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

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
	if why := unreadable(head[:n]); why != "" {
		return nil, fmt.Errorf("%s: %w: %s", path, ErrUnknown, why)
	}
	return nil, cli.Hint(fmt.Errorf("%s: %w", path, ErrUnknown), "name its format with --format: one of %s", strings.Join(Formats(), ", "))
}

// unreadable says why no format knows a file that may well be of one.
func unreadable(head []byte) string {
	for _, mark := range []string{"\xff\xfe", "\xfe\xff"} {
		if bytes.HasPrefix(head, []byte(mark)) {
			return "it is UTF-16, and sessions are UTF-8"
		}
	}
	if at := bytes.IndexByte(head, 0); at >= 0 && bytes.IndexByte(bytes.TrimSpace(head), '{') == 0 {
		return fmt.Sprintf("a zero stands at byte %d, as a crash leaves them, and the rest is no log of lines", at)
	}
	return ""
}

// Open indexes the session at path. The format is found out if it is not named.
func Open(ctx context.Context, path, format string, progress func(int64)) (s *transcript.Session, err error) {
	var f transcript.Format
	if format != "" {
		f, err = Named(format)
	} else {
		f, err = Detect(path)
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

// Path is the session that is chosen. env is asked only if one is looked for. What is passed over is told on errOut.
func (c Choice) Path(ctx context.Context, env func() (transcript.Env, error), errOut io.Writer) (string, error) {
	switch {
	case c.File != "" && c.Latest:
		return "", cli.Usage("--file and --latest exclude each other")
	case c.File != "":
		return c.File, nil
	case !c.Latest:
		return "", cli.Usage("say which session: --file FILE, or --latest")
	}
	all, dir, err := c.All(ctx, env)
	if err != nil {
		return "", err
	}
	slices.SortFunc(all, func(a, b File) int { return cmp.Or(b.Written.Compare(a.Written), cmp.Compare(b.Path, a.Path)) })
	for _, f := range all {
		if c.Format != "" {
			return f.Path, nil
		}
		_, err := Detect(f.Path)
		switch {
		case err == nil:
			return f.Path, nil
		case errors.Is(err, ErrUnknown):
			fmt.Fprintf(errOut, "flatbread: %s: %v, and passed over\n", cli.Visible(f.Path), ErrUnknown)
		case !errors.Is(err, os.ErrNotExist): // it may just have been removed
			return "", err
		}
	}
	return "", &ErrNone{dir}
}

// A File is one that may hold a session.
type File struct {
	Path    string
	Written time.Time
}

// All are the sessions of the agent that is chosen, and the folder where they were looked for.
func (c Choice) All(ctx context.Context, env func() (transcript.Env, error)) (all []File, dir string, err error) {
	format, err := Named(cmp.Or(c.Format, Formats()[0]))
	if err != nil {
		return nil, "", err
	}
	where, err := env()
	if err != nil {
		return nil, "", err
	}
	dir = format.Dir(where)
	if err := ctx.Err(); err != nil {
		return nil, dir, err
	}
	type result struct {
		files []File
		err   error
	}
	found := make(chan result, 1)
	go func() { // a folder may be far away, and is not waited for when nobody wants it any more
		var r result
		r.err = format.Each(dir, func(path string, info fs.FileInfo) {
			if inDatabase := strings.Contains(path, "#"); info.Size() > 0 || inDatabase { // some clients make files of sessions that never are
				r.files = append(r.files, File{path, info.ModTime()})
			}
		})
		found <- r
	}()
	select {
	case r := <-found:
		return r.files, dir, r.err
	case <-ctx.Done():
		return nil, dir, ctx.Err()
	}
}

// Read indexes the session that is chosen, and shows on errOut how far it has come. The session's path is absolute: its
// trace is read in other folders.
func (c Choice) Read(ctx context.Context, path string, errOut io.Writer) (*transcript.Session, error) {
	var size int64 // not known of one session in a database
	if info, err := os.Stat(path); err == nil {
		size = info.Size()
	}
	p := cli.NewProgress(errOut, "reading", size)
	defer p.End()
	s, err := Open(ctx, path, c.Format, p.Done)
	if err != nil {
		return nil, err
	}
	whole, err := filepath.Abs(s.Path)
	if err != nil {
		return nil, errors.Join(err, s.Close())
	}
	s.Path = whole
	return s, nil
}
