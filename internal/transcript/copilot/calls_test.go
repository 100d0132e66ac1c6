// SPDX-License-Identifier: Apache-2.0

package copilot_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/fiftyarms/platform/internal/transcript"
	"github.com/fiftyarms/platform/internal/transcript/copilot"
	"github.com/fiftyarms/platform/internal/transcript/transcripttest"
)

func TestEdits(t *testing.T) {
	done := ev(2, "tool.execution_complete", `{"toolCallId":"c","success":true,"result":{"content":"ok"}}`)
	const unified = "diff --git a/a.ts b/a.ts\n-x\n+y\n"
	detailed := ev(2, "tool.execution_complete", fmt.Sprintf(`{"toolCallId":"c","success":true,"result":{"content":"ok","detailedContent":%q}}`, unified))
	const patch = "*** Begin Patch\n*** Update File: a.ts\n*** Move to: b.ts\n@@\n-*** Add File: no\n*** End Patch"
	tests := []struct {
		name, tool, arguments string
		done                  string
		files                 []string
		patch, old, new       string
	}{
		{"an edit", "edit", `{"path":"/w/a.ts","old_str":"x\n","new_str":"y"}`, done, []string{"/w/a.ts"}, "", "x\n", "y"},
		{"an edit in a string", "edit", fmt.Sprintf("%q", `{"path":"/w/a.ts","old_str":"x\n","new_str":"y"}`), done, []string{"/w/a.ts"}, "", "x\n", "y"},
		{"an edit that is told in full", "edit", `{"path":"/w/a.ts","old_str":"x","new_str":"y"}`, detailed, []string{"/w/a.ts"}, unified, "", ""},
		{"a new file", "create", `{"path":"/w/a.ts","file_text":"y"}`, detailed, []string{"/w/a.ts"}, unified, "", ""},
		{"a view", "str_replace_editor", `{"command":"view","path":"/w/a.ts"}`, detailed, nil, "", "", ""},
		{"another tool", "view", `{"path":"/w/a.ts"}`, detailed, nil, "", "", ""},
		{"a failure", "create", `{"path":"/w/a.ts"}`, ev(2, "tool.execution_complete", `{"toolCallId":"c","success":false}`), nil, "", "", ""},
		{"nothing came of it", "create", `{"path":"/w/a.ts"}`, "", nil, "", "", ""},
		{"a patch", "apply_patch", fmt.Sprintf("%q", patch), done, []string{"a.ts", "b.ts"}, patch, "", ""},
		{"a patch in an object", "apply_patch", fmt.Sprintf(`{"input":%q}`, patch), done, []string{"a.ts", "b.ts"}, patch, "", ""},
		{"a patch in an object in a string", "apply_patch", fmt.Sprintf("%q", fmt.Sprintf(`{"patch":%q}`, patch)), done, []string{"a.ts", "b.ts"}, patch, "", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := read(t, ev(1, "assistant.message", message("m", "", wish("c", tt.tool, tt.arguments))), tt.done)
			if !slices.Equal(s.FilesChanged, tt.files) {
				t.Errorf("files %q, want %q", s.FilesChanged, tt.files)
			}
			c := s.Calls[0]
			if tt.patch+tt.old+tt.new == "" {
				if c.Diff != nil {
					t.Errorf("diff %+v", c.Diff)
				}
				return
			}
			if c.Diff == nil || !c.Diff.Has || c.Diff.Path != tt.files[0] {
				t.Fatalf("diff %+v", c.Diff)
			}
			for _, of := range []struct {
				at   transcript.Span
				want string
			}{{c.Diff.Patch, tt.patch}, {c.Diff.Old, tt.old}, {c.Diff.New, tt.new}} {
				if got := textOf(t, s, of.at); got != of.want {
					t.Errorf("%q, want %q", got, of.want)
				}
			}
			if c.Encoded != strings.HasPrefix(tt.arguments, `"`) {
				t.Error("whether the input stands in a string is wrong")
			}
		})
	}
}

func TestLateInput(t *testing.T) {
	s := read(t, ev(1, "assistant.message", message("m", "", wish("c", "edit", "null"))),
		ev(2, "tool.execution_start", `{"toolCallId":"c","toolName":"edit","arguments":{"path":"/w/a"}}`),
		ev(3, "tool.execution_complete", `{"toolCallId":"c","success":true}`))
	if got := textOf(t, s, s.Calls[0].Input); got != `{"path":"/w/a"}` || !slices.Equal(s.FilesChanged, []string{"/w/a"}) || len(s.Calls) != 1 {
		t.Errorf("input %q, files %q, %d calls", got, s.FilesChanged, len(s.Calls))
	}
}

