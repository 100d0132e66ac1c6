// SPDX-License-Identifier: Apache-2.0

package transcript

import (
	"math/rand/v2"
	"testing"
)

// TestNumbers: they are what a map would be, also where hashes are alike.
func TestNumbers(t *testing.T) {
	for name, hash := range map[string]func(r *rand.Rand) uint64{
		"any":   func(r *rand.Rand) uint64 { return r.Uint64()>>uint(r.IntN(3))%5000<<51 | r.Uint64N(7) | 1 },
		"alike": func(r *rand.Rand) uint64 { return r.Uint64N(3000) + 1 },
		"last":  func(r *rand.Rand) uint64 { return -r.Uint64N(3000) - 1 },
	} {
		r := rand.New(rand.NewPCG(1, 2))
		var got Numbers
		want := map[uint64]int32{}
		for range 20000 {
			h, n := hash(r), r.Int32()
			was, known := want[h]
			if g, ok := got.Get(h); g != was || ok != known {
				t.Fatalf("%s: %x is %d, %v, want %d, %v", name, h, g, ok, was, known)
			}
			if at, isNew := got.At(h); *at != was || isNew == known {
				t.Fatalf("%s: at %x stands %d, new %v", name, h, *at, isNew)
			}
			got.Set(h, n)
			want[h] = n
		}
		for h, n := range want {
			if g, ok := got.Get(h); g != n || !ok {
				t.Fatalf("%s: %x is %d, %v, want %d", name, h, g, ok, n)
			}
		}
	}
	if _, ok := new(Numbers).Get(0); ok {
		t.Error("no hash has a number")
	}
}
