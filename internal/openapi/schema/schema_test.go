// SPDX-License-Identifier: Apache-2.0

package schema

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/fiftyarms/platform/internal/openapi/rawjson"
	"github.com/google/go-cmp/cmp"
)

// setOf makes a set over a document of definitions, {"X": schema}, that refer
// to each other as "#/X".
func setOf(t *testing.T, doc string, legacy bool) (*Set, func(name string) rawjson.Span) {
	t.Helper()
	if !json.Valid([]byte(doc)) {
		t.Fatalf("the test's document is no JSON: %s", doc)
	}
	src := rawjson.Source(doc)
	at := func(name string) rawjson.Span {
		return src.Descend(src.At(0), rawjson.SplitPointer("/"+name))
	}
	return NewSet(src, func(ref string) rawjson.Span {
		pointer, ok := strings.CutPrefix(ref, "#")
		if !ok || !strings.HasPrefix(pointer, "/") {
			return rawjson.Span{}
		}
		return src.Descend(src.At(0), rawjson.SplitPointer(pointer))
	}, legacy), at
}

// issuesOf checks a value against the definition X.
func issuesOf(t *testing.T, doc string, legacy bool, value string, mode Mode) []string {
	t.Helper()
	set, at := setOf(t, doc, legacy)
	v, bad := rawjson.Decode([]byte(value))
	if bad != nil {
		t.Fatal(bad)
	}
	return lines(Limit(set.Validator(RequestSide, at("X")).CheckValue(v, "body", "", mode)))
}

func lines(issues []Issue) []string {
	out := []string{}
	for _, i := range issues {
		out = append(out, i.Path+": "+i.Message)
	}
	return out
}

