// SPDX-License-Identifier: Apache-2.0

package gemini

import (
	"os"
	"path/filepath"
	"strings"
)

// A begun is the call that started a sub-agent.
type begun struct {
	call, kind, describes string
	gone                  bool // it was taken back, and what the sub-agent did with it
}

// readAgents reads the logs of the session's sub-agents, which stand in a folder of the session's id.
func (r *reader) readAgents(path string) error {
	if r.s.ID == "" || r.s.ID == "." || r.s.ID == ".." || strings.ContainsAny(r.s.ID, `/\`+"\x00") {
		return nil // whatever the log says, no other folder is looked into
	}
	dir := filepath.Join(filepath.Dir(path), r.s.ID)
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		return nil
	}
	files, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, file := range files {
		id, ok := strings.CutSuffix(file.Name(), ".jsonl")
		if !ok || !file.Type().IsRegular() {
			continue
		}
		n := r.b.Agent(id)
		by, known := r.begun[id]
		if known {
			a := &r.s.Agents[n]
			a.CallID, a.Type, a.Description = by.call, by.kind, by.describes
		}
		if err := r.readFile(filepath.Join(dir, file.Name()), n); err != nil {
			return err
		}
		for i := r.first; known && by.gone && i < len(r.messages); i++ {
			r.messages[i].gone = true
		}
		if err := r.tell(); err != nil {
			return err
		}
	}
	return nil
}
