// SPDX-License-Identifier: Apache-2.0

package gemini_test

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
	"github.com/fiftyarms/platform/internal/transcript/gemini"
)

const header = `{"sessionId":"s-1","projectHash":"f00","startTime":"2026-05-01T10:00:00.000Z","lastUpdated":"2026-05-01T10:00:00.000Z","kind":"main"}`

// line is a message: its id, type, second, and what else it has.
func line(id, kind string, second int, rest string) string {
	return fmt.Sprintf(`{"id":%q,"timestamp":"2026-05-01T10:00:%02d.000Z","type":%q,%s}`, id, second, kind, rest)
}

func user(id string, second int, text string) string {
	return line(id, "user", second, `"content":[{"text":"`+text+`"}]`)
}

func answer(id string, second int, text, more string) string {
	return line(id, "gemini", second, `"model":"g-1","content":"`+text+`"`+more)
}

func call(id, name, status, args, more string) string {
	return fmt.Sprintf(`{"id":%q,"name":%q,"status":%q,"args":{%s}%s}`, id, name, status, args, more)
}

func calls(list ...string) string { return `,"toolCalls":[` + strings.Join(list, ",") + `]` }

func output(id, key, text string) string {
	return fmt.Sprintf(`,"result":[{"functionResponse":{"id":%q,"name":"n","response":{%q:%q}}}]`, id, key, text)
}

func write(t *testing.T, path, data string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(data), 0o600); err != nil {
		t.Fatal(err)
	}
}