func TestMessages(t *testing.T) {
	for _, c := range []struct{ schema, value, want string }{
		{`{"type":"string"}`, `5`, `: must be a string, got a number`},
		{`{"type":"integer"}`, `1.5`, `: must be an integer, got a number`},
		{`{"type":"integer"}`, `1.0`, ``},
		{`{"type":"integer"}`, `9007199254740993`, ``},
		{`{"type":["string","null"]}`, `true`, `: must be a string or null, got a boolean`},
		{`{"type":"object"}`, `[]`, `: must be an object, got an array`},
		{`{"type":"array"}`, `null`, `: must be an array, got null`},
		{`{"required":["a","b"]}`, `{"b":1}`, `/a: is required`},
		{`{"properties":{"a":{"required":["b"]}}}`, `{"a":{}}`, `/a/b: is required`},
		{`{"properties":{"a":{}},"additionalProperties":false}`, `{"a":1,"b/c":2}`, `/b~1c: is not a known field; known: a`},
		{`{"properties":{"b":{},"a":{}},"additionalProperties":false,"required":["a"]}`, `{"aa":1}`, "/a: is required\n/aa: is not a known field; known: a, b"},
		{`{"properties":{"a":{}},"patternProperties":{"^x":{}},"additionalProperties":false}`, `{"c":2}`, `/c: is not a known field`},
		{`{"properties":{"a":{}},"unevaluatedProperties":false}`, `{"b":2}`, `/b: is not a known field`},
		{`{"properties":{"a":false}}`, `{"a":2}`, `/a: is not allowed`},
		{`{"minLength":1}`, `""`, `: must not be empty`},
		{`{"minLength":3}`, `"ab"`, `: must have at least 3 characters`},
		{`{"maxLength":200}`, `"` + strings.Repeat("é", 201) + `"`, `: must have at most 200 characters`},
		{`{"maxLength":1}`, `"ab"`, `: must have at most 1 character`},
		{`{"pattern":"^[a-z]+$"}`, `"SECRET"`, `: must match ^[a-z]+$`},
		{`{"enum":["a","b"]}`, `"SECRET"`, `: must be one of "a", "b"`},
		{`{"enum":["a",1,null,true,[1]]}`, `"c"`, `: must be one of "a", 1, null, true, [1]`},
		{`{"const":"a"}`, `"SECRET"`, `: must be "a"`},
		{`{"minimum":1}`, `0`, `: must be at least 1`},
		{`{"maximum":9007199254740993}`, `9007199254740994`, `: must be at most 9007199254740993`},
		{`{"maximum":9007199254740993}`, `9007199254740993`, ``},
		{`{"exclusiveMinimum":0.5}`, `0.5`, `: must be greater than 0.5`},
		{`{"exclusiveMaximum":6}`, `6`, `: must be less than 6`},
		{`{"multipleOf":0.1}`, `0.25`, `: must be a multiple of 0.1`},
		{`{"multipleOf":0.1}`, `0.3`, ``},
		{`{"minItems":1}`, `[]`, `: must not be empty`},
		{`{"maxItems":2}`, `[1,2,3]`, `: must have at most 2 items`},
		{`{"maxItems":0}`, `[1]`, `: must be empty`},
		{`{"uniqueItems":true}`, `[1,2,1]`, `: must not repeat an item: items 0 and 2 are equal`},
		{`{"minProperties":2}`, `{"a":1}`, `: must have at least 2 fields`},
		{`{"maxProperties":1}`, `{"a":1,"b":1}`, `: must have at most 1 field`},
		{`{"contains":{"type":"string"}}`, `[1]`, `: must hold at least one item of the form that is asked for`},
		{`{"contains":{"type":"string"},"maxContains":1}`, `["a","b"]`, `: holds too many items of the form that is asked for`},
		{`{"propertyNames":{"pattern":"^a"}}`, `{"b":1}`, `/b: is not an allowed field name`},
		{`{"dependentRequired":{"a":["b"]}}`, `{"a":1}`, `/b: is required when "a" is given`},
		{`{"not":{"type":"string"}}`, `"SECRET"`, `: is of a form that is not allowed`},
		{`{"items":{"type":"string"}}`, `["a",1,"b",2,3,4,5,6,7,8,"c",9]`, "/1: must be a string, got a number\n/3: must be a string, got a number\n/4: must be a string, got a number\n/5: must be a string, got a number\n/6: must be a string, got a number\n/7: must be a string, got a number\n/8: must be a string, got a number\n/9: must be a string, got a number\n/11: must be a string, got a number"},
		{`{"format":"email"}`, `"SECRET"`, `: must be an email address`},
		{`{"format":"date-time"}`, `"2020-01-01"`, `: must be a date and time like 2006-01-02T15:04:05Z`},
		{`{"format":"date"}`, `"2020-13-01"`, `: must be a date like 2006-01-02`},
		{`{"format":"uuid"}`, `"x"`, `: must be a UUID`},
		{`{"format":"uri"}`, `"x"`, `: must be a URL with its scheme`},
		{`{"format":"ipv4"}`, `"x"`, `: must be of the format ipv4`},
		{`{"format":"int32"}`, `2147483648`, `: must be an integer of 32 bits`},
		{`{"format":"int64"}`, `9223372036854775808`, `: must be an integer of 64 bits`},
		{`{"format":"int64"}`, `9223372036854775807`, ``},
		{`{"format":"no-such-format"}`, `"x"`, ``},
		{`{"if":{"required":["a"]},"then":{"required":["b"]}}`, `{"a":1}`, `/b: is required`},
		{`{"allOf":[{"required":["a"]},{"required":["b"]}]}`, `{}`, "/a: is required\n/b: is required"},
		{`{"oneOf":[{"type":"integer"},{"minimum":1}]}`, `5`, `: must match only one of the allowed forms, but matches several`},
		{`false`, `5`, `: is not allowed`},
		{`true`, `5`, ``},
		{`{}`, `5`, ``},
		{`{"$ref":"#/X"}`, `5`, ``}, // nothing but itself: asks for nothing
	} {
		got := strings.Join(issuesOf(t, `{"X":`+c.schema+`}`, false, c.value, Strict), "\n")
		if got != c.want {
			t.Errorf("%s with %.40s:\n got %s\nwant %s", c.schema, c.value, got, c.want)
		}
		if strings.Contains(got, "SECRET") {
			t.Errorf("%s: the message holds the value: %s", c.schema, got)
		}
	}
}

func TestEnumIsBounded(t *testing.T) {
	var values []string
	for i := range 50 {
		values = append(values, fmt.Sprint(i))
	}
	got := issuesOf(t, `{"X":{"enum":[`+strings.Join(values, ",")+`]}}`, false, `"x"`, Strict)
	if len(got) != 1 || !strings.HasSuffix(got[0], "19, … (30 more)") {
		t.Error(got)
	}
}

