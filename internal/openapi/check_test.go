// SPDX-License-Identifier: Apache-2.0

package openapi

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// lines writes issues as "in path: message".
func lines(issues []Issue) []string {
	out := []string{}
	for _, i := range issues {
		out = append(out, i.In+" "+i.Path+": "+i.Message)
	}
	return out
}

func operation(t testing.TB, d *Document, id string) *Operation {
	t.Helper()
	op, ok := d.ByID(id)
	if !ok {
		t.Fatalf("no operation %s", id)
	}
	return op
}

func TestCheckQuery(t *testing.T) {
	op := operation(t, board(t), "listIssues")
	for _, c := range []struct {
		query    string
		strict   []string
		courtesy []string
	}{
		{"", nil, nil},
		{"limit=5&board=7&open=true&title=abc", nil, nil},
		{"limit=101", []string{"query limit: must be at most 100"}, nil},
		{"limit=abc", []string{"query limit: must be an integer"}, []string{"query limit: must be an integer"}},
		{"limit=1.5", []string{"query limit: must be an integer"}, []string{"query limit: must be an integer"}},
		{"limit=+1", []string{"query limit: must be an integer"}, []string{"query limit: must be an integer"}},
		{"limit=", []string{"query limit: must be an integer"}, []string{"query limit: must be an integer"}},
		{"limit=1&limit=2", []string{"query limit: is given more than once"}, []string{"query limit: is given more than once"}},
		{"board=x", []string{"query board: must be an integer"}, []string{"query board: must be an integer"}},
		{"open=yes", []string{"query open: must be a boolean"}, []string{"query open: must be a boolean"}},
		{"title=abcdef", []string{"query title: must have at most 5 characters"}, nil},
		{"title=12345", nil, nil},
		{"nope=1", []string{"query nope: is not a known query parameter"}, nil},
		{"status=ToDo", nil, nil},
		{"status=ToDo&status=Done", nil, nil},
		{"status[]=ToDo", nil, nil},
		{"status=ToDo&status=Nope", []string{`query status/1: must be one of "Review", "ToDo", "Done"`}, nil},
		{"status=ToDo,Done", []string{`query status/0: must be one of "Review", "ToDo", "Done"`}, nil},
		{"fields=a,b", nil, nil},
		{"fields=a,b,c", []string{"query fields: must have at most 2 items"}, nil},
		{"fields=", nil, nil},
		{"pipes=1|2", nil, nil},
		{"pipes=1|x", []string{"query pipes/1: must be an integer"}, []string{"query pipes/1: must be an integer"}},
		{"spaces=1%202", nil, nil},
		{"filter[type]=Bug&filter[min]=3&filter[tags][]=a&filter[tags][]=b&filter[sub][deep]=true", nil, nil},
		{"filter[tags][0]=a&filter[tags][1]=b", nil, nil},
		{"filter[tags]=a&filter[tags]=b", nil, nil},
		{"filter[min]=x", []string{"query filter/min: must be an integer"}, []string{"query filter/min: must be an integer"}},
		{"filter[min]=1&filter[min]=2", []string{"query filter: is given more than once"}, []string{"query filter: is given more than once"}},
		{"filter[sub][deep]=5", []string{"query filter/sub/deep: must be a boolean"}, []string{"query filter/sub/deep: must be a boolean"}},
		{"filter[zzz]=1", []string{"query filter/zzz: is not a known field; known: min, sub, tags, type"}, nil},
		{"filter=x", []string{"query filter: must be an object"}, []string{"query filter: must be an object"}},
		{"filterx[a]=1", []string{"query filterx[a]: is not a known query parameter"}, nil},
		{"filter" + strings.Repeat("[a]", 30) + "=1", []string{"query filter: is nested too deep"}, []string{"query filter: is nested too deep"}},
		{`where={"min":3}`, nil, nil},
		{`where={"min":"3"}`, []string{"query where/min: must be an integer"}, []string{"query where/min: must be an integer"}},
		{`where={`, []string{"query where: must hold JSON; it is not valid JSON: it ends too early"}, []string{"query where: must hold JSON; it is not valid JSON: it ends too early"}},
		{"ref=5", nil, nil},
		{"ref=all", nil, nil},
		{"ref=0", []string{"query ref: must be at least 1"}, nil},
		{"point=x,1,y,2", nil, nil},
		{"point=x,a", []string{"query point/x: must be an integer"}, []string{"query point/x: must be an integer"}},
		{"from=1&to=2", nil, nil},
		{"from=x", []string{"query range/from: must be an integer"}, []string{"query range/from: must be an integer"}},
	} {
		q, err := url.ParseQuery(c.query)
		if err != nil {
			t.Fatal(err)
		}
		for mode, want := range map[Mode][]string{Strict: c.strict, Courtesy: c.courtesy} {
			if want == nil {
				want = []string{}
			}
			if diff := cmp.Diff(want, lines(op.Check(Request{Query: q}, mode))); diff != "" {
				t.Errorf("%s (mode %d): %s", c.query, mode, diff)
			}
		}
	}
}

