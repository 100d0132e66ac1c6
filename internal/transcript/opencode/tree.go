// SPDX-License-Identifier: Apache-2.0

package opencode

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/fiftyarms/platform/internal/jsonscan"
)

// A tree is the folder in which versions before the database keep sessions: a file for each session, message and part.
type tree struct {
	root    string // the folder "storage"
	project string // the folder of the session's file
	data    []byte
	unread  func(path string, err error) // is told of what cannot be read, once a file; may be nil
	told    map[string]bool
}

// lost tells of a file that cannot be read. The session is no worse for it than by what stands in it.
func (t *tree) lost(path string, err error) {
	if t.unread == nil || t.told[path] {
		return
	}
	if t.told == nil {
		t.told = map[string]bool{}
	}
	t.told[path] = true
	t.unread(path, err)
}

// maxFile is how long one file may be.
const maxFile = 256 << 20

// errLost says that a record cannot be read, which was told.
var errLost = errors.New("it cannot be read")

func openTree(path string) *tree {
	project := filepath.Dir(path)
	return &tree{root: filepath.Dir(filepath.Dir(project)), project: project}
}

func (t *tree) close() error { return nil }

// read reads a file whole. It holds until the next call.
func (t *tree) read(path string) (_ []byte, err error) {
	info, err := os.Lstat(path)
	switch {
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("%s is no plain file", path)
	case info.Size() > maxFile:
		return nil, fmt.Errorf("%s is longer than %d MiB", path, maxFile>>20)
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	t.data = slices.Grow(t.data[:0], int(info.Size())+1)
	for {
		n, err := f.Read(t.data[len(t.data):cap(t.data)])
		t.data = t.data[:len(t.data)+n]
		switch {
		case errors.Is(err, io.EOF):
			return t.data, nil
		case err != nil:
			return nil, err
		case len(t.data) == cap(t.data):
			t.data = slices.Grow(t.data, 1)
		}
	}
}

func (t *tree) session(_ context.Context, id string) (session, error) {
	if !plain(id) {
		return session{}, fmt.Errorf("%q names no session", id)
	}
	path := filepath.Join(t.project, id+".json")
	data, err := t.read(path)
	if err != nil {
		return session{}, err
	}
	s, err := scanSession(data)
	if err != nil {
		return session{}, fmt.Errorf("%s: %w", path, err)
	}
	return s, nil
}

func scanSession(data []byte) (at session, err error) {
	var s jsonscan.Scanner
	s.Reset(data)
	s.Object(func(key []byte) {
		switch string(key) {
		case "id":
			at.id = word(&s)
		case "parentID":
			at.parent = word(&s)
		case "directory":
			at.directory = word(&s)
		case "title":
			at.title = word(&s)
		case "version":
			at.version = word(&s)
		case "revert":
			at.revert.scan(&s)
		case "time":
			s.Members(func(key []byte) {
				if string(key) == "updated" {
					at.updated = s.Int()
				}
			})
		}
	})
	s.End()
	return at, s.Err()
}

// plain tells whether an id can be the name of a file: whatever a record says, no other folder is looked into.
func plain(id string) bool {
	return id != "" && id != "." && id != ".." && !strings.ContainsAny(id, "/\\\x00")
}

func (t *tree) children(_ context.Context, id string) (list []session, err error) {
	ids, err := idsIn(t.project)
	if err != nil {
		return nil, err
	}
	for _, name := range ids {
		path := filepath.Join(t.project, name+".json")
		data, err := t.read(path)
		if err != nil {
			t.lost(path, err)
			continue
		}
		if s, err := scanSession(data); err == nil && s.parent == id && s.id == name {
			list = append(list, s)
		}
	}
	slices.SortFunc(list, func(a, b session) int { return cmp.Compare(b.id, a.id) }) // ids of sessions run backwards
	return list, nil
}

// idsIn are the files of a folder without their ending, in order. A folder that is not there has none.
func idsIn(dir string) (ids []string, err error) {
	files, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	for _, f := range files {
		if id, ok := strings.CutSuffix(f.Name(), ".json"); ok && f.Type().IsRegular() {
			ids = append(ids, id)
		}
	}
	return ids, err
}

func (t *tree) messages(_ context.Context, session string) ([]string, error) {
	return idsIn(filepath.Join(t.root, "message", session))
}

func (t *tree) message(_ context.Context, session, id string) ([]byte, error) {
	path := filepath.Join(t.root, "message", session, id+".json")
	data, err := t.read(path)
	if err != nil {
		t.lost(path, err)
		return nil, errLost
	}
	return data, nil
}

func (t *tree) parts(_ context.Context, message string, each func(id string, data []byte) error) error {
	dir := filepath.Join(t.root, "part", message)
	ids, err := idsIn(dir)
	if err != nil {
		t.lost(dir, err)
		return nil
	}
	for _, id := range ids {
		path := filepath.Join(dir, id+".json")
		data, err := t.read(path)
		if err != nil {
			t.lost(path, err)
			continue
		}
		if err := each(id, data); err != nil {
			return err
		}
	}
	return nil
}
