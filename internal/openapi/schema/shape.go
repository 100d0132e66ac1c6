// SPDX-License-Identifier: Apache-2.0

package schema

import (
	"encoding/json"
	"fmt"

	"github.com/fiftyarms/platform/internal/openapi/rawjson"
)

// Shape is a loose view of a schema for reading text: all the objects that
// references, allOf, anyOf and oneOf put at one place, without their logic.
type Shape struct {
	set   *Set
	nodes []map[string]any
	types TypeSet // nil: not known yet
}

// maxShape bounds the objects of one shape.
const maxShape = 64

// Shape is the shape of the schema at a place, for requests.
func (s *Set) Shape(sp rawjson.Span) Shape {
	if sh, ok := s.shapes.Load(sp.Start); ok {
		return sh.(Shape)
	}
	sh := Shape{set: s}.with(map[string]any{"$ref": s.address(RequestSide, sp)})
	sh.types = sh.Types()
	s.shapes.Store(sp.Start, sh)
	return sh
}

func (sh Shape) with(schema any) Shape {
	seen := map[string]bool{}
	var add func(any)
	add = func(schema any) {
		node, ok := schema.(map[string]any)
		if !ok || len(sh.nodes) >= maxShape {
			return
		}
		sh.nodes = append(sh.nodes, node)
		if ref, ok := node["$ref"].(string); ok && !seen[ref] {
			seen[ref] = true
			add(sh.set.lookup(ref))
		}
		for _, list := range []string{"allOf", "anyOf", "oneOf"} {
			forms, _ := node[list].([]any)
			for _, form := range forms {
				add(form)
			}
		}
	}
	add(schema)
	return sh
}

// TypeSet holds JSON types; the empty one stands for all.
type TypeSet map[string]bool

// Has tells whether a value may be of a type.
func (t TypeSet) Has(name string) bool { return len(t) == 0 || t[name] }

// Types lists the JSON types that any of the objects names; where none does,
// what other keywords tell.
func (sh Shape) Types() TypeSet {
	if sh.types != nil {
		return sh.types
	}
	named, implied := TypeSet{}, TypeSet{}
	for _, n := range sh.nodes {
		switch t := n["type"].(type) {
		case string:
			named[t] = true
		case []any:
			for _, e := range t {
				named[fmt.Sprint(e)] = true
			}
		}
		for _, v := range valuesOf(n) {
			implied[typeOf(v)] = true
		}
		if n["properties"] != nil {
			implied["object"] = true
		}
		if n["items"] != nil {
			implied["array"] = true
		}
	}
	if len(named) > 0 {
		return named
	}
	return implied
}

func valuesOf(node map[string]any) []any {
	values, _ := node["enum"].([]any)
	if v, ok := node["const"]; ok {
		values = append(values[:len(values):len(values)], v)
	}
	return values
}

func typeOf(v any) string {
	switch v.(type) {
	case nil:
		return "null"
	case bool:
		return "boolean"
	case json.Number:
		return "number"
	case []any:
		return "array"
	case map[string]any:
		return "object"
	}
	return "string"
}

// Items is the shape of an array's items.
func (sh Shape) Items() Shape {
	out := Shape{set: sh.set}
	for _, n := range sh.nodes {
		out = out.with(n["items"])
	}
	return out
}

// Field is the shape of an object's field.
func (sh Shape) Field(name string) Shape {
	out := Shape{set: sh.set}
	for _, n := range sh.nodes {
		fields, _ := n["properties"].(map[string]any)
		if f, ok := fields[name]; ok {
			out = out.with(f)
		} else {
			out = out.with(n["additionalProperties"])
		}
	}
	return out
}

// Fields names the declared fields of an object; open says that it may have
// others that the schema speaks of.
func (sh Shape) Fields() (names map[string]bool, open bool) {
	names = map[string]bool{}
	for _, n := range sh.nodes {
		fields, _ := n["properties"].(map[string]any)
		for name := range fields {
			names[name] = true
		}
		if more, ok := n["additionalProperties"]; ok && more != false {
			open = true
		}
	}
	return names, open
}

// Scalar reads text as the contract means it. Where that is not certain ("5"
// for an integer or a string), there are several readings, the likeliest first.
func (sh Shape) Scalar(text string) []any {
	for _, n := range sh.nodes {
		for _, v := range valuesOf(n) {
			switch v.(type) {
			case bool, json.Number, string:
				if fmt.Sprint(v) == text {
					return []any{v}
				}
			}
		}
	}
	types := sh.Types()
	if len(types) == 0 {
		return []any{text}
	}
	var out []any
	if (types["integer"] || types["number"]) && isNumber(text) {
		out = append(out, json.Number(text))
	}
	if types["boolean"] && (text == "true" || text == "false") {
		out = append(out, text == "true")
	}
	if types["null"] && (text == "null" || text == "" && !types["string"]) {
		out = append(out, nil)
	}
	if types["string"] || len(out) == 0 {
		out = append(out, text)
	}
	return out
}

// One is Scalar where only one reading can be tried: the text itself wins.
func (sh Shape) One(text string) any {
	readings := sh.Scalar(text)
	return readings[len(readings)-1]
}

// Array reads each text as an item.
func (sh Shape) Array(texts []string) []any {
	items := sh.Items()
	out := make([]any, len(texts))
	for i, t := range texts {
		out[i] = items.One(t)
	}
	return out
}

// isNumber tells JSON's numbers, which exclude "+1", "01" and "0x1".
func isNumber(text string) bool {
	value, bad := rawjson.Decode([]byte(text))
	_, ok := value.(json.Number)
	return bad == nil && ok && len(text) > 0 && text[0] != ' '
}
