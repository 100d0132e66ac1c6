// SPDX-License-Identifier: Apache-2.0

// Package filter is flatbread redact: any text in, the same without credentials out.
package filter

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/fiftyarms/platform/gen/trace"
	"github.com/fiftyarms/platform/internal/redact"
	"github.com/fiftyarms/platform/internal/safefile"
)

// Formats of what is read.
const (
	JSONL = "jsonl" // lines of JSON, and what is no JSON among them
	Text  = "text"
)

// A Job is what to redact.
type Job struct {
	In        *os.File
	Out       io.Writer
	Format    string // "" finds it out
	HomePaths bool
	Report    string // where to write what was taken out; "" for nowhere
	Progress  func(done int64)
}

// Run redacts. The input is read twice, so that what is found late is taken out early too: one that cannot be is kept meanwhile
// in a file that only its owner may read. On an error nothing further is written.
func Run(ctx context.Context, job Job) (err error) {
	in, done, err := again(job.In)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, done()) }()
	if job.Format == "" {
		if job.Format, err = guess(in); err != nil {
			return err
		}
	}
	report := trace.RedactionReport{Matches: []trace.RedactionMatch{}, Rules: map[string]int64{}}
	options := redact.Options{HomePaths: job.HomePaths}
	if job.Report != "" {
		options.Report = func(m redact.Match) { add(&report, m) }
	}
	r, err := redact.New(options)
	if err != nil {
		return err
	}
	reader := &counted{in, job.Progress, 0}
	switch job.Format {
	case JSONL:
		err = r.Lines(ctx, job.Out, reader)
	case Text:
		err = r.Text(ctx, job.Out, reader)
	default:
		err = fmt.Errorf("unknown format %q", job.Format)
	}
	if err != nil || job.Report == "" {
		return err
	}
	return safefile.Stream(job.Report, func(w io.Writer) error {
		e := json.NewEncoder(w)
		e.SetEscapeHTML(false)
		return e.Encode(report)
	})
}

func add(report *trace.RedactionReport, m redact.Match) {
	out := trace.RedactionMatch{
		ID: int64(len(report.Matches) + 1), Rule: m.Rule, From: int64(m.From), To: int64(m.To), Length: int64(m.To - m.From),
		Replacement: redact.Marker(m.Rule),
	}
	if m.Line > 0 {
		out.Line = new(int64(m.Line))
	}
	if m.Path != "" {
		out.Path = &m.Path
	}
	report.Matches = append(report.Matches, out)
	report.Rules[m.Rule]++
}

// again makes what is read something that can be read twice.
func again(in *os.File) (_ *os.File, done func() error, err error) {
	if _, err := in.Seek(0, io.SeekCurrent); err == nil {
		if info, err := in.Stat(); err == nil && info.Mode().IsRegular() {
			return in, func() error { return nil }, nil
		}
	}
	f, err := os.CreateTemp("", "flatbread-redact-*") // 0600 from the start
	if err != nil {
		return nil, nil, err
	}
	done = func() error { return errors.Join(f.Close(), gone(f.Name())) }
	if err := os.Remove(f.Name()); err == nil {
		done = f.Close
	} // else it goes at the end: some systems keep a file that is open
	if _, err := io.Copy(f, in); err != nil {
		return nil, nil, errors.Join(fmt.Errorf("read the input: %w", err), done())
	}
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return nil, nil, errors.Join(err, done())
	}
	return f, done, nil
}

func gone(path string) error {
	if err := os.Remove(path); !errors.Is(err, os.ErrNotExist) {
		return err
	}
	return nil
}

// guess tells lines of JSON by how they begin.
func guess(in io.ReadSeeker) (string, error) {
	head := make([]byte, 4096)
	n, err := io.ReadFull(in, head)
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return "", err
	}
	if _, err := in.Seek(0, io.SeekStart); err != nil {
		return "", err
	}
	if bytes.HasPrefix(bytes.TrimLeft(bytes.TrimPrefix(head[:n], []byte("\xef\xbb\xbf")), " \t\r\n"), []byte("{\"")) {
		return JSONL, nil
	}
	return Text, nil
}

// counted tells how much has been read.
type counted struct {
	io.ReadSeeker
	progress func(int64)
	done     int64
}

func (c *counted) Read(p []byte) (int, error) {
	n, err := c.ReadSeeker.Read(p)
	if c.done += int64(n); c.progress != nil {
		c.progress(c.done)
	}
	return n, err
}
