// SPDX-License-Identifier: Apache-2.0

package tracefile_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fiftyarms/platform/gen/trace"
	"github.com/fiftyarms/platform/internal/flatbread/tracefile"
	"github.com/fiftyarms/platform/internal/transcript"
)

// TestLabels: a call in one line, cut as all content is, with one mark.
func TestLabels(t *testing.T) {
	const mark = "…[truncated]"
	long := func(n int) string { return strings.Repeat("a", n) }
	for _, c := range []struct {
		name, tool string
		input      turn
		want       string
	}{
		{"a value", "Bash", turn{"command": "ls"}, "Bash: ls"},
		{"the first of several", "X", turn{"query": "q", "url": "u"}, "X: u"},
		{"none is empty", "X", turn{"command": "", "url": "u"}, "X: u"},
		{"on one line", "X", turn{"command": "  a\n\t b\u0085c\x01 "}, "X: a b c"},
		{"words", "shell", turn{"command": []any{"go", "test", 1, nil, []any{"no"}, "./..."}}, "shell: go test ./..."},
		{"no words", "shell", turn{"command": []any{}}, "shell:"},
		{"no value", "X", turn{"n": 1, "command": 5}, "X"},
		{"no name", "", turn{"command": "ls"}, "ls"},
		{"nothing", "", turn{}, ""},
		{"fits", "B", turn{"command": long(3997)}, "B: " + long(3997)},
		{"one more", "B", turn{"command": long(3998)}, "B: " + long(3997) + mark},
		{"a space behind what fits", "B", turn{"command": long(3997) + " "}, "B: " + long(3997)},
		{"a space at the cut", "B", turn{"command": long(3996) + " bcd"}, "B: " + long(3996) + " " + mark},
		{"a space behind the cut", "B", turn{"command": long(3997) + " bcd"}, "B: " + long(3997) + mark},
		{"words over the cut", "B", turn{"command": []any{long(3990), long(20), long(20)}}, "B: " + long(3990) + " " + long(6) + mark},
		{"a long name", strings.Repeat("n", 5000), turn{"command": "ls"}, strings.Repeat("n", 4000) + mark},
		{"a name that just fits", strings.Repeat("n", 4000), turn{"command": "ls -la"}, strings.Repeat("n", 4000) + mark},
		{"a name that just fits, of nothing", strings.Repeat("n", 4000), turn{}, strings.Repeat("n", 4000)},
		{"a name and no more", strings.Repeat("n", 3999), turn{"command": "ls -la"}, strings.Repeat("n", 3999) + ":" + mark},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := traced(t, logOf(t, calls("1", c.tool, c.input)))
			if got.Steps[0].Content != c.want {
				t.Errorf("%.40q…%.40q (%d), want %.40q… (%d)", got.Steps[0].Content, got.Steps[0].Content[max(0, len(got.Steps[0].Content)-40):], len(got.Steps[0].Content), c.want, len(c.want))
			}
		})
	}
}

// TestEncodedInputs: an input that the log has as text is the object that it spells, else the text.
func TestEncodedInputs(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{`{"a":1}`, `{"a":1}`},
		{` {"a":"\n"} `, ` {"a":"\n"} `},
		{`{"a":1,"a":2}`, `{"a":2}`},
		{`{"a":1} x`, `{"input":"{\"a\":1} x"}`},
		{`{"a":`, `{"input":"{\"a\":"}`},
		{`[1]`, `{"input":"[1]"}`},
		{`"x"`, `{"input":"\"x\""}`},
		{"*** Begin Patch", `{"input":"*** Begin Patch"}`},
	} {
		b := transcript.NewBuilder("codex", "")
		b.Call(transcript.NoTime, transcript.Main, transcript.None, transcript.Call{ID: "1", Name: "X", Input: b.Words(c.text), Encoded: true})
		if got := written(t, finished(t, b)); string(got.Steps[0].Tool.Input) != strings.TrimSpace(c.want) && string(got.Steps[0].Tool.Input) != c.want {
			t.Errorf("%s: %s, want %s", c.text, got.Steps[0].Tool.Input, c.want)
		}
	}
}

// TestPlainText: an output that is a file is cut at its characters.
func TestPlainText(t *testing.T) {
	const mark = "…[truncated]"
	for _, c := range []struct{ name, text, want string }{
		{"short", "a\"b\\\n\tc", "a\"b\\\n\tc"},
		{"fits", strings.Repeat("é", 4000), strings.Repeat("é", 4000)},
		{"one more", strings.Repeat("é", 4001), strings.Repeat("é", 4000) + mark},
		{"of four bytes", strings.Repeat("🚀", 4001), strings.Repeat("🚀", 4000) + mark},
		{"escapes are one", strings.Repeat("\x01", 4001), strings.Repeat("\x01", 4000) + mark},
		{"no text", "a\xffb", "a\ufffdb"},
		{"empty", "", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "output.txt")
			if err := os.WriteFile(path, []byte(c.text), 0o600); err != nil {
				t.Fatal(err)
			}
			b := transcript.NewBuilder("codex", "")
			b.Call(transcript.NoTime, transcript.Main, transcript.None, transcript.Call{ID: "1", Name: "X"})
			b.Result(transcript.NoTime, transcript.Main, transcript.None, "1", []transcript.Span{b.File(path, int64(len(c.text)))}, 0, false)
			if got := written(t, finished(t, b)).Steps[1].Content; got != c.want {
				t.Errorf("%d bytes, want %d", len(got), len(c.want))
			}
		})
	}
}

