// SPDX-License-Identifier: Apache-2.0

package htmlcheck

import (
	"strings"
	"testing"
)

const good = `<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>T</title></head><body>
<a href="#main">Skip</a><main id="main"><h1>One</h1><h2>Two</h2>
<form method="post" action="/x"><input type="hidden" name="csrf_token" value="t"/>
<div class="field"><label for="a">A &amp; B</label><input id="a" name="a" required></div><button>Go</button></form></main></body></html>`

func TestAGoodPageHasNoProblems(t *testing.T) {
	if got := Problems(good); len(got) > 0 {
		t.Errorf("problems: %q", got)
	}
}

// TestEachRuleBites breaks the good page in one place at a time.
func TestEachRuleBites(t *testing.T) {
	tests := []struct{ old, new, want string }{
		{` lang="en"`, ``, "names no language"},
		{`<title>T</title>`, ``, "0 <title>"},
		{`<h1>One</h1>`, `<h1>One</h1><h1>More</h1>`, "2 <h1>"},
		{`<h1>One</h1>`, `<h1> </h1>`, "<h1> is empty"},
		{`<h2>Two</h2>`, `<h3>Two</h3>`, "follows <h1>"},
		{`<a href="#main">Skip</a>`, ``, "no skip link"},
		{`href="#main"`, `href="#nowhere"`, "#nowhere, which is not there"},
		{`<h2>Two</h2>`, `<h2 id="a">Two</h2>`, "the id a is there twice"},
		{`for="a"`, `for="b"`, "the field a has no label"},
		{`<h2>Two</h2>`, `<p aria-describedby="b">x</p>`, "names b in aria-describedby"},
		{`<button>Go</button>`, `<button></button>`, "a <button> says nothing"},
		{`<button>Go</button>`, `<button>Go</button><button>Stop</button>`, "has 2 buttons"},
		{`method="post"`, `method="get"`, "is no post"},
		{`action="/x"`, `action="//evil.example"`, "the form leads to"},
		{`<input type="hidden" name="csrf_token" value="t"/>`, ``, "has 0 tokens"},
		{`value="t"`, `value=""`, "no token in its hidden field"},
		{`<h2>Two</h2>`, `<a href="https://evil.example">x</a>`, "a link leads to"},
		{`<h2>Two</h2>`, `<a href="/\evil.example">x</a>`, "a link leads to"},
		{`<h2>Two</h2>`, `<script>x</script>`, "a <script> that is not our file"},
		{`<h2>Two</h2>`, `<script type="module" src="https://evil.example/x.js"></script>`, "a <script> that is not our file"},
		{`<h2>Two</h2>`, `<iframe></iframe>`, "<iframe> has no place"},
		{`<h2>Two</h2>`, `<div class="written"><a href="https://x.example">x</a></div>`, "a link leads to"},
		{`<h2>Two</h2>`, `<form role="search" method="get" action="/x"><input type="hidden" name="csrf_token" value="t"></form>`, "and 1 tokens"},
		{`<h2>Two</h2>`, `<p style="color:red">x</p>`, "<p> has style"},
		{`<h2>Two</h2>`, `<p onclick="x">x</p>`, "<p> has onclick"},
		{`<h2>Two</h2>`, `<img src="https://evil.example/x.png" alt="">`, "loads or leads to"},
		{`<h2>Two</h2>`, `<img src="/x.png">`, "no alt"},
		{`<h2>Two</h2>`, `<fieldset><p>x</p></fieldset>`, "no legend"},
		{`<h2>Two</h2>`, `<nav><p>x</p></nav>`, "<nav> has no name"},
		{`<h2>Two</h2>`, "<p>a\u202Eb</p>", `holds "a\u202eb"`},
		{`<h2>Two</h2>`, "<p>a\u200Bb</p>", `holds "a\u200bb"`},
		{`<h2>Two</h2>`, `<p>`, "where <p> is open"},
		{`<meta charset="utf-8">`, `<meta name="viewport" content="maximum-scale=1">`, "cannot be zoomed"},
		{`required`, `required aria-invalid="true"`, "something else than it shows"},
	}
	for _, tt := range tests {
		page := strings.Replace(good, tt.old, tt.new, 1)
		if page == good {
			t.Fatalf("%q is not in the page", tt.old)
		}
		if got := strings.Join(Problems(page), "\n"); !strings.Contains(got, tt.want) {
			t.Errorf("%s instead of %s: problems %q, want one with %q", tt.new, tt.old, got, tt.want)
		}
	}
}
