// SPDX-License-Identifier: Apache-2.0

package codex_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestLinesThatAreThereTwice: a line that was written again, or two, tell nothing new.
func TestLinesThatAreThereTwice(t *testing.T) {
	lines := []string{
		rec(0, "session_meta", meta), rec(1, "turn_context", turn),
		item(2, said("user", "do it")), event(2, typed("do it")),
		item(3, call("c1", "exec_command", `{"cmd":"ls"}`)), item(4, answer("c1", "ok")),
		event(5, count(10, 5, 2, 10)), event(6, `{"type":"agent_message","message":"done"}`), item(6, said("assistant", "done")),
		event(7, typed("wrong")), event(8, `{"type":"thread_rolled_back","num_turns":1}`), event(9, typed("do it")), event(9, typed("and that")),
	}
	once := read(t, lines...)
	var twice, pairs []string
	for i, line := range lines {
		twice = append(twice, line, line)
		if i%2 == 1 {
			pairs = append(pairs, lines[i-1], line, lines[i-1], line)
		}
	}
	for _, again := range [][]string{twice, append(pairs, lines[len(lines)-1])} {
		s := read(t, again...)
		if d := cmp.Diff(spelled(t, once), spelled(t, s)); d != "" {
			t.Error(d)
		}
		if s.Usage != once.Usage || s.Skipped.Abandoned != once.Skipped.Abandoned {
			t.Errorf("%+v, %+v", s.Usage, s.Skipped)
		}
	}
}
