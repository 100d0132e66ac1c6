// SPDX-License-Identifier: Apache-2.0

package openapi

import (
	"mime"
	"slices"
	"strings"

	"github.com/fiftyarms/platform/internal/openapi/rawjson"
)

// opInputs is what a request to an operation may carry.
type opInputs struct {
	params       []param
	content      []mediaType // of the body, in document order
	bodyRequired bool
}

type mediaType struct {
	name   string
	schema rawjson.Span // or the zero rawjson.Span
}

type param struct {
	name, in   string
	required   bool
	style      string
	explode    bool
	allowEmpty bool
	json       bool         // the value is JSON text (declared by content, not schema)
	schema     rawjson.Span // or the zero rawjson.Span
}

func (o *Operation) readInputs() opInputs {
	var in opInputs
	s := o.doc.src
	// The operation's parameters replace those of its path, by place and name.
	for _, list := range []rawjson.Span{s.Get(o.item, "parameters"), s.Get(o.span, "parameters")} {
		for e := range s.Elements(list) {
			p, ok := o.doc.readParam(o.doc.follow(e))
			if !ok {
				continue
			}
			if i := slices.IndexFunc(in.params, func(q param) bool { return q.name == p.name && q.in == p.in }); i >= 0 {
				in.params[i] = p
			} else {
				in.params = append(in.params, p)
			}
		}
	}
	body := o.doc.follow(s.Get(o.span, "requestBody"))
	in.bodyRequired = s.IsTrue(s.Get(body, "required"))
	in.content = o.doc.readContent(s.Get(body, "content"))
	return in
}

func (d *Document) readContent(content rawjson.Span) []mediaType {
	var out []mediaType
	for name, v := range d.src.Members(content) {
		m := mediaType{name: string(name)}
		m.schema = d.src.Get(d.follow(v), "schema")
		out = append(out, m)
	}
	return out
}

func (d *Document) readParam(sp rawjson.Span) (param, bool) {
	s := d.src
	p := param{
		name: s.Str(s.Get(sp, "name")), in: s.Str(s.Get(sp, "in")), style: s.Str(s.Get(sp, "style")),
		required: s.IsTrue(s.Get(sp, "required")), allowEmpty: s.IsTrue(s.Get(sp, "allowEmptyValue")),
		schema: s.Get(sp, "schema"),
	}
	if p.style == "" {
		p.style = "simple"
		if p.in == "query" {
			p.style = "form"
		}
	}
	p.explode = p.style == "form" || p.style == "deepObject"
	if explode := s.Get(sp, "explode"); explode.OK() {
		p.explode = s.IsTrue(explode)
	}
	if content := d.readContent(s.Get(sp, "content")); !p.schema.OK() && len(content) > 0 {
		p.json = isJSON(content[0].name)
		if p.json {
			p.schema = content[0].schema
		}
	}
	if p.in == "header" && slices.ContainsFunc([]string{"accept", "content-type", "authorization"}, func(h string) bool { return strings.EqualFold(h, p.name) }) {
		return param{}, false // the specification says that these are to be ignored
	}
	return p, p.name != "" && p.in != ""
}

// jsonContent picks the declared content that a JSON body of a type is checked
// against; "" is application/json, or what JSON there is.
func (in *opInputs) jsonContent(contentType string) (mediaType, bool) {
	return pickJSON(in.content, contentType)
}

func pickJSON(content []mediaType, contentType string) (mediaType, bool) {
	want := bareType(contentType)
	if want == "" {
		want = "application/json"
	}
	if !isJSON(want) {
		return mediaType{}, false
	}
	for _, pattern := range []string{want, "application/*", "*/*"} {
		for _, c := range content {
			if bareType(c.name) == pattern {
				return c, true
			}
		}
	}
	if contentType == "" {
		for _, c := range content {
			if isJSON(bareType(c.name)) {
				return c, true
			}
		}
	}
	return mediaType{}, false
}

func bareType(contentType string) string {
	bare, _, _ := strings.Cut(contentType, ";")
	if t, _, err := mime.ParseMediaType(contentType); err == nil {
		bare = t
	}
	return strings.ToLower(strings.TrimSpace(bare))
}

func isJSON(contentType string) bool {
	t := bareType(contentType)
	return t == "application/json" || strings.HasSuffix(t, "+json")
}
