// SPDX-License-Identifier: Apache-2.0

package doctor

import (
	"fmt"
	"io"
	"strings"

	"github.com/fiftyarms/platform/gen/dash"
)

// Print writes a report for people.
func Print(w io.Writer, r dash.DoctorReport) error {
	var b strings.Builder
	fmt.Fprintf(&b, "platform-mcp %s, which knows the contract %s\n\nSettings\n", r.Version, r.Contract)
	for _, s := range r.Settings {
		value := "not set"
		switch {
		case s.Value != nil && s.Set:
			value = *s.Value
		case s.Value != nil:
			value = *s.Value + " (not set)"
		case s.Set:
			value = "set, and not shown"
		}
		fmt.Fprintf(&b, "  %-26s %s\n", s.Name, value)
	}
	b.WriteString("\nChecks\n")
	for _, c := range r.Checks {
		fmt.Fprintf(&b, "  %-5s %-12s %s\n", c.Level, c.Name, c.Detail)
		if c.Fix != nil {
			fmt.Fprintf(&b, "  %-5s %-12s -> %s\n", "", "", *c.Fix)
		}
	}
	shown := strings.Join(r.Tools.Shown, ", ")
	if shown == "" {
		shown = "none: no session starts with these settings"
	}
	fmt.Fprintf(&b, "\nTools shown\n  %s\n", shown)
	if len(r.Tools.Hidden) > 0 {
		b.WriteString("\nTools hidden\n")
	}
	for _, t := range r.Tools.Hidden {
		fmt.Fprintf(&b, "  %s: needs %s\n", t.Name, strings.Join(t.Needs, ", "))
	}
	_, err := io.WriteString(w, b.String())
	return err
}
