// SPDX-License-Identifier: Apache-2.0

package jq

import (
	"context"
	"fmt"
	"runtime"
	"runtime/metrics"
	"time"
)

// memoryLimit is how much the process may grow while an expression runs, in bytes.
const memoryLimit = 192 << 20

var errMemory = fmt.Errorf("it needs more than %d MiB of memory: narrow it", memoryLimit>>20)

// watch ends the context with errMemory when the process grows over the limit. The caller calls stop.
func watch(ctx context.Context) (watched context.Context, stop func()) {
	watched, cancel := context.WithCancelCause(ctx)
	begin := heap()
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		tick := time.NewTicker(5 * time.Millisecond)
		defer tick.Stop()
		for {
			select {
			case <-watched.Done():
				return
			case <-tick.C:
			}
			if heap() < begin+memoryLimit {
				continue
			}
			// Most of it may be garbage by now.
			if runtime.GC(); heap() >= begin+memoryLimit {
				cancel(errMemory)
				return
			}
		}
	}()
	return watched, func() {
		cancel(nil)
		<-ended
	}
}

// heap is the size of all objects, those included that are not collected yet.
func heap() uint64 {
	sample := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	metrics.Read(sample)
	return sample[0].Value.Uint64()
}

// measure tells whether a value is small when it is written out: a value may hold another many times over and take the
// memory of one. Measuring stops where the limit is passed, so it costs no more than the limit.
type measure struct{ nodes, bytes int }

func (m *measure) fits(v any) bool {
	m.nodes--
	m.bytes--
	switch v := v.(type) {
	case string:
		m.bytes -= len(v)
	case []any:
		for _, e := range v {
			if !m.fits(e) {
				return false
			}
		}
	case map[string]any:
		for k, e := range v {
			m.bytes -= len(k)
			if !m.fits(e) {
				return false
			}
		}
	case interface{ BitLen() int }:
		m.bytes -= v.BitLen() / 3
	case fmt.Stringer: // json.Number
		m.bytes -= len(v.String())
	}
	return m.nodes >= 0 && m.bytes >= 0
}
