// SPDX-License-Identifier: Apache-2.0

package guard

import (
	"encoding/binary"
	"net/http"
	"net/netip"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/fiftyarms/platform/gen/dash"
)

func TestLimiter(t *testing.T) {
	now := time.Unix(0, 0)
	l := newLimiter(func() time.Time { return now })
	op := dash.Operation{ID: "a", RateLimit: dash.RateLimit{PerMinute: 6, Burst: 2}}
	at := func(s string) netip.Addr { return netip.MustParseAddr(s) }
	steps := []struct {
		name  string
		op    dash.Operation
		from  netip.Addr
		after time.Duration
		wait  int32 // 0 is allowed
	}{
		{"first", op, at("192.0.2.1"), 0, 0},
		{"second", op, at("192.0.2.1"), 0, 0},
		{"over", op, at("192.0.2.1"), 0, 10},
		{"over, and refusals do not count", op, at("192.0.2.1"), time.Second, 9},
		{"another address", op, at("192.0.2.2"), 0, 0},
		{"another operation", dash.Operation{ID: "b", RateLimit: op.RateLimit}, at("192.0.2.1"), 0, 0},
		{"one is back", op, at("192.0.2.1"), 9 * time.Second, 0},
		{"and spent", op, at("192.0.2.1"), 0, 10},
		{"IPv6, first", op, at("2001:db8::1"), 0, 0},
		{"IPv6, the same /64", op, at("2001:db8::2"), 0, 0},
		{"IPv6, still the same /64", op, at("2001:db8::ffff:1"), 0, 10},
		{"IPv6, the next /64", op, at("2001:db8:0:1::1"), 0, 0},
		{"no address", op, netip.Addr{}, 0, 0},
		{"no address again", op, netip.Addr{}, 0, 0},
		{"no address is one source", op, netip.Addr{}, 0, 10},
		{"not limited", dash.Operation{ID: "c"}, at("192.0.2.1"), 0, 0},
	}
	for _, s := range steps {
		now = now.Add(s.after)
		err := l.take(s.op, s.from)
		refusal, limited := err.(dash.RateLimitedRefusal)
		if limited != (s.wait != 0) || refusal.RetryAfter != s.wait {
			t.Errorf("%s: got %v, want a wait of %d s", s.name, err, s.wait)
		}
	}
}

// A flood from all sides at once leaves no debt: when it is over, the address waits as long as after one call too many.
func TestFloodLeavesNoDebt(t *testing.T) {
	now := time.Unix(0, 0)
	l := newLimiter(func() time.Time { return now })
	op := dash.Operation{ID: "a", RateLimit: dash.RateLimit{PerMinute: 6, Burst: 2}}
	from := netip.MustParseAddr("192.0.2.1")
	var callers sync.WaitGroup
	var allowed atomic.Int64
	for range 64 {
		callers.Go(func() {
			for range 1000 {
				if l.take(op, from) == nil {
					allowed.Add(1)
				}
			}
		})
	}
	callers.Wait()
	if allowed.Load() != 2 {
		t.Errorf("%d calls were let through", allowed.Load())
	}
	if refusal, ok := l.take(op, from).(dash.RateLimitedRefusal); !ok || refusal.RetryAfter != 10 {
		t.Errorf("after the flood: %+v", refusal)
	}
}

// However many addresses call, the limiter stays small, and whoever calls most stays known.
func TestLimiterIsBounded(t *testing.T) {
	now := time.Unix(0, 0)
	l := newLimiter(func() time.Time { return now })
	op := dash.Operation{ID: "a", RateLimit: dash.RateLimit{PerMinute: 1, Burst: 1}}
	busy := netip.MustParseAddr("192.0.2.1")
	for i := range trackedMost + 1000 {
		var b [4]byte
		binary.BigEndian.PutUint32(b[:], uint32(i))
		if err := l.take(op, netip.AddrFrom4(b)); err != nil {
			t.Fatal(err)
		}
		if err := l.take(op, busy); (err == nil) != (i == 0) {
			t.Fatalf("call %d of the busy one: %v", i, err)
		}
	}
	if len(l.buckets) != trackedMost || l.recent.Len() != trackedMost {
		t.Errorf("%d and %d are kept", len(l.buckets), l.recent.Len())
	}
}

func TestLimiterUnderARace(t *testing.T) {
	now := time.Unix(0, 0)
	l := newLimiter(func() time.Time { return now })
	op := dash.Operation{ID: "a", RateLimit: dash.RateLimit{PerMinute: 1, Burst: 5}}
	var served atomic.Int32
	var wg sync.WaitGroup
	for range 50 {
		wg.Go(func() {
			if l.take(op, netip.MustParseAddr("192.0.2.1")) == nil {
				served.Add(1)
			}
		})
	}
	wg.Wait()
	if served.Load() != 5 {
		t.Errorf("%d were served", served.Load())
	}
}

func TestAddress(t *testing.T) {
	tests := []struct {
		name    string
		proxies int
		remote  string
		headers []string
		want    string
	}{
		{"a connection", 0, "192.0.2.1:5000", nil, "192.0.2.1"},
		{"IPv6", 0, "[2001:db8::1]:5000", nil, "2001:db8::1"},
		{"IPv6 with a zone", 0, "[fe80::1%eth0]:5000", nil, "fe80::1"},
		{"IPv4 in IPv6", 0, "[::ffff:192.0.2.1]:5000", nil, "192.0.2.1"},
		{"nobody is believed", 0, "192.0.2.1:5000", []string{"198.51.100.9"}, "192.0.2.1"},
		{"one proxy", 1, "192.0.2.1:5000", []string{"198.51.100.9"}, "198.51.100.9"},
		{"one proxy, and a caller who lies", 1, "192.0.2.1:5000", []string{"203.0.113.66, 198.51.100.9"}, "198.51.100.9"},
		{"one proxy, lies on a line of their own", 1, "192.0.2.1:5000", []string{"203.0.113.66", "198.51.100.9"}, "198.51.100.9"},
		{"two proxies", 2, "192.0.2.1:5000", []string{"203.0.113.66, 198.51.100.9, 192.0.2.2"}, "198.51.100.9"},
		{"two proxies, with ports", 2, "192.0.2.1:5000", []string{"198.51.100.9:4711,192.0.2.2"}, "198.51.100.9"},
		{"past a proxy", 2, "192.0.2.1:5000", []string{"203.0.113.66"}, "192.0.2.1"},
		{"past every proxy", 1, "192.0.2.1:5000", nil, "192.0.2.1"},
		{"no address", 1, "192.0.2.1:5000", []string{"unknown"}, "192.0.2.1"},
		{"no connection", 0, "", nil, "invalid IP"},
	}
	for _, tt := range tests {
		g := &guard{Config: Config{TrustedProxies: tt.proxies}}
		r := &http.Request{RemoteAddr: tt.remote, Header: http.Header{"X-Forwarded-For": tt.headers}}
		if got := g.address(r).String(); got != tt.want {
			t.Errorf("%s: got %s, want %s", tt.name, got, tt.want)
		}
	}
}

func TestSameSecret(t *testing.T) {
	for _, tt := range []struct {
		given, want string
		ok          bool
	}{{"a", "a", true}, {"a", "b", false}, {"", "a", false}, {"a", "", false}, {"", "", false}} {
		if got := sameSecret(tt.given, tt.want); got != tt.ok {
			t.Errorf("%q for %q: %v", tt.given, tt.want, got)
		}
	}
}
