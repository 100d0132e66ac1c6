// SPDX-License-Identifier: Apache-2.0

package claude

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/fiftyarms/platform/internal/transcript"
)

// TestWhichIsPrimary: what is no file of a session is passed over.
func TestWhichIsPrimary(t *testing.T) {
	foreign := `{"timestamp":"2026-01-01T00:00:00Z","type":"session_meta","payload":{}}` + "\n"
	dir := write(t, map[string]string{
		"projects/-work/a.jsonl": calling, "projects/-work/empty.jsonl": "", "projects/-work/foreign.jsonl": foreign,
		"projects/subagents/55.jsonl": calling, "projects/-work/subagents/66.jsonl": calling, "elsewhere/linked.jsonl": calling,
		"apart/far.jsonl": calling,
	})
	projects := filepath.Join(dir, "projects")
	links := map[string]string{"-work/linked.jsonl": "elsewhere/linked.jsonl", "-work/gone.jsonl": "nothing", "-link": "apart", "-work/dir.jsonl": "apart"}
	for name, to := range links {
		if err := os.Symlink(filepath.Join(dir, to), filepath.Join(projects, name)); err != nil {
			t.Fatal(err)
		}
	}
	var got []string
	if err := (Format{}).Each(projects, func(path string, _ fs.FileInfo) {
		rel, err := filepath.Rel(projects, path)
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, filepath.ToSlash(rel))
	}); err != nil {
		t.Fatal(err)
	}
	slices.Sort(got)
	if want := "-work/a.jsonl -work/empty.jsonl -work/foreign.jsonl -work/linked.jsonl"; strings.Join(got, " ") != want {
		t.Errorf("got %s\nwant %s", strings.Join(got, " "), want)
	}
}

// TestDir: where Claude Code keeps sessions.
func TestDir(t *testing.T) {
	home := t.TempDir()
	env := map[string]string{}
	is := func(want ...string) {
		t.Helper()
		got := Format{}.Dir(transcript.Env{Home: home, Getenv: func(name string) string { return env[name] }})
		if want := filepath.Join(append([]string{home}, want...)...); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
	is(".claude", "projects")
	if err := os.MkdirAll(filepath.Join(home, ".config", "claude", "projects"), 0o700); err != nil {
		t.Fatal(err)
	}
	is(".config", "claude", "projects")
	if err := os.MkdirAll(filepath.Join(home, ".claude", "projects"), 0o700); err != nil {
		t.Fatal(err)
	}
	is(".claude", "projects")
	env["CLAUDE_CONFIG_DIR"] = filepath.Join(home, "one")
	is("one", "projects")
}

// TestSeveralDirs: a list of folders is read one after the other.
func TestSeveralDirs(t *testing.T) {
	dir := write(t, map[string]string{"one/projects/-w/a.jsonl": calling, "two/projects/-w/b.jsonl": calling, "a,b/projects/-w/c.jsonl": calling})
	for list, want := range map[string]string{
		dir + "/one, " + dir + "/two":                         "a.jsonl b.jsonl",
		dir + "/one," + dir + "/none":                         "a.jsonl",
		filepath.Join(dir, "a,b"):                             "c.jsonl",
		filepath.Join(dir, "none") + "," + "," + dir + "/two": "b.jsonl",
	} {
		var got []string
		projects := Format{}.Dir(transcript.Env{Getenv: func(string) string { return list }})
		if err := (Format{}).Each(projects, func(path string, _ fs.FileInfo) { got = append(got, filepath.Base(path)) }); err != nil {
			t.Fatal(err)
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%s: %s, want %s", list, got, want)
		}
	}
}

// TestWhoseALogIs: what another agent's record holds, however it looks, does not make the log this one's.
func TestWhoseALogIs(t *testing.T) {
	record := `{"parentUuid":null,"sessionId":"s","type":"user","uuid":"1","message":{"content":"go"}}`
	call := `{"type":"message","id":"2","parentId":"1","timestamp":"t","message":{"role":"assistant","content":[{"type":"toolCall","arguments":` + record + `}]}}`
	long := strings.Repeat("x", 1<<20)
	for _, c := range []struct {
		name, head string
		want       bool
	}{
		{"a record", record + "\n", true},
		{"one that is longer than what is seen of it", record[:len(record)-4] + long, true},
		{"one that is cut in an escape", record[:len(record)-4] + long + `\u00`, true},
		{"one that begins with what is long", `{"parentUuid":null,"sessionId":"s","message":{"content":"` + long, true},
		{"one in a call", call + "\n", false},
		{"one in a call that is longer than what is seen of it", call[:len(call)-8] + long, false},
		{"one in a call of a damaged line", call + "\n" + call[:20] + "\x00\n" + call[10:] + "\n", false},
		{"one behind another in a line", `{"type":"summary","leaf` + record + "\n", true},
		{"an envelope", `{"timestamp":"t","type":"response_item","payload":{"type":"mcp","result":` + record + "}}\n", false},
	} {
		if got := (Format{}).Owns("x", []byte(c.head)); got != c.want {
			t.Errorf("%s: %v", c.name, got)
		}
	}
}
