// SPDX-License-Identifier: Apache-2.0

// Command record makes every recording of the contract afresh, against an embedded dashboard with a clock that stands
// still: go run ./tools/record, from the repository's root. Nothing but what has changed in the answers changes.
package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/fiftyarms/platform/internal/recordings"
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "record:", err)
		os.Exit(1)
	}
}

func run() error {
	if len(os.Args) > 1 {
		return fmt.Errorf("%q: it takes no arguments and records everything", os.Args[1])
	}
	dir := filepath.Join("internal", "recordings", "testdata", "recordings")
	if _, err := os.Stat(filepath.Dir(filepath.Dir(dir))); err != nil {
		return fmt.Errorf("run this from the repository's root: %w", err)
	}
	fresh, err := os.MkdirTemp(filepath.Dir(filepath.Dir(dir)), "recording-") // beside the old: a rename takes its place
	if err != nil {
		return err
	}
	defer os.RemoveAll(fresh)
	if err := recordings.Record(context.Background(), fresh); err != nil {
		return err
	}
	if err := os.RemoveAll(dir); err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(dir), 0o755); err != nil {
		return err
	}
	if err := os.Rename(fresh, dir); err != nil {
		return err
	}
	fmt.Printf("%d recordings in %s\n", len(recordings.Cases), dir)
	return os.Chmod(dir, 0o755)
}
