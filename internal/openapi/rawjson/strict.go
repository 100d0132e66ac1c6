// SPDX-License-Identifier: Apache-2.0

package rawjson

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// MaxDepth bounds the nesting of a strict value, in levels.
const MaxDepth = 200

// Fault says why text is refused.
type Fault struct {
	Pointer string // JSON pointer of the place, where it is known
	Message string // what is wrong with that place, without any of its text: "is given twice"
}

// Decode reads exactly one JSON value and refuses everything that two readers
// could understand differently (duplicate keys, invalid UTF-8, text after the
// value) or that costs more than it is worth (over 200 levels, numbers that
// take minutes to compute with). Numbers stay text (json.Number).
func Decode(raw []byte) (any, *Fault) {
	refuse := func(path, message string) (any, *Fault) { return nil, &Fault{path, message} }
	if !utf8.Valid(raw) {
		return refuse("", "must be valid UTF-8")
	}
	if message := scanLimits(raw); message != "" {
		return refuse("", message)
	}
	dec := jsontext.NewDecoder(bytes.NewBuffer(raw))
	if err := dec.SkipValue(); err != nil {
		syn, ok := errors.AsType[*jsontext.SyntacticError](err)
		switch {
		case errors.Is(err, io.EOF):
			return refuse("", "must not be empty")
		case errors.Is(err, io.ErrUnexpectedEOF):
			return refuse("", "is not valid JSON: it ends too early")
		case ok && errors.Is(err, jsontext.ErrDuplicateName):
			return refuse(string(syn.JSONPointer), "is given twice")
		case ok:
			return refuse("", fmt.Sprintf("is not valid JSON at byte %d", syn.ByteOffset))
		}
		return refuse("", "is not valid JSON")
	}
	end := dec.InputOffset()
	if _, err := dec.ReadToken(); !errors.Is(err, io.EOF) {
		return refuse("", fmt.Sprintf("must be one JSON value: more text follows at byte %d", end))
	}
	return Source(raw).Any(Source(raw).At(0)), nil
}

// scanLimits finds what is too deep or too large to compute with. It sees
// tokens only; the syntax is checked later.
func scanLimits(raw Source) string {
	depth := 0
	for i := 0; i < len(raw); i++ {
		switch c := raw[i]; {
		case c == '"':
			i = raw.stringEnd(i) - 1
		case c == '{' || c == '[':
			if depth++; depth > MaxDepth {
				return fmt.Sprintf("must not be nested deeper than %d levels", MaxDepth)
			}
		case c == '}' || c == ']':
			depth--
		case c == '-' || c >= '0' && c <= '9':
			end := raw.valueEnd(i)
			if !SaneNumber(string(raw[i:end])) {
				return fmt.Sprintf("holds a number that is too large, at byte %d", i)
			}
			i = end - 1
		}
	}
	return ""
}

// SaneNumber refuses numbers that would take minutes to compute with.
func SaneNumber(s string) bool {
	digits, exponent, ok := strings.Cut(strings.ToLower(s), "e")
	if ok {
		if n, err := strconv.Atoi(exponent); err != nil || n > 1000 || n < -1000 {
			return false
		}
	}
	return len(digits) <= 1000
}
