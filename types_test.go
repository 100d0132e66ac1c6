// SPDX-License-Identifier: Apache-2.0

package platform_test

import (
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/invopop/jsonschema"

	"github.com/fiftyarms/platform/gen/dash"
)

// shape is what a reflected type and its schema have to agree on.
type shape struct {
	Properties map[string]string // name -> JSON type, "" where it is a reference or a union
	Required   []string
}

// TestTypesMatchContract reflects each generated type back into a schema and compares it with the one it came from: a
// generator that drops a field, its name, its type or that it is required would be seen here.
func TestTypesMatchContract(t *testing.T) {
	var doc struct {
		Components struct{ Schemas map[string]json.RawMessage }
	}
	if err := json.Unmarshal(dash.Document, &doc); err != nil {
		t.Fatal(err)
	}
	reflector := jsonschema.Reflector{Anonymous: true, ExpandedStruct: true, Mapper: mapper}
	types := dash.ModelTypes()
	if len(types) < 30 {
		t.Fatalf("only %d types", len(types))
	}
	for name, typ := range types {
		b, err := json.Marshal(reflector.ReflectFromType(typ))
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(shapeOf(t, doc.Components.Schemas[name], doc.Components.Schemas), shapeOf(t, b, nil)); diff != "" {
			t.Errorf("%s (-contract +type):\n%s", name, diff)
		}
	}
}

// mapper says how the types that write their own JSON look in it.
func mapper(t reflect.Type) *jsonschema.Schema {
	switch {
	case t == reflect.TypeFor[dash.Time]():
		return &jsonschema.Schema{Type: "string"}
	case t == reflect.TypeFor[json.RawMessage]():
		return &jsonschema.Schema{Type: "object"}
	case strings.HasPrefix(t.Name(), "Nullable["):
		return &jsonschema.Schema{Type: kinds[t.Elem().Kind()]} // a map of one value
	}
	return nil
}

// kinds are the JSON types of what may be null.
var kinds = map[reflect.Kind]string{reflect.String: "string", reflect.Int64: "integer", reflect.Struct: "object"}

func shapeOf(t *testing.T, raw json.RawMessage, components map[string]json.RawMessage) shape {
	t.Helper()
	var schema struct {
		Required   []string
		Properties map[string]json.RawMessage
	}
	if err := json.Unmarshal(raw, &schema); err != nil {
		t.Fatal(err)
	}
	s := shape{Properties: map[string]string{}, Required: slices.Sorted(slices.Values(schema.Required))}
	for _, name := range slices.Sorted(maps.Keys(schema.Properties)) {
		s.Properties[name] = jsonType(t, schema.Properties[name], components)
	}
	return s
}

// jsonType is a schema's type, followed through references to scalars; objects and arrays stand for themselves.
func jsonType(t *testing.T, raw json.RawMessage, components map[string]json.RawMessage) string {
	t.Helper()
	var schema struct {
		Type any
		Ref  string `json:"$ref"`
	}
	if err := json.Unmarshal(raw, &schema); err != nil {
		t.Fatal(err)
	}
	if target, ok := components[strings.TrimPrefix(schema.Ref, "#/components/schemas/")]; ok {
		return jsonType(t, target, components)
	}
	switch v := schema.Type.(type) {
	case string:
		return v
	case []any:
		return v[0].(string)
	}
	return "object" // a reflected reference: only structs become one
}
