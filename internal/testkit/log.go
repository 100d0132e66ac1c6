// SPDX-License-Identifier: Apache-2.0

package testkit

import (
	"bytes"
	"sync"
)

// A Log keeps what is written to it, by several at once, for a test to read meanwhile.
type Log struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *Log) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *Log) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}
