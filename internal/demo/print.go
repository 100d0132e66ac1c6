// SPDX-License-Identifier: Apache-2.0

package demo

import (
	"fmt"
	"io"
	"strings"

	"github.com/fiftyarms/platform/gen/dash"
)

// printStep prints a step as a person wants to read it: what it was, whether it held, what was seen.
func printStep(out io.Writer, n int, s dash.DemoStep, saw string) {
	mark := "ok"
	if !s.Ok {
		mark = "FAILED"
	}
	fmt.Fprintf(out, "\n%2d. %s  [%s, %d ms]\n", n, s.Name, mark, s.Ms)
	for line := range strings.Lines(strings.TrimRight(saw, "\n")) {
		fmt.Fprintf(out, "    %s\n", strings.TrimRight(line, "\n"))
	}
}

// invite says how to go on by hand.
func (w *world) invite(out io.Writer) {
	fmt.Fprintf(out, `
The dashboard stays open until you press Ctrl-C. Its data is deleted then.

  open     %s
  sign in  %s
           %s

Connect Claude Code to it, in another terminal:

  claude mcp add platform --env DANXBOT_DASHBOARD_URL=%s --env DANXBOT_TEAM=demo --env DANXBOT_BOARD_ID=%d -- %s

then ask it to connect to the dashboard, and to create a card.
`, w.url, w.email, w.password, w.url, w.board, agentLine())
}

// checkedWriter remembers the first write that failed, so that printing need not be checked line by line.
type checkedWriter struct {
	to  io.Writer
	err error
}

func (w *checkedWriter) Write(b []byte) (int, error) {
	if w.err != nil {
		return 0, w.err
	}
	n, err := w.to.Write(b)
	w.err = err
	return n, err
}
