// SPDX-License-Identifier: Apache-2.0

package claude

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const subAgents = `{"type":"user","uuid":"a1","sessionId":"s","isSidechain":true,"message":{"role":"user","content":"look"}}
{"type":"assistant","uuid":"a2","sessionId":"s","isSidechain":true,"message":{"id":"ma","model":"claude-test","content":[{"type":"text","text":"seen"}],"usage":{"input_tokens":4,"output_tokens":8}}}
`

// TestAnyName: a session is read whatever its file is called, and whatever stands beside it.
func TestAnyName(t *testing.T) {
	for _, name := range []string{"s.log", "s.txt", "s", "agent-x.jsonl", "s.jsonl"} {
		t.Run(name, func(t *testing.T) {
			dir := write(t, map[string]string{name: calling})
			if s := open(t, filepath.Join(dir, name)); len(s.Steps) != 2 {
				t.Errorf("%d steps", len(s.Steps))
			}
		})
	}
	t.Run("a file where its folder would be", func(t *testing.T) {
		dir := write(t, map[string]string{"s.jsonl": calling, "s": "a note"})
		if s := open(t, filepath.Join(dir, "s.jsonl")); len(s.Steps) != 2 {
			t.Errorf("%d steps", len(s.Steps))
		}
	})
}

// TestOddNeighbours: what cannot be read beside a session costs that, and is told; the session is there.
func TestOddNeighbours(t *testing.T) {
	for name, make := range map[string]func(dir string) error{
		"a folder called as a sub-agent":     func(dir string) error { return os.Mkdir(filepath.Join(dir, "agent-zz.jsonl"), 0o700) },
		"a link that leads nowhere":          func(dir string) error { return os.Symlink("nothing", filepath.Join(dir, "agent-zz.jsonl")) },
		"a folder below called as one":       func(dir string) error { return os.Mkdir(filepath.Join(dir, "s/subagents/agent-zz.jsonl"), 0o700) },
		"a folder where what is known of it": func(dir string) error { return os.Mkdir(filepath.Join(dir, "s/subagents/agent-a1.meta.json"), 0o700) },
		"a sub-agent that may not be read":   func(dir string) error { return os.Chmod(filepath.Join(dir, "s/subagents/agent-a2.jsonl"), 0) },
		"a folder that may not be read":      func(dir string) error { return os.Chmod(filepath.Join(dir, "s/subagents/deep"), 0) },
	} {
		t.Run(name, func(t *testing.T) {
			dir := write(t, map[string]string{
				"s.jsonl": calling, "s/subagents/agent-a1.jsonl": subAgents,
				"s/subagents/agent-a2.jsonl": subAgents, "s/subagents/deep/x.txt": "",
			})
			if err := make(dir); err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = os.Chmod(filepath.Join(dir, "s/subagents/deep"), 0o700) }) // for who removes it
			s := open(t, filepath.Join(dir, "s.jsonl"))
			if s.Usage.Output != 2+8 || len(s.Agents) == 0 || s.Agents[0].ID != "a1" {
				t.Errorf("%+v, %+v", s.Usage, s.Agents)
			}
		})
	}
}

// TestUnreadIsTold: the file of a sub-agent that cannot be read is named.
func TestUnreadIsTold(t *testing.T) {
	dir := write(t, map[string]string{"s.jsonl": calling, "s/subagents/agent-a1.jsonl": subAgents})
	path := filepath.Join(dir, "s.jsonl")
	lost := filepath.Join(dir, "s/subagents/agent-a1.jsonl")
	if err := os.Chmod(lost, 0); err != nil {
		t.Fatal(err)
	}
	if f, err := os.Open(lost); err == nil {
		_ = f.Close()
		t.Skip("this user may read everything")
	}
	s := open(t, path)
	if len(s.Damage) != 1 || s.Damage[0].File != lost || s.Skipped.Malformed != 1 {
		t.Errorf("%+v", s.Damage)
	}
}

// TestManySubAgents: a session may have more of them than a process may have files.
func TestManySubAgents(t *testing.T) {
	files := map[string]string{"s.jsonl": calling}
	const many = 1500
	for i := range many {
		files[fmt.Sprintf("s/subagents/agent-%04d.jsonl", i)] = strings.NewReplacer(`"a1"`, fmt.Sprintf(`"a1-%d"`, i), `"a2"`, fmt.Sprintf(`"a2-%d"`, i), `"ma"`, fmt.Sprintf(`"ma-%d"`, i)).Replace(subAgents)
	}
	before := openFiles()
	s := open(t, filepath.Join(write(t, files), "s.jsonl"))
	if len(s.Agents) != many || s.Usage.Output != 2+8*many {
		t.Errorf("%d sub-agents, %+v", len(s.Agents), s.Usage)
	}
	if held := openFiles() - before; held > 100 {
		t.Errorf("it holds %d files open", held)
	}
}

// openFiles is how many files this process has open, as far as the system tells.
func openFiles() int {
	fds, _ := os.ReadDir("/proc/self/fd")
	return len(fds)
}

// TestSubAgentsBesideSessions: in the flat layout each sub-agent is its session's alone, and its file is looked into once,
// however many sessions there are.
func TestSubAgentsBesideSessions(t *testing.T) {
	files := map[string]string{}
	const many = 40
	for i := range many {
		id := fmt.Sprintf(`"sessionId":"s%d"`, i)
		files[fmt.Sprintf("s%d.jsonl", i)] = strings.ReplaceAll(calling, `"sessionId":"s"`, id)
		files[fmt.Sprintf("agent-%d.jsonl", i)] = strings.ReplaceAll(subAgents, `"sessionId":"s"`, id)
	}
	files["agent-empty.jsonl"] = ""
	dir := write(t, files)
	for i := range many {
		s := open(t, filepath.Join(dir, fmt.Sprintf("s%d.jsonl", i)))
		if len(s.Agents) != 1 || s.Agents[0].ID != fmt.Sprint(i) {
			t.Fatalf("%d: %+v", i, s.Agents)
		}
	}
	looked := map[string]int{}
	b := beside{look: func(path string) (string, error) {
		looked[filepath.Base(path)]++
		return sessionOf(path)
	}}
	for i := range many {
		var found []string
		path := filepath.Join(dir, fmt.Sprintf("s%d.jsonl", i))
		err := b.each(path, func(file string) { found = append(found, file) }, func(path string, err error) { t.Error(path, err) })
		if err != nil || len(found) != 1 || filepath.Base(found[0]) != fmt.Sprintf("agent-%d.jsonl", i) {
			t.Fatalf("%d: %v, %v", i, found, err)
		}
	}
	for name, n := range looked {
		if n > 1 && name != "agent-empty.jsonl" { // which may be written yet
			t.Errorf("%s was looked into %d times", name, n)
		}
	}
}
