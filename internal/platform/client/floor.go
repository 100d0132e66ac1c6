// SPDX-License-Identifier: Apache-2.0

package client

import (
	"cmp"
	"fmt"
	"net/http"
	"strings"
)

// floorHeader names the oldest platform-mcp that a dashboard still serves.
const floorHeader = "X-Mcp-Min-Version"

// Outdated says that the dashboard no longer serves this build.
type Outdated struct {
	Dashboard string
	Have      string // this build's version
	Want      string // the oldest that is served
}

func (e *Outdated) Error() string {
	return fmt.Sprintf("platform-mcp %s is too old for the dashboard at %s, which serves %s and newer. No tool answers until platform-mcp is updated: tell the person to update it, and to start this session again then.",
		e.Have, e.Dashboard, e.Want)
}

// checkFloor stops the client when an answer asks for a newer build. Of several versions the highest counts; what is no
// version asks for nothing.
func (c *Client) checkFloor(h http.Header) error {
	highest := c.version
	for text := range strings.SplitSeq(strings.Join(h.Values(floorHeader), ","), ",") {
		if floor, ok := parseFloor(c.known.Hide(text)); ok && highest.compare(floor) < 0 {
			highest = floor
		}
	}
	if c.version.compare(highest) < 0 {
		c.halt.CompareAndSwap(nil, &Outdated{Dashboard: c.Dashboard(), Have: c.version.text, Want: highest.text})
	}
	return c.Halted()
}

// parseFloor reads a version as people write it, too: quoted, with a v before it, without a patch or minor number.
func parseFloor(text string) (version, bool) {
	text = strings.Trim(text, "\" \t")
	text = strings.TrimPrefix(strings.TrimPrefix(text, "v"), "V")
	end := strings.IndexAny(text, "-+")
	if end < 0 {
		end = len(text)
	}
	core := text[:end] + strings.Repeat(".0", max(0, 2-strings.Count(text[:end], ".")))
	return parseVersion(core + text[end:])
}

// version is a semantic version.
type version struct {
	text string
	core [3]string // decimal, without leading zeros
	pre  []string  // identifiers before a release; nil is the release
}

// parseVersion reads major.minor.patch with what semantic versioning lets follow it.
func parseVersion(s string) (version, bool) {
	v := version{text: s}
	rest, build, built := strings.Cut(s, "+")
	core, pre, early := strings.Cut(rest, "-")
	if built && !identifiers(strings.Split(build, "."), false) {
		return v, false
	}
	if early {
		if v.pre = strings.Split(pre, "."); !identifiers(v.pre, true) {
			return v, false
		}
	}
	parts := strings.Split(core, ".")
	if len(parts) != 3 || len(s) > 100 {
		return v, false
	}
	for i, p := range parts {
		if !numeric(p) || len(p) > 1 && p[0] == '0' {
			return v, false
		}
		v.core[i] = p
	}
	return v, true
}

func identifiers(ids []string, ordered bool) bool {
	for _, id := range ids {
		odd := strings.ContainsFunc(id, func(r rune) bool {
			return r != '-' && (r < '0' || r > '9') && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z')
		})
		if id == "" || odd || ordered && numeric(id) && len(id) > 1 && id[0] == '0' {
			return false
		}
	}
	return true
}

func numeric(s string) bool {
	return s != "" && strings.Trim(s, "0123456789") == ""
}

// compare is below 0 when v comes before w, as semantic versioning orders them.
func (v version) compare(w version) int {
	for i := range v.core {
		if c := compareNumbers(v.core[i], w.core[i]); c != 0 {
			return c
		}
	}
	if v.pre == nil || w.pre == nil {
		return cmp.Compare(btoi(v.pre == nil), btoi(w.pre == nil))
	}
	for i := range min(len(v.pre), len(w.pre)) {
		if c := compareIdentifiers(v.pre[i], w.pre[i]); c != 0 {
			return c
		}
	}
	return cmp.Compare(len(v.pre), len(w.pre))
}

// compareNumbers compares decimals of any length without leading zeros.
func compareNumbers(a, b string) int {
	return cmp.Or(cmp.Compare(len(a), len(b)), strings.Compare(a, b))
}

func compareIdentifiers(a, b string) int {
	switch an, bn := numeric(a), numeric(b); {
	case an && bn:
		return compareNumbers(a, b)
	case an != bn:
		return cmp.Compare(btoi(bn), btoi(an)) // numbers come before words
	}
	return strings.Compare(a, b)
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}