func TestChoiceOfForm(t *testing.T) {
	const shapes = `{
		"X": {"oneOf":[{"$ref":"#/Circle"},{"$ref":"#/Square"}]},
		"Circle": {"type":"object","required":["kind","r"],"properties":{"kind":{"const":"circle"},"r":{"type":"number"}}},
		"Square": {"type":"object","required":["kind","a","b"],"properties":{"kind":{"const":"square"},"a":{"type":"number"},"b":{"type":"number"}}}}`
	const marked = `{
		"X": {"oneOf":[{"$ref":"#/Cat"},{"$ref":"#/Dog"}],"discriminator":{"propertyName":"pet","mapping":{"kitty":"#/Cat"}}},
		"Cat": {"type":"object","required":["pet","lives"],"properties":{"pet":{"type":"string"},"lives":{"type":"integer"}}},
		"Dog": {"type":"object","required":["pet","bark"],"properties":{"pet":{"type":"string"},"bark":{"type":"string"}}}}`
	for _, c := range []struct {
		name, doc, value string
		strict, courtesy []string
	}{
		{"the constant tells the form", shapes, `{"kind":"square","a":1}`, []string{"/b: is required"}, []string{"/b: is required"}},
		{"the other form", shapes, `{"kind":"circle","r":"1"}`, []string{"/r: must be a number, got a string"}, []string{"/r: must be a number, got a string"}},
		{"no constant fits", shapes, `{"kind":"star"}`, []string{`/kind: must be one of "circle", "square"`}, []string{}},
		{"fewest findings", shapes, `{}`, []string{"/kind: is required", "/r: is required"}, []string{"/kind: is required", "/r: is required"}},
		{"another type", shapes, `5`, []string{": must be an object, got a number"}, []string{": must be an object, got a number"}},
		{"nullable by anyOf", `{"X":{"anyOf":[{"type":"object","required":["a"]},{"type":"null"}]}}`, `{}`, []string{"/a: is required"}, []string{"/a: is required"}},
		{"types are joined", `{"X":{"anyOf":[{"type":"string"},{"type":"object"},{"type":"null"}]}}`, `5`, []string{": must be a string or an object or null, got a number"}, []string{": must be a string or an object or null, got a number"}},
		{"a soft form lets through", `{"X":{"anyOf":[{"type":"string","maxLength":1},{"type":"integer"}]}}`, `"abc"`, []string{": must have at most 1 character"}, []string{}},
		{"enums are joined", `{"X":{"oneOf":[{"const":"a"},{"const":"b"}]}}`, `"c"`, []string{`: must be one of "a", "b"`}, []string{}},
		{"deepest", `{"X":{"anyOf":[{"type":"object","required":["z"]},{"type":"object","properties":{"a":{"properties":{"b":{"type":"string"}}}}}]}}`, `{"a":{"b":1}}`, []string{"/a/b: must be a string, got a number"}, []string{"/a/b: must be a string, got a number"}},

		{"discriminator by mapping", marked, `{"pet":"kitty"}`, []string{"/lives: is required"}, []string{"/lives: is required"}},
		{"discriminator by name", marked, `{"pet":"Dog"}`, []string{"/bark: is required"}, []string{"/bark: is required"}},
		{"discriminator missing", marked, `{"bark":1}`, []string{"/pet: is required"}, []string{"/pet: is required"}},
		{"discriminator unknown", marked, `{"pet":"fish"}`, []string{`/pet: must be one of "kitty", "Dog"`}, []string{}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if diff := cmp.Diff(c.strict, issuesOf(t, c.doc, false, c.value, Strict)); diff != "" {
				t.Errorf("strict: %s", diff)
			}
			if diff := cmp.Diff(c.courtesy, issuesOf(t, c.doc, false, c.value, Courtesy)); diff != "" {
				t.Errorf("courtesy: %s", diff)
			}
		})
	}
}

