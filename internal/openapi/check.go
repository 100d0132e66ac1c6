// SPDX-License-Identifier: Apache-2.0

package openapi

import (
	"net/http"
	"net/url"
)

// Issue is one way in which a request breaks the contract.
type Issue struct {
	In      string `json:"in"`      // "path", "query", "header" or "body"
	Path    string `json:"path"`    // a parameter's name, or the JSON pointer of a place in the body ("" is the whole body)
	Message string `json:"message"` // for people and agents; never holds the offending value
}

// Mode says how much of the contract [Operation.Check] holds a request to.
type Mode int

const (
	// Strict is everything that the contract says: the server's side.
	Strict Mode = iota
	// Courtesy is only what no newer server is likely to see otherwise:
	// parameters that are missing or not filled in, missing required fields,
	// wrong JSON types. Unknown fields and parameters, enum values, lengths,
	// patterns and formats are let through: the client's side.
	Courtesy
)

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
// content type is the caller's to refuse (see RequestContentTypes).
func (o *Operation) Check(r Request, mode Mode) []Issue { return nil }

// HealBody undoes one common mishap: a body that should be an object or array
// but arrives as a JSON string that holds it. It returns the inner JSON and
// true if raw is such a string and the contract wants no string, else raw and
// false. Only the body as a whole is healed.
func (o *Operation) HealBody(raw []byte) (healed []byte, changed bool) { return raw, false }
