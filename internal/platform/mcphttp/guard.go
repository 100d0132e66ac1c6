// SPDX-License-Identifier: Apache-2.0

package mcphttp

import (
	"crypto/sha256"
	"crypto/subtle"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
)

// guard refuses who may not call, before anything else of a request is looked at.
type guard struct {
	ip      netip.Addr // that is listened on
	names   []string   // in lower case
	origins []string
	token   [sha256.Size]byte
	maxBody int64
}

func newGuard(addr net.Addr, o Options) (*guard, error) {
	at, err := netip.ParseAddrPort(addr.String())
	if err != nil {
		return nil, fmt.Errorf("address %s that is listened on: %w", addr, err)
	}
	g := &guard{ip: at.Addr().Unmap().WithZone(""), token: sha256.Sum256([]byte(o.Token.Reveal())), maxBody: o.MaxBody}
	for _, name := range o.Names {
		g.names = append(g.names, strings.ToLower(name))
	}
	for _, origin := range o.Origins {
		canonical, err := ParseOrigin(origin)
		if err != nil {
			return nil, err
		}
		g.origins = append(g.origins, canonical)
	}
	return g, nil
}

// ParseOrigin reads an origin as a browser sends it: scheme and host, with a port where it is not the scheme's own.
func ParseOrigin(text string) (string, error) {
	u, err := url.Parse(text)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" || strings.TrimSuffix(u.Path, "/") != "" || u.User != nil || strings.ContainsAny(text, "?#") {
		return "", fmt.Errorf("%q is no origin: one is like https://app.example or http://localhost:6274", text)
	}
	host := strings.ToLower(u.Host)
	host = strings.TrimSuffix(host, map[string]string{"http": ":80", "https": ":443"}[u.Scheme])
	return u.Scheme + "://" + host, nil
}

// before lets those requests through to next that may be looked at.
func (g *guard) before(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		origin := r.Header.Get("Origin")
		allowed := slices.Contains(g.origins, origin)
		if allowed {
			share(w.Header(), origin)
		}
		switch {
		case !g.named(r.Host):
			refuse(w, http.StatusForbidden, codeInvalid, "the Host header does not name this server's address")
		case len(r.Header.Values("Origin")) > 1 || origin != "" && !allowed && !sameHost(origin, r.Host):
			refuse(w, http.StatusForbidden, codeInvalid, "pages of this origin may not call: allow it with --allow-origin")
		case allowed && r.Method == http.MethodOptions && r.Header.Get("Access-Control-Request-Method") != "":
			w.WriteHeader(http.StatusNoContent) // a browser asks before it sends the token
		case !g.bears(r.Header.Values("Authorization")):
			w.Header().Set("WWW-Authenticate", `Bearer realm="platform-mcp"`)
			refuse(w, http.StatusUnauthorized, codeInvalid, "a bearer token is needed: the one in DANXBOT_HTTP_TOKEN, or in the file that the server named at its start")
		case r.ContentLength > g.maxBody:
			tooLarge(w, g.maxBody)
		default:
			next.ServeHTTP(w, r)
		}
	})
}

// named tells whether a Host header names the address. Its port does not matter: what is forwarded has another one.
func (g *guard) named(host string) bool {
	name := host
	if h, _, err := net.SplitHostPort(host); err == nil {
		name = h
	}
	name = strings.ToLower(name)
	if slices.Contains(g.names, name) {
		return true
	}
	if name == "localhost" {
		return g.ip.IsLoopback() || g.ip.IsUnspecified()
	}
	ip, err := netip.ParseAddr(strings.TrimSuffix(strings.TrimPrefix(name, "["), "]"))
	if err != nil || ip.Zone() != "" {
		return false
	}
	ip = ip.Unmap()
	// Nobody can make an address lead elsewhere, as a name can.
	return g.ip.IsUnspecified() || g.ip == ip || g.ip.IsLoopback() && ip.IsLoopback()
}

// sameHost tells whether a page came from the host and port that it calls. A server of plain HTTP has pages of no other
// scheme, unless something in front of it ends TLS.
func sameHost(origin, host string) bool {
	canonical, err := ParseOrigin(origin)
	if err != nil {
		return false
	}
	scheme, _, _ := strings.Cut(canonical, "://")
	own, err := ParseOrigin(scheme + "://" + host)
	return err == nil && own == canonical
}

// share lets a page of another origin read answers.
func share(h http.Header, origin string) {
	h.Set("Access-Control-Allow-Origin", origin)
	h.Add("Vary", "Origin")
	h.Set("Access-Control-Allow-Methods", "POST, GET, DELETE")
	h.Set("Access-Control-Allow-Headers", "Authorization, Content-Type, Accept, "+headerSession+", "+headerVersion)
	h.Set("Access-Control-Expose-Headers", headerSession)
}

// bears tells whether a request carries the token. Sums are compared, so that the time tells nothing, not even a length.
func (g *guard) bears(headers []string) bool {
	if len(headers) != 1 {
		return false
	}
	scheme, token, _ := strings.Cut(headers[0], " ")
	sum := sha256.Sum256([]byte(strings.TrimLeft(token, " ")))
	return strings.EqualFold(scheme, "Bearer") && subtle.ConstantTimeCompare(sum[:], g.token[:]) == 1
}
