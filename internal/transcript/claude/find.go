// SPDX-License-Identifier: Apache-2.0

package claude

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/fiftyarms/platform/internal/transcript"
)

// Dir is where Claude Code keeps sessions: a folder for each folder that it was started in.
func (Format) Dir(env transcript.Env) string {
	if dir := env.Getenv("CLAUDE_CONFIG_DIR"); dir != "" {
		return filepath.Join(dir, "projects")
	}
	return filepath.Join(env.Home, ".claude", "projects")
}

// Each calls each for every session below dir. A folder that is not there has none. The names of the folders mean
// nothing: different folders may have the same, and a host may choose them.
func (Format) Each(dir string, each func(path string, info fs.FileInfo)) error {
	projects, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	} else if err != nil {
		return err
	}
	for _, project := range projects {
		folder := filepath.Join(dir, project.Name())
		if info, err := os.Stat(folder); err != nil || !info.IsDir() { // a link may lead to one
			continue
		}
		files, err := os.ReadDir(folder)
		if err != nil {
			return err
		}
		for _, file := range files {
			if !strings.HasSuffix(file.Name(), ".jsonl") || isAgent(file.Name()) || !file.Type().IsRegular() {
				continue
			}
			if info, err := file.Info(); err == nil {
				each(filepath.Join(folder, file.Name()), info)
			}
		}
	}
	return nil
}
