// SPDX-License-Identifier: Apache-2.0

package redact_test

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/fiftyarms/platform/internal/redact"
)

// TestSeedRules: the eleven rules that came first keep their ids and what they mean.
func TestSeedRules(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"aws_access_key", "id " + awsID + ".", "id «REDACTED:aws_access_key»."},
		{"aws_access_key behind letters", "x" + awsID, "x«REDACTED:aws_access_key»"},
		{"aws_access_key of small letters is none", "ak" + "ia" + made(1, lowers+digits, 16), "ak" + "ia" + made(1, lowers+digits, 16)},
		{"aws_access_key that is too short is none", awsID[:19], awsID[:19]},
		{"private_key is one match", "a\n" + pem + "\nb", "a\n«REDACTED:private_key»\nb"},
		{"private_key of OpenSSH", "-----BEGIN " + "OPENSSH PRIVATE KEY-----\n" + pemLines(80, 4) + "-----END " + "OPENSSH PRIVATE KEY-----", "«REDACTED:private_key»"},
		{"private_key without a kind", "-----BEGIN " + "PRIVATE KEY-----\n" + pemLines(81, 4) + "-----END " + "PRIVATE KEY-----", "«REDACTED:private_key»"},
		{"private_key, encrypted", "-----BEGIN " + "ENCRYPTED PRIVATE KEY-----\n" + pemLines(82, 4) + "-----END " + "ENCRYPTED PRIVATE KEY-----", "«REDACTED:private_key»"},
		{"a public key is none", "-----BEGIN " + "PUBLIC KEY-----\n" + pemLines(83, 4) + "-----END " + "PUBLIC KEY-----", "-----BEGIN " + "PUBLIC KEY-----\n" + pemLines(83, 4) + "-----END " + "PUBLIC KEY-----"},
		{"github_token", ghp, "«REDACTED:github_token»"},
		{"github_token of an app", "gh" + "s_" + made(84, alnum, 36), "«REDACTED:github_token»"},
		{"github_token of a user", "gh" + "u_" + made(85, alnum, 36), "«REDACTED:github_token»"},
		{"github_token of OAuth", "gh" + "o_" + made(86, alnum, 36), "«REDACTED:github_token»"},
		{"github_token to refresh", "gh" + "r_" + made(87, alnum, 76), "«REDACTED:github_token»"},
		{"github_token of no kind is none", "gh" + "x_" + made(88, alnum, 36), "gh" + "x_" + made(88, alnum, 36)},
		{"anthropic_key is no openai_key", anthropic, "«REDACTED:anthropic_key»"},
		{"openai_key", "use " + openai + ", please", "use «REDACTED:openai_key», please"},
		{"slack_token", slack, "«REDACTED:slack_token»"},
		{"slack_token of a person", "xo" + "xp-" + slack[5:], "«REDACTED:slack_token»"},
		{"jwt", "(" + jwt + ")", "(«REDACTED:jwt»)"},
		{"jwt is no bearer_token", "Authorization: Bearer " + jwt, "Authorization: Bearer «REDACTED:jwt»"},
		{"bearer_token keeps the scheme", "Authorization: Bearer " + opaque, "Authorization: Bearer «REDACTED:bearer_token»"},
		{"bearer_token in any case", "authorization: bearer " + opaque, "authorization: bearer «REDACTED:bearer_token»"},
		{"bearer_token in any case, loud", "AUTHORIZATION: BEARER " + opaque, "AUTHORIZATION: BEARER «REDACTED:bearer_token»"},
		{"bearer in prose is none", "The bearer of this letter, a bearer token, Bearer tokens are", "The bearer of this letter, a bearer token, Bearer tokens are"},
		{"assigned_secret keeps the name", "api_key=" + opaque, "api_key=«REDACTED:assigned_secret»"},
		{"assigned_secret, loud", "API_KEY=" + opaque, "API_KEY=«REDACTED:assigned_secret»"},
		{"assigned_secret with a hyphen", "api-key: " + opaque, "api-key: «REDACTED:assigned_secret»"},
		{"assigned_secret in one word", "apikey = " + opaque, "apikey = «REDACTED:assigned_secret»"},
		{"assigned_secret of a secret", "secret=" + opaque, "secret=«REDACTED:assigned_secret»"},
		{"assigned_secret of a password", "password: " + opaque, "password: «REDACTED:assigned_secret»"},
		{"assigned_secret of a password, short", "passwd=" + opaque, "passwd=«REDACTED:assigned_secret»"},
		{"assigned_secret of a token", "token = " + opaque, "token = «REDACTED:assigned_secret»"},
		{"assigned_secret of a weak password", "password=changeme", "password=«REDACTED:assigned_secret»"},
		{"the word in prose is none", "Token usage is high", "Token usage is high"},
		{"words in prose are none", "The secret of a good password is its length. A token was spent, the api key page too.", "The secret of a good password is its length. A token was spent, the api key page too."},
	} {
		t.Run(c.name, func(t *testing.T) {
			is(t, inText(t, c.text), c.want)
			is(t, inAll(t, c.text), c.want)
		})
	}
}

