// SPDX-License-Identifier: Apache-2.0

package redact_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/fiftyarms/platform/internal/redact"
)

// Secret-shaped strings are put together here, so that the repository holds none.
var (
	key    = "AKIA" + "Q3EGRIFM7PJYQZ4N"
	github = "ghp" + "_" + "b7Rk2mXq9LtVw4Zs8NcYp1Hd6Jf3Gx0TaEuB"
)

func TestLines(t *testing.T) {
	r, err := redact.New(redact.Options{})
	if err != nil {
		t.Fatal(err)
	}
	in := strings.Join([]string{
		`{"type":"user","message":{"content":"export GITHUB_TOKEN=` + github + `\nnext"}}`,
		`{"clean":"line \u00e9 \/ as it is",  "n":1.50}`,
		`no JSON, ` + key + ` all the same`,
		`{"later":"` + github + `"}`,
	}, "\n")
	want := strings.Join([]string{
		`{"type":"user","message":{"content":"export GITHUB_TOKEN=«REDACTED:github_token»\nnext"}}`,
		`{"clean":"line \u00e9 \/ as it is",  "n":1.50}`,
		`no JSON, «REDACTED:aws_access_key» all the same`,
		`{"later":"«REDACTED:github_token»"}`,
	}, "\n")
	var out bytes.Buffer
	if err := r.Lines(t.Context(), &out, strings.NewReader(in)); err != nil {
		t.Fatal(err)
	}
	if out.String() != want {
		t.Errorf("got\n%s\nwant\n%s", out.String(), want)
	}
}

// What stands on the next line is no rest of a credential if it is one itself.
func TestNeighbours(t *testing.T) {
	is(t, inText(t, "token="+ghp+"\n"+awsID+"\n"), "token=«REDACTED:github_token»\n«REDACTED:aws_access_key»\n")
	is(t, inLines(t, `{"t":"`+awsID+`\n`+ghp+`"}`), `{"t":"«REDACTED:aws_access_key»\n«REDACTED:github_token»"}`)
}

// A value with a backslash is taken out elsewhere too, where nothing beside it tells.
func TestBackslashIsLearned(t *testing.T) {
	is(t, inLines(t, `{"password":"Kq7\\vX2m9\\Lp4"}`+"\n"+`{"said":"it was Kq7\\vX2m9\\Lp4 then"}`),
		`{"password":"«REDACTED:secret_field_name»"}`+"\n"+`{"said":"it was «REDACTED:secret_field_name» then"}`)
}
