// SPDX-License-Identifier: Apache-2.0

package stats_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/fiftyarms/platform/internal/flatbread/stats"
	"github.com/fiftyarms/platform/internal/transcript"
	"github.com/fiftyarms/platform/internal/transcript/claude"
)

// said is an answer's record; request may be empty.
func said(uuid, id, request string, out int) string {
	if request != "" {
		request = fmt.Sprintf(`"requestId":%q,`, request)
	}
	return fmt.Sprintf(`{"type":"assistant","uuid":%q,"sessionId":"s",%s"message":{"id":%q,"model":"m","content":[],"usage":{"output_tokens":%d}}}`+"\n", uuid, request, id, out)
}

func aside(record string) string {
	return strings.Replace(record, `{"type"`, `{"isSidechain":true,"agentId":"x","type"`, 1)
}

// reportOf counts logs as files of their own.
func reportOf(t *testing.T, logs []string) *stats.Report {
	t.Helper()
	r := stats.New()
	for i, log := range logs {
		path := filepath.Join(t.TempDir(), fmt.Sprintf("%d.jsonl", i))
		if err := os.WriteFile(path, []byte(log), 0o600); err != nil {
			t.Fatal(err)
		}
		s, err := claude.Format{}.Read(t.Context(), path, nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Add(s)
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
	return r
}

// TestAnswersOfCopies: files that hold one answer, in whatever order they are read, count it once and whole.
func TestAnswersOfCopies(t *testing.T) {
	for _, c := range []struct {
		name      string
		logs      []string
		main, sub int64
	}{
		{"a part and the whole", []string{said("1", "m1", "r1", 1), said("1", "m1", "r1", 100)}, 100, 0},
		{"no request in a copy", []string{said("1", "m1", "r1", 10), said("1", "m1", "", 10)}, 10, 0},
		{"no request at all", []string{said("1", "m1", "", 10), said("2", "m1", "", 7)}, 10, 0},
		{"two requests of one message", []string{said("1", "m1", "r1", 10), said("2", "m1", "r2", 5)}, 15, 0},
		{"a sub-agent's replay", []string{said("1", "m1", "r1", 10), aside(said("2", "m1", "r2", 10))}, 10, 0},
		{"two sub-agents' replays", []string{aside(said("2", "m1", "r2", 10)), said("1", "m1", "r1", 10), aside(said("3", "m1", "r3", 10))}, 10, 0},
		{"a sub-agent's copy", []string{said("1", "m1", "r1", 10), aside(said("1", "m1", "r1", 20))}, 20, 0},
		{"of a sub-agent alone", []string{aside(said("1", "m1", "r1", 10)), aside(said("2", "m1", "r1", 20))}, 0, 20},
		{"two answers", []string{said("1", "m1", "r1", 10), said("2", "m2", "r2", 5)}, 15, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			for range 2 {
				got := reportOf(t, c.logs).Stats()
				if got.Main.OutputTokens != c.main || got.Sub.OutputTokens != c.sub || got.Total.OutputTokens != c.main+c.sub || got.ByModel["m"].OutputTokens != c.main+c.sub {
					t.Errorf("main %d, sub %d; want %d, %d", got.Main.OutputTokens, got.Sub.OutputTokens, c.main, c.sub)
				}
				slices.Reverse(c.logs)
			}
		})
	}
}

// TestWhatCopiesHold: prompts, calls and errors count once where the log tells that they are the same.
func TestWhatCopiesHold(t *testing.T) {
	record := func(kind, time, content string) string {
		return fmt.Sprintf(`{"type":%q,"sessionId":"s",%s"message":{"content":%s}}`+"\n", kind, time, content)
	}
	const noon, later = `"timestamp":"2026-01-02T12:00:00.000Z",`, `"timestamp":"2026-01-02T13:00:00.000Z",`
	turn := func(time, call string) string {
		return record("user", time, `"go on"`) + record("assistant", time, `[{"type":"tool_use","id":"`+call+`","name":"Bash","input":{}}]`) +
			record("user", time, `[{"type":"tool_result","tool_use_id":"`+call+`","content":"no","is_error":true}]`)
	}
	const unique = "toolu_01ABCDEFGHIJKLMNOP"
	for _, c := range []struct {
		name                   string
		logs                   []string
		prompts, calls, errors int64
	}{
		{"one", []string{turn(noon, "1")}, 1, 1, 1},
		{"a copy", []string{turn(noon, "1"), turn(noon, "1")}, 1, 1, 1},
		{"a copy that goes on", []string{turn(noon, "1"), turn(noon, "1") + turn(later, "2")}, 2, 2, 2},
		{"numbers that another session has too", []string{turn(noon, "1"), turn(later, "1")}, 2, 2, 2},
		{"a copy with the time of the copying", []string{turn(noon, unique), turn(later, unique)}, 2, 1, 1},
		{"no times, numbers", []string{turn("", "1"), turn("", "1")}, 2, 2, 2},
		{"no times, ids", []string{turn("", unique), turn("", unique)}, 2, 1, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := reportOf(t, c.logs).Stats()
			if got.Prompts != c.prompts || got.ToolCalls != c.calls || got.Errors != c.errors {
				t.Errorf("%d prompts, %d calls, %d errors; want %d, %d, %d", got.Prompts, got.ToolCalls, got.Errors, c.prompts, c.calls, c.errors)
			}
		})
	}
}

// TestAnotherAgentsIDs: agents do not know of each other's ids.
func TestAnotherAgentsIDs(t *testing.T) {
	r := stats.New()
	for _, agent := range []string{"a", "b"} {
		b := transcript.NewBuilder(agent, "")
		b.Cost([]byte("m1"), "m", transcript.Main, transcript.Tokens{Output: 5})
		b.Cost(nil, "m", transcript.Main, transcript.Tokens{Output: 1})
		s, err := b.Finish(nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Add(s)
	}
	if got := r.Stats().Total.OutputTokens; got != 12 {
		t.Error(got)
	}
}

type full struct{}

func (full) Write([]byte) (int, error) { return 0, os.ErrClosed }

func TestPrintTellsThatItCouldNot(t *testing.T) {
	if err := stats.New().Print(full{}); err == nil {
		t.Error("it was all written, to nowhere")
	}
}
