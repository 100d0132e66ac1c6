// SPDX-License-Identifier: Apache-2.0

package ask

import (
	"cmp"
	"context"
	"time"
)

const (
	minPoll = 500 * time.Millisecond // a server that asks for less is not obeyed
	maxPoll = 30 * time.Second       // also while the dashboard does not answer
)

// Poll asks again and again what a person has decided.
type Poll struct {
	PollMs int32     // milliseconds between claims, as the dashboard wants it; held to 0.5 s to 30 s
	Until  time.Time // the request lapses then
	Now    func() time.Time
	After  func(time.Duration) <-chan time.Time
}

// Run claims until there is a decision, the request lapses, or ctx is done; it tells whether it lapsed. What is no
// decision is ridden out: a person may decide as long as the request lives. claim tells whether there is one; else how
// long to wait before the next, 0 for the usual time; an error doubles it.
func (p Poll) Run(ctx context.Context, claim func() (decided bool, wait time.Duration, err error)) (lapsed bool) {
	interval := min(max(time.Duration(p.PollMs)*time.Millisecond, minPoll), maxPoll)
	for wait := interval; ; {
		left := p.Until.Sub(p.Now())
		last := left <= wait
		select {
		case <-ctx.Done():
		case <-p.After(min(wait, max(left, 0))):
		}
		if ctx.Err() != nil {
			return false
		}
		decided, pause, err := claim()
		switch {
		case decided:
			return false
		case err != nil:
			wait = min(2*wait, maxPoll)
		default:
			wait = cmp.Or(pause, interval)
		}
		if last || !p.Now().Before(p.Until) {
			return true
		}
	}
}
