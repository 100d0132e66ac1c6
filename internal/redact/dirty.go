// SPDX-License-Identifier: Apache-2.0

package redact

import (
	"bytes"
	"slices"

	"github.com/fiftyarms/platform/internal/redact/credential"
	"github.com/fiftyarms/platform/internal/redact/trigger"
)

// A look is how a word is looked at before anything is parsed: cheaply, and true wherever a rule could find something.
type look uint8

const (
	always   look = iota
	shaped        // more of a token follows
	isNamed       // it is part of a credential's name, and a value follows
	isVendor      // it is part of a name, and a value follows
	isURL         // a user follows
	isScheme      // something follows that is no word
	hidden        // what is written so has to be read before anything is found in it
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
			l&(1<<isVendor) != 0 && vendorAt(raw, hit.At),
			l&(1<<isURL) != 0 && userFollows(raw, hit.At),
			l&(1<<isScheme) != 0 && secretFollows(raw, hit.At):
			places = append(places, hit.At)
		}
	}
	if f.knows != nil {
		places = f.knows.Places(places, raw)
	}
	for at := 0; ; {
		r, ok := nextRun(raw, at)
		if !ok {
			return places
		}
		at = r.to
		if e, _ := encodingOf(raw[r.from:r.to]); e != nil {
			places = append(places, r.from)
		}
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
	if !edge {
		return false
	}
	end := f.tokenEnd(raw, hit.At)
	if end-hit.At < 8 {
		return false
	}
	rest := raw[min(hit.At+len(f.p.list[hit.Word].Text), end):end]
	if !slices.ContainsFunc(f.p.forms[hit.Word], func(s form) bool { return s.MayFollow(rest) }) {
		return false
	}
	if end < len(raw) && (raw[end] == '\'' || raw[end] == '"' || raw[end] == '`') { // something may be added
		for end++; end < len(raw) && raw[end] == ' '; end++ {
		}
		return end < len(raw) && bytes.IndexByte([]byte("+.&<|~\\\t\n\r"), raw[end]) >= 0
	}
	return end < len(raw) && (raw[end] == '\\' || raw[end] == '%' || raw[end] >= 0x80)
}

// nameAt tells whether a name of a credential stands at a hit, with a value.
func (f *finder) nameAt(raw []byte, hit trigger.Hit) bool {
	from, to := nameIn(raw, hit.At)
	kind := credential.Name(bytes.Trim(raw[from:to], "-.$"))
	if kind == credential.None {
		kind = credential.Name(spoken(raw, raw[from:to], from))
	}
	return kind != credential.None && valueFollows(raw, from, to, kind)
}

// vendorAt tells whether a value follows the name that a vendor's stands in.
func vendorAt(raw []byte, at int) bool {
	from, to := nameIn(raw, at)
	return valueFollows(raw, from, to, credential.Secret)
}

// nameIn is nameAround in the source of JSON, where the letter of an escape may stand before a name.
func nameIn(raw []byte, at int) (from, to int) {
	from, to = nameAround(raw, at)
	if from > 0 && raw[from-1] == '\\' && from < at {
		from++
	}
	return from, to
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
	case '(', ',': // a call
		return bytes.IndexByte([]byte("\"'`\\ "), raw[min(i+1, len(raw)-1)]) >= 0 && (i == to || raw[i] == ',')
	case '&', '%', '<':
		return true
	case '>':
		return from > 0 && raw[from-1] == '<' || i > to
	case '+', '.', '?', '|':
		return bytes.IndexByte(raw[i:min(i+3, len(raw))], '=') > 0
	default:
		if i == to || raw[to] != ' ' && raw[to] != '\t' {
			return bytes.HasPrefix(raw[i:], []byte("value="))
		}
		return bytes.ContainsAny(raw[to:i], "\"'`") || wordsFollow(raw, from, i)
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
	return digits || end-i >= 12 || end < len(raw) && bytes.IndexByte([]byte("\\ ,;)\"'"), raw[end]) < 0 || raw[min(end, len(raw)-1)] == ' '
}

// wordsFollow tells whether a value may follow a name and a space: of a flag, of a sentence, of a typed variable, in .netrc.
func wordsFollow(raw []byte, from, i int) bool {
	rest := raw[i:min(len(raw), i+32)]
	if bytes.HasPrefix(rest, []byte("is ")) || bytes.HasPrefix(bytes.TrimLeft(raw[from:i], ".$"), []byte("-")) || loginBefore(raw, from) {
		return true
	}
	equals := bytes.Index(rest, []byte(" ="))
	return equals > 0 && bytes.IndexByte(rest[:equals], ' ') < 0
}

// secretFollows tells whether something follows a word and a space that is no word.
func secretFollows(raw []byte, at int) bool {
	i := at
	for i < len(raw) && raw[i] != ' ' && i-at < 8 {
		i++
	}
	for i < len(raw) && raw[i] == ' ' {
		i++
	}
	end := tokenEnd(raw, i)
	return end-i >= 6 && !lowerOnly(raw[i:end]) || end < len(raw) && raw[end] == '\\'
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
