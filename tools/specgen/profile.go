// SPDX-License-Identifier: Apache-2.0

package main

import (
	"regexp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v4"
)

// The safe profile is the part of JSON Schema that the generator turns into the types one expects. What is outside it
// becomes, in oapi-codegen v2.8.2, an interface{} without a word, a float32, or code that does not compile.
var profileKeywords = map[string]bool{
	"$ref": true, "$schema": true, "$id": true, "$defs": true, "title": true, "description": true, "examples": true,
	"type": true, "format": true, "enum": true, "const": true, "default": true, "deprecated": true,
	"properties": true, "required": true, "additionalProperties": true, "minProperties": true, "maxProperties": true,
	"items": true, "minItems": true, "maxItems": true, "uniqueItems": true,
	"minLength": true, "maxLength": true, "pattern": true,
	"minimum": true, "maximum": true, "exclusiveMinimum": true, "exclusiveMaximum": true, "multipleOf": true,
	"oneOf": true, "allOf": true, "discriminator": true,
	"x-go-type": true, "x-go-type-skip-optional-pointer": true, "x-go-name": true, "x-enum-varnames": true,
	"x-resource": true, "x-opt-in": true, "x-relations": true, "x-hashes": true,
}

var (
	propertyName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_.-]*$`)
	exportedName = regexp.MustCompile(`^[A-Z][A-Za-z0-9]*$`)
	// handTypes are the types that a schema may name itself: those that keep a value's bytes.
	handTypes = []string{"json.RawMessage", "map[string]json.RawMessage"}
)

var profileTypes = []string{"object", "array", "string", "integer", "number", "boolean"}

// lintSchema holds one schema, and all in it, against the profile. ref says whether a $ref may stand here.
func lintSchema(s *source, n *yaml.Node, p *problems) {
	if n == nil {
		return
	}
	if n.Kind != yaml.MappingNode {
		p.add(s, n, "a schema that is true or false becomes interface{}: say what it may be")
		return
	}
	for k := range pairs(n) {
		if !profileKeywords[k.Value] {
			p.add(s, k, "keyword %q is outside the safe profile: the generator ignores it or makes interface{} of it", k.Value)
		}
	}
	if ref := get(n, "$ref"); ref != nil {
		if strings.HasPrefix(ref.Value, "#/components/") && !strings.HasPrefix(ref.Value, componentPrefix) {
			p.add(s, ref, "a schema refers to schemas, and %s is none", ref.Value)
		}
		for k := range pairs(n) {
			if k.Value != "$ref" && k.Value != "description" {
				p.add(s, k, "%q beside a $ref is ignored by the generator: put it in the component", k.Value)
			}
		}
		return
	}
	if t := get(n, "x-go-type"); t != nil { // the type is said by hand; the schema is for validation alone
		if !slices.Contains(handTypes, t.Value) {
			p.add(s, t, "x-go-type may be %s", strings.Join(handTypes, " or "))
		}
		return
	}
	lintType(s, n, p)
	lintEnum(s, n, p)
	if v := get(n, "pattern"); v != nil {
		if _, err := regexp.Compile(v.Value); err != nil {
			p.add(s, v, "pattern does not compile: %v", err)
		}
	}
	goNames := map[string]string{}
	for k, v := range pairs(get(n, "properties")) {
		name := goName(k.Value)
		if !propertyName.MatchString(k.Value) {
			p.add(s, k, "property %q does not survive in a Go tag: want letters, digits, _ . and -", k.Value)
		}
		if x := get(v, "x-go-name"); x != nil {
			if name = goName(x.Value); !exportedName.MatchString(x.Value) {
				p.add(s, x, "x-go-name %q is no exported Go name", x.Value)
			}
		}
		if other, dup := goNames[name]; dup {
			p.add(s, k, "properties %q and %q become one field in Go: give one an x-go-name", other, k.Value)
		}
		goNames[name] = k.Value
		lintInner(s, v, p)
	}
	for _, r := range items(get(n, "required")) {
		if get(n, "properties", r.Value) == nil {
			p.add(s, r, "required names %q, which is no property", r.Value)
		}
	}
	lintInner(s, get(n, "items"), p)
	for _, kw := range []string{"oneOf", "allOf"} {
		for _, v := range items(get(n, kw)) {
			if get(v, "$ref") == nil {
				p.add(s, v, "a branch of %s must be a $ref: the generator names an inline one by its number", kw)
			}
			lintSchema(s, v, p)
		}
	}
	if ap := get(n, "additionalProperties"); ap != nil && ap.Kind == yaml.MappingNode {
		lintInner(s, ap, p)
	}
}

// lintInner lints a schema inside another, which may be no object of its own: Go would give it no name.
func lintInner(s *source, n *yaml.Node, p *problems) {
	if get(n, "properties") != nil && get(n, "x-go-type") == nil {
		p.add(s, n, "an object inside another becomes a struct without a name: make it a component and refer to it")
	}
	lintSchema(s, n, p)
}

func lintType(s *source, n *yaml.Node, p *problems) {
	t := get(n, "type")
	if t == nil {
		if get(n, "oneOf") == nil && get(n, "allOf") == nil {
			p.add(s, n, "a schema without a type becomes interface{}")
		}
		return
	}
	kind := t.Value
	if t.Kind == yaml.SequenceNode {
		ts := items(t)
		if len(ts) != 2 || ts[1].Value != "null" {
			p.add(s, t, "type may be one name, or [name, 'null']: the generator stops at any other list")
			return
		}
		kind = ts[0].Value
	}
	switch format := str(n, "format"); kind {
	case "number":
		if format != "double" {
			p.add(s, t, "a number without format: double becomes a float32")
		}
	case "integer":
		if format != "int32" && format != "int64" {
			p.add(s, t, "an integer needs format int32 or int64")
		}
	case "array":
		if get(n, "items") == nil {
			p.add(s, t, "an array without items becomes []interface{}")
		}
	case "object":
		ap := get(n, "additionalProperties")
		if ap == nil {
			p.add(s, t, "an object says whether it takes additionalProperties")
		} else if ap.ShortTag() == "!!bool" && ap.Value[0]|0x20 == 't' { // true, True and TRUE are one
			p.add(s, ap, "additionalProperties: true becomes interface{}: give it a schema or the object an x-go-type")
		}
	default:
		if !slices.Contains(profileTypes, kind) {
			p.add(s, t, "there is no type %q", kind)
		}
	}
}

func lintEnum(s *source, n *yaml.Node, p *problems) {
	if e := get(n, "enum"); e != nil {
		if str(n, "type") != "string" {
			p.add(s, e, "an enum is a list of strings with type: string")
		}
		for _, v := range items(e) {
			if v.ShortTag() != "!!str" {
				p.add(s, v, "an enum value that is no string makes a bogus constant")
			}
		}
	}
	if c := get(n, "const"); c != nil && str(n, "type") != "string" {
		p.add(s, c, "a const without type: string becomes interface{}")
	}
}

// goName approximates the generator's names closely enough to see two that fall together.
func goName(s string) string {
	return strings.ToLower(regexp.MustCompile(`[^A-Za-z0-9]`).ReplaceAllString(s, ""))
}

// lintRefs wants each reference to name a whole component that exists.
func (c *contract) lintRefs(s *source, n *yaml.Node, known func(ref string) bool, p *problems) {
	for k, v := range pairs(n) {
		if k.Value == "$ref" && v.Kind == yaml.ScalarNode {
			if !known(v.Value) {
				p.add(s, v, "$ref %q leads nowhere, or into the middle of a component, which the generator refuses", v.Value)
			} else if c.target(s, v.Value).goPackage != s.goPackage {
				p.add(s, v, "$ref %q leads into another Go package, whose types cannot be named here", v.Value)
			}
		}
		if k.Value == "examples" || k.Value == "example" {
			continue
		}
		c.lintRefs(s, v, known, p)
	}
	for _, v := range items(n) {
		c.lintRefs(s, v, known, p)
	}
}

func (c *contract) lintProfile(p *problems) {
	walkSchemas(c.spec.root, func(n *yaml.Node) { lintSchema(c.spec, n, p) })
	for _, s := range c.schemas {
		lintSchema(s, s.root, p)
		for _, v := range pairs(get(s.root, "$defs")) {
			lintSchema(s, v, p)
		}
	}
	files := map[string]*source{}
	for _, s := range c.schemas {
		files["./"+s.path] = s
	}
	inSpec := func(ref string) bool {
		file, frag, _ := strings.Cut(ref, "#")
		if s := files[file]; s != nil {
			name, ok := strings.CutPrefix(frag, "/$defs/")
			return frag == "" || ok && get(s.root, "$defs", name) != nil
		}
		parts := strings.Split(frag, "/")
		return file == "" && len(parts) == 4 && parts[0] == "" && parts[1] == "components" && get(c.spec.root, parts[1:]...) != nil
	}
	c.lintRefs(c.spec, c.spec.root, inSpec, p)
	for _, s := range c.schemas {
		c.lintRefs(s, s.root, func(ref string) bool {
			if rest, ok := strings.CutPrefix(ref, "../openapi.yaml"); ok {
				return inSpec(rest)
			}
			name, ok := strings.CutPrefix(ref, "#/$defs/")
			return ref == "#" || ok && get(s.root, "$defs", name) != nil || inSpec(ref)
		}, p)
	}
	lintComponentNames(c.spec, p)
	c.lintGoNames(p)
	c.lintRecursion(p)
}

// walkSchemas calls f for each schema of an OpenAPI document that is not inside another.
func walkSchemas(root *yaml.Node, f func(*yaml.Node)) {
	for _, v := range pairs(get(root, "components", "schemas")) {
		f(v)
	}
	var walk func(n *yaml.Node)
	walk = func(n *yaml.Node) {
		for k, v := range pairs(n) {
			switch k.Value {
			case "schema":
				f(v)
			case "schemas", "example", "examples":
			default:
				walk(v)
			}
		}
		for _, v := range items(n) {
			walk(v)
		}
	}
	walk(root)
}
