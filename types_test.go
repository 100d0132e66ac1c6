// SPDX-License-Identifier: Apache-2.0

package platform_test

import (
	"encoding/json"
	"maps"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/invopop/jsonschema"

	"github.com/fiftyarms/platform/gen/dash"
	"github.com/fiftyarms/platform/gen/trace"
	"github.com/fiftyarms/platform/internal/openapi"
)

// shape is what a reflected type and its schema have to agree on.
type shape struct {
	Properties map[string]string // name -> JSON type, "" where it is a reference or a union
	Required   []string
}

// TestTypesMatchContract reflects each generated type back into a schema and compares it with the one it came from: a
// generator that drops a field, its name, its type or that it is required would be seen here.
func TestTypesMatchContract(t *testing.T) {
	types := dash.ModelTypes()
	if len(types) < 30 {
		t.Fatalf("only %d types", len(types))
	}
	matchContract(t, dash.Document, types)
	document, err := os.ReadFile("gen/trace/codegen.json")
	if err != nil {
		t.Fatal(err)
	}
	matchContract(t, document, trace.ModelTypes())
}

func matchContract(t *testing.T, document []byte, types map[string]reflect.Type) {
	t.Helper()
	var doc struct {
		Components struct{ Schemas map[string]json.RawMessage }
	}
	if err := json.Unmarshal(document, &doc); err != nil {
		t.Fatal(err)
	}
	reflector := jsonschema.Reflector{Anonymous: true, ExpandedStruct: true, Mapper: mapper}
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

// TestTraceSchema compiles what gen/trace holds traces to, and lets through the example that it gives, also as the Go
// type writes it.
func TestTraceSchema(t *testing.T) {
	v, err := openapi.CompileSchema(trace.Schema)
	if err != nil {
		t.Fatal(err)
	}
	var written struct{ Examples []json.RawMessage }
	if err := json.Unmarshal(trace.Schema, &written); err != nil || len(written.Examples) == 0 {
		t.Fatalf("%d examples, %v", len(written.Examples), err)
	}
	for _, example := range written.Examples {
		var typed trace.Trace
		if err := json.Unmarshal(example, &typed); err != nil {
			t.Fatal(err)
		}
		again, err := json.Marshal(typed)
		if err != nil {
			t.Fatal(err)
		}
		for _, raw := range [][]byte{example, again} {
			if issues := v.Check(raw, "trace"); len(issues) > 0 {
				t.Errorf("%s: %v", raw, issues)
			}
		}
	}
	if issues := v.Check([]byte(`{"version":2}`), "trace"); len(issues) == 0 {
		t.Error("a trace of another version without anything in it is let through")
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
