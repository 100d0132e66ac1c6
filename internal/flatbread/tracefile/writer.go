// SPDX-License-Identifier: Apache-2.0

// Package tracefile writes a session as the trace that api/trace.schema.json describes. It streams: what it holds is a
// window of each of the files that the session is in, of few at once, and the step that it writes, however large the
// session is. Only a call's input and a patch of hunks are read whole, once.
package tracefile

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"time"

	"github.com/fiftyarms/platform/gen/trace"
	"github.com/fiftyarms/platform/internal/transcript"
)

// Limits of the trace, in characters.
const (
	MaxContent = 4000 // of a step's content, a call's output, a patch
	MaxInput   = 2000 // of each string in a call's input
	Truncated  = "…[truncated]"
)

// ctxEvery is how many steps are written between two looks at the context.
const ctxEvery = 256

// kept is how much of a buffer that grew with one large call is kept for the next.
const kept = 1 << 20

// Write writes the trace of s.
func Write(ctx context.Context, to io.Writer, s *transcript.Session, git trace.Git) error {
	w := &writer{out: bufio.NewWriterSize(to, 256<<10), s: s, windows: map[int32]*window{}}
	git.Uncommitted = orEmpty(git.Uncommitted)
	w.field("{", "version", 1)
	w.field(",", "id", ID(s))
	w.field(",", "title", s.Title)
	w.field(",", "summary", s.Summary)
	w.field(",", "model", s.Model)
	w.field(",", "visibility", trace.TraceVisibilityPrivate)
	w.field(",", "source", sourceOf(s))
	w.field(",", "git", git)
	w.raw(`,"steps":[`)
	for i := range s.Steps {
		if i > 0 {
			w.raw(",")
		}
		if i%ctxEvery == 0 && ctx.Err() != nil {
			w.fail(ctx.Err())
		}
		if w.err != nil {
			break
		}
		w.step(i)
	}
	w.raw("]")
	w.field(",", "filesChanged", orEmpty(s.FilesChanged))
	w.field(",", "usage", usageOf(s))
	w.field(",", "agents", agentsOf(s))
	w.field(",", "skipped", skippedOf(s))
	w.raw("}\n")
	if w.err != nil {
		return fmt.Errorf("write the trace of %s: %w", s.Path, w.err)
	}
	if err := w.out.Flush(); err != nil {
		return fmt.Errorf("write the trace of %s: %w", s.Path, err)
	}
	return nil
}

// ID names a session's trace: the same for each reading of the same session.
func ID(s *transcript.Session) string {
	sum := sha256.Sum256([]byte(s.Agent + "\x00" + s.ID))
	return hex.EncodeToString(sum[:16])
}

func orEmpty(list []string) []string {
	if list == nil {
		return []string{}
	}
	return list
}

type writer struct {
	out     *bufio.Writer
	s       *transcript.Session
	windows map[int32]*window // by source
	reads   int
	ends    []end  // of outputs, by call
	buf     []byte // of the step that is being written
	input   []byte // a call's, decoded where the log has it as text
	err     error
}

func (w *writer) fail(err error) {
	if w.err == nil {
		w.err = err
	}
}

func (w *writer) raw(text string) {
	if w.err == nil {
		_, w.err = w.out.WriteString(text)
	}
}

// field writes a member that is small enough to be held.
func (w *writer) field(before, name string, value any) {
	data, err := marshal(value)
	if err != nil {
		w.fail(err)
		return
	}
	w.raw(before + `"` + name + `":`)
	w.raw(string(data))
}

// step writes the step of a number.
func (w *writer) step(n int) {
	p := &w.s.Steps[n]
	b := append(w.buf[:0], `{"index":`...)
	b = strconv.AppendInt(b, int64(n), 10)
	b = append(b, `,"type":"`...)
	b = append(b, p.Kind.String()...)
	b = append(b, '"')
	if p.At != transcript.NoTime {
		b = append(b, `,"timestamp":"`...)
		b = appendTime(b, p.At)
		b = append(b, '"')
	}
	if p.Kind == transcript.ToolCall {
		b = w.call(b, p.Call)
	} else {
		b = append(b, `,"content":`...)
		if p.Call == transcript.None {
			b = w.text(b, p.Text, MaxContent)
		} else {
			b = w.output(b, p.Call, p.Text)
		}
		if p.Images > 0 {
			b = append(b, `,"images":`...)
			b = strconv.AppendInt(b, int64(p.Images), 10)
		}
		if p.Call != transcript.None {
			call := &w.s.Calls[p.Call]
			b = append(b, `,"tool":{"name":`...)
			b = appendString(b, call.Name)
			b = append(b, `,"id":`...)
			b = append(appendString(b, call.ID), '}')
		}
	}
	if p.Agent != transcript.Main {
		b = append(b, `,"agentId":`...)
		b = appendString(b, w.s.Agents[p.Agent].ID)
	}
	b = append(b, '}')
	w.buf = small(w.put(b))
	w.input = small(w.input)
}

// put writes what was made of a step so far, and is the room for more.
func (w *writer) put(b []byte) []byte {
	if w.err == nil {
		_, w.err = w.out.Write(b)
	}
	return b[:0]
}

func small(buffer []byte) []byte {
	if cap(buffer) > kept {
		return nil
	}
	return buffer
}

// call writes what a tool_call step says.
func (w *writer) call(b []byte, n int32) []byte {
	call := &w.s.Calls[n]
	input := w.readInput(call)
	b = append(b, `,"content":`...)
	b = appendLabel(b, call.Name, input)
	b = append(b, `,"tool":{"name":`...)
	b = appendString(b, call.Name)
	b = append(b, `,"id":`...)
	b = appendString(b, call.ID)
	if len(input) > 0 {
		b = append(b, `,"input":`...)
		b = w.shortened(b, input)
	}
	if call.Answered {
		b = append(b, `,"output":`...)
		b = w.output(b, n, call.Output)
		b = append(b, `,"isError":`...)
		b = strconv.AppendBool(b, call.IsError)
	}
	b = append(b, '}')
	return w.diff(b, call)
}

// appendTime writes a time in UTC, to the millisecond where that is all it has.
func appendTime(b []byte, ns int64) []byte {
	t := time.Unix(0, ns).UTC()
	if ns%1e6 != 0 {
		return t.AppendFormat(b, time.RFC3339Nano)
	}
	year, month, day := t.Date()
	hour, minute, second := t.Clock()
	b = appendDigits(b, year, 4)
	b = appendDigits(append(b, '-'), int(month), 2)
	b = appendDigits(append(b, '-'), day, 2)
	b = appendDigits(append(b, 'T'), hour, 2)
	b = appendDigits(append(b, ':'), minute, 2)
	b = appendDigits(append(b, ':'), second, 2)
	b = appendDigits(append(b, '.'), t.Nanosecond()/1e6, 3)
	return append(b, 'Z')
}

func appendDigits(b []byte, n, width int) []byte {
	at := len(b)
	b = append(b, "0000"[:width]...)
	for i := at + width - 1; i >= at; i-- {
		b[i] = byte('0' + n%10)
		n /= 10
	}
	return b
}

// marshal is JSON as it should be read: < is not \u003c.
func marshal(value any) ([]byte, error) {
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false)
	err := e.Encode(value)
	return bytes.TrimSuffix(out.Bytes(), []byte("\n")), err
}
