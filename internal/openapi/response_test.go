// SPDX-License-Identifier: Apache-2.0

package openapi

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const answers = `{"openapi":"3.1.0","paths":{"/x":{"get":{"operationId":"x","responses":{
	"200":{"content":{"application/json":{"schema":{"$ref":"#/components/schemas/Page"}}}},
	"201":{"content":{"application/problem+json":{"schema":{"type":"string"}}}},
	"202":{"content":{"*/*":{"schema":{"type":"string","format":"binary"}}}},
	"2XX":{"$ref":"#/components/responses/Odd"},
	"default":{"content":{"application/json":{"schema":{"type":"object","required":["error"]}}}}}}}},
	"components":{"responses":{"Odd":{"content":{"application/json":{"schema":{"type":"array"}}}}},"schemas":{
	"Page":{"type":"object","additionalProperties":false,"required":["cards"],"properties":{"cards":{"type":"array","items":{"$ref":"#/components/schemas/Card"}}}},
	"Card":{"type":"object","additionalProperties":false,"required":["id","status","secret"],"properties":{
		"id":{"type":"string","pattern":"^[A-Z]+$","maxLength":4},"secret":{"type":"string","writeOnly":true},"due":{"type":"string","format":"date-time"},
		"status":{"enum":["ToDo","Done"]},"n":{"type":["integer","null"]},
		"by":{"oneOf":[{"type":"object","additionalProperties":false,"required":["person"],"properties":{"person":{"type":"string"}}},{"type":"object","additionalProperties":false,"required":["key"],"properties":{"key":{"type":"string"}}}]}}}}}}`

func TestCheckResponse(t *testing.T) {
	d, err := Load([]byte(answers))
	if err != nil {
		t.Fatal(err)
	}
	op := operation(t, d, "x")
	card := func(rest string) string { return `{"cards":[{"id":"A","status":"ToDo"` + rest + `}]}` }
	for _, c := range []struct {
		name   string
		status int
		kind   string
		body   string
		want   []string
	}{
		{"as it should be", 200, "application/json", card(""), nil},
		{"unknown fields", 200, "", `{"cards":[{"id":"A","status":"Done","newer":{"a":1}}],"total":7}`, nil},
		{"unknown field in a choice", 200, "", card(`,"by":{"person":"Ada","team":"x"}`), nil},
		{"no form of a choice", 200, "", card(`,"by":{"robot":"x"}`), []string{"body /cards/0/by/person: is required"}},
		{"two forms at once", 200, "", card(`,"by":{"person":"Ada","key":"x"}`), nil},
		{"pattern, length and format are no drift", 200, "", `{"cards":[{"id":"toolong","status":"Done","due":"soon"}]}`, nil},
		{"missing", 200, "", `{"cards":[{"status":"ToDo"}]}`, []string{"body /cards/0/id: is required"}},
		{"wrong type", 200, "", card(`,"n":"1"`), []string{"body /cards/0/n: must be an integer or null, got a string"}},
		{"enum", 200, "", `{"cards":[{"id":"A","status":"Lost"}]}`, []string{`body /cards/0/status: must be one of "ToDo", "Done"`}},
		{"whole", 200, "", `[]`, []string{"body : must be an object, got an array"}},
		{"class", 207, "", `{}`, []string{"body : must be an array, got an object"}},
		{"another JSON type", 201, "application/problem+json; charset=utf-8", `1`, []string{"body : must be a string, got a number"}},
		{"a file", 202, "", `{}`, nil},
		{"undeclared type", 201, "text/plain", `1`, nil},
		{"default", 404, "", `{}`, []string{"body /error: is required"}},
		{"no JSON", 200, "", `{"cards":`, nil},
		{"two values", 200, "", `{} {}`, nil},
		{"odd status", 99, "", `{}`, nil},
		{"odder status", 7, "", `{}`, nil},
	} {
		if diff := cmp.Diff(append([]string{}, c.want...), lines(op.CheckResponse(c.status, c.kind, []byte(c.body)))); diff != "" {
			t.Errorf("%s:\n%s", c.name, diff)
		}
	}
}

func BenchmarkCheckResponse(b *testing.B) {
	d, err := Load([]byte(answers))
	if err != nil {
		b.Fatal(err)
	}
	op := operation(b, d, "x")
	for _, n := range []int{1, 100, 10000} {
		body := []byte(`{"cards":[` + strings.TrimSuffix(strings.Repeat(`{"id":"A","status":"ToDo","n":7,"by":{"person":"Ada"}},`, n), ",") + `]}`)
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			b.SetBytes(int64(len(body)))
			b.ReportAllocs()
			for b.Loop() {
				if got := op.CheckResponse(200, "", body); got != nil {
					b.Fatal(got)
				}
			}
		})
	}
}
