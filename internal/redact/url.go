// SPDX-License-Identifier: Apache-2.0

package redact

import (
	"bytes"

	"github.com/fiftyarms/platform/internal/redact/char"
	"github.com/fiftyarms/platform/internal/redact/credential"
)

const maxUser = 1024 // bytes of what stands before a URL's host

// url looks for the password in a URL.
func (f *finder) url(p place, at int) {
	text := p.text
	if at == 0 || !schemeByte(text[at-1]) {
		return
	}
	from := at + len("://")
	limit := min(len(text), from+maxUser)
	end := from
	if f.walked(walksURL, from) {
		end = min(limit, f.walks[walksURL].to)
	}
	for end < limit && !urlEnds(text[end]) {
		end++
	}
	f.walk(walksURL, from, end)
	authority := end
	if i := bytes.IndexAny(text[from:end], "/?#"); i >= 0 {
		authority = from + i
	}
	host := bytes.LastIndexByte(text[from:authority], '@')
	if host < 0 { // a password may hold a slash
		if host = bytes.LastIndexByte(text[from:end], '@'); host < 0 || bytes.IndexByte(text[from:from+host], ':') < 0 || bytes.IndexByte(text[from:authority], ':') < 0 || !hostAt(text[from+host+1:end]) {
			return
		}
	}
	user := text[from : from+host]
	colon := bytes.IndexByte(user, ':')
	if colon < 0 {
		if len(user) >= 16 && credential.Random(user) {
			f.add(p, from, from+host, f.p.url)
		}
		return
	}
	password := user[colon+1:]
	if string(user[:colon]) == "mailto" || len(password) == 0 || credential.Placeholder(password) || shown[string(bytes.ToLower(password))] {
		return
	}
	f.add(p, from+colon+1, from+host, f.p.url)
}

// What stands for a password where a URL is explained.
var shown = set("password pass passwd pwd pw mypassword token x key p port")

// hostAt tells whether text begins with a host.
func hostAt(text []byte) bool {
	n := 0
	for n < len(text) && (char.Alnum(text[n]) || text[n] == '.' || text[n] == '-' || text[n] == '_') {
		n++
	}
	return n > 0 && (n == len(text) || text[n] == ':' || text[n] == '/' || text[n] == '?')
}

func schemeByte(c byte) bool {
	return char.Alnum(c) || c == '+' || c == '-' || c == '.'
}

func urlEnds(c byte) bool {
	return c <= ' ' || c == '"' || c == '\'' || c == '`' || c == '<' || c == '>' || c == '\\' || c == '|' || c == 0xc2
}

// userFlag looks for a name and a password on a command line.
func (f *finder) userFlag(p place, at int) {
	text := p.text
	i := at
	for i < len(text) && (text[i] == '-' || text[i] == ' ' || 'a' <= text[i] && text[i] <= 'z') && i-at < 12 && (i == at || text[i-1] != ' ' || text[i] == '-') {
		i++
	}
	for i < len(text) && (text[i] == ' ' || text[i] == '=' || text[i] == '"' || text[i] == '\'') {
		i++
	}
	line := text[max(0, at-600):min(len(text), at+300)]
	if !bytes.Contains(line, []byte("curl")) && !bytes.Contains(line, []byte("wget")) && !bytes.Contains(line, []byte("http")) {
		return
	}
	from := i
	word := func() int {
		for i < len(text) && i-from < 256 && text[i] > ' ' && text[i] != '"' && text[i] != '\'' && text[i] != '\\' && text[i] != '`' && !bytes.HasPrefix(text[i:], markerBegins) {
			i++
		}
		return bytes.IndexByte(text[from:i], ':')
	}
	colon := word()
	if colon < 0 && i+1 < len(text) && text[i+1] == ':' { // "name":"password"
		i++
		colon = word()
	}
	if colon < 0 || from < len(text) && text[from] == '<' {
		return
	}
	if from+colon+1 == i && i < len(text) { // name:"password", or a key alone
		if quote := text[i]; quote == '"' || quote == '\'' {
			i++
			if i < len(text) && text[i] > ' ' {
				colon = i - from - 1
				for i < len(text) && i-from < 256 && text[i] != quote && text[i] != '\n' {
					i++
				}
			} else if credential.Mixed(text[from : from+colon]) {
				f.add(p, from, from+colon, f.p.commandLine)
				return
			}
		}
	}
	password := text[from+colon+1 : i]
	if len(password) < 3 || shown[string(bytes.ToLower(password))] || string(password) == "test" || bytes.EqualFold(password, text[from:from+colon]) || credential.Placeholder(password) || bytes.HasPrefix(password, []byte("//")) || credential.Number(password) {
		return
	}
	f.add(p, from+colon+1, i, f.p.commandLine)
}

// homePath looks for whose home a path is below.
func (f *finder) homePath(p place, at int) {
	text := p.text
	if text[at] == '/' && bytes.HasSuffix(text[:at], []byte("/")) && !bytes.HasSuffix(text[:at], []byte("://")) {
		return // a host of that name
	}
	i := at
	for i < len(text) && (text[i] == '/' || text[i] == '\\') {
		i++
	}
	for i < len(text) && text[i] != '/' && text[i] != '\\' {
		i++
	}
	for i < len(text) && (text[i] == '/' || text[i] == '\\') {
		i++
	}
	from := i
	for i < len(text) && i-from < 64 && text[i] > ' ' && bytes.IndexByte([]byte("/\\\"'`<>:|?*,;()[]{}"), text[i]) < 0 && text[i] != 0xc2 {
		i++
	}
	f.add(p, from, i, f.p.home)
}
