// SPDX-License-Identifier: Apache-2.0

package handler

import (
	"encoding/base64"
	"testing"
	"time"

	"github.com/fiftyarms/platform/internal/store"
)

// A cursor comes back as the place that it names, and nothing else is taken for one.
func TestCursors(t *testing.T) {
	at := time.UnixMilli(1767323045123).UTC()
	takesOnly(t, byTime, store.Position{At: at, ID: "0c4b1e2a9d4c5fb1a2c3d4e5f607183b"},
		"", "12", "12.", ".ab", "x.ab", "01.ab", "12.a\x00b", "12.'; DROP TABLE", "99999999999999999999.ab")
	takesOnly(t, byNumber, 41, "", "x", "041", "+41", " 41", "41 ", "4.1", "99999999999999999999")
	takesOnly(t, byColumn, store.IssuePlace{Board: 2, Status: "In Progress", Position: -3, ID: "SHOP-7"},
		"", "2.In Progress.3", "2.In Progress.3.SHOP-7.8", "2.Doing.3.SHOP-7", "x.Done.3.SHOP-7", "2.Done.x.SHOP-7",
		"2.Done.3.shop-7", "2.Done.3.SHOP-7\x00", "02.Done.3.SHOP-7")
}

func takesOnly[Place comparable](t *testing.T, kind places[Place], want Place, bad ...string) {
	t.Helper()
	text := kind.cursor(want)
	if got, err := kind.parse(text); err != nil || got != want {
		t.Errorf("%q is read as %+v, %v", text, got, err)
	}
	wrong := []string{"", "x", "!", text + "A", text[:len(text)-1], text + "="}
	for _, b := range bad {
		wrong = append(wrong, base64.RawURLEncoding.EncodeToString([]byte(b)))
	}
	for _, b := range wrong {
		if got, err := kind.parse(b); err == nil {
			t.Errorf("%q is taken for %+v", b, got)
		}
	}
}
