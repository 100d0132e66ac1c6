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

	"github.com/go-json-experiment/json/jsontext"
)

// Document is an index over one OpenAPI document. The zero value is of no use;
// [Load] makes one. It is safe for concurrent use.
type Document struct {
	src     source
	root    map[string]span
	version string
	ops     []*Operation

	components func() map[string]map[string]span // section and name to place
	byID       func() map[string]*Operation
	byRoute    func() map[string][]*Operation // by Route with nameless parameters
	tree       func() *node
	checks     schemaSet
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
	d := &Document{src: data, root: map[string]span{}}
	start := d.src.space(0)
	for k, v := range d.src.members(span{start, len(data)}) {
		d.root[string(k)] = v
	}
	d.version = d.src.str(d.root["openapi"])
	if d.version == "" {
		d.version = d.src.str(d.root["swagger"])
	}
	if d.version == "" && !d.root["paths"].ok() {
		return nil, &LoadError{Reason: "this JSON is no OpenAPI document: it has neither a member openapi nor paths"}
	}
	d.indexOperations()
	d.components = sync.OnceValue(d.indexComponents)
	d.byID = sync.OnceValue(d.indexIDs)
	d.byRoute = sync.OnceValue(d.indexRoutes)
	d.tree = sync.OnceValue(d.buildTree)
	d.checks.init(d)
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
	if err == nil {
		if _, err = dec.ReadToken(); errors.Is(err, io.EOF) {
			return nil
		}
		err = errors.New("more text after the JSON object")
	}
	at := int(dec.InputOffset())
	if syn := (*jsontext.SyntacticError)(nil); errors.As(err, &syn) {
		at = int(syn.ByteOffset)
	}
	line, column := lineOf(data, at)
	return &LoadError{Line: line, Column: column, Reason: "the JSON is damaged here", Err: err}
}

// lineOf is the 1-based line and column of an offset.
func lineOf(data []byte, at int) (line, column int) {
	before := data[:min(max(at, 0), len(data))]
	return bytes.Count(before, []byte("\n")) + 1, len(before) - bytes.LastIndexByte(before, '\n')
}

// Version is the document's own version, such as "3.1.0"; of a Swagger
// document "2.0".
func (d *Document) Version() string { return d.version }

// Raw is the whole document as it was loaded. It must not be changed.
func (d *Document) Raw() json.RawMessage { return json.RawMessage(d.src) }

// Extension is the raw value of a root member such as "x-min-version".
func (d *Document) Extension(name string) (json.RawMessage, bool) {
	sp := d.root[name]
	return d.src.raw(sp), sp.ok()
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
