// SPDX-License-Identifier: Apache-2.0

package client

import (
	"errors"
	"fmt"
	"net"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Failure says that a call got no answer that says anything about the call itself: the network, the server or
// something between failed. It is not known whether the call had an effect.
type Failure struct {
	Method, Path string
	Status       int    // 0 when there was no answer
	Reason       string // for whoever called; an excerpt of the body where the server sent one
	Err          error  // what net/http said, if it did
}

func (e *Failure) Error() string {
	switch {
	case e.Status == 0:
		return fmt.Sprintf("%s %s: %s", e.Method, e.Path, e.Reason)
	case e.Reason == "":
		return fmt.Sprintf("%s %s: answered %d without a body", e.Method, e.Path, e.Status)
	}
	return fmt.Sprintf("%s %s: answered %d: %s", e.Method, e.Path, e.Status, e.Reason)
}

// Unanswered says that the network failed before any answer came, and not by being slow: the same call may fare better.
func (e *Failure) Unanswered() bool {
	slow, ok := errors.AsType[net.Error](e.Err)
	return e.Status == 0 && e.Err != nil && !(ok && slow.Timeout())
}

// Unwrap gives what net/http said.
func (e *Failure) Unwrap() error { return e.Err }

// excerptLength is how much of someone else's text a message quotes, in characters.
const excerptLength = 500

// Excerpt is the beginning of someone else's text, at most 500 characters of it, as Visible shows it.
func Excerpt(text string) string { return quote(text, excerptLength) }

func quote(text string, length int) string {
	for i := range text {
		if length == 0 {
			return Visible(text[:i]) + "…"
		}
		length--
	}
	return Visible(text)
}

// Visible writes what a terminal or a log would not show, or would obey, as its escape: control characters, line ends,
// marks that reverse the text, bytes that are no UTF-8.
func Visible(text string) string {
	if strings.IndexFunc(text, hidden) < 0 {
		return text
	}
	var b strings.Builder
	for len(text) > 0 {
		r, size := utf8.DecodeRuneInString(text)
		switch {
		case r == utf8.RuneError && size == 1:
			fmt.Fprintf(&b, `\x%02x`, text[0])
		case hidden(r):
			quoted := strconv.QuoteRuneToASCII(r)
			b.WriteString(quoted[1 : len(quoted)-1])
		default:
			b.WriteRune(r)
		}
		text = text[size:]
	}
	return b.String()
}

func hidden(r rune) bool { return r == utf8.RuneError || !unicode.IsPrint(r) }
