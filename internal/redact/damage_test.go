// SPDX-License-Identifier: Apache-2.0

package redact_test

import (
	"fmt"
	"strings"
	"testing"
)

// TestDamageOfOthers: what other redactors were reported to take out though it is no credential, or to leave of one by what they
// put in its place, each report by its fault.
func TestDamageOfOthers(t *testing.T) {
	sha, uuid := made(40, hexes, 40), fmt.Sprintf("%s-%s-4%s-a%s-%s", made(41, hexes, 8), made(42, hexes, 4), made(43, hexes, 3), made(44, hexes, 3), made(45, hexes, 12))
	blob := made(46, base64s, 400)
	for _, c := range []struct {
		name string
		same []string // texts that stay as they are
		line []string // lines of JSON that do
		test func(t *testing.T)
	}{
		{name: "the protocol's own fields are taken out, and the session replays no longer", line: []string{
			`{"encrypted_content":"` + blob + `"}`,
			`{"message":{"content":[{"type":"thinking","thinking":"x","signature":"` + blob + `"}]}}`,
			`{"message":{"content":[{"type":"thinking","thinkingSignature":"` + blob + `"}]}}`,
			`{"type":"user","uuid":"` + uuid + `","sessionId":"` + uuid + `","requestId":"req_` + made(47, alnum, 24) + `"}`,
			`{"message":{"id":"msg_` + made(48, alnum, 24) + `","content":[{"type":"tool_use","id":"toolu_` + made(49, alnum, 24) + `"}]}}`,
		}},
		{name: "names in code and paths are taken out for how random they look", same: []string{
			"getUserAccountByExternalIdentifierV2Async(handleOAuth2CallbackURLForGoogleSSO)",
			"/usr/lib/x86_64-linux-gnu/qt5/plugins/platformthemes/libqgtk3Style2Theme4x.so.5.15.2",
			"node_modules/.pnpm/@babel+plugin-transform-react-jsx@7.22.5_@babel+core@7.22.9/node_modules",
			"kMaxHTTP2FrameSizeInBytesV3 = 16384",
			"com.example.service.impl.DefaultX509CertificateValidatorFactoryBeanV2",
		}},
		{name: "hashes and identifiers are taken out", same: []string{
			"commit " + sha, "git show " + sha[:12], "-" + sha + " " + sha + " refs/heads/main", `"integrity": "sha512-` + made(50, base64s, 86) + `=="`,
			"github.com/google/go-cmp v0.7.0 h1:" + made(51, base64s, 43) + "=", "sha256:" + made(52, hexes, 64), "image@sha256:" + made(53, hexes, 64), "id: " + uuid, uuid,
			"md5 = " + made(54, hexes, 32), `{"hash":"` + made(55, hexes, 64) + `"}`, `"commit_key": "` + sha + `"`, "ETag: \"" + made(56, hexes, 32) + "\"", "checksum=" + made(57, hexes, 64),
		}},
		{name: "an identifier goes for a word that a credential's name has too", same: []string{`"sessionId": "` + uuid + `"`, "session_id=" + uuid, `"tokenId": "17"`}, test: func(t *testing.T) {
			is(t, inText(t, `"sessionToken": "`+opaque+`"`), `"sessionToken": "«REDACTED:assigned_secret»"`)
		}},
		{name: "numbers of tokens are taken out", same: []string{
			"max_tokens=4096", "max_tokens: 128000", "input_tokens: 12345678", "tokenizer: cl100k_base", "tokenizer=\"o200k_base\"", "total_tokens=99", "token_count: 17", "tokens: 4", "maxTokens = 200000",
		}, line: []string{
			`{"usage":{"input_tokens":12,"output_tokens":34,"cache_read_input_tokens":123456789}}`, `{"max_tokens":4096,"password":12345678,"token":1e9}`, `{"tokenizer":"cl100k_base_v2"}`, `{"token":null,"secret":true,"password":{"a":1}}`,
		}},
		{name: "code and what stands for a credential are taken out", same: []string{
			"password=$DB_PASSWORD", "token: ${TOKEN}", `apiKey == ""`, `"api_key=" + x`, "sk-" + "ant-...", "token: <TOKEN>", "secret=$(pass show x)", `key := os.Getenv("API_KEY")`, "password: {{ .Values.password }}",
			"Authorization: Bearer $TOKEN", "Authorization: Bearer <token>", "api_key: your-api-key-here", "token=xxxxxxxx", "password: ********", "ghp_" + strings.Repeat("x", 36), "const token = getToken()", "if (token === undefined) {",
			"password: string;", "token?: string | null", "func Login(user, password string) error", "secret: process.env.SECRET", "password = input()", "--password-stdin", "export TOKEN=%TOKEN%", "AKIA" + "IOSFODNN7EXAMPLE", "sk-" + strings.Repeat("X", 48),
			`-H "Authorization: Bearer ${GITHUB_TOKEN}"`, "${{ secrets.GITHUB_TOKEN }}", "token = self.token", "password=\"\"", "the api_key= parameter",
		}},
		{name: "a key of a keyboard is taken for one", same: []string{`"key": "ctrl+shift+down"`, `"key": "Enter"`, "key = value", `{"key": "user.settings.theme.dark2"}`, "<li key={item.id}>", `map["key"] = "value1"`, "primary key: id_2024"}},
		{name: "whatever is 64 digits, a picture of a key, or part of a word is one", same: []string{
			"value " + made(58, hexes, 64), "0x" + made(59, hexes, 64), "-----BEGIN " + "PRIVATE KEY-----\n...\n-----END " + "PRIVATE KEY-----", "-----BEGIN " + "RSA PRIVATE KEY-----", "a line that says -----BEGIN " + "PRIVATE KEY----- and goes on",
			"task-" + made(60, lowers, 24), "risk-" + made(61, alnum, 12), "core_" + made(62, alnum, 12), "desk-" + made(63, alnum, 30), "more_" + made(64, alnum, 30),
		}},
		{name: "a long name takes minutes", test: func(t *testing.T) {
			is(t, inText(t, strings.Repeat("a_key_", 40_000)+"end"), strings.Repeat("a_key_", 40_000)+"end") // how long: TestLinear
		}},
		{name: "what stands in its place is taken for a file's text, or tells the secret", test: func(t *testing.T) {
			one, other := inText(t, "password=hunter2!"), inText(t, "password=hunter3?")
			is(t, one, "password=«REDACTED:assigned_secret»") // typed, and no hash of it
			is(t, other, one)
		}},
		{name: "a short value masks whatever looks like it", test: func(t *testing.T) {
			for _, password := range []string{"a", "test", "admin", "abc1234", "password", "changeme", "welcome", "production"} {
				rest := "\n" + `{"text":"a test of the admin page with abc1234 and password changeme: welcome to production"}`
				is(t, strings.SplitN(inLines(t, `{"password":"`+password+`"}`+rest), "\n", 2)[1], rest[1:])
			}
			value := made(65, alnum, 12)
			is(t, inLines(t, `{"password":"`+value+`"}`+"\n"+`{"text":"so `+value+` it is"}`), `{"password":"«REDACTED:secret_field_name»"}`+"\n"+`{"text":"so «REDACTED:secret_field_name» it is"}`)
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, text := range c.same {
				is(t, inText(t, text), text)
				is(t, inAll(t, "before\n"+text+"\nbehind"), "before\n"+text+"\nbehind")
			}
			for _, line := range c.line {
				is(t, inLines(t, line), line)
			}
			if c.test != nil {
				c.test(t)
			}
		})
	}
}
