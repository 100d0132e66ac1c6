// SPDX-License-Identifier: Apache-2.0

package openapi

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// board is the small document of most tests.
func board(t testing.TB) *Document {
	t.Helper()
	data, err := os.ReadFile("testdata/board.json")
	if err != nil {
		t.Fatal(err)
	}
	return load(t, string(data))
}

func load(t testing.TB, data string) *Document {
	t.Helper()
	d, err := Load([]byte(data))
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func TestLoad(t *testing.T) {
	d := board(t)
	if d.Version() != "3.1.0" {
		t.Error(d.Version())
	}
	want := []string{
		"GET /api/issues", "POST /api/issues", "GET /api/issues/batch", "GET /api/issues/{id}", "DELETE /api/issues/{id}",
		"PATCH /api/issues/{id}/edit", "GET /api/boards/{ref}", "GET /api/files/{name}.{ext}", "POST /api/uploads", "PUT /api/notes", "GET /healthz",
	}
	if diff := cmp.Diff(want, d.Routes()); diff != "" {
		t.Errorf("routes in document order: %s", diff)
	}
	op := d.Operations()[0]
	if op.ID() != "listIssues" || op.Summary() != "List cards." || !cmp.Equal(op.Tags(), []string{"issues", "reading"}) {
		t.Errorf("%q %q %q", op.ID(), op.Summary(), op.Tags())
	}
	if raw, ok := op.Extension("x-board-scope"); !ok || string(raw) != `{"in": "query", "create": false}` {
		t.Errorf("%s, %t", raw, ok)
	}
	if raw, ok := op.Extension("x-nothing"); ok || len(raw) != 0 {
		t.Errorf("%s, %t", raw, ok)
	}
	if raw, ok := d.Extension("x-min-version"); !ok || string(raw) != `"0.1.0"` {
		t.Errorf("%s, %t", raw, ok)
	}
	if !json.Valid(op.Raw()) || !json.Valid(d.Raw()) {
		t.Error("raw is no JSON")
	}
	if found, ok := d.ByID("getIssue"); !ok || found.Route() != "GET /api/issues/{id}" {
		t.Error(found, ok)
	}
	if _, ok := d.ByID(""); ok {
		t.Error("an operation without an id was found by it")
	}
	if got := d.Operations()[5].RequestContentTypes(); !cmp.Equal(got, []string{"application/json", "application/merge-patch+json"}) {
		t.Error(got)
	}
	if got := op.RequestContentTypes(); len(got) != 0 {
		t.Error(got)
	}
}

func TestLoadRefuses(t *testing.T) {
	for _, c := range []struct{ data, want string }{
		{"", "the document is empty"},
		{" \n", "the document is empty"},
		{"<!DOCTYPE html><html>", "this is HTML or XML, no OpenAPI document: check the address, it may be a sign-in page"},
		{"openapi: 3.1.0\n", "line 1, column 1: an OpenAPI document is expected as a JSON object; convert YAML to JSON first"},
		{`["openapi"]`, "line 1, column 1: an OpenAPI document is expected as a JSON object; convert YAML to JSON first"},
		{"{\n  \"openapi\": \"3.1.0\",\n  \"paths\": {,}\n}", "line 3, column 13: the JSON is damaged: invalid character ',' at start of value"},
		{`{"openapi":"3.1.0"} {}`, "line 1, column 20: the JSON is damaged: more text after the JSON object"},
		{`{"openapi":"3.1.0"`, "line 1, column 19: the JSON is damaged: unexpected EOF"},
		{`{"hello":"world"}`, "this JSON is no OpenAPI document: it has neither a member openapi nor paths"},
	} {
		_, err := Load([]byte(c.data))
		bad := (*LoadError)(nil)
		if !errors.As(err, &bad) || err.Error() != c.want {
			t.Errorf("%q:\n got %v\nwant %s", c.data, err, c.want)
		}
	}
}

func TestLoadDoesNotChokeOnOthers(t *testing.T) {
	for name, data := range map[string]string{
		"no paths":           `{"openapi":"3.1.0","info":{}}`,
		"version as number":  `{"openapi":3.1,"paths":{"/x":{"get":{}}}}`,
		"paths as array":     `{"openapi":"3.0.0","paths":[]}`,
		"null everywhere":    `{"openapi":"3.0.0","paths":{"/x":null,"/y":{"get":null,"post":5,"put":"x"}},"components":null}`,
		"a byte order mark":  "\xef\xbb\xbf" + `{"openapi":"3.0.0","paths":{}}`,
		"broken UTF-8":       `{"openapi":"3.0.0","info":{"title":"` + "\xff" + `"},"paths":{}}`,
		"lone surrogates":    `{"openapi":"3.0.0","info":{"title":"\ud83d"},"paths":{}}`,
		"duplicate keys":     `{"openapi":"3.0.0","openapi":"3.0.1","paths":{}}`,
		"a path of nothing":  `{"openapi":"3.0.0","paths":{"":{"get":{}},"x":{"get":{}},"x-y":{"get":{}}}}`,
		"a circle of items":  `{"openapi":"3.1.0","paths":{"/x":{"$ref":"#/paths/~1y"},"/y":{"$ref":"#/paths/~1x"}}}`,
		"itself as an item":  `{"openapi":"3.1.0","paths":{"/x":{"$ref":"#"}}}`,
		"parameters as text": `{"openapi":"3.1.0","paths":{"/x":{"parameters":"no","get":{"parameters":{"a":1},"requestBody":[],"responses":7,"tags":"x","security":{}}}}}`,
	} {
		d := load(t, data)
		for _, op := range d.Operations() {
			op.Check(Request{Body: []byte(`{}`)}, Strict)
			op.HealBody([]byte(`"{}"`))
			if _, err := d.Slice([]string{op.Route()}, SliceOptions{}); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
		if err := d.Precompile(); err != nil {
			t.Logf("%s: %v", name, err)
		}
	}
	d := load(t, `{"openapi":"3.2.0","paths":{"/x":{"GET":{},"query":{"operationId":"q"},"additionalOperations":{"LINK":{"operationId":"l"}},"$schema":{}},
		"/y":{"$ref":"#/components/pathItems/Y"}},"components":{"pathItems":{"Y":{"get":{"operationId":"y"}}}}}`)
	if diff := cmp.Diff([]string{"GET /x", "QUERY /x", "LINK /x", "GET /y"}, d.Routes()); diff != "" {
		t.Error(diff)
	}
	swagger := load(t, `{"swagger":"2.0","paths":{"/x":{"post":{"parameters":[{"in":"body","name":"b","schema":{}},{"in":"query","name":"q","type":"string"}]}}}}`)
	if got := swagger.Operations()[0].Check(Request{Body: []byte("{}"), Query: map[string][]string{"z": {"1"}}}, Strict); len(got) != 0 {
		t.Error(got)
	}
	if _, err := swagger.Slice([]string{"POST /x"}, SliceOptions{}); !errors.Is(err, ErrNotSliced) {
		t.Error(err)
	}
}

func TestLookup(t *testing.T) {
	d := load(t, `{"openapi":"3.0.0","paths":{"/x/{a}":{"get":{"operationId":"a"}},"/x/{b}":{"get":{"operationId":"b"}},"/x/lit":{"get":{"operationId":"lit"}},
		"/y/:v":{"get":{"operationId":"colon"}},"/z/{p}.{q}":{"post":{"operationId":"pq"}},"/f#frag":{"put":{"operationId":"frag"}}}}`)
	for route, want := range map[string]string{
		"GET /x/{a}": "a", "GET /x/{b}": "b", "GET /x/{other}": "a", "get /x/:a": "a", "get /x/:b": "b", "GET /x/lit": "lit",
		"GET /y/:v": "colon", "GET /y/{v}": "colon", "POST /z/{1}.{2}": "pq", "PUT /f#frag": "frag",
		"GET /x/5": "", "POST /x/{a}": "", "GET /x/{a}/": "", "/x/{a}": "", "": "",
	} {
		op, ok := d.Lookup(route)
		if got := ""; ok {
			if got = op.ID(); got != want {
				t.Errorf("%q is %q, want %q", route, got, want)
			}
		} else if want != "" {
			t.Errorf("%q is not found", route)
		}
	}
}

func TestMatch(t *testing.T) {
	d := board(t)
	for _, c := range []struct {
		method, path, route string
		params              map[string]string
	}{
		{"GET", "/api/issues", "GET /api/issues", nil},
		{"get", "/api/issues", "GET /api/issues", nil},
		{"GET", "/api/issues/", "", nil},
		{"HEAD", "/api/issues", "", nil},
		{"GET", "/api/issues/batch", "GET /api/issues/batch", nil},
		{"DELETE", "/api/issues/batch", "DELETE /api/issues/{id}", map[string]string{"id": "batch"}},
		{"GET", "/api/issues/A%20B-1", "GET /api/issues/{id}", map[string]string{"id": "A B-1"}},
		{"GET", "/api/files/a.b.png", "GET /api/files/{name}.{ext}", map[string]string{"name": "a", "ext": "b.png"}},
		{"GET", "/api/files/a", "", nil},
		{"GET", "", "", nil},
		{"GET", "*", "", nil},
	} {
		m, ok := d.Match(c.method, c.path)
		if !ok {
			if c.route != "" {
				t.Errorf("%s %s does not match", c.method, c.path)
			}
			continue
		}
		if m.Operation.Route() != c.route {
			t.Errorf("%s %s is %s", c.method, c.path, m.Operation.Route())
		}
		if diff := cmp.Diff(c.params, m.Params); diff != "" {
			t.Errorf("%s %s: %s", c.method, c.path, diff)
		}
	}
	for path, want := range map[string][]string{
		"/api/issues": {"GET", "POST"}, "/api/issues/batch": {"GET", "DELETE"}, "/api/none": nil,
	} {
		if diff := cmp.Diff(want, d.Allowed(path)); diff != "" {
			t.Errorf("%s: %s", path, diff)
		}
	}
	conflict := load(t, `{"openapi":"3.0.0","paths":{"/x/{first}":{"get":{"operationId":"1"}},"/x/{second}":{"get":{"operationId":"2"},"put":{"operationId":"3"}}}}`)
	for range 20 {
		m, _ := conflict.Match("GET", "/x/5")
		n, _ := conflict.Match("PUT", "/x/5")
		if m.Operation.ID() != "1" || !cmp.Equal(m.Params, map[string]string{"first": "5"}) || !cmp.Equal(n.Params, map[string]string{"second": "5"}) {
			t.Fatal(m, n)
		}
	}
}

func TestRoutesOfADocument(t *testing.T) {
	d := load(t, `{"openapi":"3.0.0","paths":{"/jobs/{id}":{"get":{}},"/jobs/:batch":{"post":{}},"/jobs/{id}:cancel":{"post":{}}}}`)
	if err := d.CheckPath("/jobs/:batch"); err != nil {
		t.Errorf("a literal of the document is refused: %v", err)
	}
	if err := d.CheckPath("/jobs/7:cancel"); err != nil {
		t.Error(err)
	}
	for _, path := range []string{"/jobs/:id", "/jobs/{id}", "/other/:batch"} {
		bad, ok := errors.AsType[*PathError](d.CheckPath(path))
		if !ok || bad.Kind != PathUnfilled {
			t.Errorf("%s: %v", path, bad)
		}
	}
	if bad, ok := errors.AsType[*PathError](d.CheckPath("/jobs/../x")); !ok || bad.Kind != PathDotSegment {
		t.Error(bad)
	}
	if got := board(t).Nearest("GET /api/issue", 1); !cmp.Equal(got, []string{"GET /api/issues"}) {
		t.Error(got)
	}
	if r, err := ParseRoute("get /x/:id"); err != nil || r != (Route{Method: "GET", Path: "/x/{id}"}) {
		t.Error(r, err)
	}
	if got := SplitEndpoints("GET /a,GET /b"); len(got) != 2 {
		t.Error(got)
	}
	if got := NearestIn([]string{"GET /a", "GET /abc"}, "GET /abd", 1); !cmp.Equal(got, []string{"GET /abc"}) {
		t.Error(got)
	}
	if got := ListRoutes(d.Routes(), "post", 0); got.Total != 2 {
		t.Error(got)
	}
	if err := CheckPath("x"); err == nil {
		t.Error("a relative path is let through")
	}
}

func TestPrecompile(t *testing.T) {
	if err := board(t).Precompile(); err != nil {
		t.Error(err)
	}
	d := load(t, `{"openapi":"3.1.0","paths":{"/x":{"post":{
		"parameters":[{"name":"a","in":"query","schema":{"pattern":"(?<!x)"}}],
		"requestBody":{"content":{"application/json":{"schema":{"$ref":"#/components/schemas/None"}}}}}}}}`)
	err := d.Precompile()
	for _, want := range []string{`the pattern "(?<!x)" cannot be compiled`, "line 3, column 66: the reference #/components/schemas/None leads nowhere"} {
		if !strings.Contains(fmt.Sprint(err), want) {
			t.Errorf("%v lacks %s", err, want)
		}
	}
}

func TestSchema(t *testing.T) {
	d := board(t)
	for _, pointer := range []string{"#/components/schemas/Refusal", "/components/schemas/Refusal"} {
		v, err := d.Schema(pointer)
		if err != nil {
			t.Fatal(err)
		}
		want := []Issue{{In: "body", Path: "/error", Message: "is required"}, {In: "body", Path: "/current/status", Message: `must be one of "Review", "ToDo", "Done"`}}
		got := v.Check([]byte(`{"current":{"status":"x"}}`), "body")
		if diff := cmp.Diff([]Issue{want[1], want[0]}, got); diff != "" {
			t.Error(diff)
		}
	}
	if _, err := d.Schema("#/components/schemas/None"); err == nil {
		t.Error("nothing compiles")
	}
	if _, err := CompileSchema(json.RawMessage(`{"type":"object"}`)); err != nil {
		t.Error(err)
	}
}
