// SPDX-License-Identifier: Apache-2.0

package gemini

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/fiftyarms/platform/internal/transcript"
)

// Dir is where Gemini CLI keeps sessions: a folder for each folder that it was started in.
func (Format) Dir(env transcript.Env) string {
	if dir := env.Getenv("GEMINI_CLI_HOME"); dir != "" {
		return filepath.Join(dir, ".gemini", "tmp")
	}
	return filepath.Join(env.Home, ".gemini", "tmp")
}

// Each calls each for every session below dir. One that was an old document and was gone on with is in two files, of
// which the newer holds all.
func (Format) Each(dir string, each func(path string, info fs.FileInfo)) error {
	projects, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	} else if err != nil {
		return err
	}
	for _, project := range projects {
		chats := filepath.Join(dir, project.Name(), "chats")
		if info, err := os.Stat(chats); err != nil || !info.IsDir() { // other folders are here, too
			continue
		}
		files, err := os.ReadDir(chats)
		if err != nil {
			return err
		}
		there := map[string]bool{}
		for _, file := range files {
			there[file.Name()] = true
		}
		for _, file := range files {
			name := file.Name()
			old := strings.HasSuffix(name, ".json")
			if !strings.HasPrefix(name, "session-") || !old && !strings.HasSuffix(name, ".jsonl") || !file.Type().IsRegular() || old && there[name+"l"] {
				continue
			}
			if info, err := file.Info(); err == nil {
				each(filepath.Join(chats, name), info)
			}
		}
	}
	return nil
}

const maxRoot = 4 << 10 // bytes of a path

// projectRoot is the folder that the sessions beside path were of. The log does not say it; newer versions keep it beside.
func projectRoot(path string) string {
	name := filepath.Join(filepath.Dir(filepath.Dir(path)), ".project_root")
	info, err := os.Lstat(name)
	if err != nil || !info.Mode().IsRegular() || info.Size() > maxRoot {
		return ""
	}
	data, err := os.ReadFile(name)
	if err != nil {
		return ""
	}
	if root := strings.TrimSpace(string(data)); filepath.IsAbs(root) && !strings.ContainsAny(root, "\x00\n") {
		return root
	}
	return ""
}
