// SPDX-License-Identifier: Apache-2.0

package openapi

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// sliced is a slice to look into.
type sliced struct {
	OpenAPI string `json:"openapi"`
	Info    struct {
		Title, Version, Description string
	} `json:"info"`
	Security   []any                                `json:"security"`
	Paths      map[string]map[string]any            `json:"paths"`
	Components map[string]map[string]map[string]any `json:"components"`
	raw        string
}

func slice(t testing.TB, d *Document, opt SliceOptions, endpoints ...string) sliced {
	t.Helper()
	out, err := d.Slice(endpoints, opt)
	if err != nil {
		t.Fatal(err)
	}
	s := sliced{raw: string(out)}
	if err := json.Unmarshal(out, &s); err != nil {
		t.Fatalf("%v in %s", err, out)
	}
	for _, ref := range refsIn(s.raw) {
		section, name, _ := strings.Cut(strings.TrimPrefix(ref, "#/components/"), "/")
		if s.Components[section][name] == nil {
			t.Errorf("the reference %s dangles", ref)
		}
	}
	return s
}

func refsIn(text string) []string {
	var out []string
	for _, part := range strings.Split(text, `"$ref":"`)[1:] {
		ref, _, _ := strings.Cut(part, `"`)
		out = append(out, ref)
	}
	return out
}

func (s sliced) names(section string) []string {
	return slices.Sorted(maps.Keys(s.Components[section]))
}

func TestSliceHoldsExactlyWhatWasAsked(t *testing.T) {
	d := board(t)
	s := slice(t, d, SliceOptions{}, "get /api/issues")
	if s.OpenAPI != "3.1.0" || s.Info.Title != "Board" || s.Info.Version != "1.2.3" || s.Info.Description != "" {
		t.Errorf("%+v", s.Info)
	}
	if len(s.Paths) != 1 || len(s.Paths["/api/issues"]) != 2 || s.Paths["/api/issues"]["get"] == nil || s.Paths["/api/issues"]["parameters"] == nil {
		t.Errorf("paths: %v", s.Paths)
	}
	if diff := cmp.Diff([]string{"Event", "Filter", "Issue", "IssueList", "Person", "Refusal", "Status"}, s.names("schemas")); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"key"}, s.names("securitySchemes")); diff != "" {
		t.Error(diff)
	}
	if !strings.HasPrefix(s.raw, `{"openapi":"3.1.0","info":{"title":"Board","version":"1.2.3"},"servers":[{"url":"/"}],"security":[{"key":[]}],"paths":{"/api/issues":{"parameters":[{"$ref":"#/components/parameters/Board"},`) {
		t.Errorf("order of keys: %.200s", s.raw)
	}
	if !strings.Contains(s.raw, `"x-permission":"cards.view"`) || strings.Contains(s.raw, "x-internal") {
		t.Error("extensions: all of an operation, none elsewhere")
	}
	if !strings.Contains(s.raw, "xxxxxxxx") {
		t.Error("an example went although it fits")
	}
	if strings.Contains(s.raw, ": ") && json.Valid([]byte(s.raw)) && len(s.raw) != len(compactJSON(t, s.raw)) {
		t.Error("the output is not compact")
	}

	health := slice(t, d, SliceOptions{}, "GET /healthz")
	if health.Components != nil || health.Security != nil {
		t.Errorf("an open operation: %s", health.raw)
	}
	two := slice(t, d, SliceOptions{}, "DELETE /api/issues/:id", "GET /healthz", "GET /api/issues/{x}")
	if i, j, k := strings.Index(two.raw, `"get":{"operationId":"getIssue"`), strings.Index(two.raw, `"delete"`), strings.Index(two.raw, "/healthz"); i < 0 || j < i || k < j {
		t.Error("operations are not in document order")
	}
	again := slice(t, board(t), SliceOptions{}, "GET /api/issues/{id}", "GET /healthz", "DELETE /api/issues/{id}", "GET /healthz")
	if two.raw != again.raw {
		t.Error("the same operations in another order give another slice")
	}
}

