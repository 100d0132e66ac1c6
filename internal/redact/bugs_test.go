// SPDX-License-Identifier: Apache-2.0

package redact_test

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/fiftyarms/platform/internal/redact"
)

// TestLeaksOfOthers: what other redactors were reported to leave in, each report by its fault.
func TestLeaksOfOthers(t *testing.T) {
	for _, c := range []struct {
		name string
		test func(t *testing.T)
	}{
		{"a value that the line spells otherwise stays", spelledOtherwise},
		{"of two members with one key the first leaks", func(t *testing.T) {
			is(t, inLines(t, `{"password":"`+opaque+`","password":"`+awsSecret+`"}`),
				`{"password":"«REDACTED:secret_field_name»","password":"«REDACTED:secret_field_name»"}`)
		}},
		{"a known prefix is held back because the rest is not random enough", func(t *testing.T) {
			is(t, inText(t, "key "+"sb_"+"secret_"+"aaaabbbbccccddddeeee1f_aabbccdd"+" set"), "key «REDACTED:supabase_key» set")
			is(t, inText(t, "id "+"AK"+"IA"+"AAAABBBBCCCCDDD2"+" set"), "id «REDACTED:aws_access_key» set")
		}},
		{"half of a pair alone is not reported", func(t *testing.T) {
			is(t, inText(t, "only the id: "+awsID), "only the id: «REDACTED:aws_access_key»")
			is(t, inText(t, "AWS_SECRET_ACCESS_KEY="+awsSecret), "AWS_SECRET_ACCESS_KEY=«REDACTED:assigned_secret»")
		}},
		{"in JSON on one line an earlier key eats the assignment", func(t *testing.T) {
			for _, quote := range []string{`"`, `\"`} {
				object := strings.ReplaceAll(`{"secretName":"db","token":"`+opaque+`","user":"bob"}`, `"`, quote)
				want := strings.ReplaceAll(object, opaque, "«REDACTED:assigned_secret»")
				is(t, inText(t, object), want)
			}
			is(t, inLines(t, `{"secretName":"db","token":"`+opaque+`","user":"bob"}`), `{"secretName":"db","token":"«REDACTED:secret_field_name»","user":"bob"}`)
		}},
		{"a short password, or one with signs in it, is missed", func(t *testing.T) {
			for _, password := range []string{"a!b@c,d", "p,w;1!", "x#Y9~", "hunter2!", "S3cr$t,x", "t0p&s=c"} {
				is(t, inText(t, `password = "`+password+`"`), `password = "«REDACTED:assigned_secret»"`)
				is(t, inLines(t, `{"password":"`+password+`"}`), `{"password":"«REDACTED:secret_field_name»"}`)
			}
			is(t, inText(t, "PASSWORD=changeme"), "PASSWORD=«REDACTED:assigned_secret»")
		}},
		{"a word in the middle of a random password clears it", func(t *testing.T) {
			for _, word := range []string{"hook", "test", "demo", "key", "null"} {
				value := made(20, alnum, 28) + word + made(21, alnum, 28)
				gone(t, inText(t, "API_TOKEN="+value), value)
				gone(t, inText(t, `secret: "`+value+`"`), value)
			}
		}},
		{"a directive in the text switches it off", func(t *testing.T) {
			for _, directive := range []string{"gitleaks:allow", "betterleaks:allow", "trufflehog:ignore", "pragma: allowlist secret", "secretlint-disable", "nosec", "ggignore"} {
				is(t, inText(t, "key := \""+ghp+"\" // "+directive), "key := \"«REDACTED:github_token»\" // "+directive)
				is(t, inText(t, "# "+directive+"\nkey := \""+ghp+"\""), "# "+directive+"\nkey := \"«REDACTED:github_token»\"")
			}
		}},
		{"a token that was cut off leaves half of itself", func(t *testing.T) {
			for _, token := range []string{ghp[:30], anthropic[:40], jwt[:len(jwt)-20], slack[:30], awsID[:20]} {
				gone(t, inText(t, "output: "+token), token)
			}
		}},
		{"colours before or in a token hide it", func(t *testing.T) {
			for _, code := range []string{"\x1b[31m", "\x1b[1;32m", "\x1b[0m", "\u200b", "\u200d", "\ufeff", "\u00ad", "\x1b]8;;x\x07"} {
				is(t, inText(t, "set "+code+ghp+"\x1b[0m ok"), "set "+code+"«REDACTED:github_token»\x1b[0m ok")
				is(t, inText(t, "set "+ghp[:9]+code+ghp[9:]+" ok"), "set «REDACTED:github_token» ok")
			}
			line := `{"out":"\u001b[32m` + ghp[:9] + `\u001b[0m` + ghp[9:] + ` ok"}`
			is(t, inLines(t, line), `{"out":"\u001b[32m«REDACTED:github_token» ok"}`)
		}},
		{"a text that holds a marker is let through", func(t *testing.T) {
			is(t, inText(t, "«REDACTED:github_token» and "+ghp+" and [REDACTED] ***"), "«REDACTED:github_token» and «REDACTED:github_token» and [REDACTED] ***")
			is(t, inText(t, "token: «REDACTED:assigned_secret»"), "token: «REDACTED:assigned_secret»")
		}},
		{"secrets that overlap are cut by chance", func(t *testing.T) {
			text := "Authorization: Bearer " + jwt + " token=" + ghp
			want := inText(t, text)
			gone(t, want, jwt)
			gone(t, want, ghp)
			for range 20 {
				is(t, inText(t, text), want)
			}
			is(t, inText(t, `{"token":"`+"pre-"+ghp+`"}`), `{"token":"«REDACTED:github_token»"}`) // the union, named by the earlier rule
		}},
		{"a value in JSON in a string takes its quote along, or ends at it", func(t *testing.T) {
			inner, err := json.Marshal(map[string]string{"password": `a"b\c` + opaque, "user": "bob"})
			if err != nil {
				t.Fatal(err)
			}
			outer, err := json.Marshal(map[string]string{"body": string(inner)})
			if err != nil {
				t.Fatal(err)
			}
			out := inLines(t, string(outer))
			gone(t, out, opaque)
			var back struct{ Body string }
			if err := json.Unmarshal([]byte(out), &back); err != nil {
				t.Fatalf("%v: %s", err, out)
			}
			is(t, back.Body, `{"password":"«REDACTED:assigned_secret»","user":"bob"}`)
		}},
		{"what is escaped, once or several times, or encoded is not seen", escapedOrEncoded},
		{"keys in PEM eat what is between them, or leak without an end", severalPEMs},
		{"of a secret of several lines only the first goes, or its base64 shows the rest", func(t *testing.T) {
			body := pemLines(16, 6)
			in := fmt.Sprintf("{\"private_key\":%q}\n{\"log\":%q}\n{\"log\":%q}\n", pem, "read "+body[65:129]+" back", base64.StdEncoding.EncodeToString([]byte("u:"+opaque)))
			out := inLines(t, in+`{"password":"`+opaque+`"}`)
			gone(t, out, body[65:129])
			gone(t, out, base64.StdEncoding.EncodeToString([]byte("u:" + opaque))[4:])
		}},
		{"a field is on no path that is looked at", func(t *testing.T) {
			for _, line := range []string{
				`{"meta":{"topic":%s}}`, `{"toolUseResult":{"stdout":%s}}`, `{"a":[[{"b":[%s]}]]}`, `{%s:1}`, `{"a":{%s:{"b":null}}}`, `[%s]`, `%s`,
				`{"message":{"content":[{"type":"tool_result","content":[{"type":"text","text":%s}]}]}}`, `{"message":{"content":[{"type":"tool_use","id":"t","input":{"x":%s}}]}}`,
			} {
				for _, text := range []string{ghp, "see " + ghp + "."} {
					gone(t, inLines(t, fmt.Sprintf(line, `"`+text+`"`)), ghp)
				}
			}
		}},
		{"on an error the original comes out", failsClosed},
		{"a rule for names eats where a key begins, or a password with a slash its URL", func(t *testing.T) {
			is(t, inText(t, "private_key: "+pem+"\nnext: 1"), "private_key: «REDACTED:private_key»\nnext: 1")
			is(t, inText(t, "PRIVATE_KEY=\""+pem+"\"\nnext"), "PRIVATE_KEY=\"«REDACTED:private_key»\"\nnext")
			is(t, inText(t, "postgres://app:p4/ss@w0rd@db.internal:5432/app"), "postgres://app:«REDACTED:url_credentials»@db.internal:5432/app")
			gone(t, inText(t, "DATABASE_URL=postgres://app:"+opaque+"@db/app"), opaque)
		}},
		{"the wrong line is cut", func(t *testing.T) {
			var matches []redact.Match
			r := redactor(t, redact.Options{Report: func(m redact.Match) { matches = append(matches, m) }})
			lines := []string{`{"a":"x"}`, `{"a":"é\n\u00e9 ` + ghp + ` y"}`, `{"a":"x"}`, ``, `no JSON ` + awsID}
			var out bytes.Buffer
			if err := r.Lines(t.Context(), &out, strings.NewReader(strings.Join(lines, "\r\n"))); err != nil {
				t.Fatal(err)
			}
			is(t, out.String(), strings.NewReplacer(ghp, "«REDACTED:github_token»", awsID, "«REDACTED:aws_access_key»").Replace(strings.Join(lines, "\r\n")))
			at := len("é\né ")
			is(t, fmt.Sprint(matches), fmt.Sprint([]redact.Match{
				{Rule: "github_token", Line: 2, Path: ".a", From: at, To: at + len(ghp)},
				{Rule: "aws_access_key", Line: 5, From: 8, To: 8 + len(awsID)},
			}))
		}},
	} {
		t.Run(c.name, c.test)
	}
}

