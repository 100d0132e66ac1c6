// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"fmt"
	"os"
	"runtime"
	"strings"
	"time"
)

// writePage writes the figures as a page for readers, with the machine that they were seen on.
func writePage(path string, figures []figure, at time.Time) error {
	var b bytes.Buffer
	fmt.Fprintf(&b, `# Figures

What the product promises, and what was seen of it in one run of `+"`go run ./tools/bench`"+`, which writes this page:
%s, %d cores (%s/%s), %s, %s. Everything ran on that one machine: the dashboard on SQLite, its clients beside it.

| figure | promised | seen | |
|---|---|---|---|
`, processor(), runtime.NumCPU(), runtime.GOOS, runtime.GOARCH, runtime.Version(), at.UTC().Format(time.DateOnly))
	for _, f := range figures {
		verdict := "kept"
		if !f.kept() {
			verdict = "**missed**"
		}
		details := verdict
		if f.Details != "" {
			details += "; " + f.Details
		}
		fmt.Fprintf(&b, "| %s | %s | %s | %s |\n", f.Name, strings.TrimSpace(f.promised()), strings.TrimSpace(seen(f.Seen)+" "+f.Unit), details)
	}
	return os.WriteFile(path, b.Bytes(), 0o644)
}

// processor is what the system calls this machine's processor.
func processor() string {
	info, err := os.ReadFile("/proc/cpuinfo")
	if err != nil {
		return "a processor that the system does not name"
	}
	for line := range strings.Lines(string(info)) {
		if name, value, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(name) == "model name" {
			return strings.TrimSpace(value)
		}
	}
	return "a processor that the system does not name"
}
