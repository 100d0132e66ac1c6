// SPDX-License-Identifier: Apache-2.0

package openapi

import (
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/fiftyarms/platform/internal/openapi/rawjson"
	"github.com/fiftyarms/platform/internal/openapi/schema"
)

// checkParams checks the parameters of path, query and header.
func (o *Operation) checkParams(r Request, mode Mode) []Issue {
	var issues []Issue
	in := o.inputs()
	claimed := map[string]bool{} // query keys that belong to a parameter
	open := o.doc.isSwagger()    // unknown query keys are not told apart
	for _, p := range in.params {
		var readings []any
		var given bool
		var problem string
		switch p.in {
		case "path":
			text, ok := r.PathParams[p.name]
			if ok && (text == "{"+p.name+"}" || text == ":"+p.name) {
				issues = append(issues, Issue{In: p.in, Path: p.name, Message: "is not filled in"})
				continue
			}
			given = ok
			readings, problem = o.simple(p, []string{text})
		case "query":
			if p.spreads(o) {
				var more bool
				readings, given, more = o.spread(p, r.Query, in.params, claimed)
				open = open || more
				break
			}
			readings, given, problem = o.query(p, r.Query, claimed)
		case "header":
			if r.Header == nil {
				continue
			}
			texts := r.Header.Values(p.name)
			given = len(texts) > 0
			readings, problem = o.simple(p, texts)
		case "querystring":
			open = true // 3.2: one parameter for the whole query
			continue
		default:
			continue
		}
		switch {
		case !given:
			if p.required || p.in == "path" {
				issues = append(issues, Issue{In: p.in, Path: p.name, Message: "is required"})
			}
		case problem != "":
			issues = append(issues, Issue{In: p.in, Path: p.name, Message: problem})
		case p.schema.OK() && readings != nil:
			issues = append(issues, o.bestReading(p, readings, mode)...)
		}
	}
	if mode == Strict && !open {
		for key := range r.Query {
			if !claimed[key] {
				issues = append(issues, Issue{In: "query", Path: clip(key), Message: "is not a known query parameter"})
			}
		}
	}
	return issues
}

// bestReading checks the readings of a text and reports the one with the
// fewest issues.
func (o *Operation) bestReading(p param, readings []any, mode Mode) []Issue {
	v := o.doc.checks.Validator(schema.RequestSide, p.schema)
	var best []Issue
	for i, value := range readings {
		found := v.CheckValue(value, p.in, p.name, mode)
		if len(found) == 0 {
			return nil
		}
		if i == 0 || len(found) < len(best) {
			best = found
		}
	}
	return best
}

// clip bounds a name that the caller made up.
func clip(name string) string {
	if len(name) > 200 {
		return strings.ToValidUTF8(name[:200], "") + "…"
	}
	return name
}

const givenTwice = "is given more than once"

// query reads a parameter that has a key, or keys with brackets, of its own.
func (o *Operation) query(p param, q url.Values, claimed map[string]bool) (readings []any, given bool, problem string) {
	if p.style == "deepObject" {
		return o.deep(p, q, claimed)
	}
	key := p.name
	texts, given := q[key]
	if alt := p.name + "[]"; !given && q[alt] != nil { // a common spelling of arrays
		key, texts, given = alt, q[alt], true
	}
	claimed[key] = true
	if !given || len(texts) == 0 || p.allowEmpty && len(texts) == 1 && texts[0] == "" {
		return nil, given, ""
	}
	if p.json {
		return o.jsonText(texts)
	}
	sh := o.doc.checks.Shape(p.schema)
	types := sh.Types()
	if !p.explode && len(texts) == 1 && (types["array"] || types["object"]) {
		readings = o.split(sh, texts[0], map[string]string{"spaceDelimited": " ", "pipeDelimited": "|"}[p.style])
	} else if types["array"] {
		readings = []any{sh.Array(texts)}
	}
	scalars := len(readings) == 0
	for t := range types {
		scalars = scalars || t != "array" && t != "object" && t != "null"
	}
	if !scalars {
		return readings, true, ""
	}
	if len(texts) > 1 {
		if len(readings) > 0 {
			return readings, true, ""
		}
		return nil, true, givenTwice
	}
	return append(sh.Scalar(texts[0]), readings...), true, ""
}

func (o *Operation) jsonText(texts []string) (readings []any, given bool, problem string) {
	if len(texts) > 1 {
		return nil, true, givenTwice
	}
	value, bad := rawjson.Decode([]byte(texts[0]))
	if bad != nil {
		return nil, true, "must hold JSON; it " + bad.Message
	}
	return []any{value}, true, ""
}

// split reads an array, or an object as "key,value,key,value", from one text.
func (o *Operation) split(sh schema.Shape, text, separator string) []any {
	if separator == "" {
		separator = ","
	}
	texts := []string{}
	if text != "" {
		texts = strings.Split(text, separator)
	}
	types := sh.Types()
	if types["array"] || !types["object"] {
		return []any{sh.Array(texts)}
	}
	object := map[string]any{}
	for pair := range slices.Chunk(texts, 2) {
		if len(pair) == 2 {
			object[pair[0]] = sh.Field(pair[0]).One(pair[1])
		}
	}
	return []any{object}
}

