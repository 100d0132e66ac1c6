// SPDX-License-Identifier: Apache-2.0

package codex_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/fiftyarms/platform/internal/transcript"
	"github.com/fiftyarms/platform/internal/transcript/codex"
	"github.com/fiftyarms/platform/internal/transcript/transcripttest"
)

func TestFailures(t *testing.T) {
	tests := []struct {
		name, tool string
		lines      []string
		failed     bool
		output     string
	}{
		{"an exit code in JSON", "shell", []string{item(2, answer("c", `{"output":"no","metadata":{"exit_code":2}}`))}, true, "no"},
		{"an exit code of 0 in JSON", "shell", []string{item(2, answer("c", `{"output":"yes","metadata":{"exit_code":0}}`))}, false, "yes"},
		{"JSON of the command", "shell", []string{item(2, answer("c", `{"exit_code":1}`))}, false, `{"exit_code":1}`},
		{"a header", "exec_command", []string{item(2, answer("c", "Chunk ID: 1\nWall time: 0.1 seconds\nProcess exited with code 1\nOutput:\nx"))}, true, "Chunk ID: 1\nWall time: 0.1 seconds\nProcess exited with code 1\nOutput:\nx"},
		{"an older header", "shell_command", []string{item(2, answer("c", "Exit code: 3\nWall time: 1 seconds\nOutput:\n"))}, true, "Exit code: 3\nWall time: 1 seconds\nOutput:\n"},
		{"a header of 0 above words", "exec_command", []string{item(2, answer("c", "Process exited with code 0\nOutput:\nExit code: 1\nfailed"))}, false, "Process exited with code 0\nOutput:\nExit code: 1\nfailed"},
		{"prose", "exec_command", []string{item(2, answer("c", "error: it failed\nExit code: 1\n"))}, false, "error: it failed\nExit code: 1\n"},
		{"success false", "x", []string{item(2, `{"type":"function_call_output","call_id":"c","output":{"content":"no","success":false}}`)}, true, "no"},
		{"success true", "x", []string{item(2, `{"type":"function_call_output","call_id":"c","output":{"content":"failed","success":true}}`)}, false, "failed"},
		{"an event before", "shell", []string{event(2, `{"type":"exec_command_end","call_id":"c","exit_code":1,"aggregated_output":"e"}`), item(3, answer("c", "r"))}, true, "r"},
		{"an event after", "shell", []string{item(2, answer("c", "r")), event(3, `{"type":"exec_command_end","call_id":"c","exit_code":1}`)}, true, "r"},
		{"an event of 0", "shell", []string{event(2, `{"type":"exec_command_end","call_id":"c","exit_code":0,"status":"completed"}`), item(3, answer("c", "r"))}, false, "r"},
		{"declined", "shell", []string{event(2, `{"type":"exec_command_end","call_id":"c","status":"declined"}`), item(3, answer("c", "r"))}, true, "r"},
		{"an event alone", "shell", []string{event(2, `{"type":"exec_command_end","call_id":"c","exit_code":0,"aggregated_output":"e"}`)}, false, "e"},
		{"a tool of a server", "mcp__s__t", []string{event(2, `{"type":"mcp_tool_call_end","call_id":"c","result":{"Ok":{"content":[{"type":"text","text":"e"}],"isError":true}}}`)}, true, "e"},
		{"a server", "mcp__s__t", []string{event(2, `{"type":"mcp_tool_call_end","call_id":"c","result":{"Err":"gone"}}`)}, true, "gone"},
		{"twice", "shell", []string{item(2, answer("c", "r")), item(3, answer("c", "again"))}, false, "r"},
		{"a refusal of the client", "apply_patch", []string{item(2, answer("c", "apply_patch verification failed: no"))}, true, "apply_patch verification failed: no"},
		{"the words of one by another tool", "shell", []string{item(2, answer("c", "apply_patch verification failed: no"))}, false, "apply_patch verification failed: no"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := read(t, append([]string{item(1, call("c", tt.tool, "{}"))}, tt.lines...)...)
			kind := "tool_result"
			if tt.failed {
				kind = "error_recovery"
			}
			want := []string{fmt.Sprintf("tool_call  %s(c)", tt.tool), fmt.Sprintf("%s %s %s(c)", kind, tt.output, tt.tool)}
			if got := spelled(t, s); !slices.Equal(got, want) {
				t.Errorf("steps:\n%q\nwant:\n%q", got, want)
			}
			if c := s.Calls[0]; !c.Answered || c.IsError != tt.failed {
				t.Errorf("call %+v", c)
			}
		})
	}
}

