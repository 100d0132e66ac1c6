// SPDX-License-Identifier: Apache-2.0

//go:build unix

package main

import (
	"errors"
	"os"
	"runtime"
	"syscall"
)

// peakOf is the largest resident memory that a process that has ended had, in MB.
func peakOf(state *os.ProcessState) (float64, error) {
	usage, ok := state.SysUsage().(*syscall.Rusage)
	if !ok {
		return 0, errors.New("the system does not tell what a process used")
	}
	unit := 1024.0
	if runtime.GOOS == "darwin" {
		unit = 1
	}
	return float64(usage.Maxrss) * unit / (1 << 20), nil
}
