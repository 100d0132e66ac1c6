// SPDX-License-Identifier: Apache-2.0

package copilot

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/fiftyarms/platform/internal/transcript"
)

const eventsFile = "events.jsonl"

// Dir is where the Copilot CLI keeps sessions: a folder for each.
func (Format) Dir(env transcript.Env) string {
	if dir := env.Getenv("COPILOT_HOME"); dir != "" {
		return filepath.Join(dir, "session-state")
	}
	return filepath.Join(env.Home, ".copilot", "session-state")
}

// Each calls each for every session in dir: a folder with a file of events or, as the first versions have it, a file. A
// folder that is not there has none.
func (Format) Each(dir string, each func(path string, info fs.FileInfo)) error {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	} else if err != nil {
		return err
	}
	for _, e := range entries {
		path := filepath.Join(dir, e.Name())
		switch {
		case !e.Type().IsRegular():
			path = filepath.Join(path, eventsFile)
		case !strings.HasSuffix(e.Name(), ".jsonl"):
			continue
		}
		if info, err := os.Lstat(path); err == nil && info.Mode().IsRegular() {
			each(path, info)
		}
	}
	return nil
}

// beside takes the session's name from the file that the client keeps beside the events. It is worth nothing without
// them, so that nothing that is wrong with it matters.
func (r *reader) beside() {
	if r.s.Summary != "" || filepath.Base(r.path) != eventsFile {
		return
	}
	path := filepath.Join(filepath.Dir(r.path), "workspace.yaml")
	const most = 64 << 10
	info, err := os.Lstat(path)
	if err != nil || !info.Mode().IsRegular() || info.Size() > most {
		return
	}
	file, err := os.ReadFile(path)
	if err != nil {
		return
	}
	for _, key := range []string{"name: ", "summary: "} {
		for line := range bytes.Lines(file) {
			if value, ok := bytes.CutPrefix(line, []byte(key)); ok && r.s.Summary == "" {
				r.s.Summary = scalar(strings.TrimSpace(string(value)))
			}
		}
	}
}

// scalar is a YAML value that stands on its line; nothing if it does not.
func scalar(value string) string {
	switch {
	case value == "", value == "null", value == "~", strings.ContainsAny(value[:1], "|>&*!{["):
		return ""
	case value[0] == '"':
		text, err := strconv.Unquote(value)
		if err != nil {
			return ""
		}
		return text
	case value[0] == '\'':
		return strings.ReplaceAll(strings.Trim(value, "'"), "''", "'")
	}
	text, _, _ := strings.Cut(value, " #")
	return text
}
