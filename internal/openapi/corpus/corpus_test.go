// SPDX-License-Identifier: Apache-2.0

// Package corpus holds the slices of package openapi against another library's
// opinion of what a valid document is: those of the small documents at hand, and of
// any folder of real ones.
package corpus

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/fiftyarms/platform/internal/openapi"
	"github.com/fiftyarms/platform/internal/openapi/routes"
	"github.com/getkin/kin-openapi/openapi3"
)

// valid asks whether a document is valid. Examples and defaults are the
// business of the document's authors.
func valid(data []byte) error {
	doc, err := openapi3.NewLoader().LoadFromData(data)
	if err != nil {
		return err
	}
	return doc.Validate(context.Background(), openapi3.DisableExamplesValidation(), openapi3.DisableSchemaDefaultsValidation())
}

func TestSlicesAreValid(t *testing.T) {
	data, err := os.ReadFile("../testdata/board.json")
	if err != nil {
		t.Fatal(err)
	}
	d, err := openapi.Load(data)
	if err != nil {
		t.Fatal(err)
	}
	for _, budget := range []int{0, -1, 1, 100, 250, 500, 1000} {
		for _, op := range d.Operations() {
			for _, entry := range []string{op.Route(), op.Route() + "#Issue", op.Route() + "#200"} {
				out, err := d.Slice([]string{entry}, openapi.SliceOptions{Budget: budget})
				if err != nil && strings.HasSuffix(entry, "#200") {
					continue // it has no such response
				}
				if err != nil {
					t.Fatal(err)
				}
				if err := valid(out); err != nil {
					t.Errorf("%s in %d tokens: %v\n%s", entry, budget, err, out)
				}
			}
		}
		out, err := d.Slice(d.Routes(), openapi.SliceOptions{Budget: budget})
		if err != nil {
			t.Fatal(err)
		}
		if err := valid(out); err != nil {
			t.Errorf("everything in %d tokens: %v", budget, err)
		}
	}
}

// atHand are the documents that come with the repository.
var atHand = []string{"../testdata/*.json", "../../../gen/dash/openapi.json"}

// TestCorpus runs over the documents at hand, and over those that are too large
// to ship where OPENAPI_CORPUS names a folder of them. Each loads; each
// operation is matched by a path made from its template; each slice is valid
// and fits, or says why it does not.
func TestCorpus(t *testing.T) {
	patterns := atHand
	if folder := os.Getenv("OPENAPI_CORPUS"); folder != "" {
		patterns = append(patterns[:len(patterns):len(patterns)], filepath.Join(folder, "*.json"))
	}
	var files []string
	for _, pattern := range patterns {
		found, err := filepath.Glob(pattern)
		if err != nil || len(found) == 0 {
			t.Fatalf("no documents at %s: %v", pattern, err)
		}
		files = append(files, found...)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			begun := time.Now()
			d, err := openapi.Load(data)
			if err != nil {
				t.Fatal(err)
			}
			loaded := time.Since(begun)
			matches(t, d)
			t.Logf("%d bytes, version %s, %d operations, load %s", len(data), d.Version(), len(d.Operations()), loaded.Round(time.Millisecond))
			list := openapi.ListRoutes(d.Routes(), "", 0)
			t.Logf("the list holds %d routes, %d groups", len(list.Routes), len(list.Groups))
			begun = time.Now()
			weak := d.Precompile()
			t.Logf("all request schemas compiled in %s; not enforced: %.500v", time.Since(begun).Round(time.Millisecond), weak)
			checks(d)
			t.Log(cut(t, d))
		})
	}
}

func matches(t *testing.T, d *openapi.Document) {
	for _, op := range d.Operations() {
		var path strings.Builder
		want := map[string]string{}
		for i, p := range routes.ParseTemplate(op.Path) {
			if !p.Param {
				path.WriteString(p.Text)
				continue
			}
			want[p.Text] = fmt.Sprintf("v %d", i)
			fmt.Fprintf(&path, "v%%20%d", i)
		}
		m, ok := d.Match(op.Method, path.String())
		if !ok || m.Operation != op {
			t.Errorf("%s: %q does not match it", op.Route(), path.String())
			continue
		}
		for name, value := range want {
			if m.Params[name] != value {
				t.Errorf("%s: parameter %s is %q", op.Route(), name, m.Params[name])
			}
		}
		if found, ok := d.Lookup(op.Route()); !ok || found != op {
			t.Errorf("%s: not found by its name", op.Route())
		}
	}
}

// checks only has to survive.
func checks(d *openapi.Document) {
	for _, op := range d.Operations() {
		for _, body := range []string{"", "{}", "[]", `"{}"`, `{"name":5}`} {
			r := openapi.Request{Query: map[string][]string{"page": {"x"}, "filter[a]": {"1"}}, Body: []byte(body)}
			op.Check(r, openapi.Strict)
			op.Check(r, openapi.Courtesy)
			op.HealBody([]byte(body))
		}
	}
}

func cut(t *testing.T, d *openapi.Document) string {
	var sizes []int
	over, stubbed, invalid := 0, 0, 0
	var took time.Duration
	for _, op := range d.Operations() {
		begun := time.Now()
		out, err := d.Slice([]string{op.Route()}, openapi.SliceOptions{})
		took += time.Since(begun)
		if err != nil {
			t.Errorf("%s: %v", op.Route(), err)
			continue
		}
		n := openapi.EstimateTokens(out)
		sizes = append(sizes, n)
		if strings.Contains(string(out), "cut to fit") {
			stubbed++
		}
		if n > openapi.DefaultSliceBudget {
			over++
			if !strings.Contains(string(out), "request side alone is over the budget") {
				t.Errorf("%s: %d tokens, and it does not say why", op.Route(), n)
			}
		}
		if err := valid(out); err != nil {
			if invalid++; invalid <= 10 {
				t.Errorf("%s: %.300s", op.Route(), err)
			}
		}
	}
	if len(sizes) == 0 {
		return "no operations"
	}
	slices.Sort(sizes)
	return fmt.Sprintf("all slices in %s; tokens: median %d, p90 %d, max %d; %d cut, %d over for their requests, %d invalid",
		took.Round(time.Millisecond), sizes[len(sizes)/2], sizes[len(sizes)*9/10], sizes[len(sizes)-1], stubbed, over, invalid)
}
