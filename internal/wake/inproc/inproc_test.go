// SPDX-License-Identifier: Apache-2.0

package inproc_test

import (
	"runtime"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/fiftyarms/platform/internal/wake/inproc"
)

func TestWake(t *testing.T) {
	var w inproc.Waker
	w.Wake("nobody listens")
	var one, other []string
	stop := w.Watch(func(team string) { one = append(one, team) })
	w.Wake("a")
	stopOther := w.Watch(func(team string) { other = append(other, team) })
	w.Wake("")
	stop()
	w.Wake("b")
	stop()
	stopOther()
	w.Wake("c")
	if len(one) != 2 || one[0] != "a" || one[1] != "" || len(other) != 2 || other[0] != "" || other[1] != "b" {
		t.Errorf("they heard %q and %q", one, other)
	}
}

// After stop has returned a watcher is not called any more, however many wake at the time.
func TestStopIsFinal(t *testing.T) {
	var w inproc.Waker
	var ended atomic.Bool
	var wakers sync.WaitGroup
	done := make(chan struct{})
	for range 2 {
		wakers.Go(func() {
			for {
				select {
				case <-done:
					return
				default:
					runtime.Gosched()
					w.Wake("a")
				}
			}
		})
	}
	for range 50 {
		ended.Store(false)
		heard := make(chan struct{}, 1)
		stop := w.Watch(func(string) {
			if ended.Load() {
				t.Error("called after stop")
			}
			select {
			case heard <- struct{}{}:
			default:
			}
		})
		<-heard
		stop()
		ended.Store(true)
	}
	close(done)
	wakers.Wait()
}
