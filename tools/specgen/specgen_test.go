// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// contractCopy puts a contract into a folder of its own and replaces old by new in one of its files. The line is where
// old began.
func contractCopy(t *testing.T, from, file, old, new string) (root string, line int) {
	t.Helper()
	root = t.TempDir()
	for _, pattern := range []string{"openapi.yaml", "api/tools.yaml", "api/*.schema.json"} {
		paths, err := filepath.Glob(filepath.Join(from, pattern))
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range paths {
			b, err := os.ReadFile(p)
			if err != nil {
				t.Fatal(err)
			}
			rel, err := filepath.Rel(from, p)
			if err != nil {
				t.Fatal(err)
			}
			if filepath.ToSlash(rel) == file {
				at := bytes.Index(b, []byte(old))
				if at < 0 {
					t.Fatalf("%s does not hold %q", file, old)
				}
				line = bytes.Count(b[:at], []byte("\n")) + 1
				b = bytes.Replace(b, []byte(old), []byte(new), 1)
			}
			if err := os.MkdirAll(filepath.Join(root, filepath.Dir(rel)), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(root, rel), b, 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
	return root, line
}

// small is a contract that holds one of each, so that the cases below do not hang on what the product's says.
const small = "testdata/contract"

// anyLine is for a fault that is told where the schema is used, not where it stands.
const anyLine = -1000

func TestOutsideTheSafeProfile(t *testing.T) {
	const (
		health   = "        version: {type: string}\n      examples: [{status: ok"
		name     = "    Name: {type: string, minLength: 1, examples: [a]}"
		notReady = "content: {application/json: {schema: {$ref: '#/components/schemas/NotReadyRefusal'}}}"
	)
	schema := func(s string) string { return "        version: " + s + "\n      examples: [{status: ok" }
	tests := []struct {
		name, file, old, new string
		after                int // lines that the new text puts before the fault
		want                 string
	}{
		{name: "two types", old: health, new: schema("{type: [string, integer]}"), want: "type may be one name"},
		{name: "bare number", old: health, new: schema("{type: number}"), want: "becomes a float32"},
		{name: "bare integer", old: health, new: schema("{type: integer}"), want: "needs format int32 or int64"},
		{name: "no type", old: health, new: schema("{description: anything}"), want: "without a type becomes interface{}"},
		{name: "boolean schema", old: health, new: schema("true"), want: "true or false becomes interface{}"},
		{name: "enum with null", old: health, new: schema("{type: string, enum: [a, null]}"), want: "bogus constant"},
		{name: "untyped const", old: health, new: schema("{const: a}"), want: "a const without type: string"},
		{name: "array without items", old: health, new: schema("{type: array}"), want: "without items"},
		{name: "open object", old: health, new: schema("{type: object}"), want: "says whether it takes additionalProperties"},
		{name: "any properties", old: health, new: schema("{type: object, additionalProperties: true}"), want: "becomes interface{}"},
		{name: "nameless object", old: health, new: schema("{type: object, additionalProperties: false, properties: {a: {type: string}}}"), want: "a struct without a name"},
		{name: "unknown keyword", old: health, new: schema("{type: string, patternProperties: {a: {type: string}}}"), want: `"patternProperties" is outside`},
		{name: "beside a ref", old: health, new: schema("{$ref: '#/components/schemas/Name', maxLength: 3}"), want: `"maxLength" beside a $ref`},
		{name: "dangling ref", old: health, new: schema("{$ref: '#/components/schemas/Nobody'}"), want: "leads nowhere"},
		{name: "deep ref", old: health, new: schema("{$ref: '#/components/schemas/Thing/properties/id'}"), want: "into the middle of a component"},
		{name: "inline branch", old: health, new: schema("{oneOf: [{type: string}]}"), want: "must be a $ref"},
		{name: "recursion through a choice", old: "    DeniedRefusal:\n      oneOf:\n", new: "    DeniedRefusal:\n      oneOf:\n        - {$ref: '#/components/schemas/DeniedRefusal'}\n", after: 1, want: "DeniedRefusal reaches itself through a oneOf"},
		{name: "bad pattern", old: health, new: schema("{type: string, pattern: '(?=a)'}"), want: "pattern does not compile"},
		{name: "one field of two names", old: health, new: "        ver-sion: {type: string}\n" + health, after: 1, want: "become one field in Go"},
		{name: "required nothing", old: "required: [status, version]", new: "required: [status, version, nope]", want: `required names "nope"`},
		{name: "bad example", old: "      examples: [{status: ok, version: 1.0.0}]", new: "      examples: [{status: fine, version: 1.0.0}]", want: "an example of Health is not valid"},
		{name: "anchor", old: health, new: schema("&a {type: string}"), want: "anchors and aliases"},
		{name: "key twice", old: health, new: "        version: {type: string}\n" + health, after: 1, want: `key "version" stands twice`},
		{name: "two components of one name", file: "api/report.schema.json", old: `"title": "Report"`, new: `"title": "Health"`, want: `component "Health" is defined twice`, after: -2},
		{name: "schema file ref", file: "api/report.schema.json", old: `{"$ref": "#/$defs/Line"}`, new: `{"$ref": "#/$defs/Nothing"}`, want: "leads nowhere"},
		{name: "unknown Go package", file: "api/diary.schema.json", old: `"x-go-package": "trace"`, new: `"x-go-package": "store"`, want: `x-go-package "store": nothing generates it`},
		{name: "two files of one Go package", file: "api/report.schema.json", old: `"title": "Report",`, new: `"title": "Report", "x-go-package": "trace",`, want: "package trace is api/diary.schema.json already"},
		{name: "Go package of a part", file: "api/report.schema.json", old: `"Line": {`, new: `"Line": {"x-go-package": "trace", `, want: `"x-go-package" is outside`},
		{name: "ref out of a Go package", file: "api/diary.schema.json", old: `{"$ref": "#"}`, new: `{"$ref": "../openapi.yaml#/components/schemas/Name"}`, want: "leads into another Go package"},
		{name: "ref into another file's Go package", file: "api/report.schema.json", old: `{"$ref": "#/$defs/Line"}`, new: `{"$ref": "./api/diary.schema.json#/$defs/TraceStep"}`, want: "leads into another Go package"},
		{name: "ref into a Go package", old: health, new: schema("{$ref: './api/diary.schema.json'}"), want: "leads into another Go package"},
		{name: "response named like a schema", old: "    TooLarge: {description", new: "    Health: {description", want: "both become one Go type", after: anyLine},

		{name: "hand-written type", old: health, new: schema("{type: string, x-go-type: float32}"), want: "x-go-type may be json.RawMessage"},
		{name: "any properties, in capitals", old: health, new: schema("{type: object, additionalProperties: True}"), want: "becomes interface{}"},
		{name: "nameless object in a list", old: health, new: schema("{type: array, items: {type: object, additionalProperties: false, properties: {a: {type: string}}}}"), want: "a struct without a name"},
		{name: "nameless object in a map", old: health, new: schema("{type: object, additionalProperties: {type: object, additionalProperties: false, properties: {a: {type: string}}}}"), want: "a struct without a name"},
		{name: "ref to a response", old: health, new: schema("{$ref: '#/components/responses/Failed'}"), want: "a schema refers to schemas"},
		{name: "no Go name", old: health, new: schema("{type: string, x-go-name: '1 bad-'}"), want: "is no exported Go name"},
		{name: "no Go tag", old: health, new: "        'a,omitempty': {type: string}\n" + health, want: "does not survive in a Go tag"},
		{name: "second name", old: name, new: "    Name: {$ref: '#/components/schemas/Thing'}", want: "is another's second name"},
		{name: "a name of the package's own", old: name, new: name + "\n    Client: {type: string}", after: 1, want: "called like something in the generated package"},
		{name: "a name made of an operation", old: name, new: name + "\n    GetThing200JSONResponse: {type: string}", after: 1, want: "made of operation GetThing"},
		{name: "a name made of an enum", old: name, new: name + "\n    ThingKind: {type: string}", after: 1, want: "the enum Thing.kind"},

		{name: "no permission", old: "      x-permission: any-key\n", new: "", after: -4, want: "x-permission is missing"},
		{name: "unknown permission", old: "      x-permission: things.edit", new: "      x-permission: things.own", want: `no permission "things.own"`},
		{name: "unknown audience", old: "x-audience: person", new: "x-audience: robot", want: "x-audience is person, agent or stranger"},
		{name: "public by halves", old: "      security: []\n", new: "", want: "public in x-permission and in security: []", after: -6},
		{name: "no rate limit", old: "      x-rate-limit: {per_minute: 60, burst: 10}\n", new: "", want: "has x-rate-limit", after: -5},
		{name: "unread mark", old: "x-audience: person", new: "x-audeince: person", want: `nothing reads "x-audeince"`},
		{name: "no full stop", old: "summary: Read a thing.", new: "summary: Read a thing", want: "full stop", after: -3},
		{name: "undeclared tag", old: "      operationId: getThing\n      tags: [things]", new: "      operationId: getThing\n      tags: [who]", after: 1, want: `tag "who" is not declared`},
		{name: "operation twice", old: "      operationId: getThing", new: "      operationId: addThing", want: "operationId addThing stands twice", after: -1},
		{name: "path parameter", old: "  /things/{id}:", new: "  /things/{key}:", want: "path parameter key is not declared", after: 1},
		{name: "one parameter twice", old: "        - {$ref: '#/components/parameters/ThingId'}\n", new: "        - {$ref: '#/components/parameters/ThingId'}\n        - {name: ID, in: query, description: Which., schema: {type: string}}\n", after: 1, want: "two parameters are called ID"},
		{name: "no 401", old: "        '401': {$ref: '#/components/responses/SignedOut'}\n        '404'", new: "        '404'", want: "answer 401 is not declared, but it needs a credential", after: anyLine},
		{name: "no schema", old: notReady, new: "content: {application/json: {}}", want: "says nothing of its application/json"},
		{name: "nameless refusal", old: notReady, new: "content: {application/json: {schema: {$ref: '#/components/schemas/Health'}}}", want: "is not a named refusal"},
		{name: "refusal of two statuses", old: notReady, new: "content: {application/json: {schema: {$ref: '#/components/schemas/FailedRefusal'}}}", want: "a refusal has one status"},
		{name: "unused refusal", old: "    NotReadyRefusal:", new: "    NeverRefusal: {type: object, additionalProperties: false, properties: {error: {type: string, const: never, x-go-name: Code}}}\n    NotReadyRefusal:", want: "no operation answers with NeverRefusal"},
		{name: "no example", old: "      examples: [{name: a}]\n", new: "", want: "has no examples", after: anyLine},

		{name: "unknown event", old: "x-events: [thing.added]", new: "x-events: [thing.lost]", want: `"thing.lost", which is no EventKind`},
		{name: "a read with an event", old: "      x-board-scope: optional\n", new: "      x-board-scope: optional\n      x-events: [thing.added]\n", after: 1, want: "a read causes no event"},
		{name: "a board without a scope", old: "      x-board-scope: optional\n", new: "", want: "say x-board-scope", after: anyLine},
		{name: "an optional board that must be", old: "{name: board, in: query, description", new: "{name: board, in: query, required: true, description", want: "that may be left out", after: anyLine},
		{name: "a required board that may lack", old: "{name: board, in: query, required: true, description", new: "{name: board, in: query, description", want: "wants a required query parameter board", after: anyLine},
		{name: "a raw body without a limit", old: "      x-body-limit: 1000\n", new: "", want: "has x-body-limit", after: anyLine},
		{name: "a limit that is none", old: "x-body-limit: 1000", new: "x-body-limit: lots", want: "whole number of bytes"},
		{name: "opting into nothing", old: "x-opt-in: [text]", new: "x-opt-in: [texts]", want: `"texts" is no property`},
		{name: "opting into what is always there", old: "x-opt-in: [text]", new: "x-opt-in: [text, name]", want: "cannot be required", after: anyLine},
		{name: "opting into what nobody knows", old: "text: {type: string, description: What it says.}", new: "text: {type: string}", want: "callers choose by it", after: anyLine},
		{name: "a relation to nothing", old: "x-relations: {parts: thing}", new: "x-relations: {parts: part}", want: `no resource "part"`},
		{name: "opting in beside no resource", old: "      x-resource: thing\n", new: "", want: "stands beside x-resource"},

		{name: "tool name", file: "api/tools.yaml", old: "name: thing_find\n", new: "name: thing find\n", want: "clients take"},
		{name: "tool argument of any type", file: "api/tools.yaml", old: "name: {type: string, minLength: 1,", new: "name: {minLength: 1,", want: "argument name has no type"},
		{name: "tool union", file: "api/tools.yaml", old: "        input:\n          type: object\n", new: "        input:\n          oneOf: [{$ref: '#/defs/Found'}]\n          type: object\n", after: 1, want: "oneOf at the root"},
		{name: "tool hints", file: "api/tools.yaml", old: "{readOnlyHint: true, destructiveHint: false,", new: "{readOnlyHint: true,", want: "annotations.destructiveHint is missing", after: anyLine},
		{name: "tool without access", file: "api/tools.yaml", old: "        access: {always: true}\n", new: "", want: "access is missing", after: anyLine},
		{name: "tool for everybody unsaid", file: "api/tools.yaml", old: "{always: true}", new: "{opt_in: true}", want: "say always: true"},
		{name: "tool for all and for some", file: "api/tools.yaml", old: "{always: true}", new: "{always: true, audience: person}", want: "always goes with nothing else"},
		{name: "tool with an unknown permission", file: "api/tools.yaml", old: "[things.edit]", new: "[things.own]", want: `no permission "things.own"`},
		{name: "tool for an unknown audience", file: "api/tools.yaml", old: "{always: true}", new: "{audience: robot}", want: "access.audience is person or dispatch"},
		{name: "tool with a callback that is no variable", file: "api/tools.yaml", old: "{always: true}", new: "{audience: person, callback: reply-url}", want: "the name of an environment variable"},
		{name: "tool access that nothing reads", file: "api/tools.yaml", old: "{always: true}", new: "{always: true, hidden: true}", want: "nothing reads access.hidden"},
		{name: "tool method twice", file: "api/tools.yaml", old: "method: List", new: "method: Find", want: "method Find stands twice", after: -1},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if tt.file == "" {
				tt.file = "openapi.yaml"
			}
			root, line := contractCopy(t, small, tt.file, tt.old, tt.new)
			err := run(root)
			if err == nil {
				t.Fatal("generated")
			}
			where := fmt.Sprintf("%s:%d: ", tt.file, line+tt.after)
			if tt.after == anyLine { // the fault is told where the schema is used
				where = tt.file + ":"
			}
			for l := range strings.Lines(err.Error()) {
				if strings.Contains(l, where) && strings.Contains(l, tt.want) {
					return
				}
			}
			t.Errorf("got %v\nwant a line with %q and %q", err, where, tt.want)
		})
	}
}

// The cases above break a contract that is sound.
func TestSoundContract(t *testing.T) {
	root, _ := contractCopy(t, small, "", "", "")
	if err := run(root); err != nil {
		t.Fatal(err)
	}
}

// TestGoPackage has the types of a file that is a package of its own in that package alone, under names that do not
// repeat the package's, and its schema as it was written.
func TestGoPackage(t *testing.T) {
	root, _ := contractCopy(t, small, "", "", "")
	if err := run(root); err != nil {
		t.Fatal(err)
	}
	for file, want := range map[string]struct{ has, lacks []string }{
		"gen/trace/codegen.json":  {[]string{`"Trace": {`, `"Step": {`, `"#/components/schemas/Step"`, `"#/components/schemas/Trace"`}, []string{"TraceStep", "Health", "Report"}},
		"gen/trace/schema.json":   {[]string{`"TraceStep": {`, `"#/$defs/TraceStep"`, `"#"`}, []string{"x-go-package", "components"}},
		"gen/trace/doc.gen.go":    {[]string{"// Package trace is api/diary.schema.json", "reflect.TypeFor[Step]()"}, nil},
		"gen/dash/openapi.json":   {[]string{`"Report": {`, `"Line": {`}, []string{"Trace", "Step"}},
		"gen/dash/codegen.json":   {[]string{`"Report": {`}, []string{"Trace", "Step"}},
		"gen/dash/reflect.gen.go": {[]string{"reflect.TypeFor[Report]()"}, []string{"Trace", "Step"}},
	} {
		b, err := os.ReadFile(filepath.Join(root, file))
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range want.has {
			if !bytes.Contains(b, []byte(s)) {
				t.Errorf("%s does not hold %q", file, s)
			}
		}
		for _, s := range want.lacks {
			if bytes.Contains(b, []byte(s)) {
				t.Errorf("%s holds %q", file, s)
			}
		}
	}
}

// TestGeneratedIsCurrent holds what is under gen/ against what the contract makes now.
func TestGeneratedIsCurrent(t *testing.T) {
	root, _ := contractCopy(t, filepath.Join("..", ".."), "", "", "")
	if err := run(root); err != nil {
		t.Fatal(err)
	}
	files := 0
	err := filepath.WalkDir(filepath.Join(root, "gen"), func(p string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		files++
		want, err := os.ReadFile(p)
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(root, p)
		if err != nil {
			return err
		}
		if got, err := os.ReadFile(filepath.Join("..", "..", rel)); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s is not what the contract makes (%v): run go generate ./...", rel, err)
		}
		return nil
	})
	if err != nil || files < 8 {
		t.Fatalf("%d files, %v", files, err)
	}
}
