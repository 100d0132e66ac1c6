// SPDX-License-Identifier: Apache-2.0

package opencode_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/fiftyarms/platform/internal/transcript"
)

func turns(l *log) { // of everything something
	l.session("ses_9", "", "")
	l.message(user, said("do it"), `"type":"text","text":"Called the Read tool","synthetic":true`, `"type":"text","text":"x","ignored":true`, `"type":"file","mime":"image/png","url":"data:"`)
	l.message(assistant, `"type":"step-start"`, `"type":"reasoning","text":"hm"`, said("on it"), said(`  \n`),
		tool("bash", "k1", done(`"command":"ls"`, "a.txt", `,"metadata":{"exit":0}`)),
		tool("bash", "k2", done(`"command":"false"`, "", `,"metadata":{"exit":1}`)),
		tool("invalid", "k3", done(`"tool":"x"`, "no such tool", `,"metadata":{}`)),
		tool("write", "k4", `"status":"error","input":{"filePath":"/w/no"},"error":"refused"`),
		tool("bash", "k5", `"status":"running","input":{"command":"sleep"}`),
		tool("bash", "k1", done(`"command":"again"`, "b", `,"attachments":[{"mime":"image/png"}]`)))
	l.message(user, `"type":"file","mime":"text/plain"`)
	l.message(user, `"type":"subtask","prompt":"p","command":"review"`)
	l.message(user, `"type":"compaction","auto":true`)
	l.message(assistant+`,"summary":true`, said("what came before"))
	l.message(user, said("  "))
}

var wantTurns = []string{"user_prompt do it images=1", "thinking hm", "assistant_message on it",
	`tool_call bash/k1 {"command":"ls"}`, "tool_result bash/k1 a.txt", `tool_call bash/k2 {"command":"false"}`, "error_recovery bash/k2",
	`tool_call invalid/k3 {"tool":"x"}`, "error_recovery invalid/k3 no such tool", `tool_call write/k4 {"filePath":"/w/no"}`, "error_recovery write/k4 refused",
	`tool_call bash/k5 {"command":"sleep"}`, `tool_call bash/prt_014 {"command":"again"}`, "tool_result bash/prt_014 b images=1",
	"user_prompt images=1", "user_prompt /review"}

func children(l *log) {
	l.session("ses_9", "", "")
	l.message(user, said("do it"))
	l.message(assistant, tool("task", "k1", done(`"description":"look","prompt":"p","subagent_type":"explore"`, "found", `,"metadata":{"sessionId":"ses_8"},"time":{"start":1700000003000,"end":1700000009000}`)))
	l.session("ses_8", "ses_9", "")
	l.message(user, said("p"))
	l.message(assistant+`,"tokens":{"input":5,"output":6}`, said("found"))
	l.session("ses_7", "ses_8", "")
	l.message(user, said("deeper"))
}

var wantChildren = []string{"user_prompt do it", `tool_call task/k1 {"description":"look","prompt":"p","subagent_type":"explore"}`,
	"user_prompt of ses_8 p", "assistant_message of ses_8 found", "user_prompt of ses_7 deeper", "tool_result task/k1 found"}

func reverted(l *log) {
	l.session("ses_9", "", `{"messageID":"msg_03"}`)
	l.message(user, said("one"))
	l.message(assistant, said("two"))
	l.message(user, said("wrong"))
	l.message(assistant, tool("write", "k1", done(`"filePath":"/gone"`, "", "")), tool("task", "k2", done(``, "", `,"metadata":{"sessionId":"ses_8"}`)),
		tool("bash", "k3", `"status":"error","error":"x"`))
	l.session("ses_8", "ses_9", "")
	l.message(user, said("of a call that is gone"))
}

