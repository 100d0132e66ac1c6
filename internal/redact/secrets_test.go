// SPDX-License-Identifier: Apache-2.0

package redact_test

import (
	"bytes"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"

	"github.com/fiftyarms/platform/internal/redact"
)

// Secret-shaped strings are put together here, so that the repository holds none.

const (
	digits  = "0123456789"
	lowers  = "abcdefghijklmnopqrstuvwxyz"
	uppers  = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
	alnum   = digits + lowers + uppers
	hexes   = digits + "abcdef"
	base64s = alnum + "+/"
)

// made is n characters of an alphabet that look as if nobody had thought of them, always the same for a seed: each kind of
// character that the alphabet has is among them, and none stands twice in a row.
func made(seed uint64, alphabet string, n int) string {
	r := rand.New(rand.NewPCG(seed, 1))
	b := make([]byte, n)
	for i := range b {
		for b[i] = alphabet[r.IntN(len(alphabet))]; i > 0 && b[i] == b[i-1]; {
			b[i] = alphabet[r.IntN(len(alphabet))]
		}
	}
	for i, kind := range []string{digits, lowers, uppers} {
		if at := strings.IndexAny(alphabet, kind); at >= 0 && !strings.ContainsAny(string(b), kind) && n > 8 {
			b[3+2*i] = alphabet[at+int(seed%4)]
		}
	}
	return string(b)
}

var (
	awsID     = "AK" + "IA" + made(1, uppers+"234567", 16)
	awsSecret = made(2, base64s, 40)
	ghp       = "gh" + "p_" + made(3, alnum, 36)
	anthropic = "sk-" + "ant-api03-" + made(4, alnum, 40) + "-" + made(5, alnum, 40) + "AA"
	openai    = "sk" + "-" + made(6, alnum, 48)
	slack     = "xo" + "xb-" + made(7, digits, 12) + "-" + made(8, digits, 12) + "-" + made(9, alnum, 24)
	jwt       = "ey" + "JhbGciOiJIUzI1NiJ9." + "ey" + "Jz" + made(10, alnum, 30) + "." + made(11, alnum, 43)
	opaque    = made(14, lowers+digits, 32) // a credential that has no shape
	stripe    = "sk_" + "live_" + made(15, alnum, 24)
	pem       = "-----BEGIN " + "RSA PRIVATE KEY-----\n" + pemLines(16, 6) + "-----END " + "RSA PRIVATE KEY-----"
)

// pemLines are lines of the body of a key.
func pemLines(seed uint64, n uint64) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(made(seed+100*i, base64s, 64) + "\n")
	}
	return b.String()
}

// plain is a redactor for all tests that ask for nothing special: they do not run at once.
var plain = sync.OnceValues(func() (*redact.Redactor, error) { return redact.New(redact.Options{}) })

func redactor(t testing.TB, o redact.Options) *redact.Redactor {
	t.Helper()
	make := plain
	if o.HomePaths || o.Report != nil {
		make = func() (*redact.Redactor, error) { return redact.New(o) }
	}
	r, err := make()
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// inText is a text without its credentials, as a text that is called nothing.
func inText(t testing.TB, text string) string {
	t.Helper()
	return redactor(t, redact.Options{}).Redact(text, "").String()
}

// inLines are lines of JSON without their credentials.
func inLines(t testing.TB, in string) string {
	t.Helper()
	var out bytes.Buffer
	if err := redactor(t, redact.Options{}).Lines(t.Context(), &out, strings.NewReader(in)); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// inAll is a text of any length without its credentials.
func inAll(t testing.TB, in string) string {
	t.Helper()
	var out bytes.Buffer
	if err := redactor(t, redact.Options{}).Text(t.Context(), &out, strings.NewReader(in)); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// gone fails the test if a part of a secret that is long enough to tell of it is left.
func gone(t testing.TB, out, secret string) {
	t.Helper()
	const part = 10
	for i := 0; i+min(part, len(secret)) <= len(secret); i++ {
		if strings.Contains(out, secret[i:i+min(part, len(secret))]) {
			t.Errorf("%q of %q is left in\n%s", secret[i:i+min(part, len(secret))], secret, out)
			return
		}
	}
}

// is fails the test if two texts differ.
func is(t testing.TB, got, want string) {
	t.Helper()
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}
