// SPDX-License-Identifier: Apache-2.0

package codex_test

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/fiftyarms/platform/internal/jsonscan"
	"github.com/fiftyarms/platform/internal/transcript"
	"github.com/fiftyarms/platform/internal/transcript/codex"
)

// rec is a record of a second of the session, in the envelope of a kind.
func rec(second float64, kind, payload string) string {
	at := fmt.Sprintf("2031-02-03T04:%02d:%06.3fZ", int(second)/60, second-float64(int(second)/60*60))
	return fmt.Sprintf(`{"timestamp":%q,"type":%q,"payload":%s}`, at, kind, payload)
}

func item(second float64, payload string) string  { return rec(second, "response_item", payload) }
func event(second float64, payload string) string { return rec(second, "event_msg", payload) }

func quote(text string) string {
	b, err := json.Marshal(text)
	if err != nil {
		panic(err)
	}
	return strings.NewReplacer(`\u003c`, "<", `\u003e`, ">").Replace(string(b))
}

func said(role, text string) string {
	return fmt.Sprintf(`{"type":"message","role":%q,"content":[{"type":"input_text","text":%s}]}`, role, quote(text))
}

func typed(text string) string {
	return fmt.Sprintf(`{"type":"user_message","message":%s}`, quote(text))
}

func answer(call, output string) string {
	return fmt.Sprintf(`{"type":"function_call_output","call_id":%q,"output":%s}`, call, quote(output))
}

func call(id, name, arguments string) string {
	return fmt.Sprintf(`{"type":"function_call","name":%q,"arguments":%s,"call_id":%q}`, name, quote(arguments), id)
}

func count(input, cached, output, total int) string {
	of := func(input, cached, output int) string {
		return fmt.Sprintf(`{"input_tokens":%d,"cached_input_tokens":%d,"output_tokens":%d,"reasoning_output_tokens":3}`, input, cached, output)
	}
	return fmt.Sprintf(`{"type":"token_count","info":{"total_token_usage":%s,"last_token_usage":%s},"rate_limits":null}`, of(total, cached, output), of(input, cached, output))
}

const (
	meta = `{"id":"00000000-0000-7000-8000-000000000001","cwd":"/w","cli_version":"0.125.0","source":"cli","git":{"branch":"trunk"}}`
	turn = `{"turn_id":"t","cwd":"/w","model":"m-1","summary":"auto"}`
)

