// SPDX-License-Identifier: Apache-2.0

package redact

import (
	"bytes"

	"github.com/fiftyarms/platform/internal/redact/char"
	"github.com/fiftyarms/platform/internal/redact/credential"
)

const (
	maxName   = 80   // bytes of a name on either side of what triggers it
	maxValue  = 4096 // bytes of a value
	longValue = 1024 // of one that nothing quotes: it is read once
)

// An assigned is a name with a value, however they are written.
type assigned struct {
	name     []byte
	from, to int  // the value
	quote    byte // around it; 0 for none
	how      how
	flag     bool // of a command line
}

type how uint8

const (
	setTo      how = iota // name = value, name: value, "name": value
	flagTo                // --name value
	callTo                // name("value"), "name", "value"
	proseTo               // name is value
	comparedTo            // name == value
	inElement             // <name>value</name>
)

// assignment looks for a value behind a name in which a word of credentials stands.
func (f *finder) assignment(p place, at int) {
	if f.walked(walksValue, at) {
		return
	}
	kind := credential.None
	a, ok := assignmentAt(p.text, at, func(name []byte) bool {
		if kind = credential.Name(name); kind == credential.None {
			kind = credential.Name(spoken(p.text, name, at))
		}
		return kind != credential.None
	})
	if !ok {
		return
	}
	if a.to = trimmed(p.text, &a); a.to <= a.from {
		return
	}
	if a.quote == 0 && credential.Named(p.text[a.from:a.to]) { // a scheme, before what it is for
		if from, ok := behind(p.text, a.to); ok && authorized(p.text, a.from) {
			to := from
			for to < len(p.text) && tokenByte(p.text[to]) {
				to++
			}
			if credential.Mixed(p.text[from:to]) && !credential.Placeholder(p.text[from:to]) {
				f.add(p, from, to, f.p.assigned)
			}
			return
		}
	}
	if a.isCredential(p.text, kind) {
		f.value(p, a, f.p.assigned)
	} else if a.to-a.from < longValue {
		return
	}
	if a.quote == 0 { // what is in it is of it; of a long one that is so even if it is none
		f.walk(walksValue, a.from, a.to)
	}
}

// value marks a value, with what of it stands behind a break.
func (f *finder) value(p place, a assigned, rule int) {
	to := a.to
	if a.quote != 0 || credential.Random(p.text[a.from:a.to]) {
		to = f.continued(p.text, a.from, a.to)
	}
	f.add(p, a.from, to, rule)
}

// vendor looks for a value behind the name of who gives out credentials that have no shape of their own.
func (f *finder) vendor(p place, at, vendor int) {
	a, ok := assignmentAt(p.text, at, func([]byte) bool { return true })
	if !ok || a.how == proseTo {
		return
	}
	if a.to = trimmed(p.text, &a); a.to <= a.from || credential.Placeholder(p.text[a.from:a.to]) {
		return
	}
	for _, row := range f.p.named[vendor] {
		if m, ok := row.match(p.text[a.from:a.to]); ok {
			f.value(p, assigned{from: a.from + m.SecretFrom, to: a.from + m.SecretTo, quote: a.quote}, row.rule)
		}
	}
}

// isCredential tells whether a value can be what its name says.
func (a *assigned) isCredential(text []byte, kind credential.Kind) bool {
	value := text[a.from:a.to]
	if credential.Placeholder(value) || bytes.EqualFold(value, a.name) || a.quote == 0 && a.to < len(text) && text[a.to] == '<' {
		return false
	}
	if bytes.Contains(value, []byte("://")) { // where it is had, or a URL that holds one: another rule's
		return false
	}
	if kind != credential.Password && credential.Run(value) {
		return false
	}
	mixed := credential.Mixed(value)
	switch {
	case a.how == comparedTo:
		return a.quote != 0 && (mixed || kind == credential.Password && len(value) >= 6 && credential.Quoted(value, kind))
	case kind == credential.Weak:
		return credential.Random(value) && (a.quote != 0 && a.how != callTo || !credential.Code(value))
	case a.how == callTo:
		return mixed && a.quote != 0 && kind == credential.Password ||
			!credential.Code(value) && (credential.Random(value) || mixed && len(value) >= 12)
	case a.how == proseTo:
		return mixed || a.quote != 0 && kind == credential.Password && credential.Quoted(value, kind)
	case a.quote != 0:
		return (mixed || !addedTo(text, a.to+1)) && credential.Quoted(value, kind)
	}
	return credential.Bare(value, kind, a.setting(text))
}

