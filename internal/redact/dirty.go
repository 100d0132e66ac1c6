// SPDX-License-Identifier: Apache-2.0

package redact

import (
	"bytes"

	"github.com/fiftyarms/platform/internal/redact/credential"
	"github.com/fiftyarms/platform/internal/redact/trigger"
)

// A look is how a word is looked at before anything is parsed: cheaply, and true wherever a rule could find something.
type look uint8

const (
	always  look = iota
	shaped       // more of a token follows
	isNamed      // it is part of a credential's name, or of a vendor's, and a value follows
	isURL        // a user follows
	hidden       // what is written so has to be read before anything is found in it
)

// dirty appends where in the source of JSON something may be to redact. Nearly all lines have nothing.
func (f *finder) dirty(places []int, raw []byte) []int {
	f.raw = f.p.words.Append(f.raw[:0], raw)
	f.scans++
	for _, hit := range f.raw {
		switch l := f.p.looks[hit.Word]; {
		case l&(1<<hidden) != 0:
			f.hidden = true
			places = append(places, hit.At)
		case l&(1<<always) != 0,
			l&(1<<shaped) != 0 && f.tokenFollows(raw, hit),
			l&(1<<isNamed) != 0 && f.nameAt(raw, hit),
			l&(1<<isURL) != 0 && userFollows(raw, hit.At):
			places = append(places, hit.At)
		}
	}
	if f.knows != nil {
		places = f.knows.Places(places, raw)
	}
	for at := 0; ; {
		from, to, ok := nextRun(raw, at)
		if !ok {
			return places
		}
		if readable(raw[from:to]) {
			places = append(places, from)
		}
		at = to
	}
}

// tokenFollows tells whether a token of the word's shapes stands at a hit, or one that is broken.
func (f *finder) tokenFollows(raw []byte, hit trigger.Hit) bool {
	edge := leftEdge(raw, hit.At)
	for _, form := range f.p.forms[hit.Word] {
		if !edge && !form.anywhere && !form.Backward() || f.walked(form.walk, hit.At) {
			continue
		}
		m, ok := form.Match(raw, hit.At)
		f.walk(form.walk, hit.At, m.To)
		if ok {
			return true
		}
	}
	if len(f.p.forms[hit.Word]) == 0 || !edge {
		return edge
	}
	end := f.tokenEnd(raw, hit.At)
	if end < len(raw) && (raw[end] == '\'' || raw[end] == '"' || raw[end] == '`') { // something may be added
		for end++; end < len(raw) && raw[end] == ' '; end++ {
		}
		return end < len(raw) && bytes.IndexByte([]byte("+.&<|~\\\t\n\r"), raw[end]) >= 0
	}
	return end < len(raw) && (raw[end] == '\\' || raw[end] == '%' || raw[end] >= 0x80)
}

// nameAt tells whether a name of a credential or of a vendor stands at a hit, with a value.
func (f *finder) nameAt(raw []byte, hit trigger.Hit) bool {
	from, to := hit.At, hit.At
	for from > 0 && hit.At-from < maxName && nameByte(raw[from-1]) {
		from--
	}
	for to < len(raw) && to-hit.At < maxName && nameByte(raw[to]) {
		to++
	}
	if from > 0 && raw[from-1] == '\\' && from < hit.At {
		from++ // the letter of an escape
	}
	kind := credential.Secret
	if !f.p.vendors[hit.Word] {
		if kind = credential.Name(bytes.Trim(raw[from:to], "-.$")); kind == credential.None {
			kind = credential.Name(spoken(raw, raw[from:to], from))
		}
	}
	return kind != credential.None && valueFollows(raw, from, to, kind)
}

// valueFollows tells whether a name may be given a value that can be a credential.
func valueFollows(raw []byte, from, to int, kind credential.Kind) bool {
	i := to
	for i < len(raw) && i-to < 40 && (raw[i] == '"' || raw[i] == '\'' || raw[i] == '`' || raw[i] == '\\' || raw[i] == ' ' || raw[i] == '\t' || raw[i] == ']') {
		i++
	}
	if i == len(raw) {
		return false
	}
	switch raw[i] {
	case '=', ':':
	case '>', '(', ',', '&', '%', '<', '+', '.':
		return true
	default: // a flag, a sentence, .netrc, a value in quotes, an attribute
		return i > to
	}
	if raw[i] == '=' && i+1 < len(raw) && raw[i+1] == '=' {
		return false
	}
	for i < len(raw) && (raw[i] == '=' || raw[i] == ':' || raw[i] == '>' || raw[i] == ' ' || raw[i] == '\t') {
		i++
	}
	for list := false; i < len(raw) && (raw[i] == '[' || list && raw[i] == ' '); i++ { // each of a list is called what the list is
		list = true
	}
	if i == len(raw) || raw[i] == '{' || raw[i] == ')' || raw[i] == ']' {
		return false
	}
	if kind == credential.Password || raw[i] == '"' || raw[i] == '\\' || raw[i] == '\'' || raw[i] == '`' {
		return true
	}
	digits, end := false, i
	for end < len(raw) && nameByte(raw[end]) {
		digits = digits || '0' <= raw[end] && raw[end] <= '9'
		end++
	}
	return digits || end-i >= 20 || end < len(raw) && bytes.IndexByte([]byte("\\ ,;)\"'"), raw[end]) < 0 || raw[min(end, len(raw)-1)] == ' '
}

// userFollows tells whether a URL that goes on at a place has a user.
func userFollows(raw []byte, at int) bool {
	for i := at + 3; i < len(raw) && i-at < maxUser && !urlEnds(raw[i]); i++ {
		if raw[i] == '@' || raw[i] == '%' {
			return true
		}
	}
	return false
}

// readable tells whether a run may be encoded text.
func readable(run []byte) bool {
	if hexOnly(run) && len(run)%2 == 0 {
		return true
	}
	var head [12]byte
	for skip := 0; skip < 4 && len(run)-skip >= minRun; skip++ {
		if n := decode64(head[:0], run[skip:skip+16]); len(n) == 12 && printable(n) && ascii(n) {
			return true
		}
	}
	return false
}
