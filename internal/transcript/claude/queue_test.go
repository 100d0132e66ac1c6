// SPDX-License-Identifier: Apache-2.0

package claude

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
)

// TestAQueueThatIsNeverEmptied: what waits is bounded, and what leaves is a prompt however much came before.
func TestAQueueThatIsNeverEmptied(t *testing.T) {
	var log strings.Builder
	const many = 4 * maxWaiting
	for i := range many {
		fmt.Fprintf(&log, `{"type":"queue-operation","operation":"enqueue","sessionId":"s","content":"do %d"}`+"\n", i)
	}
	for _, i := range []int{many - 1, 0} {
		fmt.Fprintf(&log, `{"type":"queue-operation","operation":"remove","sessionId":"s","content":"do %d"}`+"\n", i)
	}
	s := open(t, filepath.Join(write(t, map[string]string{"s.jsonl": log.String()}), "s.jsonl"))
	if len(s.Steps) != 2 || said(t, s, s.Steps[0]) != fmt.Sprintf("do %d", many-1) || said(t, s, s.Steps[1]) != "do 0" {
		t.Errorf("%d steps", len(s.Steps))
	}
}