func spelledOtherwise(t *testing.T) {
	token := "gh" + "p_" + made(31, alnum, 40)
	for _, value := range []string{
		`\u0067` + token[1:], token[:8] + `\u00` + fmt.Sprintf("%02X", token[8]) + token[9:], "\u2028" + token, "é" + " " + token, `\u00e9 ` + token, `\/ ` + token,
	} {
		out := inLines(t, `{"text":"`+value+`"}`)
		gone(t, out, token[9:])
		if !strings.Contains(out, "«REDACTED:github_token»") {
			t.Errorf("%s", out)
		}
	}
	is(t, inLines(t, `{"text":"https:\/\/bob:`+opaque+`@host\/x \u00e9"}`), `{"text":"https:\/\/bob:«REDACTED:url_credentials»@host\/x \u00e9"}`)
	is(t, inLines(t, `{"\u0070assword":"`+opaque+`"}`), `{"\u0070assword":"«REDACTED:secret_field_name»"}`)
}

func escapedOrEncoded(t *testing.T) {
	file, err := json.Marshal(map[string]string{"type": "service_account", "private_key": pem + "\n", "client_email": "x@y.iam"})
	if err != nil {
		t.Fatal(err)
	}
	body := pemLines(16, 6)
	text := string(file)
	for depth := range 5 {
		out := inText(t, text)
		for line := range strings.Lines(body) {
			gone(t, out, strings.TrimSpace(line))
		}
		if !strings.Contains(out, "service_account") || !strings.Contains(out, "x@y.iam") {
			t.Errorf("depth %d: too much is gone: %s", depth, out)
		}
		next, err := json.Marshal(text)
		if err != nil {
			t.Fatal(err)
		}
		text = string(next)
	}
	for skip := range 3 {
		encoded := base64.StdEncoding.EncodeToString([]byte("xyz"[:skip] + "GITHUB_TOKEN=" + ghp + "\n"))
		gone(t, inText(t, "data: "+encoded+" end"), encoded[24:len(encoded)-8])
	}
	encoded := base64.StdEncoding.EncodeToString(file)
	gone(t, inText(t, "GOOGLE_CREDENTIALS_B64="+encoded), base64.StdEncoding.EncodeToString([]byte(body))[300:340])
}

