// SPDX-License-Identifier: Apache-2.0

package credential_test

import (
	"strings"
	"testing"

	"github.com/fiftyarms/platform/internal/redact/credential"
)

// TestName: in any style of writing.
func TestName(t *testing.T) {
	for kind, names := range map[credential.Kind]string{
		credential.Password: `password PASSWORD dbPassword db_password DB-PASSWORD userPwd passwd old_password password2_value passphrase admin_pass passPhrase`,
		credential.Secret: `token TOKEN apiKey api_key API-KEY x-api-key apikey secret client_secret clientSecret aws_secret_access_key AWS_ACCESS_KEY_ID accessToken refresh_token Authorization
			GITHUB_TOKEN sessionToken private_key signingKey bearer tokens_secret credentials my.service.token APIKey JWTSecret recovery_code`,
		credential.Weak: `openai_key stripeKey cookie otp salt session auth password_hash connection_string csrf`,
		credential.None: `key keys name monkey keyboard max_tokens maxTokens input_tokens output_tokens tokenizer token_count tokens sessionId session_id tokenId next_page_token page_token nextToken eos_token pad_token
			primary_key sort_key public_key publicKey compass secretary author authority passed bypass passenger keyId id uuid path url secret_name token_type token_url password_policy`,
	} {
		for name := range strings.FieldsSeq(names) {
			if got := credential.Name([]byte(name)); got != kind {
				t.Errorf("%s: got %d, want %d", name, got, kind)
			}
		}
	}
	for _, name := range []string{"", strings.Repeat("a", 10_000) + "_token", "_", "--", "\xff\xfe"} {
		if got := credential.Name([]byte(name)); got != credential.None {
			t.Errorf("%.20q: got %d", name, got)
		}
	}
}

// TestWords: each name of a credential has a word by which it is looked for.
func TestWords(t *testing.T) {
	for _, name := range strings.Fields("password pwd passphrase token api_key apikey secret client_secret authorization bearer credentials access_key_id private_key recovery_code webhook mnemonic") {
		found := false
		for _, word := range credential.Words() {
			found = found || strings.Contains(name+"=", word.Text)
		}
		if !found || credential.Name([]byte(name)) == credential.None {
			t.Errorf("%s has no word", name)
		}
	}
}

func TestPlaceholder(t *testing.T) {
	for _, v := range []string{"", "$TOKEN", "${TOKEN}", "$(pass x)", "$_", "<token>", "<your key", "{{ token }}", "{token}", "%TOKEN%", "[token]", "#{token}", "xxxxxxxx", "********", "--------", "...", "sk-...", "abc…", "your-api-key", "YOUR_TOKEN", "example-key", "replace_me", "dummy", "a${b}c", `\u003ctoken\u003e`} {
		if !credential.Placeholder([]byte(v)) {
			t.Errorf("%q is a credential", v)
		}
	}
	for _, v := range []string{"changeme", "hunter2!", "p$ss", "$2b$10$abcdefg", "a<b>c", "12345678", "%4a%4b", "Tr0ub4dor&3"} {
		if credential.Placeholder([]byte(v)) {
			t.Errorf("%q is none", v)
		}
	}
}

func TestRandom(t *testing.T) {
	for v, want := range map[string]bool{
		"a7f3c9e1d5b28046": true, "v31grij14dk52xicfdmq": true, "Zx9Kq2Lm7Pw4Rt8Y": true, "short1a": false, "getUserAccountById": false, "internationalization": false, "12345678901234567890": false,
		"with some spaces 1a2b3c": false, "/usr/local/lib/node_modules": false, "AAAAAAAAAAAAAAAAAAAA": false, "": false,
	} {
		if got := credential.Random([]byte(v)); got != want {
			t.Errorf("%q: %v", v, got)
		}
	}
}

func TestQuotedAndBare(t *testing.T) {
	for _, c := range []struct {
		value        string
		kind         credential.Kind
		quoted, bare bool // in quotes; with a sign before and the line's end behind
	}{
		{"changeme", credential.Password, true, true},
		{"hunter2!", credential.Password, true, true},
		{"ab", credential.Password, false, false},
		{"string", credential.Password, false, false},
		{"true", credential.Secret, false, false},
		{"a7f3c9e1d5b28046", credential.Secret, true, true},
		{"os.Getenv(\"X\")", credential.Secret, false, false},
		{"getToken()", credential.Password, false, false},
		{"self.token", credential.Secret, false, false},
		{"correct horse battery staple", credential.Password, false, true},
		{"#password", credential.Password, false, true},
		{"/run/secrets/db", credential.Secret, false, false},
	} {
		v := []byte(c.value)
		if got := credential.Quoted(v, c.kind); got != c.quoted {
			t.Errorf("%q in quotes: %v", c.value, got)
		}
		if strings.ContainsAny(c.value, " #") {
			continue // never bare
		}
		if got := credential.Bare(v, c.kind, credential.Setting{Tight: true, Last: true}); got != c.bare {
			t.Errorf("%q bare: %v", c.value, got)
		}
	}
}

// FuzzAll: no value and no name is too odd.
func FuzzAll(f *testing.F) {
	for _, v := range []string{"", "$", "%", "<", "{", "#", "(", `\`, "a.b", "é", "\xff", ".", "@", "&*!"} {
		f.Add(v)
	}
	f.Fuzz(func(_ *testing.T, v string) {
		b := []byte(v)
		credential.Name(b)
		credential.Placeholder(b)
		credential.Random(b)
		credential.Mixed(b)
		credential.Code(b)
		credential.Named(b)
		credential.WordsOnly(b)
		credential.Run(b)
		if len(b) > 0 {
			for kind := credential.None; kind <= credential.Password; kind++ {
				credential.Quoted(b, kind)
				credential.Bare(b, kind, credential.Setting{Tight: true, Prose: true})
				credential.Bare(b, kind, credential.Setting{Last: true})
			}
		}
	})
}
