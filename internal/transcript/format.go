// SPDX-License-Identifier: Apache-2.0

package transcript

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// A Format reads the sessions of one agent.
type Format interface {
	// Agent is the agent's name in a trace's source.agent, and of --format.
	Agent() string
	// Owns tells whether the file at path, which begins with head, holds a session of the agent.
	Owns(path string, head []byte) bool
	// Read indexes the session at path. progress, which may be nil, is told how many bytes are read.
	Read(ctx context.Context, path string, progress func(bytes int64)) (*Session, error)
	// Dir is where the agent keeps its sessions; several folders have commas between them.
	Dir(env Env) string
	// Each calls each for every session in dir, with what is known of its file. A dir that is not there has none.
	Each(dir string, each func(path string, info fs.FileInfo)) error
}

// An Env is what tells where files are kept.
type Env struct {
	Getenv func(string) string
	Home   string
}

// Dirs is a folder of the name in each folder of a list with commas between them, as one value of Format.Dir.
func Dirs(list, name string) string {
	if _, err := os.Stat(list); err == nil { // a name with a comma in it
		return filepath.Join(list, name)
	}
	var dirs []string
	for dir := range strings.SplitSeq(list, ",") {
		if dir = strings.TrimSpace(dir); dir != "" {
			dirs = append(dirs, filepath.Join(dir, name))
		}
	}
	return strings.Join(dirs, ",")
}

// EachDir are the folders that a value of Format.Dir names. What is the name of one that is there names no more.
func EachDir(dir string) []string {
	if _, err := os.Stat(dir); err == nil {
		return []string{dir}
	}
	return strings.Split(dir, ",")
}
