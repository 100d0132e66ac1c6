// SPDX-License-Identifier: Apache-2.0

package claude

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"sync"

	"github.com/fiftyarms/platform/internal/jsonl"
	"github.com/fiftyarms/platform/internal/jsonscan"
	"github.com/fiftyarms/platform/internal/safefile"
)

// A beside knows whose the sub-agents' files of one folder are. Versions that kept all in one folder leave it to the
// records in a file to say so: whoever reads a folder's sessions one by one would look into each file for each session.
type beside struct {
	look     func(path string) (session string, err error)
	mu       sync.Mutex
	dir      string
	sessions map[string]string // by the file's name
}

// flat is the folder that was read last.
var flat = &beside{look: sessionOf}

// each calls each for the files of sub-agents beside a session's. What cannot be read is told to unread.
func (b *beside) each(path string, each func(file string), unread func(path string, err error)) error {
	dir := filepath.Dir(path)
	entries, err := os.ReadDir(dir)
	if err != nil {
		unread(dir, err)
		return nil
	}
	var names []string
	for _, e := range entries {
		if isAgent(e.Name()) && !e.IsDir() {
			names = append(names, e.Name())
		}
	}
	if len(names) == 0 {
		return nil
	}
	session, err := sessionOf(path)
	if err != nil || session == "" {
		return err
	}
	for _, file := range b.agentsOf(dir, session, names, unread) {
		each(file)
	}
	return nil
}

// agentsOf are those of the named files in a folder that are of a session.
func (b *beside) agentsOf(dir, session string, names []string, unread func(path string, err error)) (files []string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.dir != dir || b.sessions == nil {
		b.dir, b.sessions = dir, map[string]string{}
	}
	for _, name := range names {
		of, known := b.sessions[name]
		if !known {
			var err error
			if of, err = b.look(filepath.Join(dir, name)); err != nil && !nothing(err) {
				unread(filepath.Join(dir, name), err)
			}
			if of == "" {
				continue // it may be written yet
			}
			b.sessions[name] = of
		}
		if of == session {
			files = append(files, filepath.Join(dir, name))
		}
	}
	return files
}

// maxLook is how far into a file a record is looked for that names its session.
const maxLook = 8 << 20

// sessionOf is the session that the first record of a file that names one is of.
func sessionOf(path string) (_ string, err error) {
	f, _, err := safefile.Open(path)
	if errors.Is(err, safefile.ErrNotPlain) {
		return "", nil
	} else if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	lines, rec, scan := jsonl.NewLines(io.LimitReader(f, maxLook)), record{}, jsonscan.Scanner{}
	for {
		line, err := lines.Next()
		if errors.Is(err, io.EOF) {
			return "", nil
		} else if err != nil {
			return "", err
		}
		if rec.scan(&scan, line.Data) == nil && len(rec.session) > 0 {
			return jsonscan.DecodeString(rec.session), nil
		}
	}
}