func TestPatches(t *testing.T) {
	const patch = "*** Begin Patch\n*** Add File: a b.txt\n+*** Add File: no.txt\n*** Update File: b.txt\n*** Move to: c.txt\n@@\n-x\n+\"y\"\n*** Delete File: d.txt\n*** End Patch"
	custom := func(text string) string {
		return fmt.Sprintf(`{"type":"custom_tool_call","status":"completed","call_id":"c","name":"apply_patch","input":%s}`, quote(text))
	}
	named := []string{"a b.txt", "b.txt", "c.txt", "d.txt"}
	tests := []struct {
		name  string
		lines []string
		files []string
		diff  bool
	}{
		{"a text", []string{item(1, custom(patch+"\n")), item(2, answer("c", "ok"))}, named, true},
		{"an input in JSON", []string{item(1, call("c", "apply_patch", `{"input":`+quote(patch)+`}`)), item(2, answer("c", "ok"))}, named, true},
		{"a command", []string{item(1, call("c", "shell", `{"command":["apply_patch",`+quote(patch)+`]}`)), item(2, answer("c", "ok"))}, named, true},
		{"a script", []string{item(1, call("c", "exec_command", `{"cmd":`+quote("cd x && apply_patch <<'E'\n"+patch+"\nE\n")+`}`)), item(2, answer("c", "ok"))}, named, true},
		{"a script that only has one", []string{item(1, call("c", "exec_command", `{"cmd":`+quote("cat <<'E'\n"+patch+"\nE\n")+`}`)), item(2, answer("c", "ok"))}, nil, false},
		{"it failed", []string{item(1, custom(patch)), item(2, answer("c", `{"output":"","metadata":{"exit_code":1}}`))}, nil, true},
		{"it failed, as an event says", []string{item(1, custom(patch)), item(2, answer("c", "x")), event(3, `{"type":"patch_apply_end","call_id":"c","success":false}`)}, nil, true},
		{"nothing came of it", []string{item(1, custom(patch))}, nil, true},
		{"an event names the files", []string{
			item(1, custom(patch)),
			event(2, `{"type":"patch_apply_end","call_id":"c","success":true,"changes":{"/w/a b.txt":{"type":"add","content":"x"},"/w/b.txt":{"type":"update","unified_diff":"","move_path":"/w/c.txt"}}}`),
			item(3, answer("c", "ok")),
		}, []string{"/w/a b.txt", "/w/b.txt", "/w/c.txt"}, true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := read(t, tt.lines...)
			if !slices.Equal(s.FilesChanged, tt.files) {
				t.Errorf("files %q, want %q", s.FilesChanged, tt.files)
			}
			d := s.Calls[0].Diff
			if (d != nil) != tt.diff {
				t.Errorf("diff %+v", d)
			}
			if d != nil && (!d.Has || d.Path != "a b.txt" || textOf(t, s, d.Patch) != patch) {
				t.Errorf("diff of %q: %q", d.Path, textOf(t, s, d.Patch))
			}
			if !s.Calls[0].Encoded {
				t.Error("the input stands in a string")
			}
		})
	}
}

