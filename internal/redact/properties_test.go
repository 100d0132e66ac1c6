// SPDX-License-Identifier: Apache-2.0

package redact_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/fiftyarms/platform/internal/redact"
)

// sessions calls each for sessions of some seeds.
func sessions(t *testing.T, each func(t *testing.T, s session)) {
	for seed := range uint64(6) {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			each(t, newSession(t, rand.New(rand.NewPCG(seed, 2)), 120, 3))
		})
	}
}

func TestTheSameTextComesOutTheSame(t *testing.T) {
	sessions(t, func(t *testing.T, s session) {
		want := inLines(t, s.text)
		other, err := redact.New(redact.Options{})
		if err != nil {
			t.Fatal(err)
		}
		var out bytes.Buffer
		if err := other.Lines(t.Context(), &out, strings.NewReader(s.text)); err != nil {
			t.Fatal(err)
		}
		sameLines(t, out.String(), want)
		sameLines(t, inLines(t, s.text), want)
	})
}

func TestNothingIsLeftToTakeOut(t *testing.T) {
	sessions(t, func(t *testing.T, s session) {
		once := inLines(t, s.text)
		sameLines(t, inLines(t, once), once)
		once = inAll(t, s.text)
		sameLines(t, inAll(t, once), once)
	})
}

func TestNoSecretIsLeft(t *testing.T) {
	sessions(t, func(t *testing.T, s session) {
		out, text := inLines(t, s.text), inAll(t, s.text)
		for _, secret := range s.secrets {
			if strings.Contains(out, secret) {
				t.Errorf("%q is left by Lines", secret)
			}
			if strings.Contains(text, secret) {
				t.Errorf("%q is left by Text", secret)
			}
		}
	})
}

func TestStructureStays(t *testing.T) {
	sessions(t, func(t *testing.T, s session) {
		sameStructure(t, s.text, inLines(t, s.text))
	})
}

func TestCleanTextStays(t *testing.T) {
	for seed := range uint64(4) {
		s := newSession(t, rand.New(rand.NewPCG(seed, 3)), 300, 0)
		sameLines(t, inLines(t, s.text), s.text)
		sameLines(t, inAll(t, s.text), s.text)
	}
}

// TestTheCheapLookHidesNothing: what Lines leaves unread it would have left as it is.
func TestTheCheapLookHidesNothing(t *testing.T) {
	sessions(t, func(t *testing.T, s session) {
		sameLines(t, inLines(t, s.text), string(redactor(t, redact.Options{}).LinesFully([]byte(s.text))))
	})
}

// sameLines fails the test at the first line that differs.
func sameLines(t testing.TB, got, want string) {
	t.Helper()
	if got == want {
		return
	}
	g, w := strings.Split(got, "\n"), strings.Split(want, "\n")
	for i := range min(len(g), len(w)) {
		if g[i] != w[i] {
			t.Fatalf("line %d: got\n%s\nwant\n%s", i+1, g[i], w[i])
		}
	}
	t.Fatalf("%d lines, want %d", len(g), len(w))
}

// sameStructure fails the test if lines of JSON hold something else than before, texts and keys apart.
func sameStructure(t testing.TB, before, after string) {
	t.Helper()
	a, b := strings.Split(before, "\n"), strings.Split(after, "\n")
	if len(a) != len(b) {
		t.Fatalf("%d lines, want %d", len(b), len(a))
	}
	for i := range a {
		if !json.Valid([]byte(a[i])) {
			continue
		}
		if got, want := outline(b[i]), outline(a[i]); got != want {
			t.Fatalf("line %d: got\n%s\nwant\n%s\nof %s", i+1, got, want, b[i])
		}
	}
}

// outline is JSON without its texts: what else there is, in order.
func outline(line string) string {
	d := json.NewDecoder(strings.NewReader(line))
	d.UseNumber()
	var b strings.Builder
	for {
		token, err := d.Token()
		if err != nil {
			fmt.Fprint(&b, " ", err)
			return b.String()
		}
		if _, text := token.(string); text {
			token = "text"
		}
		fmt.Fprintf(&b, " %T:%v", token, token)
	}
}