func TestUsage(t *testing.T) {
	metrics := func(model string, input, output, read, written int) string {
		return fmt.Sprintf(`{"shutdownType":"routine","totalNanoAiu":528375599.99999994,"modelMetrics":{%q:{"requests":{"count":1},"usage":{"inputTokens":%d,"outputTokens":%d,"cacheReadTokens":%d,"cacheWriteTokens":%d,"reasoningTokens":7}}}}`, model, input, output, read, written)
	}
	answer := ev(1, "assistant.message", `{"messageId":"m","content":"x","model":"m-1","outputTokens":40}`)
	usage := `{"model":"m-1","inputTokens":100,"outputTokens":10,"cacheReadTokens":60,"cacheWriteTokens":20,"cost":1}`
	type byModel = map[string]transcript.Tokens
	tests := []struct {
		name  string
		lines []string
		want  byModel
	}{
		{"totals that grow, repeated", []string{
			answer, ev(2, "session.shutdown", metrics("m-1", 1000, 100, 700, 200)), ev(3, "session.shutdown", metrics("m-1", 1000, 100, 700, 200)),
			ev(4, "session.usage_checkpoint", `{"totalNanoAiu":9}`), ev(5, "session.shutdown", metrics("m-1", 1500, 150, 900, 300)),
		}, byModel{"m-1": {Input: 300, Output: 150, CacheRead: 900, CacheCreation: 300}}},
		{"totals of two models", []string{
			ev(2, "session.shutdown", metrics("m-1", 1200, 300, 200, 100)), ev(3, "session.shutdown", metrics("m-2", 500, 120, 0, 0)),
		}, byModel{"m-1": {Input: 900, Output: 300, CacheRead: 200, CacheCreation: 100}, "m-2": {Input: 500, Output: 120}}},
		{"records of calls", []string{
			answer, ev(2, "session.usage_record", `{"usage":`+usage+`}`), ev(2, "assistant.usage", usage, `,"ephemeral":true`), ev(3, "session.usage_record", `{"usage":`+usage+`}`),
		}, byModel{"m-1": {Input: 40, Output: 20, CacheRead: 120, CacheCreation: 40}}},
		{"calls", []string{answer, ev(2, "assistant.usage", usage)}, byModel{"m-1": {Input: 20, Output: 10, CacheRead: 60, CacheCreation: 20}}},
		{"answers alone", []string{answer, ev(2, "assistant.message", `{"content":"y","outputTokens":2}`)}, byModel{"m-1": {Output: 40}, "unknown": {Output: 2}}},
		{"nothing", []string{ev(2, "session.shutdown", `{"modelMetrics":{}}`)}, byModel{}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := read(t, tt.lines...)
			if got := fmt.Sprint(s.ByModel); got != fmt.Sprint(tt.want) {
				t.Errorf("got %s, want %v", got, tt.want)
			}
		})
	}
}

// FuzzRead holds that whatever stands in a file is read without a panic, and that what is said of it can be read back.
func FuzzRead(f *testing.F) {
	transcripttest.FuzzRead(f, copilot.Format{}, "events.jsonl",
		[]byte(strings.Join([]string{
			ev(0, "session.start", `{"sessionId":"s","context":{"cwd":"/w"}}`), ev(1, "user.message", `{"content":"<skill-context>"}`, `,"id":"e1"`),
			ev(2, "assistant.message", message("m", "x", wish("c", "edit", `"{\"path\":\"a\",\"old_str\":\"\\n\"}"`), wish("d", "apply_patch", `"*** Begin Patch\n*** Add File: a"`)), `,"id":"e2"`),
			ev(3, "tool.execution_complete", `{"toolCallId":"c","success":true,"result":{"content":"<span>\ud83d\n","detailedContent":"@@ "}}`),
			ev(4, "subagent.started", `{"toolCallId":"d","agentName":"x"}`, `,"agentId":"a"`), ev(5, "assistant.reasoning", `{"content":"y"}`, `,"agentId":"a"`),
			ev(6, "session.snapshot_rewind", `{"upToEventId":"e2"}`), ev(7, "session.snapshot_rewind", `{"upToEventId":"e1"}`),
			ev(8, "session.shutdown", `{"modelMetrics":{"m":{"usage":{"inputTokens":1e3}}}}`),
		}, "\n")),
		[]byte(ev(1, "user.message", `{"content":"a"}`)+ev(1, "tool.execution_start", `{"arguments":{}}`)+"\x00\n{"),
		[]byte(`{"type":"tool.execution_complete","data":{"error":"\\"}}`),
	)
}