func TestSubAgents(t *testing.T) {
	s := read(t,
		item(1, call("c1", "spawn_agent", `{"agent_type":"explorer","message":"look"}`)), item(2, answer("c1", `{"agent_id":"a1","nickname":"Ada"}`)),
		item(3, call("c2", "spawn_agent", `{"task_name":"dig"}`)),
		event(4, `{"type":"collab_agent_spawn_end","call_id":"c2","new_thread_id":"a2","new_agent_role":"worker","model":"m-2"}`),
		event(4, `{"type":"collab_agent_spawn_end","call_id":"c2","new_thread_id":"a2","new_agent_role":"worker"}`),
		item(5, call("c3", "spawn_agent", `{}`)), item(6, answer("c3", "agent a9 spawned")))
	want := []transcript.Agent{
		{ID: "a1", CallID: "c1", Type: "explorer", Description: "Ada"},
		{ID: "a2", CallID: "c2", Type: "worker", Description: "dig", Model: "m-2"},
	}
	if !slices.Equal(s.Agents, want) {
		t.Errorf("agents %+v", s.Agents)
	}
}

func TestUsage(t *testing.T) {
	null := `{"type":"token_count","info":null,"rate_limits":{}}`
	last := func(input int) string {
		return fmt.Sprintf(`{"type":"token_count","info":{"last_token_usage":{"input_tokens":%d,"cached_input_tokens":1,"output_tokens":2}}}`, input)
	}
	full := func(input, cached, written, output int) string {
		return fmt.Sprintf(`{"type":"token_count","info":{"total_token_usage":{"input_tokens":%d,"cached_input_tokens":%d,"cache_write_input_tokens":%d,"output_tokens":%d,"reasoning_output_tokens":1},"last_token_usage":{"input_tokens":9,"output_tokens":9}}}`, input, cached, written, output)
	}
	fork := `{"id":"f","forked_from_id":"p","cwd":"/w"}`
	spawned := `{"id":"f","source":{"subagent":{"thread_spawn":{"parent_thread_id":"p"}}}}`
	other := `{"turn_id":"t","model":"m-2"}`
	type byModel = map[string]transcript.Tokens
	tests := []struct {
		name  string
		lines []string
		want  byModel
	}{
		{"counts, repeated", []string{
			rec(0, "session_meta", meta), rec(1, "turn_context", turn),
			event(2, count(100, 60, 10, 100)), event(3, count(100, 60, 10, 100)), event(4, null),
			rec(5, "turn_context", other), event(6, full(300, 110, 20, 30)), event(7, full(300, 110, 20, 30)),
		}, byModel{"m-1": {Input: 40, CacheRead: 60, Output: 10}, "m-2": {Input: 130, CacheRead: 50, CacheCreation: 20, Output: 20}}},
		{"a total that begins anew", []string{
			rec(1, "turn_context", turn), event(2, full(300, 50, 0, 30)), event(3, count(40, 10, 5, 40)),
		}, byModel{"m-1": {Input: 9 + 30, CacheRead: 10, Output: 9 + 5}}},
		{"a count that was lost", []string{
			rec(1, "turn_context", turn), event(2, count(100, 0, 10, 100)), event(3, full(500, 0, 0, 70)),
		}, byModel{"m-1": {Input: 500, Output: 70}}},
		{"single counts alone", []string{event(2, last(10)), event(3, last(10)), event(4, last(20))}, byModel{"unknown": {Input: 28, CacheRead: 2, Output: 4}}},
		{"a fork, with its history at once", []string{
			rec(0, "session_meta", fork), rec(0.1, "session_meta", meta), rec(0.1, "turn_context", turn),
			event(0.2, count(100, 0, 10, 100)), event(0.2, full(400, 0, 0, 40)),
			rec(0.9, "turn_context", other), event(5, full(450, 10, 0, 47)),
		}, byModel{"m-2": {Input: 40, CacheRead: 10, Output: 7}}},
		{"a fork, with a history that takes its time", []string{
			rec(0, "session_meta", fork), rec(0.1, "session_meta", meta), rec(0.2, "turn_context", turn),
			event(0.8, count(100, 0, 10, 100)), event(1.5, full(400, 0, 0, 40)), event(2.3, full(900, 0, 0, 90)),
			rec(2.9, "turn_context", other), event(8, full(950, 10, 0, 97)), event(8.1, full(960, 10, 0, 98)),
		}, byModel{"m-2": {Input: 50, CacheRead: 10, Output: 8}}},
		{"a sub-agent, with its history at its own times", []string{
			rec(100, "session_meta", spawned), rec(1, "turn_context", turn), event(2, count(100, 0, 10, 100)), event(3, full(400, 0, 0, 40)),
			rec(100.5, "turn_context", other), event(110, full(450, 10, 0, 47)),
		}, byModel{"m-2": {Input: 40, CacheRead: 10, Output: 7}}},
		{"another session's header behind its own", []string{
			rec(0, "session_meta", meta), rec(0, "session_meta", `{"id":"p"}`), event(0, full(400, 0, 0, 40)), rec(2, "turn_context", turn), event(5, full(450, 10, 0, 47)),
		}, byModel{"m-1": {Input: 40, CacheRead: 10, Output: 7}}},
		{"a sub-agent without a history", []string{
			rec(0, "session_meta", spawned), rec(0.1, "turn_context", turn), event(9, count(100, 60, 10, 100)),
		}, byModel{"m-1": {Input: 40, CacheRead: 60, Output: 10}}},
		{"a session that goes on", []string{
			rec(0, "session_meta", meta), rec(1, "turn_context", turn), event(2, count(100, 60, 10, 100)),
			rec(50, "session_meta", meta), event(50, full(150, 60, 0, 15)),
		}, byModel{"m-1": {Input: 90, CacheRead: 60, Output: 15}}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := read(t, tt.lines...)
			if got := fmt.Sprint(s.ByModel); got != fmt.Sprint(tt.want) {
				t.Errorf("got %s, want %v", got, tt.want)
			}
		})
	}
	s := read(t, rec(0, "session_meta", fork), rec(0.1, "turn_context", turn), rec(3, "turn_context", other), rec(4, "turn_context", turn))
	if s.Model != "m-2" {
		t.Errorf("model %q: that of the history", s.Model)
	}
}

