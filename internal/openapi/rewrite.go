// SPDX-License-Identifier: Apache-2.0

package openapi

import (
	"bytes"
	"slices"
	"strings"

	"github.com/fiftyarms/platform/internal/openapi/rawjson"
	"github.com/fiftyarms/platform/internal/openapi/schema"
)

// objectKind is what an object of a document is, which decides what its members
// mean: "example" is dropped from a schema, but not from its properties.
type objectKind uint8

const (
	kindOpaque objectKind = iota // copied as it is
	kindSchema
	kindSchemas
	kindMapping
	kindParameter
	kindParameters
	kindBody
	kindContent
	kindMedia
	kindEncodings
	kindEncoding
	kindResponses
	kindResponse
	kindHeader
	kindHeaders
	kindExample
	kindExamples
	kindLink
	kindLinks
	kindCallback
	kindCallbacks
	kindPathItem
	kindOperation
)

// kindInfo says how to walk an object. A member that is not named is opaque.
type kindInfo struct {
	section string                // of components, where references to it live
	named   bool                  // keys are names, not keywords
	elem    objectKind            // of a named object's values, and of an array's elements
	fields  map[string]objectKind // by keyword
}

var kinds = map[objectKind]kindInfo{
	kindSchema: {section: "schemas", elem: kindSchema, fields: map[string]objectKind{
		"properties": kindSchemas, "patternProperties": kindSchemas, "$defs": kindSchemas, "definitions": kindSchemas, "dependentSchemas": kindSchemas,
		"items": kindSchema, "additionalItems": kindSchema, "additionalProperties": kindSchema, "not": kindSchema, "contains": kindSchema,
		"if": kindSchema, "then": kindSchema, "else": kindSchema, "propertyNames": kindSchema, "contentSchema": kindSchema,
		"unevaluatedItems": kindSchema, "unevaluatedProperties": kindSchema,
		"allOf": kindSchema, "anyOf": kindSchema, "oneOf": kindSchema, "prefixItems": kindSchema, "discriminator": kindMapping,
	}},
	kindSchemas: {named: true, elem: kindSchema},
	kindParameter: {section: "parameters", fields: map[string]objectKind{
		"schema": kindSchema, "content": kindContent, "examples": kindExamples}},
	kindParameters: {elem: kindParameter},
	kindBody:       {section: "requestBodies", fields: map[string]objectKind{"content": kindContent}},
	kindContent:    {named: true, elem: kindMedia},
	kindMedia: {section: "mediaTypes", fields: map[string]objectKind{
		"schema": kindSchema, "itemSchema": kindSchema, "examples": kindExamples, "encoding": kindEncodings}},
	kindEncodings: {named: true, elem: kindEncoding},
	kindEncoding:  {fields: map[string]objectKind{"headers": kindHeaders}},
	kindResponses: {named: true, elem: kindResponse},
	kindResponse: {section: "responses", fields: map[string]objectKind{
		"headers": kindHeaders, "content": kindContent, "links": kindLinks}},
	kindHeader: {section: "headers", fields: map[string]objectKind{
		"schema": kindSchema, "content": kindContent, "examples": kindExamples}},
	kindHeaders:   {named: true, elem: kindHeader},
	kindExample:   {section: "examples"},
	kindExamples:  {named: true, elem: kindExample},
	kindLink:      {section: "links"},
	kindLinks:     {named: true, elem: kindLink},
	kindCallback:  {section: "callbacks", named: true, elem: kindPathItem},
	kindCallbacks: {named: true, elem: kindCallback},
	kindPathItem: {section: "pathItems", fields: map[string]objectKind{
		"parameters": kindParameters, "get": kindOperation, "put": kindOperation, "post": kindOperation, "delete": kindOperation,
		"options": kindOperation, "head": kindOperation, "patch": kindOperation, "trace": kindOperation, "query": kindOperation}},
	kindOperation: {fields: map[string]objectKind{
		"parameters": kindParameters, "requestBody": kindBody, "callbacks": kindCallbacks, "responses": kindResponses}},
}

// sections are those of components that a slice can hold, in its order.
var sections = []string{
	"schemas", "responses", "parameters", "examples", "requestBodies", "headers",
	"securitySchemes", "links", "callbacks", "pathItems", "mediaTypes",
}

// sectionKind is the kind of the objects in a section.
var sectionKind = func() map[string]objectKind {
	m := map[string]objectKind{}
	for kind, info := range kinds {
		if info.section != "" {
			m[info.section] = kind
		}
	}
	return m
}()

// trims say what a rewrite leaves out.
type trims uint8

const (
	trimLongExamples trims = 1 << iota
	trimExamples           // all examples, and links
	trimText               // the tails of long descriptions
)

const (
	longExample = 100 // bytes
	longText    = 200 // bytes of a description
)

// rewriter copies parts of a document, compactly, and notes the components
// that they refer to.
type rewriter struct {
	d          *Document
	trims      trims
	extensions []string // see SliceOptions
	maxDepth   int      // schemas nested deeper become stubs; below 0 for none
	stub       func(rawjson.Span) []byte
	refs       []componentKey // in the order of the text, each once
	depth      int
}

