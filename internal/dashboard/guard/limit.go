// SPDX-License-Identifier: Apache-2.0

package guard

import (
	"container/list"
	"math"
	"net/netip"
	"sync"
	"time"

	"golang.org/x/time/rate"

	"github.com/fiftyarms/platform/gen/dash"
)

// trackedMost bounds how many pairs of operation and address a limiter remembers, about 20 MB of them. Past it, the
// one that called longest ago starts anew.
const trackedMost = 50_000

// A limiter holds each address to the rate of each public operation, in this process.
type limiter struct {
	now func() time.Time

	mu      sync.Mutex
	buckets map[source]*list.Element
	recent  *list.List // of *bucket, the last one used first
}

type source struct {
	operation string
	network   netip.Prefix
}

type bucket struct {
	source source
	*rate.Limiter
}

func newLimiter(now func() time.Time) *limiter {
	return &limiter{now: now, buckets: map[source]*list.Element{}, recent: list.New()}
}

// take counts a call. It refuses one that is over the operation's rate and says when to come back.
func (l *limiter) take(op dash.Operation, from netip.Addr) error {
	if op.RateLimit == (dash.RateLimit{}) {
		return nil
	}
	now := l.now()
	b := l.bucket(source{op.ID, network(from)}, op.RateLimit)
	if b.AllowN(now, 1) { // a call that is refused does not count: a flood would lock its address out long after
		return nil
	}
	missing := max(0, 1-b.TokensAt(now))
	return dash.RateLimitedRefusal{
		Message:    "too many calls from this address",
		RetryAfter: int32(max(1, math.Ceil(missing/float64(b.Limit())))),
	}
}

func (l *limiter) bucket(s source, limit dash.RateLimit) *bucket {
	l.mu.Lock()
	defer l.mu.Unlock()
	if e, ok := l.buckets[s]; ok {
		l.recent.MoveToFront(e)
		return e.Value.(*bucket)
	}
	if l.recent.Len() >= trackedMost {
		oldest := l.recent.Remove(l.recent.Back()).(*bucket)
		delete(l.buckets, oldest.source)
	}
	b := &bucket{s, rate.NewLimiter(rate.Limit(float64(limit.PerMinute)/60), limit.Burst)}
	l.buckets[s] = l.recent.PushFront(b)
	return b
}

// network is what counts as one address: of IPv6 the /64 that a subscriber is given whole.
func network(a netip.Addr) netip.Prefix {
	bits := a.BitLen()
	if a.Is6() {
		bits = 64
	}
	p, _ := a.Prefix(bits) // the zero address has the zero prefix
	return p
}
