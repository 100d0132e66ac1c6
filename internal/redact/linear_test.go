// SPDX-License-Identifier: Apache-2.0

package redact_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/fiftyarms/platform/internal/redact"
	"github.com/fiftyarms/platform/internal/redact/credential"
	"github.com/fiftyarms/platform/internal/redact/shape"
)

// cruel are texts that make a careless matcher go over the same bytes again and again, by what they repeat.
func cruel(t *testing.T) map[string]string {
	units := map[string]string{
		"long name": "a_key_", "long name with dots": "key.", "URL": "a://", "URL with a user": "https://a:", "at": "https://a@", "quotes": `"`, "quotes of both kinds": `"'`, "quote and name": `token="`, "list": "token,", "call": `token("`,
		"element": "<token>", "element that ends": "<token>a</token>", "sign": "token=", "sign with a space": "token = ", "colon": "secret:", "colon and quote": `{"password":"`, "backslash": `\`, "escaped quote": `\"`, "escape": `\u005c`, "escape of an escape": `\\u005c`, "half an escape": `\u00`,
		"nested": `{\"token\":\"`, "nested twice": `{\\\"token\\\":\\\"`, "base64": "QUtJQQ", "base64 of text": "dG9rZW49", "base64 of lines": strings.Repeat("QUtJQQ", 12) + "\n", "hexadecimal": "6b65793d", "percent": "%41", "percent of percent": "%25", "entity": "&quot;", "entities": "&amp;quot;",
		"armour": "-----BEGIN " + "PRIVATE KEY-----", "armour and lines": "-----BEGIN " + "PRIVATE KEY-----\n" + strings.Repeat("A1b2", 16) + "\n", "armour, escaped": "-----BEGIN " + "PRIVATE KEY-----\\n" + strings.Repeat("A1b2", 16) + "\\n", "armour begins": "-----BEGIN ", "dashes": "-----",
		"colour": "\x1b[31m", "colour begins": "\x1b[", "title begins": "\x1b]", "nothing to see": "\u200b", "marker": "«REDACTED:x»", "marker begins": "«REDACTED:", "marker and key": "«REDACTED:x»" + "AK" + "IA",
		"Secret of Kubernetes": "kind: Secret\n", "Secret of Kubernetes with data": "kind: Secret\ndata:\n  a: b1c2d3e4\n", "cookie": "cookie:", "cookies": "Cookie: a=b; ", "cookie that grows": "a=b1;cookie:", "flag": " -u ", "flag of curl": "curl -u a:", "user": "--user", "bearer": "bearer ", "basic": "basic ", "login": "machine login password ", "spaces": " ", "newlines": "\n", "key and newline": "sk-\n", "sum": `" + "`, "sum of keys": `gh` + `p_a" + "`,
		"brackets": "{[(", "braces of JSON": `{"a":`, "type": "token: string ", "words": "the aws secret key ", "home": "/home/a", "zeros": "\x00", "letters": "a", "digits": "1", "plus": "+", "slash": "/",
	}
	for _, word := range credential.Words() {
		units["word "+word.Text] = word.Text
		units["word and sign "+word.Text] = word.Text + "=a"
	}
	for i, r := range slices.Concat(rows(t, "seed.txt"), rows(t, "shapes.txt")) {
		s, err := shape.Compile(r.expression)
		if err != nil {
			t.Fatal(err)
		}
		words, _ := s.Triggers()
		units[".trigger of "+r.id+" "+r.expression] = words[0]
		units[".nearly "+r.id+" "+r.expression] = string(generate(t, rand.New(rand.NewPCG(uint64(i), 6)), r.expression).text)
	}
	return units
}

// TestLinear: no text takes more than its length, whatever it repeats: a redactor that goes back, or that looks ahead as far as
// there is text, hangs. What grows with the square takes 32 times as long for each byte of the large text as of the small.
func TestLinear(t *testing.T) {
	const small, large, slack = 2 << 10, 64 << 10, 12
	r := redactor(t, redact.Options{})
	for name, unit := range cruel(t) {
		text := strings.Repeat(unit, large/len(unit)+1)
		forms := []string{text}
		if name[0] != '.' { // what is no row's
			forms = append(forms, `{"a":`+string(encode(text))+`,"b":"`)
		}
		for _, text := range forms {
			run := func(n int) float64 {
				start := time.Now()
				if text[0] == '{' {
					r.LinesFully([]byte(text[:n]))
				} else {
					r.Redact(text[:n], "")
				}
				return float64(time.Since(start)) / float64(n)
			}
			few, much := 0.0, math.Inf(1)
			for tries := 0; tries < 10 && much > slack*few; tries++ { // a machine that does something else is slow now and then
				few, much = max(few, min(run(small), run(small))), min(much, run(large))
			}
			if much > slack*few {
				t.Errorf("%s: %.0f ns for each of %d bytes, %.0f for each of %d", name, much, large, few, small)
			}
		}
	}
}
