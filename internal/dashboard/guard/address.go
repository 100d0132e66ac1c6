// SPDX-License-Identifier: Apache-2.0

package guard

import (
	"net/http"
	"net/netip"
	"strings"
)

// address is where a call comes from. With n trusted proxies in front, that is what the outermost of them saw: the
// n-th X-Forwarded-For entry from the right, since each proxy adds at the right end and whoever calls may write at the
// left. A call with fewer entries, or with one that is no address, came past the proxies: it is known by its
// connection.
func (g *guard) address(r *http.Request) netip.Addr {
	if g.TrustedProxies > 0 {
		entries := strings.Split(strings.Join(r.Header.Values("X-Forwarded-For"), ","), ",")
		if i := len(entries) - g.TrustedProxies; i >= 0 {
			if a, ok := parseAddress(strings.TrimSpace(entries[i])); ok {
				return a
			}
		}
	}
	a, _ := parseAddress(r.RemoteAddr)
	return a
}

// parseAddress reads an address with or without a port, as connections and proxies write it.
func parseAddress(s string) (netip.Addr, bool) {
	a, err := netip.ParseAddr(s)
	if err != nil {
		ap, err := netip.ParseAddrPort(s)
		if err != nil {
			return netip.Addr{}, false
		}
		a = ap.Addr()
	}
	return a.Unmap().WithZone(""), true
}
