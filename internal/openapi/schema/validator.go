// SPDX-License-Identifier: Apache-2.0

// Package schema checks JSON against the schemas of an OpenAPI document, or
// against one that stands alone, and says what is wrong in words for people and
// agents: one message for each place, never a schema or the offending value.
//
// A schema is compiled at its first use and kept, by its place in the document
// ([Set]). Before, it is converted to clean JSON Schema 2020-12, whatever
// version and habits its document has. What cannot be enforced as written
// allows everything and is noted ([Set.Weak]): a defect in one keyword must not
// make an operation unusable.
package schema

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/fiftyarms/platform/internal/openapi/rawjson"
	"github.com/santhosh-tekuri/jsonschema/v6"
)

// Issue is one way in which a request breaks the contract.
type Issue struct {
	In      string `json:"in"`      // "path", "query", "header" or "body"
	Path    string `json:"path"`    // a parameter's name, or the JSON pointer of a place in the body ("" is the whole body)
	Message string `json:"message"` // for people and agents; never holds the offending value
}

// Mode says how much of a schema a value is held to.
type Mode int

const (
	// Strict is everything that the contract says: the server's side.
	Strict Mode = iota
	// Courtesy is only what no newer server is likely to see otherwise:
	// parameters that are missing or not filled in, missing required fields,
	// wrong JSON types. Unknown fields and parameters, enum values, lengths,
	// patterns and formats are let through: the client's side. A value that is
	// refused all the same has its unknown fields named too: one of them may be
	// a required one that is misspelt.
	Courtesy
	// Drift is what keeps a client from reading an answer: what Courtesy is, and
	// values that an enum or const does not have.
	Drift
)

// MaxIssues bounds an answer; one more issue says how many were left out.
const MaxIssues = 20

// Validator checks JSON against one compiled schema. It is safe for concurrent
// use.
type Validator struct {
	schema *jsonschema.Schema   // nil allows everything
	lookup func(url string) any // the schema document behind an address
}

// Compile compiles a stand-alone schema of JSON Schema 2020-12, with its
// own $defs. References out of it are an error; a pattern that Go cannot
// compile is let through.
func Compile(raw json.RawMessage) (*Validator, error) {
	doc, bad := rawjson.Decode(raw)
	if bad != nil {
		return nil, fmt.Errorf("schema: %s %s", bad.Pointer, bad.Message)
	}
	const address = "mem:///schema.json"
	c := newCompiler(func(url string) (any, error) {
		return nil, errors.New("a stand-alone schema must not refer out of itself")
	}, func(string) {})
	if err := c.AddResource(address, doc); err != nil {
		return nil, fmt.Errorf("schema: %w", err)
	}
	schema, err := compile(c, address)
	if err != nil {
		return nil, fmt.Errorf("schema: %w", err)
	}
	return &Validator{schema, func(url string) any {
		if url == address {
			return doc
		}
		return nil
	}}, nil
}

// Check compares raw with the schema, Strict. in is put into the issues'
// field of that name ("body"). raw must be exactly one JSON value, valid UTF-8,
// without duplicate keys, at most 200 levels deep.
func (v *Validator) Check(raw []byte, in string) []Issue {
	value, bad := rawjson.Decode(raw)
	if bad != nil {
		return []Issue{{in, bad.Pointer, bad.Message}}
	}
	return Limit(v.CheckValue(value, in, "", Strict))
}

// CheckValue compares a value of rawjson.Decode with the schema. An issue's
// place is name, which is "" for a body, and the pointer below it. The answer is
// in no order and may hold a thousand issues: see [Limit].
func (v *Validator) CheckValue(value any, in, name string, mode Mode) []Issue {
	if v.schema == nil {
		return nil
	}
	err := validate(v.schema, value)
	if err == nil {
		return nil
	}
	failed, ok := errors.AsType[*jsonschema.ValidationError](err)
	if !ok {
		return []Issue{{in, name, "cannot be checked"}}
	}
	found := (&reporter{v.lookup, value}).findings(failed)
	switch mode {
	case Courtesy:
		refused := slices.ContainsFunc(found, func(f finding) bool { return f.hard })
		found = slices.DeleteFunc(found, func(f finding) bool { return !f.hard && !(refused && f.unknown) })
	case Drift:
		found = slices.DeleteFunc(found, func(f finding) bool { return !f.hard && f.values == nil })
	}
	if len(found) > maxFound {
		slices.SortFunc(found, func(a, b finding) int { return slices.CompareFunc(a.at, b.at, compareTokens) })
		found = found[:maxFound]
	}
	var out []Issue
	for _, f := range found {
		out = append(out, Issue{in, name + pointerTo(f.at), f.text(name == "")})
	}
	return out
}

// maxFound bounds what is worded of one value: a body can have a hundred
// thousand unknown fields.
const maxFound = 1000

func pointerTo(at []string) string {
	short := make([]string, len(at))
	for i, t := range at {
		short[i] = shorten(t, 200)
	}
	return rawjson.JoinPointer(short)
}

// Limit sorts the issues, drops repeats, and cuts the list.
func Limit(issues []Issue) []Issue {
	slices.SortFunc(issues, func(a, b Issue) int {
		return cmp.Or(
			cmp.Compare(strings.Index(issueOrder, a.In), strings.Index(issueOrder, b.In)),
			ComparePointers(a.Path, b.Path),
			cmp.Compare(a.Message, b.Message),
		)
	})
	issues = slices.Compact(issues)
	if more := len(issues) - MaxIssues; more > 0 {
		message := fmt.Sprintf("%d more problems are not shown", more)
		if len(issues) >= maxFound {
			message = "at least " + message
		}
		issues = append(issues[:MaxIssues], Issue{issues[MaxIssues].In, "", message})
	}
	return issues
}

const issueOrder = "path query header body"

// ComparePointers puts item 9 before item 10.
func ComparePointers(a, b string) int {
	for {
		x, restA, moreA := strings.Cut(a, "/")
		y, restB, moreB := strings.Cut(b, "/")
		if c := compareTokens(x, y); c != 0 {
			return c
		}
		switch {
		case !moreA && !moreB:
			return 0
		case !moreA:
			return -1
		case !moreB:
			return 1
		}
		a, b = restA, restB
	}
}

func compareTokens(x, y string) int {
	switch dx, dy := isDigits(x), isDigits(y); {
	case dx && dy && len(x) != len(y):
		return cmp.Compare(len(x), len(y))
	case dx && !dy:
		return -1
	case dy && !dx:
		return 1
	}
	return cmp.Compare(x, y)
}

func isDigits(s string) bool {
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			return false
		}
	}
	return s != ""
}
