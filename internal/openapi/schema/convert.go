// SPDX-License-Identifier: Apache-2.0

package schema

import (
	"encoding/json"
	"fmt"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"github.com/fiftyarms/platform/internal/openapi/rawjson"
)

// maxSchemaDepth bounds the nesting of one schema without references; what is
// deeper allows everything.
const maxSchemaDepth = 200

// keywordShape is what a keyword's value has to be. What is not is left out:
// one malformed keyword must not make a schema unusable.
type keywordShape byte

const (
	shapeSchema     keywordShape = iota + 1
	shapeSchemas                 // an object of schemas
	shapeSchemaList              // a non-empty array of schemas
	shapeNumber
	shapeCount // an integer, not below 0
	shapeBool
	shapeString
	shapeStrings    // an array of distinct strings
	shapeStringsMap // an object of those
	shapeValues     // a non-empty array
	shapeValue
	shapeType
	shapeItems // a schema, or in older drafts an array of them
)

var keywordShapes = map[string]keywordShape{
	"type": shapeType, "enum": shapeValues, "const": shapeValue,
	"multipleOf": shapeNumber, "maximum": shapeNumber, "minimum": shapeNumber,
	"exclusiveMaximum": shapeNumber, "exclusiveMinimum": shapeNumber,
	"maxLength": shapeCount, "minLength": shapeCount, "pattern": shapeString, "format": shapeString,
	"maxItems": shapeCount, "minItems": shapeCount, "uniqueItems": shapeBool,
	"minContains": shapeCount, "maxContains": shapeCount,
	"maxProperties": shapeCount, "minProperties": shapeCount,
	"required": shapeStrings, "dependentRequired": shapeStringsMap,
	"allOf": shapeSchemaList, "anyOf": shapeSchemaList, "oneOf": shapeSchemaList, "not": shapeSchema,
	"if": shapeSchema, "then": shapeSchema, "else": shapeSchema, "dependentSchemas": shapeSchemas,
	"prefixItems": shapeSchemaList, "items": shapeItems, "contains": shapeSchema,
	"properties": shapeSchemas, "patternProperties": shapeSchemas, "additionalProperties": shapeSchema,
	"propertyNames": shapeSchema, "unevaluatedItems": shapeSchema, "unevaluatedProperties": shapeSchema,
}

// converter turns one schema of the document, of whatever version, into clean
// JSON Schema 2020-12. References become the addresses under which the
// compiler asks for their targets.
type converter struct {
	set  *Set
	side Side
	base rawjson.Span // the schema that the conversion began with
}

// note records what cannot be enforced; format takes arg.
func (c *converter) note(at int, format, arg string) {
	line, column := c.set.src.Position(at)
	c.set.weak = append(c.set.weak, fmt.Errorf("line %d, column %d: "+format, line, column, arg))
}

func (c *converter) schema(sp rawjson.Span, depth int) any {
	s := c.set.src
	switch s.Kind(sp) {
	case 'f':
		return false
	case 't':
		return true
	case '{':
	default:
		c.note(sp.Start, "a schema must be an object%s", "")
		return true
	}
	if depth > maxSchemaDepth {
		c.note(sp.Start, "the schema is nested too deep to be checked%s", "")
		return true
	}
	out := map[string]any{}
	var ref, nullable, discriminator, additional rawjson.Span
	flags := map[string]bool{} // exclusiveMinimum, exclusiveMaximum of 3.0
	for key, v := range s.Members(sp) {
		name := string(key)
		switch name {
		case "$ref":
			if s.Kind(v) == '"' {
				ref = v
			}
			continue
		case "nullable":
			nullable = v
			continue
		case "discriminator":
			discriminator = v
			continue
		case "additionalItems":
			additional = v
			continue
		case "exclusiveMinimum", "exclusiveMaximum":
			if k := s.Kind(v); k == 't' || k == 'f' {
				flags[name] = k == 't'
				continue
			}
		}
		shape := keywordShapes[name]
		if shape == 0 {
			continue
		}
		if value, ok := c.keyword(shape, v, depth); ok {
			out[name] = value
		} else {
			c.note(v.Start, "the keyword %s is malformed", name)
		}
	}
	if ref.OK() {
		if c.set.legacy {
			clear(out) // 3.0 ignores what stands beside a reference
		}
		if target := c.target(ref); target != "" {
			out["$ref"] = target
		}
	}
	c.mendRanges(out, flags, sp.Start)
	if list, ok := out["items"].([]any); ok {
		out["prefixItems"] = list
		delete(out, "items")
		if additional.OK() {
			out["items"] = c.schema(additional, depth+1)
		}
	}
	switch c.side {
	case RequestSide:
		c.dropRequired(out, sp, "readOnly")
	case ResponseSide:
		c.dropRequired(out, sp, "writeOnly")
		for _, keyword := range []string{"additionalProperties", "unevaluatedProperties"} {
			if out[keyword] == false {
				delete(out, keyword)
			}
		}
	}
	if discriminator.OK() {
		c.discriminate(out, sp, discriminator)
	}
	if s.IsTrue(nullable) {
		return allowNull(out)
	}
	return out
}

