// SPDX-License-Identifier: Apache-2.0

package claude

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fiftyarms/platform/internal/transcript"
)

const (
	asks    = `{"type":"user","uuid":"u1","sessionId":"s","message":{"role":"user","content":"go"}}`
	answers = `{"type":"assistant","uuid":"%u","sessionId":"s","requestId":"%r","isSidechain":%s,"message":{"id":"m1","model":"claude-test","content":[{"type":"text","text":"k"}],"usage":{"input_tokens":1,"output_tokens":%o}}}`
)

func session(t *testing.T, lines ...string) *transcript.Session {
	t.Helper()
	return open(t, filepath.Join(write(t, map[string]string{"s.jsonl": strings.Join(lines, "\n") + "\n"}), "s.jsonl"))
}

func prompts(t *testing.T, s *transcript.Session) []string {
	t.Helper()
	return wanted(t, s).Prompts
}

// TestNotices: what ran in the background tells that it is done in the person's turn. A text that only begins with such a
// notice is a person's, whatever way it comes.
func TestNotices(t *testing.T) {
	const notice = `<task-notification>\n<task-id>b1</task-id>\n<tool-use-id>t1</tool-use-id>\n<status>%s</status>\n<summary>Agent done</summary>\n<result>42</result>\n</task-notification>`
	completed := strings.ReplaceAll(notice, "%s", "completed")
	for name, c := range map[string]struct{ text, want string }{
		"a notice":              {completed, ""},
		"two":                   {completed + `\n` + completed, ""},
		"with a line behind it": {completed + `\nRead the output file to retrieve the result: /tmp/x.output\n`, ""},
		"with a path":           {completed + `\nFull transcript available at: C:\\new\\x.output`, ""},
		"its end in its result": {strings.Replace(completed, "42", "a </task-notification> b", 1), ""},
		"quoted":                {completed + `\nwhat is this?`, completed + `\nwhat is this?`},
		"quoted with its line":  {completed + `\nRead the output file: /tmp/x\nwhat is this?`, completed + `\nRead the output file: /tmp/x\nwhat is this?`},
		"asked about":           {`<task-notification> <task-id> is what?`, `<task-notification> <task-id> is what?`},
	} {
		for way, line := range map[string]string{
			"turn":       `{"type":"user","uuid":"u9","sessionId":"s","message":{"role":"user","content":"` + c.text + `"}}`,
			"blocks":     `{"type":"user","uuid":"u9","sessionId":"s","message":{"role":"user","content":[{"type":"text","text":"` + c.text + `"}]}}`,
			"attachment": `{"type":"attachment","uuid":"u9","sessionId":"s","attachment":{"type":"queued_command","prompt":"` + c.text + `","commandMode":"prompt"}}`,
			"queue":      `{"type":"queue-operation","operation":"enqueue","sessionId":"s","content":"` + c.text + `"}` + "\n" + `{"type":"queue-operation","operation":"remove","sessionId":"s"}`,
		} {
			s := session(t, strings.TrimSpace(calling), line)
			want := []string{"go"}
			if c.want != "" {
				want = append(want, strings.ReplaceAll(c.want, `\n`, "\n"))
			}
			if d := cmp.Diff(want, prompts(t, s)); d != "" {
				t.Errorf("%s by %s: %s", name, way, d)
			}
			if got := s.Steps[len(s.Steps)-1].Kind == transcript.ToolResult; got != (c.want == "") {
				t.Errorf("%s by %s: its result is there: %v", name, way, got)
			}
		}
	}
	for status, isError := range map[string]bool{"completed": false, "failed": true, "killed": true} {
		s := session(t, strings.TrimSpace(calling),
			`{"type":"user","uuid":"u3","parentUuid":"u2","sessionId":"s","message":{"content":[{"type":"tool_result","tool_use_id":"t1","content":"started"}]}}`,
			`{"type":"user","uuid":"u4","parentUuid":"u3","sessionId":"s","message":{"role":"user","content":"`+strings.ReplaceAll(notice, "%s", status)+`"}}`)
		last := s.Steps[len(s.Steps)-1]
		if (last.Kind == transcript.ErrorRecovery) != isError || s.Calls[0].IsError != isError {
			t.Errorf("%s: %s, %v", status, last.Kind, s.Calls[0].IsError)
		}
	}
}

// TestReplayedAnswers: an answer of the conversation that a sub-agent was handed is the conversation's, in whatever order
// they stand.
func TestReplayedAnswers(t *testing.T) {
	answer := func(uuid, request, sidechain, output string) string {
		return strings.NewReplacer("%u", uuid, "%r", request, "%s", sidechain, "%o", output).Replace(answers)
	}
	own, begun, copied := answer("u2", "r1", "false", "7"), answer("u4", "r1", "false", "3"), answer("u3", "r2", "true", "7")
	for name, lines := range map[string][]string{
		"first": {asks, own, copied}, "behind": {asks, copied, own}, "among": {asks, copied, begun, own}, "between": {asks, begun, copied, own},
	} {
		if s := session(t, lines...); s.Usage.Output != 7 || s.Usage.Input != 1 {
			t.Errorf("%s: %+v", name, s.Usage)
		}
	}
	if s := session(t, asks, own, answer("u5", "r3", "false", "7")); s.Usage.Output != 14 {
		t.Errorf("another request of the conversation: %+v", s.Usage)
	}
}

