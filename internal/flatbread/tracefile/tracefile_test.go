// SPDX-License-Identifier: Apache-2.0

package tracefile_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/fiftyarms/platform/gen/trace"
	"github.com/fiftyarms/platform/internal/flatbread/tracefile"
	"github.com/fiftyarms/platform/internal/openapi"
	"github.com/fiftyarms/platform/internal/transcript"
	"github.com/fiftyarms/platform/internal/transcript/claude"
)

// A turn is a record of a log that a test makes.
type turn = map[string]any

// logOf makes a log of records, each with the time of its number in seconds.
func logOf(t *testing.T, turns ...turn) string {
	t.Helper()
	var log bytes.Buffer
	e := json.NewEncoder(&log)
	e.SetEscapeHTML(false)
	for i, r := range turns {
		if _, has := r["timestamp"]; !has {
			r["timestamp"] = "2026-01-02T03:04:" + string(rune('0'+i/10)) + string(rune('0'+i%10)) + ".000Z"
		}
		r["sessionId"] = "s"
		if err := e.Encode(r); err != nil {
			t.Fatal(err)
		}
	}
	return log.String()
}

func says(text any) turn { return turn{"type": "user", "message": turn{"content": text}} }

func calls(id, name string, input turn) turn {
	return turn{"type": "assistant", "message": turn{"id": "m" + id, "model": "claude-test", "content": []any{turn{"type": "tool_use", "id": id, "name": name, "input": input}}}}
}

func answers(id string, content any, isError bool) turn {
	return says([]any{turn{"type": "tool_result", "tool_use_id": id, "content": content, "is_error": isError}})
}

// traced writes the trace of a log, and holds it against its schema.
func traced(t *testing.T, log string) trace.Trace {
	t.Helper()
	path := filepath.Join(t.TempDir(), "s.jsonl")
	if err := os.WriteFile(path, []byte(log), 0o600); err != nil {
		t.Fatal(err)
	}
	return tracedFile(t, path)
}

func tracedFile(t *testing.T, path string) (got trace.Trace) {
	t.Helper()
	s, err := claude.Format{}.Read(t.Context(), path, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}()
	return written(t, s)
}

func written(t *testing.T, s *transcript.Session) (got trace.Trace) {
	t.Helper()
	var out bytes.Buffer
	if err := tracefile.Write(t.Context(), &out, s, trace.Git{}); err != nil {
		t.Fatal(err)
	}
	schema, err := openapi.CompileSchema(trace.Schema)
	if err != nil {
		t.Fatal(err)
	}
	if issues := schema.Check(out.Bytes(), "trace"); len(issues) > 0 {
		t.Fatalf("%v\n%s", issues, out.Bytes())
	}
	if err := json.Unmarshal(out.Bytes(), &got); err != nil {
		t.Fatal(err)
	}
	return got
}

