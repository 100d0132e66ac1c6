// SPDX-License-Identifier: Apache-2.0

package redact_test

import (
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
// time there is nothing to do.
func FuzzLines(f *testing.F) {
	seeds(f)
	f.Fuzz(func(t *testing.T, in string) {
		out := inLines(t, in)
		sameStructure(t, in, out)
		sameLines(t, out, inLines(t, in))
		if full := string(redactor(t, redact.Options{}).LinesFully([]byte(in))); full != out {
			t.Fatalf("in\n%q\ngot\n%q\nfully\n%q", in, out, full)
		}
		if again := inLines(t, out); again != out {
			t.Fatalf("in\n%q\nonce\n%q\ntwice\n%q", in, out, again)
		}
	})
}

// FuzzText: whatever the input, what stays of it is what it was, and a second time there is nothing to do.
func FuzzText(f *testing.F) {
	seeds(f)
	f.Fuzz(func(t *testing.T, in string) {
		out := inAll(t, in)
		stays(t, in, out)
		if again := inAll(t, out); again != out {
			t.Fatalf("in\n%q\nonce\n%q\ntwice\n%q", in, out, again)
		}
	})
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
