// SPDX-License-Identifier: Apache-2.0

package openapi

import (
	"encoding/json"
	"strings"
	"sync"

	"github.com/fiftyarms/platform/internal/openapi/rawjson"
)

// Operation is one method of one path.
type Operation struct {
	Method string // upper case, "GET"
	Path   string // the template as the document writes it, "/x/{id}"

	doc        *Document
	span       rawjson.Span
	item       rawjson.Span // the path item around it
	key        string       // its key there, as written
	additional bool         // held by additionalOperations (3.2)
	index      int          // its place among all operations

	headOnce   sync.Once
	headRead   opHead
	inputsOnce sync.Once
	inputsRead opInputs
	outputs    sync.Map // of a status: *outputs
}

// opHead is what lists show of an operation.
type opHead struct {
	id, summary string
	tags        []string
}

// Route is the operation's name, "METHOD /path/{id}".
func (o *Operation) Route() string { return o.Method + " " + o.Path }

// ID is the operationId, or "".
func (o *Operation) ID() string { return o.head().id }

// Summary is the operation's summary, or "".
func (o *Operation) Summary() string { return o.head().summary }

// Tags are the operation's tags in their order. Do not change the slice.
func (o *Operation) Tags() []string { return o.head().tags }

// Extension is the raw value of the operation's member of that name, such as
// "x-permission".
func (o *Operation) Extension(name string) (json.RawMessage, bool) {
	sp := o.doc.src.Get(o.span, name)
	return o.doc.src.Raw(sp), sp.OK()
}

// Raw is the operation object as the document holds it, references
// unresolved. It must not be changed.
func (o *Operation) Raw() json.RawMessage { return o.doc.src.Raw(o.span) }

// RequestContentTypes lists the declared content types of the request body in
// document order; empty when the operation takes no body.
func (o *Operation) RequestContentTypes() []string {
	var out []string
	for _, c := range o.inputs().content {
		out = append(out, c.name)
	}
	return out
}

var httpMethods = map[string]bool{
	"get": true, "put": true, "post": true, "delete": true, "options": true,
	"head": true, "patch": true, "trace": true, "query": true,
}

// indexOperations notes where each operation lies. It runs at load and looks
// at nothing below the methods.
func (d *Document) indexOperations() {
	for path, item := range d.src.Members(d.root["paths"]) {
		if len(path) == 0 || path[0] != '/' {
			continue // an extension
		}
		template := strings.ToValidUTF8(string(path), "\uFFFD")
		item = d.follow(item)
		for key, op := range d.src.Members(item) {
			if name := string(key); httpMethods[strings.ToLower(name)] {
				d.addOperation(&Operation{Method: strings.ToUpper(name), Path: template, span: op, item: item, key: name})
			} else if name == "additionalOperations" {
				for method, op := range d.src.Members(op) {
					d.addOperation(&Operation{Method: strings.ToUpper(string(method)), Path: template, span: op, item: item, key: string(method), additional: true})
				}
			}
		}
	}
}

func (d *Document) addOperation(op *Operation) {
	if d.src.Kind(op.span) != '{' {
		return
	}
	op.doc, op.index = d, len(d.ops)
	d.ops = append(d.ops, op)
}

func (o *Operation) head() *opHead {
	o.headOnce.Do(func() { o.headRead = o.readHead() })
	return &o.headRead
}

// inputs is what a request may carry, decoded at its first use.
func (o *Operation) inputs() *opInputs {
	o.inputsOnce.Do(func() { o.inputsRead = o.readInputs() })
	return &o.inputsRead
}

func (o *Operation) readHead() opHead {
	var h opHead
	for k, v := range o.doc.src.Members(o.span) {
		switch string(k) {
		case "operationId":
			h.id = o.doc.src.Str(v)
		case "summary":
			h.summary = o.doc.src.Str(v)
		case "tags":
			h.tags = o.doc.src.Strs(v)
		}
	}
	return h
}
