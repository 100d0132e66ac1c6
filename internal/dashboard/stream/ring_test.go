// SPDX-License-Identifier: Apache-2.0

package stream

import "testing"

// A ring is bounded in entries and in bytes, and knows where it begins.
func TestRing(t *testing.T) {
	r := ring{bounds: bounds{frames: 100, bytes: 5000}, from: 10, at: 10}
	add := func(bytes int) { r.add([]entry{{number: r.at + 1, frame: make([]byte, bytes)}}) }
	for range 200 {
		add(10)
	}
	if len(r.entries) != 100 || r.from != 110 || r.at != 210 || r.bytes != 1000 {
		t.Errorf("%d entries from %d to %d, %d bytes", len(r.entries), r.from, r.at, r.bytes)
	}
	if got := r.after(r.at - 3); len(got) != 3 || got[0].number != r.at-2 {
		t.Errorf("the last three are %v", got)
	}
	if add(5000); len(r.entries) != 1 || r.from != r.at-1 {
		t.Errorf("%d entries from %d to %d", len(r.entries), r.from, r.at)
	}
	if add(5001); len(r.entries) != 0 || r.from != r.at || r.bytes != 0 {
		t.Errorf("%d entries from %d to %d, %d bytes", len(r.entries), r.from, r.at, r.bytes)
	}
}
