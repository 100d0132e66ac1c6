// SPDX-License-Identifier: Apache-2.0

package testkit

import (
	"testing"
	"time"
)

// Until waits for a condition that nothing tells of. The test ends if it does not come.
func Until(t testing.TB, what string, holds func() bool) {
	t.Helper()
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	for late := time.After(patience); !holds(); {
		select {
		case <-tick.C:
		case <-late:
			t.Fatalf("%s did not come", what)
		}
	}
}