// TestSecretFieldName: what is called a credential is one as a whole, whatever it looks like.
func TestSecretFieldName(t *testing.T) {
	const gone = `"«REDACTED:secret_field_name»"`
	for _, c := range []struct{ name, line, want string }{
		{"opaque", `{"Authorization":"Opaque a7f3c9e1d5b28046"}`, `{"Authorization":` + gone + `}`},
		{"in what holds it", `{"env":{"API_KEY":"` + opaque + `","HOME":"/root"}}`, `{"env":{"API_KEY":` + gone + `,"HOME":"/root"}}`},
		{"first of all rules", `{"token":"` + slack + `"}`, `{"token":` + gone + `}`},
		{"a weak one", `{"password":"changeme"}`, `{"password":` + gone + `}`},
		{"each of a list", `{"tokens":["a"],"secret":["` + opaque + `","` + ghp + `"]}`, `{"tokens":["a"],"secret":[` + gone + `,` + gone + `]}`},
		{"not what stands for one", `{"password":"$PASSWORD","token":"<token>","secret":""}`, `{"password":"$PASSWORD","token":"<token>","secret":""}`},
		{"no number", `{"password":12345678,"token":1.50}`, `{"password":12345678,"token":1.50}`},
		{"all of it", `{"authorization":"Basic ` + opaque + ` and ` + ghp + `"}`, `{"authorization":` + gone + `}`},
	} {
		t.Run(c.name, func(t *testing.T) { is(t, inLines(t, c.line), c.want) })
	}
	is(t, redactor(t, redact.Options{}).Redact(opaque, "clientSecret").String(), "«REDACTED:secret_field_name»")
	is(t, redactor(t, redact.Options{}).Redact(opaque, "title").String(), opaque)
}

// TestOrder: an earlier rule names what several find, and nothing is taken out of what is taken out.
func TestOrder(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"a shape before the name", "token=" + ghp, "token=«REDACTED:github_token»"},
		{"a shape before the scheme", "Bearer " + ghp, "Bearer «REDACTED:github_token»"},
		{"a key before the name", "password=" + awsID, "password=«REDACTED:aws_access_key»"},
		{"within a longer one, all of it", `secret = "x` + awsID + `/` + ghp + `"`, `secret = "«REDACTED:aws_access_key»"`},
		{"side by side", ghp + "," + awsID + " " + openai, "«REDACTED:github_token»,«REDACTED:aws_access_key» «REDACTED:openai_key»"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := inText(t, c.text)
			is(t, got, c.want)
			is(t, inText(t, got), c.want)
		})
	}
}

