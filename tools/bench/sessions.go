// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

const (
	sessionBytes = 200e6
	sessionRuns  = 5
)

// parseFigures measures what it takes to make the trace of a large session, beside what counting its lines takes. The
// best of some runs counts: what other programs do to a machine only ever adds.
func parseFigures(ctx context.Context, dir string) ([]figure, error) {
	binary := filepath.Join(dir, "flatbread")
	build := exec.CommandContext(ctx, "go", "build", "-o", binary, "./cmd/flatbread")
	build.Stderr = os.Stderr
	if err := build.Run(); err != nil {
		return nil, fmt.Errorf("build flatbread: %w", err)
	}
	path := filepath.Join(dir, "session.jsonl")
	if err := makeSession(path); err != nil {
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
		parse := exec.CommandContext(ctx, binary, "parse", "--file", path, "--out", filepath.Join(dir, "trace.json"))
		begin := time.Now()
		used, err := watched(parse)
		if err != nil {
			return nil, err
		}
		if took := time.Since(begin); wall == 0 || took < wall {
			wall = took
		}
		peak = max(peak, used)
		if used := cpu(parse.ProcessState); best == 0 || used < best {
			best = used
		}
	}
	return []figure{
		{Name: "flatbread: making the trace of a session of 200 MB, written to a file", Unit: "MB/CPU-s", AtLeast: 300, Seen: sessionBytes / 1e6 / best.Seconds(),
			Details: fmt.Sprintf("%.3g CPU s, %.3g s in all; wc -l takes %.2g CPU s", best.Seconds(), wall.Seconds(), counting.Seconds())},
		{Name: "flatbread: its peak memory for that", Unit: "MB", AtMost: 64, Seen: peak},
	}, nil
}

// watched runs a command and tells its peak memory in MB, as it was seen last while it ran.
func watched(cmd *exec.Cmd) (peak float64, err error) {
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Start(); err != nil {
		return 0, err
	}
	done := make(chan error, 1)
	go func() { done <- cmd.Wait() }()
	for {
		select {
		case err := <-done:
			if err != nil {
				err = fmt.Errorf("%s: %w: %s", cmd.Path, err, out.Bytes())
			}
			return peak, err
		case <-time.After(2 * time.Millisecond):
			if now, err := peakMB(cmd.Process.Pid); err == nil { // it may just have ended
				peak = max(peak, now)
			}
		}
	}
}

// makeSession writes a session with the shares that real ones have: three fifths of the bytes are results, most of them
// twice, as the model saw them and as the client kept them; a fifth is progress, a fifth what the model said.
func makeSession(path string) (err error) {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	m := sessionMaker{out: bufio.NewWriterSize(f, 1<<20), random: rand.New(rand.NewPCG(1, 2))}
	for n := 0; m.written < sessionBytes && m.err == nil; n++ {
		m.turn(n)
	}
	return errors.Join(m.err, m.out.Flush(), f.Close())
}

type sessionMaker struct {
	out     *bufio.Writer
	random  *rand.Rand
	written int
	records int
	err     error
}

type fields = map[string]any

// add writes a record that follows the last.
func (m *sessionMaker) add(kind string, more fields) {
	r := fields{
		"type": kind, "uuid": m.uuid(m.records + 1), "parentUuid": m.uuid(m.records), "sessionId": "5d1c0f1e-0000-4000-8000-000000000001", "cwd": "/nowhere",
		"version": "2.1.42", "gitBranch": "main", "isSidechain": false, "userType": "external",
		"timestamp": time.UnixMilli(1767225600000 + int64(m.records)*700).UTC().Format("2006-01-02T15:04:05.000Z"),
	}
	for k, v := range more {
		r[k] = v
	}
	m.records++
	line, err := json.Marshal(r)
	if err != nil {
		m.err = err
		return
	}
	n, err := m.out.Write(append(line, '\n'))
	m.written += n
	m.err = errors.Join(m.err, err)
}

func (m *sessionMaker) uuid(n int) string { return fmt.Sprintf("%08x-0000-4000-8000-%012x", n, n) }

func (m *sessionMaker) turn(n int) {
	call, id := fmt.Sprintf("toolu_%08x", n), fmt.Sprintf("msg_%08x", n)
	if n%30 == 0 {
		m.add("user", fields{"message": fields{"role": "user", "content": m.text(200)}})
	}
	said := func(block fields) fields {
		return fields{"requestId": "req_" + id, "message": fields{"id": id, "model": "claude-test", "role": "assistant", "content": []any{block},
			"usage": fields{"input_tokens": 7, "output_tokens": n % 500, "cache_read_input_tokens": 30000, "cache_creation": fields{"ephemeral_5m_input_tokens": 100, "ephemeral_1h_input_tokens": 10}}}}
	}
	m.add("assistant", said(fields{"type": "text", "text": m.text(900)}))
	m.add("assistant", said(fields{"type": "tool_use", "id": call, "name": "Bash", "input": fields{"command": m.text(120), "description": "look"}}))
	for range 2 {
		m.add("progress", fields{"data": fields{"type": "bash_progress", "output": m.text(1100)}, "toolUseID": call})
	}
	size := 1500 + m.random.IntN(5000)
	if n%2000 == 0 {
		size = 600_000
	}
	text := m.text(size)
	m.add("user", fields{
		"message":       fields{"role": "user", "content": []any{fields{"type": "tool_result", "tool_use_id": call, "content": text[:len(text)/2], "is_error": n%20 == 0}}},
		"toolUseResult": fields{"stdout": text, "stderr": "", "interrupted": false, "isImage": false},
	})
}

// text is code, as most of a session is.
func (m *sessionMaker) text(size int) string {
	words := []string{"func ", "return ", "if err != nil {", "}", "\n\t", "\n", "\n\t\t", "name", " := ", "\"quoted\"", "(ctx, ", "value", ") ", "// a comment about it", "0x1f", "é", " == "}
	var b strings.Builder
	for b.Len() < size {
		_, _ = io.WriteString(&b, words[m.random.IntN(len(words))]) // a Builder takes all
	}
	return strings.ToValidUTF8(b.String()[:size], "")
}