func readFile(t *testing.T, path string) *transcript.Session {
	t.Helper()
	s, err := gemini.Format{}.Read(t.Context(), path, func(int64) {})
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

func read(t *testing.T, lines ...string) *transcript.Session {
	t.Helper()
	path := filepath.Join(t.TempDir(), "p", "chats", "session-from-name.jsonl")
	write(t, path, strings.Join(lines, "\n")+"\n")
	return readFile(t, path)
}

// document is an old session, written over many lines.
func document(messages ...string) string {
	return "{\n  \"sessionId\": \"s-1\",\n  \"projectHash\": \"f00\",\n  \"startTime\": \"2026-05-01T10:00:00.000Z\",\n  \"messages\": [\n    " +
		strings.ReplaceAll(strings.Join(messages, ",\n    "), `{"id"`, "{\n      \"id\"") + "\n  ],\n  \"summary\": \"A name\"\n}\n"
}

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
		if p.Agent != transcript.Main {
			words = append(words, "of", s.Agents[p.Agent].ID)
		}
		if p.Call != transcript.None {
			words = append(words, s.Calls[p.Call].Name+"/"+s.Calls[p.Call].ID)
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
		user("u1", 1, `say \"hi\"`),
		answer("g1", 2, "hello", `,"thoughts":[{"subject":"S","description":"D","timestamp":"2026-05-01T10:00:02.000Z"}]`+calls(call("c1", "ls", "success", "", output("c1", "output", "a.txt")))),
	}, []string{`user_prompt say "hi"`, "thinking S D", "assistant_message hello", "tool_call ls/c1", "tool_result ls/c1 a.txt"}},

	{"what the client says, escaped", []string{header,
		user("u1", 1, `\u003csession_context\u003ex\u003c\/session_context\u003e`), user("u2", 2, `two \u003e one`),
	}, []string{"user_prompt two > one"}},

	{"the last version of a message counts, where the first stood", []string{header,
		user("u1", 1, "one"),
		answer("g1", 2, "", calls(call("c1", "ls", "executing", "", `,"result":null`))),
		`{"$set":{"lastUpdated":"2026-05-01T10:00:03.000Z"}}`,
		answer("g2", 4, "two", ""),
		answer("g1", 2, "all", calls(call("c1", "ls", "success", "", output("c1", "output", "x")))),
	}, []string{"user_prompt one", "assistant_message all", "tool_call ls/c1", "tool_result ls/c1 x", "assistant_message two"}},

	{"failed, refused, never ended, of no status", []string{header,
		answer("g1", 1, "", calls(
			call("c1", "a", "error", "", output("c1", "error", "EACCES")),
			call("c2", "b", "cancelled", "", `,"result":null,"resultDisplay":"refused"`),
			call("c3", "c", "awaiting_approval", "", ""),
			`{"id":"c4","name":"d","result":{"output":"ok"}}`,
			call("c5", "e", "success", "", `,"result":[{"functionResponse":{"id":"c5","response":{"n":1}}},{"inlineData":{}}]`))),
	}, []string{"tool_call a/c1", "error_recovery a/c1 EACCES", "tool_call b/c2", "error_recovery b/c2 refused", "tool_call c/c3",
		"tool_call d/c4", "tool_result d/c4 ok", "tool_call e/c5", `tool_result e/c5 {"n":1} images=1`}},

	{"what was typed, not what became of it", []string{header,
		line("u1", "user", 1, `"content":[{"text":"look @a"},{"text":"--- Content from referenced files ---\nBODY"}],"displayContent":[{"text":"look @a (typed)"}]`),
		line("u2", "user", 2, `"content":["two ",{"text":"parts"},{"text":"<hook_context>x"},{"inlineData":{"mimeType":"image/png","data":""}}]`),
	}, []string{"user_prompt look @a (typed)", "user_prompt two  parts images=1"}},

	{"what nobody typed", []string{header,
		`{"$set":{"messages":[` + user("x", 1, `<session_context>\nThis`) + `]}}`,
		line("i1", "info", 2, `"content":"Request cancelled."`),
		line("e1", "error", 3, `"content":"API"`),
		user("x2", 4, `<state_snapshot>sum`), answer("x3", 5, "Got it. Thanks for the additional context!", ""),
		user("u1", 6, "typed"), answer("g1", 7, "Got it. Thanks for the additional context!", ""),
	}, []string{"user_prompt typed", "assistant_message Got it. Thanks for the additional context!"}},

	{"a turn that was taken back", []string{header,
		user("u1", 1, "one"), user("u2", 2, "wrong"), answer("g2", 3, "oops", calls(call("c1", "write_file", "success", `"file_path":"/gone"`, ""))),
		`{"$rewindTo":"u2"}`,
		user("u3", 4, "right"), answer("g3", 5, "", calls(call("c1", "write_file", "error", `"file_path":"/w"`, ""))),
	}, []string{"user_prompt one", "user_prompt right", "tool_call write_file/c1", "error_recovery write_file/c1"}},

	{"a message that was taken back and came again", []string{header,
		user("u1", 1, "one"), user("u2", 2, "two"), `{"$rewindTo":"u1"}`, user("u2", 3, "again"),
	}, []string{"user_prompt again"}},

	{"a rewind to what is not there", []string{header, user("u1", 1, "one"), `{"$rewindTo":"lost"}`}, []string{"user_prompt one"}},

	{"what the model is told later adds and takes nothing", []string{header,
		user("u1", 1, "one"), answer("g1", 2, "whole answer", ""),
		`{"$set":{"messages":[` + answer("g1", 2, "[masked]", "") + `,` + user("u2", 3, "two") + `]}}`,
	}, []string{"user_prompt one", "assistant_message whole answer", "user_prompt two"}},

	{"a call and its result as the model has them", []string{header,
		line("g1", "gemini", 1, `"content":[{"text":"t","thought":true},{"functionCall":{"id":"c1","name":"ls","args":{}}}]`),
		line("u1", "user", 2, `"content":[{"functionResponse":{"id":"c1","response":{"error":"no"}}}]`),
	}, []string{"thinking t", "tool_call ls/c1", "error_recovery ls/c1 no"}},

	{"a result that the client and the model have", []string{header,
		answer("g1", 1, "", calls(call("c1", "ls", "success", "", output("c1", "output", "x")))),
		line("u1", "user", 2, `"content":[{"functionResponse":{"id":"c1","response":{"output":"x"}}}]`),
	}, []string{"tool_call ls/c1", "tool_result ls/c1 x"}},

	{"two messages in one line", []string{header, user("u1", 1, "one") + user("u2", 2, "two"), user("u3", 3, "three")},
		[]string{"user_prompt one", "user_prompt two", "user_prompt three"}},

	{"a message inside another", []string{header, strings.Replace(user("u1", 1, "on|e"), "|", user("u2", 2, "two")+"\x00", 1)},
		[]string{"user_prompt one", "user_prompt two"}},
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

