// SPDX-License-Identifier: Apache-2.0

//go:build unix

package app_test

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// TestAnInterruptEndsWhatWaits: nobody reads what it writes, and the first ^C ends it, with nothing left behind.
func TestAnInterruptEndsWhatWaits(t *testing.T) {
	dir := t.TempDir()
	log := filepath.Join(dir, "session.jsonl")
	var records bytes.Buffer
	for n := range 2000 {
		fmt.Fprintf(&records, `{"type":"user","uuid":"%d","parentUuid":"%d","sessionId":"s","message":{"content":"%d %s"}}`+"\n", n+1, n, n, strings.Repeat("x", 1000))
	}
	if err := os.WriteFile(log, records.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	tmp := filepath.Join(dir, "tmp")
	if err := os.Mkdir(tmp, 0o700); err != nil {
		t.Fatal(err)
	}
	reader, writer, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer reader.Close()
	var said bytes.Buffer
	cmd := exec.CommandContext(t.Context(), "flatbread", "parse", "--json", "--file", log) // the test binary; see TestMain
	cmd.Stdout, cmd.Stderr = writer, &said
	cmd.Env = append(os.Environ(), "TMPDIR="+tmp, "FLATBREAD_HOME="+dir, "GOCOVERDIR="+t.TempDir())
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if err := writer.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := reader.Read(make([]byte, 1)); err != nil { // a pipe takes less than what it writes at once
		t.Fatal(err)
	}
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err == nil || cmd.ProcessState.ExitCode() != 1 {
		t.Errorf("it ended with %v, and says %q", err, said.String())
	}
	if status, ok := cmd.ProcessState.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		t.Error("it was killed before it had put away what it made")
	}
	if left, err := os.ReadDir(tmp); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}