func TestCheckPathParameters(t *testing.T) {
	d := board(t)
	for _, c := range []struct {
		id     string
		params map[string]string
		want   []string
	}{
		{"getIssue", map[string]string{"id": "ABC-1"}, []string{}},
		{"getIssue", nil, []string{"path id: is required"}},
		{"getIssue", map[string]string{"id": "{id}"}, []string{"path id: is not filled in"}},
		{"getIssue", map[string]string{"id": ":id"}, []string{"path id: is not filled in"}},
		{"getIssue", map[string]string{"id": "abc"}, []string{"path id: must match ^[A-Z]+-[0-9]+$"}},
		{"getBoard", map[string]string{"ref": "7"}, []string{}},
		{"getBoard", map[string]string{"ref": "x"}, []string{"path ref: must be an integer"}},
		{"getBoard", map[string]string{"ref": "0"}, []string{"path ref: must be at least 1"}},
		{"getFile", map[string]string{"name": "a", "ext": "gif"}, []string{`path ext: must be one of "txt", "png"`}},
		{"healthz", map[string]string{"id": "no such parameter"}, []string{}},
	} {
		if diff := cmp.Diff(c.want, lines(operation(t, d, c.id).Check(Request{PathParams: c.params}, Strict))); diff != "" {
			t.Errorf("%s %v: %s", c.id, c.params, diff)
		}
	}
	got := lines(operation(t, d, "getBoard").Check(Request{PathParams: map[string]string{"ref": "0"}}, Courtesy))
	if diff := cmp.Diff([]string{}, got); diff != "" {
		t.Error(diff)
	}
}

func TestCheckHeaders(t *testing.T) {
	d := board(t)
	create, list := operation(t, d, "createIssue"), operation(t, d, "listIssues")
	body := []byte(`{"title":"x","type":"Bug"}`)
	for _, c := range []struct {
		op     *Operation
		header http.Header
		want   []string
	}{
		{create, nil, []string{}},
		{create, http.Header{}, []string{"header Idempotency-Key: is required"}},
		{create, http.Header{"Idempotency-Key": {"k"}}, []string{}},
		{create, http.Header{"Idempotency-Key": {""}}, []string{"header Idempotency-Key: must not be empty"}},
		{create, http.Header{"Idempotency-Key": {"a", "b"}}, []string{"header Idempotency-Key: is given more than once"}},
		{create, http.Header{"Idempotency-Key": {"k"}, "X-Anything": {"x"}}, []string{}},
		{list, http.Header{"X-Trace": {"1, 2", "3"}}, []string{}},
		{list, http.Header{"X-Trace": {"1,x"}}, []string{"header X-Trace/1: must be an integer"}},
	} {
		r := Request{Header: c.header}
		if c.op == create {
			r.Body = body
		}
		if diff := cmp.Diff(c.want, lines(c.op.Check(r, Strict))); diff != "" {
			t.Errorf("%v: %s", c.header, diff)
		}
	}
}