// setting is what stands around a value that nothing quotes.
func (a *assigned) setting(text []byte) credential.Setting {
	flagFollows := a.to+1 < len(text) && text[a.to+1] == '-'
	return credential.Setting{
		Tight: a.how == flagTo || a.from > 0 && text[a.from-1] == '=',
		Last:  a.ends(text) || a.flag && (a.how == setTo || flagFollows),
		Prose: a.to+1 < len(text) && text[a.to] == ' ' && char.Lower(text[a.to+1]),
	}
}

// ends tells whether a value is the last of its line.
func (a *assigned) ends(text []byte) bool {
	i := a.to
	for i < len(text) && (text[i] == ' ' || text[i] == '\t') {
		i++
	}
	return i == len(text) || text[i] == '\n' || text[i] == '\r' || i > a.to && text[i] == '#'
}

// addedTo tells whether a program adds a variable to the string that ends before a place.
func addedTo(text []byte, at int) bool {
	rest := bytes.TrimLeft(text[min(at, len(text)):min(at+8, len(text))], " ")
	if len(rest) < 2 || rest[0] != '+' && rest[0] != '.' {
		return false
	}
	rest = bytes.TrimLeft(rest[1:], " ")
	return len(rest) > 0 && (nameByte(rest[0]) || rest[0] == '(')
}

// nameAround is the name that a place is in, or beside.
func nameAround(text []byte, at int) (from, to int) {
	from, to = at, at
	for from > 0 && at-from < maxName && nameByte(text[from-1]) {
		from--
	}
	for to < len(text) && to-at < maxName && nameByte(text[to]) {
		to++
	}
	return from, to
}

// assignmentAt reads the assignment of a name in which something stands at a place, if the name is one that is wanted.
func assignmentAt(text []byte, at int, wanted func(name []byte) bool) (a assigned, ok bool) {
	from, to := nameAround(text, at)
	for to > from && (text[to-1] == '-' || text[to-1] == '.') { // an arrow, a sentence
		to--
	}
	for ; from < to && (text[from] == '-' || text[from] == '.' || text[from] == '$'); from++ {
		if text[from] == '-' && from+1 < to && (text[from+1] == '-' || from == 0 || bytes.IndexByte([]byte(` '"`), text[from-1]) >= 0) {
			a.flag = true
		}
	}
	if a.name = text[from:to]; from == to || !wanted(a.name) {
		return a, false
	}
	quoted := to < len(text) && quote(text[to])
	i := to
	if quoted {
		i++
	}
	for i < len(text) && (text[i] == ']' || text[i] == ' ' || text[i] == '\t') && i-to < 24 {
		i++
	}
	if i, ok = a.given(text, from, to, i, quoted); !ok {
		return a, false
	}
	if a.how == inElement {
		return element(text, a, i)
	}
	for i < len(text) && (text[i] == ' ' || text[i] == '\t') {
		i++
	}
	if !quoted && i < len(text) && from > 0 && text[i] == text[from-1] && (text[i] == '"' || text[i] == '\'') {
		return a, false // what ends here is the text that the name is in
	}
	return readValue(text, a, i)
}

func quote(c byte) bool { return c == '"' || c == '\'' || c == '`' }

// given tells how what stands behind a name and spaces gives it a value, and passes that.
func (a *assigned) given(text []byte, from, to, i int, quoted bool) (int, bool) {
	if i >= len(text) {
		return i, false
	}
	bare := i > to && !quoted // only spaces stand behind the name
	if bare {
		i = typed(text, i)
	}
	i = added(text, i)
	switch rest := text[i:]; {
	case rest[0] == '=' && len(rest) > 1 && rest[1] == '=', rest[0] == '!' && len(rest) > 1 && rest[1] == '=':
		a.how = comparedTo
		return i + len(rest) - len(bytes.TrimLeft(rest, "=!")), true
	case rest[0] == '=', rest[0] == ':':
		return sign(text, i)
	case rest[0] == '>' && from > 0 && text[from-1] == '<' && i == to:
		a.how = inElement
		return i + 1, true
	case rest[0] == ',' && quoted && from > 0 && text[from-1] == text[to], rest[0] == '(' && i == to:
		a.how = callTo
		return i + 1, true
	case a.flag && bare:
		a.how = flagTo
		return i, true
	case quoted && bytes.HasPrefix(rest, []byte("value=")):
		return i + len("value="), true
	case bare && bytes.HasPrefix(rest, []byte("is ")):
		a.how = proseTo
		return i + len("is "), true
	case bare && (rest[0] == '\'' || rest[0] == '"'):
		a.how = callTo
		return i, true
	case bare && loginBefore(text, from):
		a.how = flagTo
		return i, true
	}
	return i, false
}

