// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"strings"
	"time"
)

// A shape is what a session is made of.
type shape struct {
	file, what, that string
	atLeast          float64 // MB/CPU-s
	turn             func(m *sessionMaker, n int)
	redacted         bool // whether it is redacted too
}

// shapes are those that are measured. The first has the shares that real ones have: three fifths of the bytes are results,
// most of them twice, as the model saw them and as the client kept them; a fifth is progress, a fifth what the model said.
// The others are where an index costs most, and where text stands in text.
var shapes = []shape{
	{"session.jsonl", "written to a file", "that", 300, (*sessionMaker).turn, true},
	{"small.jsonl", "in records of about 1.3 KB", "small records", 150, (*sessionMaker).smallTurn, false},
	{"rollout-codex.jsonl", "of Codex", "that of Codex", 150, (*sessionMaker).codexTurn, false},
}

// details tells how large records are where that is the point.
func (s shape) details(records int) string {
	if s.that == "that" {
		return ""
	}
	return fmt.Sprintf("%d records of %.0f bytes", records, sessionBytes/float64(records))
}

// makeSession writes a session of a shape, and tells of how many records.
func makeSession(path string, s shape) (records int, err error) {
	f, err := os.Create(path)
	if err != nil {
		return 0, err
	}
	m := sessionMaker{out: bufio.NewWriterSize(f, 1<<20), random: rand.New(rand.NewPCG(1, 2))}
	for n := 0; m.written < sessionBytes && m.err == nil; n++ {
		s.turn(&m, n)
	}
	return m.records, errors.Join(m.err, m.out.Flush(), f.Close())
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
		"timestamp": m.now(),
	}
	for k, v := range more {
		r[k] = v
	}
	m.write(r)
}

// write writes a record.
func (m *sessionMaker) write(r fields) {
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

func (m *sessionMaker) now() string {
	return time.UnixMilli(1767225600000 + int64(m.records)*700).UTC().Format("2006-01-02T15:04:05.000Z")
}

// said is a block of the n-th answer.
func (m *sessionMaker) said(n int, block fields) fields {
	id := fmt.Sprintf("msg_%08x", n)
	return fields{"requestId": "req_" + id, "message": fields{"id": id, "model": "claude-test", "role": "assistant", "content": []any{block},
		"usage": fields{"input_tokens": 7, "output_tokens": n % 500, "cache_read_input_tokens": 30000, "cache_creation": fields{"ephemeral_5m_input_tokens": 100, "ephemeral_1h_input_tokens": 10}}}}
}

func (m *sessionMaker) turn(n int) {
	call := fmt.Sprintf("toolu_%08x", n)
	if n%30 == 0 {
		m.add("user", fields{"message": fields{"role": "user", "content": m.text(200)}})
	}
	m.add("assistant", m.said(n, fields{"type": "text", "text": m.text(900)}))
	m.add("assistant", m.said(n, fields{"type": "tool_use", "id": call, "name": "Bash", "input": fields{"command": m.text(120), "description": "look"}}))
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

// smallTurn is a turn of records that hold little: an index has as much to keep of each as of a large one.
func (m *sessionMaker) smallTurn(n int) {
	call := fmt.Sprintf("toolu_%08x", n)
	if n%30 == 0 {
		m.add("user", fields{"message": fields{"role": "user", "content": m.text(900)}})
	}
	m.add("assistant", m.said(n, fields{"type": "text", "text": m.text(620)}))
	m.add("assistant", m.said(n, fields{"type": "tool_use", "id": call, "name": "Read", "input": fields{"file_path": m.text(430)}}))
	text := m.text(470)
	m.add("user", fields{
		"message":       fields{"role": "user", "content": []any{fields{"type": "tool_result", "tool_use_id": call, "content": text}}},
		"toolUseResult": fields{"stdout": text, "stderr": ""},
	})
}

// codexTurn is a turn of Codex: its inputs and outputs are JSON in the strings of JSON.
func (m *sessionMaker) codexTurn(n int) {
	record := func(kind string, payload fields) {
		m.write(fields{"timestamp": m.now(), "type": kind, "payload": payload})
	}
	if n == 0 {
		record("session_meta", fields{"id": "5d1c0f1e-0000-4000-8000-000000000001", "timestamp": m.now(), "cwd": "/nowhere", "cli_version": "0.98.0", "originator": "codex_cli_rs"})
	}
	if n%30 == 0 {
		record("turn_context", fields{"cwd": "/nowhere", "model": "gpt-test"})
		text := m.text(200)
		record("response_item", fields{"type": "message", "role": "user", "content": []any{fields{"type": "input_text", "text": text}}})
		record("event_msg", fields{"type": "user_message", "message": text})
	}
	call, text := fmt.Sprintf("call_%024x", n), m.text(700)
	record("response_item", fields{"type": "reasoning", "summary": []any{fields{"type": "summary_text", "text": m.text(300)}}, "encrypted_content": strings.Repeat("gAAAAB", 150)})
	record("response_item", fields{"type": "message", "role": "assistant", "content": []any{fields{"type": "output_text", "text": text}}})
	record("event_msg", fields{"type": "agent_message", "message": text})
	record("response_item", fields{"type": "function_call", "name": "shell", "call_id": call, "arguments": m.encoded(fields{"command": []string{"bash", "-lc", m.text(120)}, "workdir": "/nowhere"})})
	output := m.text(1500 + m.random.IntN(5000))
	record("response_item", fields{"type": "function_call_output", "call_id": call, "output": m.encoded(fields{"output": output, "metadata": fields{"exit_code": n % 20 / 19, "duration_seconds": 0.1}})})
	spent := fields{"input_tokens": 30000, "cached_input_tokens": 29000, "output_tokens": n % 500}
	record("event_msg", fields{"type": "token_count", "info": fields{"last_token_usage": spent}})
}

// encoded is JSON as the text of a string.
func (m *sessionMaker) encoded(value any) string {
	data, err := json.Marshal(value)
	m.err = errors.Join(m.err, err)
	return string(data)
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