func TestHomePaths(t *testing.T) {
	r := redactor(t, redact.Options{HomePaths: true})
	for _, c := range []struct{ name, text, want string }{
		{"Windows", `C:\Users\maria\src`, `C:\Users\«REDACTED:home_path»\src`},
		{"Windows, the end", `C:\Users\maria`, `C:\Users\«REDACTED:home_path»`},
		{"Windows, any case", `c:\USERS\Maria\src`, `c:\USERS\«REDACTED:home_path»\src`},
		{"Windows, escaped", `"C:\\Users\\maria\\src"`, `"C:\\Users\\«REDACTED:home_path»\\src"`},
		{"Windows, with slashes", `C:/Users/maria/src`, `C:/Users/«REDACTED:home_path»/src`},
		{"macOS", "/Users/maria/src", "/Users/«REDACTED:home_path»/src"},
		{"macOS, any case", "/USERS/maria/src", "/USERS/«REDACTED:home_path»/src"},
		{"Linux", "cd /home/maria/src && ls", "cd /home/«REDACTED:home_path»/src && ls"},
		{"Linux, any case", "/Home/maria", "/Home/«REDACTED:home_path»"},
		{"Linux, the end", "/home/maria", "/home/«REDACTED:home_path»"},
		{"two", "/home/maria:/home/jose", "/home/«REDACTED:home_path»:/home/«REDACTED:home_path»"},
		{"below another folder", "/mnt/home/maria/x", "/mnt/home/«REDACTED:home_path»/x"},
		{"a URL of a file", "file:///home/maria/x", "file:///home/«REDACTED:home_path»/x"},
		{"with a credential in it", "/home/maria/" + ghp, "/home/«REDACTED:home_path»/«REDACTED:github_token»"},
		{"the folder alone", "/home/ is", "/home/ is"},
		{"another folder", "/homes/maria", "/homes/maria"},
		{"a name is no path", "maria is at home", "maria is at home"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := r.Redact(c.text, "").String()
			is(t, got, c.want)
			is(t, r.Redact(got, "").String(), c.want)
			is(t, inText(t, strings.ReplaceAll(c.text, ghp, "")), strings.ReplaceAll(c.text, ghp, "")) // unless asked for
		})
	}
	t.Run("in JSON", func(t *testing.T) {
		var out bytes.Buffer
		in := `{"cwd":"/home/maria/x","win":"C:\\Users\\maria\\x","deep":"{\"p\":\"C:\\\\Users\\\\maria\\\\x\"}","slash":"\/home\/maria\/x","word":"maria"}`
		if err := r.Lines(t.Context(), &out, strings.NewReader(in)); err != nil {
			t.Fatal(err)
		}
		is(t, out.String(), strings.NewReplacer("maria", "«REDACTED:home_path»", `"maria"`, `"maria"`).Replace(strings.TrimSuffix(in, `,"word":"maria"}`))+`,"word":"maria"}`)
	})
}

// TestReport: it says which rule, where and how long, in the order of the text, and never what.
func TestReport(t *testing.T) {
	var matches []redact.Match
	r := redactor(t, redact.Options{Report: func(m redact.Match) { matches = append(matches, m) }})
	text := "a " + ghp + "\n" + strings.Repeat("b\n", 10) + "password=hunter2!\n" + awsID
	var out bytes.Buffer
	if err := r.Text(t.Context(), &out, strings.NewReader(text)); err != nil {
		t.Fatal(err)
	}
	var cut []string
	for _, m := range matches {
		if m.Line != 0 || m.Path != "" {
			t.Errorf("%+v", m)
		}
		cut = append(cut, m.Rule+" "+text[m.From:m.To])
	}
	if want := []string{"github_token " + ghp, "assigned_secret hunter2!", "aws_access_key " + awsID}; !slices.Equal(cut, want) {
		t.Errorf("got %q", cut)
	}
	matches = nil
	if err := r.Lines(t.Context(), &out, strings.NewReader(`{"a":[{"b c":"x"},{"b c":"`+ghp+`"}],"`+awsID+`":1}`)); err != nil {
		t.Fatal(err)
	}
	if len(matches) != 2 || matches[0].Path != ".a[1].b c" || matches[0].Line != 1 || strings.Contains(matches[1].Path, awsID) {
		t.Errorf("got %+v", matches)
	}
	matches = nil // a line that turns out to be no JSON is told of once, as the text that it is
	if err := r.Lines(t.Context(), &out, strings.NewReader(`{"a":"`+ghp+`"} {"b":"`+awsID+`"`)); err != nil {
		t.Fatal(err)
	}
	if len(matches) != 2 || matches[0].Path != "" || matches[0].From != len(`{"a":"`) || matches[1].Path != "" {
		t.Errorf("got %+v", matches)
	}
	r.Redact(ghp, "") // reports nothing: it is of no file
	if len(matches) != 2 {
		t.Errorf("got %+v", matches)
	}
}
