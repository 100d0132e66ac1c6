// SPDX-License-Identifier: Apache-2.0

package transcript

import (
	"context"
	"io/fs"
)

// A Format reads the sessions of one agent.
type Format interface {
	// Agent is the agent's name in a trace's source.agent, and of --format.
	Agent() string
	// Owns tells whether the file at path, which begins with head, holds a session of the agent.
	Owns(path string, head []byte) bool
	// Read indexes the session at path. progress, which may be nil, is told how many bytes are read.
	Read(ctx context.Context, path string, progress func(bytes int64)) (*Session, error)
	// Dir is where the agent keeps its sessions.
	Dir(env Env) string
	// Each calls each for every session in dir, with what is known of its file. A dir that is not there has none.
	Each(dir string, each func(path string, info fs.FileInfo)) error
}

// An Env is what tells where files are kept.
type Env struct {
	Getenv func(string) string
	Home   string
}

// Latest is the session in dir that was written to last, "" if there is none.
func Latest(f Format, dir string) (string, error) {
	latest := ""
	var newest fs.FileInfo
	err := f.Each(dir, func(path string, info fs.FileInfo) {
		switch {
		case latest == "", info.ModTime().After(newest.ModTime()):
		case info.ModTime().Equal(newest.ModTime()) && path > latest:
		default:
			return
		}
		latest, newest = path, info
	})
	return latest, err
}