// FuzzRead holds that whatever stands in a file is read without a panic, and that what is said of it can be read back.
func FuzzRead(f *testing.F) {
	transcripttest.FuzzRead(f, codex.Format{}, "rollout-x.jsonl",
		[]byte(strings.Join([]string{
			rec(0, "session_meta", meta), rec(0, "turn_context", turn), item(1, said("user", "go")), event(1, typed("go")),
			item(2, call("c", "apply_patch", `{"input":"*** Begin Patch\n*** Add File: a\n+x\n*** End Patch"}`)),
			event(2, `{"type":"patch_apply_end","call_id":"c","success":false,"stdout":"x","changes":{"a":{"move_path":"b"}}}`),
			item(3, answer("c", `{"output":"x","metadata":{"exit_code":1}}`)), event(4, count(1, 2, 3, 4)),
			event(5, `{"type":"thread_rolled_back","num_turns":1}`), item(6, call("d", "spawn_agent", `{"agent_type":"x"}`)), item(7, answer("d", `{"agent_id":"a"}`)),
		}, "\n")),
		[]byte(said("user", "# AGENTS.md instructions for x\n<INSTRUCTIONS>")+said("assistant", "b")+"\x00\n{"),
		[]byte(`{"type":"custom_tool_call","name":"apply_patch","call_id":"c","input":"*** Begin Patch\n*** Add File: \ud83d\n"}`),
		[]byte(event(1, `{"type":"exec_command_end","call_id":"c","exit_code":null,"aggregated_output":"\\"}`)),
	)
}
