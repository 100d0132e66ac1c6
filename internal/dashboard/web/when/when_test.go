// SPDX-License-Identifier: Apache-2.0

package when

import (
	"testing"
	"time"
)

func TestWords(t *testing.T) {
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	tests := []struct {
		d    time.Duration
		want string
	}{
		{-time.Second, "just now"},
		{-44 * time.Second, "just now"},
		{-46 * time.Second, "1 minute ago"},
		{-3 * time.Minute, "3 minutes ago"},
		{-59*time.Minute - 20*time.Second, "59 minutes ago"},
		{-59*time.Minute - 40*time.Second, "1 hour ago"},
		{-23 * time.Hour, "23 hours ago"},
		{-24 * time.Hour, "1 day ago"},
		{-60 * time.Hour, "3 days ago"},
		{0, "just now"},
		{30 * time.Second, "in less than a minute"},
		{10 * time.Minute, "in 10 minutes"},
		{90 * time.Minute, "in 2 hours"},
	}
	for _, tt := range tests {
		if got := Words(now, now.Add(tt.d)); got != tt.want {
			t.Errorf("%v: %q, want %q", tt.d, got, tt.want)
		}
	}
}

func TestUTC(t *testing.T) {
	zone := time.FixedZone("east", 3*3600)
	if got, want := UTC(time.Date(2026, 1, 2, 6, 4, 5, 0, zone)), "2 Jan 2026, 03:04:05 UTC"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
