// SPDX-License-Identifier: Apache-2.0

package handler

import (
	"encoding/base64"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/fiftyarms/platform/internal/store"
)

// cursor writes a place in a list as text that means nothing to a caller.
func cursor(p store.Position) string {
	return base64.RawURLEncoding.EncodeToString(fmt.Appendf(nil, "%d.%s", p.At.UnixMilli(), p.ID))
}

// parseCursor takes exactly what cursor writes.
func parseCursor(s string) (store.Position, error) {
	text, err := base64.RawURLEncoding.Strict().DecodeString(s)
	if err != nil {
		return store.Position{}, err
	}
	at, id, _ := strings.Cut(string(text), ".")
	ms, err := strconv.ParseInt(at, 10, 64)
	if err != nil {
		return store.Position{}, err
	}
	p := store.Position{At: time.UnixMilli(ms).UTC(), ID: id}
	if id == "" || strings.Trim(id, "0123456789abcdef") != "" || cursor(p) != s {
		return store.Position{}, errors.New("not a cursor")
	}
	return p, nil
}
