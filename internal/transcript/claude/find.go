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

// Dir is where Claude Code keeps sessions: a folder for each folder that it was started in. Some versions keep all of
// theirs in the folder of settings that the system names.
func (Format) Dir(env transcript.Env) string {
	if dirs := env.Getenv("CLAUDE_CONFIG_DIR"); dirs != "" {
		return transcript.Dirs(dirs, "projects")
	}
	usual := filepath.Join(env.Home, ".claude", "projects")
	config := env.Getenv("XDG_CONFIG_HOME")
	if config == "" {
		config = filepath.Join(env.Home, ".config")
	}
	if other := filepath.Join(config, "claude", "projects"); !isDir(usual) && isDir(other) {
		return other
	}
	return usual
}

func isDir(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

// Each calls each for every session below dir. A folder that is not there has none. The names of the folders mean
// nothing: different folders may have the same, and a host may choose them. A session may be a link to one; a folder that
// is a link is not gone into, since it may lead to a folder of another's.
func (Format) Each(dir string, each func(path string, info fs.FileInfo)) error {
	for _, dir := range transcript.EachDir(dir) {
		if err := eachBelow(dir, each); err != nil {
			return err
		}
	}
	return nil
}

func eachBelow(dir string, each func(path string, info fs.FileInfo)) error {
	projects, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	} else if err != nil {
		return err
	}
	for _, project := range projects {
		if !project.IsDir() || project.Name() == "subagents" {
			continue
		}
		folder := filepath.Join(dir, project.Name())
		files, err := os.ReadDir(folder)
		if err != nil {
			return err
		}
		for _, file := range files {
			if !strings.HasSuffix(file.Name(), ".jsonl") || isAgent(file.Name()) {
				continue
			}
			path := filepath.Join(folder, file.Name())
			if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() {
				each(path, info)
			}
		}
	}
	return nil
}
