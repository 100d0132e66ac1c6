// SPDX-License-Identifier: Apache-2.0

package redact

import (
	"bytes"

	"github.com/fiftyarms/platform/internal/redact/char"
)

// maxPEM is how long a private key may be, in bytes, with all that is written around its lines.
const maxPEM = 64 << 10

// pem looks for a private key in its armour, with its end or without: a block as a whole is one credential.
func (f *finder) pem(p place, at int) {
	text := p.text
	label, ok := armour(text[at:], "-----BEGIN ")
	if !ok || !bytes.Contains(label, []byte("PRIVATE KEY")) {
		return
	}
	body := at + len("-----BEGIN ") + len(label) + len("-----")
	limit := min(len(text), body+maxPEM)
	to := limit
	if next := bytes.Index(text[body:limit], []byte("-----")); next >= 0 {
		if end, ok := armour(text[body+next:limit], "-----END "); ok {
			if lines := text[body : body+next]; bytes.Contains(lines, []byte("...")) || !keyBytes(lines) {
				return // a picture of a key
			}
			f.add(p, at, body+next+len("-----END ")+len(end)+len("-----"), f.p.privateKey)
			return
		}
		to = body + next
	}
	if to = keyLines(text, body, to); to > body {
		f.add(p, at, to, f.p.privateKey)
	}
}

// armour reads a line of armour, and is what it says.
func armour(text []byte, begins string) ([]byte, bool) {
	if !bytes.HasPrefix(text, []byte(begins)) {
		return nil, false
	}
	rest := text[len(begins):min(len(text), len(begins)+64)]
	end := bytes.Index(rest, []byte("-----"))
	if end < 0 {
		return nil, false
	}
	return rest[:end], true
}

// keyBytes tells whether there is enough for a key.
func keyBytes(lines []byte) bool {
	var seen [256]bool
	n, kinds := 0, 0
	for _, c := range lines {
		if base64Byte(c) {
			n++
			if !seen[c] {
				seen[c] = true
				kinds++
			}
		}
	}
	return n >= 48 && kinds >= 8
}

// keyLines is where the lines of a key end that has no end.
func keyLines(text []byte, at, limit int) int {
	end, longest := at, 0
	for at < limit {
		line, next := nextLine(text[at:limit])
		content := bytes.Trim(line, " \t\r+-|>\"',\\")
		if tab := bytes.LastIndexByte(content, '\t'); tab >= 0 {
			content = content[tab+1:] // behind the number of the line
		}
		switch {
		case len(content) == 0:
			if longest > 0 && len(bytes.TrimSpace(line)) == 0 {
				return end
			}
		case longest == 0 && bytes.Contains(content, []byte(": ")): // Proc-Type: 4,ENCRYPTED
		case base64Only(content) && (len(content) >= 24 || longest >= 40 && len(content) <= longest && !lowerOnly(content)):
			longest = max(longest, len(content))
			end = at + bytes.Index(line, content) + len(content)
		default:
			return end
		}
		at += next
	}
	return end
}

// nextLine is the first line of text, and where the next begins. A newline that is written as an escape is one.
func nextLine(text []byte) ([]byte, int) {
	end, next := len(text), len(text)
	if i := bytes.IndexByte(text, '\n'); i >= 0 {
		end, next = i, i+1
	}
	if i := bytes.Index(text[:end], []byte(`\n`)); i >= 0 {
		end, next = i, i+2
	}
	return text[:end], next
}

func base64Byte(c byte) bool {
	return char.Alnum(c) || c == '+' || c == '/' || c == '=' || c == '-' || c == '_'
}

func base64Only(v []byte) bool {
	for _, c := range v {
		if !base64Byte(c) {
			return false
		}
	}
	return true
}

func lowerOnly(v []byte) bool {
	for _, c := range v {
		if c < 'a' || c > 'z' {
			return false
		}
	}
	return true
}
