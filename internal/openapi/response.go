// SPDX-License-Identifier: Apache-2.0

package openapi

import (
	"strconv"

	"github.com/fiftyarms/platform/internal/openapi/rawjson"
	"github.com/fiftyarms/platform/internal/openapi/schema"
)

// outputs is what an operation answers with one status.
type outputs struct{ content []mediaType }

// CheckResponse compares an answer with the contract, as [Drift] does: what is
// required and missing, and what has another type or is none of an enum's
// values. Fields that the contract does not know are no drift, nor is anything
// about a status or content type that it does not have. Only JSON is looked
// into; what cannot be read as JSON says nothing here. contentType "" is
// application/json. The issues are as those of [Operation.Check].
func (o *Operation) CheckResponse(status int, contentType string, body []byte) []Issue {
	content, ok := pickJSON(o.responses(status).content, contentType)
	if !ok || !content.schema.OK() || !isJSON(content.name) { // "*/*" is most often a file
		return nil
	}
	value, bad := rawjson.Decode(body)
	if bad != nil {
		return nil
	}
	return schema.Limit(o.doc.checks.Validator(schema.ResponseSide, content.schema).CheckValue(value, "body", "", schema.Drift))
}

// responses is read at its first use. A status of its own comes before its
// class, and that before the default, which no success is held to.
func (o *Operation) responses(status int) *outputs {
	if known, ok := o.outputs.Load(status); ok {
		return known.(*outputs)
	}
	s := o.doc.src
	all := s.Get(o.span, "responses")
	out := &outputs{}
	code := strconv.Itoa(status)
	for _, key := range []string{code, code[:1] + "XX", "default"} {
		if key == "default" && status < 300 {
			break // it is most often what refusals look like
		}
		if r := o.doc.follow(s.Get(all, key)); r.OK() {
			out.content = o.doc.readContent(s.Get(r, "content"))
			break
		}
	}
	if status >= 100 && status <= 599 { // bounded, whatever a server answers
		o.outputs.Store(status, out)
	}
	return out
}
