// SPDX-License-Identifier: Apache-2.0

package openapi

import "encoding/json"

// Validator checks JSON against one compiled schema. It is safe for concurrent
// use.
type Validator struct{}

// Schema compiles the schema at a JSON pointer of the document, with or
// without its "#": "#/components/schemas/Card". Each place is compiled once.
func (d *Document) Schema(pointer string) (*Validator, error) { return &Validator{}, nil }

// CompileSchema compiles a stand-alone schema of JSON Schema 2020-12, with its
// own $defs. References out of it are an error; a pattern that Go cannot
// compile is let through.
func CompileSchema(raw json.RawMessage) (*Validator, error) { return &Validator{}, nil }

// Check compares raw with the schema, Strict. in is put into the issues'
// field of that name ("body"). raw must be exactly one JSON value, valid UTF-8,
// without duplicate keys, at most 200 levels deep.
func (v *Validator) Check(raw []byte, in string) []Issue { return nil }