// added goes to the sign of an assignment of what is not set, or of one that adds: ?=, .=, +=, ||=.
func added(text []byte, i int) int {
	j := i
	if j+1 >= len(text) || bytes.IndexByte([]byte("?.+|"), text[j]) < 0 {
		return i
	}
	for text[j] == '|' && j+1 < len(text) {
		j++
	}
	if text[j] != '=' && j+1 < len(text) {
		j++
	}
	if text[j] == '=' {
		return j
	}
	return i
}

// typed passes the type of a variable: name string = value.
func typed(text []byte, i int) int {
	j := i
	for j < len(text) && j-i < 24 && (nameByte(text[j]) || text[j] == '[' || text[j] == ']' || text[j] == '*') {
		j++
	}
	if j > i && j+1 < len(text) && text[j] == ' ' && text[j+1] == '=' && (j+2 == len(text) || text[j+2] != '=') {
		return j + 1
	}
	return i
}

// loginBefore tells whether a name stands in a line of .netrc.
func loginBefore(text []byte, at int) bool {
	before := text[max(0, at-200):at]
	return bytes.Contains(before, []byte("login ")) && bytes.Contains(before, []byte("machine "))
}

func nameByte(c byte) bool {
	return char.Alnum(c) || c == '_' || c == '-' || c == '.' || c == '$'
}

// sign passes the sign of an assignment.
func sign(text []byte, i int) (int, bool) {
	rest := text[i:]
	switch {
	case bytes.HasPrefix(rest, []byte("::")):
		n := 0
		for ; n < len(rest) && rest[n] == ':'; n++ {
		}
		if n > 3 || n == len(rest) || rest[n] != '=' {
			return i, false
		}
		return i + n + 1, true
	case bytes.HasPrefix(rest, []byte("=>")), bytes.HasPrefix(rest, []byte(":=")):
		return i + 2, true
	}
	if rest[0] == ':' { // name: type = value
		j := i + 1
		for j < len(text) && text[j] == ' ' {
			j++
		}
		k := j
		for k < len(text) && k-j < 40 && (nameByte(text[k]) || text[k] == '[' || text[k] == ']') {
			k++
		}
		if k > j && k+2 < len(text) && text[k] == ' ' && text[k+1] == '=' && text[k+2] == ' ' {
			return k + 2, true
		}
	}
	return i + 1, true
}

// element reads what stands in an element of XML.
func element(text []byte, a assigned, i int) (assigned, bool) {
	end := bytes.IndexByte(text[i:min(len(text), i+maxValue)], '<')
	if end <= 0 || i+end+1 >= len(text) || text[i+end+1] != '/' {
		return a, false
	}
	a.from, a.to, a.quote = i, i+end, '>'
	for a.from < a.to && (text[a.from] == ' ' || text[a.from] == '\n' || text[a.from] == '\t' || text[a.from] == '\r') {
		a.from++
	}
	for a.to > a.from && (text[a.to-1] == ' ' || text[a.to-1] == '\n' || text[a.to-1] == '\t' || text[a.to-1] == '\r') {
		a.to--
	}
	return a, a.to > a.from
}

// spoken is a name with the words before it, as people write of a key or a token: "the aws secret key: …".
func spoken(text, name []byte, at int) []byte {
	from := max(0, at-60)
	if line := bytes.LastIndexByte(text[from:at], '\n'); line >= 0 {
		from += line + 1
	}
	start := at
	for start > from && nameByte(text[start-1]) {
		start--
	}
	end := start + len(name)
	if end > len(text) || start >= end {
		return nil
	}
	for words := 0; words < 2 && start > from && text[start-1] == ' '; words++ {
		i := start - 1
		for i > from && nameByte(text[i-1]) {
			i--
		}
		if i == start-1 {
			break
		}
		start = i
	}
	return text[start:end]
}
