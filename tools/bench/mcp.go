// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/fiftyarms/platform/gen/mcptools"
	"github.com/fiftyarms/platform/internal/mcpclient"
)

const (
	starts = 20   // processes that the start is measured over
	calls  = 3000 // calls that one call's cost is measured over
)

// cpu is what a process that is over has cost.
func cpu(state *os.ProcessState) time.Duration { return state.UserTime() + state.SystemTime() }

// peakMB is a running process's largest resident memory. Its rusage would not do: a child starts with the peak of the
// process that forked it.
func peakMB(pid int) (float64, error) {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0, err
	}
	_, rest, _ := strings.Cut(string(b), "VmHWM:")
	kb, _, ok := strings.Cut(strings.TrimSpace(rest), " kB")
	if !ok {
		return 0, errors.New("the system does not tell a process's peak memory (VmHWM)")
	}
	n, err := strconv.ParseFloat(kb, 64)
	return n / 1024, err
}

func mcpCommand(binary string, d *dashboardProcess) *exec.Cmd {
	cmd := exec.Command(binary)
	cmd.Env = append(os.Environ(), "DANXBOT_DASHBOARD_URL="+d.URL, "DANX_DASHBOARD_CREDENTIAL="+d.key)
	cmd.Stderr = os.Stderr
	return cmd
}

// startFigures measures from the start of the process to the answered tools/list.
func startFigures(ctx context.Context, binary string, d *dashboardProcess) ([]figure, error) {
	var walls []time.Duration
	var peaks []float64
	for range starts {
		cmd := mcpCommand(binary, d)
		begin := time.Now()
		client, err := mcpclient.Start(cmd)
		if err != nil {
			return nil, err
		}
		if _, err := client.Initialize(ctx, "bench"); err != nil {
			return nil, err
		}
		if _, err := client.Request(ctx, "tools/list", nil); err != nil {
			return nil, err
		}
		walls = append(walls, time.Since(begin))
		peak, err := peakMB(cmd.Process.Pid)
		if err := errors.Join(err, client.Close()); err != nil {
			return nil, err
		}
		peaks = append(peaks, peak)
	}
	slices.Sort(walls)
	slices.Sort(peaks)
	return []figure{
		{Name: "platform-mcp: start to answered tools/list", Unit: "ms", AtMost: 60, Seen: ms(walls[starts/2]),
			Details: fmt.Sprintf("median of %d; %.3g to %.3g ms", starts, ms(walls[0]), ms(walls[starts-1]))},
		{Name: "platform-mcp: peak memory by then", Unit: "MB", AtMost: 30, Seen: peaks[starts-1],
			Details: fmt.Sprintf("worst of %d; median %.3g MB", starts, peaks[starts/2])},
	}, nil
}

func ms(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

// callFigures compares a call through platform-mcp with the same HTTP call made directly, by the CPU time of the two
// processes, each less what the process costs without a call.
func callFigures(ctx context.Context, binary string, d *dashboardProcess) ([]figure, error) {
	through := func(n int) (time.Duration, error) {
		cmd := mcpCommand(binary, d)
		client, err := mcpclient.Start(cmd)
		if err != nil {
			return 0, err
		}
		if _, err := client.Initialize(ctx, "bench"); err != nil {
			return 0, err
		}
		for range n {
			res, err := client.CallTool(ctx, "50arms_api", mcptools.APIArgs{Method: mcptools.APIArgsMethodGET, Path: "/api/auth/permissions"})
			if err != nil || res.IsError {
				return 0, errors.Join(err, fmt.Errorf("the tool answered %s", res.Text))
			}
		}
		if err := client.Close(); err != nil {
			return 0, err
		}
		return cpu(cmd.ProcessState), nil
	}
	directly := func(n int) (time.Duration, error) {
		self, err := os.Executable()
		if err != nil {
			return 0, err
		}
		cmd := exec.CommandContext(ctx, self, directArg, strconv.Itoa(n))
		cmd.Env = append(os.Environ(), directURL+"="+d.URL, directKey+"="+d.key)
		cmd.Stderr = os.Stderr
		if err := cmd.Run(); err != nil {
			return 0, err
		}
		return cpu(cmd.ProcessState), nil
	}
	cost := func(f func(int) (time.Duration, error)) (float64, error) {
		idle, err := f(1) // the first call opens the connection and compiles what it checks
		if err != nil {
			return 0, err
		}
		busy, err := f(calls + 1)
		return ms(busy-idle) / calls, err
	}
	viaTool, err := cost(through)
	if err != nil {
		return nil, err
	}
	viaHTTP, err := cost(directly)
	if err != nil {
		return nil, err
	}
	return []figure{{Name: "platform-mcp: CPU of a call over the same HTTP call made directly", Unit: "ms", AtMost: 0.5, Seen: viaTool - viaHTTP,
		Details: fmt.Sprintf("%d calls; %.3g ms through the tool, %.3g ms directly", calls, viaTool, viaHTTP)}}, nil
}

// The process as the plain client: the key travels in the environment, never in the arguments.
const (
	directArg = "direct"
	directURL = "BENCH_URL"
	directKey = "BENCH_KEY"
)

func direct(url, key, count string) error {
	n, err := strconv.Atoi(count)
	if err != nil {
		return err
	}
	for range n {
		req, err := http.NewRequest(http.MethodGet, url+"/api/auth/permissions", nil)
		if err != nil {
			return err
		}
		req.Header.Set("Authorization", "Bearer "+key)
		res, err := http.DefaultClient.Do(req)
		if err != nil {
			return err
		}
		_, err = io.Copy(io.Discard, res.Body)
		if err := errors.Join(err, res.Body.Close()); err != nil {
			return err
		}
		if res.StatusCode != http.StatusOK {
			return fmt.Errorf("answered %s", res.Status)
		}
	}
	return nil
}
