// SPDX-License-Identifier: Apache-2.0

package work

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/fiftyarms/platform/gen/dash"
)

// Fields is what a caller opts into: each name with what they opt into below it.
type Fields map[string]Fields

// Resource says of a resource what its rows have and what may be opted into.
func Resource(name string) (dash.ResourceFields, bool) {
	n := slices.IndexFunc(dash.Resources, func(r dash.ResourceFields) bool { return r.Resource == name })
	if n < 0 {
		return dash.ResourceFields{}, false
	}
	return dash.Resources[n], true
}

// ParseFields reads the `fields` of a call that answers rows of a resource; nil opts into nothing. A name stands with
// true, with false, which opts out, or, if it is a relation, with an object of its own names. What a row has always may
// be named too; no name stands twice. A relation is not followed from within itself: its rows do not hold it.
func ParseFields(resource string, text *string) (Fields, error) {
	if text == nil {
		return nil, nil
	}
	tree := fieldsReader{}
	out := tree.read(resource, "", json.RawMessage(*text), nil)
	if len(tree.faults) > 0 {
		return nil, dash.InvalidRequestRefusal{Message: "the request is not as the contract wants it", Issues: tree.faults}
	}
	return out, nil
}

type fieldsReader struct{ faults []dash.Fault }

func (r *fieldsReader) fault(format string, args ...any) {
	r.faults = append(r.faults, dash.Fault{In: dash.FaultInQuery, Path: "fields", Message: fmt.Sprintf(format, args...)})
}

// read reads the names of a resource. at is the way to them, with a dot at its end; through are the relations on it.
func (r *fieldsReader) read(resource, at string, raw json.RawMessage, through []string) Fields {
	var names map[string]json.RawMessage
	if err := json.Unmarshal(raw, &names); err != nil || names == nil {
		if at == "" {
			r.fault(`is no JSON object such as {"%s":true}`, exampleOf(resource))
		} else {
			r.fault("%s wants true, false or an object", strings.TrimSuffix(at, "."))
		}
		return nil
	}
	if name, ok := twice(raw); ok {
		r.fault("%s%s is given twice", at, short(name))
	}
	known, _ := Resource(resource)
	out := Fields{}
	for _, name := range slices.Sorted(maps.Keys(names)) {
		value := string(names[name])
		relation := slices.IndexFunc(known.Relations, func(f dash.ResourceRelation) bool { return f.Name == name })
		switch {
		case relation >= 0 && slices.Contains(through, name):
			r.fault("%s%s: the rows below %s hold no %s of their own", at, name, name, name)
		case relation >= 0 && value != "true" && value != "false":
			out[name] = r.read(known.Relations[relation].Resource, at+name+".", names[name], append(through, name))
		case relation < 0 && !slices.Contains(fieldNames(known), name):
			r.unknown(known, at, name)
		case value == "true":
			out[name] = nil
		case value != "false":
			r.fault("%s%s wants true or false", at, name)
		}
	}
	return out
}

// twice is a name that a JSON object gives more than once, if there is one: who reads the object could take either.
func twice(object json.RawMessage) (name string, ok bool) {
	d := json.NewDecoder(bytes.NewReader(object))
	if _, err := d.Token(); err != nil {
		return "", false
	}
	for seen := map[string]bool{}; d.More(); seen[name] = true {
		token, err := d.Token()
		if err != nil {
			return "", false
		}
		if name, ok = token.(string); !ok || seen[name] {
			return name, ok
		}
		var value json.RawMessage
		if err := d.Decode(&value); err != nil {
			return "", false
		}
	}
	return "", false
}

func (r *fieldsReader) unknown(known dash.ResourceFields, at, name string) {
	name = short(name)
	r.fault("%s%s: %s has no such field, the nearest is %s", at, name, known.Resource, nearest(fieldNames(known), name))
}

// short is a name that a caller made up, as a fault tells it.
func short(name string) string {
	const most = 40
	if len(name) > most {
		return strings.ToValidUTF8(name[:most], "") + "…"
	}
	return name
}

// fieldNames are all names that a tree may hold.
func fieldNames(r dash.ResourceFields) []string {
	var out []string
	for _, f := range r.Fields {
		out = append(out, f.Name)
	}
	for _, f := range r.Relations {
		out = append(out, f.Name)
	}
	return append(out, r.Always...)
}

func exampleOf(resource string) string {
	r, _ := Resource(resource)
	return fieldNames(r)[0]
}

// nearest is the name that takes the fewest letters to change into another; the first of several.
func nearest(names []string, to string) string {
	return slices.MinFunc(names, func(a, b string) int { return distance(a, to) - distance(b, to) })
}

// distance is Levenshtein's.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for n := range row {
		row[n] = n
	}
	for n := range len(a) {
		diagonal := row[0]
		row[0] = n + 1
		for m := range len(b) {
			change := diagonal
			if a[n] != b[m] {
				change++
			}
			diagonal = row[m+1]
			row[m+1] = min(change, row[m]+1, row[m+1]+1)
		}
	}
	return row[len(b)]
}