func TestSteps(t *testing.T) {
	for _, c := range []struct {
		name string
		fill func(*log)
		want []string
	}{
		{"turns", turns, wantTurns},
		{"children", children, wantChildren},
		{"reverted", reverted, []string{"user_prompt one", "assistant_message two"}},
		{"reverted from a part on", func(l *log) {
			l.session("ses_9", "", `{"messageID":"msg_01","partID":"prt_002"}`)
			l.message(assistant, said("stays"), said("goes"))
			l.message(user, said("goes, too"))
		}, []string{"assistant_message stays"}},
		{"a circle", func(l *log) {
			l.session("ses_9", "ses_8", "")
			l.message(user, said("one"))
			l.session("ses_8", "ses_9", "")
			l.message(user, said("two"))
		}, []string{"user_prompt one", "user_prompt of ses_8 two"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			var l log
			c.fill(&l)
			path := filepath.Join(t.TempDir(), "opencode.db")
			l.fill(t, path, "delete")
			for name, path := range map[string]string{"database": path + "#ses_9", "tree": l.tree(t, t.TempDir())} {
				s := readPath(t, path)
				if got := steps(t, s); !slices.Equal(got, c.want) {
					t.Errorf("%s: got\n\t%s\nwant\n\t%s", name, strings.Join(got, "\n\t"), strings.Join(c.want, "\n\t"))
				}
				if s.ID != "ses_9" || s.Cwd != "/w" || s.Summary != "Title of ses_9" || s.AgentVersion == "" || s.Agent != "opencode" || s.Bytes == 0 {
					t.Errorf("%s: %+v", name, s)
				}
			}
		})
	}
}

func TestChildren(t *testing.T) {
	var l log
	children(&l)
	s := readPath(t, l.tree(t, t.TempDir()))
	want := transcript.Agent{ID: "ses_8", Type: "explore", Description: "look", CallID: "k1", Model: "m-1", Usage: transcript.Tokens{Input: 5, Output: 6}}
	if len(s.Agents) != 2 || s.Agents[0] != want || s.Agents[1].ID != "ses_7" || s.Agents[1].Description != "Title of ses_7" {
		t.Errorf("%+v", s.Agents)
	}
	if s.Title != "do it" || s.Model != "m-1" || s.Usage.Output != 6 {
		t.Errorf("title %q, model %q, %+v", s.Title, s.Model, s.Usage)
	}
}

func TestUsage(t *testing.T) {
	tokens := func(input, output, reasoning int, more string) string {
		return fmt.Sprintf(`"tokens":{"input":%d,"output":%d,"reasoning":%d,"cache":{"read":1,"write":2}%s}`, input, output, reasoning, more)
	}
	finish := func(tokens string) string { return `"type":"step-finish",` + tokens }
	for name, c := range map[string]struct {
		message string
		parts   []string
		want    transcript.Tokens
	}{
		"old: output has what was thought":     {"," + tokens(10, 20, 5, ""), []string{finish(tokens(10, 20, 5, ""))}, transcript.Tokens{Input: 10, Output: 20, CacheRead: 1, CacheCreation: 2}},
		"new: it stands apart":                 {"," + tokens(10, 20, 5, `,"total":38`), nil, transcript.Tokens{Input: 10, Output: 25, CacheRead: 1, CacheCreation: 2}},
		"several steps: the last is not all":   {"," + tokens(3, 4, 0, ""), []string{finish(tokens(1, 2, 0, "")), finish(tokens(3, 4, 0, ""))}, transcript.Tokens{Input: 4, Output: 6, CacheRead: 2, CacheCreation: 4}},
		"a step, and nothing in the message":   {"", []string{finish(tokens(1, 2, 0, ""))}, transcript.Tokens{Input: 1, Output: 2, CacheRead: 1, CacheCreation: 2}},
		"broken off":                           {`,"tokens":null`, nil, transcript.Tokens{}},
		"a summary is paid for, though hidden": {`,"summary":true,` + tokens(1, 2, 0, ""), []string{said("s")}, transcript.Tokens{Input: 1, Output: 2, CacheRead: 1, CacheCreation: 2}},
	} {
		var l log
		l.session("ses_9", "", "")
		l.message(assistant+c.message, c.parts...)
		if s := readPath(t, l.tree(t, t.TempDir())); s.Usage != c.want || s.ByModel["m-1"] != c.want {
			t.Errorf("%s: %+v, want %+v", name, s.Usage, c.want)
		}
	}
}

