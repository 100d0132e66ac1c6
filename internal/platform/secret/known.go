// SPDX-License-Identifier: Apache-2.0

package secret

import (
	"bytes"
	"encoding/json"
	"io"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// shortest is the length from which a secret is looked for in other text, in bytes. A shorter one would take ordinary
// words apart, and no dashboard makes any.
const shortest = 8

// Known hides the secrets that a process has held in whatever goes through it: raw, or as JSON or Go write them between
// quotes. A secret is hidden for as long as the process lives, also when it is no longer in use. A nil *Known hides
// nothing. It is safe for concurrent use.
type Known struct {
	mu    sync.RWMutex
	forms [][]byte // longest first, so that no secret hides only a part of another
}

// Add makes a secret known.
func (k *Known) Add(t Text) {
	text := t.Reveal()
	if k == nil || len(text) < shortest {
		return
	}
	inJSON, err := json.Marshal(text)
	if err != nil {
		inJSON = []byte(strconv.Quote(text)) // cannot be: strings have JSON
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, form := range []string{text, unquoted(string(inJSON)), unquoted(strconv.Quote(text))} {
		if !slices.ContainsFunc(k.forms, func(b []byte) bool { return string(b) == form }) {
			k.forms = append(k.forms, []byte(form))
		}
	}
	slices.SortStableFunc(k.forms, func(a, b []byte) int { return len(b) - len(a) })
}

func unquoted(s string) string { return s[1 : len(s)-1] }

// Hide puts "[secret]" where a known secret stands. A text without any is returned as it is.
func (k *Known) Hide(text string) string {
	for _, form := range k.all() {
		text = strings.ReplaceAll(text, string(form), shown)
	}
	return text
}

// HideBytes is Hide for bytes. It returns b itself, not a copy, when there is nothing to hide.
func (k *Known) HideBytes(b []byte) []byte {
	for _, form := range k.all() {
		if bytes.Contains(b, form) {
			b = bytes.ReplaceAll(b, form, []byte(shown))
		}
	}
	return b
}

func (k *Known) all() [][]byte {
	if k == nil {
		return nil
	}
	k.mu.RLock()
	defer k.mu.RUnlock()
	return slices.Clone(k.forms)
}

// Writer hides what is written to w. A secret that is cut between two writes passes: one write is to hold a whole line.
func (k *Known) Writer(w io.Writer) io.Writer { return hiding{k, w} }

type hiding struct {
	known *Known
	w     io.Writer
}

func (h hiding) Write(p []byte) (int, error) {
	if _, err := h.w.Write(h.known.HideBytes(p)); err != nil {
		return 0, err
	}
	return len(p), nil
}
