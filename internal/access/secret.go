// SPDX-License-Identifier: Apache-2.0

package access

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"io"
	"time"
)

// IdleLapse is how long a key opens something after its last use.
const IdleLapse = 24 * time.Hour

// Lapsed says whether a key that was last used at lastUsed opens nothing any more at now.
func Lapsed(lastUsed, now time.Time) bool { return !now.Before(lastUsed.Add(IdleLapse)) }

// LiveSince is the earliest last use, to the millisecond, of a key that has not lapsed at now.
func LiveSince(now time.Time) time.Time { return now.Add(time.Millisecond - IdleLapse) }

const (
	keyMark   = "50a_" // so that a key is known for one where it turns up, by people and by scanners
	keyPrefix = 8      // characters of a key that lists show: the mark and four more
)

// NewKey makes an agent's key and the beginning of it that may be shown.
func NewKey(random io.Reader) (key, prefix string, err error) {
	token, err := NewToken(random)
	if err != nil {
		return "", "", err
	}
	key = keyMark + token
	return key, key[:keyPrefix], nil
}

// NewToken makes a secret of 256 bits: 43 characters that need no quoting in a URL, a header or a cookie.
func NewToken(random io.Reader) (string, error) {
	b, err := read(random, 32)
	return base64.RawURLEncoding.EncodeToString(b), err
}

// NewID makes an unguessable id: 128 bits as 32 hex digits.
func NewID(random io.Reader) (string, error) {
	b, err := read(random, 16)
	return hex.EncodeToString(b), err
}

// Hash is what is kept of a secret, in hex. Secrets made here hold too much chance to be guessed from it, so it needs
// neither salt nor stretching.
func Hash(secret string) string {
	sum := sha256.Sum256([]byte(secret))
	return hex.EncodeToString(sum[:])
}

func read(random io.Reader, n int) ([]byte, error) {
	b := make([]byte, n)
	if _, err := io.ReadFull(random, b); err != nil {
		return nil, fmt.Errorf("random bytes: %w", err)
	}
	return b, nil
}