func TestCourtesyLetsNewerContractsThrough(t *testing.T) {
	const doc = `{"X":{"type":"object","required":["a"],"additionalProperties":false,"properties":{
		"a":{"type":"string","maxLength":2,"pattern":"^x"},"b":{"enum":["p","q"]},"c":{"type":"integer","minimum":5,"format":"int32"},
		"d":{"type":"string","format":"email"},"e":{"type":"array","items":{"type":"string"},"maxItems":1}}}}`
	if got := issuesOf(t, doc, false, `{"a":"yyyy","b":"z","c":1,"d":"no","e":["1","2"],"new":1}`, Courtesy); len(got) != 0 {
		t.Error(got)
	}
	want := []string{"/a: is required", "/b: must be a string, got a number"}
	got := issuesOf(t, `{"X":{"type":"object","required":["a"],"properties":{"b":{"type":"string"}}}}`, false, `{"b":1}`, Courtesy)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestHabitsOf30(t *testing.T) {
	for _, c := range []struct{ schema, value, want string }{
		{`{"type":"string","nullable":true}`, `null`, ``},
		{`{"type":"string","nullable":false}`, `null`, `: must be a string, got null`},
		{`{"type":"string","nullable":true,"enum":["a"]}`, `null`, ``},
		{`{"type":"string","nullable":true,"enum":["a"]}`, `"b"`, `: must be one of "a", null`},
		{`{"nullable":true,"allOf":[{"$ref":"#/S"}]}`, `null`, ``},
		{`{"nullable":true,"allOf":[{"$ref":"#/S"}]}`, `5`, `: must be a string or null, got a number`},
		{`{"$ref":"#/S","nullable":true}`, `null`, ``},
		{`{"type":"number","minimum":1,"exclusiveMinimum":true}`, `1`, `: must be greater than 1`},
		{`{"type":"number","maximum":1,"exclusiveMaximum":true}`, `1`, `: must be less than 1`},
		{`{"type":"number","maximum":1,"exclusiveMaximum":false}`, `1`, ``},
		{`{"$ref":"#/S","maxLength":1}`, `"abc"`, ``}, // siblings of a reference are ignored
		{`{"type":"object","required":["id","a"],"properties":{"id":{"type":"string","readOnly":true},"a":{}}}`, `{}`, `/a: is required`},
		{`{"type":"object","required":["id"],"properties":{"id":{"$ref":"#/ID"}}}`, `{}`, ``},
		{`{"type":"array","items":[{"type":"string"}],"additionalItems":false}`, `["a",1]`, `/1: is not allowed`},
	} {
		doc := `{"X":` + c.schema + `,"S":{"type":"string"},"ID":{"readOnly":true}}`
		if got := strings.Join(issuesOf(t, doc, true, c.value, Strict), "\n"); got != c.want {
			t.Errorf("%s with %s: got %q, want %q", c.schema, c.value, got, c.want)
		}
	}
	// In 3.1 what stands beside a reference counts.
	if got := issuesOf(t, `{"X":{"$ref":"#/S","maxLength":1},"S":{"type":"string"}}`, false, `"abc"`, Strict); len(got) != 1 {
		t.Error(got)
	}
	// Whoever asks for no side gets the schema as it is.
	set, at := setOf(t, `{"X":{"required":["id"],"properties":{"id":{"readOnly":true}}}}`, true)
	if got := set.Validator(AnySide, at("X")).Check([]byte(`{}`), "body"); len(got) != 1 {
		t.Error(got)
	}
}

func TestDefectsDoNotSpoilASchema(t *testing.T) {
	for _, c := range []struct{ name, schema, good, bad, weak string }{
		{"pattern of another language", `{"pattern":"^(?!a).*$","maxLength":3}`, `"a"`, `"abcd"`, "(?!a)"},
		{"pattern with unicode escape", `{"pattern":"^\\u0061+$"}`, `"aa"`, `"b"`, ""},
		{"pattern with escaped slash", `{"pattern":"^a\\/b$"}`, `"a/b"`, `"b"`, ""},
		{"dangling reference", `{"properties":{"a":{"$ref":"#/Nowhere"},"b":{"type":"string"}}}`, `{"a":1}`, `{"b":1}`, "line 1, column 33: the reference #/Nowhere leads nowhere"},
		{"reference to a file", `{"properties":{"a":{"$ref":"./x.json#/A"},"b":{"type":"string"}}}`, `{"a":1}`, `{"b":1}`, "leads out of the document"},
		{"unknown type", `{"properties":{"a":{"type":"file"},"b":{"type":"string"}}}`, `{"a":1}`, `{"b":1}`, "the keyword type is malformed"},
		{"required as a flag", `{"properties":{"a":{"required":true},"b":{"type":"string"}}}`, `{"a":1}`, `{"b":1}`, "the keyword required is malformed"},
		{"empty enum", `{"enum":[],"type":"string"}`, `"a"`, `1`, "enum"},
		{"empty oneOf", `{"oneOf":[],"type":"string"}`, `"a"`, `1`, "oneOf"},
		{"bound as text", `{"minimum":"5","type":"integer"}`, `1`, `"a"`, "minimum"},
		{"negative length", `{"minLength":-1,"type":"string"}`, `""`, `1`, "minLength"},
		{"multiple of nothing", `{"multipleOf":0,"type":"integer"}`, `1`, `"a"`, "multipleOf"},
		{"bound without end", `{"maximum":1e999999999,"type":"integer"}`, `1`, `"a"`, "maximum"},
		{"constant without end", `{"const":1e999999999}`, `1`, ``, "const"},
		{"schema that is no schema", `{"properties":{"a":5,"b":{"type":"string"}}}`, `{"a":1}`, `{"b":1}`, "a schema must be an object"},
		{"duplicate type", `{"type":["string","string"]}`, `"a"`, `1`, ""},
		{"own $defs of a pasted schema", `{"$defs":{"N":{"type":"string"}},"properties":{"a":{"$ref":"#/$defs/N"}}}`, `{"a":"x"}`, `{"a":1}`, ""},
		{"two that are each other", `{"anyOf":[{"$ref":"#/Y"}]}`, `1`, ``, ""},
		{"identifiers", `{"$id":"http://x/y","$schema":"http://json-schema.org/draft-04/schema#","$anchor":"a","type":"string"}`, `"a"`, `1`, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			set, at := setOf(t, `{"X":`+c.schema+`,"Y":{"$ref":"#/X"}}`, false)
			v := set.Validator(RequestSide, at("X"))
			if got := v.Check([]byte(c.good), "body"); len(got) != 0 {
				t.Errorf("%s: %v", c.good, got)
			}
			if c.bad != "" && len(v.Check([]byte(c.bad), "body")) == 0 {
				t.Errorf("%s is let through", c.bad)
			}
			if weak := fmt.Sprint(set.Weak()); c.weak == "" && set.Weak() != nil || !strings.Contains(weak, c.weak) {
				t.Errorf("reported as weak: %s, want %q", weak, c.weak)
			}
		})
	}
}

