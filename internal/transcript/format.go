// SPDX-License-Identifier: Apache-2.0

package transcript

import (
	"cmp"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/fiftyarms/platform/internal/safefile"
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

// Latest is the session in dir that was written to last, "" if there is none. What is no session of the agent, and a file
// that nothing was written to so far, is taken only if there is nothing else.
func Latest(f Format, dir string) (string, error) {
	type candidate struct {
		path string
		info fs.FileInfo
	}
	var all []candidate
	if err := f.Each(dir, func(path string, info fs.FileInfo) { all = append(all, candidate{path, info}) }); err != nil || len(all) == 0 {
		return "", err
	}
	slices.SortFunc(all, func(a, b candidate) int {
		return cmp.Or(b.info.ModTime().Compare(a.info.ModTime()), strings.Compare(b.path, a.path))
	})
	for _, c := range all {
		if owns(f, c.path) {
			return c.path, nil
		}
	}
	return all[0].path, nil
}

// headSize is how much of a file Format.Owns is shown.
const headSize = 256 << 10

// owns tells whether a file is a session of the format. What is named with more than its file is, since the format itself
// found it there.
func owns(f Format, path string) bool {
	file, _, err := safefile.Open(path)
	if err != nil {
		return errors.Is(err, fs.ErrNotExist)
	}
	head := make([]byte, headSize)
	n, err := io.ReadFull(file, head)
	if file.Close() != nil || err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return false
	}
	return f.Owns(path, head[:n])
}
