// SPDX-License-Identifier: Apache-2.0

package redact

import (
	"bytes"

	"github.com/fiftyarms/platform/internal/redact/credential"
)

// kubernetes looks for the values of a Secret, which have no shape: each of its data is one.
func (f *finder) kubernetes(p place, at int) {
	if f.walked(walksSecret, at) {
		return
	}
	text := p.text
	i := at + len("kind")
	for i < len(text) && i-at < 16 && bytes.IndexByte([]byte(`"': `), text[i]) >= 0 {
		i++
	}
	if i+6 > len(text) || !bytes.EqualFold(text[i:i+6], []byte("secret")) || i+6 < len(text) && (nameByte(text[i+6])) {
		return
	}
	from := max(0, at-maxPEM)
	if doc := bytes.LastIndex(text[from:at], []byte("\n---")); doc >= 0 {
		from += doc + 4
	}
	to := min(len(text), at+maxPEM)
	if doc := bytes.Index(text[at:to], []byte("\n---")); doc >= 0 {
		to = at + doc
	}
	f.walk(walksSecret, from, to)
	indent, in, block := 0, false, -1 // block is how deep a name stands whose value is the lines below it
	for at := from; at < to; {
		line, next := nextLine(text[at:to])
		begin := at
		at += next
		content := bytes.TrimLeft(line, " \t")
		depth := len(line) - len(content)
		name, value, ok := bytes.Cut(content, []byte(":"))
		if in && depth <= indent && len(content) > 0 {
			in, block = false, -1
		}
		if block >= 0 && depth > block {
			if content = bytes.TrimSpace(content); len(content) >= 4 && !credential.Placeholder(content) {
				f.add(p, begin+depth, begin+depth+len(content), f.p.assigned)
			}
			continue
		}
		block = -1
		if !ok {
			continue
		}
		if trimmed := string(bytes.Trim(name, `"' `)); (trimmed == "data" || trimmed == "stringData") && len(bytes.Trim(value, " {")) == 0 {
			indent, in = depth, true
			continue
		}
		value = bytes.Trim(value, " \t\r\"',")
		if in && len(value) > 0 && (value[0] == '|' || value[0] == '>') {
			block = depth
			continue
		}
		if in && len(value) >= 4 && !credential.Placeholder(value) {
			start := begin + bytes.LastIndex(line, value)
			f.add(p, start, start+len(value), f.p.assigned)
		}
	}
}
