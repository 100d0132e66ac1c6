// SPDX-License-Identifier: Apache-2.0

package codex

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/fiftyarms/platform/internal/transcript"
)

// Dir is where the Codex CLI keeps rollouts: a folder for each year, month and day.
func (Format) Dir(env transcript.Env) string {
	if dirs := env.Getenv("CODEX_HOME"); dirs != "" {
		return transcript.Dirs(dirs, "sessions")
	}
	return filepath.Join(env.Home, ".codex", "sessions")
}

// deepest is how many folders below the first may hold rollouts: a year, a month and a day. A link that leads back ends
// there as well.
const deepest = 3

// archived is the folder beside that of the rollouts to which the client moves those that a person puts away.
const archived = "archived_sessions"

// Each calls each for every rollout below dir, and for those that were put away. A folder that is not there has none.
func (Format) Each(dir string, each func(path string, info fs.FileInfo)) error {
	for _, dir := range transcript.EachDir(dir) {
		from := []string{dir}
		if filepath.Base(dir) == "sessions" {
			from = append(from, filepath.Join(filepath.Dir(dir), archived))
		}
		for _, dir := range from {
			if err := walk(dir, deepest, each); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return err
			}
		}
	}
	return nil
}

func walk(dir string, levels int, each func(string, fs.FileInfo)) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		path := filepath.Join(dir, e.Name())
		if e.Type().IsRegular() {
			if !strings.HasPrefix(e.Name(), "rollout-") || !strings.HasSuffix(e.Name(), ".jsonl") {
				continue
			}
			if info, err := e.Info(); err == nil {
				each(path, info)
			}
			continue
		}
		if info, err := os.Stat(path); err != nil || !info.IsDir() || levels == 0 { // a link may lead to a folder
			continue
		}
		if err := walk(path, levels-1, each); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}
