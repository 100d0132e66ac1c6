// SPDX-License-Identifier: Apache-2.0

// Package credential knows which names are of credentials, and which values can be one: `max_tokens` is none, nor is
// `os.Getenv("TOKEN")`.
package credential

import (
	"strings"

	"github.com/fiftyarms/platform/internal/redact/char"
)

// A Kind is how much a name says of its value.
type Kind uint8

const (
	None     Kind = iota
	Weak          // a value that looks random is a credential
	Secret        // any value is one that can be
	Password      // so is a word
)

// maxName is how long a name may be, in bytes.
const maxName = 120

// Name tells what a name is of: of a field, a variable, a header or a flag, in any style of writing.
func Name(name []byte) Kind {
	if len(name) == 0 || len(name) > maxName {
		return None
	}
	var room [24]string
	words := split(room[:0], name)
	for len(words) > 1 && (qualifiers[words[len(words)-1]] && !strings.HasPrefix(words[len(words)-2], "conn") || number(words[len(words)-1])) {
		words = words[:len(words)-1]
	}
	if len(words) == 0 {
		return None
	}
	last, before := words[len(words)-1], ""
	if bare := strings.TrimRight(last, "0123456789"); bare != "" { // password2
		last = bare
	}
	if len(words) > 1 {
		before = words[len(words)-2]
	}
	switch {
	case passwords[last]:
		return Password
	case last == "pass":
		if before == "" {
			return Weak
		}
		return Password
	case last == "token" && notTokens[before]:
		return None
	case secrets[last]:
		return Secret
	case last == "key":
		return key(before)
	case last == "id" && before == "key" && len(words) > 2 && (words[len(words)-3] == "access" || words[len(words)-3] == "secret"):
		return Secret
	case (last == "hash" || last == "digest") && (passwords[before] || before == "pass"):
		return Weak
	case last == "id" && before == "secret":
		return Secret
	case ends(last, "password", "passwd", "passphrase"):
		return Password
	case ends(last, "secret", "token", "apikey") && !notTokens[strings.TrimSuffix(last, "token")]:
		return Secret
	case last == "code" && (before == "recovery" || before == "backup" || before == "pass"):
		return Secret
	case last == "phrase" && (before == "pass" || before == "seed" || before == "recovery" || before == "secret"):
		return Password
	case last == "word" && before == "pass":
		return Password
	case (last == "string" || last == "str") && (before == "connection" || before == "conn"):
		return Weak
	case weak[last]:
		return Weak
	}
	return None
}

func ends(word string, with ...string) bool {
	for _, w := range with {
		if strings.HasSuffix(word, w) {
			return true
		}
	}
	return false
}

func number(word string) bool { return Number([]byte(word)) }

func key(before string) Kind {
	switch {
	case secretKeys[before]:
		return Secret
	case weakKeys[before]:
		return Weak
	}
	return None
}

func set(words string) map[string]bool {
	m := map[string]bool{}
	for _, w := range strings.Fields(words) {
		m[w] = true
	}
	return m
}

var (
	// Behind these a name means what it does without.
	qualifiers = set("old new prev previous current prod production dev development stage staging test live sandbox value val raw plain plaintext base base64 b64 enc encoded default primary secondary main backup 0 1 2 3 4 str string env var here")

	passwords = set("password passwords passwd passwrd pwd psw passphrase passcode passwort kennwort mdp contrasena motdepasse senha userpass dbpass userpassword dbpassword adminpassword rootpassword mypassword")
	secrets   = set("secret token apikey accesskey secretkey privatekey authkey authtoken accesstoken refreshtoken idtoken clientsecret apisecret appsecret apitoken sessiontoken sessionsecret credential credentials authorization bearer jwt secretaccesskey accesskeyid accountkey sharedaccesskey signingkey encryptionkey masterkey sshkey webhooksecret bottoken usertoken xoauth mnemonic")
	weak      = set("auth cookie cookies cred creds otp totp pat sig sas webhook salt sid session csrf xsrf sessionid sessid phpsessid jsessionid dsn license licence pin seed nonce")

	// A token of these is none to sign in with.
	notTokens = set("page next continuation sync cancellation cancel start end eos bos pad unk mask sep cls stop special lexer syntax punctuation last first max min num cont input output prompt completion cached total lookahead current")

	secretKeys = set("api access secret private auth account encryption encrypt decryption decrypt signing signature sign ssh master shared session hmac jwt consumer admin license licence unseal recovery ingestion ingest integration subscription service role deploy rsa ecdsa dsa pgp gpg tls ssl cipher aes crypto app application client server webhook write function storage")
	weakKeys   = set("root host vault wallet stripe google openai anthropic supabase sendgrid mailgun twilio algolia azure aws gcp firebase github gitlab slack discord telegram datadog sentry newrelic openrouter mistral groq cohere huggingface replicate pinecone weaviate deepseek gemini claude maps mapbox segment amplitude mixpanel posthog intercom zendesk hubspot postmark resend paypal square braintree shopify cloudflare fastly heroku vercel netlify digitalocean linode upstash redis mongo mysql postgres rabbitmq kafka elastic elasticsearch")
)

// split appends the words of a name, in lower case.
func split(words []string, name []byte) []string {
	from := 0
	add := func(to int) {
		if to > from && len(words) < cap(words) {
			words = append(words, strings.ToLower(string(name[from:to])))
		}
		from = to
	}
	for i, c := range name {
		switch {
		case !char.Alnum(c):
			add(i)
			from = i + 1
		case i == from:
		case char.Upper(c) && !char.Upper(name[i-1]): // aB
			add(i)
		case char.Upper(name[i-1]) && i-1 > from && char.Upper(c) && i+1 < len(name) && char.Lower(name[i+1]): // ABc
			add(i)
		}
	}
	add(len(name))
	return words
}

// A Word is a part of names: each name of a credential has one, in any case.
type Word struct {
	Text string
	Next string // what has to follow; "" is anything
}

// Words are those parts. What is a part of many other words has to be the end of a name.
func Words() []Word {
	var words []Word
	for _, w := range strings.Fields("pass senha contrasena kennwort secret token apikey credential creds authoriz bearer xoauth mnemonic key cookie totp webhook csrf xsrf recoverycode recovery_code backupcode seedphrase connectionstring connection_string connection-string conn_str connstr seed_phrase backup_code jwt_") {
		words = append(words, Word{Text: w})
	}
	words = append(words, Word{"sig", "="}, Word{Text: "seed phrase"}, Word{Text: "backup code"})
	for _, w := range strings.Fields("pwd psw mdp jwt pat auth cred otp sas salt dsn pin") {
		words = append(words, Word{w, "= :\"'>\\"})
	}
	return words
}
