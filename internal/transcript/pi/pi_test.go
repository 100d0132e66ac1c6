// SPDX-License-Identifier: Apache-2.0

package pi_test

import (
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/fiftyarms/platform/internal/jsonscan"
	"github.com/fiftyarms/platform/internal/transcript"
	"github.com/fiftyarms/platform/internal/transcript/pi"
	"github.com/fiftyarms/platform/internal/transcript/transcripttest"
)

const header = `{"type":"session","version":3,"id":"s-1","timestamp":"2026-05-01T10:00:00.000Z","cwd":"/w"}`

// entry is a line of the log: what it says, at a second, after its parent.
func entry(id, parent string, second int, rest string) string {
	up := "null"
	if parent != "" {
		up = `"` + parent + `"`
	}
	return fmt.Sprintf(`{"id":%q,"parentId":%s,"timestamp":"2026-05-01T10:00:%02d.000Z",%s}`, id, up, second, rest)
}

func user(text string) string {
	return `"type":"message","message":{"role":"user","content":[{"type":"text","text":"` + text + `"}]}`
}

func assistant(usage, blocks string) string {
	return `"type":"message","message":{"role":"assistant","model":"m-1","usage":{` + usage + `},"content":[` + blocks + `]}`
}

func result(call, text string, isError bool, more string) string {
	return fmt.Sprintf(`"type":"message","message":{"role":"toolResult","toolCallId":%q,"content":[{"type":"text","text":%q}],"isError":%v%s}`, call, text, isError, more)
}

