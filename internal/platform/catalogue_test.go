// SPDX-License-Identifier: Apache-2.0

package platform_test

import (
	"bytes"
	"encoding/json"
	"maps"
	"net/http"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/tiktoken-go/tokenizer"

	"github.com/fiftyarms/platform/gen/mcptools"
	"github.com/fiftyarms/platform/internal/testkit"
)

// TestInitialize is the answer to initialize, byte for byte.
func TestInitialize(t *testing.T) {
	testkit.NoLeaks(t)
	p := start(t, "http://127.0.0.1:1", nil)
	raw, err := p.request("initialize", `{"protocolVersion":"2025-11-25","clientInfo":{"name":"t","version":"1"},"capabilities":{}}`)
	if err != nil {
		t.Fatal(err)
	}
	testkit.Golden(t, "testdata/initialize.json", append(raw, '\n'))
}

// TestToolsList: the tools are those of the catalogue, their schemas byte for byte.
func TestToolsList(t *testing.T) {
	testkit.NoLeaks(t)
	p := start(t, serve(t, http.NotFound), dispatch) // which sees all
	raw, err := p.request("tools/list", "{}")
	if err != nil {
		t.Fatal(err)
	}
	testkit.Golden(t, "testdata/tools-list.json", append(raw, '\n'))

	var got struct{ Tools []map[string]json.RawMessage }
	if err := json.Unmarshal(raw, &got); err != nil {
		t.Fatal(err)
	}
	var want map[string]struct{ Tools []map[string]json.RawMessage }
	if err := json.Unmarshal(mcptools.Definitions, &want); err != nil {
		t.Fatal(err)
	}
	if len(got.Tools) != len(want["platform"].Tools) {
		t.Fatalf("%d tools, the catalogue has %d", len(got.Tools), len(want["platform"].Tools))
	}
	var names []string
	for i, tool := range got.Tools {
		defined := want["platform"].Tools[i]
		if diff := cmp.Diff(slices.Sorted(maps.Keys(defined)), slices.Sorted(maps.Keys(tool))); diff != "" {
			t.Errorf("members of %s:\n%s", tool["name"], diff)
		}
		for member, value := range defined {
			var compact bytes.Buffer
			if err := json.Compact(&compact, value); err != nil {
				t.Fatal(err)
			}
			if compact.String() != string(tool[member]) {
				t.Errorf("%s: %s is\n%s\nwant\n%s", tool["name"], member, tool[member], compact.String())
			}
		}
		var name string
		if err := json.Unmarshal(tool["name"], &name); err != nil {
			t.Fatal(err)
		}
		names = append(names, name)
	}
	if diff := cmp.Diff(allTools, names); diff != "" {
		t.Errorf("names (-catalogue +listed):\n%s", diff)
	}
	if diff := cmp.Diff(slices.Sorted(slices.Values(names)), slices.Sorted(maps.Keys(goodArgs))); diff != "" {
		t.Errorf("the tests need arguments for each tool, in goodArgs (-tools +arguments):\n%s", diff)
	}
}

// TestTokenBudget: what every model reads at every request, for ever.
func TestTokenBudget(t *testing.T) {
	testkit.NoLeaks(t)
	const budget = 1500
	p := start(t, serve(t, http.NotFound), dispatch) // which sees all
	raw, err := p.request("tools/list", "{}")
	if err != nil {
		t.Fatal(err)
	}
	codec, err := tokenizer.Get(tokenizer.O200kBase)
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, text := range []string{string(raw), mcptools.PlatformInstructions} {
		ids, _, err := codec.Encode(text)
		if err != nil {
			t.Fatal(err)
		}
		n += len(ids)
	}
	t.Logf("%d tokens", n)
	if n > budget {
		t.Errorf("%d tokens, at most %d", n, budget)
	}
}