// keyword converts a value of a known keyword; false means that it is
// malformed.
func (c *converter) keyword(shape keywordShape, v rawjson.Span, depth int) (any, bool) {
	s := c.set.src
	kind := s.Kind(v)
	switch shape {
	case shapeSchema:
		return c.schema(v, depth+1), kind == '{' || kind == 't' || kind == 'f'
	case shapeSchemas:
		m := map[string]any{}
		for k, sub := range s.Members(v) {
			name := string(k)
			m[name] = c.schema(sub, depth+1)
		}
		return m, kind == '{'
	case shapeItems:
		if kind == '{' || kind == 't' || kind == 'f' {
			return c.schema(v, depth+1), true
		}
		fallthrough
	case shapeSchemaList:
		list := []any{}
		for sub := range s.Elements(v) {
			list = append(list, c.schema(sub, depth+1))
		}
		return list, len(list) > 0
	case shapeNumber:
		n, ok := s.Any(v).(json.Number)
		return n, ok && rawjson.SaneNumber(string(n))
	case shapeCount:
		n, err := strconv.ParseUint(strings.TrimSuffix(string(s[v.Start:v.End]), ".0"), 10, 31)
		return json.Number(strconv.FormatUint(n, 10)), err == nil
	case shapeBool:
		return kind == 't', kind == 't' || kind == 'f'
	case shapeString:
		return s.Str(v), kind == '"'
	case shapeStrings:
		return distinct(s.Strs(v)), kind == '['
	case shapeStringsMap:
		m := map[string]any{}
		for k, sub := range s.Members(v) {
			name := string(k)
			m[name] = distinct(s.Strs(sub))
		}
		return m, kind == '{'
	case shapeValues:
		list, ok := s.Any(v).([]any)
		return list, ok && len(list) > 0 && saneValue(list)
	case shapeValue:
		value := s.Any(v)
		return value, saneValue(value)
	case shapeType:
		types := s.Strs(v)
		if kind == '"' {
			types = []string{s.Str(v)}
		}
		types = slices.DeleteFunc(types, func(t string) bool { return !slices.Contains(jsonTypes, t) })
		if kind == '"' && len(types) == 1 {
			return types[0], true
		}
		return distinct(types), len(types) > 0
	}
	return nil, false
}

var jsonTypes = []string{"null", "boolean", "object", "array", "number", "integer", "string"}

func distinct(list []string) []any {
	out := []any{}
	for _, s := range list {
		if !slices.Contains(out, any(s)) {
			out = append(out, s)
		}
	}
	return out
}

// target is the compiler's address of what a reference points at, or "".
func (c *converter) target(ref rawjson.Span) string {
	text := c.set.src.Str(ref)
	sp := c.set.resolve(text)
	if !sp.OK() && strings.HasPrefix(text, "#/$defs/") {
		// A JSON Schema that was pasted in whole means its own $defs.
		sp = c.set.src.Descend(c.base, rawjson.SplitPointer(text[1:]))
	}
	switch {
	case sp.OK():
		return c.set.address(c.side, sp)
	case strings.HasPrefix(text, "#"):
		c.note(ref.Start, "the reference %s leads nowhere", text)
	default:
		c.note(ref.Start, "the reference %s leads out of the document", text)
	}
	return ""
}

