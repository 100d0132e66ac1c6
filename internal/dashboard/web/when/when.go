// SPDX-License-Identifier: Apache-2.0

// Package when says how far a moment is from now, the way people say it. Pages hold no script that could know the
// reader's time zone, so the distance comes first and the moment in UTC beside it.
package when

import (
	"fmt"
	"time"
)

// Words is the distance from now to t: "just now", "3 minutes ago", "in 7 minutes".
func Words(now, t time.Time) string {
	d := t.Sub(now)
	switch {
	case d > 0:
		return "in " + span(d)
	case d > -45*time.Second:
		return "just now"
	}
	return span(-d) + " ago"
}

// UTC is t to the second, for reading.
func UTC(t time.Time) string { return t.UTC().Format("2 Jan 2006, 15:04:05 UTC") }

func span(d time.Duration) string {
	switch {
	case d < 45*time.Second:
		return "less than a minute"
	case d < time.Hour-30*time.Second:
		return count(d, time.Minute, "minute")
	case d < 24*time.Hour-30*time.Minute:
		return count(d, time.Hour, "hour")
	}
	return count(d, 24*time.Hour, "day")
}

func count(d, unit time.Duration, name string) string {
	n := max(1, int((d+unit/2)/unit))
	if n == 1 {
		return "1 " + name
	}
	return fmt.Sprintf("%d %ss", n, name)
}