// TestLimits: what is cut, where, and how that shows. The numbers are those of the format.
func TestLimits(t *testing.T) {
	const mark = "…[truncated]"
	long := func(n int) string { return strings.Repeat("x", n) }
	for _, c := range []struct{ name, text, content, input string }{
		{"short", "hello", "hello", "hello"},
		{"just fits content", long(4000), long(4000), long(2000) + mark},
		{"one more", long(4001), long(4000) + mark, long(2000) + mark},
		{"just fits input", long(2000), long(2000), long(2000)},
		{"one more than input", long(2001), long(2001), long(2000) + mark},
		{"characters, not bytes", strings.Repeat("é", 4000), strings.Repeat("é", 4000), strings.Repeat("é", 2000) + mark},
		{"never inside one", long(3999) + "🚀🚀", long(3999) + "🚀" + mark, long(2000) + mark},
		{"escapes are one", strings.Repeat(`\`, 4001), strings.Repeat(`\`, 4000) + mark, strings.Repeat(`\`, 2000) + mark},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := traced(t, logOf(t, says(c.text), calls("1", "X", turn{"deep": []any{turn{"text": c.text}}}), answers("1", c.text, false)))
			if got.Steps[0].Content != c.content || got.Steps[2].Content != c.content || *got.Steps[1].Tool.Output != c.content {
				t.Errorf("%d and %d characters, want %d", utf8.RuneCountInString(got.Steps[0].Content), utf8.RuneCountInString(*got.Steps[1].Tool.Output), utf8.RuneCountInString(c.content))
			}
			want, err := json.Marshal(turn{"deep": []any{turn{"text": c.input}}})
			if err != nil {
				t.Fatal(err)
			}
			var in any
			if err := json.Unmarshal(got.Steps[1].Tool.Input, &in); err != nil {
				t.Fatal(err)
			}
			if again, err := json.Marshal(in); err != nil || !bytes.Equal(want, again) {
				t.Errorf("the input has %d bytes, want %d", len(again), len(want))
			}
		})
	}
	t.Run("title", func(t *testing.T) {
		if got := traced(t, logOf(t, says(" fix\n\tthe  bug "+long(200)))).Title; got != "fix the bug "+long(108) || len(got) != 120 {
			t.Errorf("%d: %s", len(got), got)
		}
	})
	t.Run("parts", func(t *testing.T) {
		part := func(text string) turn { return turn{"type": "text", "text": text} }
		got := traced(t, logOf(t, says([]any{part(long(3998)), part("y"), part("z")}))).Steps[0].Content
		if got != long(3998)+"\ny"+mark {
			t.Errorf("%q", got[3990:])
		}
	})
}

// TestCalls: one step a call, a label of what it was given, its result on it and in a step of its own, an error once.
func TestCalls(t *testing.T) {
	got := traced(t, logOf(t, says("go"),
		calls("1", "Bash", turn{"description": "list", "command": "ls \\\n  -la"}), answers("1", "a\nb", false),
		calls("2", "Read", turn{"file_path": "a.go", "limit": 3}), answers("2", []any{turn{"type": "text", "text": "x"}, turn{"type": "image"}, turn{"type": "text", "text": "y"}}, false),
		calls("3", "Grep", turn{"pattern": "x"}), answers("3", "no such file", true),
		calls("4", "WebFetch", turn{"url": "https://a.example", "prompt": "p"}),
		calls("5", "Odd", turn{"n": 1}), answers("6", "of nothing", false),
	))
	type step struct {
		Type, Content, Name, ID, Output string
		IsError                         bool
	}
	var steps []step
	for _, s := range got.Steps {
		one := step{Type: string(s.Type), Content: s.Content}
		if s.Tool != nil {
			one.Name, one.ID = s.Tool.Name, s.Tool.ID
			if s.Tool.Output != nil {
				one.Output = *s.Tool.Output
				one.IsError = *s.Tool.IsError
			}
		}
		steps = append(steps, one)
	}
	want := []step{
		{Type: "user_prompt", Content: "go"},
		{"tool_call", `Bash: ls \ -la`, "Bash", "1", "a\nb", false},
		{"tool_result", "a\nb", "Bash", "1", "", false},
		{"tool_call", "Read: a.go", "Read", "2", "x\ny", false},
		{"tool_result", "x\ny", "Read", "2", "", false},
		{"tool_call", "Grep: x", "Grep", "3", "no such file", true},
		{"error_recovery", "no such file", "Grep", "3", "", false},
		{"tool_call", "WebFetch: https://a.example", "WebFetch", "4", "", false},
		{"tool_call", "Odd", "Odd", "5", "", false},
		{"tool_result", "of nothing", "", "6", "", false},
	}
	if d := cmp.Diff(want, steps); d != "" {
		t.Error(d)
	}
	if got.Steps[4].Images == nil || *got.Steps[4].Images != 1 || got.Skipped.UnmatchedResults != 1 {
		t.Errorf("images %v, unmatched %d", got.Steps[4].Images, got.Skipped.UnmatchedResults)
	}
}

// TestChanges: which files count as changed, and what is shown of a change.
func TestChanges(t *testing.T) {
	hunks := turn{"structuredPatch": []any{turn{"oldStart": 3, "oldLines": 2, "newStart": 3, "newLines": 2, "lines": []any{" same", "-old", "+new"}}}}
	with := func(r, extra turn) turn {
		r["toolUseResult"] = extra
		return r
	}
	got := traced(t, logOf(t, says("go"),
		calls("1", "Write", turn{"file_path": "a", "content": "x", "old_string": "o", "patch": "p"}), with(answers("1", "ok", false), hunks),
		calls("2", "Edit", turn{"file_path": "b", "old_string": "old\nline", "new_string": "new"}), answers("2", "ok", false),
		calls("3", "Edit", turn{"file_path": "c", "old_string": "old", "new_string": "new"}), with(answers("3", "ok", false), hunks),
		calls("4", "MultiEdit", turn{"file_path": "d", "edits": []any{turn{"old_string": "1", "new_string": "2"}, turn{"old_string": "3", "new_string": "4"}}}), answers("4", "ok", false),
		calls("5", "Update", turn{"file_path": "e", "patch": "@@ -1 +1 @@\n-a\n+b"}), answers("5", "ok", false),
		calls("6", "NotebookEdit", turn{"notebook_path": "f.ipynb", "new_source": "x"}), answers("6", "ok", false),
		calls("7", "Edit", turn{"file_path": "no", "old_string": "a", "new_string": "b"}), answers("7", "EACCES", true),
		calls("8", "Bash", turn{"command": "touch g", "file_path": "g"}), answers("8", "ok", false),
		calls("9", "Edit", turn{"file_path": "b", "old_string": "new", "new_string": ""}), answers("9", "ok", false),
		calls("10", "Edit", turn{"file_path": "staged", "old_string": "a", "new_string": "b"}), with(answers("10", "ok", false), turn{"staged": true}),
	))
	if d := cmp.Diff([]string{"a", "b", "c", "d", "e", "f.ipynb"}, got.FilesChanged); d != "" {
		t.Error(d)
	}
	diffs := map[string]string{}
	for _, s := range got.Steps {
		if s.Diff != nil {
			diffs[s.Tool.ID] = s.Diff.FilePath + "\n" + s.Diff.Patch
		}
	}
	want := map[string]string{
		"2": "b\n-old\n-line\n+new\n", "3": "c\n@@ -3,2 +3,2 @@\n same\n-old\n+new\n", "4": "d\n-1\n+2\n", "5": "e\n@@ -1 +1 @@\n-a\n+b", "9": "b\n-new\n",
		"10": "staged\n-a\n+b\n",
	}
	if d := cmp.Diff(want, diffs); d != "" {
		t.Error(d)
	}
}

// TestOrder: by time if every step has one, and what one message says stays in its order; else as the log has it.
func TestOrder(t *testing.T) {
	part := func(text string) turn { return turn{"type": "text", "text": text} }
	at := func(r turn, time any) turn {
		r["timestamp"] = time
		return r
	}
	said := func(parts ...any) turn { return turn{"type": "assistant", "message": turn{"content": parts}} }
	order := func(got trace.Trace) (texts string) {
		for _, s := range got.Steps {
			texts += s.Content + " "
		}
		return texts
	}
	if got := order(traced(t, logOf(t, at(says("b"), "2026-01-01T00:00:02Z"), at(said(part("c"), part("d")), "2026-01-01T00:00:03.5+00:00"), at(says("a"), "2026-01-01T00:00:01.000Z")))); got != "a b c d " {
		t.Error(got)
	}
	for _, none := range []any{nil, "yesterday", 5} {
		if got := order(traced(t, logOf(t, at(says("b"), "2026-01-01T00:00:02Z"), at(says("x"), none), at(says("a"), "2026-01-01T00:00:01.000Z")))); got != "b x a " {
			t.Error(none, got)
		}
	}
}

// TestWhatIsNoText: bytes that are no UTF-8 become one sign each and no text is lost around them.
func TestWhatIsNoText(t *testing.T) {
	log := logOf(t, says("a~b"), calls("1", "X~", turn{"command": "l~s"}))
	got := traced(t, strings.ReplaceAll(log, "~", "\xff"))
	if got.Steps[0].Content != "a\ufffdb" || got.Steps[1].Content != "X\ufffd: l\ufffds" || string(got.Steps[1].Tool.Input) != "{\"command\":\"l\ufffds\"}" {
		t.Errorf("%+v %+v", got.Steps[0], got.Steps[1])
	}
}

// TestTheSameAgain: one session, read twice, is the same bytes, and known by the same id.
func TestTheSameAgain(t *testing.T) {
	log := logOf(t, says("go"), calls("1", "Bash", turn{"command": "ls"}), answers("1", "a", false), turn{"type": "new-thing"}, turn{"type": "other-new-thing"})
	a, b := traced(t, log), traced(t, log)
	a.Source.SourcePath, b.Source.SourcePath = "", ""
	if d := cmp.Diff(a, b); d != "" {
		t.Error(d)
	}
	if a.Skipped.Unknown != 2 || a.Visibility != trace.TraceVisibilityPrivate {
		t.Errorf("%+v", a)
	}
}

// TestKindsAreTheContracts: what a step may be is named in one place more.
func TestKindsAreTheContracts(t *testing.T) {
	for k, want := range map[transcript.Kind]trace.StepType{
		transcript.UserPrompt: trace.StepTypeUserPrompt, transcript.AssistantMessage: trace.StepTypeAssistantMessage, transcript.Thinking: trace.StepTypeThinking,
		transcript.ToolCall: trace.StepTypeToolCall, transcript.ToolResult: trace.StepTypeToolResult, transcript.ErrorRecovery: trace.StepTypeErrorRecovery,
	} {
		if k.String() != string(want) {
			t.Errorf("%s is %s in the contract", k, want)
		}
	}
}

// FuzzTrace: whatever the log holds, its trace is what the schema says.
func FuzzTrace(f *testing.F) {
	f.Add([]byte(`{"type":"user","uuid":"a","message":{"content":"x\ud83d\ude80"}}` + "\n" + `{"type":"assistant","message":{"content":[{"type":"tool_use","id":"1","name":"Edit","input":{"file_path":"a","old_string":"x","new_string":"y"}}]}}`))
	f.Add([]byte(`{"type":"user","message":{"content":"` + strings.Repeat(`\u00e9`, 4100) + `"}}`))
	f.Add([]byte(`{"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"1","content":"<persisted-output>Full output saved to: /x"}]}}`))
	usage := func(id string, in, out int64) string {
		return fmt.Sprintf(`{"type":"assistant","message":{"id":%q,"model":"m","content":[],"usage":{"input_tokens":%d,"output_tokens":%d,"cache_creation":{"ephemeral_5m_input_tokens":%d}}}}`+"\n", id, in, out, in)
	}
	f.Add([]byte(usage("1", 7, 9) + usage("1", 7, 9)))
	f.Add([]byte(usage("1", -4, -5) + usage("2", 1, -1)))
	f.Add([]byte(usage("1", math.MaxInt64, math.MaxInt64) + usage("2", math.MaxInt64, 1)))
	f.Add([]byte(`{"type":"assistant","message":{"content":[{"type":"tool_use","id":"1","name":"` + strings.Repeat("x", 5000) + `","input":{"command":"` + strings.Repeat("a ", 2500) + `"}}]}}`))
	schema, err := openapi.CompileSchema(trace.Schema)
	if err != nil {
		f.Fatal(err)
	}
	path := filepath.Join(f.TempDir(), "s.jsonl")
	f.Fuzz(func(t *testing.T, log []byte) {
		if err := os.WriteFile(path, log, 0o600); err != nil {
			t.Fatal(err)
		}
		s, err := claude.Format{}.Read(t.Context(), path, nil)
		if err != nil {
			t.Fatal(err)
		}
		defer func() {
			if err := s.Close(); err != nil {
				t.Error(err)
			}
		}()
		var out bytes.Buffer
		if err := tracefile.Write(t.Context(), &out, s, trace.Git{}); err != nil {
			t.Fatal(err)
		}
		if !utf8.Valid(out.Bytes()) {
			t.Fatal("it is no UTF-8")
		}
		if issues := schema.Check(out.Bytes(), "trace"); len(issues) > 0 {
			t.Fatalf("%v\n%s", issues, out.Bytes())
		}
	})
}