func TestFilesAndDiffs(t *testing.T) {
	var l log
	l.session("ses_9", "", "")
	l.message(assistant,
		tool("edit", "k1", done(`"filePath":"/w/a","oldString":"x","newString":"y"`, "ok", `,"metadata":{"diff":"@@","filediff":{"before":"x"}}`)),
		tool("multiedit", "k2", done(`"filePath":"/w/b","edits":[{"oldString":"1","newString":"2"},{"oldString":"3"}]`, "ok", "")),
		tool("write", "k3", done(`"filePath":"/w/c","content":"x"`, "ok", `,"metadata":{"diff":"@@"}`)),
		tool("patch", "k4", done(`"patchText":"*** Begin Patch\n*** Add File: d\n+x\n*** Update File: e\n*** Move to: f\n*** End Patch"`, "ok", "")),
		tool("apply_patch", "k5", done(`"patchText":"p"`, "ok", `,"metadata":{"diff":"all","files":[{"filePath":"/w/g"},{"filePath":"/w/h"}]}`)),
		tool("edit", "k6", `"status":"error","input":{"filePath":"/w/failed","oldString":"x","newString":"y"},"error":"not found"`),
		tool("edit", "k7", `"status":"running","input":{"filePath":"/w/unknown"}`),
		tool("read", "k8", done(`"filePath":"/w/read"`, "ok", "")))
	s := readPath(t, l.tree(t, t.TempDir()))
	if want := []string{"/w/a", "/w/b", "/w/c", "d", "e", "f", "/w/g", "/w/h"}; !slices.Equal(s.FilesChanged, want) {
		t.Errorf("files %q", s.FilesChanged)
	}
	var got []string
	for _, c := range s.Calls {
		if d := c.Diff; d != nil {
			got = append(got, strings.Join([]string{c.ID, d.Path, text(t, s, d.Patch), text(t, s, d.Old), text(t, s, d.New)}, "|"))
		}
	}
	patch := "*** Begin Patch\n*** Add File: d\n+x\n*** Update File: e\n*** Move to: f\n*** End Patch"
	if want := []string{"k1|/w/a|@@||", "k2|/w/b||1|2", "k4|d|" + patch + "||", "k5|/w/g|all||"}; !slices.Equal(got, want) {
		t.Errorf("diffs %q", got)
	}
}

func TestCounters(t *testing.T) {
	var l log
	reverted(&l)
	s := readPath(t, l.tree(t, t.TempDir()))
	if got := s.Skipped.Abandoned; got != (transcript.Abandoned{Records: 3, Prompts: 2, ToolCalls: 3, Errors: 1}) {
		t.Errorf("%+v", got)
	}
	if len(s.FilesChanged) != 0 {
		t.Errorf("%q", s.FilesChanged)
	}
	l = log{}
	l.session("ses_9", "", "")
	l.message(user, said("one"), `no JSON`, `"type":"of_tomorrow"`, `"type":"snapshot"`, `"type":"text","text":"x","synthetic":true`)
	l.message(`"role":"of_tomorrow"`, said("x"))
	l.message(`no JSON`, said("x"))
	k := readPath(t, l.tree(t, t.TempDir())).Skipped
	if k.Malformed != 2 || k.Unknown != 2 || k.KnownIgnored != 2 || k.UnknownTypes["of_tomorrow"] != 1 || k.UnknownTypes["message of_tomorrow"] != 1 {
		t.Errorf("%+v", k)
	}
}

// TestFilesThatCannotBeRead: each is told, and costs no more than what stands in it.
func TestFilesThatCannotBeRead(t *testing.T) {
	for name, want := range map[string]int{
		"session/p/ses_other.json": len(wantChildren), "session/p/ses_8.json": 3, "message/ses_9/msg_01.json": len(wantChildren) - 1,
		"part/msg_01/prt_001.json": len(wantChildren) - 1,
	} {
		var l log
		children(&l)
		path := l.tree(t, t.TempDir())
		lost := filepath.Join(filepath.Dir(path), "..", "..", filepath.FromSlash(name))
		if err := os.WriteFile(lost, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Truncate(lost, 256<<20+1); err != nil { // too long to be read, and of no size on the disk
			t.Fatal(err)
		}
		s := readPath(t, path)
		if got := steps(t, s); len(got) != want || len(s.Damage) != 1 || filepath.Base(s.Damage[0].File) != filepath.Base(lost) {
			t.Errorf("%s: %d steps, want %d: %q; %+v", name, len(got), want, got, s.Damage)
		}
	}
}