func TestRecursion(t *testing.T) {
	const doc = `{"X":{"type":"object","required":["name"],"properties":{"name":{"type":"string"},"next":{"$ref":"#/X"},"all":{"type":"array","items":{"$ref":"#/X"}}}}}`
	if got := issuesOf(t, doc, false, `{"name":"a","next":{"name":"b","all":[{"name":"c"},{}]}}`, Strict); !cmp.Equal(got, []string{"/next/all/1/name: is required"}) {
		t.Error(got)
	}
}

func TestIssuesAreBoundedAndSorted(t *testing.T) {
	var fields []string
	for i := range 30 {
		fields = append(fields, fmt.Sprintf(`"f%02d":%d`, i, i))
	}
	set, at := setOf(t, `{"X":{"additionalProperties":false}}`, false)
	for range 3 {
		got := set.Validator(RequestSide, at("X")).Check([]byte("{"+strings.Join(fields, ",")+"}"), "body")
		if len(got) != MaxIssues+1 {
			t.Fatalf("%d issues", len(got))
		}
		for i, issue := range got[:MaxIssues] {
			if want := (Issue{"body", fmt.Sprintf("/f%02d", i), "is not a known field"}); issue != want {
				t.Errorf("%v, want %v", issue, want)
			}
		}
		if want := (Issue{"body", "", "10 more problems are not shown"}); got[MaxIssues] != want {
			t.Errorf("%v", got[MaxIssues])
		}
	}
	fields = nil
	for i := range 5000 {
		fields = append(fields, fmt.Sprintf(`"f%04d":0`, i))
	}
	if got := set.Validator(RequestSide, at("X")).Check([]byte("{"+strings.Join(fields, ",")+"}"), "body"); got[0].Path != "/f0000" || got[MaxIssues].Message != "at least 980 more problems are not shown" {
		t.Error(got)
	}
	if got := Limit([]Issue{{"body", "/a/10", "x"}, {"query", "z", "x"}, {"body", "/a/9", "x"}, {"body", "/a/9", "x"}, {"path", "q", "x"}}); !cmp.Equal(got, []Issue{{"path", "q", "x"}, {"query", "z", "x"}, {"body", "/a/9", "x"}, {"body", "/a/10", "x"}}) {
		t.Error(got)
	}
	if b, err := json.Marshal(Issue{"body", "/a", "is required"}); err != nil || string(b) != `{"in":"body","path":"/a","message":"is required"}` {
		t.Errorf("%s, %v", b, err)
	}
}