func TestCheckBody(t *testing.T) {
	d := board(t)
	for _, c := range []struct {
		id, contentType, body string
		strict, courtesy      []string
	}{
		{"createIssue", "", `{"title":"x","type":"Bug"}`, nil, nil},
		{"createIssue", "application/json; charset=utf-8", `{"title":"x","type":"Bug","priority":3.5,"parent_id":null,"size":9007199254740993,"due":"2026-01-02T03:04:05Z","labels":["a"]}`, nil, nil},
		{"createIssue", "", ``, []string{"body : is required"}, []string{"body : is required"}},
		{"createIssue", "", " \n", []string{"body : is required"}, []string{"body : is required"}},
		{"createIssue", "", `{}`, []string{"body /title: is required", "body /type: is required"}, []string{"body /title: is required", "body /type: is required"}},
		{"createIssue", "", `{"title":"","type":"Task"}`, []string{"body /title: must not be empty", `body /type: must be one of "Epic", "Bug"`}, nil},
		{"createIssue", "", `{"title":5,"type":"Bug","newer":1}`, []string{"body /newer: is not a known field; known: due, labels, parent_id, priority, size, title, type", "body /title: must be a string, got a number"}, []string{"body /newer: is not a known field; known: due, labels, parent_id, priority, size, title, type", "body /title: must be a string, got a number"}},
		{"createIssue", "", `{"title":"x","type":"Bug","newer":1}`, []string{"body /newer: is not a known field; known: due, labels, parent_id, priority, size, title, type"}, nil},
		{"createIssue", "", `{"title":"x","type":"Bug","priority":6,"due":"today","labels":["a","a"]}`, []string{"body /due: must be a date and time like 2006-01-02T15:04:05Z", "body /labels: must not repeat an item: items 0 and 1 are equal", "body /priority: must be less than 6"}, nil},
		{"createIssue", "", `{"title":"x","type":"Bug","size":9223372036854775808}`, []string{"body /size: must be an integer of 64 bits"}, nil},
		{"createIssue", "", `[1]`, []string{"body : must be an object, got an array"}, []string{"body : must be an object, got an array"}},
		{"createIssue", "", `{"title":"x","type":"Bug"} trailing`, []string{"body : must be one JSON value: more text follows at byte 26"}, []string{"body : must be one JSON value: more text follows at byte 26"}},
		{"createIssue", "", `{"title":"x","title":"y","type":"Bug"}`, []string{"body /title: is given twice"}, []string{"body /title: is given twice"}},
		{"createIssue", "", "{\"title\":\"\xff\"}", []string{"body : must be valid UTF-8"}, []string{"body : must be valid UTF-8"}},
		{"createIssue", "", strings.Repeat("[", 201) + strings.Repeat("]", 201), []string{"body : must not be nested deeper than 200 levels"}, []string{"body : must not be nested deeper than 200 levels"}},
		{"createIssue", "text/plain", `hello`, nil, nil},
		{"editIssue", "application/merge-patch+json", `{"anything":1}`, nil, nil},
		{"editIssue", "application/merge-patch+json", `5`, []string{"body : must be an object, got a number"}, []string{"body : must be an object, got a number"}},
		{"editIssue", "", `{"title":"x"}`, []string{"body /version: is required"}, []string{"body /version: is required"}},
		{"editIssue", "", `null`, []string{"body : must be an object, got null"}, []string{"body : must be an object, got null"}},
		{"upload", "multipart/form-data; boundary=x", `--x`, nil, nil},
		{"upload", "multipart/form-data", ``, []string{"body : is required"}, []string{"body : is required"}},
		{"putNotes", "", ``, nil, nil},
		{"putNotes", "", `["a",1]`, []string{"body /1: must be a string, got a number"}, []string{"body /1: must be a string, got a number"}},
		{"healthz", "", `{}`, []string{"body : must not be given: this operation takes no body"}, nil},
	} {
		for mode, want := range map[Mode][]string{Strict: c.strict, Courtesy: c.courtesy} {
			if want == nil {
				want = []string{}
			}
			r := Request{PathParams: map[string]string{"id": "A-1"}, Body: []byte(c.body), ContentType: c.contentType}
			if diff := cmp.Diff(want, lines(operation(t, d, c.id).Check(r, mode))); diff != "" {
				t.Errorf("%s %.60s (mode %d): %s", c.id, c.body, mode, diff)
			}
		}
	}
}

