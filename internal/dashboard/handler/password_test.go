// SPDX-License-Identifier: Apache-2.0

package handler

import (
	"context"
	"crypto/rand"
	"errors"
	"regexp"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/fiftyarms/platform/gen/dash"
)

func TestPassword(t *testing.T) {
	p := newPasswords(rand.Reader)
	secret := rand.Text()
	hash, err := p.hash(t.Context(), secret)
	if err != nil {
		t.Fatal(err)
	}
	if !regexp.MustCompile(`^\$argon2id\$v=19\$m=19456,t=2,p=1\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$`).MatchString(hash) {
		t.Errorf("hash %s", hash)
	}
	if again, _ := p.hash(t.Context(), secret); again == hash {
		t.Error("two hashes share their salt")
	}
	for given, want := range map[string]bool{secret: true, secret + "x": false, "": false} {
		if got, err := p.matches(t.Context(), hash, given); err != nil || got != want {
			t.Errorf("matches: got %v, %v", got, err)
		}
	}
}

// A hash that cost less, from an older build, still holds.
func TestPasswordOfOtherCost(t *testing.T) {
	p := newPasswords(rand.Reader)
	h := phc{kib: 64, passes: 1, lanes: 2, salt: []byte("some salt"), sum: make([]byte, 16)}
	var err error
	if h.sum, err = p.sum(t.Context(), h, "old"); err != nil {
		t.Fatal(err)
	}
	if ok, err := p.matches(t.Context(), h.String(), "old"); !ok || err != nil {
		t.Errorf("got %v, %v", ok, err)
	}
}

func TestBrokenHashes(t *testing.T) {
	p := newPasswords(rand.Reader)
	for _, hash := range []string{
		"", "secret", "$argon2i$v=19$m=64,t=1,p=1$c29tZSBzYWx0$AAAAAAAAAAAAAAAAAAAAAA",
		"$argon2id$v=19$m=64,t=1,p=1$c29tZSBzYWx0", "$argon2id$v=19$m=64,t=1,p=1$c29tZSBzYWx0$!",
		"$argon2id$v=19$m=99999999,t=1,p=1$c29tZSBzYWx0$AAAAAAAAAAAAAAAAAAAAAA",
		"$argon2id$v=19$m=64,t=0,p=1$c29tZSBzYWx0$AAAAAAAAAAAAAAAAAAAAAA",
		"$argon2id$v=19$m=64,t=1,p=1$c29tZSBzYWx0$AAAA",
	} {
		ok, err := p.matches(t.Context(), hash, "x")
		if ok || err == nil {
			t.Errorf("%q: got %v, %v", hash, ok, err)
		} else if len(hash) > 10 && strings.Contains(err.Error(), "AAAA") {
			t.Errorf("the error tells the hash: %v", err)
		}
	}
}

// Hashes wait for their turn, and whoever hangs up stops waiting.
func TestPasswordsTakeTurns(t *testing.T) {
	p := newPasswords(rand.Reader)
	for range runtime.GOMAXPROCS(0) {
		p.turns <- struct{}{}
	}
	ctx, cancel := context.WithCancel(t.Context())
	var wg sync.WaitGroup
	wg.Go(func() {
		if err := p.decoy(ctx, "x"); !errors.Is(err, context.Canceled) {
			t.Errorf("got %v", err)
		}
	})
	cancel()
	wg.Wait()
	<-p.turns
	if err := p.decoy(t.Context(), "x"); err != nil {
		t.Error(err)
	}
}

// Whoever comes when the queue is full is told to come back, instead of waiting for as long as it takes.
func TestTooManySignInsAreShed(t *testing.T) {
	p := newPasswords(rand.Reader)
	for range cap(p.turns) {
		p.turns <- struct{}{} // nobody gets a turn
	}
	for range cap(p.places) {
		p.places <- struct{}{}
	}
	err := p.decoy(t.Context(), "a guess")
	var refusal dash.RateLimitedRefusal
	if !errors.As(err, &refusal) || refusal.RetryAfter < 1 {
		t.Errorf("got %v", err)
	}
}