func compactJSON(t *testing.T, s string) string {
	t.Helper()
	b, err := json.Marshal(json.RawMessage(s))
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func TestSliceExtensions(t *testing.T) {
	d := board(t)
	if s := slice(t, d, SliceOptions{Extensions: []string{}}, "GET /api/issues"); strings.Contains(s.raw, `"x-`) {
		t.Error("none was wanted")
	}
	s := slice(t, d, SliceOptions{Extensions: []string{"x-internal", "x-board-scope"}}, "GET /api/issues")
	if !strings.Contains(s.raw, `"x-internal":true`) || !strings.Contains(s.raw, `"x-board-scope":{"in":"query","create":false}`) || strings.Contains(s.raw, "x-permission") {
		t.Error(s.raw)
	}
}

// deep is a document whose response reaches far: S0 refers to S1 and so on, each
// with a text that costs.
func deep(levels int) string {
	var b strings.Builder
	b.WriteString(`{"openapi":"3.0.3","info":{"title":"Deep","version":"1"},"paths":{"/x":{"get":{"parameters":[{"name":"q","in":"query","schema":{"$ref":"#/components/schemas/Query"}}],
		"responses":{"404":{"$ref":"#/components/responses/None"},"200":{"description":"ok","content":{"application/json":{"schema":{"$ref":"#/components/schemas/S0"}}}}}}}},
		"components":{"responses":{"None":{"description":"none","content":{"application/json":{"schema":{"$ref":"#/components/schemas/Problem"}}}}},
		"schemas":{"Query":{"type":"string","description":"` + strings.Repeat("asked ", 60) + `","example":"a short one"},"Problem":{"type":"object","properties":{"error":{"type":"string"}}}`)
	for i := range levels {
		fmt.Fprintf(&b, `,"S%d":{"type":"object","description":"%s","properties":{"name":{"type":"string","example":"short"},"next":{"$ref":"#/components/schemas/S%d"},"back":{"$ref":"#/components/schemas/S0"}}}`, i, strings.Repeat("word ", 100), i+1)
	}
	fmt.Fprintf(&b, `,"S%d":{"type":["x"],"nullable":true,"type":"array","items":{"type":"string"}}}}}`, levels)
	return b.String()
}

func TestSliceCutsWhatIsFarthest(t *testing.T) {
	d := load(t, deep(30))
	const budget = 1200
	s := slice(t, d, SliceOptions{Budget: budget}, "GET /x")
	if n := EstimateTokens([]byte(s.raw)); n > budget || n < budget*2/3 {
		t.Errorf("%d tokens of %d", n, budget)
	}
	if !strings.Contains(s.Info.Description, "Cut to fit 1200 tokens") {
		t.Error(s.Info.Description)
	}
	kept, cut := 0, -1
	for i := range 31 {
		schema := s.Components["schemas"][fmt.Sprintf("S%d", i)]
		switch {
		case schema == nil:
		case schema["properties"] != nil:
			if cut >= 0 {
				t.Errorf("S%d is kept, S%d is not", i, cut)
			}
			kept++
		default:
			want := map[string]any{"type": "object", "description": fmt.Sprintf(`cut to fit; ask for "GET /x#S%d" in endpoints`, i)}
			if diff := cmp.Diff(want, schema); diff != "" {
				t.Error(diff)
			}
			cut = i
		}
	}
	if kept < 3 || cut != kept {
		t.Errorf("%d levels are kept, S%d is the stub", kept, cut)
	}
	if q := s.Components["schemas"]["Query"]; len(q["description"].(string)) < 300 {
		t.Error("a description of the request side was cut")
	}
	if s.Components["schemas"]["Problem"]["properties"] == nil {
		t.Error("the failure's small schema had room")
	}
	if text := s.Components["schemas"]["S0"]["description"].(string); len(text) > longText+4 || !strings.HasSuffix(text, "word…") {
		t.Errorf("a long description of a response: %q", text)
	}
	// What was cut can be asked for by the name that the stub says.
	part := slice(t, d, SliceOptions{Budget: budget}, fmt.Sprintf("GET /x#S%d", cut))
	if len(part.Paths) != 0 || part.Components["schemas"][fmt.Sprintf("S%d", cut)]["properties"] == nil || !strings.Contains(part.raw, `"paths":{}`) {
		t.Errorf("%.300s", part.raw)
	}
	if n := EstimateTokens([]byte(part.raw)); n > budget {
		t.Errorf("a part of %d tokens", n)
	}
	last := slice(t, d, SliceOptions{Budget: 1 << 20}, "GET /x#S29")
	if len(last.Components["schemas"]) != 31 {
		t.Errorf("a part with all it reaches: %v", last.names("schemas"))
	}
}

func TestSliceTrimsBeforeItCuts(t *testing.T) {
	d := load(t, `{"openapi":"3.0.0","info":{"title":"T","version":"1"},"paths":{"/x":{"get":{
		"parameters":[{"name":"q","in":"query","description":"`+strings.Repeat("long ", 100)+`","schema":{"type":"string","example":"tiny"}}],
		"responses":{"200":{"description":"`+strings.Repeat("told ", 100)+`","links":{"l":{"operationId":"x"}},
			"content":{"application/json":{"schema":{"$ref":"#/components/schemas/S"},"examples":{"e":{"$ref":"#/components/examples/E"}}}}}}}}},
		"components":{"examples":{"E":{"value":{"v":"`+strings.Repeat("e", 2000)+`"}}},
		"schemas":{"S":{"type":"object","properties":{"example":{"type":"string","example":"tiny"},"description":{"type":"string"},"x-y":{"type":"string"},"links":{"type":"integer"}}}}}}`)
	all := slice(t, d, SliceOptions{}, "GET /x")
	for budget, want := range map[int]struct{ example, short, told, links bool }{
		0:   {true, true, true, true},
		600: {false, true, true, true},
		420: {false, false, false, false},
	} {
		s := slice(t, d, SliceOptions{Budget: budget}, "GET /x")
		got := struct{ example, short, told, links bool }{
			strings.Contains(s.raw, "eeee"), strings.Contains(s.raw, "tiny"), strings.Count(s.raw, "told") == 100, strings.Contains(s.raw, `"operationId":"x"`),
		}
		if got != want {
			t.Errorf("budget %d (%d tokens): %+v, want %+v", budget, EstimateTokens([]byte(s.raw)), got, want)
		}
		if strings.Count(s.raw, "long") != 100 {
			t.Errorf("budget %d: the request's description was cut", budget)
		}
		if diff := cmp.Diff([]string{"description", "example", "links", "x-y"}, slices.Sorted(maps.Keys(s.Components["schemas"]["S"]["properties"].(map[string]any)))); diff != "" {
			t.Errorf("budget %d: fields that are named like keywords: %s", budget, diff)
		}
	}
	if n := EstimateTokens([]byte(all.raw)); n < 600 {
		t.Errorf("the document is too small for this test: %d", n)
	}
}

func TestSliceNeverCutsRequests(t *testing.T) {
	d := load(t, `{"openapi":"3.0.0","info":{"title":"T","version":"1"},"paths":{"/x":{"post":{
		"requestBody":{"content":{"application/json":{"schema":{"$ref":"#/components/schemas/Big"}}}},
		"responses":{"200":{"description":"ok","content":{"application/json":{"schema":{"type":"object","properties":{"inline":{"type":"object","properties":{"text":{"type":"string","enum":["`+strings.Repeat("i", 400)+`"]}}}}}}}},
			"201":{"description":"ok","content":{"application/json":{"schema":{"$ref":"#/components/schemas/Part"}}}},
			"default":{"$ref":"#/components/responses/R"}}}}},
		"components":{"responses":{"R":{"description":"`+strings.Repeat("r ", 90)+`","content":{"application/json":{"schema":{"$ref":"#/components/schemas/Only"}}}}},
		"schemas":{"Big":{"type":"object","properties":{"part":{"$ref":"#/components/schemas/Part"}}},
		"Part":{"type":"string","enum":["`+strings.Repeat("p", 3000)+`"]},"Only":{"type":"object","properties":{"o":{"type":"string","enum":["`+strings.Repeat("o", 400)+`"]}}}}}}`)
	s := slice(t, d, SliceOptions{Budget: 300}, "POST /x")
	if !strings.Contains(s.raw, strings.Repeat("p", 3000)) {
		t.Error("the request side was cut")
	}
	if !strings.HasPrefix(s.Info.Description, "The request side alone is over the budget of 300 tokens") {
		t.Error(s.Info.Description)
	}
	if strings.Contains(s.raw, "iiii") || strings.Contains(s.raw, "oooo") {
		t.Error("the response side was not cut")
	}
	if !strings.Contains(s.raw, `"200":{"description":"cut to fit; ask for \"POST /x#200\" in endpoints"}`) {
		t.Error(s.raw)
	}
	response := slice(t, d, SliceOptions{Budget: 300}, "POST /x#200")
	if !strings.Contains(response.raw, "iiii") || len(response.Components["responses"]) != 1 {
		t.Error(response.raw)
	}
	named := slice(t, d, SliceOptions{Budget: 1000}, "POST /x#responses/R")
	if named.Components["responses"]["R"] == nil || !strings.Contains(named.raw, "oooo") {
		t.Error(named.raw)
	}
	wordy := strings.ReplaceAll(string(d.Raw()), `"type":"object","properties":{"part"`, `"type":"object","description":"`+strings.Repeat("said ", 400)+`","properties":{"part"`)
	if s := slice(t, load(t, wordy), SliceOptions{Budget: 1200}, "POST /x"); strings.Count(s.raw, "said") > 45 || strings.HasPrefix(s.Info.Description, "The request side") {
		t.Error("the tails of a request's descriptions are the last to go")
	}
	if s := slice(t, load(t, wordy), SliceOptions{Budget: 2000}, "POST /x"); strings.Count(s.raw, "said") != 400 {
		t.Error("but not before")
	}
	if s := slice(t, d, SliceOptions{Budget: -1}, "POST /x"); !strings.Contains(s.raw, "oooo") || s.Info.Description != "" {
		t.Error("no limit, and it was cut")
	}
}

func TestSliceCutsInlineSchemas(t *testing.T) {
	nested := `{"type":"string","enum":["` + strings.Repeat("v", 200) + `"]}`
	for i := range 12 {
		nested = fmt.Sprintf(`{"type":"object","properties":{"level%d":%s,"other":{"type":["array","null"],"items":{"type":"string"},"enum":["%s"]}}}`, 12-i, nested, strings.Repeat("w", 200))
	}
	d := load(t, `{"openapi":"3.1.0","info":{"title":"T","version":"1"},"paths":{"/x":{"get":{"responses":{"200":{"description":"ok","content":{"application/json":{"schema":`+nested+`}}}}}}}}`)
	s := slice(t, d, SliceOptions{Budget: 500}, "GET /x")
	if n := EstimateTokens([]byte(s.raw)); n > 500 {
		t.Errorf("%d tokens", n)
	}
	if !strings.Contains(s.raw, "level2") || strings.Contains(s.raw, "level12") {
		t.Error("the first levels are to be kept, the last to be cut")
	}
	if !strings.Contains(s.raw, `{"type":"object","description":"cut to fit; ask for \"GET /x#200\" in endpoints"}`) {
		t.Error(s.raw)
	}
	if !strings.Contains(s.raw, `{"type":["array","null"],"items":{},"description":"cut to fit; `) {
		t.Error("an array's stub keeps its type, and needs items")
	}
}

func TestSliceCallbacks(t *testing.T) {
	d := board(t)
	s := slice(t, d, SliceOptions{}, "POST /api/issues")
	if !strings.Contains(s.raw, `"callbacks"`) || s.Components["schemas"]["Event"] == nil {
		t.Error("callbacks fit")
	}
	small := slice(t, d, SliceOptions{Budget: 650}, "POST /api/issues")
	if strings.Contains(small.raw, `"callbacks"`) || !strings.Contains(small.Info.Description, "Callbacks are left out.") {
		t.Error(small.raw)
	}
}

func TestSliceOddReferences(t *testing.T) {
	d := load(t, `{"openapi":"3.1.0","info":{"title":"T","version":"1"},"paths":{
		"/a":{"get":{"parameters":[{"$ref":"#/components/parameters/Gone"}],"responses":{"200":{"description":"ok","content":{"application/json":{"schema":{"oneOf":[
			{"$ref":"#/components/schemas/Deep/properties/inner","description":"beside"},
			{"$ref":"#/paths/~1b/get/responses/200/content/application~1json/schema"},
			{"$ref":"#/components/schemas/Gone"},
			{"$ref":"./other.json#/X"},
			{"$ref":"#/components/schemas/A%20name"},
			{"$ref":"#/components/schemas/Loop"}]}}}},"404":{"$ref":"#/components/responses/Gone"}}}},
		"/b":{"get":{"responses":{"200":{"description":"ok","content":{"application/json":{"schema":{"type":"object","properties":{"b":{"type":"string"}}}}}}}}}},
		"components":{"schemas":{"Deep":{"properties":{"inner":{"type":"integer"}}},"A name":{"type":"boolean"},"Loop":{"$ref":"#/components/schemas/Loop"}}}}`)
	s := slice(t, d, SliceOptions{}, "GET /a")
	names := strings.Join(s.names("schemas"), " ")
	for _, want := range []string{"Deep_properties_inner_", "paths__1b_get_responses_200_", "A_20name_", "other.json__X_"} {
		if !strings.Contains(names, want) {
			t.Errorf("no name like %s in %s", want, names)
		}
	}
	if got := s.Components["schemas"]["Gone"]["description"]; got != "missing: #/components/schemas/Gone is not in the document" {
		t.Error(got)
	}
	if !strings.Contains(s.raw, "not here: ./other.json#/X is another document") || !strings.Contains(s.raw, `"description":"beside"`) {
		t.Error(s.raw)
	}
	if s.Components["parameters"]["Gone"]["in"] != "query" || s.Components["responses"]["Gone"]["description"] == nil {
		t.Error("a parameter or response that is missing needs a valid stub")
	}
	for _, name := range s.names("schemas") {
		if text, _ := s.Components["schemas"][name]["description"].(string); strings.HasPrefix(text, "missing") || strings.HasPrefix(text, "not here") {
			continue
		}
		// The name alone is enough, also for a server that has not made this slice.
		part := slice(t, load(t, string(d.Raw())), SliceOptions{}, "GET /a#"+name)
		if part.Components["schemas"][name] == nil {
			t.Errorf("%s cannot be asked for", name)
		}
	}
	if strings.Contains(names, "Deep ") || slices.Contains(s.names("schemas"), "Deep") {
		t.Error("only the part that is referred to is needed")
	}
	if again := slice(t, load(t, string(d.Raw())), SliceOptions{}, "GET /b", "GET /a"); !slices.Equal(again.names("schemas"), s.names("schemas")) {
		t.Error("invented names are not always the same")
	}
}

func TestSliceDiscriminators(t *testing.T) {
	d := load(t, `{"openapi":"3.0.0","info":{"title":"T","version":"1"},"paths":{"/a":{"get":{"responses":{"200":{"description":"ok","content":{"application/json":{"schema":{"$ref":"#/components/schemas/Pet"}}}}}}}},
		"components":{"schemas":{"Pet":{"type":"object","discriminator":{"propertyName":"kind","mapping":{"cat":"#/components/schemas/Cat","dog":"Dog"}},"properties":{"kind":{"type":"string"}}},
		"Cat":{"allOf":[{"$ref":"#/components/schemas/Pet"}]},"Dog":{"allOf":[{"$ref":"#/components/schemas/Pet"}]},"Fish":{}}}}`)
	s := slice(t, d, SliceOptions{}, "GET /a")
	if diff := cmp.Diff([]string{"Cat", "Dog", "Pet"}, s.names("schemas")); diff != "" {
		t.Error(diff)
	}
	if !strings.Contains(s.raw, `"mapping":{"cat":"#/components/schemas/Cat","dog":"#/components/schemas/Dog"}`) {
		t.Error(s.raw)
	}
}

func TestSliceOf32(t *testing.T) {
	d := load(t, `{"openapi":"3.2.0","info":{"title":"T","version":"1"},"paths":{"/x":{"summary":"s","x-item":1,"additionalOperations":{"LINK":{"operationId":"l","responses":{"200":{"description":"ok","content":{"application/jsonl":{"itemSchema":{"$ref":"#/components/schemas/I"}}}}}}},
		"query":{"operationId":"q","responses":{"200":{"description":"ok"}}}}},"components":{"schemas":{"I":{"type":"object"}}}}`)
	s := slice(t, d, SliceOptions{}, "LINK /x", "QUERY /x")
	if !strings.Contains(s.raw, `"/x":{"summary":"s","query":{"operationId":"q"`) || !strings.Contains(s.raw, `"additionalOperations":{"LINK":{"operationId":"l"`) || s.Components["schemas"]["I"] == nil {
		t.Error(s.raw)
	}
	if part := slice(t, d, SliceOptions{}, "LINK /x#200"); len(part.Components["responses"]) != 1 {
		t.Error(part.raw)
	}
}

func TestSliceRefuses(t *testing.T) {
	d := board(t)
	for _, c := range []struct {
		entry, part, message string
		nearest              []string
	}{
		{"GET /api/issue", "", `no route "GET /api/issue" in the document; nearest: GET /api/issues, POST /api/issues, `, nil},
		{"nonsense", "", "", nil},
		{"GET /api/issues#Isue", "Isue", `no schema or response "Isue" in the document, as asked for by "GET /api/issues#Isue"; nearest: Issue, `, nil},
		{"GET /api/issues#404", "404", "", nil},
		{"GET /api/issues#x-permission", "x-permission", "", nil},
		{"GET /api/issues#securitySchemes/key", "securitySchemes/key", "", nil},
		{"GET /none#Issue", "", "", nil},
		{"GET /api/issues#", "", "", nil},
	} {
		_, err := d.Slice([]string{"GET /healthz", c.entry}, SliceOptions{})
		bad, ok := errors.AsType[*UnknownRouteError](err)
		if !ok || bad.Route != c.entry || bad.Part != c.part || len(bad.Nearest) == 0 || len(bad.Nearest) > 3 {
			t.Errorf("%s: %#v", c.entry, err)
			continue
		}
		if !strings.HasPrefix(bad.Error(), c.message) {
			t.Errorf("%s: %v", c.entry, err)
		}
	}
	empty := slice(t, d, SliceOptions{})
	if len(empty.Paths) != 0 {
		t.Error(empty.raw)
	}
}

func TestSliceWithAnotherCounter(t *testing.T) {
	d := load(t, deep(30))
	count := func(b []byte) int { return len(b) } // bytes, say
	s := slice(t, d, SliceOptions{Budget: 5000, Count: count}, "GET /x")
	if n := len(s.raw); n > 5000 || n < 3500 {
		t.Errorf("%d of 5000", n)
	}
	// A counter whose parts do not add up to the whole.
	odd := func(b []byte) int { return len(b) + len(b)*len(b)/20000 }
	if s := slice(t, d, SliceOptions{Budget: 5000, Count: odd}, "GET /x"); odd([]byte(s.raw)) > 5000 {
		t.Errorf("%d of 5000", odd([]byte(s.raw)))
	}
}

func TestEstimate(t *testing.T) {
	if EstimateTokens(nil) != 0 || EstimateTokens([]byte("a")) != 1 || EstimateTokens(make([]byte, 700)) != 200 {
		t.Error(EstimateTokens(nil), EstimateTokens([]byte("a")), EstimateTokens(make([]byte, 700)))
	}
}

func TestSlicesConcurrently(t *testing.T) {
	d := board(t)
	want := slice(t, board(t), SliceOptions{}, "GET /api/issues").raw
	done := make(chan string)
	for range 8 {
		go func() {
			out, err := d.Slice([]string{"GET /api/issues"}, SliceOptions{})
			if err != nil {
				out = []byte(err.Error())
			}
			done <- string(out)
		}()
	}
	for range 8 {
		if got := <-done; got != want {
			t.Error(got)
		}
	}
}
