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
	if dir := env.Getenv("CODEX_HOME"); dir != "" {
		return filepath.Join(dir, "sessions")
	}
	return filepath.Join(env.Home, ".codex", "sessions")
}

// deepest is how many folders below the first may hold rollouts: a year, a month and a day. A link that leads back ends
// there as well.
const deepest = 3

// Each calls each for every rollout below dir. A folder that is not there has none.
func (Format) Each(dir string, each func(path string, info fs.FileInfo)) error {
	err := walk(dir, deepest, each)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
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