func TestCheckAllAtOnce(t *testing.T) {
	op := operation(t, board(t), "createIssue")
	got := lines(op.Check(Request{Query: url.Values{"z": {"1"}}, Header: http.Header{}, Body: []byte(`{"title":"x"}`)}, Strict))
	want := []string{"query z: is not a known query parameter", "header Idempotency-Key: is required", "body /type: is required"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// TestCheckOtherParameters holds the rarer declarations.
func TestCheckOtherParameters(t *testing.T) {
	d := load(t, `{"openapi":"3.0.3","paths":{
		"/free":{"get":{"parameters":[{"name":"params","in":"query","schema":{"type":"object","additionalProperties":{"type":"integer"}}}]}},
		"/empty":{"get":{"parameters":[{"name":"flag","in":"query","allowEmptyValue":true,"schema":{"type":"boolean"}},{"name":"n","in":"query","schema":{"type":"integer","nullable":true}}]}},
		"/list/{ids}":{"get":{"parameters":[{"name":"ids","in":"path","required":true,"schema":{"type":"array","items":{"type":"integer"}}}]}},
		"/point/{p}":{"get":{"parameters":[{"name":"p","in":"path","required":true,"schema":{"type":"object","properties":{"x":{"type":"integer"}}}}]}},
		"/pointx/{p}":{"get":{"parameters":[{"name":"p","in":"path","required":true,"explode":true,"schema":{"type":"object","properties":{"x":{"type":"integer"}}}}]}},
		"/label/{p}":{"get":{"parameters":[{"name":"p","in":"path","required":true,"style":"label","schema":{"type":"integer"}}]}},
		"/expand":{"get":{"parameters":[{"name":"expand","in":"query","style":"deepObject","explode":true,"schema":{"type":"array","items":{"type":"string"}}},
			{"name":"created","in":"query","style":"deepObject","explode":true,"schema":{"anyOf":[{"type":"object","properties":{"gt":{"type":"integer"}}},{"type":"integer"}]}}]}},
		"/either":{"get":{"parameters":[{"name":"v","in":"query","schema":{"oneOf":[{"type":"string","maxLength":2},{"type":"array","items":{"type":"string"}}]}}]}},
		"/need":{"get":{"parameters":[{"name":"n","in":"query","required":true,"schema":{"type":"integer"}},{"name":"d","in":"query","required":true,"style":"deepObject","schema":{"type":"object"}}]}},
		"/whole":{"get":{"parameters":[{"name":"q","in":"querystring","content":{"application/x-www-form-urlencoded":{"schema":{"type":"object"}}}}]}},
		"/lost":{"get":{"parameters":[{"$ref":"#/components/parameters/None"},{"name":"ok","in":"query","schema":{"$ref":"#/components/schemas/None"}}]}}}}`)
	for _, c := range []struct {
		path, query string
		want        []string
	}{
		{"/free", "a=1&b=2", []string{}},
		{"/free", "a=x", []string{"query params/a: must be an integer"}},
		{"/empty", "flag=", []string{}},
		{"/empty", "flag=x", []string{"query flag: must be a boolean"}},
		{"/empty", "n=", []string{}},
		{"/empty", "n=null", []string{}},
		{"/list/1,2", "", []string{}},
		{"/list/1,x", "", []string{"path ids/1: must be an integer"}},
		{"/point/x,1", "", []string{}},
		{"/point/x,a", "", []string{"path p/x: must be an integer"}},
		{"/pointx/x=1", "", []string{}},
		{"/pointx/x=a", "", []string{"path p/x: must be an integer"}},
		{"/label/.5", "", []string{}},
		{"/expand", "expand[]=a&expand[]=b&created[gt]=5", []string{}},
		{"/expand", "expand[0]=a&created=5", []string{}},
		{"/expand", "created[gt]=x", []string{"query created/gt: must be an integer"}},
		{"/either", "v=ab", []string{}},
		{"/either", "v=abc&v=d", []string{}},
		{"/need", "n=1&d[a]=1", []string{}},
		{"/need", "", []string{"query d: is required", "query n: is required"}},
		{"/whole", "anything=1", []string{}},
		{"/lost", "ok=1", []string{}},
	} {
		m, ok := d.Match("GET", c.path)
		if !ok {
			t.Fatalf("%s does not match", c.path)
		}
		q, err := url.ParseQuery(c.query)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(c.want, lines(m.Operation.Check(Request{PathParams: m.Params, Query: q}, Strict))); diff != "" {
			t.Errorf("%s?%s: %s", c.path, c.query, diff)
		}
	}
}

func TestHealBody(t *testing.T) {
	d := board(t)
	for _, c := range []struct{ id, raw, want string }{
		{"createIssue", `"{\"title\":\"x\"}"`, `{"title":"x"}`},
		{"createIssue", ` "  {\"big\":9007199254740993}\n" `, `{"big":9007199254740993}`},
		{"putNotes", `"[\"a\"]"`, `["a"]`},
		{"createIssue", `"[1]"`, ""},
		{"putNotes", `"{}"`, ""},
		{"createIssue", `{"title":"{}"}`, ""},
		{"createIssue", `"text"`, ""},
		{"createIssue", `"5"`, ""},
		{"createIssue", `"{\"a\":1,\"a\":2}"`, ""},
		{"createIssue", `"{} x"`, ""},
		{"createIssue", `broken`, ""},
		{"createIssue", ``, ""},
		{"healthz", `"{}"`, ""},
		{"upload", `"{}"`, ""},
	} {
		got, changed := operation(t, d, c.id).HealBody([]byte(c.raw))
		if want := c.want; changed != (want != "") || !changed && string(got) != c.raw || changed && string(got) != want {
			t.Errorf("%s %s: %s, %t", c.id, c.raw, got, changed)
		}
	}
	text := load(t, `{"openapi":"3.0.0","paths":{"/x":{"post":{"requestBody":{"content":{"application/json":{"schema":{"oneOf":[{"type":"string"},{"type":"object"}]}}}}}},
		"/y":{"post":{"requestBody":{"content":{"application/json":{}}}}}, "/z":{"post":{"requestBody":{"content":{"application/json":{"schema":{}}}}}}}}`)
	for _, op := range text.Operations() {
		if _, changed := op.HealBody([]byte(`"{}"`)); changed {
			t.Errorf("%s takes text, and it was changed", op.Route())
		}
	}
}

func TestBodyTakes(t *testing.T) {
	d := board(t)
	for _, c := range []struct {
		id, member string
		want       bool
	}{
		{"createIssue", "title", true}, {"createIssue", "nothing", false}, {"healthz", "title", false}, {"upload", "title", false}, {"putNotes", "title", false},
	} {
		if got := operation(t, d, c.id).BodyTakes(c.member); got != c.want {
			t.Errorf("%s takes %s: %t", c.id, c.member, got)
		}
	}
}
