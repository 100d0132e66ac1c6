// SPDX-License-Identifier: Apache-2.0

package visit

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fiftyarms/platform/gen/dash"
	"github.com/fiftyarms/platform/internal/dashboard/web/layout"
)

func TestProblems(t *testing.T) {
	fields := map[string]Field{
		"/name": {ID: "name", Label: "The name"}, "/prefix": {ID: "prefix", Label: "The prefix"}, "/repo": {ID: "repo", Label: "The repository"},
		"/parent_id": {ID: "parent", Label: "The parent"}, "filename": {ID: "file", Label: "The file's name"},
	}
	body := func(path, message string) dash.Fault {
		return dash.Fault{In: dash.FaultInBody, Path: path, Message: message}
	}
	const reload = "The form came without what ties it to its page. Reload the page and send it again."
	tests := []struct {
		name   string
		faults []dash.Fault
		want   []layout.Problem
	}{
		{"as the API says it", []dash.Fault{body("/name", "must have at most 100 characters")}, []layout.Problem{{Field: "name", Text: "The name must have at most 100 characters."}}},
		{"a prefix", []dash.Fault{body("/prefix", "must match ^[A-Z][A-Z0-9]{1,9}$")}, []layout.Problem{{Field: "prefix", Text: "The prefix must be 2 to 10 capital letters and digits, a letter first."}}},
		{"blank", []dash.Fault{body("/name", `must match \S`)}, []layout.Problem{{Field: "name", Text: "The name must not be blank."}}},
		{"empty, and so blank", []dash.Fault{body("/name", "must not be empty"), body("/name", `must match \S`)}, []layout.Problem{{Field: "name", Text: "The name must not be empty."}}},
		{"a repository", []dash.Fault{body("/repo", `must match ^[A-Za-z0-9._-]+/[A-Za-z0-9._-]+$`)}, []layout.Problem{{Field: "repo", Text: "The repository must be an owner and a name, like acme/shop."}}},
		{"a card", []dash.Fault{body("/parent_id", `must match ^[A-Z][A-Z0-9]{1,9}-[1-9][0-9]{0,9}$`)}, []layout.Problem{{Field: "parent", Text: "The parent must be the id of a card, like SHOP-2."}}},
		{"a pattern that nobody has put into words", []dash.Fault{body("/name", "must match ^x$")}, []layout.Problem{{Field: "name", Text: "The name is not of the form that is asked for."}}},
		{"a form without its version", []dash.Fault{body("/version", "is missing: send the version that was read")}, []layout.Problem{{Text: reload}}},
		{"a form without its key", []dash.Fault{{In: dash.FaultInHeader, Path: "Idempotency-Key", Message: `must match ^[\x21-\x7e]+$`}}, []layout.Problem{{Text: reload}}},
		{"nothing in particular", nil, []layout.Problem{{Text: "The form is odd."}}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := Problems(dash.InvalidRequestRefusal{Message: "the form is odd", Issues: tt.faults}, fields)
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

// unworded are the patterns of what no person types: ids, versions, keys and cursors.
var unworded = []string{"[0-9a-f]{", "[\\x21-\\x7e]", "[a-z_]{0,39}", "^\"[1-9]", "^(0|[1-9]", "[A-Za-z0-9_-]{1,128}", "(,[A-Z]"}

// TestThePatternsOfTheContractAreInWords, as far as people type what they hold.
func TestThePatternsOfTheContractAreInWords(t *testing.T) {
	var document any
	if err := json.Unmarshal(dash.Document, &document); err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	var walk func(any)
	walk = func(v any) {
		switch v := v.(type) {
		case map[string]any:
			if p, ok := v["pattern"].(string); ok {
				seen[p] = true
			}
			for _, below := range v {
				walk(below)
			}
		case []any:
			for _, below := range v {
				walk(below)
			}
		}
	}
	walk(document)
	for p := range seen {
		typed := true
		for _, part := range unworded {
			typed = typed && !strings.Contains(p, part)
		}
		if typed && patterns[p] == "" {
			t.Errorf("%s has no words", p)
		}
	}
	for p := range patterns {
		if !seen[p] {
			t.Errorf("%s is no pattern of the contract", p)
		}
	}
}
