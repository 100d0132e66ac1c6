// SPDX-License-Identifier: Apache-2.0

// Package secret holds a text that no log, error or answer may show: keys, credentials, the secret of a request.
package secret

import (
	"crypto/subtle"
	"log/slog"
	"strings"
)

// shown stands wherever a secret would.
const shown = "[secret]"

// Text is a secret. However it is printed, encoded or logged, it shows as "[secret]"; only Reveal gives it away. The
// zero value is no secret.
type Text struct {
	// A pointer, because fmt looks through a struct's unexported fields without asking for their methods.
	text *string
}

// New makes a secret of text; of "" none.
func New(text string) Text {
	if text == "" {
		return Text{}
	}
	return Text{&text}
}

// Reveal is the secret itself, for the one place that has to send or store it.
func (t Text) Reveal() string {
	if t.text == nil {
		return ""
	}
	return *t.text
}

// IsZero tells that there is no secret.
func (t Text) IsZero() bool { return t.text == nil }

// Equal tells whether both are the same secret, in a time that does not depend on where they differ.
func (t Text) Equal(other Text) bool {
	return subtle.ConstantTimeCompare([]byte(t.Reveal()), []byte(other.Reveal())) == 1
}

// Sendable tells whether the secret can stand in an HTTP header as one word: visible ASCII and nothing else.
func (t Text) Sendable() bool {
	return !t.IsZero() && !strings.ContainsFunc(t.Reveal(), func(r rune) bool { return r <= ' ' || r > '~' })
}

// String is "[secret]".
func (t Text) String() string { return shown }

// GoString is "[secret]".
func (t Text) GoString() string { return shown }

// LogValue is "[secret]".
func (t Text) LogValue() slog.Value { return slog.StringValue(shown) }

// MarshalText is "[secret]".
func (t Text) MarshalText() ([]byte, error) { return []byte(shown), nil }
