// SPDX-License-Identifier: Apache-2.0

package browsertest

import (
	_ "embed"
	"testing"

	"github.com/chromedp/chromedp"
)

// axe is the axe-core engine, as its makers publish it.
//
//go:embed testdata/axe.min.js
var axe string

// axeRun answers with what axe finds wrong, each with where.
const axeRun = `axe.run(document, { resultTypes: ["violations"] }).then(r => r.violations.flatMap(v => v.nodes.map(n => v.id + ": " + v.help + " at " + n.target.join(" ") + ": " + n.html.slice(0, 200))))`

// wantAxeClean fails for whatever axe finds.
func (b *tab) wantAxeClean() {
	b.t.Helper()
	b.do(chromedp.Evaluate[chromedp.Void](axe))
	for _, scheme := range []string{"light", "dark"} {
		b.scheme(scheme)
		for _, problem := range run(b, chromedp.Evaluate[[]string](axeRun, chromedp.EvalAwaitPromise)) {
			b.t.Errorf("%s in %s: %s", b.at(), scheme, problem)
		}
	}
	b.scheme("light")
}

// TestAxeFindsNothing on any page, old or new.
func TestAxeFindsNothing(t *testing.T) {
	everyScene(t, func(_ *testing.T, b *tab) { b.wantAxeClean() })
}

// TestAxeBites proves that the engine runs.
func TestAxeBites(t *testing.T) {
	s := newSite(t)
	b := newPerson(t, s)
	b.open("/signin")
	b.do(chromedp.Evaluate[chromedp.Void](`document.querySelector("label").remove(); 0`))
	b.do(chromedp.Evaluate[chromedp.Void](axe))
	if got := run(b, chromedp.Evaluate[[]string](axeRun, chromedp.EvalAwaitPromise)); len(got) == 0 {
		t.Error("axe finds nothing wrong with a field without a label")
	}
}
