// SPDX-License-Identifier: Apache-2.0

package openapi

import (
	"encoding/json"
	"net/http"
	"net/url"
	"os"
	"strings"
	"testing"
)

// FuzzLoad tries whatever a document may be: nothing panics, what is sliced is
// JSON.
func FuzzLoad(f *testing.F) {
	data, err := os.ReadFile("testdata/board.json")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(data)
	f.Add([]byte(deep(3)))
	for _, s := range []string{
		`{"openapi":"3.0.0","paths":{"/x":{"get":{"responses":{"200":{"$ref":"#/components/responses/A"}}}}},"components":{"responses":{"A":{"$ref":"#/components/responses/A"}}}}`,
		`{"openapi":"3.1.0","paths":{"/{a}{b}/:c":{"post":{"requestBody":{"content":{"*/*":{"schema":{"$ref":"#"}}}}}}}}`,
		`{"swagger":"2.0","paths":{"/x":{"get":{"parameters":[{"in":"query","name":"a","type":"array"}]}}}}`,
		`{"paths":{"/":{"get":{"parameters":[{"in":"query","name":"a","schema":{"oneOf":[true,false,{"enum":[1e9]}],"discriminator":{"propertyName":"p"}}}]}}}}`,
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		d, err := Load(data)
		if err != nil {
			return
		}
		_ = d.Precompile()
		d.Nearest("GET /x/5", 3)
		for i, op := range d.Operations() {
			if i == 20 {
				break
			}
			d.Match(op.Method, op.Path)
			d.Allowed(op.Path)
			r := Request{
				PathParams: map[string]string{"a": "1", "id": "x"}, Query: url.Values{"a": {"1", "x"}, "a[b][]": {"2"}},
				Header: http.Header{"A": {"1"}}, Body: []byte(`{"a":{"b":[1,null,"x"]},"kind":"k"}`),
			}
			op.Check(r, Strict)
			op.Check(r, Courtesy)
			op.HealBody([]byte(`"{}"`))
			op.Extension("x-a")
			for _, budget := range []int{-1, 50, 400} {
				out, err := d.Slice([]string{op.Route()}, SliceOptions{Budget: budget})
				if err != nil {
					continue // a path that is no route, or Swagger 2
				}
				if !json.Valid(out) {
					t.Fatalf("no JSON: %s", out)
				}
			}
		}
	})
}

// FuzzMatch compares the tree with a match of each template by itself.
func FuzzMatch(f *testing.F) {
	d := board(f)
	for _, s := range []string{"/api/issues", "/api/issues/ABC-1/edit", "/api/files/a.b.c", "/api/files/%2e.x", "//", "/api/issues/%", ""} {
		f.Add("GET", s)
	}
	f.Fuzz(func(t *testing.T, method, path string) {
		m, ok := d.Match(method, path)
		allowed := d.Allowed(path)
		if ok {
			if m.Operation.Method != strings.ToUpper(method) {
				t.Fatalf("%s for %s", m.Operation.Route(), method)
			}
			for name, value := range m.Params {
				if value == "" {
					t.Fatalf("%q: parameter %s is empty", path, name)
				}
			}
			if strings.Count(path, "/") != strings.Count(m.Operation.Path, "/") {
				t.Fatalf("%q is taken for %s", path, m.Operation.Path)
			}
			if len(allowed) == 0 {
				t.Fatalf("%q matches and has no methods", path)
			}
		}
		if got := d.Nearest(method+" "+path, 3); len(got) != 3 {
			t.Fatalf("%d are near", len(got))
		}
	})
}

// FuzzCheckBody tries whatever a body may be: nothing panics, Courtesy finds
// nothing that Strict does not, and no message holds a value.
func FuzzCheckBody(f *testing.F) {
	d := board(f)
	for _, s := range []string{`{"title":"x","type":"Bug"}`, `{"title":1,"priority":1e400}`, `[[[`, `"{}"`, `{"a":1,"a":1}`, "\xff", `{"parent_id":{"x":[true]}}`} {
		f.Add([]byte(s), "limit=1&filter[a][b]=c")
	}
	f.Fuzz(func(t *testing.T, body []byte, query string) {
		q, _ := url.ParseQuery(query)
		for _, op := range d.Operations() {
			r := Request{PathParams: map[string]string{"id": query}, Query: q, Body: body}
			strict := op.Check(r, Strict)
			courtesy := op.Check(r, Courtesy)
			if len(courtesy) > 0 && len(strict) == 0 {
				t.Fatalf("%v, but nothing is wrong", courtesy)
			}
			if len(strict) > 21 {
				t.Fatalf("%d issues", len(strict))
			}
			for _, i := range strict {
				if i.Message == "" || len(i.Message) > 2000 {
					t.Fatalf("%+v", i)
				}
			}
			if healed, changed := op.HealBody(body); changed && !json.Valid(healed) {
				t.Fatalf("healed to %s", healed)
			}
		}
	})
}
