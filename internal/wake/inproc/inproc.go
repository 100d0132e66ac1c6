// SPDX-License-Identifier: Apache-2.0

// Package inproc wakes within this process: all that a server with a database of its own needs.
package inproc

import (
	"sync"

	"github.com/fiftyarms/platform/internal/wake"
)

// Waker is a wake.Waker. The zero Waker is ready.
type Waker struct {
	mu       sync.RWMutex // held for reading while watchers are called, so that stop can wait for them
	watchers map[*watcher]bool
}

type watcher struct{ f func(teamID string) }

var _ wake.Waker = (*Waker)(nil)

// Wake calls every watcher.
func (w *Waker) Wake(teamID string) {
	w.mu.RLock()
	defer w.mu.RUnlock()
	for one := range w.watchers {
		one.f(teamID)
	}
}

// Watch adds a watcher. Neither Watch nor stop may be called by one.
func (w *Waker) Watch(f func(teamID string)) (stop func()) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.watchers == nil {
		w.watchers = map[*watcher]bool{}
	}
	one := &watcher{f}
	w.watchers[one] = true
	return func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		delete(w.watchers, one)
	}
}