// simple reads a parameter of path or header.
func (o *Operation) simple(p param, texts []string) (readings []any, problem string) {
	if !p.schema.OK() || len(texts) == 0 || p.style != "simple" {
		return nil, "" // label and matrix are not looked into
	}
	if p.json {
		readings, _, problem = o.jsonText(texts)
		return readings, problem
	}
	sh := o.doc.checks.Shape(p.schema)
	types := sh.Types()
	text := strings.Join(texts, ",")
	if p.in == "header" && types["array"] {
		parts := strings.Split(text, ",")
		for i := range parts {
			parts[i] = strings.TrimSpace(parts[i])
		}
		text = strings.Join(parts, ",")
	}
	switch {
	case types["array"]:
		return append(o.split(sh, text, ","), sh.Scalar(text)...), ""
	case types["object"] && p.explode:
		object := map[string]any{}
		for pair := range strings.SplitSeq(text, ",") {
			k, v, _ := strings.Cut(pair, "=")
			object[k] = sh.Field(k).One(v)
		}
		return []any{object}, ""
	case types["object"]:
		return o.split(sh, text, ","), ""
	case len(texts) > 1:
		return nil, givenTwice
	}
	return sh.Scalar(text), ""
}

// spreads tells an object whose fields are query parameters of their own.
func (p param) spreads(o *Operation) bool {
	if p.style != "form" || !p.explode || p.json || !p.schema.OK() {
		return false
	}
	types := o.doc.checks.Shape(p.schema).Types()
	return types["object"] && !types["array"] && !types["string"]
}

// spread gathers such an object. Fields that another parameter is named like
// are not its own. open says that it takes any key.
func (o *Operation) spread(p param, q url.Values, params []param, claimed map[string]bool) (readings []any, given, open bool) {
	sh := o.doc.checks.Shape(p.schema)
	names, open := sh.Fields()
	object := map[string]any{}
	for key, texts := range q {
		other := slices.ContainsFunc(params, func(x param) bool { return x.in == "query" && x.name == key && key != p.name })
		if other || len(texts) == 0 || !names[key] && !open {
			continue
		}
		claimed[key] = true
		if f := sh.Field(key); f.Types()["array"] || len(texts) > 1 {
			object[key] = f.Array(texts)
		} else {
			object[key] = f.One(texts[0])
		}
	}
	return []any{object}, len(object) > 0, open || len(names) == 0
}

// deepEntry is one query key of a deepObject parameter: "a[b][c]" is b, c.
type deepEntry struct {
	path  []string
	texts []string
}

// maxDeep bounds the brackets of a query key.
const maxDeep = 20

func (o *Operation) deep(p param, q url.Values, claimed map[string]bool) (readings []any, given bool, problem string) {
	var entries []deepEntry
	for _, key := range slices.Sorted(maps.Keys(q)) {
		rest, ok := strings.CutPrefix(key, p.name)
		if !ok || len(q[key]) == 0 || rest != "" && (rest[0] != '[' || rest[len(rest)-1] != ']') {
			continue
		}
		claimed[key] = true
		e := deepEntry{texts: q[key]}
		if rest != "" {
			e.path = strings.Split(rest[1:len(rest)-1], "][")
		}
		if len(e.path) > maxDeep {
			return nil, true, "is nested too deep"
		}
		entries = append(entries, e)
	}
	if len(entries) == 0 || !p.schema.OK() {
		return nil, len(entries) > 0, ""
	}
	value, problem := deepValue(o.doc.checks.Shape(p.schema), entries)
	return []any{value}, true, problem
}

// deepValue builds the value of entries that share the keys before theirs.
func deepValue(sh schema.Shape, entries []deepEntry) (value any, problem string) {
	types := sh.Types()
	groups := map[string][]deepEntry{}
	for _, e := range entries {
		if len(e.path) == 0 {
			switch {
			case types["array"]:
				return sh.Array(e.texts), ""
			case len(e.texts) > 1:
				return nil, givenTwice
			}
			return sh.One(e.texts[0]), ""
		}
		groups[e.path[0]] = append(groups[e.path[0]], deepEntry{e.path[1:], e.texts})
	}
	keys := slices.SortedFunc(maps.Keys(groups), schema.ComparePointers)
	if types["array"] && !slices.ContainsFunc(keys, func(k string) bool { _, err := strconv.Atoi(k); return k != "" && err != nil }) {
		list := []any{}
		for _, k := range keys {
			if k == "" && len(groups[k][0].path) == 0 { // "a[]=1&a[]=2"
				list = append(list, sh.Array(groups[k][0].texts)...)
				continue
			}
			item, problem := deepValue(sh.Items(), groups[k])
			if problem != "" {
				return nil, problem
			}
			list = append(list, item)
		}
		return list, ""
	}
	object := map[string]any{}
	for _, k := range keys {
		field, problem := deepValue(sh.Field(k), groups[k])
		if problem != "" {
			return nil, problem
		}
		object[k] = field
	}
	return object, ""
}