func write(t testing.TB, lines ...string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "rollout-2031-02-03T04-00-00-00000000-0000-7000-8000-00000000000f.jsonl")
	if err := os.WriteFile(path, []byte(strings.Join(lines, "\n")+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func read(t testing.TB, lines ...string) *transcript.Session {
	t.Helper()
	s, err := codex.Format{}.Read(t.Context(), write(t, lines...), nil)
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

func TestSteps(t *testing.T) {
	tests := []struct {
		name  string
		lines []string
		want  []string
	}{
		{"a prompt that is there twice", []string{
			item(1, said("user", "do it")), event(1, typed("do it")), event(2, typed("again")), item(2, said("user", "again")),
		}, []string{"user_prompt do it", "user_prompt again"}},
		{"prompts that are there once", []string{
			item(1, said("user", "<environment_context>\n<cwd>/e</cwd>\n</environment_context>")),
			item(1, said("user", "# AGENTS.md instructions for /w\n\n<INSTRUCTIONS>\nbe kind\n</INSTRUCTIONS>\n<environment_context>x</environment_context>")),
			item(1, said("user", "<user_instructions>be kind</user_instructions>")),
			item(1, said("developer", "<permissions instructions>none</permissions instructions>")),
			item(1, said("system", "you are")),
			item(2, said("user", "<environment_context> is what? And <turn_aborted>x</turn_aborted>?")),
			item(3, said("user", "Another language model started to solve this problem and left this")),
		}, []string{"user_prompt <environment_context> is what? And <turn_aborted>x</turn_aborted>?"}},
		{"tags that are escaped", []string{
			item(1, `{"type":"message","role":"user","content":[{"type":"input_text","text":"\u003cuser_instructions\u003ebe kind\u003c\/user_instructions\u003e"}]}`),
			item(2, `{"type":"m\u0065ssage","role":"us\u0065r","content":[{"type":"input_text","text":"\u003cide_context\u003ea\u003c\/ide_context\u003e\n## My request for Codex:\ntest <\/it>"}]}`),
		}, []string{"user_prompt test </it>"}},
		{"a prompt that quotes a tag", []string{
			event(1, typed("<turn_aborted>x</turn_aborted> means what?")), item(1, said("user", "<turn_aborted>x</turn_aborted> means what?")),
		}, []string{"user_prompt <turn_aborted>x</turn_aborted> means what?"}},
		{"a prompt with the editor's context", []string{
			event(1, typed("# Context from my IDE setup:\n\n## Open tabs:\n- a\n\n## My request for Codex:\ntest it")),
		}, []string{"user_prompt test it"}},
		{"what the client says in the person's place", []string{
			event(1, `{"type":"user_message","message":"<x>","kind":"environment_context"}`),
			event(2, `{"type":"user_message","message":"hello","kind":"plain"}`),
		}, []string{"user_prompt hello"}},
		{"images", []string{
			event(1, `{"type":"user_message","message":"","images":["data:"],"local_images":["a.png"]}`),
			item(1, `{"type":"message","role":"user","content":[{"type":"input_text","text":"<image name=1>"},{"type":"input_image","image_url":"data:"},{"type":"input_text","text":"</image>"}]}`),
		}, []string{"user_prompt  +2"}},
		{"an image in an item alone", []string{
			item(1, `{"type":"message","role":"user","content":[{"type":"input_text","text":"<image name=1>"},{"type":"input_image","image_url":"data:"},{"type":"input_text","text":"</image>"}]}`),
		}, []string{"user_prompt  +1"}},
		{"what the agent says and thinks, in either order", []string{
			event(1, `{"type":"agent_reasoning","text":"hm"}`),
			item(1, `{"type":"reasoning","summary":[{"type":"summary_text","text":"hm"}],"content":null,"encrypted_content":"zzz"}`),
			item(2, said("assistant", "one")), event(2, `{"type":"agent_message","message":"one"}`),
			event(3, `{"type":"agent_message","message":"one"}`), item(3, said("assistant", "one")),
			item(4, `{"type":"reasoning","summary":[{"type":"summary_text","text":"a"},{"type":"summary_text","text":"b"}]}`),
			event(4, `{"type":"agent_reasoning","text":"a"}`), event(4, `{"type":"agent_reasoning","text":"b"}`),
			item(5, `{"type":"reasoning","summary":[],"encrypted_content":"zzz"}`),
			item(6, said("assistant", "two. <note>x</note>")), event(6, `{"type":"agent_message","message":"two."}`),
		}, []string{"thinking hm", "assistant_message one", "assistant_message one", "thinking a|b", "assistant_message two. <note>x</note>"}},
		{"only the terminal's copy", []string{
			event(1, typed("hi")), event(2, `{"type":"agent_reasoning_raw_content","text":"deep"}`), event(3, `{"type":"agent_message","message":"hello"}`),
		}, []string{"user_prompt hi", "thinking deep", "assistant_message hello"}},
		{"the old form", []string{
			item(1, `{"type":"web_search_call","status":"completed","action":{"type":"search","query":"q"}}`),
			item(2, `{"type":"local_shell_call","call_id":"c","status":"completed","action":{"type":"exec","command":["ls"]}}`),
			item(3, answer("c", "a")),
			item(4, `{"type":"function_call","name":"look","namespace":"mcp__srv","arguments":"{}","call_id":"d"}`),
			item(5, `{"type":"function_call_output","call_id":"d","output":[{"type":"input_text","text":"x"},{"type":"input_image","image_url":"data:"}]}`),
		}, []string{"tool_call  web_search()", "tool_call  local_shell(c)", "tool_result a local_shell(c)", "tool_call  mcp__srv__look(d)", "tool_result x mcp__srv__look(d) +1"}},
		{"a copy of the history", []string{
			event(1, typed("hi")),
			rec(2, "compacted", `{"message":"so far","replacement_history":[{"type":"message","role":"user","content":[{"type":"input_text","text":"hi"}]}]}`),
			rec(3, "world_state", `{"x":1}`),
		}, []string{"user_prompt hi"}},
		{"turns that were taken back", []string{
			item(1, said("user", "one")), event(1, typed("one")), item(2, said("assistant", "1")),
			item(3, said("user", "two")), event(3, typed("two")), item(4, call("c", "exec_command", `{"cmd":"ls"}`)), item(4, answer("c", "a")),
			event(5, `{"type":"thread_rolled_back","num_turns":1}`), item(6, said("assistant", "3")),
		}, []string{"user_prompt one", "assistant_message 1", "assistant_message 3"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := read(t, append([]string{rec(0, "session_meta", meta), rec(0, "turn_context", turn)}, tt.lines...)...)
			if got := spelled(t, s); !slices.Equal(got, tt.want) {
				t.Errorf("steps:\n%q\nwant:\n%q", got, tt.want)
			}
			if s.Skipped.Unknown+s.Skipped.Malformed > 0 {
				t.Errorf("skipped: %+v", s.Skipped)
			}
		})
	}
}

func TestRollbackIsCounted(t *testing.T) {
	s := read(t, item(1, said("user", "one")), event(1, typed("one")), event(2, typed("two")), item(2, said("user", "two")),
		item(3, call("c", "x", "{}")), event(4, `{"type":"thread_rolled_back","num_turns":1}`))
	if got, want := s.Skipped.Abandoned, (transcript.Abandoned{Records: 2, Prompts: 1, ToolCalls: 1}); got != want {
		t.Errorf("abandoned %+v, want %+v", got, want)
	}
}

func TestHeader(t *testing.T) {
	s := read(t, rec(0, "session_meta", meta), rec(0, "session_meta", `{"id":"other","cwd":"/o","cli_version":"9"}`),
		rec(2, "turn_context", turn), rec(2, "turn_context", `{"model":"m-2"}`), event(3, typed("  do\n it ")),
		event(4, `{"type":"thread_name_updated","thread_name":"A name"}`), rec(5, "fresh", `{}`), event(5, `{"type":"odd"}`), item(5, `{"type":"odd"}`))
	got := []string{s.Agent, s.ID, s.Cwd, s.AgentVersion, s.Branch, s.Model, s.Title, s.Summary}
	want := []string{"codex", "00000000-0000-7000-8000-000000000001", "/w", "0.125.0", "trunk", "m-1", "do it", "A name"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if k := s.Skipped; k.Unknown != 3 || k.UnknownTypes["fresh"] != 1 || k.UnknownTypes["event_msg/odd"] != 1 || k.UnknownTypes["response_item/odd"] != 1 || k.KnownIgnored != 5 {
		t.Errorf("skipped %+v", k)
	}
}

func TestWithoutEnvelopes(t *testing.T) {
	lines := []string{
		`{"id":"old","timestamp":"2031-02-03T04:05:06.000Z","instructions":null,"git":{"branch":"b"}}`,
		`{"record_type":"state"}`,
		said("user", "<environment_context>\n<cwd>/old</cwd>\n</environment_context>"),
		said("user", "go"), call("c", "shell", `{"command":["false"]}`),
		answer("c", `{"output":"no\n","metadata":{"exit_code":1,"duration_seconds":0.1}}`),
		`{"type":"reasoning","summary":[{"type":"summary_text","text":"why"}]}`,
	}
	s := read(t, lines...)
	want := []string{"user_prompt go", "tool_call  shell(c)", "error_recovery no\n shell(c)", "thinking why"}
	if got := spelled(t, s); !slices.Equal(got, want) {
		t.Errorf("steps %q, want %q", got, want)
	}
	if s.ID != "old" || s.Cwd != "/old" || s.Branch != "b" || s.Skipped.Malformed != 0 || s.Skipped.KnownIgnored != 3 {
		t.Errorf("session %q %q %q, skipped %+v", s.ID, s.Cwd, s.Branch, s.Skipped)
	}
	if s := read(t, said("user", "go")); s.ID != "00000000-0000-7000-8000-00000000000f" {
		t.Errorf("the id is %q, not that of the file's name", s.ID)
	}
}

func TestDamage(t *testing.T) {
	one, two := event(1, typed("one")), event(2, typed("two"))
	tests := []struct {
		name                         string
		lines                        []string
		prompts                      int
		malformed, recovered, blanks int64
	}{
		{"two in a line", []string{one + two}, 2, 1, 2, 0},
		{"cut", []string{one, two[:len(two)-5]}, 1, 1, 0, 0},
		{"one in the other", []string{one[:40] + two + one[40:]}, 2, 1, 2, 0},
		{"NULs", []string{"\x00\x00" + one, two}, 2, 1, 1, 0},
		{"cut, then a whole one", []string{one[:60] + two}, 1, 1, 1, 0},
		{"blank, no object, no type", []string{"", one, "[1]", `{"a":1}`, " "}, 1, 2, 0, 2},
		{"a history that is cut gives back nothing", []string{
			`{"timestamp":"x","type":"compacted","payload":{"replacement_history":[` + said("user", "a") + "," + said("user", "b") + ",",
		}, 0, 1, 0, 0},
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
	long := rec(0, "session_meta", `{"id":"x","base_instructions":{"text":"`+strings.Repeat("y", 1000)+`"}}`)
	tests := []struct {
		name, head string
		want       bool
	}{
		{"an envelope", rec(0, "session_meta", meta), true},
		{"an envelope, cut", long[:500], true},
		{"a payload before its type", `{"payload":{"id":"x"},"timestamp":"2031-02-03T04:05:06Z","type":"session_meta"}`, true},
		{"the old form", `{"id":"a","timestamp":"2031-02-03T04:05:06Z","instructions":null}` + "\n" + said("user", "x"), true},
		{"an item", said("user", "x"), true},
		{"damage", `{"timestamp":"` + rec(0, "turn_context", turn), true},
		{"Claude Code", `{"type":"user","sessionId":"a","uuid":"b","message":{"role":"user","content":"session_meta"}}`, false},
		{"Copilot CLI", `{"type":"session.start","data":{"sessionId":"a"},"id":"b","timestamp":"2031-02-03T04:05:06Z"}`, false},
		{"pi", `{"type":"session","id":"a","timestamp":"2031-02-03T04:05:06Z","cwd":"/w"}` + "\n" + `{"type":"message","id":"b","message":{"role":"user","content":[{"type":"text","text":"x"}]}}`, false},
		{"a stream", `{"type":"thread.started","thread_id":"a"}` + "\n" + `{"type":"item.completed","item":{"type":"agent_message"}}`, false},
		{"no log", "hello", false},
		{"nothing", "", false},
	}
	for _, tt := range tests {
		if got := (codex.Format{}).Owns("x.jsonl", []byte(tt.head)); got != tt.want {
			t.Errorf("%s: %v", tt.name, got)
		}
	}
}

func TestFind(t *testing.T) {
	home := t.TempDir()
	f := codex.Format{}
	dir := f.Dir(transcript.Env{Home: home, Getenv: func(string) string { return "" }})
	if want := filepath.Join(home, ".codex", "sessions"); dir != want {
		t.Errorf("dir %q, want %q", dir, want)
	}
	if got := f.Dir(transcript.Env{Home: home, Getenv: func(k string) string { return map[string]string{"CODEX_HOME": "/c"}[k] }}); got != filepath.Join("/c", "sessions") {
		t.Errorf("dir %q", got)
	}
	var found []string
	each := func(path string, _ fs.FileInfo) { found = append(found, filepath.Base(path)) }
	if err := f.Each(dir, each); err != nil || found != nil {
		t.Errorf("a folder that is not there: %v %v", found, err)
	}
	day := filepath.Join(dir, "2031", "02", "03")
	if err := os.MkdirAll(filepath.Join(day, "deeper"), 0o700); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"../../../rollout-flat.jsonl", "rollout-a.jsonl", "rollout-b.jsonl.zst", "history.jsonl", "deeper/rollout-c.jsonl"} {
		if err := os.WriteFile(filepath.Join(day, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	archive := filepath.Join(filepath.Dir(dir), "archived_sessions")
	if err := os.Mkdir(archive, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(archive, "rollout-z.jsonl"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := f.Each(dir, each); err != nil || !slices.Equal(found, []string{"rollout-a.jsonl", "rollout-flat.jsonl", "rollout-z.jsonl"}) {
		t.Errorf("found %q, %v", found, err)
	}
	found = nil
	several := f.Dir(transcript.Env{Home: home, Getenv: func(string) string { return filepath.Dir(dir) + ", " + filepath.Join(home, "none") }})
	if err := f.Each(several, each); err != nil || len(found) != 3 {
		t.Errorf("found %q, %v", found, err)
	}
}
