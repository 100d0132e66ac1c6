// SPDX-License-Identifier: Apache-2.0

package rawjson

import (
	"strconv"
	"strings"
)

var (
	unescape = strings.NewReplacer("~1", "/", "~0", "~")
	escape   = strings.NewReplacer("~", "~0", "/", "~1")
)

// SplitPointer gives the tokens of a JSON pointer, which is "" or begins with
// "/".
func SplitPointer(pointer string) []string {
	if pointer == "" {
		return nil
	}
	tokens := strings.Split(pointer[1:], "/")
	for i, t := range tokens {
		tokens[i] = unescape.Replace(t)
	}
	return tokens
}

// JoinPointer is the reverse of SplitPointer.
func JoinPointer(tokens []string) string {
	var b strings.Builder
	for _, t := range tokens {
		b.WriteByte('/')
		b.WriteString(escape.Replace(t))
	}
	return b.String()
}

// Descend walks down from a value, or to the zero Span.
func (s Source) Descend(sp Span, tokens []string) Span {
	for _, t := range tokens {
		switch s.Kind(sp) {
		case '{':
			sp = s.Get(sp, t)
		case '[':
			n, err := strconv.Atoi(t)
			arr := sp
			sp = Span{}
			for e := range s.Elements(arr) {
				if n == 0 && err == nil {
					sp = e
					break
				}
				n--
			}
		default:
			return Span{}
		}
	}
	return sp
}
