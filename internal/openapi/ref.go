// SPDX-License-Identifier: Apache-2.0

package openapi

import (
	"net/url"
	"strconv"
	"strings"
)

// maxHops bounds a chain of references to references.
const maxHops = 16

var unescapePointer = strings.NewReplacer("~1", "/", "~0", "~")

// resolve finds what a reference inside the document points at, or the zero
// span: "#/components/schemas/X", "#/paths/~1x/get", "#".
func (d *Document) resolve(ref string) span {
	pointer, ok := strings.CutPrefix(ref, "#")
	if !ok {
		return span{}
	}
	if text, err := url.PathUnescape(pointer); err == nil {
		pointer = text
	}
	return d.pointer(pointer)
}

// pointer finds a place by its JSON pointer, or the zero span.
func (d *Document) pointer(pointer string) span {
	start := d.src.space(0)
	whole := span{start, d.src.valueEnd(start)}
	if pointer == "" {
		return whole
	}
	if pointer[0] != '/' {
		return span{}
	}
	tokens := strings.Split(pointer[1:], "/")
	for i, t := range tokens {
		tokens[i] = unescapePointer.Replace(t)
	}
	if tokens[0] == "components" && len(tokens) >= 3 {
		return d.descend(d.components()[tokens[1]][tokens[2]], tokens[3:])
	}
	return d.descend(d.root[tokens[0]], tokens[1:])
}

func (d *Document) descend(sp span, tokens []string) span {
	for _, t := range tokens {
		switch d.src.kind(sp) {
		case '{':
			sp = d.src.get(sp, t)
		case '[':
			n, err := strconv.Atoi(t)
			arr := sp
			sp = span{}
			for e := range d.src.elements(arr) {
				if n == 0 && err == nil {
					sp = e
					break
				}
				n--
			}
		default:
			return span{}
		}
	}
	return sp
}

// follow resolves a value that is a reference, through chains of them. What
// leads nowhere is the zero span.
func (d *Document) follow(sp span) span {
	for range maxHops {
		ref := d.src.get(sp, "$ref")
		if d.src.kind(ref) != '"' {
			return sp
		}
		sp = d.resolve(d.src.str(ref))
	}
	return span{}
}

func (d *Document) indexComponents() map[string]map[string]span {
	all := map[string]map[string]span{}
	for section, body := range d.src.members(d.root["components"]) {
		names := map[string]span{}
		all[string(section)] = names
		for name, v := range d.src.members(body) {
			names[string(name)] = v
		}
	}
	return all
}
