// SPDX-License-Identifier: Apache-2.0

package mcpstdio_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/fiftyarms/platform/internal/mcpstdio"
)

// childVar makes the test binary a server; its value is the grace.
const childVar = "MCPSTDIO_TEST_CHILD"

func TestMain(m *testing.M) {
	if grace, err := time.ParseDuration(os.Getenv(childVar)); err == nil {
		os.Exit(child(grace))
	}
	os.Exit(m.Run())
}

// child is a server like a real one: on the standard streams, stopped by
// SIGTERM.
func child(grace time.Duration) int {
	signal.Ignore(syscall.SIGPIPE)
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	srv := newServer(map[string]handler{"report": reporter("mcp-go"), "wait": sleeper(time.Hour)})
	err := mcpstdio.Serve(ctx, srv, os.Stdin, os.Stdout, mcpstdio.Options{
		Grace: grace,
		Log:   slog.New(slog.NewTextHandler(os.Stderr, nil)),
	})
	switch {
	case ctx.Err() != nil:
		return 3
	case err != nil:
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

func command(t *testing.T, grace string) (*exec.Cmd, *bytes.Buffer) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	t.Cleanup(cancel)
	cmd := exec.CommandContext(ctx, os.Args[0])
	cmd.Env = append(os.Environ(), childVar+"="+grace)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	return cmd, &stderr
}

// printf … | server > file: mcp-go's transport lost the answers to what it had
// not finished at the end of the input.
func TestProcessPipedInput(t *testing.T) {
	const calls = 300
	var in strings.Builder
	fmt.Fprintln(&in, initialize)
	for i := range calls {
		fmt.Fprintln(&in, call(fmt.Sprint(i), "echo", `{"n":9007199254740993}`))
	}
	in.WriteString(call(`"report"`, "report", `{"token":"t"}`)) // no newline
	cmd, stderr := command(t, "1m")
	cmd.Stdin = strings.NewReader(in.String())
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, stderr)
	}
	answers, progress := 0, 0
	for i, line := range strings.Split(strings.TrimSuffix(string(out), "\n"), "\n") {
		var f frame
		if err := json.Unmarshal([]byte(line), &f); err != nil {
			t.Fatalf("line %d: %v: %.200s", i, err, line)
		}
		switch {
		case f.Error != nil:
			t.Errorf("line %d: %s", i, line)
		case i == 0 && string(f.ID) != `"init"`:
			t.Errorf("first line: %s", line)
		case f.Method != "":
			progress++
		case string(f.ID) == `"report"` && progress != steps:
			t.Errorf("result after %d of %d notifications", progress, steps)
			answers++
		default:
			answers++
		}
	}
	if answers != calls+2 || progress != steps {
		t.Errorf("%d answers, %d notifications", answers, progress)
	}
}

// started runs the child with its streams open and a call waiting.
func started(t *testing.T) (cmd *exec.Cmd, in io.WriteCloser, out io.ReadCloser, stderr *bytes.Buffer) {
	t.Helper()
	cmd, stderr = command(t, "10ms")
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err = cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	fmt.Fprintln(in, initialize)
	fmt.Fprintln(in, call("1", "wait", `{}`))
	fmt.Fprintln(in, call("2", "echo", `{}`))
	lines := bufio.NewReader(out)
	for range 2 {
		if _, err := lines.ReadString('\n'); err != nil {
			t.Fatal(err)
		}
	}
	return cmd, in, out, stderr
}

func TestProcessEnds(t *testing.T) {
	for _, tt := range []struct {
		name string
		end  func(*exec.Cmd, io.Closer, io.Closer, io.Writer)
		code int
	}{
		{"input closed", func(_ *exec.Cmd, in, _ io.Closer, _ io.Writer) { _ = in.Close() }, 0},
		{"SIGTERM", func(cmd *exec.Cmd, _, _ io.Closer, _ io.Writer) { _ = cmd.Process.Signal(syscall.SIGTERM) }, 3},
		{"output closed", func(_ *exec.Cmd, _, out io.Closer, w io.Writer) {
			_ = out.Close()
			fmt.Fprintln(w, call("3", "echo", `{}`))
		}, 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			cmd, in, out, stderr := started(t)
			start := time.Now()
			tt.end(cmd, in, out, in)
			_ = cmd.Wait()
			if code := cmd.ProcessState.ExitCode(); code != tt.code {
				t.Errorf("exit code %d, want %d\n%s", code, tt.code, stderr)
			}
			t.Logf("took %v", time.Since(start))
		})
	}
}
