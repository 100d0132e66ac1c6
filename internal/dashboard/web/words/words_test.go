// SPDX-License-Identifier: Apache-2.0

package words_test

import (
	"math"
	"strconv"
	"testing"

	"github.com/fiftyarms/platform/internal/dashboard/web/words"
)

// TestPriorityIsShortAndExact: a form sends back what it shows, and that must not change the card.
func TestPriorityIsShortAndExact(t *testing.T) {
	for p, want := range map[float64]string{
		3: "3", 4.5: "4.5", 0.25: "0.25", 5e-324: "5e-324", math.Nextafter(6, 0): "5.999999999999999", 2.2250738585072014e-308: "2.2250738585072014e-308",
	} {
		got := words.Priority(p)
		if got != want {
			t.Errorf("%g is shown as %q, want %q", p, got, want)
		}
		if back, err := strconv.ParseFloat(got, 64); err != nil || back != p {
			t.Errorf("%q comes back as %g, %v", got, back, err)
		}
	}
}
