// SPDX-License-Identifier: Apache-2.0

package env

import (
	"net/url"
	"strconv"
	"strings"
	"unicode"

	"github.com/fiftyarms/platform/internal/openapi"
)

func readDashboard(c *Config, v string) error {
	if v == "" {
		return &SettingError{Variable: DashboardURL, Problem: "is not set: set it to the dashboard's address, like http://127.0.0.1:5555"}
	}
	u, err := readURL(DashboardURL, v)
	if err != nil {
		return err
	}
	if strings.ContainsAny(v, "?#") {
		return refuse(DashboardURL, v, "it must end with the path: leave the query and the fragment out")
	}
	prefix := strings.TrimRight(u.EscapedPath(), "/")
	if prefix != "" {
		if err := openapi.CheckPath(prefix); err != nil {
			return refuse(DashboardURL, v, err.Error())
		}
	}
	c.Dashboard = u.Scheme + "://" + u.Host + prefix
	return nil
}

func readSlackReply(c *Config, v string) error {
	if v == "" {
		return nil
	}
	u, err := readURL(SlackReplyURL, v)
	if err != nil {
		return err
	}
	if strings.Contains(v, "#") {
		return refuse(SlackReplyURL, v, "it must hold no fragment")
	}
	c.SlackReplyURL = u.String()
	return nil
}

// readURL takes an absolute URL of http or https without user info, and brings its scheme and host to lower case.
func readURL(variable, v string) (*url.URL, error) {
	const want = "an address like http://127.0.0.1:5555 is wanted"
	u, err := url.Parse(v)
	switch {
	case strings.ContainsFunc(v, unicode.IsSpace):
		return nil, refuse(variable, v, "it holds a blank; "+want)
	case err != nil:
		return nil, refuse(variable, v, "it is no URL; "+want)
	case u.Scheme != "http" && u.Scheme != "https":
		return nil, refuse(variable, v, "it does not begin with http:// or https://; "+want)
	case u.User != nil:
		return nil, refuse(variable, v, "a URL with a name or password is not taken")
	case u.Hostname() == "" || u.Opaque != "":
		return nil, refuse(variable, v, "it names no host; "+want)
	}
	if port := u.Port(); port != "" {
		if n, err := strconv.Atoi(port); err != nil || n < 1 || n > 65535 {
			return nil, refuse(variable, v, "its port is not one from 1 to 65535")
		}
	}
	u.Host = strings.ToLower(strings.TrimSuffix(u.Host, ":"))
	return u, nil
}

// hideInURL takes out of what was meant to be a URL what may be secret: user info, and what the query holds.
func hideInURL(v string) string {
	scheme, rest, ok := strings.Cut(v, "://")
	if !ok {
		scheme, rest = "", v
	}
	// A password may hold the very characters that would end it, so everything up to the last @ goes.
	if at := strings.LastIndexByte(rest, '@'); at >= 0 {
		rest = "…" + rest[at:]
	}
	if q := strings.IndexByte(rest, '?'); q >= 0 && q+1 < len(rest) {
		rest = rest[:q+1] + "…"
	}
	if ok {
		scheme += "://"
	}
	return scheme + rest
}
