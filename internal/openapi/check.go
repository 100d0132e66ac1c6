// SPDX-License-Identifier: Apache-2.0

package openapi

import (
	"bytes"
	"encoding/json"
	"net/http"
	"net/url"
	"strings"

	"github.com/fiftyarms/platform/internal/openapi/rawjson"
	"github.com/fiftyarms/platform/internal/openapi/schema"
)

// What checks a value lives in package schema; these are its names here.
type (
	// Issue is one way in which a request breaks the contract.
	Issue = schema.Issue
	// Mode says how much of the contract a request is held to.
	Mode = schema.Mode
	// Validator checks JSON against one compiled schema. It is safe for
	// concurrent use.
	Validator = schema.Validator
)

const (
	// Strict is everything that the contract says: the server's side.
	Strict = schema.Strict
	// Courtesy is only what no newer server is likely to see otherwise: the
	// client's side. See [schema.Courtesy].
	Courtesy = schema.Courtesy
	// Drift is what keeps a client from reading an answer: see [schema.Drift].
	Drift = schema.Drift
)

// CompileSchema compiles a stand-alone schema of JSON Schema 2020-12, with its
// own $defs; see [schema.Compile].
func CompileSchema(raw json.RawMessage) (*Validator, error) { return schema.Compile(raw) }

// Request is what [Operation.Check] looks at.
type Request struct {
	PathParams  map[string]string // decoded, as in Match.Params
	Query       url.Values
	Header      http.Header // nil leaves header parameters unchecked
	Body        []byte      // raw; empty is no body
	ContentType string      // of the body; "" is application/json
}

// Check compares a request with the contract. The answer is empty when it
// keeps it; it holds at most 20 issues, sorted, and one more that says how
// many were left out. Only JSON bodies are looked into; another or undeclared
// content type is the caller's to refuse (see RequestContentTypes). Cookie
// parameters are not looked at.
func (o *Operation) Check(r Request, mode Mode) []Issue {
	issues := o.checkParams(r, mode)
	return schema.Limit(append(issues, o.checkBody(r, mode)...))
}

func (o *Operation) checkBody(r Request, mode Mode) []Issue {
	in := o.inputs()
	issue := func(path, message string) []Issue { return []Issue{{In: "body", Path: path, Message: message}} }
	if len(bytes.TrimSpace(r.Body)) == 0 {
		if in.bodyRequired {
			return issue("", "is required")
		}
		return nil
	}
	if len(in.content) == 0 {
		if mode == Strict && !o.doc.isSwagger() {
			return issue("", "must not be given: this operation takes no body")
		}
		return nil
	}
	content, ok := in.jsonContent(r.ContentType)
	if !ok {
		return nil
	}
	value, bad := rawjson.Decode(r.Body)
	if bad != nil {
		return issue(bad.Pointer, bad.Message)
	}
	if !content.schema.OK() {
		return nil
	}
	return o.doc.checks.Validator(schema.RequestSide, content.schema).CheckValue(value, "body", "", mode)
}

// BodyTakes tells whether the operation takes a JSON object as its body and the
// contract names a member of it so.
func (o *Operation) BodyTakes(member string) bool {
	content, ok := o.inputs().jsonContent("")
	if !ok || !content.schema.OK() {
		return false
	}
	names, _ := o.doc.checks.Shape(content.schema).Fields()
	return names[member]
}

// HealBody undoes one common mishap: a body that should be an object or array
// but arrives as a JSON string that holds it. It returns the inner JSON and
// true if raw is such a string and the contract wants no string, else raw and
// false. Only the body as a whole is healed.
func (o *Operation) HealBody(raw []byte) (healed []byte, changed bool) {
	content, ok := o.inputs().jsonContent("")
	if !ok || !content.schema.OK() {
		return raw, false
	}
	outer, bad := rawjson.Decode(raw)
	text, ok := outer.(string)
	if bad != nil || !ok {
		return raw, false
	}
	inner, bad := rawjson.Decode([]byte(text))
	if bad != nil {
		return raw, false
	}
	types := o.doc.checks.Shape(content.schema).Types()
	switch inner.(type) {
	case map[string]any:
		ok = types.Has("object")
	case []any:
		ok = types.Has("array")
	default:
		ok = false
	}
	if !ok || types.Has("string") {
		return raw, false
	}
	return []byte(strings.TrimSpace(text)), true
}