func severalPEMs(t *testing.T) {
	is(t, inText(t, pem+"\nbetween\n"+pem+"\nbehind"), "«REDACTED:private_key»\nbetween\n«REDACTED:private_key»\nbehind")
	open := strings.TrimSuffix(pem, "-----END "+"RSA PRIVATE KEY-----")
	out := inText(t, open+"\nThis is prose that follows it.\n")
	gone(t, out, pemLines(16, 6)[:64])
	gone(t, out, pemLines(16, 6)[5*65:5*65+64])
	if !strings.HasSuffix(out, "\nThis is prose that follows it.\n") {
		t.Errorf("too much is gone: %s", out)
	}
	is(t, inText(t, "-----BEGIN "+"CERTIFICATE-----\n"+pemLines(17, 3)+"-----END "+"CERTIFICATE-----"), "-----BEGIN "+"CERTIFICATE-----\n"+pemLines(17, 3)+"-----END "+"CERTIFICATE-----")
}

var errTest = errors.New("the disk is gone")

// failsClosed: where it cannot go on, it does not go on in the clear.
func failsClosed(t *testing.T) {
	in := strings.Repeat(`{"a":"`+ghp+`"}`+"\n", 50_000) // more than one buffer
	r := redactor(t, redact.Options{})
	for _, run := range []func(context.Context, io.Writer, io.ReadSeeker) error{r.Lines, r.Text} {
		for _, from := range []io.Reader{
			iotest.ErrReader(errTest),
			io.MultiReader(strings.NewReader(in[:1<<20+77]), iotest.ErrReader(errTest)),
			strings.NewReader(in), // cannot be read again
		} {
			var out bytes.Buffer
			if err := run(t.Context(), &out, broken{from}); !errors.Is(err, errTest) || out.Len() > 0 {
				t.Errorf("%v, %d bytes", err, out.Len())
			}
		}
	}
	is(t, r.Redact("x "+ghp, "").String(), "x «REDACTED:github_token»") // what failed once does not matter to what comes next
}

// broken is a file that cannot be read twice.
type broken struct{ io.Reader }

func (broken) Seek(int64, int) (int64, error) { return 0, errTest }
