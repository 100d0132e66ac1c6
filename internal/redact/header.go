// SPDX-License-Identifier: Apache-2.0

package redact

import (
	"bytes"
	"encoding/base64"

	"github.com/fiftyarms/platform/internal/redact/credential"
)

// bearer looks for what follows the name of the scheme, in any case.
func (f *finder) bearer(p place, at int) {
	from, ok := behind(p.text, at+len("bearer"))
	if !ok || !leftEdge(p.text, at) {
		return
	}
	to := from
	for to < len(p.text) && (tokenByte(p.text[to])) && p.text[to] != ':' {
		to++
	}
	for to > from && p.text[to-1] == '.' {
		to--
	}
	value := p.text[from:to]
	if len(value) < 6 || credential.Placeholder(value) {
		return
	}
	if authorized(p.text, at) && !credential.Named(value) || credential.Mixed(value) && len(value) >= 8 || credential.Random(value) {
		f.add(p, from, f.continued(p.text, from, to), f.p.bearer)
	}
}

// basic looks for a name and a password in a header.
func (f *finder) basic(p place, at int) {
	from, ok := behind(p.text, at+len("basic"))
	if !ok || !leftEdge(p.text, at) {
		return
	}
	to := from
	for to < len(p.text) && base64Byte(p.text[to]) {
		to++
	}
	if to-from < 6 {
		return
	}
	plain, err := base64.RawStdEncoding.DecodeString(string(bytes.TrimRight(p.text[from:to], "=")))
	if err == nil && bytes.IndexByte(plain, ':') >= 0 && printable(plain) || authorized(p.text, at) && credential.Mixed(p.text[from:to]) {
		f.add(p, from, to, f.p.basic)
	}
}

// behind is where a value begins that stands behind a name and spaces.
func behind(text []byte, at int) (int, bool) {
	from := at
	for at < len(text) && at-from < 8 && (text[at] == ' ' || text[at] == '\t') {
		at++
	}
	return at, at > from && at < len(text)
}

// authorized tells whether a place stands behind the name of the header.
func authorized(text []byte, at int) bool {
	before := text[max(0, at-24):at]
	return bytes.Contains(bytes.ToLower(before), []byte("authorization"))
}

func printable(v []byte) bool {
	for _, c := range v {
		if c < ' ' && c != '\n' && c != '\t' && c != '\r' || c == 0x7f {
			return false
		}
	}
	return true
}

// cookies looks at what a client and a server remember of each other.
func (f *finder) cookies(p place, at int) {
	if f.walked(walksCookies, at) {
		return
	}
	text := p.text
	i := at + len("cookie")
	if i < len(text) && (text[i] == '"' || text[i] == '\'') {
		i++
	}
	for i < len(text) && text[i] == ' ' {
		i++
	}
	if i >= len(text) || text[i] != ':' && text[i] != '=' && text[i] != ',' {
		return
	}
	for i++; i < len(text) && (text[i] == ' ' || text[i] == '"' || text[i] == '\''); i++ {
	}
	limit := min(len(text), i+maxValue)
	defer func() { f.walk(walksCookies, at, i) }()
	for i < limit {
		from := i
		for i < limit && text[i] != '=' && text[i] != ';' && text[i] != '\n' && text[i] != '"' && text[i] != '\'' && text[i] != ' ' {
			i++
		}
		if i >= limit || text[i] != '=' {
			if i < limit && (text[i] == ';' || text[i] == ' ') {
				i++
				continue
			}
			return
		}
		name := text[from:i]
		i++
		from = i
		for i < limit && text[i] != ';' && text[i] != '\n' && text[i] != '"' && text[i] != '\'' && text[i] != ' ' && text[i] != '\r' && text[i] != '\\' {
			i++
		}
		value := text[from:i]
		if sessionName(name) && len(value) >= 6 && !credential.Placeholder(value) || credential.Random(value) && !attribute(name) {
			f.add(p, from, i, f.p.cookie)
		}
		if i >= limit || text[i] != ';' {
			return
		}
		for i++; i < limit && text[i] == ' '; i++ {
		}
	}
}

func sessionName(name []byte) bool {
	low := bytes.ToLower(name)
	for _, word := range []string{"sess", "sid", "auth", "token", "jwt", "csrf", "xsrf", "remember", "login", "secret", "key"} {
		if bytes.Contains(low, []byte(word)) {
			return true
		}
	}
	return false
}

func attribute(name []byte) bool {
	switch string(bytes.ToLower(name)) {
	case "path", "domain", "expires", "max-age", "samesite", "priority", "version":
		return true
	}
	return false
}