// mendRanges turns the flags of 3.0 into bounds and drops what cannot be one.
func (c *converter) mendRanges(out map[string]any, flags map[string]bool, at int) {
	for _, p := range [2][2]string{{"exclusiveMinimum", "minimum"}, {"exclusiveMaximum", "maximum"}} {
		if bound, ok := out[p[1]]; ok && flags[p[0]] {
			out[p[0]] = bound
			delete(out, p[1])
		}
	}
	if n, ok := out["multipleOf"].(json.Number); ok {
		if r, ok := new(big.Rat).SetString(string(n)); !ok || r.Sign() <= 0 {
			delete(out, "multipleOf")
			c.note(at, "the keyword %s is malformed", "multipleOf")
		}
	}
}

// dropRequired takes the properties with a mark, such as readOnly, out of the required ones.
func (c *converter) dropRequired(out map[string]any, sp rawjson.Span, mark string) {
	required, _ := out["required"].([]any)
	if len(required) == 0 {
		return
	}
	s := c.set.src
	for name, prop := range s.Members(s.Get(sp, "properties")) {
		if s.IsTrue(s.Get(prop, mark)) || s.IsTrue(s.Get(c.set.resolve(s.Str(s.Get(prop, "$ref"))), mark)) {
			if i := slices.Index(required, any(string(name))); i >= 0 {
				required = slices.Delete(required, i, i+1)
			}
		}
	}
	out["required"] = required
}

// discriminator is kept in the converted schema under its own name, which the
// compiler does not know, for the choice of the branch to report.
type discriminator struct {
	property string
	values   []string          // in document order
	targets  map[string]string // value to the address of its schema
}

func (c *converter) discriminate(out map[string]any, sp, v rawjson.Span) {
	s := c.set.src
	disc := &discriminator{property: s.Str(s.Get(v, "propertyName")), targets: map[string]string{}}
	add := func(value, ref string) {
		target := c.set.resolve(ref)
		if _, known := disc.targets[value]; known || !target.OK() {
			return
		}
		disc.values = append(disc.values, value)
		disc.targets[value] = c.set.address(c.side, target)
	}
	mapped := map[string]bool{}
	for k, m := range s.Members(s.Get(v, "mapping")) {
		ref := MappingRef(s.Str(m))
		mapped[ref] = true
		add(string(k), ref)
	}
	for _, list := range []string{"oneOf", "anyOf"} {
		for branch := range s.Elements(s.Get(sp, list)) {
			ref := s.Str(s.Get(branch, "$ref"))
			if i := strings.LastIndexByte(ref, '/'); i >= 0 && !mapped[ref] {
				add(rawjson.SplitPointer(ref[i:])[0], ref) // the name is the implied value
			}
		}
	}
	if disc.property != "" && len(disc.values) > 0 {
		out["discriminator"] = disc
	}
}

// MappingRef reads a value of a discriminator's mapping: a reference, or the
// name of a schema.
func MappingRef(s string) string {
	if strings.ContainsAny(s, "#/") {
		return s
	}
	return "#/components/schemas/" + s
}

// allowNull is the nullable of 3.0.
func allowNull(out map[string]any) any {
	if _, ok := out["$ref"]; !ok {
		switch t := out["type"].(type) {
		case string:
			out["type"] = distinct([]string{t, "null"})
		case []any:
			if !slices.Contains(t, any("null")) {
				out["type"] = append(t, "null")
			}
		}
		if list, ok := out["enum"].([]any); ok && !slices.Contains(list, nil) {
			out["enum"] = append(list, nil)
		}
	}
	for _, k := range []string{"$ref", "allOf", "anyOf", "oneOf", "const", "not"} {
		if _, ok := out[k]; ok {
			return map[string]any{"anyOf": []any{out, map[string]any{"type": "null"}}}
		}
	}
	return out
}

// saneValue is rawjson.SaneNumber for all numbers of a value.
func saneValue(v any) bool {
	switch v := v.(type) {
	case json.Number:
		return rawjson.SaneNumber(string(v))
	case []any:
		return !slices.ContainsFunc(v, func(e any) bool { return !saneValue(e) })
	case map[string]any:
		for _, e := range v {
			if !saneValue(e) {
				return false
			}
		}
	}
	return true
}