func TestDocument(t *testing.T) {
	messages := []string{user("u1", 1, "one"), answer("g1", 2, "two", ""), user("u2", 3, "three"), user("u3", 4, "four")}
	whole := document(messages...)
	for _, c := range []struct {
		name, data       string
		want             []string
		damaged, rescued int64
	}{
		{"whole", whole, []string{"one", "two", "three", "four"}, 0, 0},
		{"with a mark", "\ufeff" + whole, []string{"one", "two", "three", "four"}, 0, 0},
		{"cut", whole[:strings.Index(whole, "three")], []string{"one", "two"}, 1, 0},
		{"one wrong byte", strings.Replace(whole, "two", "t\x01o", 1), []string{"one", "three", "four"}, 1, 2},
		{"in one line", strings.ReplaceAll(whole, "\n", ""), []string{"one", "two", "three", "four"}, 0, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "session-x.json")
			write(t, path, c.data)
			s := readFile(t, path)
			var got []string
			for _, p := range s.Steps {
				got = append(got, said(t, s, p.Text[0]))
			}
			if !slices.Equal(got, c.want) || s.Skipped.Malformed != c.damaged || s.Skipped.Recovered != c.rescued || s.ID != "s-1" {
				t.Errorf("got %q, %+v, id %q", got, s.Skipped, s.ID)
			}
			if c.damaged == 0 && s.Summary != "A name" {
				t.Errorf("summary %q", s.Summary)
			}
			if !(gemini.Format{}).Owns(path, []byte(c.data)) {
				t.Error("not owned")
			}
		})
	}
}

func TestUsage(t *testing.T) {
	tokens := func(input, output, cached, thoughts, tool int) string {
		return fmt.Sprintf(`,"tokens":{"input":%d,"output":%d,"cached":%d,"thoughts":%d,"tool":%d,"total":0}`, input, output, cached, thoughts, tool)
	}
	s := read(t, header, answer("g1", 1, "a", `,"tokens":null`), answer("g1", 1, "a", tokens(1000, 30, 400, 20, 7)), answer("g1", 1, "a", tokens(1000, 30, 400, 20, 7)),
		user("u2", 2, "wrong"), answer("g2", 3, "paid for", tokens(500, 5, 0, 0, 0)), `{"$rewindTo":"u2"}`,
		`{"$set":{"messages":[`+answer("g1", 1, "a", tokens(1000, 30, 400, 20, 7))+`]}}`)
	if want := (transcript.Tokens{Input: 1107, Output: 55, CacheRead: 400}); s.Usage != want || s.ByModel["g-1"] != want {
		t.Errorf("got %+v, want %+v", s.Usage, want)
	}
}

func TestFilesAndDiffs(t *testing.T) {
	s := read(t, header, answer("g1", 1, "", calls(
		call("c1", "replace", "success", `"file_path":"/w/a","old_string":"x","new_string":"y"`, `,"resultDisplay":{"fileDiff":"@@","fileName":"a"}`),
		call("c2", "replace", "success", `"file_path":"/w/b","old_string":"x","new_string":""`, ""),
		call("c3", "write_file", "success", `"file_path":"/w/c","content":"x"`, `,"resultDisplay":{"fileDiff":"@@"}`),
		call("c4", "write_file", "error", `"file_path":"/w/failed"`, ""),
		call("c5", "write_file", "cancelled", `"file_path":"/w/refused"`, ""),
		call("c6", "write_file", "executing", `"file_path":"/w/unknown"`, ""),
		call("c7", "read_file", "success", `"file_path":"/w/read"`, ""))))
	if !slices.Equal(s.FilesChanged, []string{"/w/a", "/w/b", "/w/c"}) {
		t.Errorf("files %q", s.FilesChanged)
	}
	if d := s.Calls[0].Diff; d.Path != "/w/a" || !d.Has || said(t, s, d.Patch) != "@@" {
		t.Errorf("%+v", d)
	}
	if d := s.Calls[1].Diff; d.Path != "/w/b" || !d.Has || said(t, s, d.Old) != "x" || d.New.Len != 0 {
		t.Errorf("%+v", d)
	}
	if d := s.Calls[2].Diff; d != nil {
		t.Errorf("a write has no diff: %+v", d)
	}
}

func TestSubAgents(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "p")
	main := filepath.Join(dir, "chats", "session-x.jsonl")
	write(t, main, strings.Join([]string{header, user("u1", 1, "one"),
		answer("g1", 2, "", calls(call("c1", "investigate", "success", `"description":"look"`, `,"agentId":"sub-1"`+output("c1", "output", "found")))),
		answer("g2", 9, "done", ""), `{"$set":{"summary":"A name"}}`}, "\n"))
	sub := strings.Replace(strings.Replace(header, "s-1", "sub-1", 1), `"main"`, `"subagent"`, 1)
	write(t, filepath.Join(dir, "chats", "s-1", "sub-1.jsonl"), strings.Join([]string{sub, user("u1", 3, "task"),
		answer("g1", 4, "looked", `,"tokens":{"input":5,"output":6}`), `{"$set":{"summary":"not the session's"}}`}, "\n"))
	write(t, filepath.Join(dir, ".project_root"), "/w/project\n")
	s := readFile(t, main)
	want := []string{"user_prompt one", "tool_call investigate/c1", "tool_result investigate/c1 found",
		"user_prompt of sub-1 task", "assistant_message of sub-1 looked", "assistant_message done"}
	if got := steps(t, s); !slices.Equal(got, want) {
		t.Errorf("got %q", got)
	}
	a := s.Agents[0]
	if len(s.Agents) != 1 || a.CallID != "c1" || a.Type != "investigate" || a.Description != "look" || a.Model != "g-1" || a.Usage.Output != 6 {
		t.Errorf("%+v", s.Agents)
	}
	if s.ID != "s-1" || s.Summary != "A name" || s.Cwd != "/w/project" || s.Title != "one" || s.Model != "g-1" || s.Agent != "gemini-cli" {
		t.Errorf("%+v", s)
	}
}

