// SPDX-License-Identifier: Apache-2.0

package written_test

import (
	"strings"
	"testing"

	"github.com/fiftyarms/platform/internal/dashboard/web/htmlcheck"
	"github.com/fiftyarms/platform/internal/dashboard/web/written"
)

func shown(t *testing.T, source string, level int) string {
	t.Helper()
	var b strings.Builder
	if err := written.HTML(source, level).Render(t.Context(), &b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestMarkdown(t *testing.T) {
	tests := []struct{ name, source, want string }{
		{"a paragraph keeps its lines", "one\r\ntwo", "<p>one<br>\ntwo</p>\n"},
		{"HTML stays text", "<script>alert(1)</script>\n\nA <b onclick=x>b</b>", "<p>&lt;script&gt;alert(1)&lt;/script&gt;</p>\n<p>A &lt;b onclick=x&gt;b&lt;/b&gt;</p>\n"},
		{"headings stand below the page's", "# A\n\n### B\n\n###### C\n\n#", "<h3>A</h3>\n<h4>B</h4>\n<h5>C</h5>\n"},
		{"a heading cannot begin too deep", "##### A", "<h3>A</h3>\n"},
		{"a link leads to the web and tells nothing", "[a](https://x.example/)", `<p><a href="https://x.example/" rel="nofollow noreferrer">a</a></p>` + "\n"},
		{"a link without a text says where it leads", "[](https://x.example/)", `<p><a href="https://x.example/" rel="nofollow noreferrer">https://x.example/</a></p>` + "\n"},
		{"an address is a link", "see https://x.example/a", `<p>see <a href="https://x.example/a" rel="nofollow noreferrer">https://x.example/a</a></p>` + "\n"},
		{"no link runs", "[a](javascript:alert%281%29) [b](data:text/html,x) [c](vbscript:x) [d](//x.example) [e](/signout)", "<p>a b c d e</p>\n"},
		{"a picture is a link", "![a cat](https://x.example/cat.png)", `<p><a href="https://x.example/cat.png" rel="nofollow noreferrer">a cat</a></p>` + "\n"},
		{"nobody sets an id or a class", "## A {#main .top}\n\n```evil\" onload=x\ny\n```", "<h3>A {#main .top}</h3>\n<pre><code>y\n</code></pre>\n"},
		{"what is not seen is written out", "a\u202Eb &#x202E; \u200Bc \x1b[31m", "<p>a⟨U+202E⟩b ⟨U+202E⟩ ⟨U+200B⟩c ⟨U+001B⟩[31m</p>\n"},
		{"a table", "| a | b |\n|---|---|\n| 1 | <i>2 |", "<table>\n<thead>\n<tr>\n<th>a</th>\n<th>b</th>\n</tr>\n</thead>\n<tbody>\n<tr>\n<td>1</td>\n<td>&lt;i&gt;2</td>\n</tr>\n</tbody>\n</table>\n"},
		{"code keeps its spaces", "x\n\n\tif a {\n\t\tb\n\t}", "<p>x</p>\n<pre><code>if a {\n    b\n}\n</code></pre>\n"},
		{"a long rule under a heading", "A\n" + strings.Repeat("-", 60), "<h3>A</h3>\n"},
		{"nothing", "", ""},
		{"too deep to follow", strings.Repeat("> ", 40) + "x", `<p class="lines">` + strings.Repeat("&gt; ", 40) + "x</p>"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := shown(t, tt.source, 3); got != tt.want {
				t.Errorf("got  %q\nwant %q", got, tt.want)
			}
		})
	}
}

// TestHostileTextsAreWhole: the longest texts of the worst kinds make a page that closes what it opens. What grew with
// their square would not end within the time that a test has.
func TestHostileTextsAreWhole(t *testing.T) {
	for _, piece := range []string{
		"[", "![", "](", "[a](", "<", "<a", "*", "**a", "_a_", "`", "> ", "- ", "  - a\n", "1. ", "#", "# a\n", "|", "|a", "a|b\n-|-\n", "&", "&#x202E;",
		"\u202E", "\u0301", "~~", "http://a", "www.", "@a.b", "a\\", "\n\n", "- a\n\n", "[a]: b\n", "[x][x]", "<!--", "<script>", "ﷺ", "W",
	} {
		source := strings.Repeat(piece, written.Limit/len([]rune(piece)))
		got := shown(t, source, 3)
		if _, err := htmlcheck.Parse(got); err != nil {
			t.Errorf("%q: %v", piece, err)
		}
		if strings.Contains(got, "<script") || strings.ContainsRune(got, '\u202E') {
			t.Errorf("%q comes out as it went in", piece)
		}
	}
}
