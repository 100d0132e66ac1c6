// SPDX-License-Identifier: Apache-2.0

package redact_test

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/url"
	"strings"
	"testing"
)

// prose is clean text of the kinds that sessions hold.
var prose = []string{
	"Let me look at the failing test first, and then at the token handling in the parser.",
	"func (s *Server) handleLogin(w http.ResponseWriter, r *http.Request) {\n\tpassword := r.FormValue(\"password\")\n\tif password == \"\" {\n\t\treturn\n\t}\n}",
	"commit " + made(200, hexes, 40) + "\nAuthor: Maria <maria@host.dev>\n\n    Rename the key of the cache",
	"ok  \tgithub.com/x/y/internal/store\t0.412s\n--- FAIL: TestKeys (0.00s)\n    keys_test.go:17: got 3 keys, want 4",
	"go: downloading golang.org/x/sys v0.30.0\nh1:" + made(201, base64s, 43) + "=",
	"export const fetchToken = async (userId: string): Promise<string | null> => tokens.get(userId) ?? null;",
	"drwxr-xr-x 2 root root 4096 Jan  2 03:04 /usr/share/keyrings\n-rw-r--r-- 1 root root 1024 secrets.example.yaml",
	"The API returned 401 Unauthorized: set API_KEY=$API_KEY, or pass --token <token>. See https://docs.host.dev/auth?x=1#keys",
	"{\"input_tokens\": 1234, \"max_tokens\": 4096, \"sessionId\": \"" + made(202, hexes, 8) + "-" + made(203, hexes, 4) + "-4aaa-8bbb-" + made(204, hexes, 12) + "\"}",
	"\x1b[32m✓\x1b[0m 14 passed \x1b[2m(1.2s)\x1b[0m — Ünïcödé, 日本語, \u2028 and \t tabs",
	"sha256:" + made(205, hexes, 64) + "  dist/app.tar.gz\nintegrity sha512-" + made(206, base64s, 86) + "==",
	"diff --git a/x.go b/x.go\n--- a/x.go\n+++ b/x.go\n@@ -1,3 +1,3 @@\n-\tkey := \"a\"\n+\tkey := \"b\"\n",
	`C:\Program Files\nodejs\node.exe -e "console.log('a\n' + \"b\\n\")" & echo %PATH% 100%`,
	"for i in {1..3}; do curl -s -o /dev/null -w '%{http_code}' http://localhost:8080/healthz; done",
}

// A session is lines of JSON, and the credentials in them.
type session struct {
	text    string
	secrets []string
}

// newSession makes a session of so many lines; one in so many has a credential.
func newSession(t testing.TB, r *rand.Rand, lines, every int) session {
	t.Helper()
	shapes := rows(t, "shapes.txt")
	var s session
	var b strings.Builder
	for n := range lines {
		var parts []string
		for range 1 + r.IntN(4) {
			parts = append(parts, prose[r.IntN(len(prose))])
		}
		if every > 0 && r.IntN(every) == 0 {
			secret := string(generate(t, r, shapes[r.IntN(len(shapes))].expression).text)
			if r.IntN(3) == 0 {
				secret = "gh" + "p_" + made(r.Uint64(), alnum, 36)
			}
			s.secrets = append(s.secrets, secret)
			parts = append(parts, form(r, secret))
			if r.IntN(4) == 0 {
				parts = append(parts, form(r, s.secrets[r.IntN(len(s.secrets))]))
			}
		}
		content := strings.Join(parts, "\n")
		b.WriteString(record(t, r, n, content))
		if r.IntN(100) == 0 {
			b.WriteString("\r")
		}
		b.WriteString("\n")
	}
	s.text = b.String()
	return s
}

// form is a way in which a credential stands in text.
func form(r *rand.Rand, secret string) string {
	switch r.IntN(11) {
	case 0:
		return "export APP_TOKEN=" + secret
	case 1:
		return "it is " + secret + ", I think."
	case 2:
		return `{"token": ` + string(encode(secret)) + `, "n": 1}`
	case 3:
		return "https://host.dev/x?token=" + url.QueryEscape(secret) + "&y=1"
	case 4:
		return "data: " + base64.StdEncoding.EncodeToString([]byte("token: "+secret+"\n"))
	case 5:
		return "Authorization: Bearer " + secret
	case 6:
		return "\x1b[1m" + secret + "\x1b[0m"
	case 7:
		return wrapped("key: "+secret, 20, "\n")
	case 8:
		return "+\ttoken := \"" + secret + "\""
	case 9:
		return "https://bob:" + url.QueryEscape(secret) + "@host.dev/"
	}
	return "postgres://app:" + url.QueryEscape(secret) + "@db:5432/app"
}

func encode(v any) []byte {
	text, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return text
}

// record is a line of a session.
func record(t testing.TB, r *rand.Rand, n int, content string) string {
	t.Helper()
	text := string(encode(content))
	switch r.IntN(6) {
	case 0:
		return fmt.Sprintf(`{"type":"user","uuid":"%s","n":%d,"message":{"role":"user","content":%s}}`, made(uint64(n), hexes, 32), n, text)
	case 1:
		return fmt.Sprintf(`{"type":"assistant","message":{"id":"msg_%s","content":[{"type":"text","text":%s}],"usage":{"input_tokens":%d}}}`, made(uint64(n), alnum, 24), text, n)
	case 2:
		return fmt.Sprintf(`{"type":"user","message":{"content":[{"tool_use_id":"toolu_%s","type":"tool_result","content":%s}]},"toolUseResult":{"stdout":%s,"stderr":"","ok":true}}`, made(uint64(n), alnum, 24), text, text)
	case 3:
		return fmt.Sprintf(`{"type":"assistant","message":{"content":[{"type":"tool_use","name":"Bash","input":{"command":%s,"x":[1,2.50,null,{"deep":%s}]}}]}}`, text, text)
	case 4:
		return strings.ReplaceAll(fmt.Sprintf(`{ "payload" : %s , "t" : 1e3 }`, text), "/", `\/`)
	}
	return fmt.Sprintf(`{"json":%s}`, encode(fmt.Sprintf(`{"inner":%s}`, text)))
}
