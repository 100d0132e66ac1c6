// SPDX-License-Identifier: Apache-2.0

package redact

import "bytes"

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

// readValue reads the value that begins at i.
func readValue(text []byte, a assigned, i int) (assigned, bool) {
	for skip := 0; skip < 2 && i+1 < len(text) && (text[i+1] == '"' || text[i+1] == '\'') && bytes.IndexByte([]byte("fbruLRFBU@$"), text[i]) >= 0; skip++ {
		i++ // the prefix of a literal
	}
	if i >= len(text) {
		return a, false
	}
	limit := min(len(text), i+maxValue)
	if c := text[i]; c == '"' || c == '\'' || c == '`' {
		triple := i+2 < len(text) && text[i+1] == c && text[i+2] == c
		from := i + 1
		if triple {
			from = i + 3
		}
		for j := from; j < limit; j++ {
			switch {
			case text[j] == '\\' && j+1 < limit:
				j++
			case text[j] == '\n' && !triple && c != '`':
				j = limit
			case j == len(text)-1 && a.how == callTo && text[j] > ' ' && text[j] != c: // the text was cut
				a.from, a.to, a.quote = from, len(text), c
				return a, true
			case text[j] == c:
				a.from, a.to, a.quote = from, j, c
				return a, j > from
			}
		}
		i = from // no end: as if there were no quote
	}
	if a.how == callTo {
		return a, false
	}
	j := i
	for j < limit && !stops(text, i, j) {
		j++
	}
	a.from, a.to = i, j
	return a, j > i
}

// stops tells whether a value that nothing quotes ends at j.
func stops(text []byte, from, j int) bool {
	switch c := text[j]; c {
	case ' ', '\t', '\n', '\r', '"', '\'', '`', '<', '>', ';', 0:
		return true
	case '&':
		return nameFollows(text, j+1)
	case ',':
		return j+1 >= len(text) || text[j+1] <= ' ' || text[j+1] == '"' || text[j+1] == '\'' || nameFollows(text, j+1)
	case '\\':
		return j+1 < len(text) && (text[j+1] == 'n' || text[j+1] == 'r' || text[j+1] == 't' || text[j+1] == '"' || text[j+1] == '\'')
	case '|':
		return j == from
	}
	return text[j] == 0xc2 && j+1 < len(text) && text[j+1] == 0xab // a marker
}

// nameFollows tells whether another assignment begins at i.
func nameFollows(text []byte, i int) bool {
	for j := i; j < len(text) && j-i < 40; j++ {
		if text[j] == '=' {
			return j > i
		}
		if !nameByte(text[j]) {
			return false
		}
	}
	return false
}

// trimmed is where a value ends without what belongs to the text around it.
func trimmed(text []byte, a *assigned) int {
	to := a.to
	if a.quote != 0 {
		return to
	}
	for to > a.from {
		switch c := text[to-1]; c {
		case ',', ';', '.', ':':
			to--
			continue
		case ')', ']', '}':
			open := map[byte]byte{')': '(', ']': '[', '}': '{'}[c]
			if bytes.IndexByte(text[a.from:to], open) < 0 {
				to--
				continue
			}
		}
		break
	}
	return to
}
