// SPDX-License-Identifier: Apache-2.0

package opencode

import (
	"os"
	"sync"
	"time"
)

// A version is what a database's files are like, so far as that shows whether somebody wrote to them.
type version struct {
	path    string
	db, log stamp
}

type stamp struct {
	size int64
	at   time.Time
}

func versionOf(path string) version { return version{path, stampOf(path), stampOf(path + "-wal")} }

func stampOf(path string) stamp {
	info, err := os.Stat(path)
	if err != nil {
		return stamp{}
	}
	return stamp{info.Size(), info.ModTime()}
}

// A resting keeps the database that was read last open: one holds all sessions, which are read one by one, and opening
// it may take a copy of it. Nothing is locked meanwhile, and what is read next is what stands in it then.
type resting struct {
	mu   sync.Mutex
	last *database
}

var rest resting

// take is the database if it is open and as it was.
func (r *resting) take(is version) *database {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.last == nil || r.last.is != is {
		return nil
	}
	d := r.last
	r.last = nil
	return d
}

// put keeps a database open, in the place of another.
func (r *resting) put(d *database) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	before := r.last
	r.last = d
	if before == nil {
		return nil
	}
	return before.end()
}
