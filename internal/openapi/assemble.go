// SPDX-License-Identifier: Apache-2.0

package openapi

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/fiftyarms/platform/internal/openapi/rawjson"
)

// operations writes the paths of a slice. inner bounds the nesting of inline
// schemas in responses (-1: not at all, bareResponses: only descriptions).
func (s *slicer) operations(inner int, callbacks bool) written {
	var w written
	var paths []string
	for _, op := range s.ops {
		if !slices.Contains(paths, op.Path) {
			paths = append(paths, op.Path)
		}
	}
	var failures []target
	w.paths = append(w.paths, '{')
	for _, path := range paths {
		w.paths = append(rawjson.Quote(w.paths, path), ':')
		w.paths = s.pathItem(&w, &failures, path, inner, callbacks)
		w.paths = append(w.paths, ',')
	}
	w.paths = closeWith(w.paths, '}')
	w.response = append(w.response, failures...)
	if w.security {
		w.require("", s.d, s.d.root["security"])
	}
	return w
}

func (s *slicer) pathItem(w *written, failures *[]target, path string, inner int, callbacks bool) []byte {
	dst := append(w.paths, '{')
	var additional []byte
	begun := false
	for _, op := range s.ops {
		if op.Path != path {
			continue
		}
		if !begun { // what the path says for all its operations
			begun = true
			rw := s.rewriter(s.request)
			for k, v := range s.d.src.Members(op.item) {
				name := string(k)
				if httpMethods[strings.ToLower(name)] || name == "additionalOperations" || name == "$ref" || rw.drops(kindPathItem, name, v) {
					continue
				}
				dst = append(rawjson.Quote(dst, name), ':')
				dst = append(rw.value(dst, v, kinds[kindPathItem].fields[name]), ',')
			}
			w.request = append(w.request, (&piece{refs: rw.refs}).targets(op.Route())...)
		}
		if op.additional {
			additional = append(rawjson.Quote(additional, op.key), ':')
			additional = append(s.operation(additional, w, failures, op, inner, callbacks), ',')
			continue
		}
		dst = append(rawjson.Quote(dst, strings.ToLower(op.key)), ':')
		dst = append(s.operation(dst, w, failures, op, inner, callbacks), ',')
	}
	if additional != nil {
		dst = append(append(dst, `"additionalOperations":{`...), additional...)
		dst = append(closeWith(dst, '}'), ',')
	}
	return closeWith(dst, '}')
}

func (s *slicer) operation(dst []byte, w *written, failures *[]target, op *Operation, inner int, callbacks bool) []byte {
	src := s.d.src
	request, back := s.rewriter(s.request), s.rewriter(s.response)
	security := rawjson.Span{}
	dst = append(dst, '{')
	for k, v := range src.Members(op.span) {
		name := string(k)
		if request.drops(kindOperation, name, v) || name == "callbacks" && !callbacks {
			continue
		}
		dst = append(rawjson.Quote(dst, name), ':')
		switch name {
		case "responses":
			dst = s.responses(dst, w, failures, op, v, inner)
		case "callbacks":
			dst = back.value(dst, v, kindCallbacks)
		default:
			dst = request.value(dst, v, kinds[kindOperation].fields[name])
		}
		dst = append(dst, ',')
		if name == "security" {
			security = v
		}
	}
	w.request = append(w.request, (&piece{refs: request.refs}).targets(op.Route())...)
	*failures = append(*failures, (&piece{refs: back.refs}).targets(op.Route())...)
	if security.OK() {
		w.require(op.Route(), s.d, security)
	} else {
		w.security = true
	}
	return closeWith(dst, '}')
}

func (s *slicer) responses(dst []byte, w *written, failures *[]target, op *Operation, all rawjson.Span, inner int) []byte {
	src := s.d.src
	dst = append(dst, '{')
	for k, v := range src.Members(all) {
		status := string(k)
		if strings.HasPrefix(status, "x-") {
			continue
		}
		rw := s.rewriter(s.response)
		rw.maxDepth = inner
		rw.stub = func(sp rawjson.Span) []byte { return s.d.cutStub("schemas", sp, op.Route()+"#"+status) }
		dst = append(rawjson.Quote(dst, status), ':')
		if inner == bareResponses && !src.Get(v, "$ref").OK() && v.End-v.Start > longText {
			dst = append(append(dst, s.d.cutStub("responses", v, op.Route()+"#"+status)...), ',')
			continue
		}
		dst = append(rw.value(dst, v, kindResponse), ',')
		found := (&piece{refs: rw.refs}).targets(op.Route())
		if strings.HasPrefix(status, "2") {
			w.response = append(w.response, found...)
		} else {
			*failures = append(*failures, found...)
		}
	}
	return closeWith(dst, '}')
}

func (s *slicer) rewriter(t trims) *rewriter {
	return &rewriter{d: s.d, trims: t, extensions: s.opt.Extensions, maxDepth: -1}
}

// require adds the security schemes of a list of requirements, where they are
// declared.
func (w *written) require(route string, d *Document, security rawjson.Span) {
	for e := range d.src.Elements(security) {
		for name := range d.src.Members(e) {
			key := componentKey{"securitySchemes", string(name)}
			if d.components()[key.section][key.name].OK() && plainName(key.name) {
				w.request = append(w.request, target{key, route})
			}
		}
	}
}

// assemble writes the document.
func (s *slicer) assemble(w written, h *holding) []byte {
	src := s.d.src
	out := rawjson.Quote([]byte(`{"openapi":`), s.d.version)
	info := s.d.root["info"]
	title, version := src.Str(src.Get(info, "title")), src.Str(src.Get(info, "version"))
	if title == "" {
		title = "API"
	}
	if version == "" {
		version = "0"
	}
	out = rawjson.Quote(append(out, `,"info":{"title":`...), title)
	out = rawjson.Quote(append(out, `,"version":`...), version)
	if s.note != "" {
		out = rawjson.Quote(append(out, `,"description":`...), s.note)
	}
	out = append(out, '}')
	for _, name := range []string{"jsonSchemaDialect", "servers", "security"} {
		if v := s.d.root[name]; v.OK() && (name != "security" || w.security) {
			out = append(rawjson.Quote(append(out, ','), name), ':')
			out = src.Compact(out, v)
		}
	}
	out = append(append(out, `,"paths":`...), w.paths...)
	if len(h.order) > 0 {
		out = append(out, `,"components":{`...)
		for _, section := range sections {
			begun := false
			for _, key := range h.order {
				if key.section != section {
					continue
				}
				if !begun {
					begun = true
					out = append(rawjson.Quote(out, section), `:{`...)
				}
				out = append(rawjson.Quote(out, key.name), ':')
				out = append(append(out, h.json[key]...), ',')
			}
			if begun {
				out = append(closeWith(out, '}'), ',')
			}
		}
		out = closeWith(out, '}')
	}
	out = append(out, '}')
	if !utf8.Valid(out) {
		out = []byte(strings.ToValidUTF8(string(out), "\uFFFD"))
	}
	return out
}
