// SPDX-License-Identifier: Apache-2.0

package redact_test

import (
	"encoding/base64"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/fiftyarms/platform/internal/redact"
)

// seeds are texts to begin with.
func seeds(f *testing.F) {
	s := newSession(f, rand.New(rand.NewPCG(1, 4)), 30, 1)
	for line := range strings.SplitSeq(s.text, "\n") {
		f.Add(line)
	}
	for _, text := range prose {
		f.Add(text)
	}
	for _, text := range []string{
		"password=hunter2!", `{"password":"a","\u0070assword":["b",{"token":"` + opaque + `"}]}`, pem, "kind: Secret\ndata:\n  a: aGVsbG8gd29ybGQ=\n", "curl -u bob:pa55word https://x",
		"Cookie: sid=" + opaque + "; path=/", "Authorization: Basic Ym9iOnBhNTV3b3Jk", "«REDACTED:", "«REDACTED:x»" + ghp + "«", "\x1b[", `\u00`, "%4", "&#", "<password>x</password>", ghp[:20] + "\\\n  " + ghp[20:],
		`{"a":"` + ghp[:12] + `" + "` + ghp[12:] + `"}`, "token: «REDACTED:x»abc123def", "=?utf-8", "\xff\xfe" + awsID,
	} {
		f.Add(text)
	}
}

// FuzzLines: whatever the input, each line of JSON stays one of the same structure, the cheap look hides nothing, and a second
// time no marker is taken out.
func FuzzLines(f *testing.F) {
	seeds(f)
	f.Fuzz(linesHold)
}

func linesHold(t *testing.T, in string) {
	t.Helper()
	out := inLines(t, in)
	sameStructure(t, in, out)
	sameLines(t, out, inLines(t, in))
	if full := string(redactor(t, redact.Options{}).LinesFully([]byte(in))); full != out {
		t.Fatalf("in\n%q\ngot\n%q\nfully\n%q", in, out, full)
	}
	keeps(t, in, out, inLines(t, out))
}

// FuzzText: whatever the input, what stays of it is what it was, and a second time no marker is taken out.
func FuzzText(f *testing.F) {
	seeds(f)
	f.Fuzz(textHolds)
}

func textHolds(t *testing.T, in string) {
	t.Helper()
	out := inAll(t, in)
	stays(t, in, out)
	keeps(t, in, out, inAll(t, out))
}

// keeps fails the test if a marker is taken for something to take out.
func keeps(t *testing.T, in, once, twice string) {
	t.Helper()
	if strings.Count(twice, "«REDACTED:") < strings.Count(once, "«REDACTED:") {
		t.Fatalf("in\n%q\nonce\n%q\ntwice\n%q", in, once, twice)
	}
}

// stays fails the test if what stands between the markers is not of the text, in order.
func stays(t *testing.T, in, out string) {
	t.Helper()
	if strings.Contains(in, "«REDACTED:") {
		return
	}
	rest := in
	for i, part := range strings.Split(out, "«REDACTED:") {
		if i > 0 {
			_, part, _ = strings.Cut(part, "»")
		}
		at := strings.Index(rest, part)
		if at < 0 || i == 0 && at > 0 {
			t.Fatalf("%q is not of %q", part, in)
		}
		rest = rest[at+len(part):]
	}
}

// FuzzFind: what is found is in order and apart, is of the text, and is the same each time; valid UTF-8 stays that.
func FuzzFind(f *testing.F) {
	seeds(f)
	f.Fuzz(func(t *testing.T, in string) {
		r := redactor(t, redact.Options{})
		for _, name := range []string{"", "password", "text", "auth"} {
			spans := r.Find(in, name)
			at := 0
			for i, s := range spans {
				if s.From < at || s.To <= s.From || s.To > len(in) || s.Rule == "" {
					t.Fatalf("%+v of %q", spans, in)
				}
				if i > 0 && s.From < spans[i-1].To {
					t.Fatalf("%+v overlap in %q", spans, in)
				}
				at = s.To
			}
			if out := r.Redact(in, name).String(); utf8.ValidString(in) && !utf8.ValidString(out) {
				t.Fatalf("%q of %q", out, in)
			}
		}
	})
}

