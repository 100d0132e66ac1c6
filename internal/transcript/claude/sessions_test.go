// SPDX-License-Identifier: Apache-2.0

package claude

import (
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/fiftyarms/platform/internal/transcript"
	"github.com/fiftyarms/platform/internal/transcript/transcripttest"
)

// A want is what a session comes down to. The numbers were written by hand, from what the format means.
type want struct {
	Prompts   []string
	Messages  []string
	Calls     int
	Results   int // errors included
	Errors    int
	Malformed int64
	Recovered int64
	Blank     int64
	Files     []string
	Agents    int
	Abandoned int64
	Unmatched int64
	Unknown   map[string]int64
	Usage     [6]int64 // in, out, read from cache, written to it, for 5 minutes, for an hour
}

func wanted(t *testing.T, s *transcript.Session) want {
	t.Helper()
	w := want{
		Prompts: []string{}, Files: s.FilesChanged, Agents: len(s.Agents), Malformed: s.Skipped.Malformed, Recovered: s.Skipped.Recovered,
		Blank: s.Skipped.Blank, Abandoned: s.Skipped.Abandoned.Records, Unmatched: s.Skipped.UnmatchedResults,
		Usage: [6]int64{s.Usage.Input, s.Usage.Output, s.Usage.CacheRead, s.Usage.CacheCreation, s.Usage.CacheCreation5m, s.Usage.CacheCreation1h},
	}
	if len(s.Skipped.UnknownTypes) > 0 {
		w.Unknown = s.Skipped.UnknownTypes
	}
	if w.Files == nil {
		w.Files = []string{}
	}
	for _, p := range s.Steps {
		switch p.Kind {
		case transcript.ToolCall:
			w.Calls++
		case transcript.ErrorRecovery:
			w.Errors++
			w.Results++
		case transcript.ToolResult:
			w.Results++
		case transcript.UserPrompt:
			if p.Agent == transcript.Main {
				w.Prompts = append(w.Prompts, said(t, s, p))
			}
		case transcript.AssistantMessage:
			if p.Agent == transcript.Main {
				w.Messages = append(w.Messages, said(t, s, p))
			}
		}
	}
	return w
}

func said(t *testing.T, s *transcript.Session, p transcript.Step) string {
	t.Helper()
	text, err := s.Text(p.Text, 1<<20)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func open(t *testing.T, path string) *transcript.Session {
	t.Helper()
	s, err := Format{}.Read(t.Context(), path, nil)
	if err != nil {
		t.Fatal(err)
	}
	transcripttest.Sound(t, s)
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// TestSessions reads sessions that are hard in one way each: branches, compaction, queues, sub-agents, damage. What each
// is about stands at its head.
func TestSessions(t *testing.T) {
	files, err := filepath.Glob("testdata/sessions/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			archive, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			dir := t.TempDir()
			if err := txtar.Write(archive, dir); err != nil {
				t.Fatal(err)
			}
			var w want
			data, err := os.ReadFile(filepath.Join(dir, "want.json"))
			if err != nil {
				t.Fatal(err)
			}
			if err := json.Unmarshal(data, &w); err != nil {
				t.Fatal(err)
			}
			s := open(t, filepath.Join(dir, "session.jsonl"))
			got := wanted(t, s)
			for i := range got.Prompts {
				got.Prompts[i] = strings.TrimSpace(got.Prompts[i])
			}
			if d := cmp.Diff(w, got); d != "" {
				t.Errorf("%s%s", archive.Comment, d)
			}
			ours := Format{}
			if head, err := os.ReadFile(filepath.Join(dir, "session.jsonl")); err != nil || !ours.Owns("x", head) {
				t.Errorf("it is not known for what it is (%v)", err)
			}
		})
	}
}

