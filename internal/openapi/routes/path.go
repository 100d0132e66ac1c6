// SPDX-License-Identifier: Apache-2.0

package routes

import (
	"fmt"
	"net/url"
	"strconv"
	"strings"
)

// PathErrorKind says which rule a call's path breaks.
type PathErrorKind string

// The rules of [CheckPath].
const (
	PathEmpty        PathErrorKind = "empty"
	PathScheme       PathErrorKind = "scheme"
	PathRelative     PathErrorKind = "relative"
	PathHost         PathErrorKind = "host"
	PathQuery        PathErrorKind = "query"
	PathFragment     PathErrorKind = "fragment"
	PathBackslash    PathErrorKind = "backslash"
	PathControl      PathErrorKind = "control"
	PathEscape       PathErrorKind = "escape"
	PathEncodedSlash PathErrorKind = "encoded_slash"
	PathDotSegment   PathErrorKind = "dot_segment"
	PathEmptySegment PathErrorKind = "empty_segment"
	PathUnfilled     PathErrorKind = "unfilled"
)

// pathMessages tell a person what is wrong and what to do.
var pathMessages = map[PathErrorKind]string{
	PathEmpty:        "path is empty: give the path of a route, like \"/path/5\"",
	PathScheme:       "path must not hold a scheme or host: give only what follows the host, like \"/path/5\"",
	PathRelative:     "path must begin with \"/\"",
	PathHost:         "path must not begin with \"//\", which names a host: begin with one \"/\"",
	PathQuery:        "path must not hold a query (\"?…\"): give it as query",
	PathFragment:     "path must not hold a fragment (\"#…\"): leave it out, or write \"%23\" where # belongs to a value",
	PathBackslash:    "path must not hold a backslash: separate segments with \"/\"",
	PathControl:      "path must not hold a control character: leave it out",
	PathEscape:       "path holds a \"%\" that begins no escape: write \"%25\" for a percent sign",
	PathEncodedSlash: "path must not hold an encoded slash or backslash: this route cannot take a value with one",
	PathDotSegment:   "path must not hold \".\" or \"..\" as a segment, nor encoded: write the whole path",
	PathEmptySegment: "path holds an empty segment (\"//\"): fill in the value or remove one \"/\"",
	PathUnfilled:     "path parameter %q is not filled in: put its value there",
}

// PathError refuses a call's path.
type PathError struct {
	Kind  PathErrorKind
	Param string // of PathUnfilled: the parameter's name
}

func (e *PathError) Error() string {
	if e.Kind == PathUnfilled {
		return fmt.Sprintf(pathMessages[e.Kind], e.Param)
	}
	return pathMessages[e.Kind]
}

// CheckPath refuses a call's path that could reach anything but the path it
// shows: one with a scheme, host, query, fragment, backslash, control
// character, dot segment (also percent-encoded, however often), encoded slash
// or empty inner segment, and one with a parameter that is not filled in. A
// trailing slash is fine. The error is a [*PathError].
//
// A segment counts as not filled in when it holds "{name}" or is ":name" as a
// whole. Inside a segment a colon is text ("/apis/x:cancel"). A value that
// begins with a colon is written "%3Aname".
func CheckPath(path string) error { return checkPath(path, nil) }

// CheckPathWith is [CheckPath], except that a segment ":name" in literal is
// text.
func CheckPathWith(path string, literal map[string]bool) error { return checkPath(path, literal) }

func checkPath(path string, literal map[string]bool) error {
	if path == "" {
		return &PathError{Kind: PathEmpty}
	}
	if hasControl(path) {
		return &PathError{Kind: PathControl}
	}
	if strings.ContainsRune(path, '\\') {
		return &PathError{Kind: PathBackslash}
	}
	if path[0] != '/' {
		if scheme, _, ok := strings.Cut(path, ":"); ok && IsToken(strings.NewReplacer("+", "", ".", "").Replace(scheme)) {
			return &PathError{Kind: PathScheme}
		}
		return &PathError{Kind: PathRelative}
	}
	if strings.HasPrefix(path, "//") {
		return &PathError{Kind: PathHost}
	}
	if i := strings.IndexAny(path, "?#"); i >= 0 {
		if path[i] == '?' {
			return &PathError{Kind: PathQuery}
		}
		return &PathError{Kind: PathFragment}
	}
	segments := strings.Split(path[1:], "/")
	for i, seg := range segments {
		if seg == "" && i < len(segments)-1 {
			return &PathError{Kind: PathEmptySegment}
		}
		if err := checkSegment(seg, literal); err != nil {
			return err
		}
	}
	return nil
}

func checkSegment(seg string, literal map[string]bool) error {
	text, err := url.PathUnescape(seg)
	if err != nil {
		return &PathError{Kind: PathEscape}
	}
	// Servers and proxies that decode once more must not see another path.
	for decoded := text; ; {
		switch {
		case hasControl(decoded):
			return &PathError{Kind: PathControl}
		case strings.ContainsAny(decoded, `/\`):
			return &PathError{Kind: PathEncodedSlash}
		case isDots(decoded):
			return &PathError{Kind: PathDotSegment}
		}
		next := decodeCarelessly(decoded)
		if next == decoded {
			break
		}
		decoded = next
	}
	if name, ok := colonName(seg); ok && !literal[seg] {
		return &PathError{Kind: PathUnfilled, Param: name}
	}
	for _, p := range ParseTemplate(text) {
		if p.Param {
			return &PathError{Kind: PathUnfilled, Param: p.Text}
		}
	}
	return nil
}

// isDots tells a dot segment, also with parameters behind it ("..;x"), which
// some servers cut off before they walk the path.
func isDots(seg string) bool {
	seg, _, _ = strings.Cut(seg, ";")
	return seg == "." || seg == ".."
}

func hasControl(s string) bool {
	return strings.ContainsFunc(s, func(r rune) bool { return r < 0x20 || r >= 0x7f && r < 0xa0 })
}

// decodeCarelessly decodes what escapes there are and lets a lone "%" stand, as
// some servers do.
func decodeCarelessly(s string) string {
	if strings.IndexByte(s, '%') < 0 {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '%' && i+2 < len(s) {
			if c, err := strconv.ParseUint(s[i+1:i+3], 16, 8); err == nil {
				b.WriteByte(byte(c))
				i += 2
				continue
			}
		}
		b.WriteByte(s[i])
	}
	return b.String()
}