// TestSaidTwice: what an answer says twice is there twice; its copy adds nothing.
func TestSaidTwice(t *testing.T) {
	says := func(uuid string) string {
		text := func(text string) string { return `{"type":"text","text":"` + text + `"}` }
		return `{"type":"assistant","uuid":"` + uuid + `","sessionId":"s","message":{"id":"m1","model":"claude-test","content":[` + text("same") + "," + text("other") + "," + text("same") + `]}}`
	}
	if d := cmp.Diff([]string{"same", "other", "same"}, wanted(t, session(t, asks, says("u2"), says("u3"))).Messages); d != "" {
		t.Error(d)
	}
}

// TestDoubledResult: a result that is there twice came once, in one record or in two.
func TestDoubledResult(t *testing.T) {
	const result = `{"type":"tool_result","tool_use_id":"t1","content":"1"}`
	record := func(uuid, content string) string {
		return `{"type":"user","uuid":"` + uuid + `","parentUuid":"u2","sessionId":"s","message":{"content":[` + content + `]}}`
	}
	for name, lines := range map[string][]string{"one": {record("u3", result+","+result)}, "two": {record("u3", result), record("u4", result)}} {
		if w := wanted(t, session(t, append([]string{strings.TrimSpace(calling)}, lines...)...)); w.Results != 1 {
			t.Errorf("in %s: %d results", name, w.Results)
		}
	}
}

// TestEditThatFailed: what the client keeps of a result says that an edit failed, though the model was not told so.
func TestEditThatFailed(t *testing.T) {
	const edit = `{"type":"assistant","uuid":"u2","sessionId":"s","message":{"id":"m1","model":"claude-test","content":[{"type":"tool_use","id":"t1","name":"Edit","input":{"file_path":"/a.go","old_string":"a","new_string":"b"}}]}}`
	for said, changed := range map[string]bool{`"Error: nope"`: false, `"Error editing file"`: false, `"a text"`: true, `{}`: true} {
		s := session(t, asks, edit, `{"type":"user","uuid":"u3","sessionId":"s","message":{"content":[{"type":"tool_result","tool_use_id":"t1","content":"nope"}]},"toolUseResult":`+said+`}`)
		if (len(s.FilesChanged) == 1) != changed || (s.Calls[0].Diff != nil) != changed || s.Calls[0].IsError {
			t.Errorf("%s: %v, %+v", said, s.FilesChanged, s.Calls[0])
		}
	}
}

// TestOddInputs: whatever a tool was given is its input.
func TestOddInputs(t *testing.T) {
	for input, want := range map[string]string{
		`{"a":1}`: `{"a":1}`, `["a",1]`: `{"input":["a",1]}`, `7`: `{"input":7}`, `true`: `{"input":true}`, `null`: ``,
		`"just text"`: `just text`, `"{\"a\":1}"`: `{"a":1}`,
	} {
		s := session(t, asks, `{"type":"assistant","uuid":"u2","sessionId":"s","message":{"id":"m1","content":[{"type":"tool_use","id":"t1","name":"X","input":`+input+`}]}}`)
		call := s.Calls[0]
		raw := make([]byte, call.Input.Len)
		if n, err := s.Source(call.Input).ReadAt(raw, call.Input.Off); n < len(raw) {
			t.Fatal(err)
		}
		got := string(raw)
		if call.Encoded {
			got = said(t, s, transcript.Step{Text: []transcript.Span{call.Input}})
		}
		if got != want || call.Encoded != (input[0] == '"') {
			t.Errorf("%s is %s, encoded %v", input, got, call.Encoded)
		}
	}
}

// TestNotOurs: logs of others may have lines that look like a record's beginning.
func TestNotOurs(t *testing.T) {
	for name, head := range map[string]string{
		"a document of Gemini's, a message a line": `{"sessionId":"s","projectHash":"p","messages":[` + "\n" + `{"id":"1","type":"user","content":"hi","timestamp":"2026-01-01T00:00:00Z"},` + "\n" + `{"id":"2","type":"gemini","content":"ho"}]}`,
		"a piece of anything":                      `{"type":"user","x":1}, and more` + "\n",
		"a record without a conversation":          `{"type":"user"}` + "\n",
	} {
		if (Format{}).Owns("x", []byte(head)) {
			t.Error(name)
		}
	}
	if !(Format{}).Owns("x", []byte(asks+asks+"\n")) {
		t.Error("two records in one line")
	}
}
