// SPDX-License-Identifier: Apache-2.0

package redact_test

import (
	"io"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/fiftyarms/platform/internal/redact"
)

// BenchmarkLines is over text like that of sessions: a credential on no line, on one in a thousand, on one in ten.
func BenchmarkLines(b *testing.B) {
	for _, c := range []struct {
		name  string
		every int
	}{{"clean", 0}, {"rare", 1000}, {"dense", 10}} {
		b.Run(c.name, func(b *testing.B) {
			s := newSession(b, rand.New(rand.NewPCG(1, 7)), 5000, c.every)
			r := redactor(b, redact.Options{})
			b.SetBytes(int64(len(s.text)))
			b.ReportAllocs()
			for b.Loop() {
				if err := r.Lines(b.Context(), io.Discard, strings.NewReader(s.text)); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkNew is what each start costs.
func BenchmarkNew(b *testing.B) {
	for b.Loop() {
		if _, err := redact.New(redact.Options{}); err != nil {
			b.Fatal(err)
		}
	}
}
