// SPDX-License-Identifier: Apache-2.0

package opencode

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/fiftyarms/platform/internal/jsonscan"
	"github.com/fiftyarms/platform/internal/transcript"
)

// Dir is where opencode keeps its database, and before that a folder "storage" of files.
func (Format) Dir(env transcript.Env) string {
	if dir := env.Getenv("XDG_DATA_HOME"); dir != "" {
		return filepath.Join(dir, "opencode")
	}
	return filepath.Join(env.Home, ".local", "share", "opencode")
}

// split parts a session's name into its file and, where that holds several, its id.
func split(path string) (file, id string) {
	at := strings.LastIndexByte(path, '#')
	if at < 0 {
		return path, ""
	}
	if _, err := os.Lstat(path); err == nil {
		return path, "" // a file of that name
	}
	return path[:at], path[at+1:]
}

const magic = "SQLite format 3\x00"

// Owns tells opencode's databases from others by their tables, and its files of sessions by what stands in them.
func (Format) Owns(path string, head []byte) bool {
	if strings.HasPrefix(string(head[:min(len(head), len(magic))]), magic) {
		file, _ := split(path)
		d, err := openDatabase(context.Background(), file)
		return err == nil && d.close() == nil
	}
	var id, project, named, created bool
	var s jsonscan.Scanner
	s.Reset(head) // which may be no more than the beginning
	s.Object(func(key []byte) {
		switch string(key) {
		case "id":
			id = len(s.Word()) > 0
		case "projectID":
			project = len(s.Word()) > 0
		case "directory", "title":
			named = s.Word() != nil || named
		case "time":
			s.Members(func(key []byte) { created = string(key) == "created" || created })
		}
	})
	return id && project && named && created
}

// Each calls each for every session that a person began, as path#id where it stands in a database. The database was
// made of the files, which stay: those that it has are passed over.
func (Format) Each(dir string, each func(path string, info fs.FileInfo)) error {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	} else if err != nil {
		return err
	}
	seen := map[string]bool{}
	for _, entry := range entries { // builds of other channels have databases of their own
		name := entry.Name()
		if !strings.HasPrefix(name, "opencode") || !strings.HasSuffix(name, ".db") {
			continue
		}
		if err := eachOf(filepath.Join(dir, name), seen, each); err != nil {
			return err
		}
	}
	return eachFile(filepath.Join(dir, "storage", "session"), seen, each)
}

func eachOf(path string, seen map[string]bool, each func(string, fs.FileInfo)) (err error) {
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() {
		return nil
	}
	ctx := context.Background()
	d, err := openDatabase(ctx, path)
	if errors.Is(err, errOther) {
		return nil
	} else if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, d.close()) }()
	roots, err := d.roots(ctx)
	if err != nil {
		return err
	}
	for _, s := range roots {
		if !seen[s.id] {
			seen[s.id] = true
			each(path+"#"+s.id, written{info, time.UnixMilli(s.updated)})
		}
	}
	return nil
}

// A written is a database as the file of one of its sessions, which was written to at a time of its own.
type written struct {
	fs.FileInfo
	at time.Time
}

// ModTime is when the session was written to last.
func (w written) ModTime() time.Time { return w.at }

func eachFile(dir string, seen map[string]bool, each func(string, fs.FileInfo)) error {
	projects, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	} else if err != nil {
		return err
	}
	for _, project := range projects {
		if !project.IsDir() {
			continue
		}
		t := &tree{project: filepath.Join(dir, project.Name())}
		ids, err := idsIn(t.project)
		if err != nil {
			return err
		}
		for _, id := range ids {
			if s, err := t.session(context.Background(), id); seen[id] || err != nil || s.parent != "" {
				continue
			}
			path := filepath.Join(t.project, id+".json")
			if info, err := os.Stat(path); err == nil {
				seen[id] = true
				each(path, info)
			}
		}
	}
	return nil
}
