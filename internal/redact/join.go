// SPDX-License-Identifier: Apache-2.0

package redact

import (
	"bytes"

	"github.com/fiftyarms/platform/internal/redact/char"
	"github.com/fiftyarms/platform/internal/redact/credential"
	"github.com/fiftyarms/platform/internal/redact/view"
)

const (
	maxJoins = 8
	maxJoin  = 2048 // bytes of a credential in pieces
)

// tokenByte tells whether credentials hold a byte.
func tokenByte(c byte) bool {
	return char.Alnum(c) || c == '_' || c == '-' || c == '.' || c == '+' || c == '/' || c == '=' || c == '~' || c == ':'
}

// joined is a credential that begins at a place and is written in pieces: over several lines, or as strings that are added.
// try is asked with each piece that is added, until it takes what there is.
func (f *finder) joined(text []byte, at int, try func(v *view.View) bool) {
	end := f.tokenEnd(text, at)
	v := view.Of(text[at:min(len(text), at+maxJoin)])
	v.Keep(0, min(end-at, maxJoin))
	for range maxJoins {
		next, _, ok := pieceAfter(text, end)
		if !ok || next-at >= maxJoin {
			return
		}
		end = min(pieceEnd(text, next), at+maxJoin)
		if v.Keep(next-at, end-at); try(v) {
			return
		}
	}
}

// tokenEnd is tokenEnd, which is looked for once, wherever in a token the places are that it is asked for.
func (f *finder) tokenEnd(text []byte, at int) int {
	if f.walked(walksToken, at) {
		return f.walks[walksToken].to
	}
	end := tokenEnd(text, at)
	f.walk(walksToken, at, end)
	return end
}

func tokenEnd(text []byte, at int) int {
	for at < len(text) && tokenByte(text[at]) {
		at++
	}
	return at
}

// pieceEnd is where a piece of a credential ends that begins at a place, or from where on it is too long to be one.
func pieceEnd(text []byte, at int) int { return tokenEnd(text[:min(len(text), at+maxJoin)], at) }

// pieceAfter is where the next piece of a credential may begin whose piece ends at i, and whether a program would add them.
func pieceAfter(text []byte, i int) (next int, added, ok bool) {
	j := i
	quote := byte(0)
	if j < len(text) && (text[j] == '"' || text[j] == '\'' || text[j] == '`') {
		quote = text[j]
		j++
	}
	blank := j
	for j < len(text) && j-i < 64 && (text[j] == ' ' || text[j] == '\t') {
		j++
	}
	line := false
	if quote != 0 {
		for _, operator := range []string{"+", "..", ".", "&", "<>", "||", "~"} {
			if bytes.HasPrefix(text[j:], []byte(operator)) {
				j += len(operator)
				added = true
				break
			}
		}
		for j < len(text) && (text[j] == ' ' || text[j] == '\t' || text[j] == '_') {
			j++
		}
	} else if j != blank {
		return 0, false, false // what follows a space is another word
	}
	if j < len(text) && text[j] == '\\' && j+1 < len(text) && (text[j+1] == '\n' || text[j+1] == '\r') {
		added = true
		j++
	}
	if j < len(text) && text[j] == '\r' {
		j++
	}
	if j < len(text) && text[j] == '\n' {
		line = true
		j++
		if quote == 0 && j < len(text) && (text[j] == '+' || text[j] == '-' || text[j] == '|' || text[j] == '>') {
			j++ // of a diff, of a quotation
		}
	}
	for j < len(text) && j-i < 160 && (text[j] == ' ' || text[j] == '\t') {
		j++
	}
	if quote == 0 {
		return j, added, line && j < len(text) && tokenByte(text[j])
	}
	if !added && !line {
		return 0, false, false
	}
	if !added && bytes.HasPrefix(text[j:], []byte("+")) {
		added = true
		for j++; j < len(text) && (text[j] == ' ' || text[j] == '\t'); j++ {
		}
	}
	if j+1 < len(text) && (text[j] == '"' || text[j] == '\'' || text[j] == '`') && tokenByte(text[j+1]) {
		return j + 1, true, true
	}
	return 0, false, false
}

// continued is where a credential ends that is whole as it is, but may go on behind a break: what a program adds does; a line
// that is nothing but something random does too.
func (f *finder) continued(text []byte, from, to int) int {
	for range maxJoins {
		next, added, ok := pieceAfter(text, to)
		if !ok || to-from > maxJoin {
			return to
		}
		end := tokenEnd(text, next)
		if !added {
			whole := end == len(text) || text[end] == '\n' || text[end] == '\r' || text[end] == '"' || text[end] == '\\' || text[end] == '\''
			if !whole || !scrap(text[next:end], text[from:to]) || f.begins(text[next:end]) {
				return to
			}
		}
		to = end
	}
	return to
}

// begins tells whether a line begins with a credential that has a shape: it is no rest of another.
func (f *finder) begins(line []byte) bool {
	for _, hit := range f.p.words.Append(nil, line[:min(len(line), 32)]) {
		for _, form := range f.p.forms[hit.Word] {
			if hit.At != 0 {
				continue
			}
			if _, ok := form.Match(line, 0); ok {
				return true
			}
		}
	}
	return false
}

// scrap tells whether a line can be the rest of a credential: as random as what stands before it.
func scrap(piece, before []byte) bool {
	if len(piece) < 4 || bytes.IndexByte(piece, ':') >= 0 || bytes.IndexByte(bytes.TrimRight(piece, "="), '=') >= 0 {
		return false
	}
	if credential.Random(piece) || hexOnly(piece) && hexOnly(before) {
		return true
	}
	digits, letters := false, false
	for _, c := range piece {
		if '0' <= c && c <= '9' {
			digits = true
		} else if char.Alnum(c) {
			letters = true
		}
	}
	return credential.Random(before) && (digits && letters || mixedCase(piece) && !credential.WordsOnly(piece))
}

func mixedCase(v []byte) bool {
	for i := 1; i < len(v); i++ {
		if 'a' <= v[i-1] && v[i-1] <= 'z' && 'A' <= v[i] && v[i] <= 'Z' && i > 1 {
			return true
		}
	}
	return false
}

func hexOnly(v []byte) bool {
	for _, c := range v {
		if !char.Hex(c) && c != '-' {
			return false
		}
	}
	return len(v) > 0
}
