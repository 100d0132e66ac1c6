// SPDX-License-Identifier: Apache-2.0

package testkit

import (
	"runtime"
	"strings"
	"testing"
	"time"
)

// NoLeaks fails the test if goroutines that run code of this module outlive it. Call it first in the test; the check
// comes last. Tests that run in parallel cannot use it.
func NoLeaks(t testing.TB) {
	t.Helper()
	t.Cleanup(func() {
		var left []string
		for deadline := time.Now().Add(5 * time.Second); time.Now().Before(deadline); {
			if left = ours(); len(left) == 0 {
				return
			}
			runtime.Gosched()
		}
		t.Errorf("%d goroutines left behind:\n%s", len(left), strings.Join(left, "\n\n"))
	})
}

// ours are the stacks that hold a frame of this module, the test's own aside.
func ours() (stacks []string) {
	buf := make([]byte, 4<<20)
	buf = buf[:runtime.Stack(buf, true)]
	for i, s := range strings.Split(string(buf), "\n\n") {
		if i == 0 || strings.Contains(s, "testing.tRunner") || strings.Contains(s, "testing.(*T).Run") || strings.Contains(s, "testing.runTests") {
			continue
		}
		if strings.Contains(s, "github.com/fiftyarms/platform/") {
			stacks = append(stacks, s)
		}
	}
	return stacks
}
