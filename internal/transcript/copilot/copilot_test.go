// SPDX-License-Identifier: Apache-2.0

package copilot_test

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/fiftyarms/platform/internal/jsonscan"
	"github.com/fiftyarms/platform/internal/transcript"
	"github.com/fiftyarms/platform/internal/transcript/copilot"
)

// ev is an event of a second of the session.
func ev(second int, kind, data string, more ...string) string {
	return fmt.Sprintf(`{"type":%q,"data":%s,"timestamp":"2031-02-03T04:%02d:%02d.000Z"%s}`, kind, data, second/60, second%60, strings.Join(more, ""))
}

func write(t testing.TB, lines ...string) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "a-session")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "events.jsonl")
	if err := os.WriteFile(path, []byte(strings.Join(lines, "\n")+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func open(t testing.TB, path string) *transcript.Session {
	t.Helper()
	s, err := copilot.Format{}.Read(t.Context(), path, nil)
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

func read(t testing.TB, lines ...string) *transcript.Session {
	t.Helper()
	return open(t, write(t, lines...))
}

// spelled is a session's steps, each in a line.
func spelled(t testing.TB, s *transcript.Session) (steps []string) {
	t.Helper()
	for _, p := range s.Steps {
		var parts []string
		for _, at := range p.Text {
			parts = append(parts, textOf(t, s, at))
		}
		line := p.Kind.String() + " " + strings.Join(parts, "|")
		if p.Call != transcript.None {
			line = fmt.Sprintf("%s %s(%s)", line, s.Calls[p.Call].Name, s.Calls[p.Call].ID)
		}
		if p.Images > 0 {
			line += fmt.Sprintf(" +%d", p.Images)
		}
		if p.Agent != transcript.Main {
			line = s.Agents[p.Agent].ID + ": " + line
		}
		steps = append(steps, line)
	}
	return steps
}

func textOf(t testing.TB, s *transcript.Session, at transcript.Span) string {
	t.Helper()
	raw := make([]byte, at.Len)
	if n, err := s.Source(at).ReadAt(raw, at.Off); n < len(raw) {
		t.Fatalf("span %+v: %v", at, err)
	}
	return jsonscan.DecodeString(raw)
}

func message(id, content string, requests ...string) string {
	return fmt.Sprintf(`{"messageId":%q,"content":%q,"toolRequests":[%s]}`, id, content, strings.Join(requests, ","))
}

func wish(id, name, arguments string) string {
	return fmt.Sprintf(`{"toolCallId":%q,"name":%q,"arguments":%s,"type":"function"}`, id, name, arguments)
}

var stepTests = []struct {
	name  string
	lines []string
	want  []string
}{
	{"prompts, and what the client says in their place", []string{
		ev(1, "system.message", `{"role":"system","content":"You are"}`),
		ev(2, "user.message", `{"content":"do it","transformedContent":"<current_datetime>x</current_datetime>do it","source":"user"}`),
		ev(3, "user.message", `{"content":"read it","source":"skill-pdf"}`),
		ev(4, "user.message", `{"content":"go on","isAutopilotContinuation":true}`),
		ev(5, "user.message", `{"content":"<skill-context name=\"x\">y</skill-context>"}`),
		ev(6, "user.message", `{"content":"<system_reminder>y</system_reminder>\n<system_notification>z</system_notification>"}`),
		ev(7, "user.message", `{"content":"<system_reminder>y</system_reminder> means what?","delivery":"steering"}`),
		ev(8, "user.message", `{"content":"from afar","inputOrigin":"authenticated-cross-session"}`),
		ev(9, "user.message", `{"content":" \n"}`),
		ev(10, "user.message", `{"content":"\u003csystem_reminder\u003e\u003c\/b>\u003c\/system_reminder\u003e\n"}`),
	}, []string{"user_prompt do it", "user_prompt <system_reminder>y</system_reminder> means what?"}},
	{"attachments", []string{
		ev(1, "user.message", `{"content":"","attachments":[{"type":"file","path":"/w/a.txt","displayName":"a.txt"},{"type":"directory","path":"/w/d"}]}`),
		ev(2, "user.message", `{"content":"see","attachments":[{"type":"file","path":"/w/a.txt"},{"type":"file","path":"/w/a.PNG"},{"type":"blob","mimeType":"image/webp"}]}`),
		ev(3, "user.message", `{"content":"","attachments":[{"type":"blob","mimeType":"image/png"}]}`),
	}, []string{"user_prompt a.txt|/w/d", "user_prompt see +2", "user_prompt  +1"}},
	{"an answer", []string{
		ev(1, "assistant.turn_start", `{"turnId":"0"}`),
		ev(1, "assistant.message_delta", `{"content":"I s"}`, `,"ephemeral":true`),
		ev(2, "assistant.message", `{"messageId":"m","content":"I see","reasoningText":"hm","encryptedContent":"zz","toolRequests":[{"toolCallId":"c","name":"bash","arguments":"{\"command\":\"ls\"}"}]}`),
		ev(2, "assistant.reasoning", `{"reasoningId":"r","content":"hm"}`),
		ev(2, "assistant.message", `{"messageId":"m","content":"I see","toolRequests":[]}`),
		ev(3, "tool.execution_start", `{"toolCallId":"c","toolName":"bash","arguments":{"command":"ls"}}`),
		ev(3, "tool.execution_partial_result", `{"toolCallId":"c","partialOutput":"a"}`),
		ev(4, "tool.execution_complete", `{"toolCallId":"c","success":true,"result":{"content":"a\n<exited with exit code 1>"}}`),
		ev(4, "tool.execution_complete", `{"toolCallId":"c","success":true,"result":{"content":"again"}}`),
		ev(5, "assistant.turn_end", `{"turnId":"0"}`),
		ev(6, "assistant.reasoning", `{"content":"hm"}`),
		ev(6, "assistant.message", `{"content":"","reasoningText":"hm"}`),
	}, []string{"thinking hm", "assistant_message I see", "tool_call  bash(c)", "tool_result a\n<exited with exit code 1> bash(c)", "thinking hm"}},
	{"a call that no answer asked for", []string{
		ev(1, "tool.execution_start", `{"toolCallId":"c","toolName":"view","arguments":{"path":"/w/a"}}`),
		ev(2, "tool.execution_complete", `{"toolCallId":"c","success":true,"result":"text"}`),
		ev(3, "tool.execution_start", `{"toolCallId":"d","toolName":"bash"}`),
		ev(4, "tool.execution_complete", `{"toolCallId":"d","success":true,"result":{"stdout":"o","stderr":"","exitCode":1,"contents":[{"type":"image"}]}}`),
	}, []string{"tool_call  view(c)", "tool_result text view(c)", "tool_call  bash(d)", "tool_result o bash(d) +1"}},
	{"failures", []string{
		ev(1, "assistant.message", message("m", "", wish("c", "bash", "{}"), wish("d", "bash", "{}"), wish("e", "bash", "{}"))),
		ev(2, "tool.execution_complete", `{"toolCallId":"c","success":false,"error":{"message":"denied","code":"denied"}}`),
		ev(2, "tool.execution_complete", `{"toolCallId":"d","success":false,"result":{"content":"no"},"error":"gone"}`),
		ev(2, "tool.execution_complete", `{"toolCallId":"e","success":false,"result":{"content":"no"}}`),
	}, []string{"tool_call  bash(c)", "tool_call  bash(d)", "tool_call  bash(e)", "error_recovery denied bash(c)", "error_recovery gone bash(d)", "error_recovery no bash(e)"}},
	{"a person's own command", []string{
		ev(1, "tool.user_requested", `{"toolCallId":"c","toolName":"bash","arguments":{}}`),
		ev(1, "tool.execution_start", `{"toolCallId":"c","toolName":"bash","arguments":{}}`),
		ev(2, "tool.execution_complete", `{"toolCallId":"c","success":true,"isUserRequested":true,"result":"x"}`),
	}, nil},
	{"a part that is there twice", []string{
		ev(1, "user.message", `{"content":"one"}`, `,"id":"e1"`), ev(2, "assistant.message", message("", "two"), `,"id":"e2"`),
		ev(1, "user.message", `{"content":"one"}`, `,"id":"e1"`), ev(2, "assistant.message", message("", "two"), `,"id":"e2"`),
	}, []string{"user_prompt one", "assistant_message two"}},
	{"what was taken back", []string{
		ev(1, "user.message", `{"content":"one"}`, `,"id":"e1"`), ev(2, "user.message", `{"content":"two"}`, `,"id":"e2"`),
		ev(3, "assistant.message", message("m", "2"), `,"id":"e3"`), ev(4, "session.snapshot_rewind", `{"upToEventId":"e2","eventsRemoved":2}`, `,"id":"e4"`),
		ev(5, "user.message", `{"content":"three"}`, `,"id":"e5"`), ev(6, "session.snapshot_rewind", `{"upToEventId":"cut off","eventsRemoved":2}`, `,"id":"e6"`),
	}, []string{"user_prompt one", "user_prompt three"}},
	{"sub-agents", []string{
		ev(1, "assistant.message", message("m", "", wish("c", "task", "{}"), wish("d", "task", "{}"))),
		ev(2, "subagent.started", `{"toolCallId":"c","agentName":"explore","agentDisplayName":"Explorer","model":"m-2"}`, `,"agentId":"a1"`),
		ev(3, "user.message", `{"content":"look"}`, `,"agentId":"a1"`),
		ev(4, "assistant.message", `{"messageId":"n","content":"seen","parentToolCallId":"c"}`),
		ev(5, "subagent.started", `{"toolCallId":"d","agentName":"task"}`, `,"agentId":"d"`),
		ev(6, "assistant.message", message("o", "done"), `,"agentId":"d"`),
	}, []string{"tool_call  task(c)", "tool_call  task(d)", "a1: user_prompt look", "a1: assistant_message seen", "d: assistant_message done"}},
}

func TestSteps(t *testing.T) {
	for _, tt := range stepTests {
		t.Run(tt.name, func(t *testing.T) {
			s := read(t, append([]string{ev(0, "session.start", `{"sessionId":"s"}`)}, tt.lines...)...)
			if got := spelled(t, s); !slices.Equal(got, tt.want) {
				t.Errorf("steps:\n%q\nwant:\n%q", got, tt.want)
			}
			for _, c := range s.Calls {
				if tt.name == "failures" != c.IsError {
					t.Errorf("call %+v", c)
				}
			}
			if s.Skipped.Unknown+s.Skipped.Malformed > 0 {
				t.Errorf("skipped: %+v", s.Skipped)
			}
		})
	}
}

func TestSubAgents(t *testing.T) {
	s := read(t,
		ev(1, "assistant.message", message("m", "", wish("c", "task", "{}"))),
		ev(2, "subagent.started", `{"toolCallId":"c","agentName":"explore","agentDisplayName":"Explorer","model":"m-2"}`, `,"agentId":"a1"`),
		ev(3, "assistant.message", `{"content":"x","outputTokens":5,"model":"m-2"}`, `,"agentId":"a1"`),
		ev(4, "subagent.started", `{"toolCallId":"e","agentName":"deep"}`, `,"agentId":"a1"`),
		ev(5, "subagent.completed", `{"toolCallId":"c","agentName":"explore","totalTokens":9}`, `,"agentId":"a1"`),
		ev(6, "assistant.message", `{"content":"y","outputTokens":7,"model":"m-1"}`))
	want := []transcript.Agent{
		{ID: "a1", CallID: "c", Type: "explore", Description: "Explorer", Model: "m-2", Usage: transcript.Tokens{Output: 5}},
		{ID: "e", CallID: "e", Type: "deep"},
	}
	if !slices.Equal(s.Agents, want) {
		t.Errorf("agents %+v", s.Agents)
	}
	if s.Model != "m-1" || s.Usage.Output != 12 {
		t.Errorf("model %q, usage %+v", s.Model, s.Usage)
	}
}

func TestHeader(t *testing.T) {
	path := write(t,
		ev(0, "session.start", `{"sessionId":"s","copilotVersion":"1.0.75","selectedModel":"m-1","context":{"cwd":"C:\\w","branch":"trunk"}}`),
		ev(1, "user.message", `{"content":"  do\n it "}`), ev(2, "session.model_change", `{"newModel":"m-2"}`),
		ev(3, "session.resume", `{"copilotVersion":"1.0.80","context":{"cwd":"C:\\o","branch":"b"}}`),
		ev(4, "fresh.kind", `{}`), ev(5, "hook.start", `{}`), ev(5, "permission.fresh", `{}`))
	if err := os.WriteFile(filepath.Join(filepath.Dir(path), "workspace.yaml"), []byte("id: s\nsummary: |\n  x\nname: \"A \\\"name\\\"\"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	s := open(t, path)
	got := []string{s.Agent, s.ID, s.Cwd, s.AgentVersion, s.Branch, s.Model, s.Title, s.Summary}
	want := []string{"copilot-cli", "s", `C:\w`, "1.0.80", "b", "m-1", "do it", `A "name"`}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if k := s.Skipped; k.Unknown != 1 || k.UnknownTypes["fresh.kind"] != 1 || k.KnownIgnored != 5 {
		t.Errorf("skipped %+v", k)
	}
	if s := read(t, ev(1, "session.title_changed", `{"title":"T"}`)); s.ID != "a-session" || s.Summary != "T" || s.Model != "unknown" {
		t.Errorf("session %q, %q, %q", s.ID, s.Summary, s.Model)
	}
}

func TestDamage(t *testing.T) {
	one, two := ev(1, "user.message", `{"content":"one"}`), ev(2, "user.message", `{"content":"two \ud83d"}`)
	tests := []struct {
		name                         string
		lines                        []string
		prompts                      int
		malformed, recovered, blanks int64
	}{
		{"two in a line", []string{one + two}, 2, 1, 2, 0},
		{"cut", []string{one, two[:len(two)-5]}, 1, 1, 0, 0},
		{"one in the other", []string{one[:12] + two + one[12:]}, 2, 1, 2, 0},
		{"NULs", []string{"\x00\x00" + one, two}, 2, 1, 1, 0},
		{"blank, no object, no type", []string{"", one, "[1]", `{"a":1}`, " "}, 1, 2, 0, 2},
		{"a part of an event", []string{`{"type":"tool.execution_start","data":{"arguments":{"type":"user.message","data":{"content":"x"}},`}, 0, 1, 0, 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := read(t, tt.lines...)
			k := s.Skipped
			if len(s.Steps) != tt.prompts || k.Malformed != tt.malformed || k.Recovered != tt.recovered || k.Blank != tt.blanks {
				t.Errorf("%q, skipped %+v", spelled(t, s), k)
			}
		})
	}
}

func TestOwns(t *testing.T) {
	tests := []struct {
		name, head string
		want       bool
	}{
		{"a session", ev(0, "session.start", `{"sessionId":"s"}`), true},
		{"a session, cut", ev(0, "system.message", `{"content":"`+strings.Repeat("y", 1000))[:500], true},
		{"damage", `{"type":"` + ev(0, "user.message", `{"content":"x"}`), true},
		{"Claude Code", `{"type":"user","sessionId":"a","uuid":"b","message":{"role":"user","content":"user.message data"}}`, false},
		{"Codex", `{"timestamp":"2031-02-03T04:05:06Z","type":"session_meta","payload":{"id":"x"}}`, false},
		{"pi", `{"type":"session","id":"a","timestamp":"2031-02-03T04:05:06Z","data":{}}`, false},
		{"other events", `{"type":"thread.started","data":{}}`, false},
		{"no log", "hello", false},
		{"nothing", "", false},
	}
	for _, tt := range tests {
		if got := (copilot.Format{}).Owns("events.jsonl", []byte(tt.head)); got != tt.want {
			t.Errorf("%s: %v", tt.name, got)
		}
	}
}

func TestFind(t *testing.T) {
	home := t.TempDir()
	f := copilot.Format{}
	dir := f.Dir(transcript.Env{Home: home, Getenv: func(string) string { return "" }})
	if want := filepath.Join(home, ".copilot", "session-state"); dir != want {
		t.Errorf("dir %q, want %q", dir, want)
	}
	if got := f.Dir(transcript.Env{Home: home, Getenv: func(k string) string { return map[string]string{"COPILOT_HOME": "/c"}[k] }}); got != filepath.Join("/c", "session-state") {
		t.Errorf("dir %q", got)
	}
	var found []string
	each := func(path string, _ fs.FileInfo) {
		name, err := filepath.Rel(dir, path)
		if err != nil {
			t.Error(err)
		}
		found = append(found, filepath.ToSlash(name))
	}
	if err := f.Each(dir, each); err != nil || found != nil {
		t.Errorf("a folder that is not there: %v %v", found, err)
	}
	for _, name := range []string{"a/events.jsonl", "b/other.jsonl", "c.jsonl", "d.txt"} {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := f.Each(dir, each); err != nil || !slices.Equal(found, []string{"a/events.jsonl", "c.jsonl"}) {
		t.Errorf("found %q, %v", found, err)
	}
}
