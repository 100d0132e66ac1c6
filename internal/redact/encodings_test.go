// SPDX-License-Identifier: Apache-2.0

package redact_test

import (
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/url"
	"strings"
	"testing"
)

// An encoding is a way to write a value that stands in other text.
type encoding struct {
	between string // what stands between pieces
	name    string
	write   func(value string) string
	around  string
}

func each(value string, write func(c byte) string) string {
	var b strings.Builder
	for i := range len(value) {
		b.WriteString(write(value[i]))
	}
	return b.String()
}

// wrapped is a value over lines of n bytes.
func wrapped(value string, n int, newline string) string {
	var b strings.Builder
	for len(value) > n {
		b.WriteString(value[:n] + newline)
		value = value[n:]
	}
	return b.String() + value
}

func quoted(value string) string {
	text, err := json.Marshal(value)
	if err != nil {
		panic(err)
	}
	return string(text[1 : len(text)-1])
}

// encodings are those that the redactor promises to see through. What they write is text; in a line of JSON it is escaped once more.
var encodings = func() []encoding {
	all := []encoding{
		{"", "as it is", as, "%s"},
		{"", "among words", as, "is %s here"},
		{"", "among letters", as, "is,x%sy,here"},
		{"", "as JSON", func(v string) string { return quoted(quoted(v)) }, `{\"x\":\"%s\"}`},
		{"", "as JSON in JSON", func(v string) string { return quoted(quoted(quoted(v))) }, `{\\\"x\\\":\\\"%s\\\"}`},
		{"", "\\u", func(v string) string { return each(v, func(c byte) string { return fmt.Sprintf(`\u%04x`, c) }) }, "%s"},
		{"", "\\u in capitals", func(v string) string { return each(v, func(c byte) string { return fmt.Sprintf(`\u%04X`, c) }) }, "x%sx"},
		{"", "URL", url.QueryEscape, "https://x.y/?q=%s&z=1"},
		{"", "URL, each byte", func(v string) string { return each(v, func(c byte) string { return fmt.Sprintf("%%%02X", c) }) }, "https://x.y/?q=%s"},
		{"", "URL, each byte in small", func(v string) string { return each(v, func(c byte) string { return fmt.Sprintf("%%%02x", c) }) }, "https://x.y/?q=%s"},
		{"", "hexadecimal", func(v string) string { return hex.EncodeToString([]byte(v)) }, "x %s y"},
		{"", "hexadecimal in capitals", func(v string) string { return strings.ToUpper(hex.EncodeToString([]byte(v))) }, "x %s y"},
		{"", "hexadecimal of more", func(v string) string { return hex.EncodeToString([]byte(v)) }, "x " + hex.EncodeToString([]byte("this is ")) + "%s" + hex.EncodeToString([]byte(" then")) + " y"},
	}
	for skip := range 3 {
		for name, e := range map[string]*base64.Encoding{"base64": base64.StdEncoding, "base64 of URLs": base64.RawURLEncoding} {
			encode := func(v string) string { return e.EncodeToString([]byte("\xff\x00\x80"[:skip] + v + "\x90\x01")) }
			all = append(all, encoding{"", fmt.Sprintf("%s at %d", name, skip), encode, "x %s y"})
		}
	}
	for at := 1; at < 28; at += 3 {
		for name, code := range map[string]string{"colours": "\x1b[31m", "nothing that is seen": "\u200b", "a sum": `" + "`, "lines": "\n", "lines of Windows": "\r\n", "lines that are indented": "\n    ", "lines of a shell": "\\\n"} {
			all = append(all, encoding{code, fmt.Sprintf("in two by %s at %d", name, at), func(v string) string { return v[:at] + code + v[at:] }, "\"%s\"\n"})
		}
	}
	for _, n := range []int{9, 13, 20} {
		all = append(all, encoding{"\n", fmt.Sprintf("in lines of %d", n), func(v string) string { return wrapped(v, n, "\n") }, "x\n%s\ny"})
	}
	return all
}()

func as(v string) string { return v }

// TestLearned: what is found in one place, by its name, is taken out of all others, where no rule would know it: in any encoding,
// before it and behind it.
func TestLearned(t *testing.T) {
	values := map[string]string{
		"letters and digits": opaque,
		"base64":             made(75, base64s, 17) + "/" + made(76, base64s, 18),
		"signs":              made(70, alnum, 10) + "+/=" + made(71, alnum, 11) + "&%" + made(72, alnum, 6),
		"signs of JSON":      made(73, alnum, 12) + `/<>&` + made(74, alnum, 14),
	}
	for name, value := range values {
		for _, e := range encodings {
			if e.between != "" && strings.ContainsAny(value, "&") {
				continue // a piece begins with what credentials are made of
			}
			t.Run(name+", "+e.name, func(t *testing.T) {
				written := e.write(value)
				text := fmt.Sprintf(e.around, written)
				told := `{"env":{"APP_SECRET":"` + quoted(value) + `"}}`
				forms := []string{fmt.Sprintf(`{"text":"%s"}`, quoted(text))}
				if raw := `{"text":"` + text + `"}`; json.Valid([]byte(raw)) { // as JSON spells it, too
					forms = append(forms, raw)
				}
				for _, line := range forms {
					for _, in := range []string{told + "\n" + line, line + "\n" + told} {
						out := inLines(t, in)
						left(t, out, e, value, written)
						for l := range strings.Lines(out) {
							if !json.Valid([]byte(l)) {
								t.Errorf("no JSON any more: %s", l)
							}
						}
					}
				}
				left(t, inAll(t, "APP_SECRET=\""+value+"\"\n"+text+"\n"), e, value, written)
			})
		}
	}
}

// left fails the test if much of a value is left of how it is written.
func left(t *testing.T, out string, e encoding, value, written string) {
	t.Helper()
	gone(t, out, value)
	if e.between != "" {
		return
	}
	inner := written[4 : len(written)-4] // at its ends are what base64 makes of other bytes too
	gone(t, out, inner)
	gone(t, out, quoted(inner))
}

// TestSums: a credential in two strings that are added is one, whatever quotes them and wherever they stand.
func TestSums(t *testing.T) {
	for _, sum := range []string{`'%s' + '%s'`, `"%s" + "%s"`, "`%s`+`%s`", `"%s" . "%s"`, `'%s' .. '%s'`, `"%s" & "%s"`, "\"%s\" +\n\t\"%s\"", "'%s'\n  '%s'", "\"%s\" \\\n\"%s\""} {
		for _, at := range []int{8, 15, 30} {
			text := "x = " + fmt.Sprintf(sum, ghp[:at], ghp[at:]) + ";"
			outs := []string{inText(t, text), inAll(t, text), inLines(t, `{"text":"`+quoted(text)+`"}`)}
			if !strings.Contains(text, "\n") {
				outs = append(outs, inLines(t, text))
			}
			for _, in := range outs {
				if strings.Contains(in, ghp[at:]) || !strings.Contains(in, "«REDACTED:github_token»") {
					t.Errorf("%s: %s", sum, in)
				}
			}
		}
	}
}
