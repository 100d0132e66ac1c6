// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"time"
)

const (
	sessionBytes = 200e6
	sessionRuns  = 5
)

// parseFigures measures what it takes to make the traces of large sessions, beside what counting the lines of one takes.
// The best of some runs counts: what other programs do to a machine only ever adds. Of memory the worst does.
func parseFigures(ctx context.Context, dir string) (figures []figure, err error) {
	binary := filepath.Join(dir, "flatbread")
	build := exec.CommandContext(ctx, "go", "build", "-o", binary, "./cmd/flatbread")
	build.Stderr = os.Stderr
	if err := build.Run(); err != nil {
		return nil, fmt.Errorf("build flatbread: %w", err)
	}
	for _, s := range shapes {
		path := filepath.Join(dir, s.file)
		records, err := makeSession(path, s)
		if err != nil {
			return nil, err
		}
		var best, wall, counting time.Duration
		var peak float64
		for range sessionRuns {
			count := exec.CommandContext(ctx, "wc", "-l", path)
			if err := count.Run(); err != nil {
				return nil, fmt.Errorf("wc: %w", err)
			}
			if used := cpu(count.ProcessState); counting == 0 || used < counting {
				counting = used
			}
			parse, err := costOf(ctx, binary, "parse", "--file", path, "--out", filepath.Join(dir, "trace.json"))
			if err != nil {
				return nil, err
			}
			if best == 0 || parse.CPU < best {
				best = parse.CPU
			}
			if wall == 0 || parse.Wall < wall {
				wall = parse.Wall
			}
			peak = max(peak, parse.PeakMB)
		}
		figures = append(figures,
			figure{Name: "flatbread: making the trace of a session of 200 MB, " + s.what, Unit: "MB/CPU-s", AtLeast: s.atLeast, Seen: sessionBytes / 1e6 / best.Seconds(),
				Details: fmt.Sprintf("%.3g CPU s, %.3g s in all; wc -l takes %.2g CPU s", best.Seconds(), wall.Seconds(), counting.Seconds())},
			figure{Name: "flatbread: its peak memory for " + s.that, Unit: "MB", AtMost: 64, Seen: peak, Details: s.details(records)})
		if s.redacted {
			redact, err := redactFigures(ctx, binary, path)
			if err != nil {
				return nil, err
			}
			figures = append(figures, redact...)
		}
		if err := os.Remove(path); err != nil {
			return nil, err
		}
	}
	return figures, nil
}

// redactFigures measures what it takes to look for credentials in a session, and to write it without them.
func redactFigures(ctx context.Context, binary, path string) ([]figure, error) {
	var best cost
	for range sessionRuns {
		c, err := costOf(ctx, "sh", "-c", `exec "$0" redact --format jsonl "$1" >"$1.redacted"`, binary, path)
		if err != nil {
			return nil, err
		}
		if best.CPU == 0 || c.CPU < best.CPU {
			best.CPU, best.Wall = c.CPU, c.Wall
		}
		best.PeakMB = max(best.PeakMB, c.PeakMB)
	}
	return []figure{
		{Name: "flatbread: taking the credentials out of that session, written to a file", Unit: "MB/CPU-s", AtLeast: 150, Seen: sessionBytes / 1e6 / best.CPU.Seconds(),
			Details: fmt.Sprintf("%.3g CPU s, %.3g s in all; it is read twice", best.CPU.Seconds(), best.Wall.Seconds())},
		{Name: "flatbread: its peak memory for that", Unit: "MB", AtMost: 64, Seen: best.PeakMB},
	}, os.Remove(path + ".redacted")
}

// measureArg makes this program run the command behind it and tell what that took. A process begins with the peak memory
// of the one that started it, which is that of a fresh one then, and not of a bench that has done all else before.
const measureArg = "measure"

// A cost is what a process took.
type cost struct {
	PeakMB    float64
	CPU, Wall time.Duration
}

// costOf runs a command and tells what it took.
func costOf(ctx context.Context, command ...string) (c cost, err error) {
	self, err := os.Executable()
	if err != nil {
		return c, err
	}
	cmd := exec.CommandContext(ctx, self, append([]string{measureArg}, command...)...)
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return c, fmt.Errorf("measure %s: %w", command[0], err)
	}
	if err := json.Unmarshal(out, &c); err != nil {
		return c, fmt.Errorf("measure %s: %w", command[0], err)
	}
	return c, nil
}

// measure is costOf in the process that starts the command.
func measure(command []string, to io.Writer) error {
	if len(command) == 0 {
		return errors.New("measure which command?")
	}
	cmd := exec.Command(command[0], command[1:]...)
	begin := time.Now()
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%s: %w: %s", command[0], err, out)
	}
	c := cost{CPU: cpu(cmd.ProcessState), Wall: time.Since(begin)}
	var err error
	if c.PeakMB, err = peakOf(cmd.ProcessState); err != nil {
		return err
	}
	return json.NewEncoder(to).Encode(c)
}
