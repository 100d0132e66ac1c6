// SPDX-License-Identifier: Apache-2.0

// Command bench measures every figure that the product promises, all in one run on one machine, and says which hold:
//
//	go run ./tools/bench [-json]
//
// Times are of whole processes, as the operating system accounts for them. It ends with 1 if a promise is not kept.
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"text/tabwriter"
)

// A figure is one promise and what was seen of it.
type figure struct {
	Name    string  `json:"name"`
	Unit    string  `json:"unit"`
	AtMost  float64 `json:"at_most"`
	Seen    float64 `json:"seen"`
	Details string  `json:"details"`
}

func (f figure) kept() bool { return f.Seen <= f.AtMost }

func main() {
	asJSON := flag.Bool("json", false, "print one JSON array")
	flag.Parse()
	if flag.Arg(0) == directArg { // this process as the plain HTTP client that a call is compared with
		if err := direct(os.Getenv(directURL), os.Getenv(directKey), flag.Arg(1)); err != nil {
			fmt.Fprintln(os.Stderr, "bench:", err)
			os.Exit(1)
		}
		return
	}
	figures, err := run(context.Background())
	if err == nil {
		err = report(os.Stdout, figures, *asJSON)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
	for _, f := range figures {
		if !f.kept() {
			os.Exit(1)
		}
	}
}

func run(ctx context.Context) (figures []figure, err error) {
	dir, err := os.MkdirTemp("", "50arms-bench-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	binary := filepath.Join(dir, "platform-mcp")
	build := exec.CommandContext(ctx, "go", "build", "-o", binary, "./cmd/platform-mcp")
	build.Stderr = os.Stderr
	if err := build.Run(); err != nil {
		return nil, fmt.Errorf("build platform-mcp: %w", err)
	}
	d, err := startDashboard(ctx, dir)
	if err != nil {
		return nil, err
	}
	defer d.stop()
	start, err := startFigures(ctx, binary, d)
	if err != nil {
		return nil, err
	}
	call, err := callFigures(ctx, binary, d)
	return append(start, call...), err
}

func report(out io.Writer, figures []figure, asJSON bool) error {
	if asJSON {
		return json.NewEncoder(out).Encode(figures)
	}
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "figure\tpromised\tseen\t\tdetails")
	for _, f := range figures {
		verdict := "kept"
		if !f.kept() {
			verdict = "MISSED"
		}
		fmt.Fprintf(w, "%s\tat most %g %s\t%.3g %s\t%s\t%s\n", f.Name, f.AtMost, f.Unit, f.Seen, f.Unit, verdict, f.Details)
	}
	return w.Flush()
}
