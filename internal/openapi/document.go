// SPDX-License-Identifier: Apache-2.0

package openapi

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"

	"github.com/fiftyarms/platform/internal/openapi/rawjson"
	"github.com/fiftyarms/platform/internal/openapi/routes"
	"github.com/fiftyarms/platform/internal/openapi/schema"
	"github.com/go-json-experiment/json/jsontext"
)

// Document is an index over one OpenAPI document. The zero value is of no use;
// [Load] makes one. It is safe for concurrent use.
type Document struct {
	src     rawjson.Source
	root    map[string]rawjson.Span
	version string
	ops     []*Operation

	components func() map[string]map[string]rawjson.Span // section and name to place
	byID       func() map[string]*Operation
	byRoute    func() map[string][]*Operation // by Route with nameless parameters
	tree       func() *routes.Tree[*Operation]
	checks     *schema.Set
	pieces     pieceCache
}

// LoadError says why a document cannot be used at all.
type LoadError struct {
	Line, Column int    // 1-based place of the trouble, the column in bytes; 0 where it is the whole document
	Reason       string // for a person: what is wrong and, where known, what to do
	Err          error  // the parser's error, if it was one
}

func (e *LoadError) Error() string {
	if e.Line > 0 {
		return fmt.Sprintf("line %d, column %d: %s", e.Line, e.Column, e.Reason)
	}
	return e.Reason
}

// Unwrap gives the parser's error.
func (e *LoadError) Unwrap() error { return e.Err }

// Load indexes a document. It keeps data, which must not be changed afterwards.
// The error is a [*LoadError]: not JSON, or no OpenAPI document.
func Load(data []byte) (*Document, error) {
	data = bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))
	if err := wellFormed(data); err != nil {
		return nil, err
	}
	d := &Document{src: data, root: map[string]rawjson.Span{}}
	for k, v := range d.src.Members(d.src.At(0)) {
		d.root[string(k)] = v
	}
	d.version = d.src.Str(d.root["openapi"])
	if d.version == "" {
		d.version = d.src.Str(d.root["swagger"])
	}
	if d.version == "" && !d.root["paths"].OK() {
		return nil, &LoadError{Reason: "this JSON is no OpenAPI document: it has neither a member openapi nor paths"}
	}
	d.components = sync.OnceValue(d.indexComponents)
	d.byID = sync.OnceValue(d.indexIDs)
	d.byRoute = sync.OnceValue(d.indexRoutes)
	d.tree = sync.OnceValue(d.buildTree)
	d.checks = schema.NewSet(d.src, d.resolve, d.is30())
	d.indexOperations()
	return d, nil
}

// wellFormed checks the syntax, for which the rest of the package relies on it.
// Duplicate keys and broken UTF-8 are no reason to refuse someone else's
// document.
func wellFormed(data []byte) error {
	switch first := bytes.TrimLeft(data, " \t\r\n"); {
	case len(first) == 0:
		return &LoadError{Reason: "the document is empty"}
	case first[0] == '<':
		return &LoadError{Reason: "this is HTML or XML, no OpenAPI document: check the address, it may be a sign-in page"}
	case first[0] != '{':
		return &LoadError{Line: 1, Column: 1, Reason: "an OpenAPI document is expected as a JSON object; convert YAML to JSON first"}
	}
	dec := jsontext.NewDecoder(bytes.NewBuffer(data), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	err := dec.SkipValue()
	at := int(dec.InputOffset())
	if err == nil {
		if _, err = dec.ReadToken(); errors.Is(err, io.EOF) {
			return nil
		}
		err = errors.New("more text after the JSON object")
	}
	reason := err
	if syn, ok := errors.AsType[*jsontext.SyntacticError](err); ok {
		at, reason = int(syn.ByteOffset), syn.Err
	}
	line, column := rawjson.Source(data).Position(at)
	return &LoadError{Line: line, Column: column, Reason: "the JSON is damaged: " + reason.Error(), Err: err}
}

// Version is the document's own version, such as "3.1.0"; of a Swagger
// document "2.0".
func (d *Document) Version() string { return d.version }

// Raw is the whole document as it was loaded. It must not be changed.
func (d *Document) Raw() json.RawMessage { return json.RawMessage(d.src) }

// Extension is the raw value of a root member such as "x-min-version".
func (d *Document) Extension(name string) (json.RawMessage, bool) {
	sp := d.root[name]
	return d.src.Raw(sp), sp.OK()
}

// Operations lists all operations in document order. The slice is shared: do
// not change it.
func (d *Document) Operations() []*Operation { return d.ops }

// Routes lists the names of all operations ("GET /x/{id}") in document order.
// The slice is the caller's own.
func (d *Document) Routes() []string {
	out := make([]string, len(d.ops))
	for i, op := range d.ops {
		out[i] = op.Route()
	}
	return out
}

// ByID finds an operation by its operationId. Of two with the same id it is
// the first in the document.
func (d *Document) ByID(operationID string) (*Operation, bool) {
	op, ok := d.byID()[operationID]
	return op, ok
}

func (d *Document) indexIDs() map[string]*Operation {
	m := make(map[string]*Operation, len(d.ops))
	for _, op := range slices.Backward(d.ops) {
		if id := op.ID(); id != "" {
			m[id] = op
		}
	}
	return m
}

// is30 tells documents whose schemas are not JSON Schema 2020-12.
func (d *Document) is30() bool {
	return strings.HasPrefix(d.version, "3.0") || strings.HasPrefix(d.version, "2")
}

// isSwagger tells Swagger 2, whose parameters and bodies are of another kind.
func (d *Document) isSwagger() bool { return d.root["swagger"].OK() && !d.root["openapi"].OK() }

// Schema compiles the schema at a JSON pointer of the document, with or
// without its "#": "#/components/schemas/Card". Each place is compiled once.
// The error says that nothing is there.
func (d *Document) Schema(pointer string) (*Validator, error) {
	sp := d.resolve("#" + strings.TrimPrefix(pointer, "#"))
	if !sp.OK() {
		return nil, fmt.Errorf("no schema at %q in the document", pointer)
	}
	return d.checks.Validator(schema.AnySide, sp), nil
}

// Precompile compiles every request schema and reports, joined into one error,
// what cannot be enforced as written: dangling references, references to other
// documents, regular expressions that Go cannot compile, malformed keywords.
// Checks let all of those through, so a server's tests call this on its own
// contract.
func (d *Document) Precompile() error {
	for _, op := range d.ops {
		in := op.inputs()
		for _, p := range in.params {
			if p.schema.OK() {
				d.checks.Validator(schema.RequestSide, p.schema)
			}
		}
		for _, c := range in.content {
			if c.schema.OK() {
				d.checks.Validator(schema.RequestSide, c.schema)
			}
		}
	}
	return d.checks.Weak()
}