// write makes a session's files in a folder.
func write(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

const calling = `{"type":"user","uuid":"u1","sessionId":"s","message":{"role":"user","content":"go"}}
{"type":"assistant","uuid":"u2","parentUuid":"u1","sessionId":"s","message":{"id":"m","model":"claude-test","content":[{"type":"tool_use","id":"t1","name":"Bash","input":{"command":"seq"}}],"usage":{"input_tokens":1,"output_tokens":2}}}
`

func persisted(path string) string {
	return calling + `{"type":"user","uuid":"u3","parentUuid":"u2","sessionId":"s","message":{"content":[{"type":"tool_result","tool_use_id":"t1","content":"<persisted-output>\nOutput too large (9KB). Full output saved to: ` + path + `\n\nPreview (first 2KB):\n1\n2\n</persisted-output>"}]}}
`
}

// TestOutputsInFilesOfTheirOwn: what a result names is read from the session's own folder and from nowhere else.
func TestOutputsInFilesOfTheirOwn(t *testing.T) {
	const whole = "1\n2\n\"3\"\xff"
	result := func(s *transcript.Session) string { return said(t, s, s.Steps[2]) }
	preview := func(path string) string {
		return "<persisted-output>\nOutput too large (9KB). Full output saved to: " + path + "\n\nPreview (first 2KB):\n1\n2\n</persisted-output>"
	}
	t.Run("its own", func(t *testing.T) {
		path := "/home/dev/.claude/projects/-work/s/tool-results/abc.txt" // where it was, on another machine
		dir := write(t, map[string]string{"s.jsonl": persisted(path), "s/tool-results/abc.txt": whole})
		if got := result(open(t, filepath.Join(dir, "s.jsonl"))); got != "1\n2\n\"3\"\ufffd" {
			t.Errorf("%q", got)
		}
	})
	outside := filepath.Join(write(t, map[string]string{"tool-results/abc.txt": "not this"}), "tool-results", "abc.txt")
	for name, path := range map[string]string{"another's": outside, "above": "tool-results/../../x.jsonl", "nothing": "tool-results/", "a dot": "tool-results/.."} {
		t.Run(name, func(t *testing.T) {
			dir := write(t, map[string]string{"s.jsonl": persisted(path), "x.jsonl": "not this", "s/tool-results/other.txt": "not this"})
			if got := result(open(t, filepath.Join(dir, "s.jsonl"))); got != preview(path) {
				t.Errorf("%q", got)
			}
		})
	}
	t.Run("a link", func(t *testing.T) {
		dir := write(t, map[string]string{"s.jsonl": persisted("tool-results/abc.txt"), "s/tool-results/other.txt": ""})
		if err := os.Symlink(outside, filepath.Join(dir, "s/tool-results/abc.txt")); err != nil {
			t.Fatal(err)
		}
		if got := result(open(t, filepath.Join(dir, "s.jsonl"))); got != preview("tool-results/abc.txt") {
			t.Errorf("%q", got)
		}
	})
	t.Run("a folder that is a link", func(t *testing.T) {
		dir := write(t, map[string]string{"s.jsonl": persisted("tool-results/abc.txt"), "s/other.txt": ""})
		if err := os.Symlink(filepath.Dir(outside), filepath.Join(dir, "s/tool-results")); err != nil {
			t.Fatal(err)
		}
		if got := result(open(t, filepath.Join(dir, "s.jsonl"))); got != preview("tool-results/abc.txt") {
			t.Errorf("%q", got)
		}
	})
}

// TestFilesThatEndOddly: an empty file is an empty session, and a last line needs no newline.
func TestFilesThatEndOddly(t *testing.T) {
	dir := write(t, map[string]string{"empty.jsonl": "", "tail.jsonl": strings.TrimSuffix(calling, "\n"), "cut.jsonl": calling + `{"type":"user","uu`})
	if s := open(t, filepath.Join(dir, "empty.jsonl")); len(s.Steps) != 0 || s.Title != "Untitled session" || s.Model != "unknown" || s.ID != "empty" {
		t.Errorf("%+v", s)
	}
	for name, malformed := range map[string]int64{"tail": 0, "cut": 1} {
		s := open(t, filepath.Join(dir, name+".jsonl"))
		if len(s.Steps) != 2 || s.Skipped.Malformed != malformed {
			t.Errorf("%s: %d steps, %d malformed", name, len(s.Steps), s.Skipped.Malformed)
		}
		if malformed > 0 && (s.Damage[0].Line != 3 || s.Damage[0].Offset != int64(len(calling)) || s.Damage[0].Recovered != 0) {
			t.Errorf("%+v", s.Damage)
		}
	}
}

// TestWhatIsNoFile: a folder, a device and nothing are errors that say so.
func TestWhatIsNoFile(t *testing.T) {
	dir := t.TempDir()
	for _, path := range []string{dir, filepath.Join(dir, "nothing.jsonl"), os.DevNull} {
		if _, err := (Format{}).Read(t.Context(), path, nil); err == nil || !strings.Contains(err.Error(), path) {
			t.Errorf("%s: %v", path, err)
		}
	}
}

// TestPrimarySessions: sub-agents' files are no sessions, whatever folder they are in.
func TestPrimarySessions(t *testing.T) {
	dir := write(t, map[string]string{
		"-work/a.jsonl": calling, "-work/agent-1234.jsonl": calling, "-work/a/subagents/agent-5678.jsonl": calling, "-work/a/tool-results/x.txt": "",
		"-other/b.jsonl": calling, "-other/notes.txt": "", "loose.jsonl": calling,
	})
	var got []string
	each := func(path string, _ fs.FileInfo) { got = append(got, filepath.Base(path)) }
	if err := (Format{}).Each(filepath.Join(dir, "none"), each); err != nil || got != nil {
		t.Errorf("%q, %v", got, err)
	}
	if err := (Format{}).Each(dir, each); err != nil || !slices.Equal(got, []string{"b.jsonl", "a.jsonl"}) {
		t.Errorf("%q, %v", got, err)
	}
}

// TestSubAgentsStandBehindTheirCalls: without times, what a sub-agent did follows the call that started it, one that it
// started itself included.
func TestSubAgentsStandBehindTheirCalls(t *testing.T) {
	starts := func(uuid, call, prompt string) string {
		return `{"type":"assistant","uuid":"` + uuid + `","sessionId":"s","message":{"id":"m` + uuid + `","content":[{"type":"tool_use","id":"` + call + `","name":"Agent","input":{"prompt":"` + prompt + `","subagent_type":"looker","description":"d"}}]}}` + "\n"
	}
	prompt := func(uuid, text string) string {
		return `{"type":"user","uuid":"` + uuid + `","sessionId":"s","message":{"content":"` + text + `"}}` + "\n"
	}
	dir := write(t, map[string]string{
		"s.jsonl":                            prompt("1", "go") + starts("2", "t1", "look") + starts("3", "t2", "again") + prompt("4", "done?"),
		"s/subagents/agent-a.jsonl":          prompt("5", "look") + starts("6", "t3", "deeper"),
		"s/subagents/agent-b.jsonl":          prompt("7", "again"),
		"s/subagents/deep/agent-c.jsonl":     prompt("8", "any"),
		"s/subagents/agent-a.meta.json":      `{"toolUseId":"t1","agentType":"given"}`,
		"s/subagents/deep/agent-c.meta.json": `{"toolUseId":"t3"}`,
		"s/subagents/journal.jsonl":          prompt("9", "no transcript"),
		"agent-d.jsonl":                      strings.ReplaceAll(prompt("10", "another session's"), `"s"`, `"other"`),
	})
	s := open(t, filepath.Join(dir, "s.jsonl"))
	var got []string
	for _, p := range s.Steps {
		text := "call "
		if p.Kind == transcript.ToolCall {
			text += s.Calls[p.Call].ID
		} else {
			text = said(t, s, p)
		}
		if p.Agent != transcript.Main {
			text = s.Agents[p.Agent].ID + ": " + text
		}
		got = append(got, text)
	}
	want := []string{"go", "call t1", "a: look", "a: call t3", "c: any", "call t2", "b: again", "done?"}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	types := map[string]string{}
	for _, a := range s.Agents {
		types[a.ID] = a.CallID + " " + a.Type + " " + a.Description
	}
	if d := cmp.Diff(map[string]string{"a": "t1 given d", "b": "t2 looker d", "c": "t3 looker d"}, types); d != "" {
		t.Error(d)
	}
}