func TestConcurrentUse(t *testing.T) {
	set, at := setOf(t, `{"X":{"properties":{"a":{"$ref":"#/Y"}}},"Y":{"properties":{"b":{"$ref":"#/X"}},"required":["c"]}}`, false)
	done := make(chan []Issue)
	for i := range 8 {
		go func() {
			done <- set.Validator(RequestSide, at([]string{"X", "Y"}[i%2])).Check([]byte(`{"a":{},"b":{"a":{}},"c":1}`), "body")
		}()
	}
	for range 8 {
		if got := <-done; len(got) != 1 && len(got) != 2 {
			t.Error(got)
		}
	}
}

func TestCompile(t *testing.T) {
	v, err := Compile(json.RawMessage(`{"type":"object","properties":{"a":{"$ref":"#/$defs/A"},"p":{"pattern":"(?=x)"}},"required":["a"],"additionalProperties":false,
		"$defs":{"A":{"type":"array","items":{"type":"string","minLength":1}}}}`))
	if err != nil {
		t.Fatal(err)
	}
	want := []Issue{{"arguments", "/a/1", "must not be empty"}, {"arguments", "/b", "is not a known field; known: a, p"}}
	if diff := cmp.Diff(want, v.Check([]byte(`{"a":["x",""],"b":1,"p":"y"}`), "arguments")); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]Issue{{"arguments", "/a", "is given twice"}}, v.Check([]byte(`{"a":[],"a":[]}`), "arguments")); diff != "" {
		t.Error(diff)
	}
	for _, bad := range []string{``, `{`, `{"type":"strange"}`, `{"$ref":"#/$defs/None"}`, `{"$ref":"https://example.com/x.json"}`, `{"$ref":"file:///etc/passwd"}`, `{"multipleOf":0}`, `{"maximum":1e999999999}`, `5`} {
		if _, err := Compile(json.RawMessage(bad)); err == nil {
			t.Errorf("%s compiles", bad)
		}
	}
}

// FuzzSchema tries whatever a schema and a value may be: nothing panics, and
// Courtesy finds nothing where Strict finds nothing.
func FuzzSchema(f *testing.F) {
	for _, s := range []string{
		`{"type":["object","null"],"required":["a"],"properties":{"a":{"$ref":"#/X"}},"additionalProperties":{"not":{}}}`,
		`{"oneOf":[{"$ref":"#/Y"},{"const":1},{"enum":["a",null]}],"discriminator":{"propertyName":"k","mapping":{"y":"#/Y"}}}`,
		`{"items":[{"minimum":1,"exclusiveMinimum":true}],"additionalItems":false,"uniqueItems":true,"contains":{"type":"integer"}}`,
		`{"if":{"minLength":1},"then":{"pattern":"(?=a)"},"else":false,"unevaluatedProperties":false,"dependentSchemas":{"a":{}}}`,
		`{"$ref":"#/Y","nullable":true,"allOf":[{"$ref":"#/X"}],"multipleOf":0.3,"format":"int64","propertyNames":{"maxLength":2}}`,
	} {
		for _, v := range []string{`{"a":{"a":null},"k":"y"}`, `[1,1,"x"]`, `"abc"`, `0.9`} {
			f.Add(s, v)
		}
	}
	f.Fuzz(func(t *testing.T, schema, value string) {
		doc := `{"X":` + schema + `,"Y":{"type":"object","properties":{"k":{"const":"y"},"x":{"$ref":"#/X"}}}}`
		if !json.Valid([]byte(doc)) {
			return
		}
		v, bad := rawjson.Decode([]byte(value))
		if bad != nil {
			return
		}
		for _, legacy := range []bool{false, true} {
			set, at := setOf(t, doc, legacy)
			validator := set.Validator(RequestSide, at("X"))
			strict := validator.CheckValue(v, "body", "", Strict)
			courtesy := validator.CheckValue(v, "body", "", Courtesy)
			if len(courtesy) > len(strict) {
				t.Fatalf("%v, but only %v", courtesy, strict)
			}
			sh := set.Shape(at("X"))
			sh.Scalar(value)
			sh.Field("a").Array([]string{value})
			if strings.Contains(fmt.Sprint(set.Weak()), "panic") {
				t.Fatal(set.Weak())
			}
		}
		if _, err := Compile([]byte(schema)); err != nil && strings.Contains(err.Error(), "panic") {
			t.Fatal(err)
		}
	})
}