func finished(t *testing.T, b *transcript.Builder) *transcript.Session {
	t.Helper()
	s, err := b.Finish(nil)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestTokensOfAnyLog: a number that cannot be is none.
func TestTokensOfAnyLog(t *testing.T) {
	answer := func(id string, out int64) turn {
		return turn{"type": "assistant", "message": turn{"id": id, "model": "m", "content": []any{}, "usage": turn{"input_tokens": -4, "output_tokens": out}}}
	}
	got := traced(t, logOf(t, answer("1", 5)))
	if want := (trace.Tokens{OutputTokens: 5}); got.Usage.ByModel["m"] != want || got.Usage.InputTokens != 0 || got.Usage.OutputTokens != 5 {
		t.Errorf("%+v", got.Usage)
	}
}

// TestLargeInputs: what is longer than a window is the same text.
func TestLargeInputs(t *testing.T) {
	for name, text := range map[string]string{
		"clean": strings.Repeat("x", 100), "escapes": strings.Repeat(`é\n\ud83d\ude80`, 10), "no text": strings.Repeat("a\xff\\ud800b", 10),
	} {
		t.Run(name, func(t *testing.T) {
			object := `{"list":[` + strings.Repeat(`"`+text+`",7,{"k":null},`, 5000) + `"` + strings.Repeat(text, 100) + `"],"command":"last"}`
			log := `{"type":"assistant","message":{"content":[{"type":"tool_use","id":"1","name":"X","input":` + object + `}]}}` + "\n" + logOf(t, says("next"))
			got := traced(t, log)
			var in, want struct{ List []any }
			if err := errors.Join(json.Unmarshal(got.Steps[0].Tool.Input, &in), json.Unmarshal([]byte(object), &want)); err != nil {
				t.Fatal(err)
			}
			runes := []rune(want.List[len(want.List)-1].(string))
			if len(runes) > 2000 {
				want.List[len(want.List)-1] = string(runes[:2000]) + "…[truncated]"
			}
			a, errA := json.Marshal(in)
			b, errB := json.Marshal(want)
			if errA != nil || errB != nil || !bytes.Equal(a, b) || got.Steps[0].Content != "X: last" || got.Steps[1].Content != "next" {
				t.Errorf("%d bytes, want %d; %q", len(a), len(b), got.Steps[0].Content)
			}
		})
	}
}

// TestLongPatches: of a patch of any length as much is put together as is shown.
func TestLongPatches(t *testing.T) {
	lines := make([]any, 0, 9000)
	for range 9000 {
		lines = append(lines, "+é")
	}
	hunk := turn{"oldStart": 1, "oldLines": 0, "newStart": 1, "newLines": 9000, "lines": lines}
	r := answers("1", "ok", false)
	r["toolUseResult"] = turn{"structuredPatch": []any{hunk, hunk}}
	got := traced(t, logOf(t, calls("1", "Edit", turn{"file_path": "a"}), r)).Steps[0].Diff.Patch
	want := "@@ -1,0 +1,9000 @@\n" + strings.Repeat("+é\n", 1327) + "…[truncated]"
	if got != want {
		t.Errorf("%q…, %d bytes, want %d", got[:40], len(got), len(want))
	}
}

// TestManyFiles: of more files than are looked into at once, each says what is its own, also when it is come back to.
func TestManyFiles(t *testing.T) {
	b := transcript.NewBuilder("codex", "")
	var want []string
	for range 2 {
		for n := range 100 {
			text := strings.Repeat(string(rune('a'+n%26)), 10+n)
			path := filepath.Join(t.TempDir(), "output.txt")
			if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			at := b.File(path, int64(len(text)))
			b.Step(transcript.AssistantMessage, transcript.NoTime, transcript.Main, transcript.None, []transcript.Span{at, b.Words("-"), at}, 0)
			want = append(want, text+"\n-\n"+text)
		}
	}
	for i, step := range written(t, finished(t, b)).Steps {
		if step.Content != want[i] {
			t.Fatalf("%d: %q, want %q", i, step.Content, want[i])
		}
	}
}

// TestWriteEndsWithItsContext: a person who has enough waits for no more steps.
func TestWriteEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	b := transcript.NewBuilder("codex", "")
	b.Step(transcript.UserPrompt, transcript.NoTime, transcript.Main, transcript.None, []transcript.Span{b.Words("go")}, 0)
	if err := tracefile.Write(ctx, &bytes.Buffer{}, finished(t, b), trace.Git{}); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}
