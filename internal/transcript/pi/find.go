// SPDX-License-Identifier: Apache-2.0

package pi

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/fiftyarms/platform/internal/transcript"
)

// Dir is where pi keeps sessions: a folder for each folder that it was started in.
func (Format) Dir(env transcript.Env) string {
	if dir := env.Getenv("PI_CODING_AGENT_DIR"); dir != "" {
		return filepath.Join(dir, "sessions")
	}
	return filepath.Join(env.Home, ".pi", "agent", "sessions")
}

// Each calls each for every session in the folders of dir, and in dir itself, where --session-dir puts them.
func (Format) Each(dir string, each func(path string, info fs.FileInfo)) error {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	} else if err != nil {
		return err
	}
	sessions(dir, entries, each)
	for _, entry := range entries {
		folder := filepath.Join(dir, entry.Name())
		if info, err := os.Stat(folder); err != nil || !info.IsDir() { // a link may lead to one
			continue
		}
		files, err := os.ReadDir(folder)
		if err != nil {
			return err
		}
		sessions(folder, files, each)
	}
	return nil
}

func sessions(folder string, files []fs.DirEntry, each func(path string, info fs.FileInfo)) {
	for _, file := range files {
		if !strings.HasSuffix(file.Name(), ".jsonl") || !file.Type().IsRegular() {
			continue
		}
		if info, err := file.Info(); err == nil {
			each(filepath.Join(folder, file.Name()), info)
		}
	}
}
