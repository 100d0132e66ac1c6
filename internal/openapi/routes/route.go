// SPDX-License-Identifier: Apache-2.0

// Package routes works on routes as text: it parses and splits them, finds the
// one that a path is for, the nearest ones of a wrong one, and says which paths
// a caller may not call. It knows nothing of documents.
package routes

import (
	"fmt"
	"strings"
)

// Route names an operation: a method in upper case and a path template with
// parameters in braces.
type Route struct {
	Method string
	Path   string
}

// String is "METHOD /path/{id}".
func (r Route) String() string { return r.Method + " " + r.Path }

// Parse reads "METHOD /path". The method's case does not matter; a whole
// segment ":id" is read as "{id}". The error says what a route looks like.
func Parse(s string) (Route, error) {
	method, path, _ := strings.Cut(strings.TrimSpace(s), " ")
	path = strings.TrimSpace(path)
	if !IsToken(method) || !strings.HasPrefix(path, "/") {
		return Route{}, fmt.Errorf("%q is no route: a route is a method and a path, like \"GET /path/{id}\"", s)
	}
	segments := strings.Split(path, "/")
	for i, seg := range segments {
		if name, ok := colonName(seg); ok {
			segments[i] = "{" + name + "}"
		}
	}
	return Route{strings.ToUpper(method), strings.Join(segments, "/")}, nil
}

// Split cuts a comma-joined list of routes apart. A comma inside a
// path stays: only one that is followed by "METHOD /" separates.
func Split(s string) []string {
	var out []string
	start := 0
	for i := 0; i <= len(s); i++ {
		if i < len(s) && s[i] != ',' {
			continue
		}
		if i < len(s) {
			method, path, ok := strings.Cut(strings.TrimSpace(s[i+1:]), " ")
			rest := strings.TrimSpace(s[i+1:])
			if rest != "" && rest[0] != ',' && (!ok || !IsToken(method) || !strings.HasPrefix(strings.TrimSpace(path), "/")) {
				continue
			}
		}
		if entry := strings.TrimSpace(s[start:i]); entry != "" {
			out = append(out, entry)
		}
		start = i + 1
	}
	return out
}

// Nameless is the route with its parameters' names taken out, to compare.
func (r Route) Nameless() string {
	var b strings.Builder
	b.WriteString(r.Method)
	b.WriteByte(' ')
	for _, p := range ParseTemplate(r.Path) {
		if p.Param {
			b.WriteString("{}")
		} else {
			b.WriteString(p.Text)
		}
	}
	return b.String()
}

// Part is a piece of a path template: literal text, or a parameter's name.
type Part struct {
	Text  string
	Param bool
}

// ParseTemplate cuts a template, or one segment of it, at its braces. A brace
// without its partner is literal text.
func ParseTemplate(s string) []Part {
	var parts []Part
	for s != "" {
		open := strings.IndexByte(s, '{')
		if open < 0 {
			break
		}
		length := strings.IndexByte(s[open:], '}')
		if length < 0 {
			break
		}
		if open > 0 {
			parts = append(parts, Part{Text: s[:open]})
		}
		parts = append(parts, Part{Text: s[open+1 : open+length], Param: true})
		s = s[open+length+1:]
	}
	if s != "" {
		parts = append(parts, Part{Text: s})
	}
	return parts
}

// colonName is the name in a segment that is ":name" as a whole.
func colonName(seg string) (string, bool) {
	name, ok := strings.CutPrefix(seg, ":")
	if !ok || name == "" || (name[0] >= '0' && name[0] <= '9') {
		return "", false
	}
	for _, c := range []byte(name) {
		if !isAlnum(c) && c != '_' && c != '-' {
			return "", false
		}
	}
	return name, true
}

// IsToken tells whether s can be an HTTP method.
func IsToken(s string) bool {
	for _, c := range []byte(s) {
		if !isAlnum(c) && c != '-' && c != '_' {
			return false
		}
	}
	return s != ""
}

func isAlnum(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9'
}
