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

// contractCopy puts this repository's contract into a folder of its own and applies edits: file -> old -> new.
func contractCopy(t *testing.T, file, old, new string) (root string, line int) {
	t.Helper()
	root = t.TempDir()
	for _, pattern := range []string{"openapi.yaml", "api/tools.yaml", "api/*.schema.json"} {
		paths, err := filepath.Glob(filepath.Join("..", "..", pattern))
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range paths {
			b, err := os.ReadFile(p)
			if err != nil {
				t.Fatal(err)
			}
			rel, _ := filepath.Rel(filepath.Join("..", ".."), p)
			if filepath.ToSlash(rel) == file {
				at := bytes.Index(b, []byte(old))
				if at < 0 {
					t.Fatalf("%s does not hold %q any more: mend this test", file, old)
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

// anyLine is for a fault that is told where the schema is used, not where it stands.
const anyLine = -1000

func TestOutsideTheSafeProfile(t *testing.T) {
	const health = "        version: {type: string}\n      examples: [{status: ok"
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
		{name: "beside a ref", old: health, new: schema("{$ref: '#/components/schemas/Email', maxLength: 3}"), want: `"maxLength" beside a $ref`},
		{name: "dangling ref", old: health, new: schema("{$ref: '#/components/schemas/Nobody'}"), want: "leads nowhere"},
		{name: "deep ref", old: health, new: schema("{$ref: '#/components/schemas/Key/properties/id'}"), want: "into the middle of a component"},
		{name: "inline branch", old: health, new: schema("{oneOf: [{type: string}]}"), want: "must be a $ref"},
		{name: "recursion through a choice", old: "    PersonRefusal:\n      description: Why the call is not one of a person at this site.\n      oneOf:\n", new: "    PersonRefusal:\n      description: Why.\n      oneOf:\n        - {$ref: '#/components/schemas/PersonRefusal'}\n", after: 1, want: "PersonRefusal reaches itself through a oneOf"},
		{name: "bad pattern", old: health, new: schema("{type: string, pattern: '(?=a)'}"), want: "pattern does not compile"},
		{name: "one field of two names", old: health, new: "        ver-sion: {type: string}\n" + health, after: 1, want: "become one field in Go"},
		{name: "required nothing", old: "required: [status, version]", new: "required: [status, version, nope]", want: `required names "nope"`},
		{name: "bad example", old: "      examples: [{status: ok, version: 0.1.0}]", new: "      examples: [{status: fine, version: 0.1.0}]", want: "an example of Health is not valid"},
		{name: "anchor", old: health, new: schema("&a {type: string}"), want: "anchors and aliases"},
		{name: "key twice", old: health, new: "        version: {type: string}\n" + health, after: 1, want: `key "version" stands twice`},
		{name: "two components of one name", file: "api/demo-report.schema.json", old: `"title": "DemoReport"`, new: `"title": "Health"`, want: `component "Health" is defined twice`, after: -2},
		{name: "schema file ref", file: "api/demo-report.schema.json", old: `{"$ref": "#/$defs/DemoStep"}`, new: `{"$ref": "#/$defs/Nothing"}`, want: "leads nowhere"},
		{name: "response named like a schema", old: "    TooLarge: {description", new: "    Health: {description", want: "both become one Go type", after: anyLine},

		{name: "no permission", old: "      summary: Say who is calling.\n      x-permission: any-key", new: "      summary: Say who is calling.", after: -3, want: "x-permission is missing"},
		{name: "unknown permission", old: "      x-permission: team.admin", new: "      x-permission: team.owner", want: `no permission "team.owner"`},
		{name: "unknown audience", old: "x-audience: agent", new: "x-audience: robot", want: "x-audience is person or agent"},
		{name: "public by halves", old: "      x-rate-limit: {per_minute: 20, burst: 20}\n      security: []", new: "      x-rate-limit: {per_minute: 20, burst: 20}", want: "public in x-permission and in security: []", after: -8},
		{name: "no rate limit", old: "      x-rate-limit: {per_minute: 20, burst: 20}\n", new: "", want: "have x-rate-limit", after: -8},
		{name: "unread mark", old: "x-audience: agent", new: "x-audeince: agent", want: `nothing reads "x-audeince"`},
		{name: "no full stop", old: "summary: Say who is calling.", new: "summary: Say who is calling", want: "full stop", after: -3},
		{name: "undeclared tag", old: "      operationId: getMe\n      tags: [auth]", new: "      operationId: getMe\n      tags: [who]", after: 1, want: `tag "who" is not declared`},
		{name: "operation twice", old: "      operationId: getMe", new: "      operationId: logOut", want: "operationId logOut stands twice", after: -1},
		{name: "path parameter", old: "  /api/keys/{id}:", new: "  /api/keys/{key}:", want: "path parameter key is not declared", after: 1},
		{name: "no 401", old: "      operationId: getMe\n      tags: [auth]\n      summary: Say who is calling.\n      x-permission: any-key\n      responses:\n        '200': {description: The caller., content: {application/json: {schema: {$ref: '#/components/schemas/Me'}}}}\n        '401': {$ref: '#/components/responses/SignedOut'}\n", new: "      operationId: getMe\n      tags: [auth]\n      summary: Say who is calling.\n      x-permission: any-key\n      responses:\n        '200': {description: The caller., content: {application/json: {schema: {$ref: '#/components/schemas/Me'}}}}\n", want: "answer 401 is not declared, but it needs a credential", after: -1},
		{name: "nameless refusal", old: "content: {application/json: {schema: {$ref: '#/components/schemas/NotReadyRefusal'}}}", new: "content: {application/json: {schema: {$ref: '#/components/schemas/Health'}}}", want: "is not a named refusal", after: -2},
		{name: "refusal of two statuses", old: "content: {application/json: {schema: {$ref: '#/components/schemas/NotReadyRefusal'}}}", new: "content: {application/json: {schema: {$ref: '#/components/schemas/InternalRefusal'}}}", want: "a refusal has one status", after: -2},
		{name: "unused refusal", old: "    NotReadyRefusal:\n", new: "    NeverRefusal:\n      type: object\n      additionalProperties: false\n      properties: {error: {type: string, const: never, x-go-name: Code}}\n    NotReadyRefusal:\n", want: "no operation answers with NeverRefusal"},
		{name: "no example", old: "      examples: [{title: Mend the checkout}]\n", new: "", want: "has no examples", after: anyLine},

		{name: "tool name", file: "api/tools.yaml", old: "name: 50arms_api\n", new: "name: 50arms api\n", want: "clients take"},
		{name: "tool argument of any type", file: "api/tools.yaml", old: "path: {type: string, minLength: 1,", new: "path: {minLength: 1,", want: "argument path has no type"},
		{name: "tool union", file: "api/tools.yaml", old: "        input:\n          type: object\n", new: "        input:\n          oneOf: [{$ref: '#/defs/RouteGroup'}]\n          type: object\n", after: 1, want: "oneOf at the root"},
		{name: "tool hints", file: "api/tools.yaml", old: "{readOnlyHint: true, destructiveHint: false,", new: "{readOnlyHint: true,", want: "annotations.destructiveHint is missing", after: anyLine},
		{name: "tool method twice", file: "api/tools.yaml", old: "method: APIList", new: "method: API", want: "method API stands twice", after: -1},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if tt.file == "" {
				tt.file = "openapi.yaml"
			}
			root, line := contractCopy(t, tt.file, tt.old, tt.new)
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

// TestGeneratedIsCurrent holds what is under gen/ against what the contract makes now.
func TestGeneratedIsCurrent(t *testing.T) {
	root, _ := contractCopy(t, "", "", "")
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
