// SPDX-License-Identifier: Apache-2.0

package secret_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"github.com/fiftyarms/platform/internal/platform/secret"
)

func TestNeverShown(t *testing.T) {
	plain := strings.Repeat("k", 3) + "ey"
	s := secret.New(plain)
	type holder struct {
		Public  secret.Text
		private secret.Text
	}
	h := holder{s, s}
	var logged bytes.Buffer
	slog.New(slog.NewTextHandler(&logged, nil)).Info("signed in", "key", s, "holder", h)
	encoded, err := json.Marshal(h)
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"%v": fmt.Sprint(s), "%q": fmt.Sprintf("%q", s), "%#v": fmt.Sprintf("%#v", s),
		"holder": fmt.Sprintf("%v %+v %#v", h, h, &h), "log": logged.String(), "json": string(encoded),
	} {
		if strings.Contains(text, plain) {
			t.Errorf("%s shows the secret: %s", name, text)
		}
	}
	if s.Reveal() != plain {
		t.Errorf("Reveal gives %q", s.Reveal())
	}
}

func TestEqual(t *testing.T) {
	a := secret.New("a")
	if !a.Equal(secret.New("a")) || a.Equal(secret.New("b")) || a.Equal(secret.Text{}) || !secret.New("").IsZero() {
		t.Error("equality is by content")
	}
}

func TestSendable(t *testing.T) {
	for text, want := range map[string]bool{"50a_x": true, "": false, "a b": false, "a\n": false, "a\r\nX: y": false, "é": false, "a\x7f": false} {
		if got := secret.New(text).Sendable(); got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
}