func read(t *testing.T, lines ...string) *transcript.Session {
	t.Helper()
	path := filepath.Join(t.TempDir(), "2026-05-01T10-00-00-000Z_from-name.jsonl")
	if err := os.WriteFile(path, []byte(strings.Join(lines, "\n")+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	s, err := pi.Format{}.Read(t.Context(), path, func(int64) {})
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

// said is a span's text.
func said(t *testing.T, s *transcript.Session, at transcript.Span) string {
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
		if p.Call != transcript.None {
			words = append(words, s.Calls[p.Call].Name+"/"+s.Calls[p.Call].ID)
		}
		if p.Kind == transcript.ToolCall {
			words = append(words, said(t, s, s.Calls[p.Call].Input))
		}
		for _, part := range p.Text {
			words = append(words, said(t, s, part))
		}
		if p.Images > 0 {
			words = append(words, fmt.Sprint("images=", p.Images))
		}
		lines = append(lines, strings.Join(words, " "))
	}
	return lines
}

var turns = []struct {
	name  string
	lines []string
	want  []string
}{
	{"a turn", []string{header,
		entry("a", "", 1, user(`say \"hi\"`)),
		entry("b", "a", 2, assistant("", `{"type":"thinking","thinking":"hm"},{"type":"text","text":"hello"},{"type":"toolCall","id":"k1","name":"bash","arguments":{"command":"ls"}}`)),
		entry("c", "b", 3, result("k1", "a.txt", false, "")),
	}, []string{`user_prompt say "hi"`, "thinking hm", "assistant_message hello", `tool_call bash/k1 {"command":"ls"}`, "tool_result bash/k1 a.txt"}},

	{"a call that failed", []string{header,
		entry("b", "", 2, assistant("", `{"type":"toolCall","id":"k1","name":"bash","arguments":{"command":"false"}}`)),
		entry("c", "b", 3, result("k1", "exit 1", true, "")),
	}, []string{`tool_call bash/k1 {"command":"false"}`, "error_recovery bash/k1 exit 1"}},

	{"an image, a string as content, and nothing", []string{header,
		entry("a", "", 1, `"type":"message","message":{"role":"user","content":[{"type":"image","data":"x"}]}`),
		entry("b", "a", 2, `"type":"message","message":{"role":"user","content":"plain"}`),
		entry("c", "b", 3, user(`  \n`)),
		entry("d", "c", 4, assistant("", `{"type":"thinking","thinking":"","redacted":true}`)),
	}, []string{"user_prompt images=1", "user_prompt plain"}},

	{"what nobody typed", []string{header,
		entry("a", "", 1, `"type":"message","message":{"role":"bashExecution","command":"ls","output":""}`),
		entry("b", "a", 2, `"type":"custom_message","customType":"x","content":"injected"`),
		entry("c", "b", 3, `"type":"compaction","summary":"S"`),
		entry("d", "c", 4, `"type":"branch_summary","summary":"S"`),
		entry("e", "d", 5, `"type":"message","message":{"role":"hookMessage","content":"x"}`),
		entry("f", "e", 6, user("typed")),
	}, []string{"user_prompt typed"}},

	{"another branch", []string{header,
		entry("a", "", 1, user("one")),
		entry("b", "a", 2, user("old way")),
		entry("c", "a", 3, user("new way")),
	}, []string{"user_prompt one", "user_prompt new way"}},

	{"a branch from the very beginning", []string{header,
		entry("a", "", 1, user("old")),
		entry("b", "", 2, user("new")),
	}, []string{"user_prompt new"}},

	{"a lost parent gives up nothing", []string{header,
		entry("a", "", 1, user("one")),
		entry("c", "lost", 3, user("two")),
	}, []string{"user_prompt one", "user_prompt two"}},

	{"a circle", []string{header,
		entry("a", "b", 1, user("one")),
		entry("b", "a", 2, user("two")),
		entry("c", "c", 3, user("three")),
	}, []string{"user_prompt one", "user_prompt two", "user_prompt three"}},

	{"version 1 has no tree", []string{
		`{"type":"session","id":"s-1","timestamp":"2026-05-01T10:00:00.000Z","cwd":"/w","provider":"p","modelId":"m-0"}`,
		`{"type":"message","timestamp":"2026-05-01T10:00:01.000Z","message":{"role":"user","content":"one"}}`,
		`{"type":"message","timestamp":"2026-05-01T10:00:02.000Z","message":{"role":"user","content":"two"}}`,
	}, []string{"user_prompt one", "user_prompt two"}},

	{"ids that a model used before", []string{header,
		entry("a", "", 1, assistant("", `{"type":"toolCall","id":"k","name":"bash","arguments":{}}`)),
		entry("b", "a", 2, result("k", "first", false, "")),
		entry("c", "b", 3, assistant("", `{"type":"toolCall","id":"k","name":"read","arguments":{}}`)),
		entry("d", "c", 4, result("k", "second", true, "")),
	}, []string{"tool_call bash/k {}", "tool_result bash/k first", "tool_call read/k#1 {}", "error_recovery read/k#1 second"}},

	{"an entry that is there twice", []string{header, entry("a", "", 1, user("one")), entry("a", "", 1, user("one"))}, []string{"user_prompt one"}},

	{"two entries in one line", []string{header,
		entry("a", "", 1, user("one")) + entry("b", "a", 2, user("two")),
		entry("c", "b", 3, user("three")),
	}, []string{"user_prompt one", "user_prompt two", "user_prompt three"}},

	{"an entry inside another", []string{header,
		strings.Replace(entry("a", "", 1, user("on|e")), "|", entry("b", "a", 2, user("two"))+"\x00", 1),
	}, []string{"user_prompt one", "user_prompt two"}},
}

func TestSteps(t *testing.T) {
	for _, c := range turns {
		t.Run(c.name, func(t *testing.T) {
			if got := steps(t, read(t, c.lines...)); !slices.Equal(got, c.want) {
				t.Errorf("got\n\t%s\nwant\n\t%s", strings.Join(got, "\n\t"), strings.Join(c.want, "\n\t"))
			}
		})
	}
}

func TestUsage(t *testing.T) {
	s := read(t, header,
		entry("a", "", 1, user("one")),
		entry("b", "a", 2, assistant(`"input":3,"output":50,"cacheRead":100,"cacheWrite":20,"cacheWrite1h":5,"totalTokens":173`, "")),
		entry("c", "a", 3, assistant(`"input":1,"output":2,"cacheRead":3,"cacheWrite":4`, "")), // the other branch was paid for
		entry("c", "a", 3, assistant(`"input":1,"output":2,"cacheRead":3,"cacheWrite":4`, "")),
		entry("d", "c", 4, `"type":"model_change","modelId":"m-2"`),
		entry("e", "d", 5, `"type":"compaction","summary":"S","usage":{"input":7,"output":8}`),
	)
	if want := (transcript.Tokens{Input: 11, Output: 60, CacheRead: 103, CacheCreation: 24, CacheCreation1h: 5}); s.Usage != want {
		t.Errorf("got %+v, want %+v", s.Usage, want)
	}
	if got := slices.Sorted(maps.Keys(s.ByModel)); !slices.Equal(got, []string{"m-1", "m-2"}) {
		t.Errorf("models %v", got)
	}
	if got := s.ByModel["m-2"]; got != (transcript.Tokens{Input: 7, Output: 8}) {
		t.Errorf("the summary cost %+v", got)
	}
	if n := len(slices.Collect(s.Answers())); n != 3 {
		t.Errorf("%d answers", n)
	}
}

func TestHead(t *testing.T) {
	s := read(t, header, entry("a", "", 1, user(`fix\nit`)), entry("b", "a", 2, assistant("", "")),
		entry("c", "b", 3, `"type":"session_info","name":"first"`), entry("d", "c", 4, `"type":"session_info","name":"A name"`))
	if got := []string{s.Agent, s.ID, s.Cwd, s.Title, s.Summary, s.Model}; !slices.Equal(got, []string{"pi", "s-1", "/w", "fix it", "A name", "m-1"}) {
		t.Errorf("got %q", got)
	}
	s = read(t, `{"type":"message","message":{"role":"user","content":"x"}}`)
	if s.ID != "from-name" || s.Model != "unknown" {
		t.Errorf("without a header: id %q, model %q", s.ID, s.Model)
	}
	s = read(t, `{"type":"session","id":"s-1","timestamp":"2026-05-01T10:00:00.000Z","cwd":"/w","modelId":"m-0"}`)
	if s.Model != "m-0" || s.Title != "Untitled session" {
		t.Errorf("version 1: model %q, title %q", s.Model, s.Title)
	}
}

func TestFilesAndDiffs(t *testing.T) {
	call := func(id, name, input string) string {
		return fmt.Sprintf(`{"type":"toolCall","id":%q,"name":%q,"arguments":{%s}}`, id, name, input)
	}
	s := read(t, header,
		entry("a", "", 1, assistant("", strings.Join([]string{
			call("k1", "edit", `"path":"a.go","oldText":"x","newText":"y"`),
			call("k2", "edit", `"path":"b.go","edits":[{"oldText":"1","newText":"2"},{"oldText":"3","newText":"4"}]`),
			call("k3", "write", `"path":"c.go","content":"new"`),
			call("k4", "write", `"path":"failed.go","content":"new"`),
			call("k5", "write", `"path":"never-run.go","content":"new"`),
			call("k6", "read", `"path":"read.go"`),
		}, ","))),
		entry("b", "a", 2, result("k1", "ok", false, `,"details":{"diff":"-1 x\n+1 y"}`)),
		entry("c", "b", 3, result("k2", "ok", false, "")),
		entry("d", "c", 4, result("k3", "ok", false, "")),
		entry("e", "d", 5, result("k4", "EACCES", true, "")),
		entry("f", "e", 6, result("k6", "ok", false, "")),
	)
	if !slices.Equal(s.FilesChanged, []string{"a.go", "b.go", "c.go"}) {
		t.Errorf("files %q", s.FilesChanged)
	}
	one, two, three := s.Calls[0].Diff, s.Calls[1].Diff, s.Calls[2].Diff
	if one.Path != "a.go" || !one.Has || said(t, s, one.Patch) != "-1 x\n+1 y" {
		t.Errorf("the patch of the result: %+v", one)
	}
	if two.Path != "b.go" || !two.Has || said(t, s, two.Old) != "1" || said(t, s, two.New) != "2" {
		t.Errorf("the first of the edits: %+v", two)
	}
	if three != nil {
		t.Errorf("a write has no diff: %+v", three)
	}
}

func TestCounters(t *testing.T) {
	s := read(t, header, "", "  ", "no JSON", `["list"]`, `{"no":"type"}`,
		entry("a", "", 1, user("one")),
		entry("b", "a", 2, user("gone"))+entry("c", "b", 3, assistant("", `{"type":"toolCall","id":"k","name":"write","arguments":{"path":"gone.go"}}`)),
		entry("d", "c", 4, result("k", "failed", true, "")),
		entry("e", "a", 5, `"type":"label","label":"x"`),
		entry("f", "e", 6, `"type":"of_tomorrow"`),
		entry("g", "f", 7, `"type":"message","message":{"role":"of_tomorrow"}`),
		entry("h", "g", 8, result("nobody", "x", false, "")),
	)
	k := s.Skipped
	if k.Blank != 2 || k.Malformed != 4 || k.Recovered != 2 || k.KnownIgnored != 1 || k.Unknown != 2 || k.UnmatchedResults != 1 {
		t.Errorf("%+v", k)
	}
	if k.UnknownTypes["of_tomorrow"] != 1 || k.UnknownTypes[`message "of_tomorrow"`] != 1 {
		t.Errorf("%v", k.UnknownTypes)
	}
	if k.Abandoned != (transcript.Abandoned{Records: 3, Prompts: 1, ToolCalls: 1, Errors: 1}) {
		t.Errorf("%+v", k.Abandoned)
	}
	if len(s.FilesChanged) != 0 || len(s.Damage) != 4 || s.Damage[0].Line != 4 {
		t.Errorf("%q, %+v", s.FilesChanged, s.Damage)
	}
}

func TestOwns(t *testing.T) {
	message := entry("a", "", 1, user("x"))
	for head, want := range map[string]bool{
		header: true,
		"\ufeff\n" + header + "\n" + message[:40]: true,
		header[:20] + "\x00\n" + message:          true,
		message:                                   true,
		`x` + header:                              true,
		"":                                        false,
		`{"type":"session","harness":"h","id":"1","timestamp":"t","cwd":"/"}`:                                                  false,
		`{"type":"user","uuid":"u","parentUuid":null,"sessionId":"s","message":{"role":"user","content":"x"}}` + "\n" + header: false,
		`{"timestamp":"2026-01-01T00:00:00Z","type":"session_meta","payload":{"id":"1"}}`:                                      false,
		`{"type":"user.message","data":{"content":"x"},"id":"1","timestamp":"t","parentId":null}`:                              false,
		`{"sessionId":"s","projectHash":"h"}`:                                                                                  false,
		`{"type":"message","id":"1","message":{"role":"user"}}`:                                                                false,
		"SQLite format 3\x00": false,
	} {
		if got := (pi.Format{}).Owns("any", []byte(head)); got != want {
			t.Errorf("%v for %.80q", got, head)
		}
	}
}

func TestEach(t *testing.T) {
	env := map[string]string{"PI_CODING_AGENT_DIR": t.TempDir()}
	getenv := func(name string) string { return env[name] }
	dir := pi.Format{}.Dir(transcript.Env{Getenv: getenv, Home: "/home/x"})
	var found []string
	each := func(path string, _ fs.FileInfo) { found = append(found, filepath.Base(path)) }
	if err := (pi.Format{}).Each(dir, each); err != nil || found != nil {
		t.Errorf("a folder that is not there: %v, %v", found, err)
	}
	for _, name := range []string{"--w--/1_a.jsonl", "--w--/notes.txt", "--v--/2_b.jsonl", "3_c.jsonl"} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(header), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := (pi.Format{}).Each(dir, each); err != nil {
		t.Fatal(err)
	}
	slices.Sort(found)
	if !slices.Equal(found, []string{"1_a.jsonl", "2_b.jsonl", "3_c.jsonl"}) {
		t.Errorf("%q", found)
	}
	if got := (pi.Format{}).Dir(transcript.Env{Getenv: func(string) string { return "" }, Home: "/h"}); got != filepath.Join("/h", ".pi", "agent", "sessions") {
		t.Error(got)
	}
}

func FuzzRead(f *testing.F) {
	whole := strings.Join([]string{header, entry("a", "", 1, user("one")),
		entry("b", "a", 2, assistant(`"input":1`, `{"type":"toolCall","id":"k","name":"edit","arguments":{"path":"p","oldText":"a","newText":"b"}}`)),
		entry("c", "b", 3, result("k", "x", true, `,"details":{"diff":"d"}`))}, "\n")
	transcripttest.FuzzRead(f, pi.Format{}, "s.jsonl",
		[]byte(whole),
		[]byte(whole[:len(whole)/2]),
		[]byte(strings.ReplaceAll(whole, "\n", "")),
		[]byte(strings.Replace(whole, "one", entry("d", "a", 4, user("in")), 1)),
		[]byte("\ufeff{}\n[]\n\"\\ud800\"\n"),
	)
}
