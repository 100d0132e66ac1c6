// SPDX-License-Identifier: Apache-2.0

package openapi

import (
	"net/url"
	"strings"

	"github.com/fiftyarms/platform/internal/openapi/rawjson"
)

// maxHops bounds a chain of references to references.
const maxHops = 16

// resolve finds what a reference inside the document points at, or the zero
// span: "#/components/schemas/X", "#/paths/~1x/get", "#".
func (d *Document) resolve(ref string) rawjson.Span {
	pointer, ok := strings.CutPrefix(ref, "#")
	if !ok || pointer != "" && pointer[0] != '/' {
		return rawjson.Span{}
	}
	if text, err := url.PathUnescape(pointer); err == nil {
		pointer = text
	}
	tokens := rawjson.SplitPointer(pointer)
	switch {
	case len(tokens) == 0:
		return d.src.At(0)
	case tokens[0] == "components" && len(tokens) >= 3:
		return d.src.Descend(d.components()[tokens[1]][tokens[2]], tokens[3:])
	}
	return d.src.Descend(d.root[tokens[0]], tokens[1:])
}

// follow resolves a value that is a reference, through chains of them. What
// leads nowhere is the zero span.
func (d *Document) follow(sp rawjson.Span) rawjson.Span {
	for range maxHops {
		ref := d.src.Get(sp, "$ref")
		if d.src.Kind(ref) != '"' {
			return sp
		}
		sp = d.resolve(d.src.Str(ref))
	}
	return rawjson.Span{}
}

func (d *Document) indexComponents() map[string]map[string]rawjson.Span {
	all := map[string]map[string]rawjson.Span{}
	for section, body := range d.src.Members(d.root["components"]) {
		names := map[string]rawjson.Span{}
		all[string(section)] = names
		for name, v := range d.src.Members(body) {
			names[string(name)] = v
		}
	}
	return all
}
