// SPDX-License-Identifier: Apache-2.0

package main_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/fiftyarms/platform/internal/mcpclient"
)

// TestBoot holds the start to its bars: every session of every person pays for it. It measures the program as it is
// shipped; the best of some runs, since other work on the machine only makes a run slower.
func TestBoot(t *testing.T) {
	const (
		runs    = 10
		maxTime = 60 * time.Millisecond // from the start of the process to the answered tools/list
		maxKiB  = 30 << 10              // resident, at most
	)
	program := filepath.Join(t.TempDir(), "platform-mcp")
	if out, err := exec.CommandContext(t.Context(), "go", "build", "-o", program, ".").CombinedOutput(); err != nil {
		t.Fatalf("build: %v\n%s", err, out)
	}
	best, memory := time.Hour, 0
	for range runs {
		cmd := exec.CommandContext(t.Context(), program)
		cmd.Env = append(os.Environ(), "DANXBOT_DASHBOARD_URL=http://127.0.0.1:1", "HOME="+t.TempDir())
		begin := time.Now()
		c, err := mcpclient.Start(cmd)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := c.Initialize(t.Context(), "bench"); err != nil {
			t.Fatal(err)
		}
		if _, err := c.Request(t.Context(), "tools/list", nil); err != nil {
			t.Fatal(err)
		}
		best = min(best, time.Since(begin))
		memory = max(memory, peak(t, cmd.Process.Pid))
		if err := c.Close(); err != nil {
			t.Fatal(err)
		}
	}
	t.Logf("tools/list answered after %v at best; at most %d KiB resident", best, memory)
	if best > maxTime {
		t.Errorf("tools/list answered after %v, at most %v", best, maxTime)
	}
	if memory > maxKiB {
		t.Errorf("%d KiB resident, at most %d", memory, maxKiB)
	}
}

// peak is the most memory that a process has held so far, in KiB; 0 where that cannot be read. The rusage of an ended
// process is no answer: it counts what this process held when it forked.
func peak(t *testing.T, pid int) (kib int) {
	t.Helper()
	if runtime.GOOS != "linux" {
		return 0
	}
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(status)) {
		if value, ok := strings.CutPrefix(line, "VmHWM:"); ok {
			if _, err := fmt.Sscan(value, &kib); err != nil {
				t.Fatal(err)
			}
		}
	}
	return kib
}