func TestCounters(t *testing.T) {
	s := read(t, header, "", "no JSON", `{"neither":1}`, `[1]`, `{"type":"of_tomorrow"}`, line("x", "of_tomorrow", 1, `"content":""`),
		user("u1", 2, "one"), user("u1", 2, "one"), user("u2", 3, "gone"),
		answer("g2", 4, "gone", calls(call("c1", "a", "error", "", ""))), `{"$rewindTo":"u2"}`, `{"$rewindTo":"u2"}`,
		line("u3", "user", 5, `"content":[{"functionResponse":{"id":"nobody","response":{"output":"x"}}}]`))
	k := s.Skipped
	if k.Blank != 1 || k.Malformed != 3 || k.KnownIgnored != 1 || k.Unknown != 3 || k.UnknownTypes["of_tomorrow"] != 2 || k.UnmatchedResults != 1 {
		t.Errorf("%+v", k)
	}
	if k.Abandoned != (transcript.Abandoned{Records: 2, Prompts: 1, ToolCalls: 1, Errors: 1}) {
		t.Errorf("%+v", k.Abandoned)
	}
}

func TestOwns(t *testing.T) {
	whole := document(user("u1", 1, "one"), answer("g1", 2, "two", ""))
	for head, want := range map[string]bool{
		header:              true,
		"\ufeff\n" + header: true,
		header[:30] + "\n" + user("u", 1, "") + "\n" + answer("g", 2, "", ""): true,
		whole[:strings.Index(whole, `"messages"`)]:                            true,
		"{\n  \"messages\": [\n    " + user("u1", 1, "one") + ",\n":           true,
		"{\n  \"info\": {},\n  \"messages\": [\n    {\"info\": {\"id\":\"m\"": false,
		"{\n  \"name\": \"x\"\n}":                                             false,
		"":                                                                    false,
		`{"type":"user","uuid":"u","parentUuid":null,"sessionId":"s","message":{"role":"user","content":"x"}}`: false,
		`{"type":"session","version":3,"id":"s","timestamp":"t","cwd":"/w"}`:                                   false,
		`{"type":"user.message","data":{"content":"x"},"id":"1","timestamp":"t","parentId":null}`:              false,
		`{"timestamp":"2026-01-01T00:00:00Z","type":"session_meta","payload":{"id":"1"}}`:                      false,
		`[{"sessionId":"s","messageId":0,"type":"user","message":"x","timestamp":"t"}]`:                        false,
		"SQLite format 3\x00": false,
	} {
		if got := (gemini.Format{}).Owns("any", []byte(head)); got != want {
			t.Errorf("%v for %.80q", got, head)
		}
	}
}

func TestEach(t *testing.T) {
	home := t.TempDir()
	dir := gemini.Format{}.Dir(transcript.Env{Getenv: func(string) string { return "" }, Home: home})
	var found []string
	each := func(path string, _ fs.FileInfo) { found = append(found, filepath.Base(path)) }
	if err := (gemini.Format{}).Each(dir, each); err != nil || found != nil {
		t.Errorf("a folder that is not there: %v, %v", found, err)
	}
	for _, name := range []string{"p/chats/session-1.json", "p/chats/session-2.json", "p/chats/session-2.jsonl", "q/chats/session-3.jsonl",
		"q/chats/s-1/sub.jsonl", "q/logs.json", "q/chats/checkpoint-x.json", "bin/x"} {
		write(t, filepath.Join(dir, name), header)
	}
	if err := (gemini.Format{}).Each(dir, each); err != nil {
		t.Fatal(err)
	}
	slices.Sort(found)
	if !slices.Equal(found, []string{"session-1.json", "session-2.jsonl", "session-3.jsonl"}) {
		t.Errorf("%q", found)
	}
}
