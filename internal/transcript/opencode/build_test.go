// SPDX-License-Identifier: Apache-2.0

package opencode_test

import (
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fiftyarms/platform/internal/jsonscan"
	"github.com/fiftyarms/platform/internal/transcript"
	"github.com/fiftyarms/platform/internal/transcript/opencode"
)

// A row is a session, a message or a part of a test; fields are the members of its record.
type row struct{ id, of, fields string }

// A log is what a test's store holds: parts are of the message before them.
type log struct {
	sessions []row // of: the parent
	messages []row // of: the session
	parts    []row // of: the message
}

func (l *log) session(id, parent, fields string) {
	l.sessions = append(l.sessions, row{id, parent, fields})
}

// message adds a message with its parts, to the session that was added last.
func (l *log) message(fields string, parts ...string) {
	n := len(l.messages) + 1
	id := fmt.Sprintf("msg_%02d", n)
	l.messages = append(l.messages, row{id, l.sessions[len(l.sessions)-1].id, fmt.Sprintf(`"time":{"created":%d},`, 1700000000000+n*1000) + fields})
	for _, fields := range parts {
		l.parts = append(l.parts, row{fmt.Sprintf("prt_%03d", len(l.parts)+1), id, fields})
	}
}

const (
	user      = `"role":"user"`
	assistant = `"role":"assistant","modelID":"m-1"`
)

func said(text string) string { return `"type":"text","text":"` + text + `"` }

func tool(name, call, state string) string {
	return fmt.Sprintf(`"type":"tool","tool":%q,"callID":%q,"state":{%s}`, name, call, state)
}

func done(input, output, more string) string {
	return fmt.Sprintf(`"status":"completed","input":{%s},"output":%q%s`, input, output, more)
}

const tables = `
CREATE TABLE session (id text PRIMARY KEY, project_id text, parent_id text, directory text, title text, version text, revert text, time_created integer, time_updated integer);
CREATE TABLE message (id text PRIMARY KEY, session_id text, time_created integer, time_updated integer, data text);
CREATE TABLE part (id text PRIMARY KEY, message_id text, session_id text, time_created integer, time_updated integer, data text);`

// fill makes a database. It stays open for as long as the test runs, unless it is closed.
func (l *log) fill(t *testing.T, path, mode string) *sql.DB {
	t.Helper()
	db, err := sql.Open("sqlite", "file:"+path+"?_pragma=journal_mode("+mode+")")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	db.SetMaxOpenConns(1)
	run := func(query string, args ...any) {
		t.Helper()
		if _, err := db.ExecContext(t.Context(), query, args...); err != nil {
			t.Fatal(err)
		}
	}
	run(tables)
	for i, s := range l.sessions {
		var parent, revert any
		if s.of != "" {
			parent = s.of
		}
		if strings.HasPrefix(s.fields, "{") {
			revert = s.fields
		}
		run(`INSERT INTO session VALUES (?, 'p', ?, '/w', ?, '1.2.0', ?, ?, ?)`, s.id, parent, "Title of "+s.id, revert, i, 1700000000000+i)
	}
	of := map[string]string{}
	for i, m := range l.messages {
		of[m.id] = m.of
		run(`INSERT INTO message VALUES (?, ?, ?, 0, ?)`, m.id, m.of, i, "{"+m.fields+"}")
	}
	for i, p := range l.parts {
		run(`INSERT INTO part VALUES (?, ?, ?, ?, 0, ?)`, p.id, p.of, of[p.of], i, "{"+p.fields+"}")
	}
	return db
}

// tree writes the same as files, and names that of the first session.
func (l *log) tree(t *testing.T, dir string) string {
	t.Helper()
	write := func(path, data string) {
		t.Helper()
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(data), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	storage := filepath.Join(dir, "storage")
	for i, s := range l.sessions {
		more := ""
		if s.of != "" {
			more += fmt.Sprintf(`,"parentID":%q`, s.of)
		}
		if strings.HasPrefix(s.fields, "{") {
			more += `,"revert":` + s.fields
		}
		write(filepath.Join(storage, "session", "p", s.id+".json"), fmt.Sprintf(
			`{"id":%q,"projectID":"p","directory":"/w","title":"Title of %s","version":"1.1.0","time":{"created":1,"updated":%d}%s}`, s.id, s.id, i, more))
	}
	for _, m := range l.messages {
		write(filepath.Join(storage, "message", m.of, m.id+".json"), fmt.Sprintf(`{"id":%q,%s}`, m.id, m.fields))
	}
	for _, p := range l.parts {
		write(filepath.Join(storage, "part", p.of, p.id+".json"), fmt.Sprintf(`{"id":%q,%s}`, p.id, p.fields))
	}
	return filepath.Join(storage, "session", "p", l.sessions[0].id+".json")
}

func readPath(t *testing.T, path string) *transcript.Session {
	t.Helper()
	s, err := opencode.Format{}.Read(t.Context(), path, func(int64) {})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

func text(t *testing.T, s *transcript.Session, at transcript.Span) string {
	t.Helper()
	raw := make([]byte, at.Len)
	if n, err := s.Source(at).ReadAt(raw, at.Off); n < len(raw) {
		t.Fatalf("span %+v lies outside its source: %v", at, err)
	}
	return jsonscan.DecodeString(raw)
}

// steps are the session's steps in short.
func steps(t *testing.T, s *transcript.Session) (lines []string) {
	t.Helper()
	for _, p := range s.Steps {
		words := []string{p.Kind.String()}
		if p.Agent != transcript.Main {
			words = append(words, "of", s.Agents[p.Agent].ID)
		}
		if p.Call != transcript.None {
			words = append(words, s.Calls[p.Call].Name+"/"+s.Calls[p.Call].ID)
		}
		if p.Kind == transcript.ToolCall {
			words = append(words, text(t, s, s.Calls[p.Call].Input))
		}
		for _, part := range p.Text {
			words = append(words, text(t, s, part))
		}
		if p.Images > 0 {
			words = append(words, fmt.Sprint("images=", p.Images))
		}
		lines = append(lines, strings.Join(words, " "))
	}
	return lines
}