// soups are bits of text that mean something to a rule, in any order.
var soups = []string{
	"password", "token", "api_key", "secret", "Authorization", "Bearer ", "bearer ", "Basic ", "Cookie: ", "Set-Cookie", "key", "login ", "machine ", "curl ", " -u ", "--token ", "--user ", "kind: Secret\n", "data:\n", "stringData:\n  a: ",
	"=", ":", " = ", ": ", "==", ":=", "=>", "->", "is ", "(", ")", "[", "]", "{", "}", ",", ";", ".", "&", "?", "|", "<", ">", "</", "\"", "'", "`", `"`, `'`, `\"`, `\\`, `\`, `\n`, `\u0041`, `\u003c`, `\/`, "\n", "\r\n", "\t", " ", "  ", "\n  ", "+", `" + "`, `' + '`, "\\\n",
	"%41", "%", "%2F", "&quot;", "&#39;", "://", "https://", "https://bob:", "postgres://app:", "@host/x", "@", "/", "$VAR", "${X}", "<token>", "xxxxxxxx", "...", "user", "bob", "is", "the", "hunter2!", "changeme", "12345678", "null", "true",
	"\x1b[31m", "\x1b", "\u200b", "\ufeff", "\u2028", "é", "日本", "\xff", "\x00", "«", "»", "«REDACTED:", "«REDACTED:github_token»", "«REDACTED:assigned_secret»", "-----BEGIN " + "PRIVATE KEY-----\n", "-----END " + "PRIVATE KEY-----", "-----", "...",
	"/home/", "maria", `C:\Users\`, "abcdefgh", "Zx9", "q7", "deadbeef", "==", "eyJ",
}

// soup is a text of such bits, and of credentials and parts of them.
func soup(r *rand.Rand) string {
	var b strings.Builder
	edge := func() { b.WriteString([]string{" ", "\n", `"`, "'", " ", ",", "(", ")", ";"}[r.IntN(9)]) }
	for range 1 + r.IntN(14) {
		switch r.IntN(9) {
		case 0:
			secrets := []string{ghp, awsID, opaque, slack, jwt, stripe, anthropic, pem, base64.StdEncoding.EncodeToString([]byte("token=" + ghp)), made(99, alnum, 14), pemLines(98, 2)}
			edge()
			b.WriteString(secrets[r.IntN(len(secrets))])
			edge()
		case 1:
			secrets := []string{ghp, awsID, opaque, slack, jwt, made(97, hexes, 64)}
			s := secrets[r.IntN(len(secrets))]
			at := r.IntN(len(s))
			edge()
			b.WriteString(s[at:][:r.IntN(len(s)-at+1)])
			edge()
		default:
			b.WriteString(soups[r.IntN(len(soups))])
		}
	}
	return b.String()
}

// TestSoup: what fuzzing would find late.
func TestSoup(t *testing.T) {
	for seed := range uint64(500) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			r := rand.New(rand.NewPCG(seed, 5))
			text := soup(r)
			switch r.IntN(4) {
			case 0:
				linesHold(t, text)
			case 1:
				linesHold(t, `{"a":`+string(encode(text))+`,"token":`+string(encode(soup(r)))+`}`+"\n"+`{"b":`+string(encode(soup(r)))+`}`)
			case 2:
				linesHold(t, `{`+string(encode(text))+`:{"x":`+string(encode(soup(r)))+`},"n":1,"`+soups[r.IntN(10)]+`":["b",`+string(encode(string(encode(soup(r)))))+`]}`)
			case 3:
				textHolds(t, text)
			}
		})
	}
}
