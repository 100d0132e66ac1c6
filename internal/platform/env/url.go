// SPDX-License-Identifier: Apache-2.0

package env

import (
	"net/netip"
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
	case !isHost(u):
		return nil, refuse(variable, v, "what stands for its host can be none; "+want)
	}
	if port := u.Port(); port != "" {
		if n, err := strconv.Atoi(port); err != nil || n < 1 || n > 65535 {
			return nil, refuse(variable, v, "its port is not one from 1 to 65535")
		}
	}
	u.Host = strings.ToLower(strings.TrimSuffix(u.Host, ":"))
	return u, nil
}

// isHost tells whether a URL's host can be one: an IP address without a zone, or labels joined by dots.
func isHost(u *url.URL) bool {
	host := u.Hostname()
	if strings.HasPrefix(u.Host, "[") {
		ip, err := netip.ParseAddr(host)
		return err == nil && ip.Is6() && ip.Zone() == ""
	}
	for label := range strings.SplitSeq(strings.TrimSuffix(host, "."), ".") {
		if label == "" || strings.ContainsFunc(label, func(r rune) bool { return r != '-' && r != '_' && !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
			return false
		}
	}
	return len(host) <= 253
}

// shownURL is what a message may show of a value that was meant to be a URL: scheme and host. All else may be secret,
// and so may the whole when it cannot be told apart; that is "".
func shownURL(v string) string {
	u, err := url.Parse(v)
	if err != nil || u.Scheme == "" || u.Host == "" || !isHost(u) {
		return ""
	}
	return u.Scheme + "://" + u.Host
}
