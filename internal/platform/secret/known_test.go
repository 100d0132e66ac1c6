// SPDX-License-Identifier: Apache-2.0

package secret_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/fiftyarms/platform/internal/platform/secret"
)

func TestKnown(t *testing.T) {
	plain := "50a_" + strings.Repeat("k", 20)
	odd := `50a"\<` + strings.Repeat("z", 20)
	var known secret.Known
	for _, text := range []string{plain, plain, odd, plain + "-longer", "", "short"} {
		known.Add(secret.New(text))
	}
	inJSON, err := json.Marshal(odd)
	if err != nil {
		t.Fatal(err)
	}
	for in, want := range map[string]string{
		"":                                      "",
		"nothing, short":                        "nothing, short",
		"a " + plain + plain:                    "a [secret][secret]",
		plain + "-longer":                       "[secret]",
		"x" + odd + "y":                         "x[secret]y",
		"in JSON " + string(inJSON):             `in JSON "[secret]"`,
		"in Go " + fmt.Sprintf("%q", odd) + ".": `in Go "[secret]".`,
	} {
		if got := known.Hide(in); got != want {
			t.Errorf("Hide(%q): %q, want %q", in, got, want)
		}
		if got := known.HideBytes([]byte(in)); string(got) != want {
			t.Errorf("HideBytes(%q): %q, want %q", in, got, want)
		}
		var b bytes.Buffer
		if n, err := known.Writer(&b).Write([]byte(in)); err != nil || n != len(in) || b.String() != want {
			t.Errorf("Write(%q): %q, %d, %v", in, b.String(), n, err)
		}
	}
	body := []byte("no secret in it")
	if got := known.HideBytes(body); &got[0] != &body[0] {
		t.Error("copied for nothing")
	}
	var none *secret.Known
	none.Add(secret.New(plain))
	if none.Hide(plain) != plain {
		t.Error("nil hides")
	}
}