func (w *rewriter) value(dst []byte, sp rawjson.Span, kind objectKind) []byte {
	s, info := w.d.src, kinds[kind]
	switch {
	case s.Kind(sp) == '[' && info.elem != kindOpaque:
		dst = append(dst, '[')
		for e := range s.Elements(sp) {
			dst = append(w.value(dst, e, info.elem), ',')
		}
		return closeWith(dst, ']')
	case s.Kind(sp) != '{' || kind == kindOpaque:
		return s.Compact(dst, sp)
	case kind == kindMapping:
		return w.mapping(dst, sp)
	case kind == kindSchema:
		if w.maxDepth >= 0 && w.depth > w.maxDepth && sp.End-sp.Start > 150 {
			return append(dst, w.stub(sp)...)
		}
		w.depth++
		defer func() { w.depth-- }()
	}
	if ref := s.Get(sp, "$ref"); info.section != "" && s.Kind(ref) == '"' {
		return w.reference(dst, sp, info.section, s.Str(ref), kind)
	}
	return w.object(dst, sp, kind)
}

func (w *rewriter) object(dst []byte, sp rawjson.Span, kind objectKind) []byte {
	s, info := w.d.src, kinds[kind]
	dst = append(dst, '{')
	for k, v := range s.Members(sp) {
		name := string(k)
		child := info.elem
		if !info.named || kind == kindResponses || kind == kindCallback {
			if w.drops(kind, name, v) {
				continue
			}
		}
		if !info.named {
			child = info.fields[name]
		}
		dst = append(rawjson.Quote(dst, name), ':')
		if name == "description" && !info.named && w.trims&trimText != 0 && v.End-v.Start > longText {
			dst = append(rawjson.Quote(dst, cutText(s.Str(v))), ',')
			continue
		}
		dst = append(w.value(dst, v, child), ',')
	}
	return closeWith(dst, '}')
}

// closeWith ends an object or array, of which each part has been followed by a
// comma.
func closeWith(dst []byte, c byte) []byte { return append(bytes.TrimSuffix(dst, []byte{','}), c) }

// drops tells members that a rewrite leaves out.
func (w *rewriter) drops(kind objectKind, name string, v rawjson.Span) bool {
	switch {
	case strings.HasPrefix(name, "x-"):
		if w.extensions == nil {
			return kind != kindOperation
		}
		return !slices.Contains(w.extensions, name)
	case kinds[kind].named || kind == kindOperation || kind == kindPathItem || kind == kindExample:
		return false
	case name == "example" || name == "examples":
		long := v.End-v.Start > longExample || name == "examples" && bytes.Contains(w.d.src[v.Start:v.End], []byte("$ref"))
		return w.trims&trimExamples != 0 || long && w.trims&trimLongExamples != 0
	case name == "links" || name == "externalDocs":
		return w.trims&trimExamples != 0
	}
	return false
}

// reference writes a reference under the name that its target has in a slice.
func (w *rewriter) reference(dst []byte, sp rawjson.Span, section, ref string, kind objectKind) []byte {
	dst = w.refTo(append(dst, `{"$ref":`...), section, ref)
	dst = append(dst, ',')
	if !w.d.is30() { // 3.0 allows nothing beside a reference
		for k, v := range w.d.src.Members(sp) {
			name := string(k)
			if name == "$ref" || kind != kindSchema && name != "summary" && name != "description" || w.drops(kind, name, v) {
				continue
			}
			dst = append(rawjson.Quote(dst, name), ':')
			dst = append(w.value(dst, v, kinds[kind].fields[name]), ',')
		}
	}
	return closeWith(dst, '}')
}

func (w *rewriter) refTo(dst []byte, section, ref string) []byte {
	key := w.d.componentFor(section, ref)
	if !slices.Contains(w.refs, key) {
		w.refs = append(w.refs, key)
	}
	return rawjson.Quote(dst, "#/components/"+key.section+"/"+key.name)
}

// mapping writes a discriminator; its mapping refers to schemas too.
func (w *rewriter) mapping(dst []byte, sp rawjson.Span) []byte {
	s := w.d.src
	dst = append(dst, '{')
	for k, v := range s.Members(sp) {
		name := string(k)
		if strings.HasPrefix(name, "x-") {
			continue
		}
		dst = append(rawjson.Quote(dst, name), ':')
		if name != "mapping" || s.Kind(v) != '{' {
			dst = append(s.Compact(dst, v), ',')
			continue
		}
		dst = append(dst, '{')
		for value, target := range s.Members(v) {
			dst = append(rawjson.Quote(dst, string(value)), ':')
			dst = append(w.refTo(dst, "schemas", schema.MappingRef(s.Str(target))), ',')
		}
		dst = append(closeWith(dst, '}'), ',')
	}
	return closeWith(dst, '}')
}

// cutText keeps the beginning of a long description, up to a word.
func cutText(s string) string {
	if len(s) <= longText {
		return s
	}
	s = s[:longText]
	if i := strings.LastIndexAny(s, " \n"); i > longText/2 {
		s = s[:i]
	}
	return strings.ToValidUTF8(strings.TrimSpace(s), "") + "…"
}
