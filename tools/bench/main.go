// SPDX-License-Identifier: Apache-2.0

// Command bench measures every figure that the product promises, all in one run on one machine, and says which hold:
//
//	go run ./tools/bench [-json] [-write docs/figures.md]
//
// Times are of whole processes, as the operating system accounts for them. It ends with 1 if a promise is not kept. What
// it saw is written to docs/figures.md, where the product's figures are told; -write "" writes nothing.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"text/tabwriter"
	"time"
)

// A figure is one promise and what was seen of it.
type figure struct {
	Name    string  `json:"name"`
	Unit    string  `json:"unit"`
	AtMost  float64 `json:"at_most,omitempty"`
	AtLeast float64 `json:"at_least,omitempty"` // one of the two is promised
	Seen    float64 `json:"seen"`
	Details string  `json:"details"`
}

func (f figure) kept() bool { return f.Seen >= f.AtLeast && (f.AtMost == 0 || f.Seen <= f.AtMost) }

func (f figure) promised() string {
	if f.AtLeast != 0 {
		return fmt.Sprintf("at least %g %s", f.AtLeast, f.Unit)
	}
	return fmt.Sprintf("at most %g %s", f.AtMost, f.Unit)
}

func main() {
	asJSON := flag.Bool("json", false, "print one JSON array")
	page := flag.String("write", "docs/figures.md", "the page that the figures are written to; empty for none")
	flag.Parse()
	switch flag.Arg(0) {
	case directArg: // this process as the plain HTTP client that a call is compared with
		exit(direct(os.Getenv(directURL), os.Getenv(directKey), flag.Arg(1)))
	case measureArg: // this process as the one that starts what is measured
		exit(measure(flag.Args()[1:], os.Stdout))
	case serveArg: // this process as the dashboard that is measured
		exit(serve(context.Background(), os.Getenv(serveDir), os.Stdin, os.Stdout))
	}
	figures, err := run(context.Background())
	if err == nil {
		err = report(os.Stdout, figures, *asJSON)
	}
	if err == nil && *page != "" {
		err = writePage(*page, figures, time.Now())
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

func exit(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
	os.Exit(0)
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
	defer func() { err = errors.Join(err, d.stop()) }()
	start, err := startFigures(ctx, binary, d)
	if err != nil {
		return nil, err
	}
	call, err := callFigures(ctx, binary, d)
	if err != nil {
		return nil, err
	}
	surface, err := surfaceFigures(ctx, binary, d)
	if err != nil {
		return nil, err
	}
	files, err := fileFigures(ctx, binary, dir, d)
	if err != nil {
		return nil, err
	}
	cards, err := cardFigures(ctx, d)
	if err != nil {
		return nil, err
	}
	parse, err := parseFigures(ctx, dir)
	return slices.Concat(start, call, surface, files, cards, parse), err
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
		fmt.Fprintf(w, "%s\t%s\t%s %s\t%s\t%s\n", f.Name, f.promised(), seen(f.Seen), f.Unit, verdict, f.Details)
	}
	return w.Flush()
}

// seen is a number with three digits that count.
func seen(n float64) string {
	if n >= 1000 {
		return fmt.Sprintf("%.0f", n)
	}
	return fmt.Sprintf("%.3g", n)
}
